// Subproblem of RSBB: a box over the paper's (a, b, c, d) for each tree node.
#pragma once

#include <bit>
#include <cmath>
#include <limits>

#include "rsbb/ranked_problem.hpp"
#include "runtime/random.hpp"

namespace spotree::rsbb {

// Stateless random numbers: the same region gives the same number whoever expands it, whenever.
inline double uniform(uint64_t key) { return static_cast<double>(mixed(key) >> 11) * 0x1.0p-53; }

inline constexpr double kTop = 1.0625;  // a scaled threshold above every value

// The thresholds of one feature that a node may still use: numbers first to last, none where first > last.
struct Cuts {
    int32_t first;
    int32_t last;
};

struct Subproblem {
    double least_loss = 0;    // no tree of the region loses less: the closed-form bound, as a loss
    double settled_loss = 0;  // of rows whose action is settled although their leaf is not
    uint64_t key = 0;         // names the region by its branching path
    Words sets;               // features per inner node, actions per leaf, may split, may stay unsplit
    std::vector<double> low;  // [inner node] threshold interval (b), scaled
    std::vector<double> high;
    std::vector<double>
        certain_loss;  // [leaf, action] of the rows certain of their leaf; empty where none is
};

inline bool has(const uint64_t* set, int32_t i) { return (set[i / 64] >> (i % 64)) & 1; }
inline void add(uint64_t* set, int32_t i) { set[i / 64] |= uint64_t{1} << (i % 64); }
inline void drop(uint64_t* set, int32_t i) { set[i / 64] &= ~(uint64_t{1} << (i % 64)); }

inline int32_t size_of(const uint64_t* set, int32_t words) {
    int32_t size = 0;
    for (int32_t w = 0; w < words; ++w) size += std::popcount(set[w]);
    return size;
}

// Smallest member after `i` (start with -1), or -1.
inline int32_t next(const uint64_t* set, int32_t words, int32_t i) {
    for (int32_t w = (i + 1) / 64; w < words; ++w) {
        uint64_t bits = set[w];
        if (w == (i + 1) / 64) bits &= ~uint64_t{0} << ((i + 1) % 64);
        if (bits != 0) return 64 * w + std::countr_zero(bits);
    }
    return -1;
}

// The same in one loop.
template <class Do>
void each_member(const uint64_t* set, int32_t words, const Do& what) {
    for (int32_t w = 0; w < words; ++w) {
        for (uint64_t bits = set[w]; bits != 0; bits &= bits - 1) what(64 * w + std::countr_zero(bits));
    }
}

// How many of ascending numbers are below a limit, and how many are not above it. The thresholds of a feature
// are often a handful: then counting is quicker than jumping.
inline constexpr int64_t kHandful = 12;
inline int64_t count_below(const double* sorted, int64_t size, double limit) {
    if (size > kHandful) return std::lower_bound(sorted, sorted + size, limit) - sorted;
    int64_t count = 0;
    for (int64_t i = 0; i < size; ++i) count += sorted[i] < limit;
    return count;
}
inline int64_t count_up_to(const double* sorted, int64_t size, double limit) {
    if (size > kHandful) return std::upper_bound(sorted, sorted + size, limit) - sorted;
    int64_t count = 0;
    for (int64_t i = 0; i < size; ++i) count += sorted[i] <= limit;
    return count;
}

// How regions are laid out and what their sets mean, for one step.
class Shape {
  public:
    Shape(const Step& step, bool snap) : step_(step), snap_(snap) {
        node_words_ = (step.inner + 63) / 64;
        actions_at_ = step.inner * step.feature_words;
        split_at_ = actions_at_ + step.leaves * step.action_words;
        stop_at_ = split_at_ + node_words_;
    }

    uint64_t* features(Subproblem& r, int32_t node) const { return &r.sets[node * step_.feature_words]; }
    const uint64_t* features(const Subproblem& r, int32_t node) const {
        return &r.sets[node * step_.feature_words];
    }
    uint64_t* actions(Subproblem& r, int32_t leaf) const {
        return &r.sets[actions_at_ + leaf * step_.action_words];
    }
    const uint64_t* actions(const Subproblem& r, int32_t leaf) const {
        return &r.sets[actions_at_ + leaf * step_.action_words];
    }
    uint64_t* split_set(Subproblem& r) const { return r.sets.data() + split_at_; }
    const uint64_t* split_set(const Subproblem& r) const { return r.sets.data() + split_at_; }
    uint64_t* stop_set(Subproblem& r) const { return r.sets.data() + stop_at_; }
    const uint64_t* stop_set(const Subproblem& r) const { return r.sets.data() + stop_at_; }
    bool may_split(const Subproblem& r, int32_t node) const { return has(&r.sets[split_at_], node); }
    bool may_stop(const Subproblem& r, int32_t node) const { return has(&r.sets[stop_at_], node); }

    void forbid_split(Subproblem& r, int32_t node) const {  // d_t <= d_parent: nothing below splits either
        if (node >= step_.inner) return;
        drop(&r.sets[split_at_], node);
        add(&r.sets[stop_at_], node);
        forbid_split(r, 2 * node + 1);
        forbid_split(r, 2 * node + 2);
    }

    void force_split(Subproblem& r, int32_t node) const { drop(&r.sets[stop_at_], node); }

    int32_t feature_count(const Subproblem& r, int32_t node) const {
        return size_of(features(r, node), step_.feature_words);
    }
    int32_t action_count(const Subproblem& r, int32_t leaf) const {
        return size_of(actions(r, leaf), step_.action_words);
    }
    int32_t next_feature(const Subproblem& r, int32_t node, int32_t feature) const {
        return next(features(r, node), step_.feature_words, feature);
    }
    int32_t next_action(const Subproblem& r, int32_t leaf, int32_t action) const {
        return next(actions(r, leaf), step_.action_words, action);
    }

