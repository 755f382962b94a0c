// One look ahead: what each choice is worth if what follows is worth `value`.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "model/bellman.hpp"
#include "runtime/stop.hpp"

namespace spotree {

inline void backup(const Model& model, const double* value, double* result) {
    for (int64_t row = 0; row < model.num_rows(); ++row) result[row] = worth(model, row, value);
}

// One sweep of value iteration in place: each state takes its best choice's value, first state first or last.
// Where it must stop, the states behind keep their values.
inline void sweep(const Model& model, bool backwards, double* value, Stop& stop) {
    for (int32_t i = 0; i < model.num_states; ++i) {
        const int32_t s = backwards ? model.num_states - 1 - i : i;
        double best = -HUGE_VAL;
        for (int64_t row = model.choice_start[s]; row < model.choice_start[s + 1]; ++row) {
            best = std::max(best, worth(model, row, value));
        }
        value[s] = best;
        if (stop.check_at(i)) return;
    }
}

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
