// The branching rule of the paper's appendix.
#pragma once

#include "rsbb/node.hpp"

namespace spotree::rsbb {

enum class Variable { kSplits, kFeature, kThreshold, kAction, kNone };  // d, a, b, c

struct Branch {
    Variable variable = Variable::kNone;
    int32_t node = 0;   // leaf number for actions
    int32_t which = 0;  // feature or action
};

class Branching {
  public:
    Branching(const Step& step, const Shape& shape, bool on_actions)
        : step_(step), shape_(shape), on_actions_(on_actions) {}

    // d first; then, by chance, a (or c once all a are fixed) or b; lowest node first throughout.
    Branch choose(const Subproblem& r) const {
        double widest = 0;
        int32_t open_threshold = -1;
        int32_t open_feature = -1;
        for (int32_t t = 0; t < step_.inner; ++t) {
            if (!shape_.may_split(r, t)) continue;
            if (shape_.may_stop(r, t)) return {Variable::kSplits, t, 0};
            if (open_feature < 0 && shape_.feature_count(r, t) > 1) open_feature = t;
            if (shape_.threshold_fixed(r, t)) continue;
            if (open_threshold < 0) open_threshold = t;
            widest = std::max(widest, r.high[t] - r.low[t]);
        }
        const double tau = 1 - widest / 2;
        if (open_threshold >= 0 && !(uniform(r.key) > tau)) return {Variable::kThreshold, open_threshold, 0};
        if (open_feature >= 0)
            return {Variable::kFeature, open_feature, shape_.next_feature(r, open_feature, -1)};
        if (open_threshold < 0) return {};
        const Branch action = on_actions_ ? choose_action(r) : Branch{};
        return action.variable == Variable::kAction ? action
                                                    : Branch{Variable::kThreshold, open_threshold, 0};
    }

    // The child on one side (0 or 1) of a branch; false if it holds no tree.
    bool child(Subproblem& r, const Branch& branch, int side) const {
        r.key = mixed(2 * r.key + static_cast<uint64_t>(side));
        if (branch.variable == Variable::kSplits) {
            if (side == 0) {
                shape_.force_split(r, branch.node);
            } else {
                shape_.forbid_split(r, branch.node);
            }
        } else if (branch.variable == Variable::kFeature) {
            restrict_to(shape_.features(r, branch.node), step_.feature_words, branch.which, side);
        } else if (branch.variable == Variable::kThreshold) {
            halve(r, branch.node, side);
        } else {
            restrict_to(shape_.actions(r, branch.node), step_.action_words, branch.which, side);
            return true;
        }
        if (shape_.may_split(r, branch.node) && !shape_.tighten(r, branch.node)) return false;
        return shape_.fits_leaves(r);
    }

  private:
    // Of the lowest leaf that some tree uses and that may take several actions, the cheapest for its certain
    // rows.
    Branch choose_action(const Subproblem& r) const {
        for (int32_t l = 0; l < step_.leaves; ++l) {
            if (shape_.action_count(r, l) < 2 || !used(r, l)) continue;
            int32_t best = shape_.next_action(r, l, -1);
            if (!r.certain_loss.empty()) {
                const double* loss = r.certain_loss.data() + l * step_.actions;
                for (int32_t k = best; k >= 0; k = shape_.next_action(r, l, k)) {
                    if (loss[k] < loss[best]) best = k;
                }
            }
            return {Variable::kAction, l, best};
        }
        return {};
    }

    bool used(const Subproblem& r, int32_t leaf) const {
        for (int32_t node = leaf + step_.inner; node > 0; node = (node - 1) / 2) {
            if (node % 2 == 1 && !shape_.may_split(r, (node - 1) / 2)) return false;
        }
        return true;
    }

    static void restrict_to(uint64_t* set, int32_t words, int32_t member, int side) {
        if (side == 0) {
            std::fill_n(set, words, 0);
            add(set, member);
        } else {
            drop(set, member);
        }
    }

    void halve(Subproblem& r, int32_t node, int side) const {
        const double middle = r.low[node] + (r.high[node] - r.low[node]) / 2;
        if (!(r.low[node] < middle && middle < r.high[node])) {  // neighbouring floating-point numbers
            (side == 0 ? r.high[node] : r.low[node]) = side == 0 ? r.low[node] : r.high[node];
        } else if (side == 0) {
            r.high[node] = middle;
        } else {
            // candidates at the middle belong to the lower half
            r.low[node] = std::nextafter(middle, std::numeric_limits<double>::infinity());
        }
    }

    const Step& step_;
    const Shape& shape_;
    bool on_actions_;
};

}  // namespace spotree::rsbb
