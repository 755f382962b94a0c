// The best return of any policy that keeps to the allowed actions: an upper bound on every tree that does.
#pragma once

#include <cmath>
#include <limits>

#include "certify/bicgstab.hpp"
#include "certify/model.hpp"

namespace spotree::certify {

// A value function and the policy it belongs to; both serve as the next warm start.
struct Relaxed {
    std::vector<double> value;
    std::vector<int32_t> policy;  // [state] -> row
    double bound = std::numeric_limits<double>::infinity();

    explicit Relaxed(int states = 0) : value(states, 0.0), policy(states, -1) {}
};

class Relaxer {
  public:
    explicit Relaxer(const Model& model)
        : m_(model),
          in_reach_(model.states, 0),
          dead_(model.states, 0),
          usable_(model.choice_start.back(), 0),
          backup_(model.states) {
        space_.resize(model.states);
    }

    // Policy iteration on the states that allowed actions can reach. On return, with e the largest amount by
    // which some allowed choice is worth more than the value of its state, start_value + e / (1 - discount)
    // is a bound. Ends early once the bound is at most `close_at`. False: no allowed policy avoids forbidden
    // actions.
    template <class Stop>
    bool solve(const ActionSets& allowed, Relaxed& r, double close_at, double tolerance, Stop&& stop,
               const double* reward_shift = nullptr, double reward_scale = 1.0) {
        shift_ = reward_shift;
        scale_ = reward_scale;
        if (!explore(allowed)) {
            r.bound = -std::numeric_limits<double>::infinity();
            return false;
        }
        for (int i : reach_) {
            if (r.policy[i] < 0 || !usable_[r.policy[i]]) r.policy[i] = best_row(i, r.value.data()).first;
        }
        const double enough = tolerance * (1 - m_.discount);
        for (int round = 0; round < 500; ++round) {
            double excess = 0, size = 0;
            bool changed = false;
            for (int i : reach_) {
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
            slack_ = excess / (1 - m_.discount) + 1e-15 * size / (1 - m_.discount);
            r.bound = m_.start_value(r.value.data()) + slack_;
            if (r.bound <= close_at || stop()) return true;
            if (excess <= std::max(enough, 4e-15 * size) && (round > 0 || lowest_is_policy(r, enough)))
                return true;
            if (!changed && round > 20) return true;
            evaluate(r, 0.3 * enough, stop);
        }
        return true;
    }

    // Discounted visits of the states under a policy, over the states found by the last `solve`.
    template <class Stop>
    void occupancy(const Relaxed& r, std::vector<double>& visits, Stop&& stop) {
        auto apply = [&](const std::vector<double>& x, std::vector<double>& y) {
            y = x;
            for (int i : reach_) {
                if (x[i] == 0) continue;
                for (int64_t k = m_.row_start[r.policy[i]]; k < m_.row_start[r.policy[i] + 1]; ++k) {
                    y[m_.target[k]] -= m_.weight[k] * x[i];
                }
            }
        };
        visits.assign(m_.states, 0.0);
        space_.residual = m_.initial;
        bicgstab(apply, stop, visits, space_, 1e-9, 300);
        for (double& x : visits) x = std::isfinite(x) && x > 0 ? x : 0;
    }

    // Return of one row per state (-1: forbidden); minus infinity where a forbidden one is reached.
    template <class Stop>
    double policy_return(const std::vector<int32_t>& rows, std::vector<double>& value, double tolerance,
                         Stop&& stop) {
        shift_ = nullptr;
        scale_ = 1;
        reach_.clear();
        std::fill(in_reach_.begin(), in_reach_.end(), 0);
        for (int i = 0; i < m_.states; ++i) {
            if (m_.initial[i] > 0) visit(i);
        }
        for (size_t at = 0; at < reach_.size(); ++at) {
            const int32_t row = rows[reach_[at]];
            if (row < 0) return -std::numeric_limits<double>::infinity();
            for (int64_t k = m_.row_start[row]; k < m_.row_start[row + 1]; ++k) visit(m_.target[k]);
        }
        sort_reach();
        Relaxed r(0);
        r.policy = rows;
        r.value = value;
        evaluate(r, tolerance * (1 - m_.discount), stop);
        // What is left of the residual moves the return by at most its size over 1 - discount: stay below.
        double least = 0;
        for (int i : reach_) least = std::min(least, q(i, rows[i], r.value.data()) - r.value[i]);
        value = r.value;
        return m_.start_value(value.data()) + least / (1 - m_.discount);
    }

    const std::vector<int32_t>& reach() const { return reach_; }
    bool reaches(int state) const { return in_reach_[state]; }
    bool usable(int64_t row) const { return usable_[row]; }
    double slack() const { return slack_; }
    double q(int state, int64_t row, const double* value) const {
        if (!shift_) return m_.worth(row, value);
        return m_.ahead(row, value) + scale_ * m_.reward[row] + shift_[state];
    }

  private:
    void visit(int state) {
        if (in_reach_[state]) return;
        in_reach_[state] = 1;
        reach_.push_back(state);
    }

    void sort_reach() {
        reach_.clear();
        for (int i : m_.order) {
            if (in_reach_[i]) reach_.push_back(i);
        }
    }

    // Marks the usable rows and the states they reach; false if a start state has no way to avoid forbidden
    // actions.
    bool explore(const ActionSets& allowed) {
        if (m_.forbids) mark_dead(allowed);
        reach_.clear();
        std::fill(in_reach_.begin(), in_reach_.end(), 0);
        for (int i = 0; i < m_.states; ++i) {
            if (m_.initial[i] <= 0) continue;
            if (dead_[i]) return false;
            visit(i);
        }
        for (size_t at = 0; at < reach_.size(); ++at) {
            const int i = reach_[at];
            bool any = false;
            for (int64_t row = m_.choice_start[i]; row < m_.choice_start[i + 1]; ++row) {
                usable_[row] = m_.offered(i, row, allowed) && !leads_to_death(row);
                if (!usable_[row]) continue;
                any = true;
                for (int64_t k = m_.row_start[row]; k < m_.row_start[row + 1]; ++k) visit(m_.target[k]);
            }
            if (!any) return false;
        }
        sort_reach();
        return true;
    }

    bool leads_to_death(int64_t row) const {
        if (!m_.forbids) return false;
        for (int64_t k = m_.row_start[row]; k < m_.row_start[row + 1]; ++k) {
            if (dead_[m_.target[k]]) return true;
        }
        return false;
    }

    // A state is dead when every allowed action is forbidden there or may lead to a dead state.
    void mark_dead(const ActionSets& allowed) {
        std::fill(dead_.begin(), dead_.end(), 0);
        for (bool changed = true; changed;) {
            changed = false;
            for (int i = 0; i < m_.states; ++i) {
                if (dead_[i]) continue;
                bool alive = false;
                for (int64_t row = m_.choice_start[i]; row < m_.choice_start[i + 1] && !alive; ++row) {
                    alive = m_.offered(i, row, allowed) && !leads_to_death(row);
                }
                if (!alive) dead_[i] = changed = true;
            }
        }
    }

    std::pair<int32_t, double> best_row(int state, const double* value) const {
        int32_t best = -1;
        double most = -std::numeric_limits<double>::infinity();
        for (int64_t row = m_.choice_start[state]; row < m_.choice_start[state + 1]; ++row) {
            if (!usable_[row]) continue;
            const double worth = q(state, row, value);
            if (worth > most) most = worth, best = int32_t(row);
        }
        return {best, most};
    }

    // A warm start may lie above the truth: then its policy is no witness yet and must be evaluated.
    bool lowest_is_policy(const Relaxed& r, double enough) const {
        for (int i : reach_) {
            if (q(i, r.policy[i], r.value.data()) < r.value[i] - enough) return false;
        }
        return true;
    }

    double residual(const Relaxed& r) {
        std::fill(space_.residual.begin(), space_.residual.end(), 0.0);
        double most = 0;
        for (int i : reach_) {
            const double left = q(i, r.policy[i], r.value.data()) - r.value[i];
            space_.residual[i] = left;
            most = std::max(most, std::abs(left));
        }
        return most;
    }

    void sweep(Relaxed& r) {
        for (int i : reach_) r.value[i] = q(i, r.policy[i], r.value.data());
    }

    template <class Stop>
    void evaluate(Relaxed& r, double tolerance, Stop&& stop) {
        sweep(r);
        double size = 0;
        for (int i : reach_) size = std::max(size, std::abs(r.value[i]));
        tolerance = std::max(tolerance, 2e-15 * size);
        auto apply = [&](const std::vector<double>& x, std::vector<double>& y) {
            for (int i : reach_) {
                y[i] = x[i] - m_.ahead(r.policy[i], x.data());
            }
        };
        for (int attempt = 0; attempt < 3; ++attempt) {
            const double before = residual(r);
            if (before <= tolerance || stop()) return;
            backup_ = r.value;
            std::fill(space_.image.begin(), space_.image.end(), 0.0);
            std::fill(space_.image_half.begin(), space_.image_half.end(), 0.0);
            bicgstab(apply, stop, r.value, space_, 0.5 * tolerance, 400);
            if (!(residual(r) < before)) {
                r.value = backup_;
                break;
            }
        }
        for (int k = 0; k < 20000 && residual(r) > tolerance && !stop(); ++k) sweep(r);
    }

    const Model& m_;
    std::vector<int32_t> reach_;
    std::vector<char> in_reach_, dead_, usable_;
    std::vector<double> backup_;
    KrylovSpace space_;
    const double* shift_ = nullptr;  // added to the reward of a state (for floors)
    double scale_ = 1, slack_ = 0;
};

}  // namespace spotree::certify
