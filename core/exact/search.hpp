// The optimum over all trees of a depth: dynamic programming over row sets, by one or several threads.
#pragma once

#include <memory>

#include "exact/cache.hpp"
#include "exact/depth2.hpp"
#include "exact/work_sharing.hpp"

namespace spotree::exact {

class Search {
  public:
    Cache cache;
    std::vector<std::unique_ptr<Worker>> workers;

    // Ready for a new problem; the cache forgets.
    void start(const Options& options, int depth, double eps, Stop& stop) {
        options_ = &options;
        stop_ = &stop;
        eps_ = eps;
        depth_ = depth;
        cache.clear();
        cache.set_limit(options.memory / 2);
        while (static_cast<int>(workers.size()) < std::max(1, options.threads)) {
            workers.push_back(std::make_unique<Worker>());
        }
        for (auto& w : workers) {
            w->reserve(depth);
            w->kernels = w->nodes = w->hits = 0;
        }
    }

    void use_stop(Stop& stop) { stop_ = &stop; }
    Worker& worker() { return *workers[0]; }
    Stop& stop() { return *stop_; }
    const Options& options() const { return *options_; }
    double eps() const { return eps_; }

    // The root: all threads take part. Its state stays in worker().node[depth] for depth >= 3.
    // `best_gain` is what losses are counted from: the gain of a loss x is best_gain - x.
    Outcome solve_root(const Block& block, int depth, double upper, double best_gain = 0.0) {
        best_gain_ = best_gain;
        top_ = depth;
        share_.open();
        sharing_ =
            depth >= 3 && options_->threads > 1 && (options_->share_small || worth_threads(block, depth));
        Outcome outcome;
        run_on(sharing_ ? options_->threads : 1, *stop_, [&](int k) {
            if (k > 0) return share_.help(*stop_, [&](Node& node) { process(*workers[k], node); });
            const AtEnd let_go([&] { share_.close(); });
            outcome = solve(worker(), block, depth, kInfinity, true, upper);
        });
        sharing_ = false;
        return outcome;
    }

    // Trees that lose `budget` or more are of no interest: then the answer may be a lower bound.
    Outcome solve(Worker& w, const Block& block, int depth, double budget, bool root = false,
                  double upper = kInfinity) {
        const double leaf = block.best_leaf();
        if (depth == 0 || block.splits == 0 || (leaf <= eps_ && !root)) return {leaf, true, -1};
        if (depth <= 2) return solve_shallow(w, block, depth, budget, eps_, *options_, *stop_);
        ++w.nodes;
        Node& node = *w.node[depth];
        if (!node.open(block, depth, budget, use_table(block, *options_), hashed(), *stop_))
            return {0.0, false, -1};
        if (root) node.budget = upper;
        node.growing = use_growing(node, *options_);
        node.by_triples = use_triples(node, *options_);
        if (node.by_triples) node.triples.open(block);
        const bool shared = sharing_ && depth >= top_ - 1;
        if (shared) share_.offer(node);
        process(w, node);
        if (shared) share_.withdraw(node);
        const int32_t split = node.best < 0 ? -1 : block.cut[node.best].root;
        if (stop_->raised()) return {std::min(node.lower(), node.target()), false, split};
        if (node.upper < node.budget) return {node.upper, true, split};
        return {std::max(node.lower(), node.budget), false, split};
    }

    // One side of a split of an open node, by recursion.
    Outcome solve_side(Worker& w, const Node& node, int32_t s, bool left, double budget) {
        const int depth = node.depth - 1;
        const int32_t rows = left ? node.left_count(s) : node.block->rows - node.left_count(s);
        if (rows <= depth + 1) return {0.0, true, -1};  // so few rows can all be told apart
        if (node.achieved(s, left) <= eps_) return {node.achieved(s, left), true, -1};
        Known known;
        const Key key = hashed() ? node.key_of(s, left) : Key{};
        const bool cached = hashed() && options_->cache;
        if (cached && cache.find(depth, key, rows, known)) {
            ++w.hits;
            if (known.exact || known.value >= budget) return {known.value, known.exact, known.split};
        }
        node.block->select(s, left, w.rows);
        Block& block = *w.block[depth];
        if (!block.assemble(*node.block, w.rows, *stop_)) return {0.0, false, -1};
        Outcome outcome = solve(w, block, depth, budget);
        if (!outcome.exact) outcome.value = std::max(outcome.value, known.value);
        if (hashed() && (outcome.exact || !stop_->raised())) {
            cache.store(depth, key, rows, {outcome.value, outcome.exact, outcome.split});
        }
        return outcome;
    }

