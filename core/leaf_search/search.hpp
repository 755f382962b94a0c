// The search whose size is leaves: greedy starts, a sweep of the price of a loss, then annealing; many
// threads, one archive.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "leaf_search/annealing.hpp"
#include "leaf_search/archive.hpp"
#include "leaf_search/greedy.hpp"
#include "leaf_search/regret_model.hpp"
#include "leaf_search/run_planner.hpp"
#include "leaf_search/size_penalised_dp.hpp"
#include "runtime/random.hpp"
#include "runtime/stop.hpp"
#include "runtime/threads.hpp"

namespace spotree::leaves {

// What one thread does; it sees the archives of others only between rounds, so that a seed gives one answer.
class Worker {
  public:
    Archive archive;

    Worker(const RegretModel& model, const Aim& aim, uint64_t seed)
        : model_(model),
          aim_(aim),
          planner_(aim),
          random_(seed),
          judge_(model),
          programme_(model, mixed(seed)),
          greedy_(model),
          annealing_(model, judge_, programme_) {}

    int64_t work() const { return judge_.work() + programme_.work + greedy_.work + annealing_.work(); }
    int64_t evaluations() const { return judge_.evaluations; }

    void round(int64_t quota, Stop& stop) {
        judge_.evaluator().stop = &stop;
        quota_ += quota;
        int64_t look = 0;  // at the clock, when so much work is done
        while (work() < quota_) {
            if (work() >= look) {
                if (stop.check()) break;
                look = work() + kLook;
            }
            if (starts_ < kStarts) {
                start(stop);
            } else if (price_ > kLastPrice) {
                sweep();
            } else {
                anneal(stop);
            }
        }
        quota_ = std::min(quota_, work());
    }

    // Takes a tree from outside as it is, if it fits, however long that takes.
    void take(const Shape& tree) {
        judge_.evaluator().stop = nullptr;
        judge_.restart(tree);
        settle();
    }

  private:
    static constexpr int32_t kStarts = 12;
    static constexpr int64_t kLook = 500000;
    static constexpr int64_t kWhole = 200000000;  // counted work that a programme for a whole tree may take
    static constexpr double kFirstPrice = 3e9, kLastPrice = 3, kFall = 0.75;  // of a loss, in leaves per unit
    static constexpr double kUsed = 1000;    // leaves that the slack would be worth at the first price
    static constexpr double kPlunge = 0.03;  // where a programme was too large
    static constexpr int32_t kSteps = 3;     // programmes at one price
    static constexpr int64_t kFirstRun = 100000000;  // counted work of a run while no feasible tree is known

    void start(Stop& stop) {
        if (starts_++ == 0) {
            for (int32_t a = 0; a < model_.num_actions; ++a) {
                judge_.restart(Shape(a));
                settle();
            }
        }
        greedy_.start(judge_, aim_.max_depth, random_, stop);
        settle();
        if (-judge_.value() < first_loss_) {
            first_loss_ = -judge_.value();
            first_ = judge_.tree();
        }
        if (judge_.tree().num_leaves() > aim_.max_leaves) starts_ = kStarts;  // others would be as large
    }

    // Cleans the judge's tree and offers it.
    void settle() {
        if (judge_.value() == neighbourhood::kInfeasible) return;
        NodeStates land(model_);
        land.fill(judge_.tree(), judge_.reached());
        judge_.rename(land.cleaned(judge_.tree()));
        offer(judge_, archive, aim_.max_leaves, aim_.max_depth);
    }

    // The price of a loss falls; at each, the best trees for the visits of the last one, while that pays.
    void sweep() {
        if (starts_ == kStarts) {  // from the best of the starts, however large
            ++starts_;
            if (!archive.empty() && archive.loss_at(aim_.max_leaves) <= first_loss_) {
                first_ = archive.smallest_within(archive.loss_at(aim_.max_leaves));
            }
        }
        price_ = std::min(price_, dearest());
        const bool done = descend(first_, price_ / aim_.unit, kSteps);
        price_ *= !done ? kPlunge : price_ > kSteep ? kFall * kFall * kFall : kFall;
    }

    // Beyond this price the least slack that is asked for cannot be used.
    double dearest() const {
        if (aim_.targets.empty()) return kFirstPrice;
        const double slack = *std::min_element(aim_.targets.begin(), aim_.targets.end());
        return std::max(kUsed * aim_.unit / std::max(slack, 1e-9 * aim_.unit), 2 * kLastPrice);
    }

