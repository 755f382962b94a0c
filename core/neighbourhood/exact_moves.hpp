// Moves by the exact step: part of the tree is replaced by the best one for some values and weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "exact/solve.hpp"
#include "model/ranks.hpp"
#include "neighbourhood/acceptance.hpp"
#include "neighbourhood/model.hpp"
#include "neighbourhood/moves.hpp"
#include "neighbourhood/surrogate/surrogate_gains.hpp"
#include "runtime/random.hpp"
#include "tree/complete.hpp"

namespace spotree::neighbourhood {

class Steps {
  public:
    const Stop* stop = nullptr;  // a step is broken off then

    Steps(const SearchModel& model, const Ranks& preparation, const Moves& moves, int32_t depth)
        : model_(model),
          preparation_(preparation),
          moves_(moves),
          gains_(model),
          cost_(depth + 1, 0.0),
          depth_(depth) {}

    int64_t work() const { return work_ + gains_.work; }

    // The best tree for the optimal values and visits.
    CompleteTree best_for_optimum(Random& random) {
        gains_.optimal();
        CompleteTree tree(depth_, 0);
        replace(tree, 0);
        moves_.fit(tree, random);
        return tree;
    }

    // Changes `tree`, the current one of the judge, by one move that costs about `most_work` at most.
    void change(CompleteTree& tree, Acceptance& judge, double most_work, Random& random) {
        if (!gains_.choose(judge, random)) return;
        const int32_t height = draw_height(most_work, random);
        int32_t node = tree.num_inner() + random.below(tree.num_leaves());
        if (!judge.reached().empty()) {
            const int32_t state = judge.reached()[random.below(static_cast<int64_t>(judge.reached().size()))];
            node = tree.num_inner() + tree.leaf_of(model_.rank_of(model_.group_of[state]));
        }
        for (int32_t k = 0; k < height; ++k) node = (node - 1) / 2;
        const double kind = random.uniform();
        if (kind < kReplace || height == 0) {
            replace(tree, node);
        } else if (kind < kOtherSplit) {
            tree.split[node] = moves_.random_split(random);
            replace(tree, 2 * node + 1);
            replace(tree, 2 * node + 2);
        } else if (kind < kResplit) {
            resplit(tree, node);
        } else {
            promote(tree, node, 2 * node + 1 + random.below(2));
        }
        moves_.fit(tree, random);
    }

  private:
    static constexpr double kDearest = 1e9;  // counted work of one step, at most
    static constexpr size_t kMemory = size_t{256} << 20;
    static constexpr double kReplace = 0.5, kOtherSplit = 0.75, kResplit = 0.87;  // how often, added up
    static constexpr double kLeastGrowth = 2, kMostGrowth = 24;  // times more work per height, as a guess
    static constexpr double kNewest = 0.2;  // weight of the newest step in the mean of what steps cost

    // The largest height whose steps cost at most so much; at least 1, if the tree has splits.
    int32_t highest(double most_work) const {
        int32_t height = std::min(depth_, 1);
        while (height < depth_ && expected_cost(height + 1) <= most_work) ++height;
        return height;
    }

    int32_t draw_height(double most_work, Random& random) const {
        const int32_t height = highest(most_work);
        return height == 0 ? 0 : 1 + random.below(height);
    }

    // What steps of a height have cost lately, or a guess.
    double expected_cost(int32_t height) const {
        if (cost_[height] > 0) return cost_[height];
        double splits = 0;
        for (int32_t f = 0; f < model_.num_features; ++f) splits += model_.num_values[f] - 1;
        const double growth = std::clamp(splits / 2, kLeastGrowth, kMostGrowth);
        return kernel_cost(model_.num_groups, splits, model_.num_actions) * std::pow(growth, height - 2);
    }

    double kernel_cost(double rows, double splits, double actions) const {
        const double features = model_.num_features;
        return actions * (rows * features * features / 40.0 + splits * splits);
    }

    // The best subtree below a node; where that is too dear, the best upper part first and then what is
    // below.
    void replace(CompleteTree& tree, int32_t node) {
        const int32_t level = CompleteTree::level_of(node);
        const int32_t height = std::min(depth_ - level, highest(kDearest));
        const double* gain = gains_.below(tree, node);
        if (gains_.groups().empty()) return;
        const int32_t leaves = moves_.leaves_for(tree, node);
        place(solve(gain, model_.num_actions, height, leaves).tree, 0, tree, node);
        if (height == depth_ - level || height == 0) return;
        const int32_t width = int32_t{1} << height;
        const int32_t first = (node + 1) * width - 1;
        for (int32_t k = 0; k < width; ++k) replace(tree, first + k);
    }

