// Undiscounted models: own loops summed up (lemma 10 of docs/proof.md), dead states, and lemma 1 row by row.
#pragma once

#include <functional>

#include "model.hpp"

namespace checker {

// Dead states: no allowed policy from there has a finite value. One has if it surely ends or, unless it must,
// comes to states where it can stay for ever by rows without reward.
class Endless {
  public:
    explicit Endless(const Model& model) : m_(model), open_(model.reward.size()), free_(model.reward.size()) {
        state_of_.resize(model.reward.size());
        before_begin_.assign(model.states + 1, 0);
        for (int32_t i = 0; i < m_.states; ++i) {
            for (int32_t row = m_.row_begin[i]; row < m_.row_begin[i + 1]; ++row) state_of_[row] = i;
        }
        for (const int32_t j : m_.target) ++before_begin_[j + 1];
        for (int32_t i = 0; i < m_.states; ++i) before_begin_[i + 1] += before_begin_[i];
        before_.resize(m_.target.size());
        auto next = before_begin_;
        for (int32_t row = 0; row < int32_t(m_.reward.size()); ++row) {
            for (int64_t k = m_.entry_begin[row]; k < m_.entry_begin[row + 1]; ++k)
                before_[next[m_.target[k]]++] = row;
        }
    }

    template <class Offered>
    void mark(Offered&& offered, std::vector<char>& dead) {
        std::fill(dead.begin(), dead.end(), 0);
        for (int32_t row = 0; row < int32_t(m_.reward.size()); ++row)
            open_[row] = offered(state_of_[row], row);
        for (bool changed = true; changed;) {
            changed = false;
            find_alive();
            for (int32_t i = 0; i < m_.states; ++i) {
                if (alive_[i] || dead[i]) continue;
                dead[i] = changed = true;
                for (int64_t k = before_begin_[i]; k < before_begin_[i + 1]; ++k) open_[before_[k]] = 0;
            }
        }
    }

  private:
    void find_alive() {
        alive_.assign(m_.states, 0);
        if (!m_.must_end) find_idle();
        queue_.clear();
        for (int32_t row = 0; row < int32_t(m_.reward.size()); ++row) {
            const int32_t i = state_of_[row];
            if (open_[row] && m_.ends[row]) alive_[i] = 1;
        }
        for (int32_t i = 0; i < m_.states; ++i) {
            if (alive_[i]) queue_.push_back(i);
        }
        for (size_t at = 0; at < queue_.size(); ++at) {
            for (int64_t k = before_begin_[queue_[at]]; k < before_begin_[queue_[at] + 1]; ++k) {
                const int32_t i = state_of_[before_[k]];
                if (open_[before_[k]] && !alive_[i]) alive_[i] = 1, queue_.push_back(i);
            }
        }
    }

    // The largest set of states with a row, without reward and without an end, that stays in the set.
    void find_idle() {
        count_.assign(m_.states, 0);
        for (int32_t row = 0; row < int32_t(m_.reward.size()); ++row) {
            free_[row] = open_[row] && m_.reward[row] == 0 && !m_.ends[row];
            count_[state_of_[row]] += free_[row];
        }
        queue_.clear();
        for (int32_t i = 0; i < m_.states; ++i) {
            if (count_[i] == 0) queue_.push_back(i);
        }
        for (size_t at = 0; at < queue_.size(); ++at) {
            for (int64_t k = before_begin_[queue_[at]]; k < before_begin_[queue_[at] + 1]; ++k) {
                const int32_t row = before_[k];
                if (!free_[row]) continue;
                free_[row] = 0;
                if (--count_[state_of_[row]] == 0) queue_.push_back(state_of_[row]);
            }
        }
        for (int32_t i = 0; i < m_.states; ++i) alive_[i] = count_[i] > 0;
    }

    const Model& m_;
    std::vector<char> open_, free_, alive_;
    std::vector<int32_t> state_of_, before_, count_, queue_;
    std::vector<int64_t> before_begin_;
};

// By how much a state is above what a row is worth that pays so much now, for certain.
inline double surely_above(const Model& m, int32_t i, int32_t row, const double* value, double pay) {
    double ahead = 0, size = 0;
    for (int64_t k = m.entry_begin[row]; k < m.entry_begin[row + 1]; ++k) {
        const double part = m.weight[k] * value[m.target[k]];
        ahead += part;
        size += std::abs(part);
    }
    const double units = kUnit * double(2 * (m.entry_begin[row + 1] - m.entry_begin[row]) + 16);
    return value[i] - pay - ahead - units * (std::abs(value[i]) + std::abs(pay) + size);
}

// Lemma 1 for one row: strict, or flat where going on for ever is worth no more than the value.
inline bool row_holds(const Model& m, int32_t i, int32_t row, const double* value, double pay) {
    if (surely_above(m, i, row, value, pay) > 0) return true;
    if (pay != 0) return false;
    for (int64_t k = m.entry_begin[row]; k < m.entry_begin[row + 1]; ++k) {
        if (!(value[m.target[k]] == value[i])) return false;
    }
    if (m.ends[row]) return value[i] == 0;
    return m.must_end || value[i] >= 0;
}

// What one row per state returns from some states on, which hold all that they lead to, and how far that may
// be off: what the equations leave over, times the steps that are left. Throws where it is not finite.
class Steady {
  public:
    Steady(const Model& model, const std::vector<int32_t>& states, const std::vector<int32_t>& row,
           const std::function<bool()>& stop)
        : m_(model), states_(states), row_(row), stop_(stop) {
        find_going();
        std::vector<double> reward(m_.states, 0.0), one(m_.states, 0.0);
        for (const int32_t i : going_) reward[i] = m_.reward[row[i]], one[i] = 1;
        earned = solved(reward);
        const auto steps = solved(one);
        for (const int32_t i : going_) {
            double ahead = reward[i], size = std::abs(reward[i]) + std::abs(earned[i]), later = 0;
            for (int64_t k = m_.entry_begin[row[i]]; k < m_.entry_begin[row[i] + 1]; ++k) {
                ahead += m_.weight[k] * earned[m_.target[k]];
                size += m_.weight[k] * std::abs(earned[m_.target[k]]);
                later += m_.weight[k] * steps[m_.target[k]];
            }
            const double units =
                kUnit * double(2 * (m_.entry_begin[row[i] + 1] - m_.entry_begin[row[i]]) + 16);
            left_ = std::max(left_, std::abs(ahead - earned[i]) + units * size);
            if (!(steps[i] - later - units * (steps[i] + later) >= 0.5))
                reject("the tree takes too many steps to say what it returns");
        }
        for (const int32_t i : going_) longest_ += m_.initial[i] * steps[i];
        if (!std::isfinite(left_ * longest_)) reject("the tree's return is not finite");
    }

