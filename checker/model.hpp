// The decision process as the checker sees it: checked, undiscounted without own loops, with distinct rows,
// groups of states, and what rounding may take.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace checker {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kUnit = 0x1p-53;        // relative error of one float64 operation
constexpr double kStep = 0x1p-1074;      // what it may lose beside that, where numbers are next to 0
constexpr double kLeastChance = 1e-290;  // discounted: below it a probability has lost digits
constexpr double kMost = 1e100;          // no number in a proof is larger: products stay finite
constexpr double kNearOne = 1e-12;       // rounding may leave so much between the sum of a row and 1

struct Rejected : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Malformed : Rejected {  // it is no certificate of its format: no other checker may accept it
    using Rejected::Rejected;
};

template <class Error = Rejected, class... Parts>
[[noreturn]] void reject(const Parts&... parts) {
    std::ostringstream text;
    (text << ... << parts);
    throw Error(text.str());
}

template <class... Parts>
[[noreturn]] void malformed(const Parts&... parts) {
    reject<Malformed>("the certificate is malformed: ", parts...);
}

// How far a check has come, and whether somebody wants it to end.
struct Progress {
    std::atomic<bool> stop{false};
    std::atomic<int64_t> done{0}, total{0};  // regions
    void check() const {
        if (stop.load(std::memory_order_relaxed)) reject("the check was stopped");
    }
};

// What Python hands over, as it stands in the MDP.
struct Arrays {
    int states = 0, actions = 0, features = 0;
    double discount = 0;
    std::vector<int64_t> choice_start, row_start;
    std::vector<int32_t> choice_of, target;
    std::vector<double> probability, reward, initial, feature;
    bool must_end = false;   // undiscounted: who may go on for ever is worth -inf
    std::vector<char> ends;  // [row] undiscounted, once own loops are summed up: the episode may end there

    // The next states of a row, or their probabilities.
    template <class T>
    std::span<const T> part(const std::vector<T>& of, int64_t row) const {
        return std::span(of).subspan(row_start[row], row_start[row + 1] - row_start[row]);
    }
};

// The sum of a first number and others without rounding errors but the last: partial sums that do not
// overlap.
inline double exact_sum(double first, std::span<const double> numbers) {
    std::vector<double> parts{first};
    for (double x : numbers) {
        size_t kept = 0;
        for (double y : parts) {
            if (std::abs(x) < std::abs(y)) std::swap(x, y);
            const double high = x + y, low = y - (high - x);
            if (low != 0) parts[kept++] = low;
            x = high;
        }
        parts.resize(kept);
        parts.push_back(x);
    }
    return std::accumulate(parts.rbegin(), parts.rend(), 0.0);
}

// By how much a row sums to more than 1; throws Rejected unless they are a model.
inline double check_arrays(const Arrays& a) {
    auto require = [](bool holds, const char* what) {
        if (!holds) reject("the model is malformed: ", what);
    };
    auto is_start = [](const std::vector<int64_t>& start, size_t count, size_t end) {
        return start.size() == count + 1 && start[0] == 0 && start.back() == int64_t(end) &&
               std::ranges::is_sorted(start);
    };
    const size_t rows = a.reward.size();
    require(a.states > 0 && a.actions > 0 && a.features >= 0, "no states or no actions");
    require(a.discount >= 0 && a.discount <= 1, "a proof is about a discount of at most 1");
    require(rows < size_t(1) << 31 && is_start(a.choice_start, a.states, rows), "choice_start");
    require(is_start(a.row_start, rows, a.target.size()), "row_start");
    require(a.target.size() == a.probability.size() && a.initial.size() == size_t(a.states) &&
                a.choice_of.size() == size_t(a.states) * a.actions &&
                a.feature.size() == size_t(a.states) * a.features,
            "arrays of different lengths");
    require(exact_sum(-1, a.initial) <= kNearOne, "the start sums to more than 1");
    double above = 0;
    for (int i = 0; i < a.states; ++i) {
        require(a.initial[i] >= 0, "a start probability is none");
        for (int b = 0; b < a.actions; ++b) {
            const int32_t row = a.choice_of[size_t(i) * a.actions + b];
            require(row == -1 || (row >= a.choice_start[i] && row < a.choice_start[i + 1]),
                    "a choice is none of its state");
        }
        for (int64_t row = a.choice_start[i]; row < a.choice_start[i + 1]; ++row) {
            require(std::abs(a.reward[row]) <= kMost, "a reward is not finite or beyond 1e100");
            int32_t last = -1;
            for (const int32_t j : a.part(a.target, row)) {
                require(j < a.states, "a next state does not exist");
                require(std::exchange(last, j) < j, "next states do not rise");
            }
            for (const double p : a.part(a.probability, row)) {
                require(p >= 0, "a probability is none");
                require(p == 0 || a.discount == 0 || a.discount * p >= kLeastChance,
                        "a probability is too small to reckon with");
            }
            const double more = exact_sum(-1, a.part(a.probability, row));
            if (!(more <= kNearOne))
                reject("the probabilities of a choice of state ", i, " sum to 1 + ", more,
                       "; a proof needs a model whose rows sum to 1 or less: divide them by their sum");
            above = std::max(above, more);
        }
    }
    return above;
}

