// Size budget of subtrees, and its division between two sides.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace spotree::proof {

// Size 0 is a leaf. Without a limit on leaves there is one size for each depth.
struct Sizes {
    std::vector<int> depth;                               // [size]
    std::vector<std::vector<std::pair<int, int>>> pairs;  // [size] -> sizes of the left and right side
    int whole = 0;                                        // the size of the whole tree

    Sizes(int tree_depth, int max_leaves) {
        std::map<std::pair<int, int>, int> number;  // depth, leaves -> size
        depth.push_back(0);
        pairs.emplace_back();
        number[{0, 1}] = 0;
        const bool limited = max_leaves < full(tree_depth);
        for (int d = 1; d <= tree_depth; ++d) {
            number[{d, 1}] = 0;
            const int most = limited ? std::min(full(d), max_leaves) : full(d);
            for (int k = limited ? 2 : most; k <= most; ++k) {
                const int half = full(d - 1);
                const auto size = int(depth.size());
                depth.push_back(d);
                auto& shares = pairs.emplace_back();
                if (!limited) shares.emplace_back(number.at({d - 1, half}), number.at({d - 1, half}));
                for (int left = std::max(1, k - half); limited && left <= std::min(half, k - 1); ++left)
                    shares.emplace_back(number.at({d - 1, left}), number.at({d - 1, k - left}));
                number[{d, k}] = size;
            }
        }
        whole = number.at({tree_depth, limited ? max_leaves : full(tree_depth)});
        if (tree_depth == 0) whole = 0;
    }

    int count() const { return int(depth.size()); }

  private:
    // The most leaves of a depth; beyond 29 splits on a path there are more than anybody counts.
    static int full(int d) { return 1 << std::min(d, 29); }
};

}  // namespace spotree::proof
