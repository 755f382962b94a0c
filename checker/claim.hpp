// What a certificate claims: a tree, its return, and a bound on all others of its size.
#pragma once

#include <set>

#include "policy.hpp"

namespace checker {

struct Tree {
    std::vector<int32_t> feature, left, right, action;
    std::vector<double> threshold;
};

struct Header {
    int depth = 0;
    int64_t max_leaves = 0;  // more than 2^depth: no limit
    double value = 0, bound = 0, margin = 0;
    Tree tree;
    std::vector<int32_t> group_state;    // [name of a group] its first state
    std::vector<int32_t> split_feature;  // [split]
    std::vector<double> split_threshold;
    std::vector<int32_t> symmetry_state, symmetry_action;  // [symmetry, ...] images
    std::vector<int32_t> symmetry_feature;                 // 1 + image, negative where the order is reversed
};

constexpr double kShare = 0.1;     // of the tolerance that rounding may take
constexpr double kSimilar = 1e-9;  // of a return: two ways to say what a tree returns without a discount

class Claim {
  public:
    double value = 0, bound = 0, tolerance = 0;
    double threshold = 0;  // a tree above this is to be ruled out

    Claim(const Model& m, const Header& h, const Patience& patience) : m_(m) {
        const Policy policy(m, actions_of(h), patience);
        value = policy.value;
        tolerance = h.margin;
        const double scale = m.undiscounted ? widest(h.bound) : spread();
        const double near = tolerance + (m.undiscounted ? kSimilar * std::abs(value) : 0);
        if (!(tolerance > 0 && (scale == 0 || tolerance <= scale) &&
              (m.undiscounted || tolerance <= std::max(2 * m.largest / m.far, 1e-300))))
            reject("the tolerance ", tolerance, " is not small: returns differ by ", scale, " at most");
        if (m.largest > 0 && !(tolerance >= kLeast))
            reject("the tolerance ", tolerance, " is too small to be added up");
        if (!(policy.off <= kShare * tolerance))
            reject("rounding may move a return by ", policy.off, " with discount ", m.discount,
                   ", more than a tenth of the tolerance ", tolerance, "; certify with a larger tolerance");
        if (!(std::abs(value - h.value) <= near))
            reject("the tree is worth ", value, ", not ", h.value, " as stated");
        if (!std::isfinite(h.bound)) reject("the bound is ", h.bound, ", which says nothing");
        if (!(h.bound >= value - near))
            reject("the bound ", h.bound, " is below the tree's own return ", value);
        bound = std::max(h.bound, value);
        threshold = bound + tolerance;
    }

  private:
    // [state] what the tree does; where no state comes to there is none.
    std::vector<int32_t> actions_of(const Header& h) const {
        const Tree& t = h.tree;
        const size_t nodes = t.feature.size();
        if (nodes != t.left.size() || nodes != t.right.size() || nodes != t.action.size() ||
            nodes != t.threshold.size())
            reject("the certificate is malformed: its tree is none");
        std::vector<int32_t> action;
        std::set<std::vector<int32_t>> leaves;  // ways from the root
        for (int i = 0; i < m_.states; ++i) {
            std::vector<int32_t> way{0};
            for (;; way.push_back(m_.at(i, t.feature[way.back()]) < t.threshold[way.back()]
                                      ? t.left[way.back()]
                                      : t.right[way.back()])) {
                if (way.back() < 0 || size_t(way.back()) >= nodes || int(way.size()) > h.depth + 1)
                    reject("the certificate is malformed: the tree is deeper than it says, or no tree");
                if (t.feature[way.back()] < 0) break;
                if (t.feature[way.back()] >= m_.features)
                    reject("the certificate is malformed: the tree asks for a feature that does not exist");
            }
            action.push_back(t.action[way.back()]);
            if (action.back() < 0 || action.back() >= m_.actions)
                reject("the certificate is malformed: a leaf has no action");
            leaves.insert(std::move(way));
        }
        if (int64_t(leaves.size()) > h.max_leaves)
            reject("the certificate is malformed: the tree has ", leaves.size(), " leaves");
        return action;
    }

    // A larger tolerance would say nothing: undiscounted, beside returns and rewards that can be reached.
    double widest(double stated) const {
        const double rewards = spread() > 0 ? spread() : m_.largest > 0 ? m_.largest : 1;
        const double shown = std::max(value, stated);
        return std::max({std::abs(value), std::isfinite(shown) ? std::abs(shown) : 0.0, rewards});
    }

    // No two returns differ by more: rewards that can be reached, for ever.
    double spread() const {
        Reach reach(m_);
        if (!reach.explore(ActionSets(m_.groups, m_.actions))) return 0;
        return (reach.highest() - reach.lowest()) / m_.far;
    }

    const Model& m_;
};

}  // namespace checker