// Lemma 10: each row on the condition that it leaves its state. One that never does ends at 0, or is
// forbidden. Rows that do not end are divided by their sum.
inline Arrays summed_up(const Arrays& a) {
    Arrays to = a;
    to.target.clear();
    to.probability.clear();
    to.ends.assign(a.reward.size(), 0);
    for (int i = 0; i < a.states; ++i) {
        for (int64_t row = a.choice_start[i]; row < a.choice_start[i + 1]; ++row) {
            const auto target = a.part(a.target, row);
            const auto chance = a.part(a.probability, row);
            double all = 0;
            std::vector<double> onward, stays;
            for (size_t k = 0; k < target.size(); ++k) {
                all += chance[k];
                if (target[k] == i) {
                    stays.push_back(-chance[k]);
                } else {
                    onward.push_back(chance[k]);
                }
            }
            to.ends[row] = all < 1 - kNearOne;
            const double away = to.ends[row] ? exact_sum(1, stays) : exact_sum(0, onward);
            if (away > 0) {
                to.reward[row] = a.reward[row] / away;
            } else if (a.must_end || a.reward[row] != 0) {
                auto mine = std::span(to.choice_of).subspan(size_t(i) * a.actions, a.actions);
                std::ranges::replace(mine, int32_t(row), -1);
            } else {
                to.ends[row] = 1;
            }
            for (size_t k = 0; k < target.size(); ++k) {
                if (target[k] == i || !(chance[k] > 0)) continue;
                to.target.push_back(target[k]);
                to.probability.push_back(chance[k] / away);
            }
            to.row_start[row + 1] = int64_t(to.target.size());
        }
    }
    return to;
}

using Actions = std::vector<char>;  // [group, action] whether it is allowed

struct Model {
    int states, actions, features, groups = 0;
    double discount;
    bool undiscounted, must_end;
    double far;            // 1 - discount, with rows above 1 counted as a higher discount, rounded down
    double largest = 0;    // |reward|
    double value_limit;    // no value in a proof is larger
    double start_sum = 0;  // of the initial probabilities, 1 or more
    double backup;         // relative error of reward + later - value
    double sums;           // relative error of what groups lose
    int start_states = 0;  // with some probability
    bool forbids = false;  // some action is forbidden in some state
    std::vector<double> initial, feature;

    // Distinct rows of a state: equal ones are one.
    std::vector<int32_t> row_begin;    // [state + 1]
    std::vector<int64_t> entry_begin;  // [row + 1]
    std::vector<int32_t> target;       // [entry], rising in a row
    std::vector<double> weight;        // [entry] discounted probability
    std::vector<double> reward, stay;  // [row]; stay: discounted probability to stay in the state
    std::vector<int32_t> choice;       // [state, action] -> row, -1: forbidden
    std::vector<char> ends;            // [row] undiscounted: the episode may end there

    // Groups: states with equal features, where not every action does the same in all of them.
    std::vector<int32_t> group_of;                   // [state], -1: all actions do the same
    std::vector<std::vector<int32_t>> group_states;  // [group]
    std::vector<int32_t> order;                      // states as a depth-first walk leaves them

    explicit Model(const Arrays& given)
        : states(given.states),
          actions(given.actions),
          features(given.features),
          discount(given.discount),
          undiscounted(discount >= 1),
          must_end(given.must_end),
          initial(given.initial),
          feature(given.feature) {
        const double above = check_arrays(given);
        const Arrays a = undiscounted ? summed_up(given) : given;
        add_rows(a);
        find_rounding(above);
        find_groups();
        sort_states(a);
    }

