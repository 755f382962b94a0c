// Leaves that a region cannot have, as its relaxation alone tells: whatever other nodes are open.
#pragma once

#include <mutex>
#include <optional>

#include "proof/bounds/bounding.hpp"

namespace spotree::proof {

// Regions that differ in their open nodes only have the same relaxation, also with one leaf fixed. Two splits
// lead to the same leaf in either order: what was shown the first time is written down again.
class LeafCache {
  public:
    // How the region with this leaf was closed, if it was.
    std::optional<Draft> find(int32_t cube, int32_t action) const {
        std::scoped_lock hold(lock_);
        const auto place = shown_.find({cube, action});
        if (place == shown_.end()) return {};
        return place->second;
    }

    void add(int32_t cube, int32_t action, const Draft& draft) {
        std::scoped_lock hold(lock_);
        shown_.emplace(std::pair(cube, action), draft);
    }

  private:
    mutable std::mutex lock_;
    std::map<std::pair<int32_t, int32_t>, Draft> shown_;
};

}  // namespace spotree::proof
