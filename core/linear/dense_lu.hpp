// The direct solver: dense LU factors of I - discount * P, without pivoting.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/stop.hpp"

namespace spotree {

[[gnu::always_inline]] inline double dot(const double* a, const double* b, size_t n) {
    double sum[4] = {0, 0, 0, 0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        for (size_t lane = 0; lane < 4; ++lane) sum[lane] += a[i + lane] * b[i + lane];
    }
    for (; i < n; ++i) sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
    return dot(a.data(), b.data(), a.size());
}

// HUGE_VAL where an entry is no number.
inline double largest_entry(const std::vector<double>& v) {
    double most = 0;
    for (const double x : v) most = x != x ? HUGE_VAL : std::max(most, std::abs(x));
    return most;
}

// No pivoting: the matrix is row diagonally dominant with a positive diagonal and nothing positive beside it,
// so elements do not grow. Row-major; L (unit diagonal) and U share the square.
class DenseLu {
  public:
    int32_t size() const { return size_; }
    bool complete() const { return complete_; }  // false: stopped, the factors are of no use

    // A square of zeros to be filled in row by row, then factored; memory is kept from one matrix to the
    // next.
    double* begin(int32_t size) {
        size_ = size;
        a_.assign(static_cast<size_t>(size) * size, 0.0);
        return a_.data();
    }

    // Panels of columns: the rows of a panel stay in cache while every row below is updated by them. False if
    // it had to stop.
    bool factor(Stop* stop = nullptr) {
        complete_ = false;
        for (int32_t first = 0; first < size_; first += kPanel) {
            if (first > 0 && stop && stop->check()) return false;
            const int32_t last = std::min(first + kPanel, size_);
            for (int32_t k = first; k < last; ++k) {
                for (int32_t i = k + 1; i < size_; ++i) {  // rows do not wait for each other
                    double* target = row(i);
                    if (target[k] == 0.0) continue;
                    target[k] /= row(k)[k];
                    subtract(row(k), target[k], target, k + 1, last);
                }
            }
            if (last == size_) break;
            for (int32_t i = first + 1; i < size_; ++i) update(i, first, std::min(i, last), last);
        }
        complete_ = true;
        return true;
    }

    void solve(double* x) const {
        for (int32_t i = 1; i < size_; ++i) x[i] -= dot(row(i), x, i);
        for (int32_t i = size_ - 1; i >= 0; --i) {
            x[i] = (x[i] - dot(row(i) + i + 1, x + i + 1, size_ - i - 1)) / row(i)[i];
        }
    }

    void solve_transposed(double* x) const {
        for (int32_t i = 0; i < size_; ++i) {
            x[i] /= row(i)[i];
            subtract(row(i), x[i], x, i + 1, size_);
        }
        for (int32_t i = size_ - 1; i > 0; --i) subtract(row(i), x[i], x, 0, i);
    }

  private:
    static constexpr int32_t kPanel = 32;

    double* row(int32_t i) { return a_.data() + static_cast<int64_t>(i) * size_; }
    const double* row(int32_t i) const { return a_.data() + static_cast<int64_t>(i) * size_; }

    static void subtract(const double* u, double scale, double* v, int32_t begin, int32_t end) {
        for (int32_t j = begin; j < end; ++j) v[j] -= scale * u[j];
    }

    // Row i, right of the panel: four rows of the panel at a time.
    void update(int32_t i, int32_t first, int32_t end, int32_t last) {
        double* target = row(i);
        int32_t k = first;
        for (; k + 4 <= end; k += 4) {
            const double *r0 = row(k), *r1 = row(k + 1), *r2 = row(k + 2), *r3 = row(k + 3);
            const double f0 = target[k], f1 = target[k + 1], f2 = target[k + 2], f3 = target[k + 3];
            if (f0 == 0.0 || f1 == 0.0 || f2 == 0.0 || f3 == 0.0) {  // few states lead to few others: skip
                for (int32_t m = k; m < k + 4; ++m) {
                    if (target[m] != 0.0) subtract(row(m), target[m], target, last, size_);
                }
                continue;
            }
            for (int32_t j = last; j < size_; ++j) {
                target[j] -= (f0 * r0[j] + f1 * r1[j]) + (f2 * r2[j] + f3 * r3[j]);
            }
        }
        for (; k < end; ++k) subtract(row(k), target[k], target, last, size_);
    }

    int32_t size_ = 0;
    bool complete_ = false;
    std::vector<double> a_;
};

}  // namespace spotree
