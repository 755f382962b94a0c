// The best return of any policy that keeps to the allowed actions: an upper bound on every tree that does.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "linear/bicgstab.hpp"
#include "proof/bounds/reachability.hpp"
#include "proof/total_reward/mec_policy_iteration.hpp"
#include "proof/total_reward/value_iteration.hpp"

namespace spotree::proof {

// A value function and the policy it belongs to; both serve as the next warm start.
struct Relaxed {
    std::vector<double> value;
    std::vector<int32_t> policy;  // [state] -> row
    double bound = std::numeric_limits<double>::infinity();

    explicit Relaxed(int states = 0) : value(states, 0.0), policy(states, -1) {}
};

constexpr double kRelaxed = 0.02;      // of the tolerance: so near a relaxation comes to its optimum
constexpr double kGrid = 0.25;         // of that, in one backup: the grid to which values are rounded up
constexpr double kNoLevel = -1e300;    // nothing closes here
constexpr double kRoughVisits = 1e-5;  // of a start: to say where to look next, visits need be no nearer
constexpr double kSwept = 4;           // of the rounding of one backup: what a sweep may add, with own loops
constexpr double kStill = 0.05;  // of how near it comes: undiscounted, a rough value that changes less stays
constexpr double kSlowest = 0.97;  // of what the sweep before changed: beyond that equations are solved

class Relaxer {
  public:
    explicit Relaxer(const GroupedModel& model)
        : m_(model), found_(model), lowering_(model), backup_(model.num_states) {
        space_.resize(model.num_states);
        if (model.undiscounted()) quotient_ = std::make_unique<Quotient>(model);
    }

    // Policy iteration on the states that allowed actions can reach. On return, with e the largest amount by
    // which some allowed choice is worth more than the value of its state, start_value + e / (1 - discount)
    // is a bound. Ends early once the bound is at most `close_at`. False: no allowed policy avoids forbidden
    // actions. A rough solution ends as soon as the bound cannot come down to `close_at` any more, it seems.
    bool solve(const ActionSets& allowed, Relaxed& r, double close_at, double tolerance, auto&& stop,
               bool rough = false, const double* reward_shift = nullptr, double reward_scale = 1.0) {
        shift_ = reward_shift;
        scale_ = reward_scale;
        sweeps_ = 0;
        evaluated_ = false;
        if (!found_.explore(allowed)) {
            r.bound = -std::numeric_limits<double>::infinity();
            return false;
        }
        before_ = r.value;
        if (quotient_) return solve_undiscounted(r, close_at, tolerance, rough, stop);
        for (int i : reach()) {
            if (r.policy[i] < 0 || !usable(r.policy[i])) r.policy[i] = best_row(i, r.value.data()).first;
        }
        double enough = tolerance * (1 - m_.discount);
        grid_ = enough;
        const bool fine = sweep_down(r, close_at, 0.3 * enough, rough, stop);
        if (swept_closed_) return true;
        for (int round = 0; round < 500; ++round) {
            double excess = 0, size = 0;
            bool changed = false;
            for (int i : reach()) {
                const auto [row, worth] = best_row(i, r.value.data());
                size = std::max(size, std::abs(r.value[i]));
                const double over = worth - r.value[i];
                excess = std::max(excess, over);
                if (row != r.policy[i] && over > 0.1 * enough &&
                    worth > q(i, r.policy[i], r.value.data()) + 0.01 * enough) {
                    r.policy[i] = row;
                    changed = true;
                }
            }
            slack_ = (excess + m_.rounding * size) / (1 - m_.discount);
            r.bound = m_.start_value(r.value.data()) + slack_;
            if (r.bound <= close_at || stop()) return true;
            if (rough) {
                const double room = std::abs(m_.start_value(r.value.data()) - close_at);
                enough = std::max(tolerance, 0.02 * room) * (1 - m_.discount);
                grid_ = enough;
            }
            if (excess <= std::max(enough, 4e-15 * size) &&
                (round > 0 || fine || lowest_is_policy(r, enough)))
                return true;
            if (!changed && round > 20) return true;
            evaluate(r, 0.3 * enough, stop);
            evaluated_ = true;
        }
        return true;
    }

