// The best tree of depth 1 on either side of every split, from a table of pairs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "exact/tables/pair.hpp"

namespace spotree::exact {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What one pass over the cells yields, for a chosen list of splits.
struct Depth2 {
    int32_t size = 0;
    std::vector<int32_t> split;  // [k] split of the block
    Buffer<double> rare, rest;   // [k] best loss of depth 1 on the rare side and on the rest
    double leaf = 0.0;           // best single action
    double one = 0.0;            // best tree of depth 1
    double best = 0.0;           // best tree of depth 2

    // All rows of the table.
    void evaluate(const Pairs& table, Stop& stop) { run<false>(table, table, stop); }

    // The rows of `table` that are not in `small`, whose table was built on the same block.
    void evaluate_difference(const Pairs& table, const Pairs& small, Stop& stop) {
        run<true>(table, small, stop);
    }

    // Sides only: `one` and `leaf`, with the leaf losses in `rare` and `rest`.
    void evaluate_sides(const Pairs& table) {
        collect<false>(table, table);
        start_values(table.stride);
        finish();
    }

  private:
    template <bool Minus>
    void run(const Pairs& table, const Pairs& small, Stop& stop) {
        collect<Minus>(table, small);
        start_values(table.stride);
        by_blocks(table.stride, [&]<int Blocks>() { pass<Blocks, Minus>(table, small, stop); });
        finish();
    }

    // List the sides that are neither empty nor full nor equal to the next outer one, with their losses.
    template <bool Minus>
    void collect(const Pairs& table, const Pairs& small) {
        const int32_t stride = table.stride;
        split.clear();
        column_.clear();
        small_column_.clear();
        side_.resize(static_cast<size_t>(table.size + kLanes) * stride);
        total_.resize(stride);
        const int32_t rows = table.rows - (Minus ? small.rows : 0);
        if (Minus) {
            subtract(total_.data(), table.side_of(Pairs::kAll), small.side_of(Pairs::kAll), stride);
        } else {
            std::copy(table.side_of(Pairs::kAll), table.side_of(Pairs::kAll) + stride, total_.begin());
        }
        int32_t n = 0;
        for (int32_t s = 2; s < table.size; ++s) {
            double* to = side_.data() + static_cast<size_t>(n) * stride;
            if constexpr (Minus) {
                const int32_t t = small.at[table.split[s]];
                const int32_t inside = table.count[s] - small.count[t];
                if (inside == 0 || inside == rows || same_as_outer(table, small, s, inside)) continue;
                subtract(to, table.side_of(s), small.side_of(t), stride);
                small_column_.push_back(t * stride);
            } else {
                std::copy(table.side_of(s), table.side_of(s) + stride, to);
            }
            split.push_back(table.split[s]);
            column_.push_back(s * stride);
            ++n;
        }
        size = n;
        for (int32_t k = 0; k < kLanes && n > 0;
             ++k) {  // repeat the last one so that four can be read at a time
            column_.push_back(column_[n - 1]);
            if (Minus) small_column_.push_back(small_column_[n - 1]);
            std::copy_n(side_.data() + static_cast<size_t>(n - 1) * stride, stride,
                        side_.data() + static_cast<size_t>(n + k) * stride);
        }
    }

    // A side equals its outer neighbour when both hold as many rows; `table` holds every split of the block.
    static bool same_as_outer(const Pairs& table, const Pairs& small, int32_t s, int32_t inside) {
        const int32_t outer = table.outer[s];
        return outer != Pairs::kNone &&
               table.count[outer] - small.count[small.at[table.split[outer]]] == inside;
    }

