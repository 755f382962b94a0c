// Losses over the common rows of every two splits, for some rows of a block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "exact/tables/incremental.hpp"
#include "exact/tables/triple.hpp"

namespace spotree::exact {

// Rows of the table stand for the rare sides that differ on the chosen rows; two more stand for "no row" and
// "all rows". A rare side of the block finds its row through `at`. Cell [s, t] with s < t holds the loss of
// every action over the rows that lie in both sides.
class Pairs {
  public:
    static constexpr int32_t kNone = 0, kAll = 1;
    int32_t rows = 0, size = 0, stride = 0;
    std::vector<int32_t> at;     // [split of the block] row of this table
    std::vector<int32_t> split;  // [row of this table] split of the block; -1 for the two extra rows
    std::vector<int32_t> count;  // [row of this table] how many rows the side holds
    std::vector<int32_t> outer;  // [row of this table] the next smaller side of the feature on the same hand
    Buffer<double> side;         // [row of this table, stride] loss over the side
    Buffer<double> cell;         // [size, size, stride]

    const double* side_of(int32_t s) const { return side.data() + static_cast<size_t>(s) * stride; }
    double* cells(int32_t s) { return cell.data() + static_cast<size_t>(s) * size * stride; }
    const double* cells(int32_t s) const { return cell.data() + static_cast<size_t>(s) * size * stride; }

    // Losses over single sides; everything a tree of depth 1 needs. `chosen` lists rows, nullptr means all.
    bool build_sides(const Block& block, const std::vector<int32_t>* chosen, Stop& stop) {
        stride = block.stride;
        rows = chosen ? static_cast<int32_t>(chosen->size()) : block.rows;
        own_.assign(block.splits, 0);
        raw_.assign(static_cast<size_t>(block.splits) * stride, 0.0);
        total_.assign(stride, 0.0);
        for (int32_t k = 0; k < rows; ++k) {
            if (k % 4096 == 4095 && stop.check()) return false;
            const int32_t i = chosen ? (*chosen)[k] : k;
            const double* c = block.loss.data() + static_cast<size_t>(i) * stride;
            add_to(total_.data(), c, stride);
            for (uint32_t e = block.start[i]; e < block.start[i + 1]; ++e) {
                ++own_[block.entry[e]];
                add_to(raw_.data() + static_cast<size_t>(block.entry[e]) * stride, c, stride);
            }
        }
        number_sides(block);
        return true;
    }

    bool build(const Block& block, const std::vector<int32_t>* chosen, Stop& stop) {
        if (!build_sides(block, chosen, stop)) return false;
        const size_t cells_needed = static_cast<size_t>(size) * size * stride;
        if (cell.size() < cells_needed) cell.resize(cells_needed);
        for (int32_t s = 2; s < size; ++s) {
            double* row = cells(s);
            std::fill(row + static_cast<size_t>(s) * stride, row + static_cast<size_t>(size) * stride, 0.0);
        }
        if (!by_blocks(stride, [&]<int Blocks>() { return scatter<Blocks>(block, chosen, stop); }))
            return false;
        cumulate();
        fill_same_feature();
        return !stop.check();
    }

    // The rows that `sums` has taken in so far.
    bool build(const Block& block, const IncrementalTable& sums, Stop& stop) {
        stride = block.stride;
        rows = sums.rows;
        own_ = sums.own;
        raw_ = sums.raw;
        total_ = sums.total;
        number_sides(block);
        if (cell.size() < static_cast<size_t>(size) * size * stride)
            cell.resize(static_cast<size_t>(size) * size * stride);
        const bool all = size == block.splits + 2;
        for (int32_t s = 2; s < size; ++s) {
            const double* from = sums.cell.data() + static_cast<size_t>(split[s]) * block.splits * stride;
            double* to = cells(s);
            if (all) {
                std::memcpy(to + static_cast<size_t>(s) * stride, from + static_cast<size_t>(s - 2) * stride,
                            static_cast<size_t>(size - s) * stride * sizeof(double));
                continue;
            }
            for (int32_t t = s + 1; t < size; ++t) {
                std::memcpy(to + static_cast<size_t>(t) * stride,
                            from + static_cast<size_t>(split[t]) * stride, stride * sizeof(double));
            }
        }
        cumulate();
        fill_same_feature();
        return !stop.check();
    }

