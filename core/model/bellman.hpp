// Bellman rows: reward + discount * expected next value. The only place with this sum.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "model/model.hpp"

namespace spotree {

// The expected value after a row, one term after the other. What has probability 0 counts nothing, even where
// its value is infinite.
inline double ahead(const Model& model, int64_t row, const double* value) {
    double sum = 0.0;
    for (int64_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
        if (model.probability[e] != 0.0) sum += model.probability[e] * value[model.target[e]];
    }
    return sum;
}

// The same for finite values by four sums side by side: faster on long rows, and rounded otherwise.
inline double ahead_by_four(const Model& model, int64_t row, const double* value) {
    const int32_t* target = model.target;
    const double* probability = model.probability;
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int64_t e = model.row_start[row];
    const int64_t end = model.row_start[row + 1];
    for (; e + 4 <= end; e += 4) {
        s0 += probability[e] * value[target[e]];
        s1 += probability[e + 1] * value[target[e + 1]];
        s2 += probability[e + 2] * value[target[e + 2]];
        s3 += probability[e + 3] * value[target[e + 3]];
    }
    for (; e < end; ++e) s0 += probability[e] * value[target[e]];
    return (s0 + s1) + (s2 + s3);
}

// The same with the sum of the absolute terms, which bounds what rounding took.
struct SizedSum {
    double sum = 0.0, size = 0.0;
};

inline SizedSum sized_ahead(const Model& model, int64_t row, const double* value) {
    SizedSum found;
    for (int64_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
        const double term = model.probability[e] * value[model.target[e]];
        found.sum += term;
        found.size += std::abs(term);
    }
    return found;
}

inline double worth(const Model& model, int64_t row, const double* value) {
    return model.reward[row] + model.discount * ahead(model, row, value);
}

inline double worth_by_four(const Model& model, int64_t row, const double* value) {
    return model.reward[row] + model.discount * ahead_by_four(model, row, value);
}

constexpr double kUnit = static_cast<double>(std::numeric_limits<long double>::epsilon());
constexpr double kUp = 1.0 + 4.0 * std::numeric_limits<double>::epsilon();  // rounds a bound upwards

// 1 - discount * mass, rounded downwards.
inline double leak_of(double discount, long double mass) {
    return static_cast<double>(1.0L - discount * mass) * (1.0 - 1e-15) - 1e-18;
}

// What a row is worth above the value `here` of its state, summed in long double.
struct CertifiedGain {
    double gain;
    double rounding;  // what even that rounds away, at most
    double leak;      // 1 - discount * (sum of the row), rounded downwards
};

// The entries [begin, end) of a Model or a Chain.
template <class Rows>
CertifiedGain certified_gain(const Rows& rows, int64_t begin, int64_t end, double reward, double here,
                             const double* value) {
    long double sum = 0.0L, absolute = 0.0L, mass = 0.0L;
    for (int64_t e = begin; e < end; ++e) {
        if (rows.probability[e] == 0.0) continue;
        mass += rows.probability[e];
        const long double term = static_cast<long double>(rows.probability[e]) * value[rows.target[e]];
        sum += term;
        absolute += std::abs(term);
    }
    absolute = std::abs(reward) + std::abs(here) + rows.discount * absolute;
    return {static_cast<double>((reward - static_cast<long double>(here)) + rows.discount * sum),
            static_cast<double>(end - begin + 4) * kUnit * static_cast<double>(absolute),
            leak_of(rows.discount, mass)};
}

}  // namespace spotree
