// Rows that can reach each tree node under the trees of a subproblem.
#pragma once

#include "rsbb/node.hpp"

namespace spotree::rsbb {

// Sets of rows, one machine word for 64 rows at a time (the paper's T_z, turned around).
class ReachableRows {
  public:
    ReachableRows(const Step& step, const Shape& shape) : step_(step), shape_(shape) {
        left_.resize(step.inner * step.words);
        right_.resize(step.inner * step.words);
        arrive_.resize((2 * step.inner + 1) * step.words);
        shared_.resize(step.words);
        counted_.resize(step.words);
        not_same_.resize(step.words);
        std::copy(step.every.begin(), step.every.end(), arrive_.begin());
    }

    const uint64_t* at_leaf(int32_t leaf) const {
        return arrive_.data() + (step_.inner + leaf) * step_.words;
    }
    const uint64_t* shared() const { return shared_.data(); }    // rows with several leaves left
    const uint64_t* counted() const { return counted_.data(); }  // rows whose loss the region has handed down

    void compute(const Subproblem& region, bool group) {
        for (int32_t t = 0; t < step_.inner; ++t) open_sides(region, t);
        descend(0);
        summarise(region, group);
    }

    // The same for a child that differs below one node, or in the actions alone (node -1).
    void update(const ReachableRows& parent, const Subproblem& child, int32_t node, bool group) {
        left_ = parent.left_;
        right_ = parent.right_;
        arrive_ = parent.arrive_;
        if (node >= 0) {
            reopen(child, node);
            descend(node);
        }
        summarise(child, group);
    }

  private:
    void reopen(const Subproblem& region, int32_t node) {
        if (node >= step_.inner) return;
        open_sides(region, node);
        if (shape_.may_split(region, node)) return;
        reopen(region, 2 * node + 1);
        reopen(region, 2 * node + 2);
    }

    void open_sides(const Subproblem& region, int32_t node) {
        uint64_t* left = left_.data() + node * step_.words;
        uint64_t* right = right_.data() + node * step_.words;
        std::fill_n(left, step_.words, 0);
        std::fill_n(right, step_.words, 0);
        if (shape_.may_split(region, node)) {
            for (int32_t j = shape_.next_feature(region, node, -1); j >= 0;
                 j = shape_.next_feature(region, node, j)) {
                const Cuts c = shape_.cuts(region, node, j);
                step_.add_side(j, c.last, true, left);
                step_.add_side(j, c.first, false, right);
            }
        }
        if (shape_.may_stop(region, node)) std::copy(step_.every.begin(), step_.every.end(), right);
    }

    void descend(int32_t node) {
        if (node >= step_.inner) return;
        const uint64_t* here = arrive_.data() + node * step_.words;
        uint64_t* left = arrive_.data() + (2 * node + 1) * step_.words;
        uint64_t* right = left + step_.words;
        const uint64_t* goes_left = left_.data() + node * step_.words;
        const uint64_t* goes_right = right_.data() + node * step_.words;
        for (int64_t w = 0; w < step_.words; w += 4) {
            (Simd256::at(here + w) & Simd256::at(goes_left + w)).put(left + w);
            (Simd256::at(here + w) & Simd256::at(goes_right + w)).put(right + w);
        }
        descend(2 * node + 1);
        descend(2 * node + 2);
    }

    // Counted are rows certain of their leaf (with grouping) and rows all of whose leaves have one same
    // action.
    void summarise(const Subproblem& region, bool group) {
        for (int64_t w = 0; w < step_.words; w += 4) {
            Simd256 some = Simd256::all(0), several = Simd256::all(0);
            for (int32_t l = 0; l < step_.leaves; ++l) {
                const Simd256 here = Simd256::at(at_leaf(l) + w);
                several = several | (some & here);
                some = some | here;
            }
            several.put(&shared_[w]);
            (group ? Simd256::at(&step_.every[w]) & ~several : Simd256::all(0)).put(&counted_[w]);
        }
        for (int32_t l = 0; l < step_.leaves; ++l) {
            if (shape_.action_count(region, l) == 1)
                add_settled(region, shape_.next_action(region, l, -1), l);
        }
    }

    void add_settled(const Subproblem& region, int32_t action, int32_t first_leaf) {
        std::fill(not_same_.begin(), not_same_.end(), 0);
        for (int32_t l = 0; l < step_.leaves; ++l) {
            const bool same =
                shape_.action_count(region, l) == 1 && shape_.next_action(region, l, -1) == action;
            if (same && l < first_leaf) return;  // done with an earlier leaf of this action
            if (same) continue;
            const uint64_t* here = at_leaf(l);
            for (int64_t w = 0; w < step_.words; w += 4)
                (Simd256::at(&not_same_[w]) | Simd256::at(here + w)).put(&not_same_[w]);
        }
        for (int64_t w = 0; w < step_.words; w += 4)
            (Simd256::at(&counted_[w]) | (Simd256::at(&step_.every[w]) & ~Simd256::at(&not_same_[w])))
                .put(&counted_[w]);
    }

    const Step& step_;
    const Shape& shape_;
    Words left_, right_;  // [inner node]: rows that some split of the region sends that way
    Words arrive_;        // [node]
    Words shared_, counted_, not_same_;
};

}  // namespace spotree::rsbb
