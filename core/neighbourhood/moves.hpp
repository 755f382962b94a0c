// Elementary moves: small random changes of a tree, proposed from the states that it reaches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "neighbourhood/model.hpp"
#include "neighbourhood/optimal_rows.hpp"
#include "runtime/random.hpp"
#include "tree/complete.hpp"

namespace spotree::neighbourhood {

class Moves {
  public:
    Moves(const SearchModel& model, const OptimalRows& right, int32_t depth, int32_t max_leaves)
        : model_(model), right_(right), depth_(depth), max_leaves_(max_leaves) {}

    // A tree with a random split at every inner node and random actions.
    CompleteTree random_tree(Random& random) const {
        CompleteTree tree(depth_, 0);
        randomise(tree, 0, random);
        fit(tree, random);
        return tree;
    }

    // Changes `tree` a little; `reached` are the states with a choice that it reaches. ConstrainedSearch
    // changes are made where the tree loses something, half of the time, and half of their actions lose
    // nothing there.
    void change(CompleteTree& tree, const std::vector<int32_t>& reached, bool guided, Random& random) const {
        if (reached.empty()) return;
        int32_t state = any(reached, random);
        if (guided && random.uniform() < kAtWrong) {
            for (int32_t look = 0; look < kLooks && right_(row_of(tree, state)); ++look)
                state = any(reached, random);
        }
        const int32_t leaf = tree.leaf_of(rank(state));
        const double kind = random.uniform();
        if (kind < kAction || depth_ == 0 || model_.split_features.empty()) {
            change_action(tree, leaf, state, guided, random);
        } else if (kind < kSplit) {
            change_split(tree, leaf, state, reached, guided, random);
        } else {
            const int32_t level = random.below(depth_);
            const int32_t node = tree.ancestor(leaf, level);
            if (kind < kShift) {
                shift(tree, node, random);
            } else if (kind < kSwap) {
                swap_children(tree, node);
            } else if (kind < kCopy) {
                copy_or_swap(tree, leaf, random);
            } else if (kind < kExchange) {
                exchange(tree, leaf, random);
            } else {
                randomise(tree, node, random);
            }
        }
        fit(tree, random);
    }

    // Makes a random part of the tree new.
    void renew(CompleteTree& tree, Random& random) const {
        if (depth_ > 0) randomise(tree, random.below(tree.num_inner()), random);
        fit(tree, random);
    }

    // Collapses random splits until the tree has at most the allowed leaves.
    void fit(CompleteTree& tree, Random& random) const {
        if (max_leaves_ >= tree.num_leaves()) return;
        while (tree.count_leaves() > max_leaves_) {
            int32_t node = 0;  // walk down to a split with two single actions below
            for (;;) {
                const int32_t left = 2 * node + 1;
                if (tree.split[node].cut == 0) {
                    node = left + 1;
                    continue;
                }
                const bool left_single = tree.single_action(left) >= 0;
                const bool right_single = tree.single_action(left + 1) >= 0;
                if (left_single && right_single) break;
                node = left_single ? left + 1 : right_single ? left : left + random.below(2);
            }
            if (random.below(2) == 0) swap_children(tree, node);
            tree.split[node].cut = 0;
        }
    }

    // How many leaves a new subtree at a node may have.
    int32_t leaves_for(const CompleteTree& tree, int32_t node) const {
        const int32_t below = tree.leaves_below(node);
        if (max_leaves_ >= tree.num_leaves()) return below;
        CompleteTree single = tree;
        std::fill_n(single.action.begin() + tree.first_leaf(node), below, 0);
        return std::clamp(max_leaves_ - single.count_leaves() + 1, 1, below);
    }

    // Any split.
    Split random_split(Random& random) const {
        const int32_t count = static_cast<int32_t>(model_.split_features.size());
        if (count == 0) return {};
        const int32_t feature = model_.split_features[random.below(count)];
        return {feature, 1 + random.below(model_.num_values[feature] - 1)};
    }

    void swap_children(CompleteTree& tree, int32_t node) const {
        const CompleteTree old = tree;
        copy_subtree(old, 2 * node + 1, tree, 2 * node + 2);
        copy_subtree(old, 2 * node + 2, tree, 2 * node + 1);
    }

  private:
    // How often each kind of move is made, added up; the rest are random subtrees.
    static constexpr double kAction = 0.40, kSplit = 0.75, kShift = 0.83, kSwap = 0.88, kCopy = 0.93,
                            kExchange = 0.97;
    static constexpr double kSwapToo = 0.3;  // of the new splits: children change places
    static constexpr double kAtWrong = 0.5;  // of the changes: where the tree loses something, if a few looks
    static constexpr int32_t kLooks = 8;     // find such a state
    static constexpr double kRight = 0.5;    // of the new actions: one that loses nothing in the state

    static int32_t any(const std::vector<int32_t>& states, Random& random) {
        return states[random.below(static_cast<int64_t>(states.size()))];
    }

    int32_t row_of(const CompleteTree& tree, int32_t state) const {
        return model_.choices(state)[tree.action_of(rank(state))];
    }

    const int32_t* rank(int32_t state) const { return model_.rank_of(model_.group_of[state]); }

