// Interval bound: solved thresholds of a feature bound its other thresholds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "exact/subproblem.hpp"

namespace spotree::exact {

// Losses are not negative and a tree for some rows is a tree for fewer, so the optimum of a side grows with
// the side: the left of a threshold bounds the lefts of all higher ones, and, less the spread of the rows
// between, of the lower ones. Rights mirror this.
class IntervalBound {
  public:
    void open(const Block& block) {
        block_ = &block;
        left_.assign(block.splits, 0.0);
        right_.assign(block.splits, 0.0);
        below_.assign(block.splits, 0.0);
        for (int32_t f = 0; f < block.num_features(); ++f) {
            const int32_t* rank = block.column(f);
            const int32_t begin = block.first[f], length = block.first[f + 1] - begin;
            for (int32_t i = 0; i < block.rows; ++i) {
                if (rank[i] < length) below_[begin + rank[i]] += block.spread[i];
            }
            for (int32_t s = begin + 1; s < begin + length; ++s) below_[s] += below_[s - 1];
        }
    }

    double left(int32_t s) const { return left_[s]; }
    double right(int32_t s) const { return right_[s]; }
    double sum(int32_t s) const { return left_[s] + right_[s]; }

    // Learn lower bounds of both sides of threshold s.
    void learn(int32_t s, double left, double right, bool spread_out = true) {
        left_[s] = std::max(left_[s], left);
        right_[s] = std::max(right_[s], right);
        if (!spread_out) return;
        const int32_t f = block_->feature[s], begin = block_->first[f], end = block_->first[f + 1];
        for (int32_t t = begin; t < s; ++t) {
            const double between = below_[s] - below_[t];
            left_[t] = std::max(left_[t], left - between);
            right_[t] = std::max(right_[t], right);
        }
        for (int32_t t = s + 1; t < end; ++t) {
            const double between = below_[t] - below_[s];
            left_[t] = std::max(left_[t], left);
            right_[t] = std::max(right_[t], right - between);
        }
    }

  private:
    const Block* block_ = nullptr;
    std::vector<double> left_, right_, below_;
};

}  // namespace spotree::exact
