// The cheapest tree for a cost per group and action, and which actions some cheap tree takes: the exact step
// as a constraint.
#pragma once

#include <algorithm>

#include "certify/actions.hpp"
#include "certify/cubes.hpp"
#include "certify/sizes.hpp"

namespace spotree::certify {

struct Item {  // an open node of a partial tree
    int32_t cube, size, node;
};

struct TreeNode {
    int32_t split = -1, left = -1, right = -1, action = -1;
};

class Step {
  public:
    Step(const Cubes& cubes, const Sizes& sizes, int actions)
        : c_(cubes), sizes_(sizes), actions_(actions), padded_((actions + 3) / 4 * 4) {
        sum_.resize(size_t(cubes.size()) * padded_);
        least_.resize(size_t(cubes.size()) * sizes.count());
        done_.resize(least_.size());
    }

    int padded() const { return padded_; }

    // cost [group, padded action]; viable [cube, word] says which actions a leaf may take there (empty: all).
    template <class Stop>
    bool solve(const std::vector<double>& cost, const std::vector<uint64_t>& viable, Stop&& stop) {
        const int words = (actions_ + 63) / 64;
        for (int pass = 0; pass < 2; ++pass) {
            for (int v = 0; v < c_.size(); ++v) {
                const auto& cube = c_.cubes[v];
                if ((cube.parent >= 0) != (pass == 1)) continue;
                if (v % 1024 == 0 && stop()) return false;
                double* to = &sum_[size_t(v) * padded_];
                if (pass == 1) {
                    const double* whole = &sum_[size_t(cube.parent) * padded_];
                    const double* other = &sum_[size_t(cube.sibling) * padded_];
                    for (int a = 0; a < padded_; ++a) to[a] = whole[a] - other[a];
                } else {
                    std::fill(to, to + padded_, 0.0);
                    for (const int32_t* g = c_.begin(v); g != c_.end(v); ++g) {
                        const double* from = &cost[size_t(*g) * padded_];
                        for (int a = 0; a < padded_; ++a) to[a] += from[a];
                    }
                }
            }
        }
        const int sizes = sizes_.count();
        for (int v : c_.by_count) {
            const auto& cube = c_.cubes[v];
            double* least = &least_[size_t(v) * sizes];
            const double* sum = &sum_[size_t(v) * padded_];
            least[0] = 1e300;
            if (viable.empty()) {
                for (int a = 0; a < actions_; ++a) least[0] = std::min(least[0], sum[a]);
            } else {
                for (int a = 0; a < actions_; ++a) {
                    if (viable[size_t(v) * words + a / 64] & ActionSets::bit(a))
                        least[0] = std::min(least[0], sum[a]);
                }
            }
            for (int s = 1; s < sizes; ++s) {
                if (sizes_.depth[s] + cube.level > c_.depth) continue;
                double best = cube.edge_count == 0 ? least[0] : 1e300;
                for (const auto& [left, right] : sizes_.pairs[s]) {
                    for (int e = cube.edge_first; e < cube.edge_first + cube.edge_count; ++e) {
                        best = std::min(
                            best, least_of(c_.edges[e].left, left) + least_of(c_.edges[e].right, right));
                    }
                }
                least[s] = best;
            }
        }
        return true;
    }

    double least_of(int cube, int size) const { return least_[size_t(cube) * sizes_.count() + size]; }
    double leaf_cost(int cube, int action) const { return sum_[size_t(cube) * padded_ + action]; }
    const std::vector<double>& all_least() const { return least_; }
    const std::vector<double>& all_sums() const { return sum_; }

    // Removes from `unsupported` [group] every action that a tree within budget takes there. The items are
    // the open nodes of a partial tree; what is left over may be filtered.
    void support(const std::vector<Item>& items, double budget, const std::vector<uint64_t>& viable,
                 ActionSets& unsupported) {
        std::fill(done_.begin(), done_.end(), -1.0);
        viable_ = viable.empty() ? nullptr : &viable;
        double total = 0;
        for (const auto& item : items) total += least_of(item.cube, item.size);
        for (const auto& item : items) {
            mark(item.cube, item.size, budget - (total - least_of(item.cube, item.size)), unsupported);
        }
    }

