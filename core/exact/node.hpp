// One subproblem of depth 3 or more while its splits are tried, possibly by several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <vector>

#include "exact/bound.hpp"
#include "exact/depth2.hpp"

namespace spotree::exact {

struct Node {
    const Block* block = nullptr;
    int depth = 0;
    double budget = kInfinity;  // only trees that cost less are of interest
    bool tabled = false;        // `table` and the depth-2 values in `keys` are filled; else only single sides
    Pairs table;
    Depth2 keys;
    IntervalBound bound;
    std::vector<Key> rare_key;        // [split] row set of the rare side
    std::vector<int32_t> order;       // splits in the order to try them
    std::vector<uint8_t> known;       // [split] 1: left optimum known, 2: right; their values are in `bound`
    std::mutex mutex;                 // guards bound, known, upper, best
    std::atomic<int32_t> next{0};     // into order
    std::atomic<int32_t> helpers{0};  // threads at work here beside the owner
    double upper = kInfinity;         // cost of the best tree so far
    int32_t best = -1;                // its split, -1 for a leaf

    int32_t left_count(int32_t s) const {
        const int32_t rare = table.count[s + 2];
        return block->left_is_rare(s) ? rare : block->rows - rare;
    }
    Key key_of(int32_t s, bool left) const {
        return left == block->left_is_rare(s) ? rare_key[s] : block->all ^ rare_key[s];
    }
    // Best cost that a shallower tree is known to reach on one side.
    double reached(int32_t s, bool left) const {
        return left == block->left_is_rare(s) ? keys.rare[s] : keys.rest[s];
    }
    double target() const { return std::min(upper, budget); }
    double lower() const {
        double low = upper;
        for (int32_t s = 0; s < block->splits; ++s) low = std::min(low, bound.sum(s));
        return low;
    }

    bool open(const Block& rows, int d, double most, bool with_table, bool with_keys, Stop& stop) {
        block = &rows;
        depth = d;
        budget = most;
        tabled = with_table;
        next = 0;
        if (!(tabled ? table.build(rows, nullptr, stop) : table.build_sides(rows, nullptr, stop)))
            return false;
        if (tabled) {
            keys.evaluate(table, stop);
        } else {
            keys.evaluate_sides(table);
        }
        if (stop.raised()) return false;
        bound.open(rows);
        known.assign(rows.splits, 0);
        if (with_keys) name_sides();
        upper = keys.leaf;
        best = -1;
        for (int32_t s = 0; s < rows.splits; ++s) {
            if (keys.rare[s] + keys.rest[s] < upper) {
                upper = keys.rare[s] + keys.rest[s];
                best = s;
            }
        }
        tabled ? order_by_key() : order_by_halving();
        return true;
    }

  private:
    void name_sides() {
        rare_key.assign(block->splits, Key{});
        for (int32_t i = 0; i < block->rows; ++i) {
            for (uint32_t e = block->start[i]; e < block->start[i + 1]; ++e)
                rare_key[block->entry[e]] ^= block->key[i];
        }
        for (int32_t f = 0; f < block->num_features(); ++f) {
            const int32_t begin = block->first[f], middle = begin + block->mode[f], end = block->first[f + 1];
            for (int32_t s = begin + 1; s < middle; ++s) rare_key[s] ^= rare_key[s - 1];
            for (int32_t s = end - 2; s >= middle; --s) rare_key[s] ^= rare_key[s + 1];
        }
    }

    void order_by_key() {
        order.resize(block->splits);
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [this](int32_t s, int32_t t) {
            const double a = keys.rare[s] + keys.rest[s], b = keys.rare[t] + keys.rest[t];
            return a != b ? a < b : s < t;
        });
    }

    // Middle thresholds first, quarters next: intervals between known thresholds shrink fastest.
    void order_by_halving() {
        order.clear();
        std::vector<std::pair<int32_t, int32_t>> intervals;
        for (int32_t f = 0; f < block->num_features(); ++f)
            intervals.emplace_back(block->first[f], block->first[f + 1]);
        for (size_t k = 0; k < intervals.size(); ++k) {
            const auto [begin, end] = intervals[k];
            if (begin >= end) continue;
            const int32_t middle = begin + (end - begin) / 2;
            order.push_back(middle);
            intervals.emplace_back(begin, middle);
            intervals.emplace_back(middle + 1, end);
        }
    }
};

}  // namespace spotree::exact
