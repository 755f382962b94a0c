// Which row a tree takes in a state, asked only where it matters and once for each group.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "neighbourhood/model.hpp"

namespace spotree::neighbourhood {

class Asked {
  public:
    explicit Asked(const SearchModel& model)
        : model_(model), asked_(model.num_groups, 0), action_(model.num_groups, 0) {}

    // Begins with another tree; `everywhere`: a forbidden action counts as the first allowed one.
    void begin(bool everywhere) {
        everywhere_ = everywhere;
        if (++question_ == std::numeric_limits<int32_t>::max()) {
            std::fill(asked_.begin(), asked_.end(), 0);
            question_ = 1;
        }
    }

    // The row, or -1 if its action is forbidden.
    template <class Tree>
    int32_t row(const Tree& tree, int32_t state) {
        const int32_t group = model_.group_of[state];
        const int32_t* choices = model_.choices(state);
        if (group < 0) return choices[0];
        if (asked_[group] != question_) {
            asked_[group] = question_;
            action_[group] = tree.action_of(model_.rank_of(group));
        }
        const int32_t row = choices[action_[group]];
        if (row >= 0 || !everywhere_) return row;
        return *std::find_if(choices, choices + model_.num_actions, [](int32_t r) { return r >= 0; });
    }

  private:
    const SearchModel& model_;
    bool everywhere_ = false;
    int32_t question_ = 0;
    std::vector<int32_t> asked_;   // [group] the last question in which it was routed
    std::vector<int32_t> action_;  // [group] its action in that question
};

}  // namespace spotree::neighbourhood
