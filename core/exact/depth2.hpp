// Exact subproblems of depth 1 and 2: streaming kernel without tables, scratch memory of a thread, dispatch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "exact/search_node.hpp"
#include "exact/select_kernel.hpp"
#include "exact/tables/depth2_from_pairs.hpp"

namespace spotree::exact {

// Memory grows with the number of splits, not with its square. A threshold is solved in one pass over all
// splits; the optimum of its left side bounds the lefts of all higher thresholds, and rights mirror this.
class Sweep {
  public:
    std::vector<double> value;   // [split] loss of the best tree with this split on top, or a lower bound
    std::vector<uint8_t> exact;  // [split]
    double best = 0.0;           // least exact loss, or of a leaf or a single split
    double lower = 0.0;          // no tree of depth 2 loses less
    double leaf = 0.0, one = 0.0;

    // Thresholds that cannot lose less than min(best, budget) + margin are skipped. `copies` bounds the
    // memory: how many running sums may be kept. Returns false when stopped.
    bool run(const Block& block, double budget, double margin, int copies, Stop& stop) {
        block_ = &block;
        stop_ = &stop;
        budget_ = budget;
        margin_ = margin;
        if (!sides_.build_sides(block, nullptr, stop)) return false;
        at_sides_.evaluate_sides(sides_);
        leaf = at_sides_.leaf;
        one = best = at_sides_.one;
        value.assign(block.splits, 0.0);
        exact.assign(block.splits, 0);
        sums_.resize(std::max(2, copies));
        for (int32_t f = 0; f < block.num_features(); ++f) {
            if (!sweep_feature(f)) return false;
        }
        lower = best;
        for (double v : value) lower = std::min(lower, v);
        return true;
    }

  private:
    // Losses of all rare sides, restricted to the rows left of a threshold; not yet cumulated.
    struct Sums {
        Buffer<double> raw, total;
    };

    double goal() const { return std::min(best, budget_) + margin_; }

    bool sweep_feature(int32_t f) {
        const Block& b = *block_;
        const int32_t* rank = b.column(f);
        const int32_t begin = b.first[f], length = b.first[f + 1] - begin;
        from_.assign(length + 2, 0);
        for (int32_t i = 0; i < b.rows; ++i) ++from_[rank[i] + 1];
        for (int32_t r = 0; r <= length; ++r) from_[r + 1] += from_[r];
        sorted_.resize(b.rows);
        fill_ = from_;
        for (int32_t i = 0; i < b.rows; ++i) sorted_[fill_[rank[i]]++] = i;
        clear(sums_[0]);
        return halve(f, 0, length - 1, 0, 0.0, 0.0);
    }

    // Thresholds low..high are open; sums_[level] holds the rows up to threshold low - 1, whose left loses
    // `left`; the right of threshold high + 1 loses `right`.
    bool halve(int32_t f, int32_t low, int32_t high, size_t level, double left, double right) {
        if (low > high) return true;
        const int32_t base = block_->first[f];
        if (left + right >= goal()) {
            for (int32_t t = low; t <= high; ++t) value[base + t] = left + right;
            return true;
        }
        if (stop_->check()) return false;
        const bool last = level + 1 >= sums_.size();
        const int32_t middle = last ? low : low + (high - low) / 2;
        Sums& sums = last ? sums_[level] : sums_[level + 1];
        if (!last) {
            sums.raw = sums_[level].raw;
            sums.total = sums_[level].total;
        }
        if (!add_rows(sums, from_[low], from_[middle + 1])) return false;
        double in_left, in_right;
        solve(sums, in_left, in_right);
        value[base + middle] = in_left + in_right;
        exact[base + middle] = 1;
        best = std::min(best, in_left + in_right);
        if (last) return halve(f, middle + 1, high, level, in_left, right);
        if (!halve(f, middle + 1, high, level + 1, in_left, right)) return false;
        return halve(f, low, middle - 1, level, left, in_right);
    }

    void clear(Sums& sums) const {
        sums.raw.assign(static_cast<size_t>(block_->splits) * block_->stride, 0.0);
        sums.total.assign(block_->stride, 0.0);
    }

