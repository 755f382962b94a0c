// The Markov chain of a policy: one row of the MDP per state, looked at in place.
#pragma once

#include <cstdint>

namespace spotree {

// State s moves by the sparse row `row_of[s]` (its own row where `row_of` is null). A row of -1 is empty: the
// episode ends there. A row may name a next state twice, hold zeros, and sum to less than 1 (the rest ends
// the episode). The chain stands for the matrix I - discount * P.
struct Chain {
    int32_t num_states;
    const int64_t* row_start;
    const int32_t* row_of;
    const int32_t* target;
    const double* probability;
    double discount;

    int64_t begin(int32_t state) const {
        const int64_t row = row_of ? row_of[state] : state;
        return row < 0 ? 0 : row_start[row];
    }
    int64_t end(int32_t state) const {
        const int64_t row = row_of ? row_of[state] : state;
        return row < 0 ? 0 : row_start[row + 1];
    }
};

}  // namespace spotree
