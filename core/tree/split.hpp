// One question of a tree: is a feature's rank below a cut?
#pragma once

#include <cstdint>

namespace spotree {

struct Split {
    int32_t feature = 0;
    int32_t cut = 0;  // ranks below the cut go left; 0 sends every state right, so the node does not split
    bool operator==(const Split&) const = default;
};

}  // namespace spotree
