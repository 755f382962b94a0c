// What one action for each state returns, and how far that may be off: what its equations leave over, for as
// many steps as are left.
#pragma once

#include "reach.hpp"

namespace checker {

class Policy {
  public:
    double value = 0, off = 0;

    Policy(const Model& m, const std::vector<int32_t>& action, const Patience& patience)
        : m_(m), patience_(patience) {
        Reach reach(m);
        ActionSets only(m.groups, m.actions);
        for (int32_t i = 0; i < m.states; ++i) {
            row_.push_back(m.choice[size_t(i) * m.actions + action[i]]);
            if (m.group_of[i] >= 0) only.keep_only(m.group_of[i], action[i]);
        }
        if (!reach.explore(only))
            reject("the certificate is malformed: the tree takes a forbidden action, or returns -inf");
        for (const int32_t i : reach.states()) {
            if (!reach.idle(i)) going_.push_back(i);  // the others are worth 0
        }
        std::vector<double> pay(m.states, 0.0);
        for (const int32_t i : going_) pay[i] = m.reward[row_[i]];
        const auto earned = solved(pay);
        double left = 0, most = 0;
        for (const int32_t i : going_) {
            const auto [above, error] = m.gap(i, row_[i], earned.data(), pay[i], std::abs(pay[i]));
            if (!std::isfinite(above)) reject("the tree's return is not finite");
            left = std::max(left, std::abs(above) + error);
            most = std::max(most, std::abs(earned[i]));
        }
        const double more = left * steps();
        if (!std::isfinite(more)) reject("the tree's return is not finite");
        value = m.start_value(earned.data());
        off = more + kUnit * (m.start_states + 8) * (most + more);
    }

  private:
    // No more steps are left, discounted; otherwise t_i with t_i >= 1/2 + P_i t for all states, twice.
    double steps() const {
        if (!m_.undiscounted) return m_.start_sum / m_.far;
        std::vector<double> one(m_.states, 0.0);
        for (const int32_t i : going_) one[i] = 1;
        const auto step = solved(one);
        double sum = 0;
        for (const int32_t i : going_) {
            const auto [above, error] = m_.gap(i, row_[i], step.data(), 0, 0);
            if (!(above - error >= 0.5)) reject("the tree takes too many steps to say what it returns");
            sum += m_.initial[i] * step[i];
        }
        return 2.1 * sum;
    }

    // What is paid until the end: sweep by sweep, and where that takes too long by equations.
    std::vector<double> solved(const std::vector<double>& pay) const {
        std::vector<double> x(m_.states, 0.0);
        if (sweep(pay, x, kSweeps)) return x;
        const bool dense = going_.size() <= kDense;
        if (dense) eliminate(pay, x);
        sweep(pay, x, dense ? kSweeps : m_.undiscounted ? 100 * kSweeps : std::numeric_limits<int>::max());
        return x;
    }

    // Whether nothing changes any more.
    bool sweep(const std::vector<double>& pay, std::vector<double>& x, int most) const {
        for (int k = 0; k < most; ++k) {
            patience_.check();
            double change = 0, size = 0;
            for (const int32_t i : going_) {
                const int32_t row = row_[i];
                const double was = std::exchange(x[i], 0.0);  // its own loop is summed up
                x[i] = (pay[i] + m_.later(row, x.data())) / (1 - m_.stay[row]);
                change = std::max(change, std::abs(x[i] - was));
                size = std::max(size, std::abs(x[i]));
            }
            if (!(change > (m_.undiscounted ? 4 * kUnit : m_.backup) * size)) return true;
        }
        return false;
    }

    // (I - gamma P) x = pay by elimination with pivots.
    void eliminate(const std::vector<double>& pay, std::vector<double>& x) const {
        const size_t n = going_.size(), wide = n + 1;
        std::vector<double> a(n * wide, 0.0);
        std::vector<int32_t> place(m_.states, -1);
        for (size_t k = 0; k < n; ++k) place[going_[k]] = int32_t(k);
        for (size_t k = 0; k < n; ++k) {
            const int32_t row = row_[going_[k]];
            a[k * wide + k] = 1;
            a[k * wide + n] = pay[going_[k]];
            for (int64_t j = m_.entry_begin[row]; j < m_.entry_begin[row + 1]; ++j) {
                if (place[m_.target[j]] >= 0) a[k * wide + place[m_.target[j]]] -= m_.weight[j];
            }
        }
        for (size_t k = 0; k < n; ++k) {
            patience_.check();
            size_t pivot = k;
            for (size_t i = k + 1; i < n; ++i) {
                if (std::abs(a[i * wide + k]) > std::abs(a[pivot * wide + k])) pivot = i;
            }
            if (pivot != k) std::swap_ranges(&a[k * wide], &a[k * wide] + wide, &a[pivot * wide]);
            for (size_t i = k + 1; i < n; ++i) {
                const double by = a[i * wide + k] / a[k * wide + k];
                for (size_t j = k; j <= n && by != 0; ++j) a[i * wide + j] -= by * a[k * wide + j];
            }
        }
        for (size_t k = n; k-- > 0;) {
            double sum = a[k * wide + n];
            for (size_t j = k + 1; j < n; ++j) sum -= a[k * wide + j] * x[going_[j]];
            const double found = sum / a[k * wide + k];
            x[going_[k]] = std::isfinite(found) ? found : 0.0;
        }
    }

    static constexpr int kSweeps = 2000;
    static constexpr size_t kDense = 3000;  // states: up to here equations are solved one by one

    const Model& m_;
    const Patience& patience_;
    std::vector<int32_t> row_, going_;  // [state]; states that matter
};

}  // namespace checker
