// Trees with frozen nodes or a limit on leaves: recursion from the root, fast search where nothing restricts
// it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "exact/reconstruct.hpp"
#include "exact/row_partition.hpp"

namespace spotree::exact {

constexpr int32_t kFree = -2, kUnsplit = -1;

// Arrays over the complete tree of the problem's depth (see Frozen in Python); null pointers: nothing is
// frozen.
struct FrozenView {
    const int32_t* feature = nullptr;
    const double* threshold = nullptr;
    const int32_t* action = nullptr;
};

// The complete tree, node t with children 2t + 1 and 2t + 2.
class Shape {
  public:
    Shape(const FrozenView& frozen, int depth) : frozen_(frozen), inner_((1 << depth) - 1) {
        restricted_.assign(2 * static_cast<size_t>(inner_) + 1, 0);
        fewest_.assign(2 * static_cast<size_t>(inner_) + 1, 1);
        for (int32_t t = 2 * inner_; t >= 0; --t) {
            if (t >= inner_) {
                restricted_[t] = action(t - inner_) != kFree;
                continue;
            }
            restricted_[t] = restricted_[2 * t + 1] || restricted_[2 * t + 2] || kind(t) != kFree;
            const int32_t left = fewest_[2 * t + 1], right = fewest_[2 * t + 2];
            fewest_[t] = kind(t) == kUnsplit ? 1 : kind(t) == kFree ? std::min(left, right) : left + right;
        }
    }

    // kFree, kUnsplit or the feature of an inner node.
    int32_t kind(int32_t t) const { return frozen_.feature ? frozen_.feature[t] : kFree; }
    double threshold(int32_t t) const { return frozen_.threshold[t]; }
    int32_t action(int32_t leaf) const { return frozen_.action ? frozen_.action[leaf] : kFree; }
    // Something is frozen in the subtree.
    bool restricted(int32_t t) const { return restricted_[t]; }
    // Leaves that the frozen splits of the subtree need at least.
    int32_t fewest(int32_t t) const { return fewest_[t]; }
    // All rows of t end in one leaf, which `leaf` names.
    bool ends(int32_t t) const { return t >= inner_ || kind(t) == kUnsplit; }
    int32_t leaf(int32_t t) const {
        while (t < inner_) t = 2 * t + 2;
        return t - inner_;
    }

  private:
    FrozenView frozen_;
    int32_t inner_;
    std::vector<uint8_t> restricted_;
    std::vector<int32_t> fewest_;
};

class ConstrainedSearch {
  public:
    // `most_leaves` is at least 1; the tree goes into `rebuild`.
    ConstrainedSearch(Search& search, Rebuild& rebuild, const Ranks& prep, const Reduced& reduced,
                      const Block& root, const Shape& shape, int depth)
        : search_(search),
          rebuild_(rebuild),
          apart_(prep, reduced),
          reduced_(reduced),
          root_(root),
          shape_(shape),
          depth_(depth) {}

    // Lower bound on the loss (the optimum unless stopped), and the tree.
    double solve(int32_t most_leaves) {
        std::vector<int32_t> rows(root_.rows);
        for (int32_t i = 0; i < root_.rows; ++i) rows[i] = i;
        const double value = best(0, depth_, rows, most_leaves);
        build(0, depth_, rows, most_leaves);
        return value;
    }

  private:
    struct Name {
        Key key;
        int32_t rows, node, leaves;
        bool operator==(const Name& o) const {
            return key == o.key && rows == o.rows && node == o.node && leaves == o.leaves;
        }
    };
    struct NameHash {
        size_t operator()(const Name& n) const {
            return mixed(n.key.low ^ mixed(static_cast<uint64_t>(n.node + (1 << 30)) << 32 |
                                           static_cast<uint32_t>(n.leaves)));
        }
    };

    bool stopped() { return search_.stop().raised(); }
    static int32_t full(int d) { return d >= 30 ? 1 << 30 : 1 << d; }

    // Subproblems without frozen nodes are the same wherever they hang.
    Name name(int32_t t, int d, const Rows& rows, int32_t leaves) const {
        Key key;
        for (int32_t i : rows) key ^= root_.key[i];
        return {key, static_cast<int32_t>(rows.size()), shape_.restricted(t) ? t : -1 - d, leaves};
    }

    double best(int32_t t, int d, const Rows& rows, int32_t leaves) {
        leaves = std::min(leaves, full(d));
        if (leaves < shape_.fewest(t)) return kInfinity;
        if (shape_.ends(t)) return leaf_loss(shape_.leaf(t), rows);
        const Name id = name(t, d, rows, leaves);
        if (const auto at = memo_.find(id); at != memo_.end()) return at->second;
        double value;
        if (shape_.kind(t) != kFree) {
            value = best_of_shares(t, d, side(t, rows, true), side(t, rows, false), leaves, kInfinity);
        } else if (!shape_.restricted(t)) {
            value = best_free(t, d, rows, leaves);
        } else {
            value = best_above_frozen(t, d, rows, leaves);
        }
        if (!stopped()) memo_.emplace(id, value);
        return value;
    }

