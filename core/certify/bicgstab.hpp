// Solves a sparse linear system from a warm start.
#pragma once

#include <cmath>
#include <vector>

namespace spotree::certify {

struct KrylovSpace {
    std::vector<double> residual, shadow, direction, image, half, image_half;

    void resize(size_t n) {
        for (auto* v : {&residual, &shadow, &direction, &image, &half, &image_half}) v->assign(n, 0.0);
    }
};

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    size_t i = 0;
    for (; i + 4 <= a.size(); i += 4) {
        s0 += a[i] * b[i];
        s1 += a[i + 1] * b[i + 1];
        s2 += a[i + 2] * b[i + 2];
        s3 += a[i + 3] * b[i + 3];
    }
    for (; i < a.size(); ++i) s0 += a[i] * b[i];
    return (s0 + s1) + (s2 + s3);
}

inline double largest(const std::vector<double>& a) {
    double most = 0;
    for (double x : a) most = std::max(most, std::abs(x));
    return most;
}

// Adds to x a correction with apply(correction) = residual; space.residual holds the residual on entry and an
// estimate of what is left on exit. The caller checks the result: the estimate may be wrong.
template <class Apply, class Stop>
void bicgstab(Apply&& apply, Stop&& stop, std::vector<double>& x, KrylovSpace& space, double tolerance,
              int most) {
    auto& [r, r0, p, v, s, t] = space;
    r0 = r;
    p = r;
    double rho = dot(r, r0);
    const size_t n = x.size();
    for (int step = 0; step < most && rho != 0 && largest(r) > tolerance && !stop(); ++step) {
        apply(p, v);
        const double along = dot(r0, v);
        if (along == 0 || !std::isfinite(along)) return;
        const double alpha = rho / along;
        for (size_t i = 0; i < n; ++i) s[i] = r[i] - alpha * v[i];
        apply(s, t);
        const double tt = dot(t, t);
        const double omega = tt > 0 ? dot(t, s) / tt : 0;
        for (size_t i = 0; i < n; ++i) {
            x[i] += alpha * p[i] + omega * s[i];
            r[i] = s[i] - omega * t[i];
        }
        const double next = dot(r, r0);
        if (omega == 0 || !std::isfinite(next)) return;
        const double beta = next / rho * alpha / omega;
        for (size_t i = 0; i < n; ++i) p[i] = r[i] + beta * (p[i] - omega * v[i]);
        rho = next;
    }
}

}  // namespace spotree::certify
