// BiCGStab: solves a sparse linear system from a warm start.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "linear/dot.hpp"

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

}  // namespace spotree
