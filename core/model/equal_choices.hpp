// Choices of a state that are the same to the last bit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/model.hpp"

namespace spotree {

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
