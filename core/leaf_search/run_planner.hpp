// Run planner: the purpose of a leaf search and the annealing runs that serve it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "leaf_search/annealing.hpp"
#include "leaf_search/archive.hpp"
#include "runtime/random.hpp"

namespace spotree::leaves {

// The fewest leaves within each of the targets (losses), or, without targets, the least loss for one number
// of leaves (`focus`) or for all of them.
struct Aim {
    std::vector<double> targets;
    int32_t focus = 0;  // 0: every number of leaves
    int32_t max_leaves = std::numeric_limits<int32_t>::max();
    int32_t max_depth = -1;
    double unit = 1;  // of losses: |J*|, or what there is to win
};

enum class From { fresh, archive, leaf };  // a greedy tree, one that is known, a single leaf

struct Run {
    Plan plan;
    From from = From::archive;
    Shape start;
    double quantile = 0;  // of what a wrong leaf loses: the price of a run to no loss is 2 divided by it
};

class Planner {
  public:
    explicit Planner(const Aim& aim) : aim_(aim) {}

    Run next(const Archive& archive, Random& random) const {
        Run run;
        run.plan.max_depth = aim_.max_depth;
        run.plan.max_leaves = aim_.max_leaves;
        const double times = std::pow(4.0, length(random));
        run.plan.work = static_cast<int64_t>(kShort * times);
        run.plan.moves = static_cast<int64_t>(kShortMoves * times);
        if (!aim_.targets.empty()) {
            const auto count = static_cast<int64_t>(aim_.targets.size());
            fewest(run, aim_.targets[random.below(count)], archive, random);
        } else {
            least(run, archive, random);
        }
        return run;
    }

  private:
    static constexpr double kShort = 3e8;         // counted work of a short run
    static constexpr double kShortMoves = 40000;  // of a short run, at most
    static constexpr double kExactly = 1e-5;  // slacks below this, of the unit, are for trees without loss
    static constexpr double kHair = 1e-9;
    static constexpr double kFlatten = 0.4;  // of the runs for a depth: from trees that lie too deep
    static constexpr double kTooDeep = 1, kCheap = 0.1;
    static constexpr int32_t kSpare = 16;  // leaves that a run may have above the best known

    static int32_t length(Random& random) {
        const double x = random.uniform();
        return x < 0.55 ? 0 : x < 0.85 ? 1 : 2;
    }

    // As few leaves as possible with at most that loss.
    void fewest(Run& run, double slack, const Archive& archive, Random& random) const {
        Plan& plan = run.plan;
        plan.slack = slack;
        run.start = archive.smallest_within(slack);
        const double from = random.uniform();
        if (slack <= kExactly * aim_.unit) {
            static constexpr double kQuantiles[] = {0.02, 0.1, 0.25, 0.5};
            run.quantile = kQuantiles[random.below(4)];
            run.from = from < 0.5 ? From::fresh : From::archive;
            if (aim_.max_depth >= 0 && run.from == From::fresh)
                plan.first_depth_price = plan.last_depth_price = kTooDeep;
            plan.first_price = plan.last_price = 3 / std::max(slack, kHair * aim_.unit);
            plan.first_heat = 2;
            plan.last_heat = 0.4;
            return;
        }
        const double price = 5 * std::pow(20.0, random.uniform()) / slack;
        plan.first_price = plan.last_price = price;
        plan.first_heat = 1.5;
        plan.last_heat = 0.3;
        if (from < 0.4) {
            run.from = From::leaf;
            plan.first_price = 20 / slack;
            plan.last_price = 100 / slack;
            plan.first_heat = 1;
            plan.last_heat = 0.2;
        } else if (from < 0.6) {
            run.start = any_within(archive, slack, random);
        }
        if (run.from == From::archive) {
            const int32_t spare = run.start.num_leaves() + kSpare;
            plan.max_leaves = std::min(plan.max_leaves, spare);
        }
    }

    // As little loss as possible with so many leaves.
    void least(Run& run, const Archive& archive, Random& random) const {
        if (aim_.max_depth >= 0 && random.uniform() < kFlatten) return flatten(run, archive, random);
        const int32_t leaves = aim_.focus > 0 ? aim_.focus : 1 + random.below(most_leaves(archive));
        const double known = archive.loss_at(leaves);
        if (known <= kHair * aim_.unit || !std::isfinite(known)) {  // smaller ones then
            return fewest(run, kHair * aim_.unit, archive, random);
        }
        if (random.below(2) == 0) {
            fewest(run, known * (0.5 + 0.5 * random.uniform()), archive, random);
            if (run.from == From::archive && random.below(2) == 0) run.start = archive.best_within(leaves);
            run.plan.max_leaves = std::min(aim_.max_leaves, leaves + kSpare);
            return;
        }
        Plan& plan = run.plan;
        plan.leaf_price = 0;
        plan.max_leaves = std::min(leaves, aim_.max_leaves);
        plan.first_price = plan.last_price = 1 / aim_.unit;
        plan.first_heat = std::pow(10.0, -1 - 3 * random.uniform());
        plan.last_heat = plan.first_heat / 50;
        run.start = archive.best_within(leaves);
        const double from = random.uniform();
        run.from = from < 0.3 ? From::leaf : From::archive;
        if (from > 0.8) run.start = any_within(archive, std::numeric_limits<double>::infinity(), random);
        if (aim_.max_depth >= 0 && random.below(2) == 0) {  // by trees that lie too deep
            plan.first_depth_price = plan.first_heat * std::pow(10.0, -2 * random.uniform());
            plan.last_depth_price = 20 * plan.first_heat;
        }
    }

    // Sizes at which there is something to win, as far as is known.
    int32_t most_leaves(const Archive& archive) const {
        const auto& [leaves, best] = *std::prev(archive.entries().end());
        return std::min(aim_.max_leaves, best.loss <= kHair * aim_.unit ? leaves : 2 * leaves + kSpare);
    }

    // From a tree without loss that lies too deep to one that does not; leaves hardly count.
    void flatten(Run& run, const Archive& archive, Random& random) const {
        fewest(run, kHair * aim_.unit, archive, random);
        run.from = From::fresh;
        run.plan.leaf_price = kCheap;
        run.plan.first_depth_price = run.plan.last_depth_price = kTooDeep;
    }

    // Some tree that loses at most so much.
    static const Shape& any_within(const Archive& archive, double loss, Random& random) {
        int32_t count = 0;
        const Shape* chosen = &archive.smallest_within(loss);
        for (const auto& [leaves, entry] : archive.entries()) {
            if (entry.loss <= loss && random.below(++count) == 0) chosen = &entry.tree;
        }
        return *chosen;
    }

    const Aim& aim_;
};

}  // namespace spotree::leaves