    // The bound that a value gives as it stands; false as for `solve`.
    bool measure(const ActionSets& allowed, Relaxed& r) {
        shift_ = nullptr;
        scale_ = 1;
        if (!found_.explore(allowed)) {
            r.bound = -std::numeric_limits<double>::infinity();
            return false;
        }
        if (quotient_) {
            const std::vector<double> kept = r.value;
            quotient_->solve(found_, r.value, r.policy, [] { return false; });
            r.value = kept;
        }
        for (int i : reach()) {
            if (r.policy[i] < 0 || !usable(r.policy[i])) r.policy[i] = best_row(i, r.value.data()).first;
        }
        find_bound(r);
        return true;
    }

    // How a reader gets from the value before the last `solve` to the value now: so many sweeps, then these
    // states. Values that were not swept are rounded up to a grid, as far as the bound allows, and those that
    // hardly changed are what they were: fewer and shorter numbers. `afresh`: the reader knows nothing.
    struct Way {
        int sweeps = 0;
        std::vector<int32_t> states;
    };

    Way way(Relaxed& r, double close_at, bool afresh) {
        if (quotient_) return {0, changed(r, afresh)};
        if (!evaluated_ && !afresh) return {sweeps_, {}};
        const bool closed = r.bound <= close_at;
        const std::vector<double> exact = r.value;
        double step = std::exp2(std::floor(std::log2(kGrid * grid_)));
        for (int tries = 0; tries < 3 && step > 0 && std::isfinite(step); ++tries, step *= 0x1p-8) {
            for (int i : reach()) {
                const bool same = !afresh && before_[i] >= exact[i] && before_[i] < exact[i] + step;
                r.value[i] = same ? before_[i] : step * std::ceil(exact[i] / step);
            }
            find_bound(r);
            if (!closed || r.bound <= close_at) break;
        }
        if (closed && !(r.bound <= close_at)) {
            r.value = exact;
            find_bound(r);
        }
        return {0, changed(r, afresh)};
    }

    // Discounted visits of the states under a policy, over the states found by the last `solve`.
    void occupancy(const Relaxed& r, std::vector<double>& visits, auto&& stop) {
        if (quotient_) return quotient_->occupancy(found_, r.policy, visits);
        auto apply = [&](const std::vector<double>& x, std::vector<double>& y) {
            y = x;
            for (int i : reach()) {
                if (x[i] == 0) continue;
                const double visits_after = m_.discount * x[i];
                for (int64_t k = m_.row_start[r.policy[i]]; k < m_.row_start[r.policy[i] + 1]; ++k) {
                    y[m_.target[k]] -= m_.probability[k] * visits_after;
                }
            }
        };
        visits.assign(m_.num_states, 0.0);
        space_.residual.assign(m_.initial, m_.initial + m_.num_states);
        bicgstab(apply, [&](double left) { return left <= kRoughVisits || stop(); }, visits, space_, 300);
        for (double& x : visits) x = std::isfinite(x) && x > 0 ? x : 0;
    }

    // Return of one row per state (-1: forbidden); minus infinity where a forbidden one is reached.
    double policy_return(const std::vector<int32_t>& rows, std::vector<double>& value, double tolerance,
                         auto&& stop) {
        shift_ = nullptr;
        scale_ = 1;
        if (!found_.explore(rows)) return -std::numeric_limits<double>::infinity();
        if (quotient_) return quotient_->policy_return(found_, rows, value);
        Relaxed r(0);
        r.policy = rows;
        r.value = value;
        evaluate(r, tolerance * (1 - m_.discount), stop);
        // What is left of the residual moves the return by at most its size over 1 - discount: stay below.
        double least = 0;
        for (int i : reach()) least = std::min(least, q(i, rows[i], r.value.data()) - r.value[i]);
        value = r.value;
        return m_.start_value(value.data()) + least / (1 - m_.discount);
    }