    // Both sides of split s of a node of depth 3 with a table. Returns false when stopped on the way.
    bool solve_pair(Worker& w, const Node& node, int32_t s, double target, Outcome& left, Outcome& right) {
        const int32_t left_rows = node.left_count(s);
        const bool small_left = left_rows * 2 <= node.block->rows;
        Outcome& small = small_left ? left : right;
        Outcome& large = small_left ? right : left;
        const double low_large = large.value;
        const bool have_small = recall(w, node, s, small_left, small),
                   have_large = recall(w, node, s, !small_left, large);
        if (have_small && (have_large || small.value + large.value >= target)) return true;
        if (have_large && small.value + large.value >= target) return true;
        node.block->select(s, small_left, w.rows);
        const bool from_triples = node.by_triples && small_left == node.block->left_is_rare(s);
        if (!(from_triples ? w.small.build(*node.block, w.rows, node.triples, s, *stop_)
                           : w.small.build(*node.block, &w.rows, *stop_))) {
            return false;
        }
        if (!have_small) {
            ++w.kernels;
            w.values.evaluate(w.small, *stop_);
            if (stop_->raised()) return false;
            small = {w.values.best, true, -1};
            remember(node, s, small_left, small);
        }
        if (have_large || small.value + low_large >= target) return true;
        ++w.kernels;
        w.small.fill_extra();
        w.values.evaluate_difference(node.table, w.small, *stop_);
        if (stop_->raised()) return false;
        large = {w.values.best, true, -1};
        remember(node, s, !small_left, large);
        return true;
    }

    void count(int64_t& kernels, int64_t& nodes, int64_t& hits) const {
        for (const auto& w : workers) {
            kernels += w->kernels;
            nodes += w->nodes;
            hits += w->hits;
        }
    }

  private:
    bool hashed() const { return depth_ >= 4; }

    // How much better than the incumbent a tree must be to matter.
    double slack(const Node& node) const {
        if (node.depth < top_ || options_->gap_tolerance == 0.0) return eps_;
        return std::max(eps_, options_->gap_tolerance * std::abs(best_gain_ - node.target()));
    }

    void process(Worker& w, Node& node) {
        if (node.growing) {
            while (!stop_->check()) {
                const int32_t f = node.next_feature.fetch_add(1);
                if (f + 1 >= node.block->num_features()) node.exhausted = true;
                if (f >= node.block->num_features()) break;
                grow(w, node, f);
            }
            return;
        }
        if (node.by_triples && !build_slices(w, node)) return;
        for (;;) {
            if (stop_->check()) return;
            int32_t s;
            Outcome left, right;
            double target;
            {
                std::lock_guard lock(node.mutex);
                target = node.target() - slack(node);
                s = node.pick(target);
                if (s < 0) return;
                left.value = node.bound.left(s);
                right.value = node.bound.right(s);
                left.exact = node.known[s] & 1;
                right.exact = node.known[s] & 2;
            }
            try_split(w, node, s, target, left, right);
            settle(node, s, left, right);
        }
    }

    // Take part in building the slices, and wait until all are there; false when stopped.
    bool build_slices(Worker& w, Node& node) {
        const Block& block = *node.block;
        for (int32_t s = node.next_slice.fetch_add(1); s < block.splits; s = node.next_slice.fetch_add(1)) {
            block.select(s, block.left_is_rare(s), w.rows);
            if (!node.triples.build(block, s, w.rows, *stop_)) return false;
            ++node.slices;
        }
        while (node.slices < block.splits) {
            if (stop_->check()) return false;
            std::this_thread::yield();
        }
        return true;
    }

