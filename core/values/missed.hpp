// How much the best of all policies can gain on given values.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "values/residual.hpp"

namespace spotree {

// If no choice, taken once before `value` follows, gains more than g on the value of its state, then no
// policy gains more than g / leak anywhere. Rounding is added to g; inf where some row leaks nothing.
inline double most_missed(int64_t num_states, const int64_t* choice_start, const int64_t* row_start,
                          const int32_t* target, const double* probability, const double* reward,
                          const double* value, double discount) {
    double most = 0.0, leak = 1.0;
    for (int64_t s = 0; s < num_states; ++s) {
        for (int64_t row = choice_start[s]; row < choice_start[s + 1]; ++row) {
            long double sum = 0.0L, absolute = 0.0L, mass = 0.0L;
            for (int64_t e = row_start[row]; e < row_start[row + 1]; ++e) {
                const long double term = static_cast<long double>(probability[e]) * value[target[e]];
                sum += term;
                absolute += std::abs(term);
                mass += probability[e];
            }
            const auto gain =
                static_cast<double>((reward[row] - static_cast<long double>(value[s])) + discount * sum);
            absolute = std::abs(reward[row]) + std::abs(value[s]) + discount * absolute;
            const auto terms = static_cast<double>(row_start[row + 1] - row_start[row] + 4);
            const double size = gain + terms * detail::kUnit * static_cast<double>(absolute);
            most = std::isnan(size) ? HUGE_VAL : std::max(most, size);
            leak = std::min(leak, detail::leak(discount, mass));
        }
    }
    return leak > 0.0 ? most / leak * detail::kUp : HUGE_VAL;
}

}  // namespace spotree
