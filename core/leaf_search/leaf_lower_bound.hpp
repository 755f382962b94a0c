// A lower bound on the leaves of an optimal tree: it must be right in the states that no optimal policy
// avoids.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "leaf_search/regret_model.hpp"
#include "leaf_search/size_penalised_dp.hpp"
#include "runtime/random.hpp"
#include "runtime/stop.hpp"

namespace spotree::leaves {

// An optimal policy takes only choices without regret where it comes. A state is avoidable if such choices
// can lead past it for ever: the greatest set of states without it that has, in every state, a choice without
// regret that stays inside. A tree whose actions are right in all unavoidable states has at least as many
// leaves as the smallest tree for these alone.
class LeafLowerBound {
  public:
    explicit LeafLowerBound(const RegretModel& model) : model_(model) {
        entering_.resize(model.num_states);
        state_of_.resize(model.num_rows());
        rows_.assign(model.num_states, 0);
        for (int32_t s = 0; s < model.num_states; ++s) {
            for (int64_t row = model.choice_start[s]; row < model.choice_start[s + 1]; ++row) {
                state_of_[row] = s;
                if (model.surely_regretted(static_cast<int32_t>(row))) continue;
                ++rows_[s];
                for (int64_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
                    entering_[model.target[e]].push_back(static_cast<int32_t>(row));
                }
            }
        }
    }

    // States that decide something and that no optimal policy avoids; false if there was no time.
    bool find(Stop& stop, std::vector<int32_t>& states) {
        states.clear();
        for (int32_t s = 0; s < model_.num_states; ++s) {
            if (stop.check()) return false;
            if (model_.group_of[s] >= 0 && decides(s) && !avoidable(s)) states.push_back(s);
        }
        return true;
    }

    // At least so many leaves has a tree without loss; 0 if that was not found out, infinity if there is
    // none.
    double least_leaves(uint64_t secret, int64_t budget, Stop& stop) {
        std::vector<int32_t> states;
        if (!find(stop, states)) return 0;
        if (states.empty()) return 1;
        Items items;  // whatever has regret is infinitely dear, however often it is visited
        collect_by(
            model_, states, [&](int32_t, int32_t row) { return model_.surely_regretted(row) ? 1.0 : 0.0; },
            items);
        Random random(secret);
        SizePenalisedDp programme(model_, secret);
        const auto tree =
            programme.best(items, std::numeric_limits<double>::infinity(), -1, budget, random, &stop);
        return tree ? programme.cost() : 0;
    }

  private:
    bool decides(int32_t state) const {
        const int32_t* choices = model_.choices(state);
        return std::any_of(choices, choices + model_.num_actions,
                           [&](int32_t row) { return row < 0 || model_.surely_regretted(row); });
    }

    bool avoidable(int32_t state) {
        left_ = rows_;
        dead_.assign(static_cast<size_t>(model_.num_rows()), false);
        out_.assign(1, state);
        left_[state] = 0;
        for (size_t k = 0; k < out_.size(); ++k) {
            for (const int32_t row : entering_[out_[k]]) {
                const int32_t from = state_of_[row];
                if (dead_[row] || left_[from] == 0) continue;
                dead_[row] = true;
                if (--left_[from] == 0) out_.push_back(from);
            }
        }
        return std::none_of(model_.initial_states.begin(), model_.initial_states.end(), [&](int32_t first) {
            return std::find(out_.begin(), out_.end(), first) != out_.end();
        });
    }

    const RegretModel& model_;
    std::vector<std::vector<int32_t>> entering_;  // [state] rows without regret that lead there
    std::vector<int32_t> state_of_;               // [row]
    std::vector<int32_t> rows_, left_;            // [state] rows without regret; those not yet ruled out
    std::vector<char> dead_;                      // [row]
    std::vector<int32_t> out_;                    // states from which the one asked for cannot be avoided
};

}  // namespace spotree::leaves
