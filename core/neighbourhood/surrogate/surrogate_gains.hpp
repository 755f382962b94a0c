// Gain of each action in each feature class, for given state values and state weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "model/bellman.hpp"
#include "neighbourhood/acceptance.hpp"
#include "neighbourhood/model.hpp"
#include "runtime/random.hpp"
#include "tree/complete.hpp"

namespace spotree::neighbourhood {

// Pairs are drawn at random: no one of them is best everywhere, and variety keeps the exact step from
// repeating itself. Values are those of the current tree, the optimal ones or something between; weights are
// the visits under the current tree, often with some visits under the random policy added.
class Gains {
  public:
    int64_t work = 0;

    explicit Gains(const SearchModel& model)
        : model_(model),
          gain_(static_cast<size_t>(model.num_groups) * model.num_actions),
          action_value_(model.num_actions) {}

    // Chooses a pair; false if the current tree has no values.
    bool choose(Acceptance& judge, Random& random) {
        if (judge.value() == kInfeasible) return optimal();
        const double kind = random.uniform();
        const double towards = kind < kTreeValues ? 0.0
                               : kind < kBetween  ? std::pow(10.0, -kTowardsDecades * random.uniform())
                                                  : 1.0;
        const double share = random.below(2) == 0 ? 0.0 : std::pow(10.0, -kShareDecades * random.uniform());
        if (!judge.values(value_, weight_)) return false;
        if (towards > 0) {
            for (int32_t s = 0; s < model_.num_states; ++s) {
                value_[s] += towards * (model_.optimal_value[s] - value_[s]);
            }
        }
        if (share > 0) {
            for (int32_t s = 0; s < model_.num_states; ++s) weight_[s] += share * model_.random_weight[s];
        }
        work += 4 * static_cast<int64_t>(model_.num_states);
        return true;
    }

    // The optimal values and visits.
    bool optimal() {
        value_.assign(model_.optimal_value, model_.optimal_value + model_.num_states);
        weight_.assign(model_.optimal_weight, model_.optimal_weight + model_.num_states);
        for (int32_t s = 0; s < model_.num_states; ++s) weight_[s] += kRandomShare * model_.random_weight[s];
        return true;
    }

    // Fills the gains of the groups below a node and clears all others; the groups are listed.
    const double* below(const CompleteTree& tree, int32_t node) {
        const int32_t actions = model_.num_actions;
        for (const int32_t group : groups_) {
            std::fill_n(gain_.begin() + static_cast<int64_t>(group) * actions, actions, 0.0);
        }
        groups_.clear();
        inside_.assign(model_.num_groups, -1);
        const int32_t level = CompleteTree::level_of(node);
        for (int32_t s = 0; s < model_.num_states; ++s) {
            const int32_t group = model_.group_of[s];
            if (group < 0 || !(weight_[s] > 0)) continue;
            if (inside_[group] < 0) {
                inside_[group] = tree.ancestor(tree.leaf_of(model_.rank_of(group)), level) == node;
                if (inside_[group]) groups_.push_back(group);
            }
            if (inside_[group]) add(s, group);
        }
        work += 4 * static_cast<int64_t>(model_.num_states);
        drop_indifferent();
        return gain_.data();
    }

    const std::vector<int32_t>& groups() const { return groups_; }

  private:
    // Groups in which hardly anything is at stake cost time and decide nothing.
    void drop_indifferent() {
        const int32_t actions = model_.num_actions;
        double widest = 0;
        spread_.clear();
        for (const int32_t group : groups_) {
            const double* gain = &gain_[static_cast<int64_t>(group) * actions];
            const auto [low, high] = std::minmax_element(gain, gain + actions);
            spread_.push_back(*high - *low);
            widest = std::max(widest, spread_.back());
        }
        for (size_t k = 0; k < groups_.size(); ++k) {
            if (spread_[k] > kNoStake * widest) continue;
            std::fill_n(gain_.begin() + static_cast<int64_t>(groups_[k]) * actions, actions, 0.0);
        }
    }

    // How often values are the tree's own, and, added up, something between: the rest are the optimal ones.
    static constexpr double kTreeValues = 0.4, kBetween = 0.75;
    // Powers of ten down to which the part of the way to the optimal values and of random visits are drawn.
    static constexpr double kTowardsDecades = 2.0, kShareDecades = 4.0;
    static constexpr double kRandomShare = 1e-3;  // of random visits beside the optimal ones
    static constexpr double kForbidden = 100;  // scales of returns: so much less a forbidden action is worth
    static constexpr double kNoStake = 1e-6;   // of the largest spread

    void add(int32_t state, int32_t group) {
        const int32_t* choices = model_.choices(state);
        double* gain = &gain_[static_cast<int64_t>(group) * model_.num_actions];
        double least = 1e300;
        for (int32_t a = 0; a < model_.num_actions; ++a) {
            const int32_t row = choices[a];
            double q = 0;
            int32_t twin = 0;
            while (twin < a && choices[twin] != row) ++twin;
            if (row < 0) {
                q = 0;
            } else if (twin < a) {
                q = action_value_[twin];
            } else {
                work += 2 * (model_.row_start[row + 1] - model_.row_start[row]) + 4;
                q = worth(model_, row, value_.data());
            }
            action_value_[a] = q;
            if (row >= 0) least = std::min(least, q);
        }
        for (int32_t a = 0; a < model_.num_actions; ++a) {
            const double q = choices[a] < 0 ? least - kForbidden * model_.scale() : action_value_[a];
            gain[a] += weight_[state] * q;
        }
    }

    const SearchModel& model_;
    std::vector<double> value_, weight_;
    std::vector<double> gain_;  // [group, action]
    std::vector<double> action_value_, spread_;
    std::vector<int32_t> groups_;
    std::vector<int8_t> inside_;
};

}  // namespace spotree::neighbourhood
