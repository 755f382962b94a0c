// Sums over pairs of sides that take in rows bit by bit.
#pragma once

#include <cstdint>
#include <vector>

#include "exact/subproblem.hpp"
#include "runtime/stop.hpp"

namespace spotree::exact {

// Add a row's loss to the cells of every two of its sides; Blocks is stride / 4, or 0 for any stride.
template <int Blocks>
inline void add_pairs(double* cell, size_t length, const int32_t* sides, int32_t n, const double* loss,
                      int32_t stride) {
    const size_t width = Blocks ? Blocks * kLanes : stride;
    Simd256 c[Blocks ? Blocks : 1];
    if constexpr (Blocks > 0) {
        for (int b = 0; b < Blocks; ++b) c[b] = load(loss + b * kLanes);
    }
    for (int32_t x = 0; x + 1 < n; ++x) {
        double* row = cell + static_cast<size_t>(sides[x]) * length * width;
        for (int32_t y = x + 1; y < n; ++y) {
            double* to = row + static_cast<size_t>(sides[y]) * width;
            if constexpr (Blocks > 0) {
                for (int b = 0; b < Blocks; ++b) store(to + b * kLanes, load(to + b * kLanes) + c[b]);
            } else {
                add_to(to, loss, stride);
            }
        }
    }
}

// Sums over pairs of sides of a block for rows that are added bit by bit; not cumulated.
struct IncrementalTable {
    int32_t rows = 0;
    std::vector<int32_t> own;
    Buffer<double> raw, total, cell;

    void open(const Block& block) {
        rows = 0;
        own.assign(block.splits, 0);
        raw.assign(static_cast<size_t>(block.splits) * block.stride, 0.0);
        total.assign(block.stride, 0.0);
        cell.assign(static_cast<size_t>(block.splits) * block.splits * block.stride, 0.0);
    }

    bool add(const Block& block, const int32_t* chosen, int32_t n, Stop& stop) {
        const int32_t stride = block.stride;
        rows += n;
        return by_blocks(stride, [&]<int Blocks>() {
            for (int32_t k = 0; k < n; ++k) {
                if (k % 1024 == 1023 && stop.check()) return false;
                const int32_t i = chosen[k];
                const double* c = block.loss.data() + static_cast<size_t>(i) * stride;
                const int32_t* sides = block.entry.data() + block.start[i];
                const int32_t length = static_cast<int32_t>(block.start[i + 1] - block.start[i]);
                add_to(total.data(), c, stride);
                for (int32_t e = 0; e < length; ++e) {
                    ++own[sides[e]];
                    add_to(raw.data() + static_cast<size_t>(sides[e]) * stride, c, stride);
                }
                add_pairs<Blocks>(cell.data(), block.splits, sides, length, c, stride);
            }
            return true;
        });
    }
};

}  // namespace spotree::exact
