// Gains to losses: rows with equal features added up, rows without a preference dropped.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "exact/subproblem.hpp"
#include "model/ranks.hpp"

namespace spotree::exact {

constexpr double kNoPreference = 1e-12;  // of the largest spread

struct Reduced {
    int32_t actions = 0;
    std::vector<double> loss;     // [kept group, action] what an action loses against the best one
    std::vector<int32_t> group;   // [kept group] group of the ranks
    double dropped_spread = 0.0;  // of the groups without a preference
    double spread_sum = 0.0;      // of the kept groups
    double best_gain = 0.0;       // of all groups, each with its best action
    std::vector<double> sum_, spread_;
    std::vector<const int32_t*> column_;
    std::vector<int32_t> ranks_, last_group_;
    uint64_t last_id_ = 0;

    // Rows of `gain` whose `chosen` is false are left out; pass nullptr for all. Returns false when stopped.
    bool reduce(const Ranks& prep, const double* gain, int32_t num_actions, const uint8_t* chosen,
                Stop& stop) {
        actions = num_actions;
        const uint64_t id = std::exchange(last_id_, 0);
        const int32_t groups = prep.groups();
        const double* total = gain;
        if (!prep.singletons() || chosen) {
            sum_.assign(static_cast<size_t>(groups) * actions, 0.0);
            for (int32_t i = 0; i < prep.rows(); ++i) {
                if (stop.check_at(i)) return false;
                if (chosen && !chosen[i]) continue;
                double* to = sum_.data() + static_cast<size_t>(prep.group_of()[i]) * actions;
                const double* from = gain + static_cast<size_t>(i) * actions;
                for (int32_t a = 0; a < actions; ++a) to[a] += from[a];
            }
            total = sum_.data();
        }
        spread_.resize(groups);
        double widest = 0.0;
        for (int32_t g = 0; g < groups; ++g) {
            if (stop.check_at(g)) return false;
            const double* x = total + static_cast<size_t>(g) * actions;
            double low = x[0], high = x[0];
            for (int32_t a = 1; a < actions; ++a) {
                low = std::min(low, x[a]);
                high = std::max(high, x[a]);
            }
            spread_[g] = high - low;
            widest = std::max(widest, spread_[g]);
        }
        last_group_.swap(group);
        group.clear();
        loss.clear();
        dropped_spread = spread_sum = best_gain = 0.0;
        for (int32_t g = 0; g < groups; ++g) {
            if (stop.check_at(g)) return false;
            const double* x = total + static_cast<size_t>(g) * actions;
            const double high = *std::max_element(x, x + actions);
            best_gain += high;
            if (spread_[g] <= kNoPreference * widest) {
                dropped_spread += spread_[g];
                continue;
            }
            for (int32_t a = 0; a < actions; ++a) loss.push_back(high - x[a]);
            group.push_back(g);
            spread_sum += spread_[g];
        }
        last_id_ = id;
        return true;
    }

    // Always with the same block: what depends on the rows alone stays there while the rows stay.
    bool assemble(const Ranks& prep, Block& block, Stop& stop) {
        column_.clear();
        ranks_.clear();
        for (int32_t f = 0; f < prep.num_features(); ++f) {
            column_.push_back(prep.rank(f));
            ranks_.push_back(static_cast<int32_t>(prep.values()[f].size()));
        }
        const bool same_rows = last_id_ == prep.id() && last_group_ == group;
        last_id_ = 0;
        if (!block.assemble_from(RootSource{column_, ranks_, group, loss.data(), actions, actions}, stop,
                                 same_rows)) {
            return false;
        }
        last_id_ = prep.id();
        return true;
    }
};

// The number between two neighbouring values: below < threshold <= above even when rounding leaves no room.
inline double threshold_of(const Ranks& prep, const Cut& cut) {
    const auto& values = prep.values()[cut.feature];
    const double below = values[cut.below], above = values[cut.cut];
    const double middle = below / 2 + above / 2;
    return middle > below && middle <= above ? middle : above;
}

}  // namespace spotree::exact
