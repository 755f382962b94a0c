// A model that forgives a few times: where an action loses something, the best one is taken in its place with
// some chance.
#pragma once

#include <cstdint>
#include <vector>

#include "model/bellman.hpp"
#include "neighbourhood/model.hpp"
#include "neighbourhood/optimal_rows.hpp"

namespace spotree::neighbourhood {

// Where a single wrong action ends an episode, a tree earns nothing for all that it does right afterwards,
// and the returns of most trees are alike. Here it earns a part of it. The best policy and its values are
// those of the strict model, and the smaller the chance, the more alike are returns.
//
// Each state stands here once for each number of times that are left to be forgiven, most of them first. With
// no end to it a tree would come to nearly all states, by ways that count next to nothing, and be many times
// dearer to judge.
class ForgivingMdp {
  public:
    int64_t work = 0;

    ForgivingMdp(const SearchModel& strict, const OptimalRows& right) : model_(strict) {
        row_start_.push_back(0);
        choice_start_.push_back(0);
        for (int32_t layer = 0; layer <= kTimes; ++layer) {
            for (int32_t s = 0; s < strict.num_states; ++s) add_state(strict, right, s, layer);
        }
        probability_ = strict_;
        reward_ = strict_reward_;
        model_.num_states = static_cast<int32_t>(group_of_.size());
        model_.choice_start = choice_start_.data();
        model_.choice_of = choice_of_.data();
        model_.row_start = row_start_.data();
        model_.target = target_.data();
        model_.probability = probability_.data();
        model_.reward = reward_.data();
        model_.initial = initial_.data();
        model_.group_of = group_of_.data();
        model_.optimal_value = optimal_value_.data();
        model_.optimal_weight = optimal_weight_.data();
        model_.random_weight = random_weight_.data();
        forgive(0.5);
    }

    ForgivingMdp(const ForgivingMdp&) = delete;

    // Whether most mistakes are grave, and the model is small enough for its copies. Without a discount a row
    // that leads to the end with some chance would make every tree end.
    static bool worthwhile(const SearchModel& strict, const OptimalRows& right) {
        return right.unforgiving() && strict.discount < 1 &&
               strict.row_start[strict.num_rows()] <= kMostEntries;
    }

    const SearchModel& model() const { return model_; }

    // Sets the chance; returns of trees change, so none from before counts.
    void forgive(double chance) {
        for (const Wrong& wrong : wrong_) {
            for (int64_t e = row_start_[wrong.row]; e < row_start_[wrong.row + 1]; ++e) {
                probability_[e] = strict_[e] * (e < wrong.forgiven ? 1.0 - chance : chance);
            }
            reward_[wrong.row] =
                strict_reward_[wrong.row] + chance * (wrong.best_reward - strict_reward_[wrong.row]);
        }
        work += static_cast<int64_t>(strict_.size());
    }

  private:
    static constexpr int32_t kTimes = 3;
    static constexpr int64_t kMostEntries = 1'000'000;  // of the strict model

    struct Wrong {  // a row that loses something
        int64_t row;
        int64_t forgiven;  // its first entry where the best row is taken in its place
        double best_reward;
    };

    void add_state(const SearchModel& strict, const OptimalRows& right, int32_t state, int32_t layer) {
        const auto first = static_cast<int64_t>(row_start_.size()) - 1 - strict.choice_start[state];
        const int64_t best = layer < kTimes ? best_row(strict, right, state) : -1;
        for (int64_t row = strict.choice_start[state]; row < strict.choice_start[state + 1]; ++row) {
            add_entries(strict, row, layer);
            if (best >= 0 && !right(static_cast<int32_t>(row))) {
                wrong_.push_back({static_cast<int64_t>(row_start_.size()) - 1,
                                  static_cast<int64_t>(target_.size()), strict.reward[best]});
                add_entries(strict, best, layer + 1);
            }
            row_start_.push_back(static_cast<int64_t>(target_.size()));
            strict_reward_.push_back(strict.reward[row]);
        }
        choice_start_.push_back(static_cast<int64_t>(row_start_.size()) - 1);
        for (int32_t a = 0; a < strict.num_actions; ++a) {
            const int32_t row = strict.choices(state)[a];
            choice_of_.push_back(row < 0 ? -1 : static_cast<int32_t>(first + row));
        }
        group_of_.push_back(strict.group_of[state]);
        optimal_value_.push_back(strict.optimal_value[state]);
        optimal_weight_.push_back(layer == 0 ? strict.optimal_weight[state] : 0.0);
        random_weight_.push_back(layer == 0 ? strict.random_weight[state] : 0.0);
        initial_.push_back(layer == 0 ? strict.initial[state] : 0.0);
    }

    // A row of the state that loses nothing, or -1 where the state has no choice.
    static int64_t best_row(const SearchModel& strict, const OptimalRows& right, int32_t state) {
        if (strict.group_of[state] < 0) return -1;
        for (int32_t a = 0; a < strict.num_actions; ++a) {
            const int32_t row = strict.choices(state)[a];
            if (right(row)) return row;
        }
        return -1;
    }

    void add_entries(const SearchModel& strict, int64_t row, int32_t layer) {
        for (int64_t e = strict.row_start[row]; e < strict.row_start[row + 1]; ++e) {
            target_.push_back(strict.target[e] + layer * strict.num_states);
            strict_.push_back(strict.probability[e]);
        }
    }

    SearchModel model_;
    std::vector<Wrong> wrong_;
    std::vector<int64_t> choice_start_, row_start_;
    std::vector<int32_t> choice_of_, target_, group_of_;
    std::vector<double> strict_, probability_;    // [entry]
    std::vector<double> strict_reward_, reward_;  // [row]
    std::vector<double> initial_, optimal_value_, optimal_weight_, random_weight_;
};

}  // namespace spotree::neighbourhood
