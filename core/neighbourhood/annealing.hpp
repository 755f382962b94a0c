// Simulated annealing over whole trees, restarted with runs of mixed length.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "neighbourhood/acceptance.hpp"
#include "neighbourhood/evaluator.hpp"
#include "neighbourhood/exact_moves.hpp"
#include "neighbourhood/incumbent.hpp"
#include "neighbourhood/model.hpp"
#include "neighbourhood/moves.hpp"
#include "neighbourhood/surrogate/forgiving_mdp.hpp"
#include "neighbourhood/surrogate/surrogate_filter.hpp"
#include "runtime/random.hpp"
#include "tree/complete.hpp"

namespace spotree::neighbourhood {

// One run cools from T0 to T0 / 50; T0 is drawn per run. After eight runs there is one of four times the
// length that starts from the best of them, after eight of those one of sixteen times, and so on. Most moves
// are elementary; exact steps get a fixed share of the work.
class Annealing {
  public:
    Annealing(const SearchModel& model, const Moves& moves, Steps& steps)
        : model_(model), moves_(moves), steps_(steps), judge_(model), screen_(model), truth_(model) {}

    // On a model that forgives, less and less in the course of a run: its trees are accepted by what they
    // return there, and offered by what they return in the model itself.
    Annealing(const SearchModel& model, ForgivingMdp& forgiving, const Moves& moves, Steps& steps)
        : model_(model),
          moves_(moves),
          steps_(steps),
          judge_(forgiving.model()),
          screen_(forgiving.model()),
          truth_(model),
          forgiving_(&forgiving) {}

    int64_t work() const {
        const int64_t forgiven = forgiving_ ? forgiving_->work + truth_.work : 0;
        return judge_.work() + screen_.work() + forgiven + step_work_ + kPerMove * moved_;
    }
    int64_t evaluations() const { return judge_.evaluations; }
    void end_with(Stop& stop) {
        judge_.evaluator().stop = truth_.stop = &stop;
        screen_.end_with(stop);
    }

    // One candidate.
    void move(Incumbent& best, Random& random) {
        if (left_ == 0) begin(best, random);
        if (forgiving_ && left_ % phase_ == 0) fade(best);
        --left_;
        ++moved_;
        temperature_ *= cooling_;
        const double threshold = judge_.value() + temperature_ * random.log_uniform();
        candidate_ = judge_.tree();
        const int64_t before = judge_.work();
        const bool exact = static_cast<double>(exact_work_) < kStepShare * static_cast<double>(work());
        if (exact) {
            const int64_t spent = steps_.work();
            steps_.change(candidate_, judge_, kDearest * mean_work(), random);
            step_work_ += steps_.work() - spent;
            exact_work_ += steps_.work() - spent;
        } else {
            moves_.change(candidate_, judge_.reached(), guided_, random);
        }
        if (!(candidate_ == judge_.tree()) && promises(threshold, exact, random)) {
            if (judge_.accept(candidate_, threshold)) {
                screen_.leave();
                offer(best);
            } else if (!exact) {
                screen_.rejected(judge_.work() - before);
            }
        }
        if (exact) exact_work_ += judge_.work() - before;
    }

  private:
    static constexpr double kStepShare = 0.3;  // of the work: for exact steps
    static constexpr double kDearest = 1000;   // evaluations that one exact step may cost
    static constexpr int32_t kEntrants = 8;    // runs of a pool; the next one starts from the best of them
    static constexpr int64_t kLonger = 4;      // and is so many times longer
    static constexpr double kShortest = 2e7;   // counted work of a short run, within limits
    static constexpr double kFewest = 2500, kMost = 10000;  // moves of a short run
    // The first temperature is a power of ten of the scale of trees: at most this one, of the first stage
    // and of later ones, and so much less; the last is this part of it.
    static constexpr double kHottest = -1.0, kWarmest = -1.5, kDecades = 2.0, kEnd = 1.0 / 50.0;
    static constexpr int64_t kPerMove = 200;  // what a proposal costs beside its evaluation
    // Where wrong actions are forgiven: the first chance of it is a power of ten, at most this one and so
    // much less; it falls in so many phases, as the temperature does; short runs are hot.
    static constexpr double kMostMercy = -1.2, kMercyDecades = 0.7, kHotDecades = 1.0;
    static constexpr int64_t kPhases = 10;

    // Whether the candidate may be worth a judgement.
    bool promises(double threshold, bool exact, Random& random) {
        return exact || judge_.value() == kInfeasible ||
               !screen_.turns_away(judge_.tree(), candidate_, judge_.value() - threshold, random);
    }

