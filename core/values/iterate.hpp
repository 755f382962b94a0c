// Solves one component by iteration, for those whose factors would be too large.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "values/sparse_rows.hpp"

namespace spotree {

// BiCGStab on the rows scaled to a unit diagonal, restarted from the true residual; Gauss-Seidel, which
// cannot break down, where it stalls. Stops at `tolerance` relative to the right-hand side: the caller
// certifies.
class Iteration {
  public:
    explicit Iteration(SparseRows rows) : rows_(std::move(rows)) {}

    void solve(double* x) const {
        const std::vector<double> b = scaled(x);
        const double goal = kTolerance * largest(b);
        std::vector<double> y(b.size(), 0.0), residual = b;
        for (int restart = 0; restart < kRestarts && largest(residual) > goal; ++restart) {
            const double before = largest(residual);
            const std::vector<double> kept = y;
            krylov(y, residual, goal);
            set_residual(y, b, residual);
            if (!(largest(residual) < before)) {
                y = kept;
                break;
            }
            if (largest(residual) > 0.5 * before) break;
        }
        set_residual(y, b, residual);
        for (int sweep = 0; sweep < kSweeps && largest(residual) > goal; sweep += kSweepsPerCheck) {
            for (int i = 0; i < kSweepsPerCheck; ++i) gauss_seidel(y, b);
            const double before = largest(residual);
            set_residual(y, b, residual);
            if (sweep > 0 && largest(residual) >= 0.999 * before) break;  // at the rounding floor
        }
        std::copy(y.begin(), y.end(), x);
    }

  private:
    static constexpr double kTolerance = 1e-15;
    static constexpr int kRestarts = 12, kSteps = 2000, kSweeps = 200'000, kSweepsPerCheck = 20;

    static double largest(const std::vector<double>& v) {
        double most = 0.0;
        for (const double e : v) most = e != e ? HUGE_VAL : std::max(most, std::abs(e));
        return most;
    }

    static double dot(const std::vector<double>& u, const std::vector<double>& v) {
        double sum = 0.0;
        for (size_t i = 0; i < u.size(); ++i) sum += u[i] * v[i];
        return sum;
    }

    std::vector<double> scaled(const double* x) const {
        std::vector<double> b(x, x + rows_.size());
        for (size_t i = 0; i < b.size(); ++i) b[i] /= rows_.diagonal[i];
        return b;
    }

    void apply(const std::vector<double>& x, std::vector<double>& y) const {
        for (int32_t i = 0; i < rows_.size(); ++i)
            y[i] = x[i] - rows_.beside(i, x.data()) / rows_.diagonal[i];
    }

    void set_residual(const std::vector<double>& y, const std::vector<double>& b,
                      std::vector<double>& r) const {
        apply(y, r);
        for (size_t i = 0; i < r.size(); ++i) r[i] = b[i] - r[i];
    }

    void gauss_seidel(std::vector<double>& y, const std::vector<double>& b) const {
        for (int32_t i = 0; i < rows_.size(); ++i)
            y[i] = b[i] + rows_.beside(i, y.data()) / rows_.diagonal[i];
    }

    // Adds to y a Krylov approximation of what `residual` asks for.
    void krylov(std::vector<double>& y, const std::vector<double>& residual, double goal) const {
        const size_t n = y.size();
        std::vector<double> r = residual, shadow = residual, p = residual, v(n), s(n), t(n);
        double rho = dot(shadow, r);
        for (int step = 0; step < kSteps && largest(r) > goal; ++step) {
            apply(p, v);
            const double alpha = rho / dot(shadow, v);
            if (!std::isfinite(alpha)) return;
            for (size_t i = 0; i < n; ++i) s[i] = r[i] - alpha * v[i];
            apply(s, t);
            const double norm = dot(t, t);
            const double omega = norm > 0.0 ? dot(t, s) / norm : 0.0;
            for (size_t i = 0; i < n; ++i) y[i] += alpha * p[i] + omega * s[i];
            for (size_t i = 0; i < n; ++i) r[i] = s[i] - omega * t[i];
            const double next = dot(shadow, r);
            const double beta = (next / rho) * (alpha / omega);
            if (!std::isfinite(beta)) return;
            for (size_t i = 0; i < n; ++i) p[i] = r[i] + beta * (p[i] - omega * v[i]);
            rho = next;
        }
    }

    SparseRows rows_;
};

}  // namespace spotree
