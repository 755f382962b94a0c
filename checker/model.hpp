// The decision process as the checker sees it: nothing that was handed over is taken on trust.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace checker {

struct Rejected : std::runtime_error {
    using std::runtime_error::runtime_error;
};

template <class... Parts>
[[noreturn]] void reject(const Parts&... parts) {
    std::ostringstream text;
    (text << ... << parts);
    throw Rejected(text.str());
}

inline void require(bool holds, const char* what) {
    if (!holds) throw Rejected(std::string("the model is malformed: ") + what);
}

constexpr double kUnit = 0x1p-53;     // relative error of one float64 operation
constexpr double kRowsAbove = 1e-12;  // what dividing by a sum may leave above 1
constexpr double kMost = 1e100;       // no number in a proof is larger: products stay finite
constexpr double kLeast = 1e-200;     // no tolerance is smaller: sums do not vanish

// What Python hands over, as it stands in the MDP.
struct Arrays {
    int states = 0, actions = 0, features = 0;
    double discount = 0;
    std::vector<int64_t> choice_start, row_start;
    std::vector<int32_t> choice_of, target;
    std::vector<double> probability, reward, initial, feature;
    bool must_end = false;   // undiscounted: who may go on for ever is worth -inf
    std::vector<char> ends;  // [row] undiscounted, once own loops are summed up: the episode may end there
};

// The sum of some numbers less 1 without rounding errors but the last: partial sums that do not overlap.
inline double sum_above_one(const double* begin, const double* end) {
    std::vector<double> parts;
    auto add = [&](double x) {
        size_t kept = 0;
        for (double y : parts) {
            if (std::abs(x) < std::abs(y)) std::swap(x, y);
            const double high = x + y, low = y - (high - x);
            if (low != 0) parts[kept++] = low;
            x = high;
        }
        parts.resize(kept);
        parts.push_back(x);
    };
    add(-1.0);
    for (const double* p = begin; p != end; ++p) add(*p);
    double sum = 0;
    for (size_t k = parts.size(); k-- > 0;) sum += parts[k];
    return sum;
}

constexpr double kEnds = 1e-12;  // a row that lacks less than this to 1 does not end the episode

// Lemma 10: each row on the condition that it leaves its state. One that never does ends at 0, or is
// forbidden. Rows that do not end are divided by their sum.
inline Arrays summed_up(const Arrays& a) {
    Arrays to = a;
    to.target.clear();
    to.probability.clear();
    to.ends.assign(a.reward.size(), 0);
    for (int i = 0; i < a.states; ++i) {
        for (int64_t row = a.choice_start[i]; row < a.choice_start[i + 1]; ++row) {
            const int64_t begin = a.row_start[row], end = a.row_start[row + 1];
            double all = 0, away = 0;
            bool loops = false;
            for (int64_t k = begin; k < end; ++k) {
                all += a.probability[k];
                const bool onward = a.target[k] != i && a.probability[k] > 0;
                if (onward) away += a.probability[k];
                loops |= !onward;
            }
            to.ends[row] = all < 1 - kEnds;
            if (to.ends[row])
                away = loops ? away - sum_above_one(&a.probability[0] + begin, &a.probability[0] + end) : 1;
            if (away > 0) {
                to.reward[row] = a.reward[row] / away;
            } else if (a.must_end || a.reward[row] != 0) {
                for (int b = 0; b < a.actions; ++b) {
                    int32_t& choice = to.choice_of[size_t(i) * a.actions + b];
                    if (choice == row) choice = -1;
                }
            } else {
                to.ends[row] = 1;
            }
            for (int64_t k = begin; k < end; ++k) {
                if (a.target[k] == i || !(a.probability[k] > 0)) continue;
                to.target.push_back(a.target[k]);
                to.probability.push_back(a.probability[k] / away);
            }
            to.row_start[row + 1] = int64_t(to.target.size());
        }
    }
    return to;
}

// A set of actions for each group, as bits.
class ActionSets {
  public:
    ActionSets() = default;
    ActionSets(int groups, int actions) : words_((actions + 63) / 64), bits_(size_t(groups) * words_, 0) {
        for (int g = 0; g < groups; ++g) {
            for (int a = 0; a < actions; ++a) of(g)[a / 64] |= bit(a);
        }
    }
    static uint64_t bit(int action) { return uint64_t(1) << (action % 64); }
    uint64_t* of(int group) { return bits_.data() + size_t(group) * words_; }
    const uint64_t* of(int group) const { return bits_.data() + size_t(group) * words_; }
    bool has(int group, int action) const { return of(group)[action / 64] & bit(action); }
    const std::vector<uint64_t>& bits() const { return bits_; }
    int words() const { return words_; }

    void keep_only(int group, int action) {
        const bool had = has(group, action);
        std::fill_n(of(group), words_, uint64_t(0));
        if (had) of(group)[action / 64] |= bit(action);
    }
    void remove(int group, int action) { of(group)[action / 64] &= ~bit(action); }

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
        words = (actions + 63) / 64;
        check(given);
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