    double leaf_loss(int32_t leaf, const Rows& rows) const {
        const int32_t actions = reduced_.actions;
        std::vector<double> sum(actions, 0.0);
        for (int32_t i : rows) {
            const double* c = reduced_.loss.data() + static_cast<size_t>(i) * actions;
            for (int32_t a = 0; a < actions; ++a) sum[a] += c[a];
        }
        const int32_t fixed = shape_.action(leaf);
        return fixed == kFree ? *std::min_element(sum.begin(), sum.end()) : sum[fixed];
    }

    Rows side(int32_t t, const Rows& rows, bool left) const {
        return apart_.side(rows, shape_.kind(t), shape_.threshold(t), left);
    }

    double best_of_shares(int32_t t, int d, const Rows& left, const Rows& right, int32_t leaves,
                          double budget) {
        double value = kInfinity;
        const int32_t half = full(d - 1);
        if (leaves >= 2 * half) {
            const double one = best(2 * t + 1, d - 1, left, half);
            return one >= budget ? one : one + best(2 * t + 2, d - 1, right, half);
        }
        for (int32_t k = std::max(shape_.fewest(2 * t + 1), leaves - half); k <= std::min(half, leaves - 1);
             ++k) {
            const double one = best(2 * t + 1, d - 1, left, k);
            if (one < std::min(value, budget))
                value = std::min(value, one + best(2 * t + 2, d - 1, right, leaves - k));
        }
        return value;
    }

    // A free node with frozen ones below: all rows one way, or any split.
    double best_above_frozen(int32_t t, int d, const Rows& rows, int32_t leaves) {
        double value = std::min(best(2 * t + 2, d - 1, rows, leaves), best(2 * t + 1, d - 1, rows, leaves));
        if (leaves < 2) return value;
        Rows left, right;
        for (const Cut& cut : apart_.cuts(rows)) {
            if (value <= search_.eps()) break;
            if (search_.stop().check()) return 0.0;
            apart_.part(cut, rows, left, right);
            value = std::min(value, best_of_shares(t, d, left, right, leaves, value));
        }
        return stopped() ? 0.0 : value;
    }

    double best_free(int32_t t, int d, const Rows& rows, int32_t leaves) {
        if (static_cast<int32_t>(rows.size()) <= 1) return 0.0;
        d = std::min(d, leaves - 1);
        const auto block = block_of(rows);
        if (!block) return 0.0;
        if (leaves >= full(d)) return search_.solve_root(*block, d, kInfinity).value;
        double value = std::min(block->best_leaf(), best_free(t, d, rows, leaves - 1));
        if (value <= search_.eps()) return value;
        for (const auto& [low, s] : promising(t, d, *block, leaves)) {
            if (low >= value - search_.eps()) break;
            if (search_.stop().check()) return 0.0;
            Rows left, right;
            RowPartition::part(*block, s, left, right);
            value = std::min(value, best_free_shares(t, d, left, right, leaves, value));
        }
        return stopped() ? 0.0 : value;
    }

    double best_free_shares(int32_t t, int d, const Rows& left, const Rows& right, int32_t leaves,
                            double budget) {
        double value = kInfinity;
        const int32_t half = full(d - 1);
        for (int32_t k = std::max(1, leaves - half); k <= std::min(half, leaves - 1); ++k) {
            const double one = free_part(t, d - 1, left, k);
            if (one >= std::min(value, budget)) continue;
            value = std::min(value, one + free_part(t, d - 1, right, leaves - k));
        }
        return value;
    }

    // A free subtree of depth d, by memory; `t` is any node whose subtree is free.
    double free_part(int32_t t, int d, const Rows& rows, int32_t leaves) {
        leaves = std::min(leaves, full(d));
        Name id = name(t, d, rows, leaves);
        id.node = -1 - d;
        if (const auto at = memo_.find(id); at != memo_.end()) return at->second;
        const double value = d == 0 || leaves == 1 ? free_leaf(rows) : best_free(t, d, rows, leaves);
        if (!stopped()) memo_.emplace(id, value);
        return value;
    }

    double free_leaf(const Rows& rows) const {
        const auto block = block_of(rows);
        return block ? block->best_leaf() : 0.0;
    }

    // Splits by the sum of what their sides lose without a limit on leaves.
    std::vector<std::pair<double, int32_t>> promising(int32_t t, int d, const Block& block, int32_t leaves) {
        std::vector<std::pair<double, int32_t>> order;
        Rows left, right;
        for (int32_t s = 0; s < block.splits; ++s) {
            if (search_.stop().check()) break;
            RowPartition::part(block, s, left, right);
            const int below = std::min(d - 1, leaves - 2);
            const double low =
                free_part(t, below, left, full(below)) + free_part(t, below, right, full(below));
            order.emplace_back(low, s);
        }
        std::sort(order.begin(), order.end());
        return order;
    }

