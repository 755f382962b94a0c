// Which sizes of subtrees there are, and how a size is shared out between two sides.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace spotree::certify {

// Size 0 is a leaf. Without a limit on leaves there is one size for each depth.
struct Sizes {
    std::vector<int> depth;                               // [size]
    std::vector<std::vector<std::pair<int, int>>> pairs;  // [size] -> sizes of the left and right side
    int whole = 0;                                        // the size of the whole tree

    Sizes() = default;
    Sizes(int tree_depth, int max_leaves) {
        std::map<std::pair<int, int>, int> number;  // depth, leaves -> size
        depth.push_back(0);
        pairs.emplace_back();
        number[{0, 1}] = 0;
        const bool limited = tree_depth < 30 && max_leaves < (1 << tree_depth);
        for (int d = 1; d <= tree_depth; ++d) {
            const int full = d < 30 ? 1 << d : 1 << 30;
            number[{d, 1}] = 0;
            for (int k = limited ? 2 : full; k <= (limited ? std::min(full, max_leaves) : full); ++k) {
                number[{d, k}] = int(depth.size());
                depth.push_back(d);
                auto& shares = pairs.emplace_back();
                const int half = full / 2;
                for (int left = std::max(1, k - half); left <= std::min(half, k - 1); ++left) {
                    if (!limited && left != half) continue;
                    shares.emplace_back(number.at({d - 1, left}), number.at({d - 1, k - left}));
                }
            }
        }
        whole = limited ? number.at({tree_depth, std::min(max_leaves, 1 << std::min(tree_depth, 29))})
                        : number.at({tree_depth, tree_depth < 30 ? 1 << tree_depth : 1 << 30});
        if (tree_depth == 0) whole = 0;
    }

    int count() const { return int(depth.size()); }
};

}  // namespace spotree::certify
