// Undiscounted: the value of a larger region, brought down by sweeps; it proves itself all the way.
#pragma once

#include <cmath>
#include <limits>

#include "proof/bounds/reachability.hpp"

namespace spotree::proof {

// Value iteration in place, successors mostly first, where nobody can go on for ever at no reward. A state
// takes the worth of its best row and the bonus, if that is less than its value; so every row of it is
// strict, and those that lead to it only get more so: a value that passes lemma 1 still does.
class TotalRewardIteration {
  public:
    enum class Outcome {
        closed,   // the bound came down to `close_at`
        settled,  // more sweeps would not help (rough: would not bring the bound down to `close_at`)
        slow      // they might, but equations are faster
    };

    explicit TotalRewardIteration(const GroupedModel& model) : m_(model) {}

    // `bonus`: of a step. Values that would come down by `enough` or less stay.
    Outcome sweep(const Reach& reach, std::vector<double>& value, std::vector<int32_t>& policy,
                  double close_at, double bonus, double enough, bool rough, auto&& stop) const {
        if (!(bonus > 0)) return Outcome::slow;
        const double step = std::exp2(std::floor(std::log2(bonus / 8)));
        double before = 0;
        for (int k = 0; k < kMostSweeps && !stop(); ++k) {
            double change = 0;
            for (const int32_t i : reach.states()) {
                double most = -std::numeric_limits<double>::infinity();
                for (int64_t row = m_.choice_start[i]; row < m_.choice_start[i + 1]; ++row) {
                    if (!reach.usable(row)) continue;
                    const double here = worth(row, value.data());
                    if (here > most) most = here, policy[i] = int32_t(row);
                }
                const double lower = step * std::ceil((most + bonus) / step);
                if (!(value[i] - lower > enough)) continue;
                change = std::max(change, value[i] - lower);
                value[i] = lower;
            }
            if (change == 0) return Outcome::settled;
            const double bound = m_.start_value(value.data());
            if (bound <= close_at) return Outcome::closed;
            const double rate = k > 0 ? change / before : 1;
            if (k > 2 && rate > (rough ? kSlowestRough : kSlowest)) return Outcome::slow;
            if (rough && k > 0 && change * rate <= kHopeless * (1 - rate) * (bound - close_at))
                return Outcome::settled;
            before = change;
        }
        return Outcome::slow;
    }

    // The policy that ends soonest, about, of those that lose less than `near` in every step. The bonus makes
    // a detour at no loss look better than none; where to part a region, it only misleads.
    void hurry(const Reach& reach, const double* value, std::vector<int32_t>& policy, double near) {
        as_good_.clear();
        first_.assign(1, 0);
        for (const int32_t i : reach.states()) {
            const double least = worth(policy[i], value) - near;
            for (int64_t row = m_.choice_start[i]; row < m_.choice_start[i + 1]; ++row) {
                if (row == policy[i] || (reach.usable(row) && worth(row, value) >= least))
                    as_good_.push_back(int32_t(row));
            }
            first_.push_back(as_good_.size());
        }
        steps_.assign(m_.num_states, 0.0);
        for (int k = 0; k < kHurries; ++k) {
            double change = 0;
            for (size_t at = 0; at < reach.states().size(); ++at) {
                const int32_t i = reach.states()[at];
                double fewest = std::numeric_limits<double>::infinity();
                for (size_t r = first_[at]; r < first_[at + 1]; ++r) {
                    const double steps = 1 + ahead_by_four(m_, as_good_[r], steps_.data());
                    if (steps < fewest) fewest = steps, policy[i] = as_good_[r];
                }
                change = std::max(change, (fewest - steps_[i]) / fewest);
                steps_[i] = fewest;
            }
            if (change < kHurried) return;
        }
    }

  private:
    static constexpr int kMostSweeps = 100, kHurries = 20;
    static constexpr double kHurried = 1e-3;                       // of the steps: so near they need be
    static constexpr double kSlowest = 0.4, kSlowestRough = 0.97;  // of what the sweep before changed
    static constexpr double kHopeless = 1e-3;                      // of the way to `close_at`

    double worth(int64_t row, const double* value) const {
        return m_.reward[row] + ahead_by_four(m_, row, value);
    }

    const GroupedModel& m_;
    std::vector<int32_t> as_good_;
    std::vector<size_t> first_;  // of each state in turn
    std::vector<double> steps_;  // [state]
};

}  // namespace spotree::proof
