// The decision process as every part of the core sees it: choices as sparse rows, borrowed from whoever owns
// the arrays.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

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

// Fills [state, action] -> row with the first of a state's equal rows, so that "no real choice" reads "all
// numbers equal"; in place if that is the model's own `choice_of`.
inline void merge_equal_choices(const Model& model, int32_t* merged) {
    const auto equal = [&](int32_t a, int32_t b) {
        const int64_t at = model.row_start[a], end = model.row_start[a + 1], other = model.row_start[b];
        return model.reward[a] == model.reward[b] && end - at == model.row_start[b + 1] - other &&
               std::equal(model.target + at, model.target + end, model.target + other) &&
               std::equal(model.probability + at, model.probability + end, model.probability + other);
    };
    std::vector<int32_t> first;
    for (int32_t s = 0; s < model.num_states; ++s) {
        first.clear();
        for (int32_t a = 0; a < model.num_actions; ++a) {
            const int32_t row = model.choices(s)[a];
            const auto same = std::find_if(first.begin(), first.end(), [&](int32_t other) {
                return other == row || (row >= 0 && other >= 0 && equal(other, row));
            });
            *merged++ = same == first.end() ? row : *same;
            if (same == first.end()) first.push_back(row);
        }
    }
}

}  // namespace spotree
