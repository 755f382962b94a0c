// The tree behind an optimum, the same for every schedule: of all that tie, the first in a fixed order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "exact/presolve.hpp"
#include "exact/search.hpp"

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

// Rule: a leaf if it is within eps of the optimum, else the smallest (feature, threshold) within eps of it;
// top-down.
class Rebuild {
  public:
    TreeArrays tree;
    double loss = 0.0;  // of the tree, summed over the reduced rows

    // `until` is the end of the caller's time.
    void start(Search& search, const Ranks& prep, const Reduced& reduced, const Block& root,
               const Stop& until) {
        search_ = &search;
        prep_ = &prep;
        reduced_ = &reduced;
        root_ = &root;
        tree.clear();
        loss = 0.0;
        grace_.reset();
        until_ = &until;
    }

    // How long the tree of a stopped search may take; from then on there are only leaves.
    Stop& grace() {
        if (!grace_) {
            const bool interrupted = search_->stop().reason() == Reason::interrupted;
            const double left = until_->limited() && !interrupted ? std::max(0.0, until_->remaining()) : 0.0;
            grace_ = std::make_unique<Stop>(left + kGrace);
        }
        return *grace_;
    }

    // Append the best tree for `block`; `solved` says that the search has just solved it as its root.
    int32_t build(const Block& block, int depth, bool solved, double upper) {
        const double eps = search_->eps();
        const double leaf = block.best_leaf();
        if (depth == 0 || block.splits == 0 || leaf <= eps) return add_leaf(block);
        if (search_->stop().raised()) return build_stopped(block, depth, solved);
        Worker& w = search_->worker();
        int32_t split = -1;
        if (depth <= 2) {
            split = pick_shallow(w, block, depth);
        } else {
            Node& node = *w.node[depth];
            if (!solved) {
                const Outcome outcome = search_->solve(w, block, depth, kInfinity);
                if (!outcome.exact) return build_stopped(block, depth, false);
                upper = outcome.value;
            }
            if (leaf <= upper + eps) return add_leaf(block);
            const double two = node.tabled ? node.keys.best : search_->solve(w, block, 2, kInfinity).value;
            if (two <= upper + eps) return build(block, 2, false, 0.0);
            split = pick(w, node, upper);
        }
        if (search_->stop().raised()) return build_stopped(block, depth, solved);
        return split < 0 ? add_leaf(block) : add_split(block, depth, block.cut[split].root, false);
    }

    // The root's best split so far with the best trees below it.
    int32_t build_incumbent(const Block& root, int depth) {
        const Node& node = *search_->worker().node[depth];
        return node.best < 0 ? add_leaf(root) : add_split(root, depth, root.cut[node.best].root, false);
    }

    // The time is up: the best tree so far, as far as it is remembered, else greedily.
    int32_t build_stopped(const Block& block, int depth, bool root) {
        if (depth == 0 || block.splits == 0 || block.best_leaf() <= search_->eps()) return add_leaf(block);
        int32_t split = -1;  // in the root's numbering
        Known known;
        const Node* node = root && depth >= 3 ? search_->worker().node[depth].get() : nullptr;
        if (node && node->block == &block && node->best >= 0) {
            split = block.cut[node->best].root;
        } else if (search_->cache.find(depth, block.all, block.rows, known)) {
            split = known.split;
        }
        if (split < 0) {
            Worker& w = search_->worker();
            const double entries = static_cast<double>(block.entry.size());
            const double cells = static_cast<double>(block.splits) * block.splits;
            if (depth >= 2 && (cells + entries * entries / block.rows) * block.stride < 2e6) {
                if (w.small.build(block, nullptr, grace())) w.values.evaluate(w.small, grace());
            } else {
                w.small.build_sides(block, nullptr, grace());
                if (!grace().raised()) w.values.evaluate_sides(w.small);
            }
            if (grace().check()) return add_leaf(block);
            const int32_t k = first_within(w.values, w.values.best, 0.0);
            if (k < 0 || w.values.leaf <= w.values.best) return add_leaf(block);
            split = block.cut[w.values.split[k]].root;
        }
        return add_split(block, depth, split, true);
    }

    int32_t add_leaf(const Block& block) { return add_leaf(block.root_row, -1); }

    // A leaf for rows of the root, with a fixed action unless that is negative.
    int32_t add_leaf(const std::vector<int32_t>& root_rows, int32_t fixed) {
        const int32_t node = tree.add(), actions = reduced_->actions;
        sum_.assign(actions, 0.0);
        for (int32_t i : root_rows) {
            const double* c = reduced_->loss.data() + static_cast<size_t>(i) * actions;
            for (int32_t a = 0; a < actions; ++a) sum_[a] += c[a];
        }
        const double most = *std::min_element(sum_.begin(), sum_.end()) + search_->eps();
        int32_t a = 0;
        while (sum_[a] > most) ++a;
        if (fixed >= 0) a = fixed;
        tree.action[node] = a;
        loss += sum_[a];
        return node;
    }