    const std::vector<int32_t>& reach() const { return found_.states(); }
    bool reaches(int state) const { return found_.has(state); }
    bool usable(int64_t row) const { return found_.usable(row); }
    double q(int state, int64_t row, const double* value) const {
        if (!shift_) return worth_by_four(m_, row, value);
        return m_.discount * ahead_by_four(m_, row, value) + scale_ * m_.reward[row] + shift_[state];
    }

    // What is lost by a usable row, at least; undiscounted, less the bonus, which says nothing about a row.
    double regret(int state, int64_t row, const double* value, double bonus) const {
        const double lost = quotient_ ? quotient_->rows().regret(state, row, value) - bonus
                                      : value[state] - worth_by_four(m_, row, value);
        return std::max(0.0, lost);
    }
    double bonus(const double* value) const { return quotient_ ? quotient_->bonus(found_, value) : 0; }

  private:
    // The value of the larger region, which proves itself here too, swept down; where that takes too long, or
    // there are components, a fresh one, if one is found.
    bool solve_undiscounted(Relaxed& r, double close_at, double tolerance, bool rough, auto&& stop) {
        const double size = Quotient::size(found_, r.value.data());
        const bool simple = !quotient_->has_components(found_);
        bool known = std::isfinite(r.bound), done = false;
        if (known && simple) {
            const double bonus = quotient_->bonus_for(size);
            const double still = std::max(4 * bonus, rough ? kStill * tolerance : 0);
            const auto outcome =
                lowering_.sweep(found_, r.value, r.policy, close_at, bonus, still, rough, stop);
            done = outcome == TotalRewardIteration::Outcome::settled ||
                   (outcome == TotalRewardIteration::Outcome::closed &&
                    quotient_->start(r.value.data()) <= close_at);
            known = quotient_->holds(found_, r.value.data());
            if (!known) r.value = before_;
        }
        if (!known || !done) quotient_->solve(found_, r.value, r.policy, stop, {}, known ? size : 0);
        for (int i : reach()) {
            if (r.policy[i] < 0 || !usable(r.policy[i])) r.policy[i] = best_row(i, r.value.data()).first;
        }
        find_bound(r);
        if (!rough && simple) lowering_.hurry(found_, r.value.data(), r.policy, tolerance);
        return true;
    }

    // The states whose value is not what it was before the last `solve`, in order.
    std::vector<int32_t> changed(const Relaxed& r, bool afresh) const {
        std::vector<int32_t> states;
        for (int i : reach()) {
            if (afresh || r.value[i] != before_[i]) states.push_back(i);
        }
        std::sort(states.begin(), states.end());
        return states;
    }

    std::pair<int32_t, double> best_row(int state, const double* value) const {
        int32_t best = -1;
        double most = -std::numeric_limits<double>::infinity();
        for (int64_t row = m_.choice_start[state]; row < m_.choice_start[state + 1]; ++row) {
            if (!usable(row)) continue;
            const double worth = q(state, row, value);
            if (worth > most) most = worth, best = int32_t(row);
        }
        return {best, most};
    }

    void find_bound(Relaxed& r) {
        if (quotient_) {
            r.bound = quotient_->holds(found_, r.value.data()) ? quotient_->start(r.value.data())
                                                               : std::numeric_limits<double>::infinity();
            return;
        }
        double excess = 0, size = 0;
        for (int i : reach()) {
            excess = std::max(excess, best_row(i, r.value.data()).second - r.value[i]);
            size = std::max(size, std::abs(r.value[i]));
        }
        slack_ = (excess + m_.rounding * size) / (1 - m_.discount);
        r.bound = m_.start_value(r.value.data()) + slack_;
    }