    // Null when stopped.
    std::unique_ptr<Block> block_of(const Rows& rows) const {
        auto block = std::make_unique<Block>();
        if (!block->assemble(root_, rows, search_.stop())) return nullptr;
        return block;
    }

    int32_t build(int32_t t, int d, const Rows& rows, int32_t leaves) {
        leaves = std::min(leaves, full(d));
        if (shape_.ends(t)) return rebuild_.add_leaf(rows, shape_.action(shape_.leaf(t)));
        if (!shape_.restricted(t)) return build_free(t, d, rows, leaves);
        if (shape_.kind(t) != kFree) {
            const int32_t node = rebuild_.tree.add_split(shape_.kind(t), shape_.threshold(t));
            build_sides(t, d, node, side(t, rows, true), side(t, rows, false), leaves);
            return node;
        }
        const double most = best(t, d, rows, leaves) + search_.eps();
        for (const int32_t child : {2 * t + 2, 2 * t + 1}) {
            const bool fits = shape_.fewest(child) <= leaves;
            if (fits && (stopped() || best(child, d - 1, rows, leaves) <= most))
                return build(child, d - 1, rows, leaves);
        }
        Rows left, right;
        for (const Cut& cut : apart_.cuts(rows)) {
            apart_.part(cut, rows, left, right);
            if (best_of_shares(t, d, left, right, leaves, kInfinity) > most) continue;
            const int32_t node = rebuild_.add_cut(cut);
            build_sides(t, d, node, left, right, leaves);
            return node;
        }
        return build(shape_.fewest(2 * t + 2) <= leaves ? 2 * t + 2 : 2 * t + 1, d - 1, rows, leaves);
    }

    void build_sides(int32_t t, int d, int32_t node, const Rows& left, const Rows& right, int32_t leaves) {
        const int32_t half = full(d - 1);
        int32_t give = std::max(shape_.fewest(2 * t + 1), leaves - half);
        if (leaves >= 2 * half) {
            give = half;
        } else if (!stopped()) {
            const double most = best_of_shares(t, d, left, right, leaves, kInfinity) + search_.eps();
            for (int32_t k = give; k <= std::min(half, leaves - 1); ++k) {
                if (leaves - k < shape_.fewest(2 * t + 2)) break;
                if (best(2 * t + 1, d - 1, left, k) + best(2 * t + 2, d - 1, right, leaves - k) <= most) {
                    give = k;
                    break;
                }
            }
        }
        const int32_t l = build(2 * t + 1, d - 1, left, give);
        rebuild_.tree.left[node] = l;
        const int32_t r = build(2 * t + 2, d - 1, right, leaves >= 2 * half ? half : leaves - give);
        rebuild_.tree.right[node] = r;
    }

    int32_t build_stopped(int d, const Rows& rows, int32_t leaves) {
        while (full(d) > leaves) --d;
        Block block;
        if (d == 0 || !block.assemble(root_, rows, rebuild_.grace())) return rebuild_.add_leaf(rows, -1);
        return rebuild_.build_stopped(block, d, false);
    }

    int32_t build_free(int32_t t, int d, const Rows& rows, int32_t leaves) {
        leaves = std::min(leaves, full(d));
        d = std::min(d, leaves - 1);
        if (stopped()) return build_stopped(d, rows, leaves);
        const auto block = block_of(rows);
        if (!block) return build_stopped(d, rows, leaves);
        if (leaves >= full(d)) return rebuild_.build(*block, d, false, 0.0);
        const double most = free_part(t, d, rows, leaves) + search_.eps();
        for (int32_t fewer = 1; fewer < leaves; ++fewer) {
            if (free_part(t, d, rows, fewer) <= most) return build_free(t, d, rows, fewer);
        }
        Rows left, right;
        for (int32_t s = 0; s < block->splits; ++s) {
            RowPartition::part(*block, s, left, right);
            for (int32_t k = std::max(1, leaves - full(d - 1)); k <= std::min(full(d - 1), leaves - 1); ++k) {
                if (stopped()) return build_free(t, d, rows, leaves);
                if (free_part(t, d - 1, left, k) + free_part(t, d - 1, right, leaves - k) > most) continue;
                const int32_t node = rebuild_.add_cut(block->cut[s]);
                const int32_t l = build_free(t, d - 1, left, k);
                rebuild_.tree.left[node] = l;
                const int32_t r = build_free(t, d - 1, right, leaves - k);
                rebuild_.tree.right[node] = r;
                return node;
            }
        }
        return build_free(t, d, rows, leaves - 1);
    }

    Search& search_;
    Rebuild& rebuild_;
    RowPartition apart_;
    const Reduced& reduced_;
    const Block& root_;
    const Shape& shape_;
    int depth_;
    std::unordered_map<Name, double, NameHash> memo_;
};

}  // namespace spotree::exact
