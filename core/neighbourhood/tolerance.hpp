// How exactly the equations of a chain are solved.
#pragma once

#include <algorithm>

#include "neighbourhood/model.hpp"

namespace spotree::neighbourhood {

constexpr double kFineReturn = 1e-7;    // error of a return, relative to the scale of returns
constexpr double kLooseReturn = 1e-3;   // the same where that may be enough to reject
constexpr double kTightReturn = 1e-11;  // the same of a new best
constexpr double kFineVisits = 1e-7;

// Largest residuals: for a new best, for every candidate, and for one that may be rejected at once.
struct Tolerance {
    double tight, fine, loose;
    double lost_value = 0;  // stands for -inf where a finite value is needed

    explicit Tolerance(const SearchModel& model) {
        const double unit = (model.discount < 1 ? 1.0 - model.discount : 1e-3) * model.scale();
        tight = kTightReturn * unit;
        fine = kFineReturn * unit;
        loose = kLooseReturn * unit;
        const double *first = model.optimal_value, *last = first + model.num_states;
        if (model.discount < 1 || first == last) return;
        // Undiscounted, residuals add up over an unknown number of steps: as small as rounding allows.
        const auto [least, most] = std::minmax_element(first, last);
        const double largest = std::max({model.scale(), -*least, *most});
        tight = 1e-13 * largest;
        fine = loose = 1e-12 * largest;
        lost_value = *least - 10 * model.scale();
    }
};

}  // namespace spotree::neighbourhood
