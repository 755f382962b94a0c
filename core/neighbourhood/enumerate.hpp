// Every tree of a small depth, one after the other: where there are few, the best of them is proved.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "neighbourhood/acceptance.hpp"
#include "neighbourhood/evaluator.hpp"
#include "neighbourhood/incumbent.hpp"
#include "neighbourhood/model.hpp"
#include "tree/complete.hpp"

namespace spotree::neighbourhood {

// An odometer: the splits of the inner nodes and the actions of the leaves are its digits, the last leaf the
// fastest one. Split 0 does not split; of trees that act alike only the plainest is evaluated.
class Enumeration {
  public:
    Enumeration(const SearchModel& model, int32_t depth, int32_t max_leaves)
        : model_(model),
          max_leaves_(max_leaves),
          judge_(model),
          tree_(depth, 0),
          digit_(tree_.split.size(), 0) {}

    // Positions of the odometer if every split counted, at least as many as there are different trees.
    static double positions(const SearchModel& model, int32_t depth) {
        double splits = 1;
        for (const int32_t f : model.split_features) splits += model.num_values[f] - 1;
        const double leaves = std::pow(2.0, depth);
        return std::pow(splits, leaves - 1) * std::pow(static_cast<double>(model.num_actions), leaves);
    }

    int64_t work() const { return judge_.work() + kPerPosition * passed_; }

    // Goes on for so much counted work, or until it must stop; true once all trees have been seen and `best`
    // is as good as any: no return was unsolved, or may have lost many digits.
    bool run(int64_t quota, Stop& stop, Incumbent& best) {
        judge_.evaluator().stop = &stop;
        if (splits_.empty()) {
            find_splits();
            judge_.restart(best.tree);  // the sweeps of the judge start from a tree that it has taken
        }
        const int64_t until = work() + quota;
        while (!done_ && work() < until) {
            if ((++passed_ & 0xff) == 0 && stop.check()) break;
            if (!plain(0) || tree_.count_leaves() > max_leaves_) {
                advance();
                continue;
            }
            evaluate(best);
            if (judge_.unsolved && stop.check()) break;
            advance();
        }
        return done_ && !judge_.unsolved && !judge_.evaluator().rough();
    }

  private:
    // One split of each way to part the groups in two.
    void find_splits() {
        splits_.push_back({});
        std::set<std::vector<bool>> seen;
        std::vector<bool> side(model_.num_groups);
        for (const int32_t f : model_.split_features) {
            for (int32_t cut = 1; cut < model_.num_values[f]; ++cut) {
                const bool first = model_.rank_of(0)[f] >= cut;
                for (int32_t g = 0; g < model_.num_groups; ++g)
                    side[g] = (model_.rank_of(g)[f] >= cut) != first;
                if (seen.insert(side).second) splits_.push_back({f, cut});
            }
        }
    }

    // Whether the part below a node says what it does with the fewest splits, in the one way that counts.
    bool plain(int32_t node) const {
        if (node >= tree_.num_inner()) return true;
        const int32_t left = 2 * node + 1;
        const int32_t right = left + 1;
        if (digit_[node] == 0) {
            return (right >= tree_.num_inner() || digit_[right] == 0) && blank(left) && plain(right);
        }
        const int32_t action = tree_.single_action(left);
        return (action < 0 || action != tree_.single_action(right)) && plain(left) && plain(right);
    }

    // Whether all below a node stands at its first position.
    bool blank(int32_t node) const {
        if (node >= tree_.num_inner()) return tree_.action[node - tree_.num_inner()] == 0;
        return digit_[node] == 0 && blank(2 * node + 1) && blank(2 * node + 2);
    }

    // What may beat the best by rounding alone is evaluated as exactly as it can be.
    void evaluate(Incumbent& best) {
        const double threshold = best.value - 2 * Evaluator::kFine * model_.scale();
        if (judge_.accept(tree_, threshold) && judge_.value() != kInfeasible) best.offer(judge_);
    }

    void advance() {
        for (size_t k = tree_.action.size(); k-- > 0;) {
            if (++tree_.action[k] < model_.num_actions) return;
            tree_.action[k] = 0;
        }
        for (size_t k = tree_.split.size(); k-- > 0;) {
            digit_[k] = digit_[k] + 1 < static_cast<int32_t>(splits_.size()) ? digit_[k] + 1 : 0;
            tree_.split[k] = splits_[digit_[k]];
            if (digit_[k] > 0) return;
        }
        done_ = true;
    }

    static constexpr int64_t kPerPosition = 20;

    const SearchModel& model_;
    int32_t max_leaves_;
    Acceptance judge_;
    CompleteTree tree_;
    std::vector<int32_t> digit_;  // [inner node] the place of its split in splits_
    std::vector<Split> splits_;
    int64_t passed_ = 0;  // positions seen
    bool done_ = false;
};

}  // namespace spotree::neighbourhood
