// The decision process as every part of the core sees it: choices as sparse rows, borrowed from whoever owns
// the arrays.
#pragma once

#include <cstdint>

namespace spotree {

struct Model {
    int32_t num_states;
    int32_t num_actions;
    double discount;
    const int64_t* choice_start;  // [state + 1] the rows of a state
    const int32_t* choice_of;     // [state, action] -> row, -1 = forbidden
    const int64_t* row_start;     // [row + 1]
    const int32_t* target;        // [entry] next state
    const double* probability;    // [entry]; a row that sums to less than 1 ends the episode with the rest
    const double* reward;         // [row]
    const double* initial;        // [state]

    int64_t num_rows() const { return choice_start[num_states]; }
    const int32_t* choices(int32_t state) const {
        return choice_of + static_cast<int64_t>(state) * num_actions;
    }
};

}  // namespace spotree
