// One look ahead: what each choice is worth if what follows is worth `value`.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "model/bellman.hpp"
#include "run/stop.hpp"

namespace spotree {

// By value: what is written cannot be part of it, so the compiler keeps it in registers.
inline void backup(Model model, const double* value, double* result) {
    for (int64_t row = 0; row < model.num_rows(); ++row) result[row] = worth(model, row, value);
}

// One sweep of value iteration in place: each state takes its best choice's value, first state first or last.
// Where it must stop, the states behind keep their values.
inline void sweep(Model model, bool backwards, double* value, Stop& stop) {
    const int64_t states = model.num_states;
    for (int64_t i = 0; i < states; ++i) {
        const int64_t s = backwards ? states - 1 - i : i;
        double best = -HUGE_VAL;
        for (int64_t row = model.choice_start[s]; row < model.choice_start[s + 1]; ++row) {
            best = std::max(best, worth(model, row, value));
        }
        value[s] = best;
        if (stop.check_at(i)) return;
    }
}

}  // namespace spotree
