// Kernel selection: kernel and threads for a subproblem.
#pragma once

#include <algorithm>

#include "exact/options.hpp"
#include "exact/search_node.hpp"

namespace spotree::exact {

constexpr double kFewSplits = 64;

// Tables pay unless there are many splits for few rows; they must fit the memory.
inline bool use_table(const Block& block, const Options& options) {
    const double b = block.splits, n = block.rows, z = n > 0 ? block.entry.size() / n : 0.0;
    const double bytes = (b + 2) * (b + 2) * block.stride * sizeof(double);
    if (bytes * 2 * options.threads > static_cast<double>(options.memory) / 2) return false;
    if (options.kernel != Kernel::automatic) return options.kernel != Kernel::sweep;
    return 7 * b * b + n * z * z < 1.2 * b * b + 8 * n * z * block.num_features() || b < kFewSplits;
}

// IncrementalTable tables save scattering but copy the table for every threshold: for many rows and few
// splits. Deeper down budgets and the cache leave too few thresholds to solve.
inline bool use_growing(const Node& node, const Options& options) {
    if (node.depth != 3 || !node.tabled) return false;
    if (options.kernel != Kernel::automatic) return options.kernel == Kernel::incremental;
    const Block& block = *node.block;
    const double b = block.splits, n = block.rows, z = block.entry.size() / n;
    return options.depth == 3 && b >= 6 * block.num_features() && n * z * z > 4 * b * b;
}

// Sums over triples pay for dense two-valued features, unless the cache already saves most tables.
inline bool use_triples(const Node& node, const Options& options) {
    const Block& block = *node.block;
    if (node.depth != 3 || !node.tabled || node.growing || block.splits != block.num_features()) return false;
    const double b = block.splits, n = block.rows, z = block.entry.size() / n;
    if (TripleTable::bytes(b, block.stride) > options.memory / 4 / options.threads) return false;
    if (options.kernel != Kernel::automatic) return options.kernel == Kernel::triple;
    return options.depth <= 4 && n * z * z * z > 8 * b * b * b;
}

// How many running sums of a sweep fit the memory.
inline int sweep_copies(const Block& block, const Options& options) {
    const double bytes = static_cast<double>(block.splits) * block.stride * sizeof(double);
    return static_cast<int>(std::clamp(options.memory / 4.0 / options.threads / (bytes + 1), 2.0, 32.0));
}

// Whether sharing the splits of a root of this depth among threads pays.
inline bool worth_threads(const Block& block, int depth) {
    const double n = block.rows, b = block.splits, z = n > 0 ? block.entry.size() / n : 0.0;
    const double kernel = n * z * z + 4 * b * b;
    return kernel * b * (depth > 3 ? b : 1.0) > 3e6;
}

}  // namespace spotree::exact
