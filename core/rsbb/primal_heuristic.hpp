// A good tree inside a region: each node takes its best allowed split, from the root down.
#pragma once

#include <numeric>

#include "rsbb/node.hpp"

namespace spotree::rsbb {

struct Candidate {
    double loss = std::numeric_limits<double>::infinity();
    std::vector<int32_t> feature;  // [inner node], kUnsplit where it does not split
    std::vector<int32_t> cut;      // [inner node], the threshold's number
    std::vector<int32_t> action;   // [leaf]
};

class Primal {
  public:
    Primal(const Step& step, const Shape& shape)
        : step_(step), shape_(shape), order_(step.rows), other_(step.rows) {
        int32_t most = 1;
        for (int32_t j = 0; j < step.features; ++j) most = std::max(most, step.values[j]);
        sums_.resize(static_cast<size_t>(most) * step.actions);
        below_.resize(step.actions);
        total_.resize(step.actions);
    }

    // Numbers touched by one search where every feature is allowed everywhere.
    int64_t cost() const {
        return step_.rows * (step_.features + 1) * step_.actions * std::max(step_.depth, 1);
    }

    Candidate best_in(const Subproblem& region) {
        Candidate tree;
        tree.loss = 0;
        tree.feature.assign(step_.inner, kUnsplit);
        tree.cut.assign(step_.inner, 0);
        tree.action.assign(step_.leaves, 0);
        for (int32_t l = 0; l < step_.leaves; ++l) tree.action[l] = shape_.next_action(region, l, -1);
        std::iota(order_.begin(), order_.end(), int64_t{0});
        shape_.least_leaves(region, least_leaves_);
        grow(region, tree, 0, 0, step_.rows, step_.max_leaves);
        return tree;
    }

  private:
    void grow(const Subproblem& r, Candidate& tree, int32_t node, int64_t begin, int64_t end,
              int32_t leaves) {
        if (node >= step_.inner) return finish(r, tree, node - step_.inner, begin, end);
        const bool affordable = least_leaves_[2 * node + 1] + least_leaves_[2 * node + 2] <= leaves;
        if (!shape_.may_split(r, node) || (!affordable && shape_.may_stop(r, node))) {
            return finish(r, tree, step_.rightmost_leaf(node), begin, end);
        }
        const auto [feature, cut] = affordable ? best_split(r, node, begin, end) : one_way(r, node, leaves);
        tree.feature[node] = feature;
        tree.cut[node] = cut;
        const int32_t* ranks = step_.rank + feature * step_.rows;
        int64_t middle = begin;
        int64_t right = 0;
        for (int64_t i = begin; i < end; ++i) {  // stable, so that the sums do not depend on history
            if (ranks[order_[i]] < cut) {
                order_[middle++] = order_[i];
            } else {
                other_[right++] = order_[i];
            }
        }
        std::copy_n(other_.begin(), right, order_.begin() + middle);
        const bool counts_both = step_.frozen_feature[node] >= 0 || (cut > 0 && cut < step_.values[feature]);
        const int32_t least_right = least_leaves_[2 * node + 2];
        const int32_t for_left = counts_both ? std::max(least_leaves_[2 * node + 1],
                                                        std::min((leaves + 1) / 2, leaves - least_right))
                                             : leaves;
        grow(r, tree, 2 * node + 1, begin, middle, for_left);
        grow(r, tree, 2 * node + 2, middle, end, counts_both ? leaves - for_left : leaves);
    }

    void finish(const Subproblem& r, Candidate& tree, int32_t leaf, int64_t begin, int64_t end) {
        add_up(begin, end);
        int32_t best = shape_.next_action(r, leaf, -1);
        for (int32_t k = best; k >= 0; k = shape_.next_action(r, leaf, k)) {
            if (total_[k] < total_[best]) best = k;
        }
        tree.action[leaf] = best;
        tree.loss += total_[best];
    }

    void add_up(int64_t begin, int64_t end) {
        std::fill(total_.begin(), total_.end(), 0.0);
        for (int64_t i = begin; i < end; ++i) {
            const double* loss = step_.loss + order_[i] * step_.actions;
            for (int32_t k = 0; k < step_.actions; ++k) total_[k] += loss[k];
        }
    }

    // The split whose two sides lose least if each took one action.
    std::pair<int32_t, int32_t> best_split(const Subproblem& r, int32_t node, int64_t begin, int64_t end) {
        const int32_t only = shape_.next_feature(r, node, -1);
        if (const Cuts c = shape_.cuts(r, node, only);
            shape_.feature_count(r, node) == 1 && c.first == c.last) {
            return {only, c.first};
        }
        add_up(begin, end);
        double least = std::numeric_limits<double>::infinity();
        std::pair<int32_t, int32_t> best{only, shape_.cuts(r, node, only).first};
        for (int32_t j = only; j >= 0; j = shape_.next_feature(r, node, j)) {
            const Cuts c = shape_.cuts(r, node, j);
            const int32_t* ranks = step_.rank + j * step_.rows;
            std::fill_n(sums_.begin(), static_cast<size_t>(step_.values[j]) * step_.actions, 0.0);
            for (int64_t i = begin; i < end; ++i) {
                double* sums = &sums_[static_cast<size_t>(ranks[order_[i]]) * step_.actions];
                const double* loss = step_.loss + order_[i] * step_.actions;
                for (int32_t k = 0; k < step_.actions; ++k) sums[k] += loss[k];
            }
            std::fill(below_.begin(), below_.end(), 0.0);
            for (int32_t cut = 0; cut <= c.last; ++cut) {
                if (cut > 0) {
                    const double* sums = &sums_[static_cast<size_t>(cut - 1) * step_.actions];
                    for (int32_t k = 0; k < step_.actions; ++k) below_[k] += sums[k];
                }
                if (cut < c.first) continue;
                double left = below_[0];
                double right = total_[0] - below_[0];
                for (int32_t k = 1; k < step_.actions; ++k) {
                    left = std::min(left, below_[k]);
                    right = std::min(right, total_[k] - below_[k]);
                }
                if (left + right < least) {
                    least = left + right;
                    best = {j, cut};
                }
            }
        }
        return best;
    }

    // A threshold beyond all values, towards a side that the leaves suffice for.
    std::pair<int32_t, int32_t> one_way(const Subproblem& r, int32_t node, int32_t leaves) const {
        for (int32_t j = shape_.next_feature(r, node, -1); j >= 0; j = shape_.next_feature(r, node, j)) {
            const Cuts c = shape_.cuts(r, node, j);
            if (c.first == 0 && least_leaves_[2 * node + 2] <= leaves) return {j, 0};
            if (c.last == step_.values[j] && least_leaves_[2 * node + 1] <= leaves)
                return {j, step_.values[j]};
        }
        const int32_t j = shape_.next_feature(r, node, -1);
        return {j, shape_.cuts(r, node, j).first};
    }

    const Step& step_;
    const Shape& shape_;
    std::vector<int64_t> order_, other_;
    std::vector<int32_t> least_leaves_;
    std::vector<double> sums_, below_, total_;
};

}  // namespace spotree::rsbb