    void start_values(int32_t stride) {
        rare.resize(size + 2 * kLanes);
        rest.resize(size + 2 * kLanes);
        for (int32_t k = 0; k < size; ++k) {
            const double* side = side_.data() + static_cast<size_t>(k) * stride;
            Simd256 in = load(side), out = load(total_.data()) - in;
            for (int32_t a = kLanes; a < stride; a += kLanes) {
                const Simd256 x = load(side + a);
                in = smaller(in, x);
                out = smaller(out, load(total_.data() + a) - x);
            }
            rare[k] = least_lane(in);
            rest[k] = least_lane(out);
        }
        for (int32_t k = size; k < size + 2 * kLanes; ++k) rare[k] = rest[k] = kInfinity;
        leaf = least(total_.data(), stride);
        one = leaf;
        for (int32_t k = 0; k < size; ++k) one = std::min(one, rare[k] + rest[k]);
    }

    template <int Blocks, bool Minus>
    void pass(const Pairs& table, const Pairs& small, Stop& stop) {
        const int32_t blocks = Blocks ? Blocks : table.stride / kLanes, stride = blocks * kLanes;
        size_t work = 0;
        for (int32_t i = 0; i + 1 < size; ++i) {
            work += static_cast<size_t>(size - i) * blocks;
            if (work > 50000) {
                work = 0;
                if (stop.check()) return;
            }
            const double* row = table.cell.data() + static_cast<size_t>(column_[i]) * table.size;
            const double* small_row = nullptr;
            if constexpr (Minus)
                small_row = small.cell.data() + static_cast<size_t>(small_column_[i]) * small.size;
            const double* mine = side_.data() + static_cast<size_t>(i) * stride;
            Simd256 rare_i = all_of(kInfinity), rest_i = all_of(kInfinity);
            for (int32_t j = i + 1; j < size; j += kLanes) {
                Simd256 both[kLanes], first[kLanes], second[kLanes], neither[kLanes];
                for (int c = 0; c < kLanes; ++c) {
                    const double* q = row + column_[j + c];
                    const double* p = nullptr;
                    if constexpr (Minus) p = small_row + small_column_[j + c];
                    const double* other = side_.data() + static_cast<size_t>(j + c) * stride;
                    for (int b = 0; b < blocks; ++b) {
                        Simd256 x = load(q + b * kLanes);
                        if constexpr (Minus) x -= load(p + b * kLanes);
                        const Simd256 s = load(mine + b * kLanes);
                        const Simd256 only_second = load(other + b * kLanes) - x;
                        const Simd256 none = load(total_.data() + b * kLanes) - s - only_second;
                        if (b == 0) {
                            both[c] = x;
                            first[c] = s - x;
                            second[c] = only_second;
                            neither[c] = none;
                        } else {
                            both[c] = smaller(both[c], x);
                            first[c] = smaller(first[c], s - x);
                            second[c] = smaller(second[c], only_second);
                            neither[c] = smaller(neither[c], none);
                        }
                    }
                }
                const Simd256 in_both = least_lanes(both[0], both[1], both[2], both[3]);
                const Simd256 in_first = least_lanes(first[0], first[1], first[2], first[3]);
                const Simd256 in_second = least_lanes(second[0], second[1], second[2], second[3]);
                const Simd256 in_none = least_lanes(neither[0], neither[1], neither[2], neither[3]);
                rare_i = smaller(rare_i, in_both + in_first);
                rest_i = smaller(rest_i, in_second + in_none);
                store(rare.data() + j, smaller(load(rare.data() + j), in_both + in_second));
                store(rest.data() + j, smaller(load(rest.data() + j), in_first + in_none));
            }
            rare[i] = std::min(rare[i], least_lane(rare_i));
            rest[i] = std::min(rest[i], least_lane(rest_i));
        }
        for (int32_t k = size; k < size + kLanes && size > 0; ++k) {
            rare[size - 1] = std::min(rare[size - 1], rare[k]);
            rest[size - 1] = std::min(rest[size - 1], rest[k]);
        }
    }

    void finish() {
        best = one;
        for (int32_t k = 0; k < size; ++k) best = std::min(best, rare[k] + rest[k]);
    }

    std::vector<int32_t> column_, small_column_;
    Buffer<double> side_, total_;
};

}  // namespace spotree::exact