    double at(int32_t state, int f) const { return feature[size_t(state) * features + f]; }
    double of_group(int32_t g, int f) const { return at(group_states[g][0], f); }
    // Where an action of a state, or of a group, stands.
    size_t pair(int32_t of, int32_t action) const { return size_t(of) * actions + action; }
    Actions all_actions() const { return Actions(pair(groups, 0), 1); }

    double start_value(std::span<const double> value) const {
        return std::inner_product(initial.begin(), initial.end(), value.begin(), 0.0);
    }

    // gamma P V for a row; V_i less that and r is computed with an error of at most `backup` * (2 |V| + |r|).
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
        return {value[i] - pay - ahead, units * (kUnit * size + kStep)};
    }

  private:
    void add_rows(const Arrays& a) {
        row_begin.push_back(0);
        entry_begin.push_back(0);
        std::vector<int32_t> source;  // [row] where it stands in the arrays
        auto equal = [&](int32_t x, int32_t y) {
            return a.reward[x] == a.reward[y] &&
                   std::ranges::equal(a.part(a.target, x), a.part(a.target, y)) &&
                   std::ranges::equal(a.part(a.probability, x), a.part(a.probability, y));
        };
        for (int i = 0; i < states; ++i) {
            for (int b = 0; b < actions; ++b) {
                const int32_t given = a.choice_of[size_t(i) * actions + b];
                forbids |= given < 0;
                int32_t row = given < 0 ? -1 : row_begin.back();
                while (given >= 0 && row < int32_t(source.size()) && !equal(source[row], given)) ++row;
                choice.push_back(row);
                if (row < int32_t(source.size())) continue;
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
            }
            row_begin.push_back(int32_t(reward.size()));
        }
    }

    void find_rounding(double above) {
        far = undiscounted ? 1 : (1 - discount - discount * above * (1 + 8 * kUnit)) * (1 - 8 * kUnit);
        if (!(far > 0))
            reject("discount is ", discount, " and rows sum to up to 1 + ", above,
                   ": together that is 1 or more");
        for (const double r : reward) largest = std::max(largest, std::abs(r));
        if (!(largest / far <= kMost))
            reject("returns of up to ", largest / far, " are more than a proof can add up");
        value_limit = undiscounted ? kMost : 4 * largest / far;
        int64_t longest = 0;
        for (size_t row = 0; row < reward.size(); ++row)
            longest = std::max(longest, entry_begin[row + 1] - entry_begin[row]);
        backup = kUnit * double(longest + 8);
        sums = kUnit * (64 + 4.0 * states);
        for (const double p : initial) start_states += p > 0, start_sum += p;
        start_sum = std::max(1.0, start_sum * (1 + kUnit * states));
    }

    void find_groups() {
        std::map<std::vector<uint64_t>, std::vector<int32_t>> alike;
        for (int i = 0; i < states; ++i) {
            std::vector<uint64_t> name;
            for (int f = 0; f < features; ++f) name.push_back(std::bit_cast<uint64_t>(at(i, f) + 0.0));
            alike[name].push_back(i);
        }
        group_of.assign(states, -1);
        for (auto& [name, members] : alike) {
            const bool varies = std::ranges::any_of(members, [&](int32_t i) {
                const auto of = std::span(choice).subspan(size_t(i) * actions, actions);
                return std::ranges::any_of(of, [&](int32_t row) { return row != of[0]; });
            });
            if (!varies) continue;
            for (const int32_t i : members) group_of[i] = groups;
            group_states.push_back(std::move(members));
            ++groups;
        }
    }

    // The walk takes states, and next states of the model's rows, as they stand.
    void sort_states(const Arrays& a) {
        std::vector<char> seen(states, 0);
        std::vector<std::pair<int32_t, int64_t>> stack;  // states on the way, and the next entry of each
        auto enter = [&](int32_t state) {
            if (!std::exchange(seen[state], char(1)))
                stack.emplace_back(state, a.row_start[a.choice_start[state]]);
        };
        for (int first = 0; first < states; ++first) {
            enter(first);
            while (!stack.empty()) {
                auto& [state, at] = stack.back();
                if (at < a.row_start[a.choice_start[state + 1]]) {
                    enter(a.target[at++]);
                } else {
                    order.push_back(state);
                    stack.pop_back();
                }
            }
        }
    }
};

}  // namespace checker
