// Several searches side by side: rounds of equal counted work, and one incumbent shared between rounds.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "annealing.hpp"
#include "judge.hpp"
#include "model.hpp"
#include "moves.hpp"
#include "random.hpp"
#include "tree.hpp"

namespace spotree::neighbourhood {

using Clock = std::chrono::steady_clock;

// What one thread does; it sees the others only between rounds, so that a seed gives one answer.
class Worker {
  public:
    Incumbent best;

    Worker(const SearchModel& model, int32_t depth, int32_t max_leaves, uint64_t seed)
        : random_(seed), moves_(model, depth, max_leaves), judge_(model), annealing_(model, moves_, judge_) {}

    int64_t evaluations() const { return judge_.evaluations; }
    int64_t work() const { return judge_.work() + kPerStep * steps_; }

    void round(int64_t quota, Clock::time_point deadline) {
        spent_ += quota;
        for (int32_t k = 0; work() < spent_; ++k) {
            annealing_.step(best, random_);
            ++steps_;
            if ((k & 15) == 0 && Clock::now() >= deadline) break;
        }
    }

  private:
    static constexpr int64_t kPerStep = 200;  // what a proposal costs beside its evaluation

    Random random_;
    Moves moves_;
    Judge judge_;
    Annealing annealing_;
    int64_t spent_ = 0;
    int64_t steps_ = 0;
};

class Portfolio {
  public:
    Incumbent best;

    Portfolio(const SearchModel& model, int32_t depth, int32_t max_leaves, uint64_t seed, int32_t threads)
        : max_leaves_(max_leaves), chain_(model) {
        best.tree = FullTree(depth, 0);
        for (int32_t k = 0; k < threads; ++k) {
            workers_.push_back(std::make_unique<Worker>(model, depth, max_leaves, seed * 1000003 + k));
        }
    }

    void round(int64_t quota, double seconds) {
        const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                 std::chrono::duration<double>(std::min(seconds, 1e8)));
        std::vector<std::thread> threads;
        for (size_t k = 1; k < workers_.size(); ++k) {
            threads.emplace_back([&, k] { workers_[k]->round(quota, deadline); });
        }
        workers_[0]->round(quota, deadline);
        for (auto& thread : threads) thread.join();
        for (auto& worker : workers_) best.offer(worker->best.tree, worker->best.value);
        share();
    }

    // A tree from outside becomes the incumbent if it is better and small enough.
    void offer(const FullTree& tree) {
        if (tree.count_leaves() > max_leaves_) return;
        if (chain_.expected_return(tree, kInfeasible) == kInfeasible) return;
        if (best.offer(tree, chain_.tighten())) share();
    }

    double expected_return(const FullTree& tree, double reject_below) {
        const double value = chain_.expected_return(tree, reject_below);
        return value == kInfeasible || value < reject_below ? value : chain_.tighten();
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
    void share() {
        for (auto& worker : workers_) worker->best.offer(best.tree, best.value);
    }

    int32_t max_leaves_;
    Chain chain_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace spotree::neighbourhood
