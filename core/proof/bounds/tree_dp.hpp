// The tree of least loss, for a loss per group and action, and which actions some tree within a budget takes.
#pragma once

#include <algorithm>

#include "proof/nodes/action_sets.hpp"
#include "proof/nodes/feature_boxes.hpp"
#include "proof/nodes/size_budget.hpp"

namespace spotree::proof {

struct Item {  // an open node of a partial tree
    int32_t cube, size, node;
};

struct TreeNode {
    int32_t split = -1, left = -1, right = -1, action = -1;
};

class TreeDp {
  public:
    TreeDp(const FeatureBoxes& cubes, const Sizes& sizes, int actions)
        : c_(cubes), sizes_(sizes), actions_(actions), padded_((actions + 3) / 4 * 4) {
        sum_.resize(size_t(cubes.size()) * padded_);
        least_.resize(size_t(cubes.size()) * sizes.count());
        done_.resize(least_.size());
        summed_.assign(cubes.size(), 0);
        solved_.assign(least_.size(), 0);
    }

    int padded() const { return padded_; }

    // loss [group, padded action]; viable [cube, word] says which actions a leaf may take there (empty: all).
    // Only cubes within the items are looked at: the others keep what they had.
    bool solve(const std::vector<double>& loss, const std::vector<uint64_t>& viable,
               const std::vector<Item>& items, auto&& stop) {
        loss_ = loss.data();
        find_free(loss);
        viable_ = viable.empty() ? nullptr : viable.data();
        if (items.size() == 1 && items[0].cube == 0) return solve_all(stop);
        ++now_;
        found_ = 0;
        for (const auto& item : items) {
            if (summed_[item.cube] != now_) add_up(item.cube);
            if (!find(item.cube, item.size, stop)) return false;
        }
        return true;
    }

    double of(int cube, int size) const { return least_[size_t(cube) * sizes_.count() + size]; }
    double leaf_loss(int cube, int action) const { return sum_[size_t(cube) * padded_ + action]; }
    const std::vector<double>& all_least() const { return least_; }
    const std::vector<double>& all_sums() const { return sum_; }

    // Removes from `unsupported` [group] every action that a tree within budget takes there. The items are
    // the open nodes of a partial tree, as they were solved; what is left over may be filtered. False:
    // stopped.
    bool support(const std::vector<Item>& items, double budget, ActionSets& unsupported, auto&& stop) {
        double total = 0;
        found_ = 0;
        for (const auto& item : items) total += of(item.cube, item.size);
        for (const auto& item : items) {
            const double here = budget - (total - of(item.cube, item.size));
            if (!mark(item.cube, item.size, here, unsupported, stop)) return false;
        }
        return true;
    }

