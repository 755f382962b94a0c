// A model that forgives: where an action loses something, the best one is taken in its place with some
// chance.
#pragma once

#include <cstdint>
#include <vector>

#include "model/bellman.hpp"
#include "neighbourhood/model.hpp"
#include "neighbourhood/right.hpp"

namespace spotree::neighbourhood {

// Where a single wrong action ends an episode, a tree earns nothing for all that it does right afterwards,
// and the returns of most trees are alike. Here it earns a part of it. The best policy and its values are
// those of the strict model, rows have the same numbers, and the smaller the chance, the more alike are
// returns.
class Forgiving {
  public:
    int64_t work = 0;

    Forgiving(const SearchModel& strict, const RightRows& right) : model_(strict) {
        row_start_.push_back(0);
        std::vector<int64_t> place(strict.num_states, -1);  // [state] its entry in the row at hand
        for (int32_t s = 0; s < strict.num_states; ++s) {
            const int64_t best = best_row(strict, right, s);
            for (int64_t row = strict.choice_start[s]; row < strict.choice_start[s + 1]; ++row) {
                add(strict, row, best < 0 || right(static_cast<int32_t>(row)) ? row : best, place);
            }
        }
        probability_.resize(strict_.size());
        reward_.resize(strict_reward_.size());
        model_.row_start = row_start_.data();
        model_.target = target_.data();
        model_.probability = probability_.data();
        model_.reward = reward_.data();
        forgive(0.5);
    }

    Forgiving(const Forgiving&) = delete;

    // Whether most mistakes are grave, and the model is small enough for a second copy. Without a discount a
    // row that leads to the end with some chance would make every tree end.
    static bool worthwhile(const SearchModel& strict, const RightRows& right) {
        return right.unforgiving() && strict.discount < 1 &&
               strict.row_start[strict.num_rows()] <= kMostEntries;
    }

    const SearchModel& model() const { return model_; }

    // Sets the chance; returns of trees change, so none from before counts.
    void forgive(double chance) {
        for (size_t e = 0; e < strict_.size(); ++e) {
            probability_[e] = strict_[e] + chance * (best_[e] - strict_[e]);
        }
        for (size_t row = 0; row < strict_reward_.size(); ++row) {
            reward_[row] = strict_reward_[row] + chance * (best_reward_[row] - strict_reward_[row]);
        }
        work += static_cast<int64_t>(strict_.size() + strict_reward_.size());
    }

  private:
    static constexpr int64_t kMostEntries = 4'000'000;

    // A row of the state that loses nothing, or -1 where the state has no choice.
    static int64_t best_row(const SearchModel& strict, const RightRows& right, int32_t state) {
        if (strict.group_of[state] < 0) return -1;
        for (int32_t a = 0; a < strict.num_actions; ++a) {
            const int32_t row = strict.choices(state)[a];
            if (right(row)) return row;
        }
        return -1;
    }

    // The entries of both rows, each state once.
    void add(const SearchModel& strict, int64_t row, int64_t best, std::vector<int64_t>& place) {
        const size_t first = target_.size();
        for (int64_t e = strict.row_start[row]; e < strict.row_start[row + 1]; ++e) {
            place[strict.target[e]] = static_cast<int64_t>(target_.size());
            target_.push_back(strict.target[e]);
            strict_.push_back(strict.probability[e]);
            best_.push_back(row == best ? strict.probability[e] : 0.0);
        }
        for (int64_t e = strict.row_start[best]; row != best && e < strict.row_start[best + 1]; ++e) {
            int64_t& at = place[strict.target[e]];
            if (at < 0) {
                at = static_cast<int64_t>(target_.size());
                target_.push_back(strict.target[e]);
                strict_.push_back(0.0);
                best_.push_back(0.0);
            }
            best_[at] += strict.probability[e];
        }
        for (size_t e = first; e < target_.size(); ++e) place[target_[e]] = -1;
        row_start_.push_back(static_cast<int64_t>(target_.size()));
        strict_reward_.push_back(strict.reward[row]);
        best_reward_.push_back(strict.reward[best]);
    }

    SearchModel model_;
    std::vector<int64_t> row_start_;
    std::vector<int32_t> target_;
    std::vector<double> strict_, best_, probability_;           // [entry]
    std::vector<double> strict_reward_, best_reward_, reward_;  // [row]
};

}  // namespace spotree::neighbourhood
