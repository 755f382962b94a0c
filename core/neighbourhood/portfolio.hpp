// Several searches side by side: rounds of equal counted work, and one incumbent shared between rounds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "model/ranks.hpp"
#include "neighbourhood/acceptance.hpp"
#include "neighbourhood/annealing.hpp"
#include "neighbourhood/descent.hpp"
#include "neighbourhood/enumerate.hpp"
#include "neighbourhood/exact_moves.hpp"
#include "neighbourhood/incumbent.hpp"
#include "neighbourhood/model.hpp"
#include "neighbourhood/moves.hpp"
#include "neighbourhood/optimal_rows.hpp"
#include "neighbourhood/surrogate/forgiving_mdp.hpp"
#include "runtime/random.hpp"
#include "runtime/stop.hpp"
#include "runtime/threads.hpp"
#include "tree/complete.hpp"

namespace spotree::neighbourhood {

// What one thread does; it sees the others only between rounds, so that a seed gives one answer.
class Worker {
  public:
    Incumbent best;

    Worker(const SearchModel& model, const OptimalRows& right, const Ranks& preparation, int32_t depth,
           int32_t max_leaves, uint64_t seed, int32_t number)
        : random_(seed),
          moves_(model, right, depth, max_leaves),
          steps_(model, preparation, moves_, depth),
          annealing_(model, moves_, steps_),
          descent_(model, moves_, steps_, number) {
        if (ForgivingMdp::worthwhile(model, right)) {
            forgiven_.emplace(model, right, preparation, depth, max_leaves);
        }
    }

    int64_t evaluations() const {
        return annealing_.evaluations() + descent_.evaluations() +
               (forgiven_ ? forgiven_->annealing.evaluations() : 0);
    }
    int64_t work() const {
        return annealing_.work() + descent_.work() + (forgiven_ ? forgiven_->annealing.work() : 0);
    }

    void round(int64_t quota, Stop& stop) {
        steps_.stop = &stop;
        annealing_.end_with(stop);
        descent_.end_with(stop);
        if (forgiven_) forgiven_->end_with(stop);
        quota_ += quota;
        int64_t look = 0;  // at the clock, when so much work is done
        while (work() < quota_) {
            if (work() >= look) {
                if (stop.check()) break;
                look = work() + kLook;
            }
            const auto total = static_cast<double>(work());
            if (static_cast<double>(descent_.work()) <= kDescentShare * total) {
                descent_.move(best, random_);
            } else if (forgiven_ &&
                       static_cast<double>(forgiven_->annealing.work()) <= kForgivenShare * total) {
                forgiven_->annealing.move(best, random_);
            } else {
                annealing_.move(best, random_);
            }
        }
        quota_ = std::min(quota_, work());
    }

  private:
    // An annealing on the model that forgives.
    struct Forgiven {
        ForgivingMdp forgiving;
        OptimalRows right;
        Moves moves;
        Steps steps;
        Annealing annealing;

        Forgiven(const SearchModel& model, const OptimalRows& strict, const Ranks& preparation, int32_t depth,
                 int32_t max_leaves)
            : forgiving(model, strict),
              right(forgiving.model()),
              moves(forgiving.model(), right, depth, max_leaves),
              steps(forgiving.model(), preparation, moves, depth),
              annealing(model, forgiving, moves, steps) {}

        void end_with(Stop& stop) {
            steps.stop = &stop;
            annealing.end_with(stop);
        }
    };

    static constexpr double kDescentShare = 0.3, kForgivenShare = 0.55;
    static constexpr int64_t kLook = 500000;  // counted work between two looks at the clock

    Random random_;
    Moves moves_;
    Steps steps_;
    Annealing annealing_;
    Descent descent_;
    std::optional<Forgiven> forgiven_;
    int64_t quota_ = 0;
};

class Portfolio {
  public:
    Incumbent best;

    Portfolio(const SearchModel& model, int32_t depth, int32_t max_leaves, uint64_t seed, int32_t threads)
        : max_leaves_(max_leaves),
          evaluator_(model),
          right_(model),
          preparation_(ranks(model).data(), model.num_groups, model.num_features) {
        best.tree = CompleteTree(depth, 0);
        for (int32_t k = 0; k < threads; ++k) {
            workers_.push_back(std::make_unique<Worker>(model, right_, preparation_, depth, max_leaves,
                                                        seed * 1000003 + k, k));
        }
    }

    void round(int64_t quota, double seconds) {
        Stop& stop = end_after(seconds);
        run_on(static_cast<int>(workers_.size()), stop, [&](int k) { workers_[k]->round(quota, stop); });
        for (auto& worker : workers_) best.offer(worker->best.tree, worker->best.value);
        share();
    }

    // Tries all trees one after the other, so much of them at a time; true once `best` is proved.
    bool enumerate(const SearchModel& model, int64_t quota, double seconds) {
        if (!every_) every_ = std::make_unique<Enumeration>(model, best.tree.depth, max_leaves_);
        const bool proved = every_->run(quota, end_after(seconds), best);
        share();
        return proved;
    }

    // A tree from outside becomes the incumbent if it is better and small enough, and can be judged in time.
    void offer(const CompleteTree& tree, double seconds) {
        if (tree.count_leaves() > max_leaves_) return;
        evaluator_.stop = &end_after(seconds);
        const bool judged = evaluator_.expected_return(tree, kInfeasible) != kInfeasible;
        if (judged && best.offer(tree, evaluator_.tighten())) share();
        evaluator_.stop = nullptr;
    }

    double expected_return(const CompleteTree& tree, double reject_below) {
        const double value = evaluator_.expected_return(tree, reject_below);
        return value == kInfeasible || value < reject_below ? value : evaluator_.tighten();
    }

    // Judges random neighbours of the incumbent, for benchmarks: by their exact return, or only as far as
    // needed to tell that they are not better. Returns how many are better.
    int64_t probe(const SearchModel& model, int64_t count, uint64_t seed, bool early) const {
        Random random(seed);
        const Moves moves(model, right_, best.tree.depth, max_leaves_);
        Acceptance judge(model);
        judge.restart(best.tree);
        const double value = judge.value();
        const double just_above = value + 2 * Evaluator::kFine * model.scale();
        int64_t better = 0;
        for (int64_t k = 0; k < count; ++k) {
            CompleteTree candidate = best.tree;
            moves.change(candidate, judge.reached(), false, random);
            if (early) {
                if (!judge.accept(candidate, just_above)) continue;
                ++better;
                judge.restart(best.tree);
            } else {
                better += judge.evaluator().expected_return(candidate, kInfeasible) > just_above;
            }
        }
        return better;
    }

    int64_t evaluations() const {
        int64_t sum = 0;
        for (const auto& worker : workers_) sum += worker->evaluations();
        return sum;
    }
    int64_t work() const {
        int64_t sum = evaluator_.work;
        for (const auto& worker : workers_) sum += worker->work();
        return sum;
    }

  private:
    // One place for all calls: what the workers keep of the last one points to a stop that is still there.
    Stop& end_after(double seconds) { return stop_.emplace(std::max(0.0, seconds)); }

    void share() {
        for (auto& worker : workers_) worker->best.offer(best.tree, best.value);
    }

    // Ranks as the features of the exact step.
    static std::vector<double> ranks(const SearchModel& model) {
        return {model.rank, model.rank + static_cast<int64_t>(model.num_groups) * model.num_features};
    }

    int32_t max_leaves_;
    std::optional<Stop> stop_;
    Evaluator evaluator_;
    OptimalRows right_;
    Ranks preparation_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::unique_ptr<Enumeration> every_;
};

}  // namespace spotree::neighbourhood
