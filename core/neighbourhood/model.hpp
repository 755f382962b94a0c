// The decision process as the search sees it: rows, groups of states with equal features, ranks of their
// values.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace spotree::neighbourhood {

struct SearchModel {
    int32_t num_states;
    int32_t num_actions;
    int32_t num_features;
    int32_t num_groups;
    double discount;
    const int32_t*
        choice_of;  // [state, action] -> row; equal rows of a state share one number, -1 = forbidden
    const int64_t* row_start;      // [row + 1]
    const int32_t* target;         // [entry] next state
    const double* probability;     // [entry]
    const double* reward;          // [row]
    const double* initial;         // [state]
    const int32_t* group_of;       // [state], -1 where all actions do the same
    const int32_t* rank;           // [group, feature] position of the value among those that occur
    const int32_t* num_values;     // [feature] how many values occur
    const double* optimal_value;   // [state] V*
    const double* random_weight;   // [state] discounted visits under the uniformly random policy
    const double* optimal_weight;  // [state] discounted visits under an optimal policy
    double optimum;                // J*
    double random_return;          // J of the uniformly random policy
    bool must_end = false;  // at discount 1: whether going on for ever is infeasible even if nothing is paid

    std::vector<int32_t> initial_states;
    std::vector<int32_t> split_features;  // features with at least two values

    void prepare() {
        for (int32_t s = 0; s < num_states; ++s) {
            if (initial[s] > 0) initial_states.push_back(s);
        }
        for (int32_t f = 0; f < num_features; ++f) {
            if (num_values[f] > 1) split_features.push_back(f);
        }
    }

    // The scale of returns: what there is to win over acting at random.
    double scale() const {
        const double span = optimum - random_return;
        return span > 0 && std::isfinite(span) ? span : (optimum < 0 ? -optimum : optimum) + 1e-300;
    }

    const int32_t* rank_of(int32_t group) const { return rank + static_cast<int64_t>(group) * num_features; }
    const int32_t* choices(int32_t state) const {
        return choice_of + static_cast<int64_t>(state) * num_actions;
    }
};

// Gives equal rows of a state one number, so that "no real choice" reads "all numbers equal".
inline void merge_equal_choices(int64_t num_states, int64_t num_actions, const int64_t* row_start,
                                const int32_t* target, const double* probability, const double* reward,
                                int32_t* choice_of) {
    const auto equal = [&](int32_t a, int32_t b) {
        const int64_t size = row_start[a + 1] - row_start[a];
        if (reward[a] != reward[b] || size != row_start[b + 1] - row_start[b]) return false;
        for (int64_t k = 0; k < size; ++k) {
            if (target[row_start[a] + k] != target[row_start[b] + k]) return false;
            if (probability[row_start[a] + k] != probability[row_start[b] + k]) return false;
        }
        return true;
    };
    std::vector<int32_t> first;
    for (int64_t s = 0; s < num_states; ++s) {
        first.clear();
        for (int64_t a = 0; a < num_actions; ++a) {
            int32_t& row = choice_of[s * num_actions + a];
            if (row < 0) continue;
            int32_t same = -1;
            for (const int32_t other : first) {
                if (other == row || equal(other, row)) {
                    same = other;
                    break;
                }
            }
            if (same < 0) {
                first.push_back(row);
            } else {
                row = same;
            }
        }
    }
}

}  // namespace spotree::neighbourhood
