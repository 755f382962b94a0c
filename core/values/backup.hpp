// One look ahead: what each choice is worth if what follows is worth `value`.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "run/stop.hpp"

namespace spotree {

inline double backup_row(int64_t row, const int64_t* row_start, const int32_t* target,
                         const double* probability, const double* reward, const double* value,
                         double discount) {
    double sum = 0.0;
    for (int64_t e = row_start[row]; e < row_start[row + 1]; ++e) {
        if (probability[e] != 0.0) sum += probability[e] * value[target[e]];
    }
    return reward[row] + discount * sum;
}

inline void backup(int64_t num_rows, const int64_t* row_start, const int32_t* target,
                   const double* probability, const double* reward, const double* value, double discount,
                   double* result) {
    for (int64_t row = 0; row < num_rows; ++row) {
        result[row] = backup_row(row, row_start, target, probability, reward, value, discount);
    }
}

// One sweep of value iteration in place: each state takes its best choice's value, first state first or last.
// Where it must stop, the states behind keep their values.
inline void sweep(int64_t num_states, const int64_t* choice_start, const int64_t* row_start,
                  const int32_t* target, const double* probability, const double* reward, double discount,
                  bool backwards, double* value, Stop& stop) {
    for (int64_t i = 0; i < num_states; ++i) {
        const int64_t s = backwards ? num_states - 1 - i : i;
        double best = -HUGE_VAL;
        for (int64_t row = choice_start[s]; row < choice_start[s + 1]; ++row) {
            best = std::max(best, backup_row(row, row_start, target, probability, reward, value, discount));
        }
        value[s] = best;
        if (stop.check_at(i)) return;
    }
}

}  // namespace spotree
