// A lower bound when the time is up: rows in groups, each group with a tree of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "exact/search.hpp"

namespace spotree::exact {

// Any tree, restricted to a group of rows, is a tree for the group: the optimum of all rows is at least the
// sum of the groups' optima, and groups that were not solved count 0. Small groups are quick but easy to fit,
// large ones slow: one group of each size is tried first, and the size that promises most in the time left is
// used for the rest.
class GroupBound {
  public:
    double run(Search& search, const Block& root, int depth, Stop& stop) {
        if (stop.remaining() < kPerRow * root.rows) return 0.0;
        std::vector<int32_t> order(root.rows);
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), std::mt19937(1));
        double bound = 0.0, most = 0.0;
        int64_t chosen = 0;
        const double time = stop.remaining();
        for (int64_t size = int64_t{4} << depth; stop.remaining() > time / 2; size *= 2) {
            size = std::min<int64_t>(size, root.rows);
            const double began = stop.elapsed();
            const double value = optimum(search, root, order, 0, size, depth);
            bound = std::max(bound, value);
            const double groups =
                std::min(static_cast<double>(root.rows) / size, time / (stop.elapsed() - began));
            if (value * groups >= most) {
                most = value * groups;
                chosen = size;
            }
            if (size == root.rows) break;
        }
        double sum = 0.0;
        for (int64_t at = 0; chosen > 0 && at < root.rows && !stop.check(); at += chosen) {
            sum += optimum(search, root, order, at, std::min<int64_t>(root.rows, at + chosen), depth);
        }
        return std::max(bound, sum);
    }

  private:
    static constexpr double kPerRow = 2e-7;  // seconds: handling the rows alone takes that

    // Of rows begin..end of the order; a lower bound if stopped.
    double optimum(Search& search, const Block& root, const std::vector<int32_t>& order, int64_t begin,
                   int64_t end, int depth) {
        rows_.assign(order.begin() + begin, order.begin() + end);
        std::sort(rows_.begin(), rows_.end());
        if (!block_.assemble(root, rows_, search.stop())) return 0.0;
        return search.solve_root(block_, depth, kInfinity).value;
    }

    std::vector<int32_t> rows_;
    Block block_;
};

}  // namespace spotree::exact
