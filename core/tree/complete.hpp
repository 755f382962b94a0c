// A candidate: a complete tree in level order, its thresholds as ranks.
#pragma once

#include <cstdint>
#include <vector>

namespace spotree {

struct Split {
    int32_t feature = 0;
    int32_t cut = 0;  // ranks below the cut go left; 0 sends every state right, so the node does not split
    bool operator==(const Split&) const = default;
};

// Children of node t are 2t + 1 and 2t + 2; leaf k is node num_inner() + k.
struct CompleteTree {
    int32_t depth = 0;
    std::vector<Split> split;     // [inner node]
    std::vector<int32_t> action;  // [leaf]

    CompleteTree() = default;
    CompleteTree(int32_t levels, int32_t first_action)
        : depth(levels), split((size_t{1} << levels) - 1), action(size_t{1} << levels, first_action) {}

    int32_t num_inner() const { return static_cast<int32_t>(split.size()); }
    int32_t num_leaves() const { return static_cast<int32_t>(action.size()); }
    bool operator==(const CompleteTree&) const = default;

    // The leaf (0 .. num_leaves - 1) of a row of ranks.
    int32_t leaf_of(const int32_t* rank) const {
        int32_t node = 0;
        for (int32_t level = 0; level < depth; ++level) {
            const Split& at = split[node];
            node = 2 * node + 1 + (rank[at.feature] >= at.cut);
        }
        return node - num_inner();
    }

    int32_t action_of(const int32_t* rank) const { return action[leaf_of(rank)]; }

    // The node at a level (0 = root) above a leaf.
    int32_t ancestor(int32_t leaf, int32_t level) const {
        return ((num_leaves() + leaf) >> (depth - level)) - 1;
    }

    // The first leaf below a node, and how many there are.
    static int32_t level_of(int32_t node) {
        int32_t level = 0;
        for (int32_t k = node + 1; k > 1; k >>= 1) ++level;
        return level;
    }
    int32_t leaves_below(int32_t node) const { return num_leaves() >> level_of(node); }
    int32_t first_leaf(int32_t node) const {
        const int32_t level = level_of(node);
        return ((node + 1) << (depth - level)) - num_leaves();
    }

    // Whether all leaves that a state below the node can reach take one action; that action, or -1.
    int32_t single_action(int32_t node) const {
        if (node >= num_inner()) return action[node - num_inner()];
        const int32_t right = single_action(2 * node + 2);
        if (split[node].cut == 0 || right < 0) return right;
        return single_action(2 * node + 1) == right ? right : -1;
    }

    // Leaves that remain when splits without effect are taken out.
    int32_t count_leaves(int32_t node = 0) const {
        if (single_action(node) >= 0) return 1;
        if (split[node].cut == 0) return count_leaves(2 * node + 2);
        return count_leaves(2 * node + 1) + count_leaves(2 * node + 2);
    }
};

// Copies the subtree below `from` to `to`, two nodes of one level.
inline void copy_subtree(const CompleteTree& source, int32_t from, CompleteTree& tree, int32_t to) {
    for (int32_t width = 1; from < tree.num_inner(); width *= 2, from = 2 * from + 1, to = 2 * to + 1) {
        for (int32_t k = 0; k < width; ++k) {
            tree.split[to + k] = source.split[from + k];
        }
    }
    const int32_t leaves = tree.leaves_below(to);
    for (int32_t k = 0; k < leaves; ++k) {
        tree.action[to - tree.num_inner() + k] = source.action[from - tree.num_inner() + k];
    }
}

struct TreeView {
    const int32_t* feature;
    const double* threshold;
    const int32_t* left;
    const int32_t* right;
};

// -1 for a row whose value is no number where the tree looks at it: that is neither below a threshold nor
// above.
inline int32_t route_row(const TreeView& tree, const double* row) {
    int32_t node = 0;
    while (tree.feature[node] >= 0) {
        const double value = row[tree.feature[node]];
        if (value != value) return -1;
        node = value < tree.threshold[node] ? tree.left[node] : tree.right[node];
    }
    return node;
}

inline void route(const TreeView& tree, const double* features, int64_t rows, int64_t num_features,
                  int32_t* leaf_of) {
    for (int64_t i = 0; i < rows; ++i) leaf_of[i] = route_row(tree, features + i * num_features);
}

}  // namespace spotree