    int32_t add_cut(const Cut& cut) { return tree.add_split(cut.feature, threshold_of(*prep_, cut)); }

  private:
    // The first split, in order of feature and threshold, within eps of the optimum.
    int32_t pick(Worker& w, Node& node, double upper) {
        const double eps = search_->eps();
        for (int32_t s = 0; s < node.block->splits; ++s) {
            if (node.bound.sum(s) > upper + eps) continue;
            Outcome left{node.bound.left(s), (node.known[s] & 1) != 0, -1};
            Outcome right{node.bound.right(s), (node.known[s] & 2) != 0, -1};
            if (!left.exact || !right.exact) {
                search_->try_split(w, node, s, upper + 4 * eps, left, right);
                if (search_->stop().raised()) return -1;
                node.bound.learn(s, left.value, right.value, search_->options().interval_bound);
            }
            if (left.exact && right.exact && left.value + right.value <= upper + eps) return s;
        }
        return node.best;
    }

    int32_t pick_shallow(Worker& w, const Block& block, int depth) {
        ++w.kernels;
        if (depth == 2 && !use_table(block, search_->options())) return pick_sweep(w, block);
        if (!(depth == 1 ? w.small.build_sides(block, nullptr, search_->stop())
                         : w.small.build(block, nullptr, search_->stop()))) {
            return -1;
        }
        if (depth == 1) {
            w.values.evaluate_sides(w.small);
        } else {
            w.values.evaluate(w.small, search_->stop());
        }
        const double eps = search_->eps();
        if (w.values.leaf <= w.values.best + eps) return -1;
        if (depth == 2 && w.values.one <= w.values.best + eps) return pick_shallow(w, block, 1);
        const int32_t k = first_within(w.values, w.values.best, eps);
        return k < 0 ? -1 : w.values.split[k];
    }

    int32_t pick_sweep(Worker& w, const Block& block) {
        const double eps = search_->eps();
        const Sweep& sweep = w.sweep;
        if (!w.sweep.run(block, kInfinity, 4 * eps, sweep_copies(block, search_->options()), search_->stop()))
            return -1;
        if (sweep.leaf <= sweep.best + eps) return -1;
        if (sweep.one <= sweep.best + eps) return pick_shallow(w, block, 1);
        for (int32_t s = 0; s < block.splits; ++s) {
            if (sweep.exact[s] && sweep.value[s] <= sweep.best + eps) return s;
        }
        return -1;
    }

    static int32_t first_within(const Depth2& values, double best, double eps) {
        for (int32_t k = 0; k < values.size; ++k) {
            if (values.rare[k] + values.rest[k] <= best + eps) return k;
        }
        return -1;
    }

    int32_t add_split(const Block& block, int depth, int32_t root_split, bool stopped) {
        const int32_t node = add_cut(root_->cut[root_split]);
        while (static_cast<int>(block_.size()) < depth) block_.push_back(std::make_unique<Block>());
        for (const bool left : {true, false}) {
            const int32_t* rank = root_->column(root_->feature[root_split]);
            const int32_t cut = root_->cut_at(root_split);
            rows_.clear();
            for (int32_t i = 0; i < block.rows; ++i) {
                if ((rank[block.root_row[i]] < cut) == left) rows_.push_back(i);
            }
            Block& child = *block_[depth - 1];
            int32_t sub;
            if (stopped || !child.assemble(block, rows_, search_->stop())) {
                sub = child.assemble(block, rows_, grace()) ? build_stopped(child, depth - 1, false)
                                                            : add_leaf(in_root(block, rows_), -1);
            } else {
                sub = build(child, depth - 1, false, 0.0);
            }
            (left ? tree.left : tree.right)[node] = sub;
        }
        return node;
    }

    static std::vector<int32_t> in_root(const Block& block, const std::vector<int32_t>& rows) {
        std::vector<int32_t> out;
        out.reserve(rows.size());
        for (int32_t i : rows) out.push_back(block.root_row[i]);
        return out;
    }

    static constexpr double kGrace = 0.05;  // seconds
    const Stop* until_ = nullptr;
    std::unique_ptr<Stop> grace_;
    Search* search_ = nullptr;
    const Ranks* prep_ = nullptr;
    const Reduced* reduced_ = nullptr;
    const Block* root_ = nullptr;
    std::vector<std::unique_ptr<Block>> block_;  // [depth]
    std::vector<int32_t> rows_;
    std::vector<double> sum_;
};

}  // namespace spotree::exact
