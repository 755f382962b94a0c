// The decision process as the loss of a tree sees it: rewards are minus regrets, states without a choice are
// gone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "model/bellman.hpp"
#include "neighbourhood/model.hpp"
#include "runtime/stop.hpp"

namespace spotree::leaves {

// J* - J(tree) is the sum over states of visits under the tree times regret, V* - Q* of the choice taken. So
// a model whose rewards are minus regrets has the return minus loss, and forced states, whose regret is 0,
// can be solved out of it: each row leads straight to the states that decide next, with the discounts of the
// way in its probabilities. Rows that lead to a value of -inf are forbidden. What no policy comes to is left
// out.
class RegretModel : public neighbourhood::SearchModel {
  public:
    // Of the largest |V*|. A step's rounding is below the first, and so little is nothing however many steps
    // a policy takes; a regret above the second is one although V* is known only roughly.
    static constexpr double kRounding = 1e-12, kSure = 1e-9;

    // `model` has merged choices, groups and V*; `span` is the scale of losses. Once stopped, forced states
    // stay.
    RegretModel(const neighbourhood::SearchModel& model, double span, Stop* stop)
        : SearchModel(model), original_(model) {
        optimum = 0;
        random_return = -span;
        read();
        if (discount > 0) eliminate(stop);
        write();
    }
    RegretModel(const RegretModel&) = delete;

    double regret(int32_t row) const { return -reward[row]; }
    bool surely_regretted(int32_t row) const { return regret(row) > kSure * largest_; }

  private:
    using Entry = std::pair<int32_t, double>;  // next state, discounted probability
    struct Row {
        std::vector<Entry> entries;
        double regret = 0;
        double earned = 0;
        bool used = false;
    };

    bool forced(int32_t state) const { return original_.group_of[state] < 0; }

    // The choices that matter, what their regrets are, and the first states as one more row.
    void read() {
        const SearchModel& from = original_;
        rows_.resize(from.num_rows() + 1);
        entering_.resize(from.num_states);
        for (const int32_t s : reachable()) {
            if (std::isfinite(from.optimal_value[s])) {
                largest_ = std::max(largest_, std::abs(from.optimal_value[s]));
            }
        }
        for (int32_t s = 0; s < from.num_states; ++s) {
            for (int32_t a = 0; a < (forced(s) ? 1 : from.num_actions); ++a) {
                const int32_t row = from.choices(s)[a];
                if (row >= 0 && !rows_[row].used) take(s, row, kRounding * largest_);
            }
        }
        const auto first = static_cast<int32_t>(from.num_rows());
        rows_[first].used = true;
        for (const int32_t s : from.initial_states) {
            rows_[first].entries.push_back({s, from.initial[s]});
            entering_[s].push_back(first);
        }
    }

    // States that some policy comes to.
    std::vector<int32_t> reachable() const {
        const SearchModel& from = original_;
        std::vector<int32_t> found = from.initial_states;
        std::vector<bool> met(from.num_states, false);
        for (const int32_t s : found) met[s] = true;
        for (size_t k = 0; k < found.size(); ++k) {
            for (int64_t row = from.choice_start[found[k]]; row < from.choice_start[found[k] + 1]; ++row) {
                for (int64_t e = from.row_start[row]; e < from.row_start[row + 1]; ++e) {
                    if (from.probability[e] == 0 || met[from.target[e]]) continue;
                    met[from.target[e]] = true;
                    found.push_back(from.target[e]);
                }
            }
        }
        return found;
    }

    void take(int32_t state, int32_t row, double none) {
        const SearchModel& from = original_;
        const double value = worth(from, row, from.optimal_value);
        if (!std::isfinite(value) || !std::isfinite(from.optimal_value[state])) return;
        Row& taken = rows_[row];
        taken.used = true;
        taken.regret = std::max(0.0, from.optimal_value[state] - value);
        if (taken.regret <= none || forced(state)) taken.regret = 0;
        // At discount 0 what comes next is worth nothing, but no forbidden action may be taken there.
        const double factor = from.discount > 0 ? from.discount : 1.0;
        if (from.discount == 0 && from.initial[state] == 0) taken.regret = 0;
        taken.earned = std::abs(from.reward[row]);
        for (int64_t e = from.row_start[row]; e < from.row_start[row + 1]; ++e) {
            if (factor * from.probability[e] == 0) continue;
            taken.entries.push_back({from.target[e], factor * from.probability[e]});
            entering_[from.target[e]].push_back(row);
        }
        entries_ += static_cast<int64_t>(taken.entries.size());
    }

    // Solves out forced states, those first whose going adds least, while the rows do not grow beyond what
    // they were.
    void eliminate(Stop* stop) {
        using Price = std::pair<int64_t, int32_t>;
        std::priority_queue<Price, std::vector<Price>, std::greater<>> queue;
        place_.assign(original_.num_states, -1);
        for (int32_t s = 0; s < original_.num_states; ++s) {
            if (forced(s)) queue.push({price(s), s});
        }
        const int64_t most = entries_;
        for (int64_t turn = 0; !queue.empty(); ++turn) {
            if ((turn & 0xff) == 0xff && stop && stop->check()) return;
            const auto [guess, state] = queue.top();
            queue.pop();
            const int64_t now = price(state);
            if (now > guess) {
                queue.push({now, state});
            } else if (entries_ + now <= most + static_cast<int64_t>(row_of(state).entries.size())) {
                remove(state);
            }
        }
    }