    bool add_rows(Sums& sums, int32_t begin, int32_t end) const {
        const Block& b = *block_;
        for (int32_t k = begin; k < end; ++k) {
            if (stop_->check_at(k)) return false;
            const int32_t i = sorted_[k];
            const double* c = b.loss.data() + static_cast<size_t>(i) * b.stride;
            add_to(sums.total.data(), c, b.stride);
            for (uint32_t e = b.start[i]; e < b.start[i + 1]; ++e) {
                add_to(sums.raw.data() + static_cast<size_t>(b.entry[e]) * b.stride, c, b.stride);
            }
        }
        return true;
    }

    // The best trees of depth 1 left and right of the threshold that `sums` stands for.
    void solve(const Sums& sums, double& left, double& right) {
        const Block& b = *block_;
        const int32_t stride = b.stride;
        left_total_.assign(sums.total.begin(), sums.total.end());
        right_total_.resize(stride);
        subtract(right_total_.data(), b.total.data(), left_total_.data(), stride);
        left = least(left_total_.data(), stride);
        right = least(right_total_.data(), stride);
        running_.resize(stride);
        for (int32_t g = 0; g < b.num_features(); ++g) {
            const int32_t begin = b.first[g], middle = begin + b.mode[g], end = b.first[g + 1];
            std::fill(running_.begin(), running_.end(), 0.0);
            for (int32_t s = begin; s < middle; ++s) advance(sums, s, left, right);
            std::fill(running_.begin(), running_.end(), 0.0);
            for (int32_t s = end - 1; s >= middle; --s) advance(sums, s, left, right);
        }
    }

    void advance(const Sums& sums, int32_t s, double& left, double& right) {
        const int32_t stride = block_->stride;
        const double* raw = sums.raw.data() + static_cast<size_t>(s) * stride;
        const double* side =
            sides_.side_of(s + 2);  // the block is compact: row s + 2 of the table is split s
        Simd256 a = all_of(kInfinity), b = a, c = a, d = a;
        for (int32_t k = 0; k < stride; k += kLanes) {
            const Simd256 x = load(running_.data() + k) + load(raw + k);
            store(running_.data() + k, x);
            const Simd256 y = load(side + k) - x;
            a = smaller(a, x);
            b = smaller(b, load(left_total_.data() + k) - x);
            c = smaller(c, y);
            d = smaller(d, load(right_total_.data() + k) - y);
        }
        const Simd256 m = least_lanes(a, b, c, d);
        left = std::min(left, m[0] + m[1]);
        right = std::min(right, m[2] + m[3]);
    }

    const Block* block_ = nullptr;
    Stop* stop_ = nullptr;
    double budget_ = 0.0, margin_ = 0.0;
    Pairs sides_;
    Depth2 at_sides_;
    std::vector<Sums> sums_;
    std::vector<int32_t> from_, fill_, sorted_;
    Buffer<double> left_total_, right_total_, running_;
};

struct Outcome {
    double value = 0.0;  // optimum if exact, else a lower bound
    bool exact = false;
    int32_t split = -1;  // of the best tree, in the root's numbering; -1 for a leaf

    void learn(const Outcome& found) {
        if (found.exact || found.value > value) *this = found;
    }
};

struct Worker {
    std::vector<std::unique_ptr<Node>> node;    // [depth]
    std::vector<std::unique_ptr<Block>> block;  // [depth]
    Pairs small;
    IncrementalTable sums;
    Depth2 values;
    Sweep sweep;
    std::vector<int32_t> rows, from;
    int64_t kernels = 0, nodes = 0, hits = 0;

    void reserve(int depth) {
        while (static_cast<int>(node.size()) <= depth) {
            node.push_back(std::make_unique<Node>());
            block.push_back(std::make_unique<Block>());
        }
    }
};

inline Outcome solve_shallow(Worker& w, const Block& block, int depth, double budget, double eps,
                             const Options& options, Stop& stop) {
    ++w.kernels;
    if (depth == 1) {
        if (!w.small.build_sides(block, nullptr, stop)) return {};
        w.values.evaluate_sides(w.small);
        return {w.values.one, true, -1};
    }
    if (!use_table(block, options)) {
        if (!w.sweep.run(block, budget, -eps, sweep_copies(block, options), stop)) return {};
        if (w.sweep.best < budget) return {w.sweep.best, true, -1};
        return {std::max(budget, w.sweep.lower), false, -1};
    }
    if (!w.small.build(block, nullptr, stop)) return {};
    w.values.evaluate(w.small, stop);
    if (stop.raised()) return {};
    return {w.values.best, true, -1};
}

}  // namespace spotree::exact
