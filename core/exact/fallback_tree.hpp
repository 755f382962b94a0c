// The answer when the time is up before the search began: one action for all rows, as far as nothing is
// frozen.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "exact/constrained_search.hpp"
#include "exact/reconstruct.hpp"

namespace spotree::exact {

// One pass over the gains and no features: the frozen splits, the best single action in every leaf that is
// not frozen, and the sum of the rows' best gains as the only bound.
class Early {
  public:
    TreeArrays tree;
    double best_gain = 0.0;  // no tree gains more

    Early(const double* gain, int64_t rows, int32_t actions, const uint8_t* chosen, const Shape& shape) {
        std::vector<double> sum(actions, 0.0);
        for (int64_t i = 0; i < rows; ++i) {
            if (chosen && !chosen[i]) continue;
            const double* x = gain + i * actions;
            double high = x[0];
            for (int32_t a = 0; a < actions; ++a) {
                sum[a] += x[a];
                high = std::max(high, x[a]);
            }
            best_gain += high;
        }
        action_ = static_cast<int32_t>(std::max_element(sum.begin(), sum.end()) - sum.begin());
        build(shape, 0);
    }

  private:
    int32_t build(const Shape& shape, int32_t t) {
        if (shape.ends(t) || !shape.restricted(t)) {
            const int32_t node = tree.add(), fixed = shape.action(shape.leaf(t));
            tree.action[node] = fixed == kFree ? action_ : fixed;
            return node;
        }
        if (shape.kind(t) == kFree)  // all rows to the side that needs fewer leaves
            return build(shape, shape.fewest(2 * t + 2) <= shape.fewest(2 * t + 1) ? 2 * t + 2 : 2 * t + 1);
        const int32_t node = tree.add_split(shape.kind(t), shape.threshold(t));
        const int32_t left = build(shape, 2 * t + 1);
        const int32_t right = build(shape, 2 * t + 2);
        tree.left[node] = left;
        tree.right[node] = right;
        return node;
    }

    int32_t action_ = 0;
};

}  // namespace spotree::exact
