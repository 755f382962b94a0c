// A tree of any shape, its nodes in preorder, its thresholds as ranks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "neighbourhood/model.hpp"

namespace spotree::leaves {

struct Node {
    int32_t feature = -1;  // -1: a leaf
    int32_t cut = 0;       // ranks below it go left; a leaf's action
    int32_t right = 0;     // the right child; the left one is the next node

    bool leaf() const { return feature < 0; }
    bool operator==(const Node&) const = default;
};

struct Shape {
    std::vector<Node> node;

    Shape() : Shape(0) {}
    explicit Shape(int32_t action) : node{{-1, action, 0}} {}
    bool operator==(const Shape&) const = default;

    int32_t size() const { return static_cast<int32_t>(node.size()); }
    int32_t num_leaves() const { return (size() + 1) / 2; }

    int32_t leaf_of(const int32_t* rank) const {
        int32_t at = 0;
        while (!node[at].leaf()) at = rank[node[at].feature] < node[at].cut ? at + 1 : node[at].right;
        return at;
    }
    int32_t action_of(const int32_t* rank) const { return node[leaf_of(rank)].cut; }

    // One past the last node below `at`.
    int32_t end(int32_t at) const {
        while (!node[at].leaf()) at = node[at].right;
        return at + 1;
    }

    int32_t parent(int32_t at) const {
        int32_t above = at - 1;
        if (at == 0) return -1;
        if (!node[above].leaf()) return above;  // a left child follows its parent
        while (node[above].leaf() || node[above].right != at) --above;
        return above;
    }

    int32_t depth(int32_t at = 0) const {
        if (node[at].leaf()) return 0;
        return 1 + std::max(depth(at + 1), depth(node[at].right));
    }

    // How far leaves lie below a depth, added up.
    int32_t excess(int32_t levels, int32_t at = 0) const {
        if (node[at].leaf()) return std::max(0, -levels);
        return excess(levels - 1, at + 1) + excess(levels - 1, node[at].right);
    }

    // How many splits stand above a node.
    int32_t level(int32_t at) const {
        int32_t count = 0;
        for (int32_t here = 0; here != at; ++count) {
            const int32_t right = node[here].right;
            here = at < right ? here + 1 : right;
        }
        return count;
    }

    // The nodes below `at` as a tree of their own.
    std::vector<Node> below(int32_t at) const {
        std::vector<Node> part(node.begin() + at, node.begin() + end(at));
        for (Node& one : part) one.right -= one.leaf() ? 0 : at;
        return part;
    }

    // Puts a tree in the place of the node and all below it.
    void replace(int32_t at, const std::vector<Node>& part) {
        const int32_t last = end(at);
        const auto grown = static_cast<int32_t>(part.size()) - (last - at);
        for (int32_t k = 0; k < at; ++k) {
            if (node[k].right > at) node[k].right += grown;
        }
        for (int32_t k = last; k < size(); ++k) {
            if (!node[k].leaf()) node[k].right += grown;
        }
        if (grown > 0) {
            node.insert(node.begin() + last, static_cast<size_t>(grown), Node{});
        } else {
            node.erase(node.begin() + last + grown, node.begin() + last);
        }
        for (size_t k = 0; k < part.size(); ++k) {
            node[at + k] = part[k];
            if (!part[k].leaf()) node[at + k].right += at;
        }
    }
};

// A split of two trees.
inline std::vector<Node> joined(int32_t feature, int32_t cut, const std::vector<Node>& left,
                                const std::vector<Node>& right) {
    const auto first = static_cast<int32_t>(left.size()) + 1;
    std::vector<Node> tree{{feature, cut, first}};
    tree.reserve(1 + left.size() + right.size());
    for (const Node& one : left) tree.push_back({one.feature, one.cut, one.leaf() ? 0 : one.right + 1});
    for (const Node& one : right) tree.push_back({one.feature, one.cut, one.leaf() ? 0 : one.right + first});
    return tree;
}

// The reached states are put in such an order that every node owns a range of them.
class NodeStates {
  public:
    explicit NodeStates(const neighbourhood::SearchModel& model) : model_(model) {}

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
