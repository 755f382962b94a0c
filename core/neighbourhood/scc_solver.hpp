// The linear system of one strongly connected component: value = reward + discount * P value, inside it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "linear/bicgstab.hpp"
#include "runtime/stop.hpp"

namespace spotree::neighbourhood {

// Rows are scaled to a unit diagonal: x[i] = constant[i] + sum of weight * x[column] (no diagonal entry).
class ComponentSystem {
  public:
    std::vector<int32_t> start;
    std::vector<int32_t> column;
    std::vector<double> weight;
    std::vector<double> constant;
    std::vector<double> x;
    Stop* stop = nullptr;                    // a large system is left unsolved then
    bool rough = false;                      // whether the solution of some system may have lost many digits
    static constexpr double kDigits = 1e-8;  // of a solution: so far off may it be

    void clear() {
        start.assign(1, 0);
        column.clear();
        weight.clear();
        constant.clear();
        x.clear();
        units_ = 0x1p-53;
    }

    // Ends the row being built; `self` is the discounted probability of staying.
    void close_row(double value, double self, double guess) {
        const double factor = 1.0 / (1.0 - self);
        units_ = std::max(units_, 0x1p-53 * factor);
        for (size_t k = static_cast<size_t>(start.back()); k < weight.size(); ++k) weight[k] *= factor;
        start.push_back(static_cast<int32_t>(column.size()));
        constant.push_back(value * factor);
        x.push_back(guess);
    }

    int32_t size() const { return static_cast<int32_t>(constant.size()); }

    // Solves until every equation holds within `tolerance`; false if it did not converge.
    bool solve(double tolerance, int64_t& work) {
        const double n = size();
        const double entries = static_cast<double>(column.size());
        if (n * n * n / 24.0 + n * n < 60.0 * entries + 10.0 * n) {
            work += static_cast<int64_t>(n * n * n / 24.0 + n * n + entries);
            return eliminate();
        }
        if (iterate(tolerance, work)) return look_at_steps(), true;
        if (late()) return false;
        if (n <= 3000) {
            work += static_cast<int64_t>(n * n * n / 12.0);
            return eliminate();
        }
        look_at_steps();
        return sweep(tolerance, work);
    }

    // Gaussian elimination; rows are diagonally dominant, so no pivoting is needed. RowPartition from
    // DenseLu: these systems have a handful of states and mostly zeros, and their right-hand side goes along;
    // with DenseLu a candidate on frozenlake_12x12 takes 1.18 times as long (make bench-evaluations).
    bool eliminate() {
        const size_t n = constant.size();
        dense_.assign(n * n, 0.0);
        for (size_t i = 0; i < n; ++i) {
            dense_[i * n + i] = 1.0;
            for (int32_t k = start[i]; k < start[i + 1]; ++k) {
                dense_[i * n + static_cast<size_t>(column[k])] -= weight[k];
            }
            x[i] = constant[i];
        }
        const double units = units_ * static_cast<double>(n * n);  // by which a pivot may be off
        for (size_t p = 0; p < n; ++p) {
            const double* pivot = &dense_[p * n];
            if (!(pivot[p] > 1e-14)) return false;
            rough = rough || units > kDigits * pivot[p];
            for (size_t i = p + 1; i < n; ++i) {
                double* row = &dense_[i * n];
                if (row[p] == 0.0) continue;
                const double factor = row[p] / pivot[p];
                for (size_t j = p + 1; j < n; ++j) row[j] -= factor * pivot[j];
                x[i] -= factor * x[p];
            }
        }
        for (size_t i = n; i-- > 0;) {
            double sum = x[i];
            for (size_t j = i + 1; j < n; ++j) sum -= dense_[i * n + j] * x[j];
            x[i] = sum / dense_[i * n + i];
        }
        return true;
    }

  private:
    // What equations leave over counts for as many steps as are left: many where some state is hardly left.
    void look_at_steps() {
        for (size_t i = 0; i < constant.size() && !rough; ++i) {
            double leak = 1;
            for (int32_t k = start[i]; k < start[i + 1]; ++k) leak -= weight[k];
            rough = units_ > kDigits * leak;
        }
    }

    bool late() const { return constant.size() > 4096 && stop && stop->check(); }

    // r = constant + W x - x; returns its largest entry.
    double residual(std::vector<double>& r) const {
        double largest = 0;
        for (size_t i = 0; i < constant.size(); ++i) {
            double sum = constant[i] - x[i];
            for (int32_t k = start[i]; k < start[i + 1]; ++k) {
                sum += weight[k] * x[column[k]];
            }
            r[i] = sum;
            largest = std::max(largest, std::abs(sum));
        }
        return largest;
    }

    void multiply(const std::vector<double>& v, std::vector<double>& out) const {
        for (size_t i = 0; i < constant.size(); ++i) {
            double sum = v[i];
            for (int32_t k = start[i]; k < start[i + 1]; ++k) {
                sum -= weight[k] * v[column[k]];
            }
            out[i] = sum;
        }
    }

    // The true residual is what counts.
    bool iterate(double tolerance, int64_t& work) {
        const int64_t product = static_cast<int64_t>(column.size() + 6 * constant.size());
        const auto apply = [&](const std::vector<double>& v, std::vector<double>& out) {
            work += product;
            multiply(v, out);
        };
        const auto enough = [&](double left) { return left <= 0.5 * tolerance || late(); };
        space_.resize(constant.size());
        for (int attempt = 0; attempt < 3; ++attempt) {
            work += product;
            if (residual(space_.residual) <= tolerance) return true;
            bicgstab(apply, enough, x, space_, 400);
            if (late()) return false;
            if (largest_entry(x) == HUGE_VAL) std::fill(x.begin(), x.end(), 0.0);
        }
        work += product;
        return residual(space_.residual) <= tolerance;
    }

    // Gauss-Seidel, the slow and certain way.
    bool sweep(double tolerance, int64_t& work) {
        for (int round = 0; round < 100000 && !late(); ++round) {
            double largest = 0;
            for (size_t i = 0; i < constant.size(); ++i) {
                double sum = constant[i];
                for (int32_t k = start[i]; k < start[i + 1]; ++k) {
                    sum += weight[k] * x[column[k]];
                }
                largest = std::max(largest, std::abs(sum - x[i]));
                x[i] = sum;
            }
            work += static_cast<int64_t>(column.size() + constant.size());
            if (largest <= 0.1 * tolerance) return true;
        }
        return false;
    }

    double units_ = 0;  // relative error of the weights: own loops are summed up
    std::vector<double> dense_;
    KrylovSpace space_;
};

}  // namespace spotree::neighbourhood
