// Solves one component by iteration, for those whose factors would be too large.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "exact/stop.hpp"
#include "values/sparse_rows.hpp"

namespace spotree {

// BiCGStab, preconditioned by one Gauss-Seidel sweep there and back, restarted from the true residual; then
// Gauss-Seidel itself, which cannot break down. Ends at the rounding floor, or where it must stop: the caller
// certifies.
class Iteration {
  public:
    explicit Iteration(SparseRows rows) : rows_(std::move(rows)) {}

    void solve(double* x, exact::Stop* stop = nullptr) const {
        const Vector b(x, x + rows_.size());
        Vector y(b.size(), 0.0), kept, residual = b;
        double left = largest(residual);
        for (int restart = 0; restart < kRestarts && left > floor(b, y) && !over(stop); ++restart) {
            const double before = left;
            kept = y;
            krylov(y, residual, b, stop);
            left = set_residual(y, b, residual);
            if (!(left < before)) y = kept;
            if (!(left < 0.5 * before)) break;
        }
        left = set_residual(y, b, residual);
        for (int sweep = 0; sweep < kSweeps && left > floor(b, y) && !over(stop); ++sweep) {
            precondition(residual, kept);
            for (size_t i = 0; i < y.size(); ++i) y[i] += kept[i];
            const double before = left;
            left = set_residual(y, b, residual);
            if (!(left < kStalled * before)) break;
        }
        std::copy(y.begin(), y.end(), x);
    }

  private:
    using Vector = std::vector<double>;

    static constexpr double kFloor = 4e-16;      // what rounding leaves of a residual, relative
    static constexpr double kStalled = 0.99999;  // a sweep that gains less gains nothing
    static constexpr int kRestarts = 12, kSteps = 1000, kSweeps = 100'000;

    static bool over(exact::Stop* stop) { return stop && stop->check(); }

    static double largest(const Vector& v) {
        double most = 0.0;
        for (const double e : v) most = e != e ? HUGE_VAL : std::max(most, std::abs(e));
        return most;
    }

    static double floor(const Vector& b, const Vector& y) {
        return kFloor * std::max(largest(b), largest(y));
    }

    static double dot(const Vector& u, const Vector& v) {
        double sum = 0.0;
        for (size_t i = 0; i < u.size(); ++i) sum += u[i] * v[i];
        return sum;
    }

    void apply(const Vector& x, Vector& y) const {
        for (int32_t i = 0; i < rows_.size(); ++i)
            y[i] = rows_.diagonal[i] * x[i] - rows_.beside(i, x.data());
    }

    double set_residual(const Vector& y, const Vector& b, Vector& residual) const {
        apply(y, residual);
        for (size_t i = 0; i < residual.size(); ++i) residual[i] = b[i] - residual[i];
        return largest(residual);
    }

    // What a Gauss-Seidel sweep there and back makes of 0.
    void precondition(const Vector& b, Vector& y) const {
        y.assign(b.size(), 0.0);
        for (int32_t i = 0; i < rows_.size(); ++i)
            y[i] = (b[i] + rows_.beside(i, y.data())) / rows_.diagonal[i];
        for (int32_t i = rows_.size() - 1; i >= 0; --i) {
            y[i] = (b[i] + rows_.beside(i, y.data())) / rows_.diagonal[i];
        }
    }

    // Adds to y a Krylov approximation of what `residual` asks for.
    void krylov(Vector& y, const Vector& residual, const Vector& b, exact::Stop* stop) const {
        const size_t n = y.size();
        Vector r = residual, p = residual, v(n), s(n), t(n), p_hat(n), s_hat(n);
        double rho = dot(residual, r);
        for (int step = 0; step < kSteps && largest(r) > floor(b, y) && !over(stop); ++step) {
            precondition(p, p_hat);
            apply(p_hat, v);
            const double alpha = rho / dot(residual, v);
            if (!std::isfinite(alpha)) return;
            if (over(stop)) return;
            for (size_t i = 0; i < n; ++i) s[i] = r[i] - alpha * v[i];
            precondition(s, s_hat);
            apply(s_hat, t);
            const double norm = dot(t, t);
            const double omega = norm > 0.0 ? dot(t, s) / norm : 0.0;
            for (size_t i = 0; i < n; ++i) y[i] += alpha * p_hat[i] + omega * s_hat[i];
            for (size_t i = 0; i < n; ++i) r[i] = s[i] - omega * t[i];
            const double next = dot(residual, r);
            const double beta = (next / rho) * (alpha / omega);
            if (!std::isfinite(beta)) return;
            for (size_t i = 0; i < n; ++i) p[i] = r[i] + beta * (p[i] - omega * v[i]);
            rho = next;
        }
    }

    SparseRows rows_;
};

}  // namespace spotree
