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

}  // namespace spotree
