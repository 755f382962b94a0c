// Open nodes of a partial tree and what they may still become, from its last processed subproblem.
#pragma once

#include <memory>

#include "proof/bounds/bounding.hpp"

namespace spotree::proof {

struct Child {  // one way to split a node
    double estimate;
    int32_t first, second, left, right;
    std::pair<int, int> share;
};

class Partial {
  public:
    double upper;  // of the region

    Partial(const Shared& shared, const Subproblem& region, const Bounder& bounder)
        : upper(region.relaxed.bound),
          m_(shared.model),
          sizes_(shared.sizes),
          cubes_(shared.cubes),
          least_(bounder.least_loss.all_least()),
          sums_(bounder.least_loss.all_sums()),
          reached_(bounder.reached),
          padded_(bounder.least_loss.padded()) {}

    bool reached(int group) const { return reached_[group]; }
    double least(int cube, int size) const { return least_[size_t(cube) * sizes_.count() + size]; }
    double least(const Item& item) const { return least(item.cube, item.size); }
    double leaf_loss(int cube, int action) const { return sums_[size_t(cube) * padded_ + action]; }

    bool anything_reached(int cube) const {
        for (const int32_t* g = cubes_.begin(cube); g != cubes_.end(cube); ++g) {
            if (reached_[*g]) return true;
        }
        return false;
    }

    bool splittable(const Item& item) const {
        const auto& cube = cubes_.cubes[item.cube];
        for (int e = cube.edge_first; item.size > 0 && e < cube.edge_first + cube.edge_count; ++e) {
            if (anything_reached(cubes_.edges[e].left) && anything_reached(cubes_.edges[e].right))
                return true;
        }
        return false;
    }

    // The splits that part the reached groups of a node, each way once; the estimate is what they lose.
    std::vector<Child> ways(const Item& item) const {
        std::vector<Child> children;
        std::unordered_set<SetKey, SetKeyHash> seen;
        const auto& cube = cubes_.cubes[item.cube];
        for (int e = cube.edge_first; e < cube.edge_first + cube.edge_count; ++e) {
            const auto& edge = cubes_.edges[e];
            const SetKey left = key(edge.left), right = key(edge.right);
            if (left == SetKey{} || right == SetKey{}) continue;
            if (!seen.insert(right < left ? right : left).second)
                continue;  // sizes are shared out both ways round
            int32_t number = 0;
            for (const auto& share : sizes_.pairs[item.size]) {
                const double loss = least(edge.left, share.first) + least(edge.right, share.second);
                children.push_back({loss, edge.split, number++, edge.left, edge.right, share});
            }
        }
        return children;
    }

    // The actions that a leaf may take, each effect once.
    std::vector<int> actions(const ActionSets& allowed, int cube) const {
        std::vector<int> found;
        for (int a = 0; a < m_.num_actions; ++a) {
            bool fresh = possible(allowed, cube, a);
            for (size_t k = 0; k < found.size() && fresh; ++k) fresh = !alike(cube, a, found[k]);
            if (fresh) found.push_back(a);
        }
        return found;
    }

  private:
    SetKey key(int cube) const {
        SetKey found;
        for (const int32_t* g = cubes_.begin(cube); g != cubes_.end(cube); ++g) {
            if (reached_[*g]) found = found ^ cubes_.keys[*g];
        }
        return found;
    }

    bool possible(const ActionSets& allowed, int cube, int action) const {
        for (const int32_t* g = cubes_.begin(cube); g != cubes_.end(cube); ++g) {
            if (reached_[*g] && !allowed.has(*g, action)) return false;
        }
        return true;
    }

    // Whether two actions do the same in every state of the reached groups of a cube.
    bool alike(int cube, int a, int b) const {
        for (const int32_t* g = cubes_.begin(cube); g != cubes_.end(cube); ++g) {
            if (!reached_[*g]) continue;
            for (int k = m_.group_start[*g]; k < m_.group_start[*g + 1]; ++k) {
                const int32_t* rows = m_.choices(m_.group_state[k]);
                if (rows[a] != rows[b]) return false;
            }
        }
        return true;
    }

    const GroupedModel& m_;
    const Sizes& sizes_;
    const FeatureBoxes& cubes_;
    std::vector<double> least_, sums_;
    std::vector<char> reached_;
    int padded_;
};

}  // namespace spotree::proof
