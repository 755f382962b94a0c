// Small random changes of a tree of any shape, proposed from the states that it reaches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "leaf_search/preorder_tree.hpp"
#include "leaf_search/regret_model.hpp"
#include "runtime/random.hpp"

namespace spotree::leaves {

class Changes {
  public:
    explicit Changes(const RegretModel& model) : model_(model) {}

    // `land` is that of the tree, `wrong` its reached states with regret. May leave the tree as it is.
    void change(Shape& tree, const NodeStates& land, const std::vector<int32_t>& wrong,
                Random& random) const {
        if (land.states().empty()) return;
        const double kind = random.uniform();
        if (tree.size() == 1 || model_.split_features.empty()) {
            return kind < kLeafActions ? change_action(tree, land, random) : grow(tree, land, wrong, random);
        }
        if (kind < kSplit) return change_split(tree, land, random);
        if (kind < kAction) return change_action(tree, land, random);
        if (kind < kGrow) return grow(tree, land, wrong, random);
        if (kind < kShift) return shift(tree, inner(tree, random), random);
        if (kind < kCut) return cut(tree, inner(tree, random), random);
        if (kind < kRaise) return raise(tree, inner(tree, random), random);
        if (kind < kExchange) return exchange(tree, random, true);
        if (kind < kRotate) return rotate(tree, inner(tree, random), random, false);
        if (kind < kRotateCopy) return rotate(tree, inner(tree, random), random, true);
        if (kind < kWrap) return wrap(tree, land, random);
        exchange(tree, random, false);
    }

  private:
    // How often each kind is made, added up; the rest copy a subtree to another place.
    static constexpr double kSplit = 0.18, kAction = 0.38, kGrow = 0.55, kShift = 0.66, kCut = 0.72,
                            kRaise = 0.78, kExchange = 0.84, kRotate = 0.88, kRotateCopy = 0.92, kWrap = 0.97;
    static constexpr double kLeafActions = 0.5;         // of the changes of a single leaf: another action
    static constexpr double kRight = 0.8, kUsed = 0.1;  // new actions: right in some state, or in the tree
    static constexpr double kAtWrong = 0.75;            // leaves grow in a state with regret so often
    static constexpr double kSwap = 0.3;                // new splits: children change places

    const int32_t* rank(int32_t state) const { return model_.rank_of(model_.group_of[state]); }

    static int32_t any(std::span<const int32_t> states, Random& random) {
        return states[random.below(static_cast<int64_t>(states.size()))];
    }

    static int32_t inner(const Shape& tree, Random& random) {
        for (;;) {
            const int32_t at = random.below(tree.size());
            if (!tree.node[at].leaf()) return at;
        }
    }

    // A choice without regret in the state, other than `not_this` where that can be.
    int32_t right_action(int32_t state, int32_t not_this, Random& random) const {
        const int32_t* choices = model_.choices(state);
        int32_t found = -1, ties = 0;
        for (int32_t a = 0; a < model_.num_actions; ++a) {
            if (choices[a] < 0 || model_.regret(choices[a]) > 0 || a == not_this) continue;
            if (random.below(++ties) == 0) found = a;
        }
        return found >= 0 ? found : random.below(model_.num_actions);
    }

    int32_t new_action(const Shape& tree, int32_t state, int32_t not_this, Random& random) const {
        const double kind = random.uniform();
        if (kind < kRight) return right_action(state, not_this, random);
        if (kind < kRight + kUsed) {
            int32_t at = random.below(tree.size());
            while (!tree.node[at].leaf()) ++at;
            return tree.node[at].cut;
        }
        return random.below(model_.num_actions);
    }

    // A split that parts two states, or none.
    Node between(int32_t one, int32_t other, Random& random) const {
        const int32_t *mine = rank(one), *theirs = rank(other);
        Node split;
        int32_t differ = 0;
        if (mine == theirs) return split;
        for (const int32_t f : model_.split_features) {
            if (mine[f] != theirs[f] && random.below(++differ) == 0) split.feature = f;
        }
        if (split.leaf()) return split;
        const auto [low, high] = std::minmax(mine[split.feature], theirs[split.feature]);
        split.cut = low + 1 + random.below(high - low);
        return split;
    }

    Node random_split(Random& random) const {
        const int32_t f =
            model_.split_features[random.below(static_cast<int64_t>(model_.split_features.size()))];
        return {f, 1 + random.below(model_.num_values[f] - 1), 0};
    }

    // Parts two random states that the node reaches, or is any split.
    Node split_at(const NodeStates& land, int32_t node, Random& random) const {
        const std::span<const int32_t> states = land.at(node);
        if (states.size() > 1) {
            const Node split = between(any(states, random), any(states, random), random);
            if (!split.leaf()) return split;
        }
        return random_split(random);
    }

