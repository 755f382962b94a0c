// Neighbourhood search: exact steps of any height, annealed acceptance, restarts after too many failures.
#pragma once

#include <cmath>
#include <cstdint>

#include "neighbourhood/acceptance.hpp"
#include "neighbourhood/exact_moves.hpp"
#include "neighbourhood/incumbent.hpp"
#include "neighbourhood/model.hpp"
#include "neighbourhood/moves.hpp"
#include "runtime/random.hpp"
#include "tree/complete.hpp"

namespace spotree::neighbourhood {

class Descent {
  public:
    // `first` says which kind of start comes first.
    Descent(const SearchModel& model, const Moves& moves, Steps& steps, int32_t first)
        : model_(model), moves_(moves), steps_(steps), judge_(model), restarts_(first) {}

    int64_t work() const { return judge_.work() + step_work_ + kPerMove * moved_; }
    int64_t evaluations() const { return judge_.evaluations; }
    void end_with(Stop& stop) { judge_.evaluator().stop = &stop; }

    // One candidate.
    void move(Incumbent& best, Random& random) {
        if (failures_ >= kPatience || moved_ == 0) begin(best, random);
        ++moved_;
        const double threshold = judge_.value() + temperature_ * random.log_uniform();
        candidate_ = judge_.tree();
        const int64_t spent = steps_.work();
        steps_.change(candidate_, judge_, kDearest, random);
        step_work_ += steps_.work() - spent;
        ++failures_;
        if (candidate_ == judge_.tree() || !judge_.accept(candidate_, threshold)) return;
        best.offer(judge_);
        if (judge_.value() > top_ + kProgress * model_.scale()) {
            top_ = judge_.value();
            failures_ = 0;
        }
    }

  private:
    static constexpr int32_t kPatience = 300;                 // candidates in a row without progress
    static constexpr double kProgress = 1e-9;                 // of the scale of returns
    static constexpr double kHottest = -2.0, kDecades = 3.0;  // powers of ten of it: the temperature
    static constexpr double kDearest = 3e8;                   // counted work of one step, at most
    static constexpr int64_t kPerMove = 500;                  // what a proposal costs beside its evaluation

    // From the step at the optimum, the incumbent, the incumbent with a new part, or a random tree, in turn.
    void begin(Incumbent& best, Random& random) {
        const int64_t spent = steps_.work();
        const int64_t restart = restarts_++;
        const int64_t kind = restart % 4;
        if (restart == 0) {
            judge_.restart(steps_.best_for_optimum(random));
        } else if (kind == 3 || best.value == kInfeasible) {
            judge_.restart(moves_.random_tree(random));
        } else {
            candidate_ = best.tree;
            if (kind != 1) moves_.renew(candidate_, random);
            judge_.restart(candidate_);
        }
        step_work_ += steps_.work() - spent;
        best.offer(judge_);
        top_ = judge_.value();
        failures_ = 0;
        temperature_ = model_.scale() * std::pow(10.0, kHottest - kDecades * random.uniform());
    }

    const SearchModel& model_;
    const Moves& moves_;
    Steps& steps_;
    Acceptance judge_;
    CompleteTree candidate_;
    int64_t restarts_;
    int64_t moved_ = 0;
    int64_t step_work_ = 0;
    int32_t failures_ = 0;
    double top_ = kInfeasible;  // the best of this restart
    double temperature_ = 0;
};

}  // namespace spotree::neighbourhood
