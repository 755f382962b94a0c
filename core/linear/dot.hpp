// Sums over vectors, in four lanes: the order of additions is fixed, and the processor adds them side by
// side.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

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

}  // namespace spotree