    // False if a programme is too large. Leaves in `tree` the best by leaves + price * loss.
    bool descend(Shape& tree, double price, int32_t steps) {
        judge_.restart(tree);
        double cost = priced(price);
        for (int32_t k = 0; k < steps; ++k) {
            if (!judge_.visits(visits_)) return true;
            collect(model_, judge_.reached(), visits_, items_);
            const auto best = programme_.best(items_, price, aim_.max_depth, kWhole, random_);
            if (!best) return false;
            Shape candidate;
            candidate.node = *best;
            if (candidate == judge_.tree()) return true;
            judge_.restart(candidate);
            settle();
            const double now = priced(price);
            if (now < cost) {
                tree = judge_.tree();
                cost = now;
            }
        }
        return true;
    }

    double priced(double price) const { return judge_.tree().num_leaves() - price * judge_.value(); }

    void anneal(Stop& stop) {
        if (annealing_.done()) begin_run(stop);
        annealing_.move(archive, random_);
    }

    void begin_run(Stop& stop) {
        Run run;
        if (archive.empty()) {  // no feasible tree is known: any will do
            run.from = From::leaf;
            run.plan.max_leaves = aim_.max_leaves;
            run.plan.max_depth = aim_.max_depth;
            run.plan.work = kFirstRun;
        } else {
            run = planner_.next(archive, random_);
        }
        if (run.from == From::fresh) {
            greedy_.start(judge_, run.plan.first_depth_price > 0 ? -1 : aim_.max_depth, random_, stop);
        } else {
            judge_.restart(run.from == From::leaf ? Shape(random_.below(model_.num_actions)) : run.start);
        }
        if (run.quantile > 0) exact_price(run);
        annealing_.begin(run.plan, archive);
    }

    // Two leaves for what a small mistake loses: a quantile, over the reached states, of visits * least
    // regret.
    void exact_price(Run& run) {
        if (judge_.value() == neighbourhood::kInfeasible || !judge_.visits(visits_)) return;
        std::vector<double> losses;
        for (const int32_t s : judge_.reached()) {
            double least = std::numeric_limits<double>::infinity();
            for (int32_t a = 0; a < model_.num_actions; ++a) {
                const int32_t row = model_.choices(s)[a];
                if (row >= 0 && model_.regret(row) > 0)
                    least = std::min(least, visits_[s] * model_.regret(row));
            }
            if (least > 0 && std::isfinite(least)) losses.push_back(least);
        }
        if (losses.empty()) return;
        const auto at =
            losses.begin() + static_cast<int64_t>(run.quantile * static_cast<double>(losses.size()));
        std::nth_element(losses.begin(), at, losses.end());
        run.plan.first_price = run.plan.last_price = std::min(run.plan.first_price, 2 / *at);
    }

    static constexpr double kSteep = 3e6;  // above this price losses are as good as forbidden

    const RegretModel& model_;
    const Aim& aim_;
    Planner planner_;
    Random random_;
    ShapeJudge judge_;
    SizePenalisedDp programme_;
    Greedy greedy_;
    Annealing annealing_;
    Shape first_;  // the start that loses least, and then the tree of the sweep
    double first_loss_ = std::numeric_limits<double>::infinity();
    Items items_;
    std::vector<double> visits_;
    int32_t starts_ = 0;
    double price_ = kFirstPrice;
    int64_t quota_ = 0;
};

class LeafSearch {
  public:
    Archive archive;

    LeafSearch(const RegretModel& model, const Aim& aim, uint64_t seed, int32_t threads) : aim_(aim) {
        for (int32_t k = 0; k < threads; ++k) {
            workers_.push_back(std::make_unique<Worker>(model, aim_, seed * 1000003 + k));
        }
    }
    LeafSearch(const LeafSearch&) = delete;

    void round(int64_t quota, double seconds) {
        Stop& stop = end_after(seconds);
        run_on(static_cast<int>(workers_.size()), stop, [&](int k) { workers_[k]->round(quota, stop); });
        share();
    }

    void offer(const Shape& tree) {
        workers_[0]->take(tree);
        share();
    }

    void aim_at(const std::vector<double>& targets, int32_t focus) {
        aim_.targets = targets;
        aim_.focus = focus;
    }

    int64_t evaluations() const {
        int64_t sum = 0;
        for (const auto& worker : workers_) sum += worker->evaluations();
        return sum;
    }
    int64_t work() const {
        int64_t sum = 0;
        for (const auto& worker : workers_) sum += worker->work();
        return sum;
    }

  private:
    Stop& end_after(double seconds) { return stop_.emplace(std::max(0.0, seconds)); }

    void share() {
        for (const auto& worker : workers_) archive.offer(worker->archive);
        for (auto& worker : workers_) worker->archive.offer(archive);
    }

    Aim aim_;
    std::optional<Stop> stop_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace spotree::leaves
