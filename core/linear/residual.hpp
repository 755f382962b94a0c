// Residual of a chain's equations, and the error that it allows at most.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "linear/chain.hpp"
#include "model/bellman.hpp"

namespace spotree {

// Residuals are summed in long double; `size` includes a bound on what even that rounds away.
struct Residual {
    double size = 0.0;   // largest entry (values) or sum of entries (occupancy)
    double scale = 0.0;  // the same norm of the solution
    double leak = 0.0;  // least of 1 - discount * (sum of a row): the norm of the inverse is at most 1 / leak

    double error() const { return leak > 0.0 ? size / leak : size == 0.0 ? 0.0 : HUGE_VAL; }
};

// right - (I - discount P) x over `states`; a value of -inf (no allowed action, or costs for ever) solves its
// equation as it is.
inline Residual value_residual(const Chain& chain, const std::vector<int32_t>& states, const double* right,
                               const double* x, double* residual) {
    Residual result{0.0, 0.0, 1.0};
    for (const int32_t s : states) {
        residual[s] = 0.0;
        if (x[s] == -HUGE_VAL) continue;
        const CertifiedGain gain = certified_gain(chain, chain.begin(s), chain.end(s), right[s], x[s], x);
        residual[s] = gain.gain;
        result.leak = std::min(result.leak, gain.leak);
        const double size = (std::abs(gain.gain) + gain.rounding) * kUp;
        result.size = std::isnan(size) ? HUGE_VAL : std::max(result.size, size);
        result.scale = std::max(result.scale, std::abs(x[s]));
    }
    return result;
}

// right - (I - discount P)^T x over `states`, which nothing outside them enters.
inline Residual occupancy_residual(const Chain& chain, const std::vector<int32_t>& states,
                                   const double* right, const double* x, double* residual) {
    Residual result{0.0, 0.0, 1.0};
    std::vector<long double> sum(chain.num_states, 0.0L);
    std::vector<int32_t> terms(chain.num_states, 4);
    for (const int32_t s : states) {
        const long double visits = chain.discount * static_cast<long double>(x[s]);
        long double mass = 0.0L;
        for (int64_t e = chain.begin(s); e < chain.end(s); ++e) {
            mass += chain.probability[e];
            sum[chain.target[e]] += chain.probability[e] * visits;
            ++terms[chain.target[e]];
        }
        result.leak = std::min(result.leak, leak_of(chain.discount, mass));
    }
    long double total = 0.0L;
    for (const int32_t s : states) {
        residual[s] = static_cast<double>((right[s] - static_cast<long double>(x[s])) + sum[s]);
        const long double absolute = std::abs(right[s]) + std::abs(x[s]) + std::abs(sum[s]);
        total += std::abs(residual[s]) + 2 * terms[s] * kUnit * absolute;
        result.scale += std::abs(x[s]);
    }
    result.size = std::isnan(total) ? HUGE_VAL : static_cast<double>(total) * kUp;
    return result;
}

}  // namespace spotree
