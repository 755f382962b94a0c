// The exact improvement step: best tree, its loss, and a proven lower bound on every tree's loss.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "exact/constrained_search.hpp"
#include "exact/fallback_tree.hpp"
#include "tree/complete.hpp"

namespace spotree::exact {

constexpr double kForTree = 0.25;  // of a time limit, at most: for the tree behind what the search found
constexpr double kTolerance =
    1e-13;  // of the sum of spreads; what one node of the search may lose to rounding

struct Solution {
    TreeArrays tree;
    double loss = 0.0;       // of the tree: what it loses against the best action of every group of like rows
    double lower = 0.0;      // no tree loses less
    double best_gain = 0.0;  // of all rows, each with its best action
    double dropped_spread = 0.0;  // of rows left out; the tree may lose up to this much more
    double slack = 0.0;           // how far rounding may have moved `lower`; already taken off
    Reason reason = Reason::none;
    bool used_gap = false;  // stopped at the gap tolerance
    bool begun = true;      // else the time was up before the search began, and `loss` is not known
    int32_t rows = 0, splits = 0, actions = 0;
    int64_t kernels = 0, nodes = 0, hits = 0, entries = 0;
};

// Keeps all buffers between calls: later calls on problems of like size allocate nothing.
struct Workspace {
    Reduced reduced;
    Block root;
    Search search;
    Rebuild rebuild;
};

// What the caller already has: a tree, in the order of TreeArrays.
struct Start {
    TreeView tree{};
    const int32_t* action = nullptr;
};

inline double loss_of(const Ranks& prep, const Reduced& reduced, const Start& start) {
    double loss = 0.0;
    for (size_t i = 0; i < reduced.group.size(); ++i) {
        const int32_t g = reduced.group[i];
        int32_t node = 0;
        while (start.tree.feature[node] >= 0) {
            const int32_t f = start.tree.feature[node];
            const bool left = prep.values()[f][prep.rank(f)[g]] < start.tree.threshold[node];
            node = left ? start.tree.left[node] : start.tree.right[node];
        }
        loss += reduced.loss[i * reduced.actions + start.action[node]];
    }
    return loss;
}

// `gain` is [row, action]; rows with chosen[row] == 0 do not count. `start` must be a tree of the problem.
// `frozen` may fix nodes; with it or with a limit on leaves, `lower` is infinite if no tree of the problem
// exists.
inline Solution solve(const Ranks& prep, const double* gain, int32_t actions, const Options& options,
                      Workspace& work, Stop& whole, const Start* start = nullptr,
                      const FrozenView* frozen = nullptr, const uint8_t* chosen = nullptr) {
    Solution out;
    const int32_t full = 1 << std::min(options.depth, 30);
    const int32_t leaves = options.max_leaves > 0 ? std::min(options.max_leaves, full) : full;
    const bool guide = frozen || leaves < full;
    // Where nothing is frozen only the root is looked at: a complete tree of a large depth would not fit.
    const Shape shape(frozen ? *frozen : FrozenView{}, frozen ? options.depth : std::min(options.depth, 1));
    if (shape.fewest(0) > leaves) {
        out.lower = kInfinity;
        return out;
    }
    const double began = whole.elapsed();
    if (!prep.finished() || !work.reduced.reduce(prep, gain, actions, chosen, whole) ||
        !work.reduced.assemble(prep, work.root, whole)) {
        const Early early(gain, prep.rows(), actions, chosen, shape);
        out.begun = false;
        out.tree = early.tree;
        out.best_gain = early.best_gain;
        out.reason = prep.finished() ? whole.reason() : prep.reason();
        return out;
    }
    // Finding the tree takes about as long per level as the root's block; a search that ends in time needs
    // that, too.
    const double for_tree = whole.limited() ? std::min(options.depth * (whole.elapsed() - began),
                                                       kForTree * std::max(0.0, whole.remaining()))
                                            : 0.0;
    Stop sooner(whole, for_tree);
    Stop& stop = guide || options.depth <= 2 ? whole : sooner;
    const Block& root = work.root;
    const double eps = kTolerance * work.reduced.spread_sum;
    out.rows = root.rows;
    out.splits = root.splits;
    out.actions = root.actions;
    out.dropped_spread = work.reduced.dropped_spread;
    work.search.start(options, options.depth, eps, stop);
    out.best_gain = work.reduced.best_gain;
    work.rebuild.start(work.search, prep, work.reduced, root, whole);
    const double given = start ? loss_of(prep, work.reduced, *start) : kInfinity;
    double lower;
    if (guide) {
        lower = ConstrainedSearch(work.search, work.rebuild, prep, work.reduced, root, shape, options.depth)
                    .solve(leaves);
    } else if (options.depth <= 2) {
        work.rebuild.build(root, options.depth, false, 0.0);
        lower = stop.raised() ? 0.0 : work.rebuild.loss;
    } else {
        const Outcome outcome = work.search.solve_root(root, options.depth, given, work.reduced.best_gain);
        lower = outcome.value;
        if (stop.raised()) {
            work.rebuild.build_stopped(root, options.depth, true);
        } else {
            work.search.use_stop(whole);
            const double upper = std::min(outcome.exact ? outcome.value : kInfinity, given);
            lower = upper;
            if (options.gap_tolerance > 0.0 && options.depth >= 3 && root.splits > 0) {
                lower = std::min(lower, work.search.worker().node[options.depth]->lower());
            }
            out.used_gap = lower < upper - 2 * eps;
            if (out.used_gap) {
                work.rebuild.build_incumbent(root, options.depth);
            } else {
                work.rebuild.build(root, options.depth, true, upper);
            }
        }
    }
    out.loss = work.rebuild.loss;
    out.tree = work.rebuild.tree;
    out.slack = std::min(std::ldexp(1.0, options.depth) - 1.0, static_cast<double>(root.rows)) * eps;
    out.lower = std::max(0.0, std::min(lower, out.loss) - out.slack);
    out.reason = stop.raised() ? stop.reason() : whole.reason();
    work.search.count(out.kernels, out.nodes, out.hits);
    out.entries = static_cast<int64_t>(work.search.cache.entries());
    return out;
}

}  // namespace spotree::exact
