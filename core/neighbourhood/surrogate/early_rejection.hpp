// Sure rejection on dense chains: a few sweeps from the current values, with bounds on what they converge to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/bellman.hpp"
#include "neighbourhood/evaluator.hpp"
#include "neighbourhood/model.hpp"

namespace spotree::neighbourhood {

// With v' = T v and low <= v' - v <= high, the fixed point lies between v' + c low and v' + c high,
// c = discount / (1 - discount) (MacQueen); where an episode can end, low and high are first widened to hold
// 0.
class Sweeps {
  public:
    int64_t work = 0;

    explicit Sweeps(const SearchModel& model) : model_(model), ends_(false) {
        if (!usable()) return;
        const int64_t entries = static_cast<int64_t>(model.num_states) * model.num_actions;
        for (int64_t k = 0; k < entries && !ends_; ++k) {
            const int32_t row = model.choice_of[k];
            if (row < 0) continue;
            double sum = 0;
            for (int64_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e)
                sum += model.probability[e];
            ends_ = sum < 1 - Evaluator::kEnds;
        }
    }

    bool usable() const { return model_.discount < 1; }

    // Sets the policy from which candidates differ, and its values; `solved` says that the evaluator holds
    // them.
    template <class Tree>
    bool start_from(const Tree& tree, EvaluatorOf<Tree>& evaluator, bool solved) {
        row_.resize(model_.num_states);
        residual_ = evaluator.residual();
        if (solved && static_cast<int32_t>(evaluator.reached().size()) == model_.num_states) {
            value_.resize(model_.num_states);
            for (int32_t s = 0; s < model_.num_states; ++s) value_[s] = evaluator.value(s);
            work += model_.num_states;
        } else if (!evaluator.all_values(tree, value_)) {
            return false;
        }
        for (int32_t s = 0; s < model_.num_states; ++s) row_[s] = evaluator.row(s);
        return true;
    }

    // Whether the return of the candidate is surely below the threshold.
    template <class Tree>
    bool surely_below(const Tree& tree, double threshold, int32_t most_sweeps) {
        const int32_t n = model_.num_states;
        next_row_.resize(n);
        old_ = value_;
        new_ = value_;
        double low = -residual_;
        double high = residual_;
        action_.assign(model_.num_groups, -1);
        for (int32_t s = 0; s < n; ++s) {  // the first sweep changes only states with another row
            next_row_[s] = row_[s];
            const int32_t group = model_.group_of[s];
            if (group < 0) continue;
            if (action_[group] < 0) action_[group] = tree.action_of(model_.rank_of(group));
            const int32_t row = model_.choices(s)[action_[group]];
            if (row < 0) return false;
            if (row == row_[s]) continue;
            next_row_[s] = row;
            new_[s] = back_up(row, old_);
            low = std::min(low, new_[s] - old_[s]);
            high = std::max(high, new_[s] - old_[s]);
        }
        work += 3 * n;
        const double factor = model_.discount / (1.0 - model_.discount);
        for (int32_t sweep = 0;; ++sweep) {
            if (total(new_) + factor * high < threshold) return true;
            if (total(new_) + factor * low >= threshold || sweep == most_sweeps) return false;
            std::swap(old_, new_);
            low = ends_ ? 0 : 1e300;
            high = ends_ ? 0 : -1e300;
            for (int32_t s = 0; s < n; ++s) {
                new_[s] = back_up(next_row_[s], old_);
                const double change = new_[s] - old_[s];
                low = std::min(low, change);
                high = std::max(high, change);
            }
            work += n;
        }
    }

  private:
    double back_up(int32_t row, const std::vector<double>& value) {
        work += (model_.row_start[row + 1] - model_.row_start[row]) / 2 + 1;
        return worth_by_four(model_, row, value.data());
    }

    double total(const std::vector<double>& value) const {
        double sum = 0;
        for (const int32_t s : model_.initial_states) sum += model_.initial[s] * value[s];
        return sum;
    }

    const SearchModel& model_;
    bool ends_;            // whether some row ends the episode
    double residual_ = 0;  // how far the current values are from a fixed point
    std::vector<double> value_, old_, new_;
    std::vector<int32_t> row_, next_row_, action_;
};

}  // namespace spotree::neighbourhood
