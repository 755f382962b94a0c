// Rule scheduler: threads work for the branching rule that progresses.
#pragma once

#include "proof/branching/state_rule.hpp"
#include "proof/branching/tree_rule.hpp"

namespace spotree::proof {

// What was open at each time, and whether it gets less.
class Shrinking {
  public:
    void see(double at, double open) {
        if (seen_.empty() || at > kBetweenLooks * seen_.back().first) seen_.emplace_back(at, open);
    }

    // Of what was open at half of the time, so much is open now.
    double part(double at, double open) const {
        double before = 1;
        for (const auto& [earlier, left] : seen_) {
            if (2 * earlier <= at) before = left;
        }
        return before > 0 ? open / before : 1;
    }

  private:
    static constexpr double kBetweenLooks = 1.05;  // of the time at the look before
    std::vector<std::pair<double, double>> seen_;
};

class RuleScheduler {
  public:
    // Both rules begin now, with a root of this bound; rule "state" can be asked once it has `begun`.
    RuleScheduler(Shared& shared, StateRule* states, TreeRule* trees, double root_bound)
        : shared_(shared),
          states_(states),
          trees_(trees),
          started_(shared.stop.elapsed()),
          room_(root_bound - shared.close_at()),
          head_(shared.symmetries.usable() ? shared.symmetries.count() : 1) {}

    std::atomic<bool> begun{false};

    // A thread of rule "state" goes over for good. Where that rule has come a good part of the way, what
    // symmetries may save the other one does not count.
    bool of_trees() {
        if (!trees_ || elapsed() < kBeforeChange / head_) return false;
        const double states = state_share();
        const double trees = states < kGoodPart ? tree_share() : trees_->share();
        return trees > std::max(kLeastLead, states);
    }

    // The thread of rule "tree" (no other) helps out where rule "state" gets on and its own does not; it goes
    // on with its own part of the time, since either may end nowhere.
    bool of_states() {
        if (!begun.load()) return false;
        const double now = elapsed(), own = now - helped_;
        const double open = 1 - state_share(), open_trees = 1 - tree_share();
        by_state_.see(now, open);
        by_tree_.see(own, open_trees);
        return helped_ < kMostHelp * now && open < open_trees - kFarAhead &&
               by_state_.part(now, open) < kShrinks && by_tree_.part(own, open_trees) > kStands;
    }

    // The work of a helper, which asks now and then whether it has helped enough.
    void help(auto&& work) {
        const double first = elapsed(), before = helped_;
        auto enough = [&] {
            helped_ = before + elapsed() - first;
            return !of_states();
        };
        work(enough);
        enough();
    }

  private:
    static constexpr double kBeforeChange = 3, kLeastLead = 0.01;  // seconds, share: a change of rule
    static constexpr double kGoodPart = 0.25;                      // of the way
    static constexpr double kFarAhead = 0.1, kShrinks = 0.8, kStands = 0.97;  // shares: help
    static constexpr double kMostHelp = 0.5;                                  // of the time

    double elapsed() { return shared_.stop.elapsed() - started_; }
    double state_share() { return 1 - (states_->bound() - shared_.close_at()) / room_; }
    // With symmetries rule "tree" has less to do than its share tells: images take no time.
    double tree_share() const { return head_ * trees_->share(); }

    Shared& shared_;
    StateRule* states_;
    TreeRule* trees_;
    double started_, room_, head_;
    double helped_ = 0;  // seconds
    Shrinking by_state_, by_tree_;
};

}  // namespace spotree::proof
