// The decision process as the checker sees it: distinct rows, groups of states, and what rounding may take.
#pragma once

#include <bit>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "arrays.hpp"

namespace checker {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Sets of small numbers as bits, some of them one after the other.
inline bool has_bit(const uint64_t* bits, int k) { return bits[k / 64] >> (k % 64) & 1; }
inline void add_bit(uint64_t* bits, int k) { bits[k / 64] |= uint64_t(1) << (k % 64); }

// A set of actions for each group.
class ActionSets {
  public:
    ActionSets() = default;
    ActionSets(int groups, int actions) : words_((actions + 63) / 64), bits_(size_t(groups) * words_, 0) {
        for (int g = 0; g < groups; ++g) {
            for (int a = 0; a < actions; ++a) add_bit(of(g), a);
        }
    }
    uint64_t* of(int group) { return bits_.data() + size_t(group) * words_; }
    const uint64_t* of(int group) const { return bits_.data() + size_t(group) * words_; }
    bool has(int group, int action) const { return has_bit(of(group), action); }
    const std::vector<uint64_t>& bits() const { return bits_; }

    void keep_only(int group, int action) {
        const bool had = has(group, action);
        std::fill_n(of(group), words_, uint64_t(0));
        if (had) add_bit(of(group), action);
    }
    void remove(int group, int action) { of(group)[action / 64] &= ~(uint64_t(1) << (action % 64)); }

  private:
    int words_ = 0;
    std::vector<uint64_t> bits_;
};

struct Model {
    int states, actions, features, words, groups = 0;
    double discount;
    double far;            // 1 - discount, with rows above 1 counted as a higher discount, rounded down
    double above = 0;      // by how much a row sums to more than 1
    double largest = 0;    // |reward|
    double value_limit;    // no value in a proof is larger
    double start_sum = 0;  // of the initial probabilities, 1 or more
    double backup;         // relative error of reward + later - value
    double sums;           // relative error of what groups lose
    int start_states = 0;  // with some probability
    bool forbids = false;  // some action is forbidden in some state
    bool undiscounted, must_end;
    std::vector<double> initial, feature;

    // Distinct rows of a state: equal ones are one.
    std::vector<int32_t> row_begin;     // [state + 1]
    std::vector<int64_t> entry_begin;   // [row + 1]
    std::vector<int32_t> target;        // [entry], rising in a row
    std::vector<double> weight;         // [entry] discounted probability
    std::vector<double> reward, stay;   // [row]; stay: discounted probability to stay in the state
    std::vector<uint64_t> row_actions;  // [row, word] the actions that lead to it
    std::vector<int32_t> choice;        // [state, action] -> row, -1: forbidden
    std::vector<char> ends;             // [row] undiscounted: the episode may end there

    // Groups: states with equal features, where not every action does the same in all of them.
    std::vector<int32_t> group_of;                   // [state], -1: all actions do the same
    std::vector<std::vector<int32_t>> group_states;  // [group]
    std::vector<int32_t> order;                      // states as a depth-first walk leaves them

    explicit Model(const Arrays& given)
        : states(given.states), actions(given.actions), features(given.features) {
        check_arrays(given);
        words = (actions + 63) / 64;
        discount = given.discount;
        undiscounted = discount >= 1;
        must_end = given.must_end;
        initial = given.initial;
        feature = given.feature;
        const Arrays own = undiscounted ? summed_up(given) : Arrays{};
        const Arrays& a = undiscounted ? own : given;
        add_rows(a);
        find_rounding(given);
        find_groups();
        sort_states(a);
    }

    // r + gamma P V for a row; V_i less that is computed with an error of at most `backup` * (2 |V| + |r|).
    double worth(int32_t row, const double* value) const { return reward[row] + later(row, value); }