    // The subtree of least loss of a size, appended to `nodes`; returns its root.
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
            if (may && leaf_loss(cube, a) < leaf) leaf = leaf_loss(cube, a), action = a;
        }
        double best = leaf;
        const FeatureBoxes::Edge* edge = nullptr;
        std::pair<int, int> share{0, 0};
        for (const auto& pair : sizes_.pairs[size]) {
            const auto& here = c_.cubes[cube];
            for (int e = here.edge_first; e < here.edge_first + here.edge_count; ++e) {
                const double loss = of(c_.edges[e].left, pair.first) + of(c_.edges[e].right, pair.second);
                if (loss < best) best = loss, edge = &c_.edges[e], share = pair;
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

    bool mark(int cube, int size, double budget, ActionSets& unsupported, auto&& stop) {
        double& done = done_[at(cube, size)];
        if (budget < of(cube, size) || budget <= done) return true;
        if (++found_ % 64 == 0 && stop()) return false;
        if (!any_left(cube, unsupported)) return true;
        done = budget;
        const auto& here = c_.cubes[cube];
        if (size == 0 || here.edge_count == 0) {
            const int words = unsupported.words();
            within_.assign(words, 0);
            for (int a = 0; a < actions_; ++a) {
                if (leaf_loss(cube, a) <= budget) within_[a / 64] |= ActionSets::bit(a);
            }
            for (int k = 0; k < words && viable_; ++k) within_[k] &= viable_[size_t(cube) * words + k];
            for (const int32_t* g = c_.begin(cube); g != c_.end(cube); ++g) {
                for (int k = 0; k < words; ++k) unsupported.of(*g)[k] &= ~within_[k];
            }
            return true;
        }
        for (const auto& [left, right] : sizes_.pairs[size]) {
            for (int e = here.edge_first; e < here.edge_first + here.edge_count; ++e) {
                const auto& edge = c_.edges[e];
                const double x = of(edge.left, left), y = of(edge.right, right);
                if (x + y > budget) continue;
                if (!mark(edge.left, left, budget - y, unsupported, stop)) return false;
                if (!mark(edge.right, right, budget - x, unsupported, stop)) return false;
            }
        }
        return true;
    }

    size_t at(int cube, int size) const { return size_t(cube) * sizes_.count() + size; }

    bool solve_all(auto&& stop) {
        int64_t looked = 0;
        for (const auto& sum : c_.sums) {
            if (++looked % 64 == 0 && stop()) return false;
            if (sum.inner < 0) {
                add_up(sum.cube);
                continue;
            }
            summed_[sum.cube] = now_;
            std::copy_n(&sum_[size_t(sum.inner) * padded_], padded_, &sum_[size_t(sum.cube) * padded_]);
            const int32_t* first = c_.between.data() + sum.first;
            add(first, first + sum.count, sum.cube);
        }
        for (int v = 0; v < c_.size(); ++v) {
            if (v % 64 == 0 && stop()) return false;
            if (c_.cubes[v].parent >= 0) subtract(v, c_.cubes[v].parent, c_.cubes[v].sibling);
        }
        for (int v : c_.by_count) {
            if (++looked % 256 == 0 && stop()) return false;
            for (int s = 0; s < sizes_.count(); ++s) {
                if (s == 0 || sizes_.depth[s] + c_.cubes[v].level <= c_.depth) find_least(v, s);
            }
        }
        return true;
    }

    // The least of a cube after that of its parts.
    bool find(int cube, int size, auto&& stop) {
        if (solved_[at(cube, size)] == now_) return true;
        solved_[at(cube, size)] = now_;
        if (++found_ % 256 == 0 && stop()) return false;
        const auto& here = c_.cubes[cube];
        if (solved_[at(cube, 0)] != now_ || size == 0) find_least(cube, 0);
        if (size == 0) return true;
        solved_[at(cube, 0)] = now_;
        for (int e = here.edge_first; e < here.edge_first + here.edge_count; ++e) {
            const auto& edge = c_.edges[e];
            const bool left_first = c_.cubes[edge.left].count <= c_.cubes[edge.right].count;
            const int small = left_first ? edge.left : edge.right,
                      large = left_first ? edge.right : edge.left;
            if (summed_[small] != now_) add_up(small);
            if (summed_[large] != now_) subtract(large, cube, small);
            for (const auto& [left, right] : sizes_.pairs[size]) {
                if (!find(edge.left, left, stop) || !find(edge.right, right, stop)) return false;
            }
        }
        find_least(cube, size);
        return true;
    }

    void find_least(int cube, int size) {
        const auto& here = c_.cubes[cube];
        done_[at(cube, size)] = -1.0;
        double best = 1e300;
        if (size == 0) {
            const double* sum = &sum_[size_t(cube) * padded_];
            const int words = (actions_ + 63) / 64;
            for (int a = 0; a < actions_; ++a) {
                if (viable_ && !(viable_[size_t(cube) * words + a / 64] & ActionSets::bit(a))) continue;
                best = std::min(best, sum[a]);
            }
        } else if (here.edge_count == 0) {
            best = of(cube, 0);
        }
        for (const auto& [left, right] : sizes_.pairs[size]) {
            for (int e = here.edge_first; e < here.edge_first + here.edge_count; ++e) {
                const auto& edge = c_.edges[e];
                best = std::min(best, of(edge.left, left) + of(edge.right, right));
            }
        }
        least_[at(cube, size)] = best;
    }

    void add_up(int cube) {
        summed_[cube] = now_;
        std::fill_n(&sum_[size_t(cube) * padded_], padded_, 0.0);
        add(c_.begin(cube), c_.end(cube), cube);
    }

    void add(const int32_t* group, const int32_t* end, int cube) {
        double* to = &sum_[size_t(cube) * padded_];
        for (; group != end; ++group) {
            if (free_[*group]) continue;
            const double* from = loss_ + size_t(*group) * padded_;
            for (int a = 0; a < padded_; ++a) to[a] += from[a];
        }
    }

    // Groups where nothing is lost, whatever is done there: no need to add that up.
    void find_free(const std::vector<double>& loss) {
        free_.assign(loss.size() / padded_, 1);
        for (size_t g = 0; g < free_.size(); ++g) {
            for (int a = 0; a < actions_; ++a) free_[g] &= loss[g * padded_ + a] == 0;
        }
    }

    void subtract(int cube, int whole, int part) {
        summed_[cube] = now_;
        double* to = &sum_[size_t(cube) * padded_];
        const double* all = &sum_[size_t(whole) * padded_];
        const double* other = &sum_[size_t(part) * padded_];
        for (int a = 0; a < padded_; ++a) to[a] = all[a] - other[a];
    }

    const FeatureBoxes& c_;
    const Sizes& sizes_;
    int actions_, padded_;
    std::vector<double> sum_, least_, done_;
    std::vector<char> free_;                 // [group]
    std::vector<uint64_t> within_;           // [word] actions within the budget of a leaf
    std::vector<uint32_t> summed_, solved_;  // when they were found last
    uint32_t now_ = 1;
    int64_t found_ = 0;
    const double* loss_ = nullptr;
    const uint64_t* viable_ = nullptr;
};

}  // namespace spotree::proof