    double off() const { return 2.1 * left_ * longest_; }

  private:
    // All but the states from which nothing is earned for ever.
    void find_going() {
        std::vector<std::vector<int32_t>> before(m_.states);
        for (const int32_t i : states_) {
            for (int64_t k = m_.entry_begin[row_[i]]; k < m_.entry_begin[row_[i] + 1]; ++k)
                before[m_.target[k]].push_back(i);
        }
        auto back = [&](auto&& first) {  // from where such a state may be reached
            std::vector<char> found(m_.states, 0);
            std::vector<int32_t> queue;
            for (const int32_t i : states_) {
                if (first(i)) found[i] = 1, queue.push_back(i);
            }
            for (size_t at = 0; at < queue.size(); ++at) {
                for (const int32_t i : before[queue[at]]) {
                    if (!found[i]) found[i] = 1, queue.push_back(i);
                }
            }
            return found;
        };
        const auto ending = back([&](int32_t i) { return m_.ends[row_[i]] != 0; });
        const auto earning = back([&](int32_t i) { return m_.ends[row_[i]] || m_.reward[row_[i]] != 0; });
        const auto fine = back([&](int32_t i) { return ending[i] || (!m_.must_end && !earning[i]); });
        for (const int32_t i : states_) {
            if (!fine[i]) reject("the certificate is malformed: the tree's return is not finite");
        }
        for (const int32_t i : states_) {
            if (earning[i]) going_.push_back(i);
        }
    }

    // Step by step, and where that takes too long by elimination with pivots.
    std::vector<double> solved(const std::vector<double>& now) const {
        std::vector<double> x(m_.states, 0.0);
        auto sweep = [&](int most) {
            for (int k = 0; k < most && !stop_(); ++k) {
                double change = 0, size = 0;
                for (const int32_t i : going_) {
                    const double fresh = now[i] + m_.later(row_[i], x.data());
                    change = std::max(change, std::abs(fresh - x[i]));
                    size = std::max(size, std::abs(fresh));
                    x[i] = fresh;
                }
                if (!(change > 4 * kUnit * size)) return true;
            }
            return false;
        };
        if (!sweep(kSweeps)) {
            if (going_.size() <= kMostDense)
                eliminate(now, x);
            else
                sweep(100 * kSweeps);
        }
        return x;
    }

    void eliminate(const std::vector<double>& now, std::vector<double>& x) const {
        const size_t n = going_.size();
        std::vector<double> a(n * (n + 1), 0.0);
        std::vector<int32_t> place(m_.states, -1);
        for (size_t k = 0; k < n; ++k) place[going_[k]] = int32_t(k);
        for (size_t k = 0; k < n; ++k) {
            double* of = &a[k * (n + 1)];
            of[k] = 1;
            of[n] = now[going_[k]];
            for (int64_t j = m_.entry_begin[row_[going_[k]]]; j < m_.entry_begin[row_[going_[k]] + 1]; ++j) {
                if (place[m_.target[j]] >= 0) of[place[m_.target[j]]] -= m_.weight[j];
            }
        }
        for (size_t k = 0; k < n && !stop_(); ++k) {
            size_t pivot = k;
            for (size_t i = k + 1; i < n; ++i) {
                if (std::abs(a[i * (n + 1) + k]) > std::abs(a[pivot * (n + 1) + k])) pivot = i;
            }
            if (pivot != k) std::swap_ranges(&a[k * (n + 1)], &a[k * (n + 1)] + n + 1, &a[pivot * (n + 1)]);
            for (size_t i = k + 1; i < n; ++i) {
                const double by = a[i * (n + 1) + k] / a[k * (n + 1) + k];
                if (by == 0) continue;
                for (size_t j = k; j <= n; ++j) a[i * (n + 1) + j] -= by * a[k * (n + 1) + j];
            }
        }
        for (size_t k = n; k-- > 0;) {
            double sum = a[k * (n + 1) + n];
            for (size_t j = k + 1; j < n; ++j) sum -= a[k * (n + 1) + j] * x[going_[j]];
            x[going_[k]] = sum / a[k * (n + 1) + k];
        }
    }

    static constexpr int kSweeps = 2000;
    static constexpr size_t kMostDense = 3000;

    const Model& m_;
    const std::vector<int32_t>&states_, &row_;
    const std::function<bool()>& stop_;
    std::vector<int32_t> going_;
    double left_ = 0, longest_ = 0;

  public:
    std::vector<double> earned;  // [state]
};

}  // namespace checker
