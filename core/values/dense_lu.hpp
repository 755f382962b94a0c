// Dense LU factors of I - discount * P, without pivoting.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "exact/stop.hpp"

namespace spotree {

// No pivoting: the matrix is row diagonally dominant with a positive diagonal and nothing positive beside it,
// so elements do not grow. Row-major; L (unit diagonal) and U share the square.
class DenseLu {
  public:
    DenseLu() = default;
    DenseLu(int32_t size, std::vector<double> matrix, exact::Stop* stop = nullptr)
        : size_(size), a_(std::move(matrix)) {
        factor(stop);
    }

    int32_t size() const { return size_; }
    bool complete() const { return complete_; }  // false: stopped, the factors are of no use

    void solve(double* x) const {
        for (int32_t i = 1; i < size_; ++i) x[i] -= dot(row(i), x, 0, i);
        for (int32_t i = size_ - 1; i >= 0; --i) x[i] = (x[i] - dot(row(i), x, i + 1, size_)) / row(i)[i];
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

    static double dot(const double* u, const double* v, int32_t begin, int32_t end) {
        double sums[4] = {0.0, 0.0, 0.0, 0.0};
        int32_t j = begin;
        for (; j + 4 <= end; j += 4) {
            for (int32_t lane = 0; lane < 4; ++lane) sums[lane] += u[j + lane] * v[j + lane];
        }
        for (; j < end; ++j) sums[0] += u[j] * v[j];
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }

    static void subtract(const double* u, double scale, double* v, int32_t begin, int32_t end) {
        for (int32_t j = begin; j < end; ++j) v[j] -= scale * u[j];
    }

    // Panels of columns: the rows of a panel stay in cache while every row below is updated by them.
    void factor(exact::Stop* stop) {
        for (int32_t first = 0; first < size_; first += kPanel) {
            if (first > 0 && stop && stop->check()) return;
            const int32_t last = std::min(first + kPanel, size_);
            for (int32_t i = first + 1; i < size_; ++i) {
                double* target = row(i);
                for (int32_t k = first; k < std::min(i, last); ++k) {
                    target[k] /= row(k)[k];
                    subtract(row(k), target[k], target, k + 1, last);
                }
            }
            for (int32_t i = first + 1; i < size_; ++i) update(i, first, std::min(i, last), last);
        }
        complete_ = true;
    }

    // Row i, right of the panel: four rows of the panel at a time.
    void update(int32_t i, int32_t first, int32_t end, int32_t last) {
        double* target = row(i);
        int32_t k = first;
        for (; k + 4 <= end; k += 4) {
            const double *r0 = row(k), *r1 = row(k + 1), *r2 = row(k + 2), *r3 = row(k + 3);
            const double f0 = target[k], f1 = target[k + 1], f2 = target[k + 2], f3 = target[k + 3];
            if (f0 == 0.0 && f1 == 0.0 && f2 == 0.0 && f3 == 0.0) continue;
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