    // All thresholds of one feature from the lowest up: the table of the left side takes in one value's rows
    // at a time, the right side is the difference to the node's table.
    void grow(Worker& w, Node& node, int32_t f) {
        const Block& block = *node.block;
        const int32_t* rank = block.column(f);
        const int32_t begin = block.first[f], length = block.first[f + 1] - begin;
        w.from.assign(length + 3, 0);
        for (int32_t i = 0; i < block.rows; ++i) ++w.from[rank[i] + 2];
        for (int32_t r = 0; r <= length; ++r) w.from[r + 2] += w.from[r + 1];
        w.rows.resize(block.rows);
        for (int32_t i = 0; i < block.rows; ++i) w.rows[w.from[rank[i] + 1]++] = i;
        w.sums.open(block);
        for (int32_t s = begin; s < begin + length; ++s) {
            const int32_t first = w.from[s - begin], last = w.from[s - begin + 1];
            if (stop_->check() || !w.sums.add(block, w.rows.data() + first, last - first, *stop_)) return;
            {
                std::lock_guard lock(node.mutex);
                if (node.bound.sum(s) >= node.target() - slack(node)) continue;
            }
            if (!w.small.build(block, w.sums, *stop_)) return;
            w.values.evaluate(w.small, *stop_);
            const double left = w.values.best;
            w.small.fill_extra();
            w.values.evaluate_difference(node.table, w.small, *stop_);
            if (stop_->raised()) return;
            w.kernels += 2;
            settle(node, s, {left, true, -1}, {w.values.best, true, -1});
        }
    }

    void settle(Node& node, int32_t s, const Outcome& left, const Outcome& right) {
        std::lock_guard lock(node.mutex);
        node.bound.learn(s, left.value, right.value, options_->interval_bound);
        node.known[s] = static_cast<uint8_t>((left.exact ? 1 : 0) | (right.exact ? 2 : 0));
        if (left.exact && right.exact && left.value + right.value < node.upper) {
            node.upper = left.value + right.value;
            node.best = s;
        }
    }

  public:
    // Solve both sides of a split as far as needed to decide whether it loses less than `target`.
    void try_split(Worker& w, const Node& node, int32_t s, double target, Outcome& left, Outcome& right) {
        if (node.depth == 3 && node.tabled) {
            solve_pair(w, node, s, target, left, right);
            return;
        }
        const bool left_first = node.left_count(s) * 2 <= node.block->rows;
        Outcome& one = left_first ? left : right;
        Outcome& two = left_first ? right : left;
        if (!one.exact) one.learn(solve_side(w, node, s, left_first, target - two.value));
        if (one.value + two.value >= target || stop_->raised()) return;
        if (!two.exact) two.learn(solve_side(w, node, s, !left_first, target - one.value));
    }

  private:
    // What is known of a side's optimum of depth 2 without a table; true if exact.
    bool recall(Worker& w, const Node& node, int32_t s, bool left, Outcome& side) {
        if (side.exact) return true;
        const int32_t rows = left ? node.left_count(s) : node.block->rows - node.left_count(s);
        if (rows <= node.depth) {
            side = {0.0, true, -1};
        } else if (node.achieved(s, left) <= eps_) {
            side = {node.achieved(s, left), true, -1};
        } else if (hashed() && options_->cache) {
            Known known;
            if (cache.find(node.depth - 1, node.key_of(s, left), rows, known)) {
                ++w.hits;
                if (known.exact || known.value > side.value) side = {known.value, known.exact, known.split};
            }
        }
        return side.exact;
    }

    void remember(const Node& node, int32_t s, bool left, const Outcome& side) {
        if (!hashed() || !options_->cache) return;
        const int32_t rows = left ? node.left_count(s) : node.block->rows - node.left_count(s);
        cache.store(node.depth - 1, node.key_of(s, left), rows, {side.value, side.exact, -1});
    }

    const Options* options_ = nullptr;
    Stop* stop_ = nullptr;
    double eps_ = 0.0, best_gain_ = 0.0;
    int depth_ = 0, top_ = 0;  // of the whole problem; of the subproblem that the threads share
    bool sharing_ = false;
    Share share_;
};

}  // namespace spotree::exact
