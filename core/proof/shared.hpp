// What all threads of a proof share: the problem, the best tree so far, and when to stop.
#pragma once

#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>

#include "proof/bounds/tree_dp.hpp"
#include "proof/proof_model.hpp"
#include "runtime/threads.hpp"

namespace spotree::proof {

struct Switches {  // ingredients that may change the time, never the answer
    bool regret = true, floors = true, filter = true, solo = true;
};

struct Shared {
    explicit Shared(ProofModel& asked)
        : problem(asked),
          model(asked.model),
          sizes(asked.sizes),
          cubes(asked.cubes),
          symmetries(asked.symmetries) {}

    ProofModel& problem;
    const GroupedModel& model;
    const Sizes& sizes;
    const Cubes& cubes;
    const Symmetries& symmetries;
    Switches switches;
    double tolerance = 0;  // a tree counts as improving if it is better by more than this
    size_t memory_limit = 0;

    std::atomic<double> best{-std::numeric_limits<double>::infinity()};
    Stop stop;                                                       // the time is up, or somebody asked
    std::atomic<bool> done{false};                                   // one of the rules has closed everything
    double restart_above = std::numeric_limits<double>::infinity();  // so good a tree is worth a new start
    std::atomic<bool> no_restart{false};                             // others work on parts of this root
    bool take_turns = false;                                         // one core: the rules work in turn
    std::atomic<uint32_t> ticket{0}, serving{0};
    std::atomic<int64_t> regions{0};
    int64_t most_regions = std::numeric_limits<int64_t>::max();  // after which rule "tree" stops

    double close_at() const { return best.load(std::memory_order_relaxed) + tolerance; }

    bool stopped() { return done.load(std::memory_order_relaxed) || much_better() || stop.check(); }

    bool much_better() const {
        return best.load(std::memory_order_relaxed) > restart_above &&
               !no_restart.load(std::memory_order_relaxed);
    }

    bool offer(double value, const std::vector<TreeNode>& tree) {
        std::scoped_lock hold(lock_);
        if (!(value > best.load())) return false;
        tree_ = tree;
        best.store(value);
        return true;
    }

    std::vector<TreeNode> tree() {
        std::scoped_lock hold(lock_);
        return tree_;
    }

  private:
    std::mutex lock_;
    std::vector<TreeNode> tree_;
};

}  // namespace spotree::proof