    // The rare side of split `root`, from sums over triples.
    bool build(const Block& block, const std::vector<int32_t>& chosen, const TripleTable& triples,
               int32_t root, Stop& stop) {
        if (!build_sides(block, &chosen, stop)) return false;
        if (cell.size() < static_cast<size_t>(size) * size * stride)
            cell.resize(static_cast<size_t>(size) * size * stride);
        const size_t bytes = static_cast<size_t>(stride) * sizeof(double);
        for (int32_t s = 2; s < size; ++s) {
            const int32_t a = split[s];
            double* row = cells(s);
            for (int32_t t = s + 1; t < size; ++t) {
                const int32_t b = split[t];
                const double* from = root < a   ? triples.cell(root, a, b)
                                     : root < b ? triples.cell(a, root, b)
                                                : triples.cell(a, b, root);
                std::memcpy(row + static_cast<size_t>(t) * stride, from, bytes);
            }
        }
        fill_same_feature();
        return !stop.check();
    }

    // Cells of the two extra rows and columns; needed to subtract this table from a larger one.
    void fill_extra() {
        const size_t bytes = static_cast<size_t>(stride) * sizeof(double);
        std::fill(cells(kNone), cells(kNone) + static_cast<size_t>(size) * stride, 0.0);
        std::copy(side.begin(), side.begin() + static_cast<size_t>(size) * stride, cells(kAll));
        for (int32_t s = 2; s < size; ++s) {
            std::fill(cells(s), cells(s) + stride, 0.0);
            std::memcpy(cells(s) + stride, side_of(s), bytes);
        }
    }

  private:
    struct Group {
        int32_t begin, middle, end;  // rows of the table: left rare sides, then right ones
    };

    void number_sides(const Block& block) {
        at.resize(block.splits);
        split.assign(2, -1);
        count.assign({0, rows});
        groups_.clear();
        for (int32_t f = 0; f < block.num_features(); ++f) {
            const int32_t begin = block.first[f], middle = begin + block.mode[f], end = block.first[f + 1];
            Group group;
            group.begin = static_cast<int32_t>(split.size());
            int32_t inside = 0, here = kNone;
            for (int32_t s = begin; s < middle; ++s) {
                if (own_[s]) {
                    inside += own_[s];
                    here = inside == rows ? kAll : take(s, inside);
                }
                at[s] = here;
            }
            group.middle = static_cast<int32_t>(split.size());
            inside = 0;
            here = kNone;
            for (int32_t s = end - 1; s >= middle; --s) {
                if (own_[s]) {
                    inside += own_[s];
                    here = inside == rows ? kAll : take(s, inside);
                }
                at[s] = here;
            }
            group.end = static_cast<int32_t>(split.size());
            if (group.end == group.begin) continue;
            // Right sides were met from the outermost inward; thresholds ascend the other way.
            std::reverse(split.begin() + group.middle, split.end());
            std::reverse(count.begin() + group.middle, count.end());
            for (int32_t s = middle; s < end; ++s) {
                if (at[s] >= group.middle) at[s] = group.middle + group.end - 1 - at[s];
            }
            groups_.push_back(group);
        }
        size = static_cast<int32_t>(split.size());
        side.resize(static_cast<size_t>(size) * stride);
        outer.assign(size, kNone);
        std::fill(side.begin(), side.begin() + stride, 0.0);
        std::copy(total_.begin(), total_.end(), side.begin() + stride);
        for (const Group& g : groups_) {
            for (int32_t s = g.begin; s < g.middle; ++s) set_side(s, s > g.begin ? s - 1 : kNone);
            for (int32_t s = g.end - 1; s >= g.middle; --s) set_side(s, s < g.end - 1 ? s + 1 : kNone);
        }
    }

