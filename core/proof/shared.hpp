// Shared state of the threads of a proof: model, size budget, boxes, incumbent, stop.
#pragma once

#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>

#include "proof/bounds/tree_dp.hpp"
#include "proof/nodes/feature_boxes.hpp"
#include "proof/nodes/grouped_model.hpp"
#include "proof/nodes/size_budget.hpp"
#include "proof/symmetry/symmetry.hpp"
#include "runtime/threads.hpp"

namespace spotree::proof {

struct ProofModel {
    GroupedModel model;
    Sizes sizes;
    FeatureBoxes cubes;
    Symmetries symmetries;
    std::atomic<int> builds{0};  // of the cubes

    ProofModel(GroupedModel grouped, Sizes of_trees)
        : model(std::move(grouped)),
          sizes(std::move(of_trees)),
          symmetries(model.num_groups, model.num_actions) {}

    // False if that was stopped, for the next attempt to go on with, or they are too many.
    bool build_cubes(auto&& stop) {
        std::scoped_lock hold(lock_);
        if (!cubes.complete) {
            if (cubes.cubes.empty()) ++builds;
            const size_t sized = sizes.count();
            cubes.build(model.num_groups, sizes.depth[sizes.whole], kMostMembers,
                        sized > kFewSizes ? kMostEntries / sized : kMostMembers, stop);
            if (cubes.complete) cubes.complete = symmetries.find_cubes(cubes, stop);
        }
        return cubes.complete;
    }

  private:
    static constexpr size_t kMostMembers = 60'000'000;  // of all cubes, and as many edges: about a gigabyte
    // Checkers have tables of sizes x cubes and refuse larger ones, unless sizes are few (checker/boxes.hpp).
    static constexpr size_t kFewSizes = 9, kMostEntries = 25'000'000;

    std::mutex lock_;
};

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
    const FeatureBoxes& cubes;
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