    // The cheapest subtree of a size, appended to `nodes`; returns its root.
    int32_t extract(int cube, int size, const std::vector<uint64_t>& viable,
                    std::vector<TreeNode>& nodes) const {
        const auto number = int32_t(nodes.size());
        nodes.emplace_back();
        fill(cube, size, viable, nodes, number);
        return number;
    }

    void fill(int cube, int size, const std::vector<uint64_t>& viable, std::vector<TreeNode>& nodes,
              int32_t number) const {
        const int words = (actions_ + 63) / 64;
        int action = 0;
        double leaf = 1e301;
        for (int a = 0; a < actions_; ++a) {
            const bool may = viable.empty() || viable[size_t(cube) * words + a / 64] & ActionSets::bit(a);
            if (may && leaf_cost(cube, a) < leaf) leaf = leaf_cost(cube, a), action = a;
        }
        double best = leaf;
        const Cubes::Edge* edge = nullptr;
        std::pair<int, int> share{0, 0};
        for (const auto& pair : sizes_.pairs[size]) {
            const auto& here = c_.cubes[cube];
            for (int e = here.edge_first; e < here.edge_first + here.edge_count; ++e) {
                const double cost =
                    least_of(c_.edges[e].left, pair.first) + least_of(c_.edges[e].right, pair.second);
                if (cost < best) best = cost, edge = &c_.edges[e], share = pair;
            }
        }
        if (!edge) {
            nodes[number].action = action;
            return;
        }
        nodes[number].split = edge->split;
        const int32_t left = extract(edge->left, share.first, viable, nodes);
        nodes[number].left = left;
        const int32_t right = extract(edge->right, share.second, viable, nodes);
        nodes[number].right = right;
    }

  private:
    bool any_left(int cube, const ActionSets& unsupported) const {
        for (const int32_t* g = c_.begin(cube); g != c_.end(cube); ++g) {
            for (int k = 0; k < unsupported.words(); ++k) {
                if (unsupported.of(*g)[k]) return true;
            }
        }
        return false;
    }

    void mark(int cube, int size, double budget, ActionSets& unsupported) {
        double& done = done_[size_t(cube) * sizes_.count() + size];
        if (budget < least_of(cube, size) || budget <= done || !any_left(cube, unsupported)) return;
        done = budget;
        const auto& here = c_.cubes[cube];
        if (size == 0 || here.edge_count == 0) {
            const int words = unsupported.words();
            uint64_t cheap[16] = {};
            for (int a = 0; a < actions_; ++a) {
                if (leaf_cost(cube, a) <= budget) cheap[a / 64] |= ActionSets::bit(a);
            }
            for (int k = 0; k < words && viable_; ++k) cheap[k] &= (*viable_)[size_t(cube) * words + k];
            for (const int32_t* g = c_.begin(cube); g != c_.end(cube); ++g) {
                for (int k = 0; k < words; ++k) unsupported.of(*g)[k] &= ~cheap[k];
            }
            return;
        }
        for (const auto& [left, right] : sizes_.pairs[size]) {
            for (int e = here.edge_first; e < here.edge_first + here.edge_count; ++e) {
                const auto& edge = c_.edges[e];
                const double x = least_of(edge.left, left), y = least_of(edge.right, right);
                if (x + y > budget) continue;
                mark(edge.left, left, budget - y, unsupported);
                mark(edge.right, right, budget - x, unsupported);
            }
        }
    }

    const Cubes& c_;
    const Sizes& sizes_;
    int actions_, padded_;
    std::vector<double> sum_, least_, done_;
    const std::vector<uint64_t>* viable_ = nullptr;
};

}  // namespace spotree::certify
