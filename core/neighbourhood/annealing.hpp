// Simulated annealing over whole trees, restarted with runs of mixed length.
#pragma once

#include <cmath>
#include <cstdint>

#include "incumbent.hpp"
#include "judge.hpp"
#include "model.hpp"
#include "moves.hpp"
#include "random.hpp"
#include "steps.hpp"
#include "tree.hpp"

namespace spotree::neighbourhood {

// One run cools from T0 to T0 / 50; T0 is drawn per run. Every fourth run is four times as long, every
// sixteenth sixteen times, and so on, so that short and long runs get equal shares of the work. Most moves
// are elementary; exact steps get a fixed share of the work.
class Annealing {
  public:
    Annealing(const SearchModel& model, const Moves& moves, Steps& steps)
        : model_(model), moves_(moves), steps_(steps), judge_(model) {}

    int64_t work() const { return judge_.work() + step_work_ + kPerMove * moved_; }
    int64_t evaluations() const { return judge_.evaluations; }

    // One candidate.
    void move(Incumbent& best, Random& random) {
        if (left_ == 0) begin(best, random);
        --left_;
        ++moved_;
        temperature_ *= cooling_;
        const double threshold = judge_.value() + temperature_ * std::log(random.uniform() + 1e-300);
        candidate_ = judge_.tree();
        const int64_t before = judge_.work();
        const bool exact = static_cast<double>(exact_work_) < kStepShare * static_cast<double>(work());
        if (exact) {
            const int64_t spent = steps_.work();
            steps_.change(candidate_, judge_, kDearest * mean_work(), random);
            step_work_ += steps_.work() - spent;
            exact_work_ += steps_.work() - spent;
        } else {
            moves_.change(candidate_, judge_.reached(), random);
        }
        if (!(candidate_ == judge_.tree()) && judge_.accept(candidate_, threshold)) best.offer(judge_);
        if (exact) exact_work_ += judge_.work() - before;
    }

  private:
    static constexpr double kStepShare = 0.3;
    static constexpr double kDearest = 1000;  // evaluations that one exact step may cost
    static constexpr int64_t kPerMove = 200;  // what a proposal costs beside its evaluation

    double mean_work() const {
        return static_cast<double>(judge_.work() + 1) / static_cast<double>(judge_.evaluations + 1);
    }

    void begin(Incumbent& best, Random& random) {
        judge_.restart(moves_.random_tree(random));
        best.offer(judge_);
        ++runs_;
        int64_t length = 10000;
        for (int64_t k = runs_; k % 4 == 0 && length < (int64_t{1} << 40); k /= 4) length *= 4;
        left_ = length;
        temperature_ = model_.scale() * std::pow(10.0, -1.0 - 2.0 * random.uniform());
        cooling_ = std::pow(1.0 / 50.0, 1.0 / static_cast<double>(length));
    }

    const SearchModel& model_;
    const Moves& moves_;
    Steps& steps_;
    Judge judge_;
    FullTree candidate_;
    int64_t runs_ = 0;
    int64_t left_ = 0;
    int64_t moved_ = 0;
    int64_t step_work_ = 0;   // of the exact steps themselves
    int64_t exact_work_ = 0;  // the same and all evaluations that go with them
    double temperature_ = 0;
    double cooling_ = 1;
};

}  // namespace spotree::neighbourhood