    // The best split of a node whose children stay as they are, or change places.
    void resplit(CompleteTree& tree, int32_t node) {
        const double* gain = gains_.below(tree, node);
        two_sides_.assign(2 * static_cast<size_t>(model_.num_groups), 0.0);
        CompleteTree left = tree;
        CompleteTree right = tree;
        left.split[node] = {0, model_.num_values[0]};
        right.split[node] = {0, -1};
        for (int32_t up = node; up > 0;
             up = (up - 1) / 2) {  // the path to the node stays open for its groups
            const bool from_left = up % 2 == 1;
            left.split[(up - 1) / 2] = right.split[(up - 1) / 2] = {0, from_left ? model_.num_values[0] : -1};
        }
        for (const int32_t group : gains_.groups()) {
            const int32_t* rank = model_.rank_of(group);
            const double* of_group = gain + static_cast<int64_t>(group) * model_.num_actions;
            two_sides_[2 * group] = of_group[left.action_of(rank)];
            two_sides_[2 * group + 1] = of_group[right.action_of(rank)];
        }
        const exact::Solution& best = solve(two_sides_.data(), 2, 1, 2);
        if (best.tree.feature[0] < 0) return;
        tree.split[node] = split_of(best.tree, 0);
        if (best.tree.action[best.tree.left[0]] == 1) moves_.swap_children(tree, node);
    }

    // A child takes its parent's place; its leaves are split anew.
    void promote(CompleteTree& tree, int32_t node, int32_t child) {
        const CompleteTree old = tree;
        int32_t from = child;
        int32_t to = node;
        for (int32_t width = 1; from < tree.num_inner(); width *= 2, from = 2 * from + 1, to = 2 * to + 1) {
            for (int32_t k = 0; k < width; ++k) tree.split[to + k] = old.split[from + k];
        }
        const int32_t lowest = to;  // the first lowest inner node below `node`
        const int32_t count = tree.leaves_below(node) / 2;
        for (int32_t k = 0; k < count; ++k) {
            const int32_t leaf = 2 * (lowest + k) + 1 - tree.num_inner();
            tree.split[lowest + k] = {};
            tree.action[leaf] = tree.action[leaf + 1] = old.action[from - tree.num_inner() + k];
            replace(tree, lowest + k);
        }
    }

    const exact::Solution& solve(const double* gain, int32_t actions, int32_t height, int32_t leaves) {
        exact::Options options;
        options.depth = height;
        options.max_leaves = leaves;
        options.memory = kMemory;
        Stop end = stop ? Stop(*stop, 0.0) : Stop();
        best_ = exact::solve(preparation_, gain, actions, options, workspace_, end);
        const double features = model_.num_features;
        const double kernel = height < 2 ? best_.rows * features + actions * best_.splits
                                         : kernel_cost(best_.rows, best_.splits, actions);
        const double spent = 2.0 * model_.num_groups * actions + 20.0 * best_.rows * (features + actions) +
                             static_cast<double>(best_.kernels) * kernel + 2000;
        work_ += static_cast<int64_t>(spent);
        if (actions == model_.num_actions) {
            cost_[height] += (cost_[height] > 0 ? kNewest : 1.0) * (spent - cost_[height]);
        }
        return best_;
    }

    // Writes node `at` of a found tree, and all below, to a node of the complete tree.
    void place(const exact::TreeArrays& found, int32_t at, CompleteTree& tree, int32_t node) const {
        if (found.feature[at] < 0) {
            const int32_t first = tree.first_leaf(node);
            std::fill_n(tree.action.begin() + first, tree.leaves_below(node), found.action[at]);
            return;
        }
        tree.split[node] = split_of(found, at);
        place(found, found.left[at], tree, 2 * node + 1);
        place(found, found.right[at], tree, 2 * node + 2);
    }

    // Ranks are the features of the exact step: a threshold lies between two of them.
    static Split split_of(const exact::TreeArrays& found, int32_t at) {
        return {found.feature[at], static_cast<int32_t>(std::ceil(found.threshold[at]))};
    }

    const SearchModel& model_;
    const Ranks& preparation_;
    const Moves& moves_;
    Gains gains_;
    std::vector<double> cost_;  // [height] of a step, lately
    int32_t depth_;
    int64_t work_ = 0;
    exact::Workspace workspace_;
    exact::Solution best_;
    std::vector<double> two_sides_;
};

}  // namespace spotree::neighbourhood
