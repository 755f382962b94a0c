// The current tree of one search, and whether a candidate takes its place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "neighbourhood/evaluator.hpp"
#include "neighbourhood/model.hpp"
#include "neighbourhood/occupancy.hpp"
#include "neighbourhood/surrogate/early_rejection.hpp"
#include "tree/complete.hpp"

namespace spotree::neighbourhood {

// Every candidate is judged by its true return. On dense chains a sure rejection by sweeps comes first, where
// that has turned out to be cheaper by counted work.
template <class Tree>
class AcceptanceOf {
  public:
    int64_t evaluations = 0;
    bool unsolved = false;  // whether some return could not be had, so that its tree was refused unjudged

    explicit AcceptanceOf(const SearchModel& model)
        : model_(model), evaluator_(model), sweeps_(model), balance_(model) {}

    int64_t work() const { return evaluator_.work + sweeps_.work + balance_.work; }
    const Tree& tree() const { return tree_; }
    double value() const { return value_; }
    const std::vector<int32_t>& reached() const { return reached_; }  // states with a choice
    EvaluatorOf<Tree>& evaluator() { return evaluator_; }

    // Makes a tree the current one, whatever it is worth.
    void restart(const Tree& tree) {
        ++evaluations;
        take(tree, evaluator_.expected_return(tree, kInfeasible));
    }

    // Takes the candidate if its return is at least the threshold; from an infeasible tree any step is taken.
    bool accept(const Tree& candidate, double threshold) {
        ++evaluations;
        const int64_t before = work();
        const bool accepted = decide(candidate, threshold);
        learn(static_cast<double>(work() - before));
        return accepted;
    }

    // Whether the tree just taken beats a value, by its return as exactly as it can be had.
    bool beats(double best) {
        if (!(value_ > best - 2 * EvaluatorOf<Tree>::kFine * model_.scale())) return false;
        value_ = evaluator_.tighten();
        unsolved = unsolved || value_ == kInfeasible;
        return value_ > best;
    }

    // The current tree in other words: another one that acts the same where it comes.
    void rename(const Tree& tree) { tree_ = tree; }

    // Visits under the current tree, which must be feasible.
    bool visits(std::vector<double>& visits) {
        if (!counted_) {
            if (evaluator_.expected_return(tree_, kInfeasible) == kInfeasible) return false;
            balance_.fill(evaluator_, visits_);
            counted_ = true;
        }
        visits = visits_;
        return true;
    }

    // Values of all states under the current tree, and visits (0 where it does not come). The current tree
    // must be feasible.
    bool values(std::vector<double>& value, std::vector<double>& visits) {
        if (!this->visits(visits)) return false;
        if (!known_) {
            if (!evaluator_.all_values(tree_, all_values_)) return false;
            known_ = true;
        }
        value = all_values_;
        return true;
    }

  private:
    enum Way { kDirect, kSweeps };
    static constexpr int32_t kTrial = 32;     // candidates judged each way before choosing
    static constexpr int32_t kPeriod = 2000;  // candidates until the ways are compared again, at first
    static constexpr int32_t kLongest = 100000;
    static constexpr int32_t kMostSweeps = 40;

    bool decide(const Tree& candidate, double threshold) {
        if (way_ == kSweeps && std::isfinite(threshold)) {
            if (!fresh_) fresh_ = sweeps_.start_from(tree_, evaluator_, false);
            if (fresh_ && sweeps_.surely_below(candidate, threshold, kMostSweeps)) return false;
        }
        const double value = evaluator_.expected_return(candidate, threshold);
        unsolved = unsolved || (value == kInfeasible && !evaluator_.knows_why());
        if (value < threshold) return false;
        if (value == kInfeasible && value_ != kInfeasible) return false;
        take(candidate, value);
        return true;
    }

    void take(const Tree& tree, double value) {
        tree_ = tree;
        value_ = value;
        fresh_ = known_ = counted_ = false;
        reached_.clear();
        if (evaluator_.offender() >= 0) {  // then changes begin where it went wrong
            reached_.push_back(evaluator_.offender());
            return;
        }
        for (const int32_t state : evaluator_.reached()) {
            if (model_.group_of[state] >= 0) reached_.push_back(state);
        }
        if (way_ == kSweeps && value != kInfeasible) fresh_ = sweeps_.start_from(tree_, evaluator_, true);
    }

    // Tries both ways for some candidates now and then, rarely where sweeps were the dearer ones.
    void learn(double spent) {
        cost_[way_] += spent;
        ++count_;
        if (count_ == kTrial && sweeps_.usable()) {
            way_ = kSweeps;
        } else if (count_ > kTrial && count_ <= 2 * kTrial && cost_[kSweeps] > cost_[kDirect]) {
            way_ = kDirect;
            count_ = 2 * kTrial;
            period_ = std::min(2 * period_, kLongest);
        } else if (count_ == 2 * kTrial) {
            period_ = kPeriod;
        } else if (count_ >= period_) {
            count_ = 0;
            cost_[kDirect] = cost_[kSweeps] = 0;
            way_ = kDirect;
        }
    }

    const SearchModel& model_;
    EvaluatorOf<Tree> evaluator_;
    Sweeps sweeps_;
    Visits balance_;
    Tree tree_;
    double value_ = kInfeasible;
    std::vector<int32_t> reached_;
    bool fresh_ = false;                    // whether the sweeps start from the current tree
    bool counted_ = false, known_ = false;  // whether visits, and values, are those of the current tree
    std::vector<double> all_values_, visits_;
    Way way_ = kDirect;
    int32_t count_ = 0;
    int32_t period_ = kPeriod;
    double cost_[2] = {0, 0};
};

using Acceptance = AcceptanceOf<CompleteTree>;

}  // namespace spotree::neighbourhood
