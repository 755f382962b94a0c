// How much the best of all policies can gain on given values.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "model/bellman.hpp"

namespace spotree {

// If no choice, taken once before `value` follows, gains more than g on the value of its state, then no
// policy gains more than g / leak anywhere. Rounding is added to g; inf where some row leaks nothing.
inline double most_missed(const Model& model, const double* value) {
    double most = 0.0, leak = 1.0;
    for (int32_t s = 0; s < model.num_states; ++s) {
        for (int64_t row = model.choice_start[s]; row < model.choice_start[s + 1]; ++row) {
            const CertifiedGain one = certified_gain(model, model.row_start[row], model.row_start[row + 1],
                                                     model.reward[row], value[s], value);
            const double size = one.gain + one.rounding;
            most = std::isnan(size) ? HUGE_VAL : std::max(most, size);
            leak = std::min(leak, one.leak);
        }
    }
    return leak > 0.0 ? most / leak * kUp : HUGE_VAL;
}

}  // namespace spotree
