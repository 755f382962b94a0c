// The decision process as the search sees it: with groups of states with equal features, ranks of their
// values, and what guides it.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "model/model.hpp"

namespace spotree::neighbourhood {

// Its `choice_of` gives equal rows of a state one number.
struct SearchModel : Model {
    int32_t num_features;
    int32_t num_groups;
    const int32_t* group_of;       // [state], -1 where all actions do the same
    const int32_t* rank;           // [group, feature] position of the value among those that occur
    const int32_t* num_values;     // [feature] how many values occur
    const double* optimal_value;   // [state] V*
    const double* random_weight;   // [state] discounted visits under the uniformly random policy
    const double* optimal_weight;  // [state] discounted visits under an optimal policy
    double optimum;                // J*
    double random_return;          // J of the uniformly random policy
    bool must_end = false;  // at discount 1: whether going on for ever is infeasible even if nothing is paid
    // Where rewards are losses: what an endless state is worth, and what its rows earned before; else null.
    const double* endless_value = nullptr;  // [state]
    const double* earned = nullptr;         // [row]

    std::vector<int32_t> initial_states;
    std::vector<int32_t> split_features;  // features with at least two values

    // Takes the choices with equal rows merged, and fills what follows from the arrays.
    void prepare(const int32_t* merged_choice_of) {
        choice_of = merged_choice_of;
        for (int32_t s = 0; s < num_states; ++s) {
            if (initial[s] > 0) initial_states.push_back(s);
        }
        for (int32_t f = 0; f < num_features; ++f) {
            if (num_values[f] > 1) split_features.push_back(f);
        }
    }

    bool paid(int32_t row) const { return (earned ? earned : reward)[row] != 0; }

    // The scale of returns: what there is to win over acting at random.
    double scale() const {
        const double span = optimum - random_return;
        return span > 0 && std::isfinite(span) ? span : (optimum < 0 ? -optimum : optimum) + 1e-300;
    }

    const int32_t* rank_of(int32_t group) const { return rank + static_cast<int64_t>(group) * num_features; }
};

}  // namespace spotree::neighbourhood
