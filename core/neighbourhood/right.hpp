// Which rows lose nothing against the best policy: J* - J is the sum of visits times regret, so only the
// others cost.
#pragma once

#include <cstdint>
#include <vector>

#include "model/bellman.hpp"
#include "neighbourhood/model.hpp"

namespace spotree::neighbourhood {

class RightRows {
  public:
    explicit RightRows(const SearchModel& model) : right_(model.num_rows(), false) {
        for (int32_t s = 0; s < model.num_states; ++s) {
            if (model.group_of[s] < 0) continue;
            for (int32_t a = 0; a < model.num_actions; ++a) {
                const int32_t row = model.choices(s)[a];
                if (row < 0) continue;
                const double regret = model.optimal_value[s] - worth(model, row, model.optimal_value);
                right_[row] = regret <= kNoRegret * model.scale();
            }
        }
    }

    bool operator()(int32_t row) const { return row >= 0 && right_[row]; }

  private:
    static constexpr double kNoRegret = 1e-9;  // of the scale of returns

    std::vector<bool> right_;
};

}  // namespace spotree::neighbourhood
