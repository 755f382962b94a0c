// Sends every row of a feature matrix down a tree.
#pragma once

#include <cstdint>

namespace spotree {

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
