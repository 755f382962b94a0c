// The optimum of a block at depth 1 or 2.
#pragma once

#include <algorithm>

#include "exact/select_kernel.hpp"
#include "exact/worker.hpp"

namespace spotree::exact {

inline Outcome solve_shallow(Worker& w, const Block& block, int depth, double budget, double eps,
                             const Options& options, Stop& stop) {
    ++w.kernels;
    if (depth == 1) {
        if (!w.small.build_sides(block, nullptr, stop)) return {};
        w.values.evaluate_sides(w.small);
        return {w.values.one, true, -1};
    }
    if (!use_table(block, options)) {
        if (!w.sweep.run(block, budget, -eps, sweep_copies(block, options), stop)) return {};
        if (w.sweep.best < budget) return {w.sweep.best, true, -1};
        return {std::max(budget, w.sweep.lower), false, -1};
    }
    if (!w.small.build(block, nullptr, stop)) return {};
    w.values.evaluate(w.small, stop);
    if (stop.raised()) return {};
    return {w.values.best, true, -1};
}

}  // namespace spotree::exact
