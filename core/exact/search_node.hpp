// One subproblem of depth 3 or more while its splits are tried, possibly by several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "exact/interval_bound.hpp"
#include "exact/tables/depth2_from_pairs.hpp"

namespace spotree::exact {

constexpr int32_t kLongStretch = 32;  // open thresholds in a row

struct Node {
    const Block* block = nullptr;
    int depth = 0;
    double budget = kInfinity;  // only trees that lose less are of interest
    bool tabled = false;        // `table` and the depth-2 values in `keys` are filled; else only single sides
    Pairs table;
    Depth2 keys;
    IntervalBound bound;
    std::vector<Key> rare_key;   // [split] row set of the rare side
    std::vector<uint8_t> known;  // [split] 1: left optimum known, 2: right; their values are in `bound`
    std::mutex mutex;            // guards bound, known, upper, best
    bool growing = false;        // depth 3: features one by one, thresholds ascending, one growing table
    std::atomic<int32_t> next_feature{0};
    bool by_triples = false;  // depth 3, two-valued features: tables of sides come from sums over triples
    TripleTable triples;
    std::atomic<int32_t> next_slice{0}, slices{0};  // to be built; finished
    std::atomic<bool> exhausted{false};             // every split is taken or out of the question
    std::atomic<int32_t> helpers{0};                // threads at work here beside the owner
    double upper = kInfinity;                       // loss of the best tree so far
    int32_t best = -1;                              // its split, -1 for a leaf

    int32_t left_count(int32_t s) const {
        const int32_t rare = table.count[s + 2];
        return block->left_is_rare(s) ? rare : block->rows - rare;
    }
    Key key_of(int32_t s, bool left) const {
        return left == block->left_is_rare(s) ? rare_key[s] : block->all ^ rare_key[s];
    }
    // Best loss that a shallower tree is known to achieve on one side.
    double achieved(int32_t s, bool left) const {
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
        best = -1;
        tabled = with_table;
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
        if (with_keys && !name_sides(stop)) return false;
        upper = keys.leaf;
        for (int32_t s = 0; s < rows.splits; ++s) {
            if (keys.rare[s] + keys.rest[s] < upper) {
                upper = keys.rare[s] + keys.rest[s];
                best = s;
            }
        }
        first_pick_ = true;
        exhausted = false;
        next_feature = next_slice = slices = 0;
        growing = by_triples = false;
        taken_.assign(rows.splits, 0);
        return true;
    }

    // The split to try next, -1 if none is left that may lose less than `goal`; the mutex must be held.
    //
    // The most promising one by its depth-2 value, but of a long stretch of open thresholds only the middle
    // half: two solved thresholds settle all between them if the left of the lower and the right of the upper
    // lose too much.
    int32_t pick(double goal) {
        int32_t found = -1;
        double best_key = kInfinity;
        for (int32_t f = 0; f < block->num_features(); ++f) {
            const int32_t end = block->first[f + 1];
            for (int32_t s = block->first[f]; s < end;) {
                if (taken_[s] || (taken_[s] = bound.sum(s) >= goal)) {
                    ++s;
                    continue;
                }
                int32_t stop = s + 1;
                while (stop < end && !taken_[stop] && bound.sum(stop) < goal) ++stop;
                const int32_t margin = first_pick_ || stop - s < kLongStretch ? 0 : (stop - s) / 4;
                for (int32_t t = s + margin; t < stop - margin; ++t) {
                    const double key = keys.rare[t] + keys.rest[t];
                    if (key < best_key) {
                        best_key = key;
                        found = t;
                    }
                }
                s = stop;
            }
        }
        first_pick_ = false;
        if (found >= 0) {
            taken_[found] = 1;
        } else {
            exhausted = true;
        }
        return found;
    }

  private:
    bool name_sides(Stop& stop) {
        rare_key.assign(block->splits, Key{});
        for (int32_t i = 0; i < block->rows; ++i) {
            if (stop.check_at(i)) return false;
            for (uint32_t e = block->start[i]; e < block->start[i + 1]; ++e)
                rare_key[block->entry[e]] ^= block->key[i];
        }
        for (int32_t f = 0; f < block->num_features(); ++f) {
            const int32_t begin = block->first[f], middle = begin + block->mode[f], end = block->first[f + 1];
            for (int32_t s = begin + 1; s < middle; ++s) rare_key[s] ^= rare_key[s - 1];
            for (int32_t s = end - 2; s >= middle; --s) rare_key[s] ^= rare_key[s + 1];
        }
        return true;
    }

    std::vector<uint8_t> taken_;  // [split] tried, being tried, or out of the question
    bool first_pick_ = true;
};

}  // namespace spotree::exact
