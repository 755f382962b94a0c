// Simulated annealing over whole trees, restarted with runs of mixed length.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "judge.hpp"
#include "model.hpp"
#include "moves.hpp"
#include "random.hpp"
#include "tree.hpp"

namespace spotree::neighbourhood {

struct Incumbent {
    FullTree tree;
    double value = kInfeasible;

    bool offer(const FullTree& other, double worth) {
        if (!(worth > value)) return false;
        tree = other;
        value = worth;
        return true;
    }
};

// One run cools from T0 to T0 / 50; T0 is drawn per run. Every fourth run is four times as long, every
// sixteenth sixteen times, and so on, so that short and long runs get equal shares of the work.
class Annealing {
  public:
    Annealing(const SearchModel& model, const Moves& moves, Judge& judge)
        : model_(model), moves_(moves), judge_(judge) {}

    // One candidate.
    void step(Incumbent& best, Random& random) {
        if (left_ == 0) {
            begin(random);
            if (judge_.beats(best.value)) best.offer(judge_.tree(), judge_.value());
        }
        --left_;
        temperature_ *= cooling_;
        candidate_ = judge_.tree();
        const double threshold = judge_.value() + temperature_ * std::log(random.uniform() + 1e-300);
        moves_.change(candidate_, judge_.reached(), random);
        if (candidate_ == judge_.tree()) return;
        if (judge_.accept(candidate_, threshold) && judge_.beats(best.value)) {
            best.offer(judge_.tree(), judge_.value());
        }
    }

    int64_t runs() const { return runs_; }

  private:
    void begin(Random& random) {
        judge_.restart(moves_.random_tree(random));
        ++runs_;
        int64_t length = 10000;
        for (int64_t k = runs_; k % 4 == 0 && length < (int64_t{1} << 40); k /= 4) length *= 4;
        left_ = length;
        temperature_ = model_.scale() * std::pow(10.0, -1.0 - 2.0 * random.uniform());
        cooling_ = std::pow(1.0 / 50.0, 1.0 / static_cast<double>(length));
    }

    const SearchModel& model_;
    const Moves& moves_;
    Judge& judge_;
    FullTree candidate_;
    int64_t runs_ = 0;
    int64_t left_ = 0;
    double temperature_ = 0;
    double cooling_ = 1;
};

}  // namespace spotree::neighbourhood
