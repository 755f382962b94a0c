// Solves one component by iteration, for those whose factors would be too large.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "linear/bicgstab.hpp"
#include "linear/sparse_rows.hpp"
#include "runtime/stop.hpp"

namespace spotree {

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
