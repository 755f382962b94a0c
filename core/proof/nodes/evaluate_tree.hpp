// A tree as a policy: what it does in each group, and what it is worth.
#pragma once

#include "proof/bounds/bounding.hpp"

namespace spotree::proof {

inline void actions_of_tree(const FeatureBoxes& cubes, const std::vector<TreeNode>& tree, int groups,
                            std::vector<int32_t>& action_of) {
    action_of.assign(groups, 0);
    for (int g = 0; g < groups; ++g) {
        int32_t node = 0;
        while (tree[node].split >= 0) {
            const Split split = cubes.splits[tree[node].split];
            const bool left = cubes.rank[size_t(g) * cubes.features + split.feature] < split.cut;
            node = left ? tree[node].left : tree[node].right;
        }
        action_of[g] = tree[node].action;
    }
}

// Evaluates the tree and makes it the incumbent if it is better. `value` is a warm start and is overwritten.
inline double offer_tree(Shared& shared, Relaxer& relaxer, const std::vector<TreeNode>& tree,
                         const std::vector<int32_t>& action_of, std::vector<double>& value) {
    const GroupedModel& m = shared.model;
    std::vector<int32_t> rows(m.num_states);
    for (int i = 0; i < m.num_states; ++i) {
        const int g = m.group_of[i];
        rows[i] = m.choices(i)[g < 0 ? 0 : action_of[g]];
    }
    auto stop = [&] { return shared.stopped(); };
    const double worth = relaxer.policy_return(rows, value, 0.01 * shared.tolerance, stop);
    if (std::isfinite(worth)) shared.offer(worth, tree);
    return worth;
}

}  // namespace spotree::proof