    static void swap_children(Shape& tree, int32_t at) {
        const Node split = tree.node[at];
        const std::vector<Node> left = tree.below(at + 1), right = tree.below(split.right);
        tree.replace(at, joined(split.feature, split.cut, right, left));
    }

    void change_split(Shape& tree, const NodeStates& land, Random& random) const {
        const int32_t at = inner(tree, random);
        const Node split = split_at(land, at, random);
        tree.node[at].feature = split.feature;
        tree.node[at].cut = split.cut;
        if (random.uniform() < kSwap) swap_children(tree, at);
    }

    void change_action(Shape& tree, const NodeStates& land, Random& random) const {
        const int32_t state = any(land.states(), random);
        Node& leaf = tree.node[tree.leaf_of(rank(state))];
        leaf.cut = new_action(tree, state, leaf.cut, random);
    }

    // A leaf becomes a split; the side of a state, a wrong one more often than not, gets an action of its
    // own.
    void grow(Shape& tree, const NodeStates& land, const std::vector<int32_t>& wrong, Random& random) const {
        if (model_.split_features.empty()) return;
        const bool mend = !wrong.empty() && random.uniform() < kAtWrong;
        const int32_t state = mend ? any(wrong, random) : any(land.states(), random);
        const int32_t at = tree.leaf_of(rank(state));
        const Node old = tree.node[at];
        Node split = between(state, any(land.at(at), random), random);
        if (split.leaf()) split = random_split(random);
        const std::vector<Node> same{old}, other{{-1, new_action(tree, state, old.cut, random), 0}};
        const bool left = rank(state)[split.feature] < split.cut;
        tree.replace(at, joined(split.feature, split.cut, left ? other : same, left ? same : other));
    }

    void shift(Shape& tree, int32_t at, Random& random) const {
        Node& split = tree.node[at];
        const int32_t last = model_.num_values[split.feature] - 1;
        if (last < 2) {
            const Node other = random_split(random);
            split.feature = other.feature;
            split.cut = other.cut;
        } else if (random.below(2) == 0) {
            const int32_t step = 1 + random.below(2);
            split.cut = std::clamp(split.cut + (random.below(2) == 0 ? step : -step), 1, last);
        } else {
            split.cut = 1 + random.below(last);
        }
    }

    static void cut(Shape& tree, int32_t at, Random& random) {
        int32_t leaf = at + random.below(tree.end(at) - at);
        while (!tree.node[leaf].leaf()) ++leaf;
        tree.replace(at, {tree.node[leaf]});
    }

    static void raise(Shape& tree, int32_t at, Random& random) {
        tree.replace(at, tree.below(random.below(2) == 0 ? at + 1 : tree.node[at].right));
    }

    // Two subtrees that do not hold each other change places, or one takes the other's too.
    static void exchange(Shape& tree, Random& random, bool both) {
        int32_t one = random.below(tree.size()), other = random.below(tree.size());
        if (one > other) std::swap(one, other);
        if (other < tree.end(one)) return;
        const std::vector<Node> first = tree.below(one), second = tree.below(other);
        const bool forward = both || random.below(2) == 0;
        if (forward) tree.replace(other, first);
        if (both || !forward) tree.replace(one, second);
    }

    // A split and one of its children change places; a side that both must keep is copied or left to one.
    static void rotate(Shape& tree, int32_t at, Random& random, bool copy) {
        const Node top = tree.node[at];
        const bool left = random.below(2) == 0;
        const int32_t child = left ? at + 1 : top.right;
        if (tree.node[child].leaf()) return;
        const Node low = tree.node[child];
        const std::vector<Node> a = tree.below(child + 1), b = tree.below(low.right);
        const std::vector<Node> c = tree.below(left ? top.right : at + 1);
        const auto under = [&](const std::vector<Node>& part) {
            return left ? joined(top.feature, top.cut, part, c) : joined(top.feature, top.cut, c, part);
        };
        const bool keep_first = !copy && left;
        tree.replace(at,
                     joined(low.feature, low.cut, keep_first ? a : under(a), copy || left ? under(b) : b));
    }

    // A new split above a node: one side goes to the node, the other to a new leaf.
    void wrap(Shape& tree, const NodeStates& land, Random& random) const {
        const int32_t at = random.below(tree.size());
        const std::span<const int32_t> states = land.at(at);
        if (states.empty()) return;
        const int32_t state = any(states, random);
        Node split = between(state, any(states, random), random);
        if (split.leaf()) split = random_split(random);
        const std::vector<Node> old = tree.below(at), fresh{{-1, new_action(tree, state, -1, random), 0}};
        const bool left = rank(state)[split.feature] < split.cut;
        tree.replace(at, joined(split.feature, split.cut, left ? fresh : old, left ? old : fresh));
    }

    const RegretModel& model_;
};

}  // namespace spotree::leaves
