// Which of the reached states each node of a tree answers for, and the tree without what nobody reaches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "leaf_search/preorder_tree.hpp"
#include "neighbourhood/model.hpp"

namespace spotree::leaves {

// The reached states are put in such an order that every node owns a range of them.
class Territory {
  public:
    explicit Territory(const neighbourhood::SearchModel& model) : model_(model) {}

    void fill(const Shape& tree, const std::vector<int32_t>& reached) {
        state_ = reached;
        range_.resize(tree.node.size());
        part(tree, 0, 0, static_cast<int32_t>(state_.size()));
    }

    std::span<const int32_t> at(int32_t node) const {
        return {state_.data() + range_[node].begin,
                static_cast<size_t>(range_[node].end - range_[node].begin)};
    }
    const std::vector<int32_t>& states() const { return state_; }

    // The same tree where it is reached: splits with an unreached side go, equal siblings become one.
    Shape cleaned(const Shape& tree) const {
        Shape result;
        result.node = clean(tree, 0);
        return result;
    }

  private:
    struct Range {
        int32_t begin, end;
    };

    void part(const Shape& tree, int32_t node, int32_t begin, int32_t end) {
        range_[node] = {begin, end};
        const Node& at = tree.node[node];
        if (at.leaf()) return;
        const auto middle = std::partition(state_.begin() + begin, state_.begin() + end, [&](int32_t state) {
            return model_.rank_of(model_.group_of[state])[at.feature] < at.cut;
        });
        const auto border = static_cast<int32_t>(middle - state_.begin());
        part(tree, node + 1, begin, border);
        part(tree, at.right, border, end);
    }

    std::vector<Node> clean(const Shape& tree, int32_t node) const {
        const Node& at = tree.node[node];
        if (at.leaf()) return {at};
        if (this->at(node + 1).empty()) return clean(tree, at.right);
        if (this->at(at.right).empty()) return clean(tree, node + 1);
        std::vector<Node> left = clean(tree, node + 1), right = clean(tree, at.right);
        if (left == right) return left;
        return joined(at.feature, at.cut, left, right);
    }

    const neighbourhood::SearchModel& model_;
    std::vector<int32_t> state_;
    std::vector<Range> range_;
};

}  // namespace spotree::leaves
