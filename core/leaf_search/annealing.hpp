// Simulated annealing over trees of any shape, by leaves and loss.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "leaf_search/archive.hpp"
#include "leaf_search/greedy.hpp"
#include "leaf_search/moves.hpp"
#include "leaf_search/preorder_tree.hpp"
#include "leaf_search/regret_model.hpp"
#include "leaf_search/size_penalised_dp.hpp"
#include "runtime/random.hpp"

namespace spotree::leaves {

// What a run minimises: leaf_price * leaves + depth_price * (what leaves lie too deep) + price * (loss above
// the slack), within sizes; prices and temperatures go from the first to the last value by equal factors.
struct Plan {
    double slack = 0;
    double leaf_price = 1;
    double first_depth_price = 0, last_depth_price = 0;  // 0: nothing may lie too deep
    double first_price = 1, last_price = 1;
    double first_heat = 2, last_heat = 0.4;
    int32_t max_leaves = std::numeric_limits<int32_t>::max();
    int32_t max_depth = -1;
    int64_t work = 0;  // counted, about
    int64_t moves = std::numeric_limits<int64_t>::max();
};

class Annealing {
  public:
    Annealing(const RegretModel& model, ShapeJudge& judge, SizePenalisedDp& programme)
        : model_(model), judge_(judge), programme_(programme), changes_(model), land_(model) {}

    int64_t work() const { return kPerMove * moved_; }
    bool done() const { return left_ <= 0; }

    // From the tree that the judge holds.
    void begin(const Plan& plan, Archive& archive) {
        plan_ = plan;
        const double mean = static_cast<double>(judge_.work() + work() + 1) / static_cast<double>(moved_ + 1);
        left_ = static_cast<int64_t>(std::clamp(static_cast<double>(plan.work) / mean, kFewest, kMost));
        left_ = std::min(left_, plan.moves);
        const double steps = static_cast<double>(left_);
        price_ = plan.first_price;
        heat_ = plan.first_heat;
        depth_price_ = plan.first_depth_price;
        dearer_ = std::pow(plan.last_price / plan.first_price, 1.0 / steps);
        steeper_ = depth_price_ > 0 ? std::pow(plan.last_depth_price / depth_price_, 1.0 / steps) : 1.0;
        colder_ = std::pow(plan.last_heat / plan.first_heat, 1.0 / steps);
        settle(archive);
    }

    // One candidate.
    void move(Archive& archive, Random& random) {
        --left_;
        ++moved_;
        price_ *= dearer_;
        depth_price_ *= steeper_;
        heat_ *= colder_;
        const double budget = size_of(judge_.tree()) + price_ * std::max(0.0, loss() - plan_.slack) -
                              heat_ * random.log_uniform();
        candidate_ = judge_.tree();
        if (random.uniform() < kSubtree) {
            rebuild(random);
        } else {
            changes_.change(candidate_, land_, wrong_, random);
        }
        if (candidate_.num_leaves() > most_leaves() || candidate_ == judge_.tree()) return;
        if (plan_.max_depth >= 0 && depth_price_ == 0 && candidate_.depth() > plan_.max_depth) return;
        const double room = budget - size_of(candidate_);
        const bool feasible = loss() < std::numeric_limits<double>::infinity();
        if (room < 0 && feasible) return;
        const double threshold = feasible ? -(plan_.slack + room / price_) : neighbourhood::kInfeasible;
        if (judge_.accept(candidate_, threshold)) settle(archive);
    }

  private:
    static constexpr double kSubtree = 0.01;  // of the moves: the best subtree for the visits as they are
    static constexpr size_t kFewStates = 60;  // that it may have
    static constexpr int64_t kSubtreeWork = 100000;
    static constexpr double kFewest = 2000, kMost = 5e7;
    static constexpr int64_t kPerMove = 400;  // what a proposal costs beside its evaluation

    double loss() const { return -judge_.value(); }
    double size_of(const Shape& tree) const {
        const double leaves = plan_.leaf_price * tree.num_leaves();
        return depth_price_ == 0 ? leaves : leaves + depth_price_ * tree.excess(plan_.max_depth);
    }

    // A start may be larger than asked: then only smaller trees follow.
    int32_t most_leaves() const { return std::max(plan_.max_leaves, judge_.tree().num_leaves() - 1); }

    // The tree just taken without what nobody reaches, and its place in the archive.
    void settle(Archive& archive) {
        land_.fill(judge_.tree(), judge_.reached());
        if (judge_.value() != neighbourhood::kInfeasible) {
            const Shape clean = land_.cleaned(judge_.tree());
            if (!(clean == judge_.tree())) {
                judge_.rename(clean);
                land_.fill(clean, judge_.reached());
            }
            offer(judge_, archive, plan_.max_leaves, plan_.max_depth);
        }
        wrong_.clear();
        for (const int32_t state : land_.states()) {
            const int32_t row =
                model_.choices(state)[judge_.tree().action_of(model_.rank_of(model_.group_of[state]))];
            if (row < 0 || model_.regret(row) > 0) wrong_.push_back(state);
        }
    }

    void rebuild(Random& random) {
        const Shape& tree = judge_.tree();
        const int32_t at = random.below(tree.size());
        const auto states = land_.at(at);
        if (states.empty() || states.size() > kFewStates || tree.node[at].leaf() || !judge_.visits(visits_))
            return;
        collect(model_, states, visits_, items_);
        const int32_t room = plan_.max_depth - tree.level(at);
        if (plan_.max_depth >= 0 && room < 0) return;
        const int32_t depth = plan_.max_depth < 0 ? -1 : room;
        const double price = plan_.leaf_price > 0 ? price_ / plan_.leaf_price : price_ / heat_;
        if (const auto part = programme_.best(items_, price, depth, kSubtreeWork, random)) {
            candidate_.replace(at, *part);
        }
    }

    const RegretModel& model_;
    ShapeJudge& judge_;
    SizePenalisedDp& programme_;
    Changes changes_;
    NodeStates land_;
    Plan plan_;
    Shape candidate_;
    Items items_;
    std::vector<int32_t> wrong_;  // reached states with regret
    std::vector<double> visits_;
    int64_t left_ = 0, moved_ = 0;
    double price_ = 1, heat_ = 1, depth_price_ = 0;
    double dearer_ = 1, colder_ = 1, steeper_ = 1;
};

}  // namespace spotree::leaves
