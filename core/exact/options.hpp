// Settings of the exact engine; switches change the time, never the answer.
#pragma once

#include <cstddef>

namespace spotree::exact {

enum class Kernel : int { automatic = 0, table = 1, sweep = 2, incremental = 3, triple = 4 };

struct Options {
    int depth = 3;
    int max_leaves = 0;  // 0: no limit
    int threads = 1;
    double seconds = -1.0;                      // negative: no limit
    std::size_t memory = std::size_t{2} << 30;  // bytes for tables and cache together
    double gap_tolerance = 0.0;                 // of the total gain
    bool cache = true;
    bool interval_bound = true;
    bool share_small = false;  // use threads even where they cannot pay
    Kernel kernel = Kernel::automatic;
};

}  // namespace spotree::exact
