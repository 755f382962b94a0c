// The best trees so far by their number of leaves: none is kept that a smaller one equals.
#pragma once

#include <cstdint>
#include <iterator>
#include <limits>
#include <map>

#include "leaf_search/preorder_tree.hpp"

namespace spotree::leaves {

class Archive {
  public:
    struct Entry {
        Shape tree;
        double loss;
    };
    using Entries = std::map<int32_t, Entry>;  // leaves -> tree; losses fall

    // The least loss of a tree with at most so many leaves.
    double loss_at(int32_t leaves) const {
        const auto after = entries_.upper_bound(leaves);
        return after == entries_.begin() ? std::numeric_limits<double>::infinity()
                                         : std::prev(after)->second.loss;
    }

    bool offer(const Shape& tree, double loss) {
        const int32_t leaves = tree.num_leaves();
        if (!(loss < loss_at(leaves))) return false;
        auto at = entries_.lower_bound(leaves);
        while (at != entries_.end() && at->second.loss >= loss) at = entries_.erase(at);
        entries_.emplace(leaves, Entry{tree, loss});
        return true;
    }

    void offer(const Archive& other) {
        for (const auto& [leaves, entry] : other.entries_) offer(entry.tree, entry.loss);
    }

    const Entries& entries() const { return entries_; }
    bool empty() const { return entries_.empty(); }

    // The smallest tree that loses at most so much; the one that loses least if there is none.
    const Shape& smallest_within(double loss) const {
        for (const auto& [leaves, entry] : entries_) {
            if (entry.loss <= loss) return entry.tree;
        }
        return std::prev(entries_.end())->second.tree;
    }

    // The best tree with at most so many leaves, the smallest of all if there is none.
    const Shape& best_within(int32_t leaves) const {
        const auto after = entries_.upper_bound(leaves);
        return (after == entries_.begin() ? after : std::prev(after))->second.tree;
    }

  private:
    Entries entries_;
};

}  // namespace spotree::leaves
