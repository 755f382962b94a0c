// What all threads of a proof share: the problem, the best tree so far, and when to stop.
#pragma once

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>

#include "proof/proof_model.hpp"
#include "proof/step.hpp"

namespace spotree::proof {

// Seconds as the clock counts them; more than three years would overflow it and mean no limit.
inline std::chrono::steady_clock::duration clock_time(double seconds) {
    using clock = std::chrono::steady_clock;
    return std::chrono::duration_cast<clock::duration>(
        std::chrono::duration<double>(std::clamp(seconds, 0.0, 1e8)));
}

struct Switches {  // ingredients that may change the time, never the answer
    bool regret = true, floors = true, filter = true, solo = true;
};

struct Shared {
    explicit Shared(ProofModel& asked)
        : problem(asked), model(asked.model), sizes(asked.sizes), cubes(asked.cubes) {}

    ProofModel& problem;
    const GroupedModel& model;
    const Sizes& sizes;
    const Cubes& cubes;
    Switches switches;
    double tolerance = 0;  // a tree counts as improving if it is better by more than this
    size_t memory_limit = 0;

    std::atomic<double> best{-std::numeric_limits<double>::infinity()};
    std::atomic<bool> halt{false};                                   // asked to stop
    std::atomic<bool> done{false};                                   // one of the rules has closed everything
    double restart_above = std::numeric_limits<double>::infinity();  // so good a tree is worth a new start
    bool take_turns = false;                                         // one core: the rules work in turn
    std::atomic<uint32_t> ticket{0}, serving{0};
    std::atomic<int64_t> regions{0};

    double close_at() const { return best.load(std::memory_order_relaxed) + tolerance; }

    bool stopped() const {
        if (halt.load(std::memory_order_relaxed) || done.load(std::memory_order_relaxed)) return true;
        if (best.load(std::memory_order_relaxed) > restart_above) return true;
        return std::chrono::steady_clock::now() >= deadline;
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

    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();

  private:
    std::mutex lock_;
    std::vector<TreeNode> tree_;
};

}  // namespace spotree::proof
