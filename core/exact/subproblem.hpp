// A compact improvement step: some rows, only the splits that tell them apart, only the actions that can win.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "exact/cache.hpp"
#include "exact/simd.hpp"
#include "runtime/stop.hpp"

namespace spotree::exact {

// A threshold between two neighbouring values, by their ranks in Ranks::values: as everywhere, ranks below
// the cut go left. `root` is its number among the splits of the root's block.
struct Cut {
    int32_t feature, below, cut, root;
};

// Keys seen so far, forgotten at once by `clear`.
class KeySet {
  public:
    void clear(size_t expected) {
        size_t capacity = 64;
        while (capacity < 2 * expected + 2) capacity *= 2;
        if (capacity > key_.size()) {
            key_.assign(capacity, Key{});
            stamp_.assign(capacity, 0);
            now_ = 0;
        }
        if (++now_ == 0) {
            std::fill(stamp_.begin(), stamp_.end(), 0u);
            now_ = 1;
        }
    }
    bool insert(const Key& key) {
        const size_t mask = key_.size() - 1;
        for (size_t at = key.low & mask;; at = (at + 1) & mask) {
            if (stamp_[at] != now_) {
                stamp_[at] = now_;
                key_[at] = key;
                return true;
            }
            if (key_[at] == key) return false;
        }
    }

  private:
    std::vector<Key> key_;
    std::vector<uint32_t> stamp_;
    uint32_t now_ = 0;
};

// Where a block's rows come from: ranks per feature, losses, and what a threshold is called.
//
// `cut(f, r, next, split)` names the threshold of feature f after rank r, where `next` is the next rank that
// occurs and `split` its number in the new block.
struct RootSource {
    const std::vector<const int32_t*>& rank;
    const std::vector<int32_t>& ranks;
    const std::vector<int32_t>& row;  // row of the rank columns, per row here
    const double* loss;
    int32_t stride_in, actions;

    int32_t features() const { return static_cast<int32_t>(rank.size()); }
    const int32_t* column(int32_t f) const { return rank[f]; }
    int32_t num_ranks(int32_t f) const { return ranks[f]; }
    Cut cut(int32_t f, int32_t r, int32_t next, int32_t split) const { return {f, r, next, split}; }
    int32_t root_row(int32_t i) const { return i; }
    const double* loss_of(int32_t i) const { return loss + static_cast<size_t>(i) * stride_in; }
    int32_t root_action(int32_t a) const { return a; }
};

class Block {
  public:
    int32_t rows = 0, splits = 0, actions = 0, stride = 0;
    std::vector<int32_t> first;     // [feature + 1] first split of each feature, thresholds ascending
    std::vector<int32_t> mode;      // [feature] commonest rank; splits before it have their left as rare side
    std::vector<int32_t> feature;   // [split]
    std::vector<Cut> cut;           // [split]
    std::vector<int32_t> rank;      // [feature, row]
    std::vector<uint32_t> start;    // [row + 1] into `entry`
    std::vector<int32_t> entry;     // the outermost rare side of each feature that holds the row, as a split
    Buffer<double> loss;            // [row, stride] what each action loses; padded with copies of action 0
    std::vector<double> spread;     // [row] largest loss
    std::vector<int32_t> root_row;  // [row]
    std::vector<int32_t> action_of;  // [action] in the root's numbering
    std::vector<Key> key;            // [row]
    Key all;                         // of all rows
    Buffer<double> total;            // [stride] loss summed over the rows
    double spread_sum = 0.0;

    int32_t num_features() const { return static_cast<int32_t>(mode.size()); }
    int32_t cut_at(int32_t split) const { return split - first[feature[split]] + 1; }  // in the block's ranks
    bool left_is_rare(int32_t split) const { return cut_at(split) <= mode[feature[split]]; }
    const int32_t* column(int32_t f) const { return rank.data() + static_cast<size_t>(f) * rows; }
    double best_leaf() const { return least(total.data(), stride); }

    // The rows on one side of a split.
    void select(int32_t split, bool left, std::vector<int32_t>& out) const {
        const int32_t* r = column(feature[split]);
        const int32_t at = cut_at(split);
        out.resize(rows);
        int32_t n = 0;
        for (int32_t i = 0; i < rows; ++i) {
            out[n] = i;
            n += (r[i] < at) == left;
        }
        out.resize(n);
    }

    // The parent's rows `chosen` as a block of their own; false, and of no use, when stopped.
    bool assemble(const Block& parent, const std::vector<int32_t>& chosen, Stop& stop) {
        struct ChildSource {
            const Block& p;
            const std::vector<int32_t>& row;
            int32_t actions;
            int32_t features() const { return p.num_features(); }
            const int32_t* column(int32_t f) const { return p.column(f); }
            int32_t num_ranks(int32_t f) const { return p.first[f + 1] - p.first[f] + 1; }
            Cut cut(int32_t f, int32_t r, int32_t, int32_t) const { return p.cut[p.first[f] + r]; }
            int32_t root_row(int32_t i) const { return p.root_row[row[i]]; }
            const double* loss_of(int32_t i) const {
                return p.loss.data() + static_cast<size_t>(row[i]) * p.stride;
            }
            int32_t root_action(int32_t a) const { return p.action_of[a]; }
        };
        return assemble_from(ChildSource{parent, chosen, parent.actions}, stop);
    }

    // `same_rows`: the rows and their ranks are those of the last call; only losses differ.
    template <class Source>
    bool assemble_from(const Source& source, Stop& stop, bool same_rows = false) {
        rows = static_cast<int32_t>(source.row.size());
        return take_actions(source, stop) && take_rows(source, stop) &&
               (same_rows || take_splits(source, stop));
    }