    int32_t take(int32_t s, int32_t inside) {
        split.push_back(s);
        count.push_back(inside);
        return static_cast<int32_t>(split.size()) - 1;
    }

    void set_side(int32_t s, int32_t smaller_side) {
        outer[s] = smaller_side;
        const double* raw = raw_.data() + static_cast<size_t>(split[s]) * stride;
        double* to = side.data() + static_cast<size_t>(s) * stride;
        const double* from = side_of(smaller_side);
        for (int32_t k = 0; k < stride; k += kLanes) store(to + k, load(from + k) + load(raw + k));
    }

    template <int Blocks>
    bool scatter(const Block& block, const std::vector<int32_t>* chosen, Stop& stop) {
        size_t work = 0;
        for (int32_t k = 0; k < rows; ++k) {
            if (work > 200000) {
                work = 0;
                if (stop.check()) return false;
            }
            const int32_t i = chosen ? (*chosen)[k] : k;
            sides_of_row_.clear();
            for (uint32_t e = block.start[i]; e < block.start[i + 1]; ++e) {
                const int32_t s = at[block.entry[e]];
                if (s != kAll) sides_of_row_.push_back(s);
            }
            work += sides_of_row_.size() * sides_of_row_.size();
            add_pairs<Blocks>(cell.data(), size, sides_of_row_.data(),
                              static_cast<int32_t>(sides_of_row_.size()),
                              block.loss.data() + static_cast<size_t>(i) * stride, stride);
        }
        return true;
    }

    // Inner sides hold the outer ones of their feature: add outward-in, first along rows, then along columns.
    void cumulate() {
        for (const Group& g : groups_) {
            const size_t from = static_cast<size_t>(g.end) * stride,
                         length = static_cast<size_t>(size - g.end) * stride;
            for (int32_t s = g.begin + 1; s < g.middle; ++s)
                add_cells(cells(s) + from, cells(s - 1) + from, length);
            for (int32_t s = g.end - 2; s >= g.middle; --s)
                add_cells(cells(s) + from, cells(s + 1) + from, length);
        }
        for (size_t k = 0; k < groups_.size(); ++k) {
            for (int32_t s = groups_[k].begin; s < groups_[k].end; ++s) {
                double* row = cells(s);
                for (size_t j = k + 1; j < groups_.size(); ++j) {
                    const Group& g = groups_[j];
                    for (int32_t t = g.begin + 1; t < g.middle; ++t) {
                        add_to(row + static_cast<size_t>(t) * stride,
                               row + static_cast<size_t>(t - 1) * stride, stride);
                    }
                    for (int32_t t = g.end - 2; t >= g.middle; --t) {
                        add_to(row + static_cast<size_t>(t) * stride,
                               row + static_cast<size_t>(t + 1) * stride, stride);
                    }
                }
            }
        }
    }

    static void add_cells(double* to, const double* from, size_t length) {
        for (size_t k = 0; k < length; k += kLanes) store(to + k, load(to + k) + load(from + k));
    }

    // Two sides of one feature are nested or disjoint.
    void fill_same_feature() {
        const size_t bytes = static_cast<size_t>(stride) * sizeof(double);
        for (const Group& g : groups_) {
            for (int32_t s = g.begin; s < g.end; ++s) {
                double* row = cells(s);
                for (int32_t t = s; t < g.end; ++t) {
                    double* to = row + static_cast<size_t>(t) * stride;
                    if (t < g.middle) {
                        std::memcpy(to, side_of(s), bytes);
                    } else if (s >= g.middle) {
                        std::memcpy(to, side_of(t), bytes);
                    } else {
                        std::fill(to, to + stride, 0.0);
                    }
                }
            }
        }
    }

    std::vector<int32_t> own_, sides_of_row_;
    Buffer<double> raw_, total_;
    std::vector<Group> groups_;
};

}  // namespace spotree::exact
