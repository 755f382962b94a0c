// A quick look at a candidate before it is judged: what it would gain if states were visited as often as now.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "model/bellman.hpp"
#include "neighbourhood/action_cache.hpp"
#include "neighbourhood/evaluator.hpp"
#include "neighbourhood/model.hpp"
#include "neighbourhood/occupancy.hpp"
#include "runtime/random.hpp"
#include "tree/complete.hpp"

namespace spotree::neighbourhood {

// The return of a candidate minus that of the current tree is the sum over states of its visits times what
// its action gains on the current one. Visits of the current tree in their place cost no evaluation, and tell
// most bad candidates (docs/the-search.md). States that the current tree does not come to count with their
// best value: what is new has its chance. So a candidate can only be turned away here; the true return
// decides about all others, and about some that are not looked at, so that no tree is out of reach.
class SurrogateFilter {
  public:
    explicit SurrogateFilter(const SearchModel& model)
        : model_(model),
          evaluator_(model),
          visits_(model),
          asked_(model),
          known_(model.num_rows(), 0),
          advantage_(model.num_rows(), 0.0) {}

    int64_t work() const { return work_ + evaluator_.work + visits_.work; }
    void end_with(Stop& stop) { evaluator_.stop = &stop; }

    // A candidate was judged and not taken, for so much work: what a look may save.
    void rejected(int64_t work) {
        const auto cost = static_cast<double>(work);
        judged_ += (judged_ > 0 ? kNewest : 1.0) * (cost - judged_);
    }

    // The current tree is another one.
    void leave() {
        stands_ = false;
        met_ = 0;
    }

    // Whether the candidate loses far more than `loss` on the current tree, as it seems from here.
    bool turns_away(const CompleteTree& current, const CompleteTree& candidate, double loss, Random& random) {
        if (++seen_ == kPeriod) settle();
        if (!looks_) return false;
        if (!stands_ && (++met_ <= kFirst || !stand_on(current))) return false;
        if (random.uniform() < kUnseen) return false;
        mark_changed(candidate);
        double gain = 0;
        asked_.begin(false);
        for (size_t leaf = 0; leaf < changed_.size(); ++leaf) {
            if (!changed_[leaf]) continue;
            for (size_t k = first_[leaf]; k < first_[leaf + 1]; ++k) {
                const Place& place = places_[k];
                const int32_t row = asked_.row(candidate, place.state);
                if (row < 0) return false;  // forbidden, if the candidate still comes here: soon found out
                if (row != place.row) gain += place.visits * advantage(place.state, row);
            }
            work_ += kPerPlace * static_cast<int64_t>(first_[leaf + 1] - first_[leaf]);
        }
        const bool far = gain < -kFar * loss - kFineReturn * model_.scale();
        if (far) saved_ += judged_;
        return far;
    }

  private:
    static constexpr int32_t kPeriod = 1000, kLongest = 8;  // candidates, and periods without a look
    static constexpr double kNewest = 0.05;  // weight of the newest judgement in the mean of what they cost
    static constexpr int32_t kFirst =
        3;                               // candidates that are judged before the current tree is worth a look
    static constexpr double kFar = 2.0;  // times what may be lost
    static constexpr double kUnseen = 0.02;  // of the candidates are not looked at
    static constexpr int64_t kPerPlace = 8;

    // After each period: goes on if looks saved more work than they took, or else pauses, longer each time.
    void settle() {
        seen_ = 0;
        if (looks_) {
            const bool pays = saved_ >= static_cast<double>(work() - work_before_);
            pause_ = pays ? 0 : std::clamp(2 * pause_, 1, kLongest);
            left_ = pause_;
        } else {
            --left_;
        }
        looks_ = left_ == 0;
        saved_ = 0;
        work_before_ = work();
    }

    struct Place {  // a state with a choice that the current tree comes to
        int32_t state, row, leaf;
        double visits;
    };

    // Leaves of the current tree whose states may get another action.
    void mark_changed(const CompleteTree& candidate) {
        changed_.assign(current_.num_leaves(), false);
        for (int32_t leaf = 0; leaf < current_.num_leaves(); ++leaf) {
            changed_[leaf] = candidate.action[leaf] != current_.action[leaf];
        }
        for (int32_t node = 0; node < current_.num_inner(); ++node) {
            if (candidate.split[node] == current_.split[node]) continue;
            std::fill_n(changed_.begin() + current_.first_leaf(node), current_.leaves_below(node), true);
        }
    }

    bool stand_on(const CompleteTree& current) {
        met_ = 0;
        if (evaluator_.expected_return(current, kInfeasible) == kInfeasible) return false;
        const std::vector<double>& visits = visits_.by_place(evaluator_);
        places_.clear();
        for (size_t k = 0; k < visits.size(); ++k) {
            const int32_t state = evaluator_.reached()[k];
            if (model_.group_of[state] >= 0 && visits[k] > 0) {
                const int32_t leaf = current.leaf_of(model_.rank_of(model_.group_of[state]));
                places_.push_back({state, evaluator_.row(state), leaf, visits[k]});
            }
        }
        std::sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) {
            return a.leaf != b.leaf ? a.leaf < b.leaf : a.state < b.state;
        });
        first_.assign(static_cast<size_t>(current.num_leaves()) + 1, 0);
        for (const Place& place : places_) ++first_[place.leaf + 1];
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        current_ = current;
        if (++stand_ == 0) {  // after 2^32 of them
            std::fill(known_.begin(), known_.end(), 0);
            stand_ = 1;
        }
        return stands_ = true;
    }

    // What a row gains on that of the current tree, at the most.
    double advantage(int32_t state, int32_t row) {
        if (known_[row] != stand_) {
            known_[row] = stand_;
            double ahead = 0;
            for (int64_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e) {
                const int32_t to = model_.target[e];
                const bool comes = evaluator_.comes_to(to);
                ahead += model_.probability[e] * (comes ? evaluator_.value(to) : model_.optimal_value[to]);
            }
            work_ += kPerPlace * (model_.row_start[row + 1] - model_.row_start[row]);
            advantage_[row] = model_.reward[row] + model_.discount * ahead - evaluator_.value(state);
        }
        return advantage_[row];
    }

    const SearchModel& model_;
    Evaluator evaluator_;  // of the current tree
    Visits visits_;
    ActionCache asked_;
    CompleteTree current_;
    std::vector<Place> places_;      // by leaf
    std::vector<size_t> first_;      // [leaf + 1] the places of a leaf
    std::vector<char> changed_;      // [leaf]
    std::vector<uint32_t> known_;    // [row] the stand in which its advantage was found
    std::vector<double> advantage_;  // [row]
    bool looks_ = true;
    int32_t seen_ = 0, pause_ = 0, left_ = 0;  // candidates of this period; periods without a look
    double judged_ = 0, saved_ = 0;            // work of a judgement, and what was saved in this period
    int64_t work_before_ = 0;                  // this period
    uint32_t stand_ = 0;
    bool stands_ = false;
    int32_t met_ = 0;  // candidates since the current tree is the current one
    int64_t work_ = 0;
};

}  // namespace spotree::neighbourhood
