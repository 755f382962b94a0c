// BiCGStab: solves a sparse linear system from a warm start.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "linear/dense_lu.hpp"
#include "linear/sparse_rows.hpp"
#include "runtime/stop.hpp"

namespace spotree {

// What the iteration works in, kept between systems; `residual` goes in and comes out.
struct KrylovSpace {
    std::vector<double> residual, shadow, direction, image, half, image_half, near_direction, near_half;

    void resize(size_t n) {
        for (auto* v : {&residual, &shadow, &direction, &image, &half, &image_half}) v->resize(n, 0.0);
    }
};

struct AsItIs {};  // no preconditioner

// Adds to x a correction with apply(correction) = residual: `apply(v, out)` multiplies by the matrix,
// `precondition(v, out)` roughly divides by it, and `enough(largest)` says whether the largest entry of the
// residual is small enough, or it is time to stop. On entry space.residual holds the residual of x; on exit
// an estimate of what is left, which may be wrong: the caller looks at the true one.
template <class Apply, class Enough, class Precondition = AsItIs>
void bicgstab(Apply&& apply, Enough&& enough, std::vector<double>& x, KrylovSpace& space, int most,
              Precondition&& precondition = {}) {
    constexpr bool plain = std::is_same_v<std::remove_cvref_t<Precondition>, AsItIs>;
    auto& [r, shadow, p, v, s, t, p_near, s_near] = space;
    const size_t n = x.size();
    space.resize(n);
    shadow = r;
    p = r;
    double rho = dot(shadow, r);
    double largest = largest_entry(r);
    for (int round = 0; round < most && rho != 0 && !enough(largest); ++round) {
        if constexpr (!plain) precondition(p, p_near);
        const std::vector<double>& towards = plain ? p : p_near;
        apply(towards, v);
        const double along = dot(shadow, v);
        const double alpha = rho / along;
        if (!std::isfinite(along) || !std::isfinite(alpha)) return;
        for (size_t i = 0; i < n; ++i) s[i] = r[i] - alpha * v[i];
        if constexpr (!plain) precondition(s, s_near);
        const std::vector<double>& further = plain ? s : s_near;
        apply(further, t);
        const double norm = dot(t, t);
        const double omega = norm > 0 ? dot(t, s) / norm : 0.0;
        largest = 0;
        for (size_t i = 0; i < n; ++i) {
            x[i] += alpha * towards[i] + omega * further[i];
            r[i] = s[i] - omega * t[i];
            largest = std::max(largest, std::abs(r[i]));
        }
        const double next = dot(shadow, r);
        const double beta = next / rho * (alpha / omega);
        if (omega == 0 || !std::isfinite(beta)) return;
        for (size_t i = 0; i < n; ++i) p[i] = r[i] + beta * (p[i] - omega * v[i]);
        rho = next;
    }
}

// BiCGStab, preconditioned by one Gauss-Seidel sweep there and back, restarted from the true residual; then
// Gauss-Seidel itself, which cannot break down. Ends when the residual is at the rounding floor or at the
// share `reduction` of the right-hand side, or where it must stop: the caller certifies.
class Iteration {
  public:
    explicit Iteration(SparseRows rows, double reduction = 0.0)
        : rows_(std::move(rows)), reduction_(reduction) {}

    void solve(double* x, Stop* stop = nullptr) const {
        const Vector b(x, x + rows_.size());
        Vector y(b.size(), 0.0), kept;
        KrylovSpace space;
        Vector& residual = space.residual;
        residual = b;
        double left = largest_entry(residual);
        for (int restart = 0; restart < kRestarts && left > floor(b, y) && !over(stop); ++restart) {
            const double before = left;
            kept = y;
            bicgstab([this](const Vector& v, Vector& out) { apply(v, out); },
                     [&](double largest) { return !(largest > floor(b, y)) || over(stop); }, y, space,
                     kRounds, [this](const Vector& v, Vector& out) { precondition(v, out); });
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
    static constexpr int kRestarts = 12, kRounds = 1000, kSweeps = 100'000;

    static bool over(Stop* stop) { return stop && stop->check(); }

    double floor(const Vector& b, const Vector& y) const {
        const double largest = largest_entry(b);
        return std::max(reduction_ * largest, kFloor * std::max(largest, largest_entry(y)));
    }

    void apply(const Vector& x, Vector& y) const {
        for (int32_t i = 0; i < rows_.size(); ++i)
            y[i] = rows_.diagonal[i] * x[i] - rows_.beside(i, x.data());
    }

    double set_residual(const Vector& y, const Vector& b, Vector& residual) const {
        apply(y, residual);
        for (size_t i = 0; i < residual.size(); ++i) residual[i] = b[i] - residual[i];
        return largest_entry(residual);
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

    SparseRows rows_;
    double reduction_;
};

}  // namespace spotree
