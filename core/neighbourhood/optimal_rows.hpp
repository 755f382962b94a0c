// Optimal rows: rows without regret. J* - J is the sum of visits times regret, so only the others cost.
#pragma once

#include <cstdint>
#include <vector>

#include "model/bellman.hpp"
#include "neighbourhood/model.hpp"

namespace spotree::neighbourhood {

class OptimalRows {
  public:
    explicit OptimalRows(const SearchModel& model) : right_(model.num_rows(), false) {
        int64_t wrong = 0, grave = 0;
        for (int32_t s = 0; s < model.num_states; ++s) {
            if (model.group_of[s] < 0) continue;
            for (int32_t a = 0; a < model.num_actions; ++a) {
                const int32_t row = model.choices(s)[a];
                if (row < 0) continue;
                const double regret = model.optimal_value[s] - worth(model, row, model.optimal_value);
                right_[row] = regret <= kNoRegret * model.scale();
                wrong += !right_[row];
                grave += regret >= kGrave * model.scale();
            }
        }
        unforgiving_ = static_cast<double>(grave) > kMostly * static_cast<double>(wrong);
    }

    // Whether most wrong actions lose so much that little is left to win.
    bool unforgiving() const { return unforgiving_; }

    bool operator()(int32_t row) const { return row >= 0 && right_[row]; }

  private:
    static constexpr double kNoRegret = 1e-9;  // of the scale of returns

    static constexpr double kGrave = 0.5;   // of that scale
    static constexpr double kMostly = 0.5;  // of all wrong actions

    std::vector<bool> right_;
    bool unforgiving_ = false;
};

}  // namespace spotree::neighbourhood