    // Value iteration in place, successors mostly first and with the way back to the state itself summed up:
    // few sweeps where there are few cycles. From above it stays above, so that every sweep gives a bound.
    // True if more sweeps would not help (rough: would not bring the bound down to `close_at`).
    bool sweep_down(Relaxed& r, double close_at, double enough, bool rough, auto&& stop) {
        double before = 0;
        swept_closed_ = false;
        for (int k = 0; k < 100 && !stop(); ++k) {
            double change = 0, rise = 0, size = 0;
            ++sweeps_;
            for (int i : reach()) {
                // With 0 here nothing cancels out: a reader finds the same value to a few units, however
                // long the state is stayed in.
                const double was = std::exchange(r.value[i], 0.0);
                double most = -std::numeric_limits<double>::infinity();
                for (int64_t row = m_.choice_start[i]; row < m_.choice_start[i + 1]; ++row) {
                    if (!usable(row)) continue;
                    double worth = q(i, row, r.value.data());
                    if (m_.stay[row] > 0) worth /= 1 - m_.stay[row];
                    if (worth > most) most = worth, r.policy[i] = int32_t(row);
                }
                change = std::max(change, std::abs(was - most));
                rise = std::max(rise, most - was);
                size = std::max(size, std::abs(most));
                r.value[i] = most;
            }
            if (change <= enough) return true;
            const double bound = m_.start_value(r.value.data());
            if (bound <= close_at) {
                // What rose after a state was set counts there with a factor below 1: no other look is
                // needed.
                slack_ = (rise + kSwept * m_.rounding * size) / (1 - m_.discount);
                swept_closed_ = bound + slack_ <= close_at;
                if (swept_closed_) r.bound = bound + slack_;
                return false;
            }
            const double rate = k > 0 ? change / before : 1;
            if (k > 2 && rate > (rough ? kSlowest : 0.4)) return false;
            if (rough && k > 0 && change * rate <= 0.001 * (1 - rate) * (bound - close_at)) return true;
            before = change;
        }
        return false;
    }

    // A warm start may lie above the truth: then its policy is no witness yet and must be evaluated.
    bool lowest_is_policy(const Relaxed& r, double enough) const {
        for (int i : reach()) {
            if (q(i, r.policy[i], r.value.data()) < r.value[i] - enough) return false;
        }
        return true;
    }

    double residual(const Relaxed& r) {
        std::fill(space_.residual.begin(), space_.residual.end(), 0.0);
        double most = 0;
        for (int i : reach()) {
            const double left = q(i, r.policy[i], r.value.data()) - r.value[i];
            space_.residual[i] = left;
            most = std::max(most, std::abs(left));
        }
        return most;
    }

    void sweep(Relaxed& r) {
        for (int i : reach()) r.value[i] = q(i, r.policy[i], r.value.data());
    }

    void evaluate(Relaxed& r, double tolerance, auto&& stop) {
        sweep(r);
        double size = 0;
        for (int i : reach()) size = std::max(size, std::abs(r.value[i]));
        tolerance = std::max(tolerance, 2e-15 * size);
        auto apply = [&](const std::vector<double>& x, std::vector<double>& y) {
            for (int i : reach()) {
                y[i] = x[i] - m_.discount * ahead_by_four(m_, r.policy[i], x.data());
            }
        };
        for (int attempt = 0; attempt < 3; ++attempt) {
            const double before = residual(r);
            if (before <= tolerance || stop()) return;
            backup_ = r.value;
            std::fill(space_.image.begin(), space_.image.end(), 0.0);
            std::fill(space_.image_half.begin(), space_.image_half.end(), 0.0);
            bicgstab(
                apply, [&](double left) { return left <= 0.5 * tolerance || stop(); }, r.value, space_, 400);
            if (!(residual(r) < before)) {
                r.value = backup_;
                break;
            }
        }
        for (int k = 0; k < 20000 && residual(r) > tolerance && !stop(); ++k) sweep(r);
    }

    const GroupedModel& m_;
    Reach found_;
    std::unique_ptr<Quotient> quotient_;  // undiscounted
    TotalRewardIteration lowering_;
    std::vector<double> backup_, before_;  // before: the value that the last `solve` began with
    KrylovSpace space_;
    const double* shift_ = nullptr;  // added to the reward of a state (for floors)
    double scale_ = 1, slack_ = 0;
    double grid_ = 0;  // how near the last `solve` came to its policy's value, in one backup
    int sweeps_ = 0;
    bool evaluated_ = false, swept_closed_ = false;
};

}  // namespace spotree::proof