    double mean_work() const {
        return static_cast<double>(judge_.work() + 1) / static_cast<double>(judge_.evaluations + 1);
    }

    // Between what there is to win over acting at random and what the best tree wins over random ones, which
    // may be far more where a tree can go wrong in ways that acting at random does not.
    double scale(const Incumbent& best, Random& random) const {
        const double least = model_.scale();
        if (num_random_trees_ == 0 || best.value == kInfeasible) return least;
        const double won = best.value - random_trees_ / static_cast<double>(num_random_trees_);
        if (!(won > least) || !std::isfinite(won / least)) return least;  // one may lose 1e308
        return least * std::pow(won / least, random.uniform());
    }

    // Offers the tree that was just taken, to this run as well.
    void offer(Incumbent& best) {
        if (!forgiving_) {
            best.offer(judge_);
            run_.offer(judge_.tree(), judge_.value());
        } else if (judge_.value() > top_) {
            top_ = judge_.value();
            const double value = truth_.expected_return(judge_.tree(), std::min(best.value, run_.value));
            run_.offer(judge_.tree(), value);
            if (value > best.value) best.offer(judge_.tree(), truth_.tighten());
        }
    }

    // The next phase, in which less is forgiven.
    void fade(Incumbent& best) {
        forgiving_->forgive(mercy_);
        mercy_ *= std::pow(kEnd, 1.0 / static_cast<double>(kPhases));
        restart(CompleteTree(judge_.tree()));
        top_ = kInfeasible;
        offer(best);
    }

    void restart(const CompleteTree& tree) {
        judge_.restart(tree);
        screen_.leave();
    }

    struct Pool {
        Incumbent best;
        int32_t entrants = 0;
    };

    // Enters the finished run into its pool; the best of a full pool is where the next, longer run starts.
    void begin(Incumbent& best, Random& random) {
        size_t next = 0;
        if (moved_ > 0) {
            pools_.resize(std::max(pools_.size(), stage_ + 1));
            Pool& pool = pools_[stage_];
            pool.best.offer(run_.tree, run_.value);
            if (++pool.entrants == kEntrants) next = stage_ + 1;
        }
        if (next > 0 && pools_[next - 1].best.value != kInfeasible) {
            restart(pools_[next - 1].best.tree);
            pools_[next - 1] = {};
        } else {
            restart(moves_.random_tree(random));
            if (judge_.value() != kInfeasible) {
                random_trees_ += judge_.value();
                ++num_random_trees_;
            }
        }
        stage_ = next;
        guided_ = random.below(2) == 0 || forgiving_;
        run_ = {judge_.tree(), kInfeasible};
        if (!forgiving_) offer(best);  // else the first phase does
        left_ = static_cast<int64_t>(std::clamp(kShortest / mean_work(), kFewest, kMost));
        for (size_t k = 0; k < stage_; ++k) left_ *= kLonger;
        const double decades = forgiving_ && stage_ == 0 ? kHotDecades : kDecades;
        temperature_ = scale(best, random) *
                       std::pow(10.0, (stage_ == 0 ? kHottest : kWarmest) - decades * random.uniform());
        if (forgiving_) {
            mercy_ = std::pow(10.0, kMostMercy - kMercyDecades * random.uniform());
            phase_ = std::max<int64_t>(1, left_ / kPhases);
        }
        cooling_ = std::pow(kEnd, 1.0 / static_cast<double>(left_));
    }

    const SearchModel& model_;
    const Moves& moves_;
    Steps& steps_;
    Acceptance judge_;
    SurrogateFilter screen_;
    Evaluator truth_;  // what trees return that a forgiving judge took
    ForgivingMdp* forgiving_ = nullptr;
    CompleteTree candidate_;
    Incumbent run_;  // the best of this run
    std::vector<Pool> pools_;
    size_t stage_ = 0;
    bool guided_ = false;  // whether this run changes trees where they lose something
    int64_t left_ = 0;
    int64_t moved_ = 0;
    int64_t step_work_ = 0;    // of the exact steps themselves
    int64_t exact_work_ = 0;   // the same and all evaluations that go with them
    double random_trees_ = 0;  // what they returned, added up, and how many they are
    int64_t num_random_trees_ = 0;
    double mercy_ = 0;   // the chance of the next phase
    int64_t phase_ = 1;  // moves of one
    double top_ = 0;     // the largest return in this one
    double temperature_ = 0;
    double cooling_ = 1;
};

}  // namespace spotree::neighbourhood
