// What one thread of a search works with, kept between searches.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "exact/depth2_streaming.hpp"
#include "exact/search_node.hpp"

namespace spotree::exact {

struct Outcome {
    double value = 0.0;  // optimum if exact, else a lower bound
    bool exact = false;
    int32_t split = -1;  // of the best tree, in the root's numbering; -1 for a leaf

    void learn(const Outcome& found) {
        if (found.exact || found.value > value) *this = found;
    }
};

struct Worker {
    std::vector<std::unique_ptr<Node>> node;    // [depth]
    std::vector<std::unique_ptr<Block>> block;  // [depth]
    Pairs small;
    Growing sums;
    Depth2 values;
    Sweep sweep;
    std::vector<int32_t> rows, from;
    int64_t kernels = 0, nodes = 0, hits = 0;

    void reserve(int depth) {
        while (static_cast<int>(node.size()) <= depth) {
            node.push_back(std::make_unique<Node>());
            block.push_back(std::make_unique<Block>());
        }
    }
};

}  // namespace spotree::exact