    // Which of a feature's thresholds lie in the node's interval. Without snapping the interval's own ends
    // decide where rows may go, as long as it holds several candidates: looser, as the paper has it.
    Cuts cuts(const Subproblem& r, int32_t node, int32_t feature) const {
        if (step_.frozen_feature[node] >= 0) return {step_.frozen_cut[node], step_.frozen_cut[node]};
        const int32_t count = step_.values[feature];
        const int32_t skip = step_.one_way[node] && feature == 0 ? 0 : 1;
        const double* from = step_.position + step_.position_start[feature] + skip;
        const int32_t size = count + 1 - 2 * skip;
        const Cuts held{skip + static_cast<int32_t>(count_below(from, size, r.low[node])),
                        skip + static_cast<int32_t>(count_up_to(from, size, r.high[node])) - 1};
        if (snap_ || held.first >= held.last) return held;
        const double* values = step_.scaled + step_.value_start[feature];
        return {static_cast<int32_t>(count_below(values, count, r.low[node])),
                static_cast<int32_t>(count_below(values, count, r.high[node]))};
    }

    // Drops features without a threshold in the interval and snaps its ends; false if the node cannot split.
    bool tighten(Subproblem& r, int32_t node) const {
        if (step_.frozen_feature[node] >= 0) return true;
        double low = std::numeric_limits<double>::infinity();
        double high = -low;
        for (int32_t j = next_feature(r, node, -1); j >= 0; j = next_feature(r, node, j)) {
            const Cuts c = cuts(r, node, j);
            if (c.first > c.last) {
                drop(features(r, node), j);
                continue;
            }
            const double* positions = step_.position + step_.position_start[j];
            low = std::min(low, positions[c.first]);
            high = std::max(high, positions[c.last]);
        }
        if (low > high) return false;
        if (!snap_) return true;
        r.low[node] = low;
        r.high[node] = high;
        return true;
    }

    // Whether every allowed feature has one threshold left.
    bool threshold_fixed(const Subproblem& r, int32_t node) const {
        for (int32_t j = next_feature(r, node, -1); j >= 0; j = next_feature(r, node, j)) {
            const Cuts c = cuts(r, node, j);
            if (c.first < c.last) return false;
        }
        return true;
    }

    // Whether one tree shape is left: its leaves' actions decouple, so its best tree is known.
    bool one_shape(const Subproblem& r) const {
        for (int32_t t = 0; t < step_.inner; ++t) {
            if (!may_split(r, t)) continue;
            if (may_stop(r, t) || feature_count(r, t) > 1 || !threshold_fixed(r, t)) return false;
        }
        return true;
    }

    // Fewest leaves that the part below a node can have, one number per inner node.
    void least_leaves(const Subproblem& r, std::vector<int32_t>& least) const {
        least.assign(2 * step_.inner + 1, 1);
        for (int32_t t = step_.inner - 1; t >= 0; --t) {
            if (may_stop(r, t)) continue;
            least[t] = least[2 * t + 1] + least[2 * t + 2];
            if (step_.frozen_feature[t] >= 0) continue;
            for (int32_t j = next_feature(r, t, -1); j >= 0; j = next_feature(r, t, j)) {
                const Cuts c = cuts(r, t, j);
                if (c.first == 0) least[t] = std::min(least[t], least[2 * t + 2]);
                if (c.last == step_.values[j]) least[t] = std::min(least[t], least[2 * t + 1]);
            }
        }
    }

    bool fits_leaves(const Subproblem& r) const {
        if (step_.max_leaves >= step_.leaves) return true;
        std::vector<int32_t> least;
        least_leaves(r, least);
        return least[0] <= step_.max_leaves;
    }

    // The whole space, less what is frozen.
    Subproblem root(uint64_t seed) const {
        Subproblem r;
        r.key = mixed(seed);
        r.sets.assign(stop_at_ + node_words_, 0);
        r.low.assign(step_.inner, 0.0);
        r.high.assign(step_.inner, 1.0);
        for (int32_t t = 0; t < step_.inner; ++t) {
            add(&r.sets[split_at_], t);
            add(&r.sets[stop_at_], t);
            if (step_.one_way[t]) r.high[t] = kTop;
            for (int32_t j = 0; j < step_.features; ++j) add(features(r, t), j);
        }
        for (int32_t l = 0; l < step_.leaves; ++l) {
            for (int32_t k = 0; k < step_.actions; ++k) {
                if (step_.frozen_action[l] == kFree || step_.frozen_action[l] == k) add(actions(r, l), k);
            }
        }
        for (int32_t t = 0; t < step_.inner; ++t) {
            if (step_.frozen_feature[t] == kUnsplit) forbid_split(r, t);
            if (step_.frozen_feature[t] < 0 || !may_split(r, t)) continue;
            std::fill_n(features(r, t), step_.feature_words, 0);
            add(features(r, t), step_.frozen_feature[t]);
            r.low[t] = r.high[t] =
                step_.position[step_.position_start[step_.frozen_feature[t]] + step_.frozen_cut[t]];
            for (int32_t up = t;; up = (up - 1) / 2) {
                force_split(r, up);
                if (up == 0) break;
            }
        }
        for (int32_t t = 0; t < step_.inner; ++t) {
            if (may_split(r, t) && !tighten(r, t)) forbid_split(r, t);
        }
        return r;
    }

  private:
    const Step& step_;
    bool snap_;
    int32_t node_words_;
    int32_t actions_at_;
    int32_t split_at_;
    int32_t stop_at_;
};

}  // namespace spotree::rsbb