    double start_value(const double* value) const {
        double total = 0;
        for (int i = 0; i < states; ++i) {
            if (initial[i] > 0) total += initial[i] * value[i];
        }
        return total;
    }

  private:
    void check(const Arrays& a) const {
        require(states > 0 && actions > 0 && features >= 0, "no states or no actions");
        require(a.discount >= 0 && a.discount <= 1, "a proof is about a discount of at most 1");
        require(a.choice_start.size() == size_t(states) + 1 && a.choice_start[0] == 0, "choice_start");
        require(a.choice_of.size() == size_t(states) * actions, "choice_of");
        require(a.initial.size() == size_t(states), "initial");
        require(a.feature.size() == size_t(states) * features, "features");
        const auto rows = int64_t(a.reward.size());
        require(a.choice_start.back() == rows && rows < (int64_t(1) << 31), "choice_start");
        require(a.row_start.size() == size_t(rows) + 1 && a.row_start[0] == 0, "row_start");
        require(a.row_start.back() == int64_t(a.target.size()) && a.target.size() == a.probability.size(),
                "rows");
        require(std::is_sorted(a.choice_start.begin(), a.choice_start.end()), "choice_start falls");
        require(std::is_sorted(a.row_start.begin(), a.row_start.end()), "row_start falls");
        for (int i = 0; i < states; ++i) {
            require(a.initial[i] >= 0 && a.initial[i] <= 1 + kRowsAbove, "a start probability is none");
            for (int b = 0; b < actions; ++b) {
                const int32_t row = a.choice_of[size_t(i) * actions + b];
                require(row == -1 || (row >= a.choice_start[i] && row < a.choice_start[i + 1]),
                        "a choice is none of its state");
            }
        }
        require(sum_above_one(a.initial.data(), a.initial.data() + states) <= kRowsAbove,
                "the start sums to more than 1");
        for (int64_t row = 0; row < rows; ++row) {
            require(std::abs(a.reward[row]) <= kMost, "a reward is not finite or beyond 1e100");
            for (int64_t k = a.row_start[row]; k < a.row_start[row + 1]; ++k) {
                require(a.target[k] >= 0 && a.target[k] < states, "a next state does not exist");
                require(k == a.row_start[row] || a.target[k - 1] < a.target[k], "next states do not rise");
                require(a.probability[k] >= 0 && a.probability[k] <= 1 + kRowsAbove, "a probability is none");
            }
        }
    }

    void add_rows(const Arrays& a) {
        row_begin.push_back(0);
        entry_begin.push_back(0);
        choice.assign(size_t(states) * actions, -1);
        std::vector<int32_t> number(a.reward.size(), -1);
        auto equal = [&](int64_t x, int64_t y) {
            const int64_t count = a.row_start[x + 1] - a.row_start[x];
            if (a.reward[x] != a.reward[y] || a.row_start[y + 1] - a.row_start[y] != count) return false;
            return std::equal(&a.target[a.row_start[x]], &a.target[a.row_start[x]] + count,
                              &a.target[a.row_start[y]]) &&
                   std::memcmp(&a.probability[a.row_start[x]], &a.probability[a.row_start[y]],
                               size_t(count) * 8) == 0;
        };
        for (int i = 0; i < states; ++i) {
            std::vector<int64_t> mine;
            for (int b = 0; b < actions; ++b) {
                const int32_t old = a.choice_of[size_t(i) * actions + b];
                if (old >= 0) mine.push_back(old);
                forbids |= old < 0;
            }
            std::sort(mine.begin(), mine.end());
            mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
            std::vector<int64_t> kept;
            for (const int64_t row : mine) {
                const auto same =
                    std::find_if(kept.begin(), kept.end(), [&](int64_t k) { return equal(k, row); });
                if (same != kept.end()) {
                    number[row] = number[*same];
                    continue;
                }
                kept.push_back(row);
                number[row] = int32_t(reward.size());
                reward.push_back(a.reward[row]);
                if (undiscounted) ends.push_back(a.ends[row]);
                stay.push_back(0);
                for (int64_t k = a.row_start[row]; k < a.row_start[row + 1]; ++k) {
                    target.push_back(a.target[k]);
                    weight.push_back(discount * a.probability[k]);
                    if (a.target[k] == i) stay.back() = weight.back();
                }
                entry_begin.push_back(int64_t(target.size()));
            }
            row_begin.push_back(int32_t(reward.size()));
            for (int b = 0; b < actions; ++b) {
                const int32_t old = a.choice_of[size_t(i) * actions + b];
                if (old >= 0) choice[size_t(i) * actions + b] = number[old];
            }
        }
        row_actions.assign(reward.size() * words, 0);
        for (int i = 0; i < states; ++i) {
            for (int b = 0; b < actions; ++b) {
                const int32_t row = choice[size_t(i) * actions + b];
                if (row >= 0) row_actions[size_t(row) * words + b / 64] |= ActionSets::bit(b);
            }
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