    Row& row_of(int32_t state) { return rows_[original_.choices(state)[0]]; }

    int64_t price(int32_t state) {
        return static_cast<int64_t>(entering_[state].size()) *
               static_cast<int64_t>(row_of(state).entries.size());
    }

    void remove(int32_t state) {
        Row& mine = row_of(state);
        double self = 0;
        std::vector<Entry> out;
        for (const auto& [to, weight] : mine.entries) {
            if (to == state) {
                self += weight;
            } else {
                out.push_back({to, weight});
            }
        }
        const double stay = 1.0 - self;
        if (stay < kEndless) out.clear();  // endless, and worth nothing: an end
        for (auto& one : out) one.second /= stay;
        entries_ -= static_cast<int64_t>(mine.entries.size());
        for (const int32_t row : std::exchange(entering_[state], {}))
            lead_through(rows_[row], row, state, out, mine.earned);
        mine.entries.clear();
    }

    void lead_through(Row& row, int32_t number, int32_t state, const std::vector<Entry>& out,
                      double paid_there) {
        double weight = 0;
        std::erase_if(row.entries, [&](const Entry& one) {
            if (one.first == state) weight += one.second;
            return one.first == state;
        });
        if (weight == 0) return;
        const size_t before = row.entries.size();
        for (size_t k = 0; k < before; ++k) place_[row.entries[k].first] = static_cast<int32_t>(k);
        for (const auto& [to, share] : out) {
            if (place_[to] < 0) {
                place_[to] = static_cast<int32_t>(row.entries.size());
                row.entries.push_back({to, 0.0});
                entering_[to].push_back(number);
            }
            row.entries[place_[to]].second += weight * share;
        }
        for (const Entry& one : row.entries) place_[one.first] = -1;
        row.earned += weight * paid_there;
        entries_ += static_cast<int64_t>(row.entries.size() - before) - 1;
    }

    // Numbers what can be reached anew and lays it out as arrays.
    void write() {
        const SearchModel& from = original_;
        std::vector<int32_t> number(from.num_states, -1), state;
        const auto meet = [&](const Row& row) {
            for (const auto& [to, weight] : row.entries) {
                if (number[to] >= 0) continue;
                number[to] = static_cast<int32_t>(state.size());
                state.push_back(to);
            }
        };
        Row& first = rows_[from.num_rows()];
        meet(first);
        choice_start_.push_back(0);
        row_start_.push_back(0);
        std::vector<int32_t> made(rows_.size(), -1);
        for (size_t k = 0; k < state.size(); ++k) {
            for (int32_t a = 0; a < num_actions; ++a) {
                const int32_t row = from.choices(state[k])[a];
                const bool allowed = row >= 0 && rows_[row].used;
                if (allowed && made[row] < 0) {
                    made[row] = static_cast<int32_t>(reward_.size());
                    meet(rows_[row]);
                    reward_.push_back(-rows_[row].regret);
                    earned_.push_back(rows_[row].earned);
                    rows_of_.push_back(row);
                    row_start_.push_back(row_start_.back() + static_cast<int64_t>(rows_[row].entries.size()));
                }
                choice_of_.push_back(allowed ? made[row] : -1);
            }
            choice_start_.push_back(static_cast<int64_t>(reward_.size()));
            group_of_.push_back(from.group_of[state[k]]);
            endless_.push_back(std::isfinite(from.optimal_value[state[k]]) ? -from.optimal_value[state[k]]
                                                                           : 0);
        }
        for (const int32_t row : rows_of_) {
            for (const auto& [to, weight] : rows_[row].entries) {
                target_.push_back(number[to]);
                probability_.push_back(discount > 0 ? weight / discount : weight);
            }
        }
        num_states = static_cast<int32_t>(state.size());
        initial_.assign(state.size(), 0.0);
        for (const auto& [to, weight] : first.entries) initial_[number[to]] += weight;
        value_.assign(state.size(), 0.0);
        choice_start = choice_start_.data();
        row_start = row_start_.data();
        target = target_.data();
        probability = probability_.data();
        reward = reward_.data();
        initial = initial_.data();
        group_of = group_of_.data();
        optimal_value = value_.data();
        endless_value = endless_.data();
        earned = earned_.data();
        initial_states.clear();
        split_features.clear();
        prepare(choice_of_.data());
        rows_ = {};  // large, and of no more use
        entering_ = {};
    }

    static constexpr double kEndless = 1e-12;

    const SearchModel& original_;
    double largest_ = 0;                          // |V*| of a state that some policy comes to
    std::vector<Row> rows_;                       // [row], and the first states
    std::vector<std::vector<int32_t>> entering_;  // [state] rows that lead there, or did
    std::vector<int32_t> place_, rows_of_;
    int64_t entries_ = 0;
    std::vector<int64_t> choice_start_, row_start_;
    std::vector<int32_t> choice_of_, target_, group_of_;
    std::vector<double> probability_, reward_, initial_, value_, endless_, earned_;
};

}  // namespace spotree::leaves
