// Action cache: the row that a tree takes in a state, looked up once for each feature class.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "neighbourhood/model.hpp"

namespace spotree::neighbourhood {

class ActionCache {
  public:
    explicit ActionCache(const SearchModel& model) : model_(model), answers_(model.num_groups) {}

    // Begins with another tree; `everywhere`: a forbidden action counts as the first allowed one.
    void begin(bool everywhere) {
        everywhere_ = everywhere;
        if (++question_ == std::numeric_limits<int32_t>::max()) {
            std::fill(answers_.begin(), answers_.end(), Answer{});
            question_ = 1;
        }
    }

    // The row, or -1 if its action is forbidden.
    template <class Tree>
    int32_t row(const Tree& tree, int32_t state) {
        const int32_t group = model_.group_of[state];
        const int32_t* choices = model_.choices(state);
        if (group < 0) return choices[0];
        Answer& answer = answers_[group];
        if (answer.question != question_) {
            answer = {question_, tree.action_of(model_.rank_of(group))};
        }
        const int32_t row = choices[answer.action];
        if (row >= 0 || !everywhere_) return row;
        return *std::find_if(choices, choices + model_.num_actions, [](int32_t r) { return r >= 0; });
    }

  private:
    struct Answer {
        int32_t question = 0;  // the last one in which the group was routed
        int32_t action = 0;    // what came of it
    };

    const SearchModel& model_;
    bool everywhere_ = false;
    int32_t question_ = 0;
    std::vector<Answer> answers_;  // [group]
};

}  // namespace spotree::neighbourhood
