// A tree as parallel arrays (see Tree in Python), parents before children.
#pragma once

#include <cstdint>
#include <vector>

namespace spotree::exact {

struct TreeArrays {
    std::vector<int32_t> feature, left, right, action;
    std::vector<double> threshold;

    int32_t add() {
        feature.push_back(-1);
        left.push_back(-1);
        right.push_back(-1);
        action.push_back(-1);
        threshold.push_back(0.0);
        return static_cast<int32_t>(feature.size()) - 1;
    }
    int32_t add_split(int32_t f, double at) {
        const int32_t node = add();
        feature[node] = f;
        threshold[node] = at;
        return node;
    }
    void clear() {
        feature.clear();
        left.clear();
        right.clear();
        action.clear();
        threshold.clear();
    }
};

}  // namespace spotree::exact
