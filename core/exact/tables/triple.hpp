// Losses over the common rows of every three splits, for blocks of two-valued features.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "exact/subproblem.hpp"
#include "runtime/stop.hpp"

namespace spotree::exact {

// Slice s holds the pairs t < u above s; all slices together serve the table of pairs of any split's rare
// side, each triple being summed once instead of three times. Slices may be built by different threads.
class TripleTable {
  public:
    static size_t bytes(double splits, double stride) {
        return static_cast<size_t>(splits * splits * splits / 6 * stride * sizeof(double));
    }

    void open(const Block& block) {
        splits_ = block.splits;
        stride_ = block.stride;
        first_.assign(splits_ + 1, 0);
        for (int64_t s = 0; s < splits_; ++s)
            first_[s + 1] = first_[s] + (splits_ - s - 1) * (splits_ - s - 2) / 2;
        cell_.resize(static_cast<size_t>(first_[splits_]) * stride_);
    }

    // Sum up slice s over `rows`, the rare side of split s.
    bool build(const Block& block, int32_t s, const std::vector<int32_t>& rows, Stop& stop) {
        std::fill(cell_.data() + first_[s] * stride_, cell_.data() + first_[s + 1] * stride_, 0.0);
        return by_blocks(stride_, [&]<int Blocks>() {
            const size_t width = Blocks ? Blocks * kLanes : stride_;
            size_t work = 0;
            for (const int32_t i : rows) {
                if (work > 200000) {
                    work = 0;
                    if (stop.check()) return false;
                }
                const double* loss = block.loss.data() + static_cast<size_t>(i) * width;
                const int32_t* end = block.entry.data() + block.start[i + 1];
                const int32_t* t = std::upper_bound(block.entry.data() + block.start[i], end, s);
                work += static_cast<size_t>(end - t) * static_cast<size_t>(end - t);
                Simd256 c[Blocks ? Blocks : 1];
                if constexpr (Blocks > 0) {
                    for (int b = 0; b < Blocks; ++b) c[b] = load(loss + b * kLanes);
                }
                for (; t < end; ++t) {
                    double* row = cell_.data() + row_of(s, *t) * static_cast<int64_t>(width);
                    for (const int32_t* u = t + 1; u < end; ++u) {
                        double* to = row + static_cast<int64_t>(*u) * static_cast<int64_t>(width);
                        if constexpr (Blocks > 0) {
                            for (int b = 0; b < Blocks; ++b)
                                store(to + b * kLanes, load(to + b * kLanes) + c[b]);
                        } else {
                            add_to(to, loss, stride_);
                        }
                    }
                }
            }
            return true;
        });
    }

    // The cell of splits s < t < u.
    const double* cell(int32_t s, int32_t t, int32_t u) const {
        return cell_.data() + (row_of(s, t) + u) * stride_;
    }

  private:
    // Where u = 0 of row (s, t) would stand, were it in the slice.
    int64_t row_of(int64_t s, int64_t t) const {
        const int64_t m = splits_ - s - 1, a = t - s - 1;
        return first_[s] + a * (2 * m - a - 1) / 2 - a - 1 - (s + 1);
    }

    int64_t splits_ = 0;
    int32_t stride_ = 0;
    std::vector<int64_t> first_;  // [split] first cell of its slice
    Buffer<double> cell_;
};

}  // namespace spotree::exact
