// What the frozen nodes of a complete tree ask of every tree of the problem.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace spotree::exact {

constexpr int32_t kFree = -2, kUnsplit = -1;

// Arrays over the complete tree of the problem's depth (see Frozen in Python); null pointers: nothing is
// frozen.
struct FrozenView {
    const int32_t* feature = nullptr;
    const double* threshold = nullptr;
    const int32_t* action = nullptr;
};

// The complete tree, node t with children 2t + 1 and 2t + 2.
class Shape {
  public:
    Shape(const FrozenView& frozen, int depth) : frozen_(frozen), inner_((1 << depth) - 1) {
        restricted_.assign(2 * static_cast<size_t>(inner_) + 1, 0);
        fewest_.assign(2 * static_cast<size_t>(inner_) + 1, 1);
        for (int32_t t = 2 * inner_; t >= 0; --t) {
            if (t >= inner_) {
                restricted_[t] = action(t - inner_) != kFree;
                continue;
            }
            restricted_[t] = restricted_[2 * t + 1] || restricted_[2 * t + 2] || kind(t) != kFree;
            const int32_t left = fewest_[2 * t + 1], right = fewest_[2 * t + 2];
            fewest_[t] = kind(t) == kUnsplit ? 1 : kind(t) == kFree ? std::min(left, right) : left + right;
        }
    }

    // kFree, kUnsplit or the feature of an inner node.
    int32_t kind(int32_t t) const { return frozen_.feature ? frozen_.feature[t] : kFree; }
    double threshold(int32_t t) const { return frozen_.threshold[t]; }
    int32_t action(int32_t leaf) const { return frozen_.action ? frozen_.action[leaf] : kFree; }
    // Something is frozen in the subtree.
    bool restricted(int32_t t) const { return restricted_[t]; }
    // Leaves that the frozen splits of the subtree need at least.
    int32_t fewest(int32_t t) const { return fewest_[t]; }
    // All rows of t end in one leaf, which `leaf` names.
    bool ends(int32_t t) const { return t >= inner_ || kind(t) == kUnsplit; }
    int32_t leaf(int32_t t) const {
        while (t < inner_) t = 2 * t + 2;
        return t - inner_;
    }

  private:
    FrozenView frozen_;
    int32_t inner_;
    std::vector<uint8_t> restricted_;
    std::vector<int32_t> fewest_;
};

}  // namespace spotree::exact