    double later(int32_t row, const double* value) const {
        double sum[4] = {0, 0, 0, 0};
        int64_t k = entry_begin[row];
        const int64_t end = entry_begin[row + 1];
        for (; k + 4 <= end; k += 4) {
            for (int j = 0; j < 4; ++j) sum[j] += weight[k + j] * value[target[k + j]];
        }
        for (; k < end; ++k) sum[0] += weight[k] * value[target[k]];
        return (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }

    // V_i - pay - gamma P V for a row, and what rounding may have added to that or taken: k + 8 units for k
    // entries; undiscounted twice as many, as own loops were summed up. `paid`: what the pay was made of.
    struct Gap {
        double above, error;
    };
    Gap gap(int32_t i, int32_t row, const double* value, double pay, double paid) const {
        double ahead = 0, size = paid + std::abs(value[i]);
        for (int64_t k = entry_begin[row]; k < entry_begin[row + 1]; ++k) {
            const double part = weight[k] * value[target[k]];
            ahead += part;
            size += std::abs(part);
        }
        const auto units = double((undiscounted ? 2 : 1) * (entry_begin[row + 1] - entry_begin[row] + 8));
        return {value[i] - pay - ahead, kUnit * units * size};
    }

    double at(int32_t state, int f) const { return feature[size_t(state) * features + f]; }
    double of_group(int32_t g, int f) const { return at(group_states[g][0], f); }

    double start_value(const double* value) const {
        double total = 0;
        for (int i = 0; i < states; ++i) {
            if (initial[i] > 0) total += initial[i] * value[i];
        }
        return total;
    }

  private:
    void add_rows(const Arrays& a) {
        row_begin.push_back(0);
        entry_begin.push_back(0);
        choice.assign(size_t(states) * actions, -1);
        std::vector<int32_t> source;  // [row] where it stands in the arrays
        auto part = [&](const auto& of, int32_t row) {
            return std::span(of).subspan(a.row_start[row], a.row_start[row + 1] - a.row_start[row]);
        };
        auto equal = [&](int32_t x, int32_t y) {
            return a.reward[x] == a.reward[y] && std::ranges::equal(part(a.target, x), part(a.target, y)) &&
                   std::ranges::equal(part(a.probability, x), part(a.probability, y));
        };
        for (int i = 0; i < states; ++i) {
            for (int b = 0; b < actions; ++b) {
                const int32_t given = a.choice_of[size_t(i) * actions + b];
                forbids |= given < 0;
                if (given < 0) continue;
                int32_t row = row_begin.back();
                while (row < int32_t(reward.size()) && !equal(source[row], given)) ++row;
                if (row == int32_t(reward.size())) {
                    source.push_back(given);
                    reward.push_back(a.reward[given]);
                    stay.push_back(0);
                    ends.push_back(undiscounted && a.ends[given]);
                    for (int64_t k = a.row_start[given]; k < a.row_start[given + 1]; ++k) {
                        target.push_back(a.target[k]);
                        weight.push_back(discount * a.probability[k]);
                        if (a.target[k] == i) stay.back() = weight.back();
                    }
                    entry_begin.push_back(int64_t(target.size()));
                    row_actions.resize(reward.size() * words, 0);
                }
                choice[size_t(i) * actions + b] = row;
                add_bit(&row_actions[size_t(row) * words], b);
            }
            row_begin.push_back(int32_t(reward.size()));
        }
    }

    void find_rounding(const Arrays& a) {
        int64_t longest = 0;
        for (size_t row = 0; row + 1 < a.row_start.size(); ++row) {
            const double* begin = a.probability.data() + a.row_start[row];
            const double* end = a.probability.data() + a.row_start[row + 1];
            longest = std::max<int64_t>(longest, end - begin);
            const double more = sum_above_one(begin, end);
            if (more > kRowsAbove) {
                const auto at = std::upper_bound(a.choice_start.begin(), a.choice_start.end(), int64_t(row));
                reject("the probabilities of a choice of state ", at - a.choice_start.begin() - 1,
                       " sum to 1 + ", more,
                       "; a proof needs a model whose rows sum to 1 or less: divide them by their sum");
            }
            above = std::max(above, more);
        }
        far = undiscounted ? 1 : (1 - discount - discount * above) * (1 - 8 * kUnit);
        if (!(far > 0))
            reject("discount is ", discount, " and rows sum to up to 1 + ", above,
                   ": together that is 1 or more");
        for (const double r : reward) largest = std::max(largest, std::abs(r));
        if (!(largest / far <= kMost))
            reject("returns of up to ", largest / far, " are more than a proof can add up");
        value_limit = undiscounted ? kMost : 4 * largest / far;
        backup = kUnit * double(longest + 8);
        sums = kUnit * (64 + 4.0 * states);
        for (const double p : initial) start_states += p > 0, start_sum += p;
        start_sum = std::max(1.0, start_sum * (1 + kUnit * states));
    }

    void find_groups() {
        std::map<std::vector<uint64_t>, std::vector<int32_t>> alike;
        for (int i = 0; i < states; ++i) {
            std::vector<uint64_t> name(features);
            for (int f = 0; f < features; ++f)
                name[f] = std::bit_cast<uint64_t>(feature[size_t(i) * features + f] + 0.0);
            alike[name].push_back(i);
        }
        group_of.assign(states, -1);
        for (auto& [name, members] : alike) {
            const bool varies = std::any_of(members.begin(), members.end(), [&](int32_t i) {
                const int32_t* of = &choice[size_t(i) * actions];
                return std::any_of(of, of + actions, [&](int32_t row) { return row != of[0]; });
            });
            if (!varies) continue;
            for (const int32_t i : members) group_of[i] = groups;
            group_states.push_back(std::move(members));
            ++groups;
        }
    }

    // States as a depth-first walk leaves them that takes states, and next states of the model's rows, as
    // they stand.
    void sort_states(const Arrays& a) {
        auto begin = [&](int state) { return a.row_start[a.choice_start[state]]; };
        std::vector<char> seen(states, 0);
        std::vector<std::pair<int32_t, int64_t>> stack;
        for (int first = 0; first < states; ++first) {
            if (seen[first]) continue;
            seen[first] = 1;
            stack.emplace_back(first, begin(first));
            while (!stack.empty()) {
                auto& [state, at] = stack.back();
                const int64_t end = begin(state + 1);
                while (at < end && seen[a.target[at]]) ++at;
                if (at == end) {
                    order.push_back(state);
                    stack.pop_back();
                } else {
                    const int32_t next = a.target[at];
                    seen[next] = 1;
                    stack.emplace_back(next, begin(next));
                }
            }
        }
    }
};

}  // namespace checker