    void change_action(CompleteTree& tree, int32_t leaf, int32_t state, bool guided, Random& random) const {
        int32_t& action = tree.action[leaf];
        const int32_t* choices = model_.choices(state);
        if (guided && random.uniform() < kRight) {
            int32_t ties = 0, found = -1;
            for (int32_t a = 0; a < model_.num_actions; ++a) {
                if (a != action && right_(choices[a]) && random.below(++ties) == 0) found = a;
            }
            if (found >= 0) {
                action = found;
                return;
            }
        }
        if (random.below(2) == 0 && model_.num_actions <= 64) {  // every different effect equally likely
            int32_t rows[64];
            int32_t count = 0;
            for (int32_t a = 0; a < model_.num_actions; ++a) {
                const int32_t row = choices[a];
                if (row < 0 || row == choices[action]) continue;
                if (std::find(rows, rows + count, row) == rows + count) rows[count++] = row;
            }
            if (count > 0) {
                const int32_t row = rows[random.below(count)];
                int32_t candidates[64];
                int32_t found = 0;
                for (int32_t a = 0; a < model_.num_actions; ++a) {
                    if (choices[a] == row) candidates[found++] = a;
                }
                action = candidates[random.below(found)];
                return;
            }
        }
        for (int32_t attempt = 0; attempt < 8; ++attempt) {
            const int32_t other = random.below(model_.num_actions);
            if (choices[other] == choices[action] || choices[other] < 0) continue;
            action = other;
            return;
        }
        action = random.below(model_.num_actions);
    }

    // A split that tells `state` from another reached state of the node.
    void change_split(CompleteTree& tree, int32_t leaf, int32_t state, const std::vector<int32_t>& reached,
                      bool guided, Random& random) const {
        const int32_t level = random.below(depth_);
        const int32_t node = tree.ancestor(leaf, level);
        tree.split[node] = split_near(tree, node, level, state, reached, random);
        if (random.uniform() < kSwapToo) swap_children(tree, node);
        if (level == depth_ - 1 && random.below(2) == 0) {
            change_action(tree, tree.leaf_of(rank(state)), state, guided, random);
        }
    }

    Split split_near(const CompleteTree& tree, int32_t node, int32_t level, int32_t state,
                     const std::vector<int32_t>& reached, Random& random) const {
        const int32_t* mine = rank(state);
        for (int32_t attempt = 0; attempt < 12; ++attempt) {
            const int32_t other = any(reached, random);
            const int32_t* theirs = rank(other);
            if (theirs == mine || tree.ancestor(tree.leaf_of(theirs), level) != node) continue;
            int32_t differ = 0;
            Split split;
            for (const int32_t f : model_.split_features) {  // one feature of those that differ
                if (mine[f] == theirs[f] || random.below(++differ) != 0) continue;
                split = {f, 0};
            }
            if (differ == 0) continue;
            const auto [low, high] = std::minmax(mine[split.feature], theirs[split.feature]);
            split.cut = low + 1 + random.below(high - low);
            return split;
        }
        return random_split(random);
    }

    void shift(CompleteTree& tree, int32_t node, Random& random) const {
        Split& split = tree.split[node];
        const int32_t last = model_.num_values[split.feature] - 1;
        if (split.cut == 0 || last < 2) {
            split = random_split(random);
            return;
        }
        if (random.below(2) == 0) {
            const int32_t step = 1 + random.below(2);
            split.cut += random.below(2) == 0 ? step : -step;
        } else {
            split.cut = 1 + random.below(last);
        }
        split.cut = std::clamp(split.cut, 1, last);
    }

    void copy_or_swap(CompleteTree& tree, int32_t leaf, Random& random) const {
        const int32_t level = 1 + random.below(depth_);
        const int32_t width = int32_t{1} << level;
        const int32_t first = width - 1;
        const int32_t node = tree.ancestor(leaf, level);
        const int32_t other = first + (node - first + 1 + random.below(width - 1)) % width;
        const CompleteTree old = tree;
        copy_subtree(old, other, tree, node);
        if (random.below(2) == 0) copy_subtree(old, node, tree, other);
    }

    // Exchanges the splits of a parent and one child; the grandchildren keep the states they can.
    void exchange(CompleteTree& tree, int32_t leaf, Random& random) const {
        if (depth_ < 2) return swap_children(tree, 0);
        const int32_t level = 1 + random.below(depth_ - 1);
        const int32_t child = tree.ancestor(leaf, level);
        const int32_t parent = (child - 1) / 2;
        std::swap(tree.split[parent], tree.split[child]);
        const int32_t sibling = child == 2 * parent + 1 ? child + 1 : child - 1;
        if (tree.split[sibling] == tree.split[parent]) tree.split[sibling] = tree.split[child];
    }

    void randomise(CompleteTree& tree, int32_t node, Random& random) const {
        const int32_t inner = tree.num_inner();
        int32_t first = node;
        for (int32_t width = 1; first < inner; width *= 2, first = 2 * first + 1) {
            for (int32_t k = 0; k < width; ++k) tree.split[first + k] = random_split(random);
        }
        const int32_t leaves = tree.leaves_below(node);
        for (int32_t k = 0; k < leaves; ++k) {
            tree.action[first - inner + k] = random.below(model_.num_actions);
        }
    }

    const SearchModel& model_;
    const OptimalRows& right_;
    int32_t depth_;
    int32_t max_leaves_;
};

}  // namespace spotree::neighbourhood