  private:
    // Keep the actions that no other action equals or beats on every row (of equals, the first).
    template <class Source>
    bool take_actions(const Source& source, Stop& stop) {
        action_of.clear();
        const int32_t given = source.actions;
        kept_.clear();
        for (int32_t b = 0; b < given; ++b) {
            bool dominated = false;
            for (int32_t a = 0; a < given && !dominated; ++a) {
                if (a == b) continue;
                bool never_worse = true, better = false;
                for (int32_t i = 0; i < rows && never_worse; ++i) {
                    if (stop.check_at(i)) return false;
                    const double* c = source.loss_of(i);
                    never_worse = c[a] <= c[b];
                    better |= c[a] < c[b];
                }
                dominated = never_worse && (better || a < b);
            }
            if (!dominated) kept_.push_back(b);
        }
        for (int32_t a : kept_) action_of.push_back(source.root_action(a));
        actions = static_cast<int32_t>(kept_.size());
        stride = (actions + kLanes - 1) / kLanes * kLanes;
        return true;
    }

    template <class Source>
    bool take_rows(const Source& source, Stop& stop) {
        loss.resize(static_cast<size_t>(rows) * stride);
        spread.resize(rows);
        root_row.resize(rows);
        key.resize(rows);
        total.assign(stride, 0.0);
        all = Key{};
        spread_sum = 0.0;
        for (int32_t i = 0; i < rows; ++i) {
            if (stop.check_at(i)) return false;
            const double* from = source.loss_of(i);
            double* to = loss.data() + static_cast<size_t>(i) * stride;
            double most = 0.0;
            for (int32_t a = 0; a < actions; ++a) {
                to[a] = from[kept_[a]];
                most = std::max(most, to[a]);
            }
            for (int32_t a = actions; a < stride; ++a) to[a] = to[0];
            add_to(total.data(), to, stride);
            spread[i] = most;
            spread_sum += most;
            root_row[i] = source.root_row(i);
            key[i] = row_key(root_row[i]);
            all ^= key[i];
        }
        return true;
    }

    // Rank the rows anew; a threshold that separates them like an earlier one (or its mirror) is dropped.
    template <class Source>
    bool take_splits(const Source& source, Stop& stop) {
        const int32_t features = source.features();
        size_t most_splits = 0;
        for (int32_t f = 0; f < features; ++f) {
            most_splits += std::min<int32_t>(source.num_ranks(f), std::max(rows, 1));
        }
        seen_.clear(most_splits);
        first.assign(1, 0);
        mode.clear();
        feature.clear();
        cut.clear();
        rank.resize(static_cast<size_t>(features) * rows);
        start.assign(static_cast<size_t>(rows) + 1, 0);
        const bool ask = rows > 0xffff;
        for (int32_t f = 0; f < features; ++f) {
            if (ask && stop.check()) return false;
            take_feature(source, f);
        }
        splits = first.back();
        rank.resize(static_cast<size_t>(num_features()) * rows);
        for (int32_t i = 0; i < rows; ++i) start[i + 1] += start[i];
        entry.resize(start[rows]);
        for (int32_t f = 0; f < num_features(); ++f) {
            if (ask && stop.check()) return false;
            const int32_t* r = column(f);
            const int32_t m = mode[f], base = first[f];
            for (int32_t i = 0; i < rows; ++i) {
                if (r[i] != m) entry[start[i]++] = base + r[i] - (r[i] > m);
            }
        }
        for (int32_t i = rows; i > 0; --i) start[i] = start[i - 1];
        start[0] = 0;
        return true;
    }

    template <class Source>
    void take_feature(const Source& source, int32_t f) {
        const int32_t ranks = source.num_ranks(f);
        const int32_t* given = source.column(f);
        if (ranks < 2) return;
        count_.assign(ranks, 0);
        key_at_.assign(ranks, Key{});
        for (int32_t i = 0; i < rows; ++i) {
            const int32_t r = given[source.row[i]];
            ++count_[r];
            key_at_[r] ^= key[i];
        }
        renamed_.resize(ranks);
        int32_t last = -1, now = 0, seen_rows = 0;
        Key left;
        pending_.clear();
        for (int32_t r = 0; r < ranks; ++r) {
            if (count_[r] == 0) continue;
            if (last >= 0 && seen_.insert(std::min(left, left ^ all))) {
                cut.push_back(source.cut(f, last, r, static_cast<int32_t>(cut.size())));
                feature.push_back(static_cast<int32_t>(mode.size()));
                ++now;
            }
            renamed_[r] = now;
            left ^= key_at_[r];
            seen_rows += count_[r];
            last = r;
        }
        if (now == 0) return;
        pending_.assign(now + 1, 0);
        for (int32_t r = 0; r < ranks; ++r) {
            if (count_[r]) pending_[renamed_[r]] += count_[r];
        }
        const int32_t commonest =
            static_cast<int32_t>(std::max_element(pending_.begin(), pending_.end()) - pending_.begin());
        int32_t* to = rank.data() + mode.size() * static_cast<size_t>(rows);
        for (int32_t i = 0; i < rows; ++i) {
            to[i] = renamed_[given[source.row[i]]];
            start[i + 1] += to[i] != commonest;
        }
        mode.push_back(commonest);
        first.push_back(first.back() + now);
    }

    KeySet seen_;
    std::vector<int32_t> kept_, count_, renamed_, pending_;
    std::vector<Key> key_at_;
};

}  // namespace spotree::exact
