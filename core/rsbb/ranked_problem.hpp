// The improvement step as the search sees it: ranked rows, candidate thresholds, losses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "rsbb/simd256.hpp"

namespace spotree::rsbb {

using Words = std::vector<uint64_t>;

inline constexpr int32_t kFree = -2;
inline constexpr int32_t kUnsplit = -1;

// Loss is what a row misses against its best action: loss[row, action] = max gain - gain >= 0.
struct Step {
    int64_t rows = 0;
    int32_t features = 0;
    int32_t actions = 0;
    int32_t depth = 0;
    const int32_t* rank = nullptr;    // [feature, row]: position of its value among the feature's values
    const double* loss = nullptr;     // [row, action]
    const int32_t* values = nullptr;  // [feature]: number of distinct values
    const double* scaled = nullptr;   // all features' values in a row, scaled to [0, 1], ascending
    const double* position =
        nullptr;  // likewise their values + 1 thresholds: threshold k leaves k values below
    const int32_t* frozen_feature = nullptr;  // [inner node], kFree or kUnsplit or a feature
    const int32_t* frozen_cut = nullptr;      // [inner node], the threshold's number k
    const int32_t* frozen_action = nullptr;   // [leaf]
    int32_t max_leaves = 0;

    int32_t inner = 0;
    int32_t leaves = 0;
    int64_t words = 0;          // of a set of rows: a multiple of four
    int32_t feature_words = 0;  // of a set of features
    int32_t action_words = 0;
    std::vector<int64_t> value_start;     // [feature] into `scaled`
    std::vector<int64_t> position_start;  // [feature] into `position`
    Words below;  // [threshold, word]: rows below it; empty where it would be too large
    Words every;  // all rows
    std::vector<bool>
        one_way;  // [inner node]: may send all rows one way, by feature 0; elsewhere unsplit does as well

    static constexpr int64_t kMostTableWords = int64_t{1} << 25;

    void prepare() {
        inner = (1 << depth) - 1;
        leaves = 1 << depth;
        words = (rows + 255) / 256 * 4;
        feature_words = (features + 63) / 64;
        action_words = (actions + 63) / 64;
        one_way.assign(inner, false);
        for (int32_t node = 0; node < 2 * inner + 1; ++node) {
            if ((node < inner ? frozen_feature[node] : frozen_action[node - inner]) == kFree) continue;
            for (int32_t up = node; up > 0; up = (up - 1) / 2) one_way[(up - 1) / 2] = true;
        }
        int64_t at_value = 0;
        int64_t at_position = 0;
        for (int32_t j = 0; j < features; ++j) {
            value_start.push_back(at_value);
            position_start.push_back(at_position);
            at_value += values[j];
            at_position += values[j] + 1;
        }
        every.assign(words, 0);
        for (int64_t i = 0; i < rows; ++i) every[i / 64] |= uint64_t{1} << (i % 64);
        if (at_position * words > kMostTableWords) return;
        below.assign(at_position * words, 0);
        for (int32_t j = 0; j < features; ++j) {
            for (int64_t i = 0; i < rows; ++i) {
                below[(position_start[j] + rank[j * rows + i] + 1) * words + i / 64] |= uint64_t{1}
                                                                                        << (i % 64);
            }
            for (int32_t k = 1; k <= values[j]; ++k) {
                uint64_t* set = below.data() + (position_start[j] + k) * words;
                for (int64_t w = 0; w < words; ++w) set[w] |= set[w - words];
            }
        }
    }

    // Adds the rows that threshold `cut` of a feature sends left (or, with `left` false, right).
    void add_side(int32_t feature, int32_t cut, bool left, uint64_t* set) const {
        if (!below.empty()) {
            const uint64_t* side = below.data() + (position_start[feature] + cut) * words;
            const uint64_t flip = left ? 0 : ~uint64_t{0};
            for (int64_t w = 0; w < words; w += 4)
                (Simd256::at(set + w) |
                 ((Simd256::at(side + w) ^ Simd256::all(flip)) & Simd256::at(&every[w])))
                    .put(set + w);
            return;
        }
        const int32_t* ranks = rank + feature * rows;
        for (int64_t i = 0; i < rows; ++i) {
            if ((ranks[i] < cut) == left) set[i / 64] |= uint64_t{1} << (i % 64);
        }
    }

    int32_t rightmost_leaf(int32_t node) const {
        while (node < inner) node = 2 * node + 2;
        return node - inner;
    }
};

}  // namespace spotree::rsbb
