// A proof as those see it who watch it: its bound, who closed it, what it has written and what is left.
#pragma once

#include <optional>

#include "proof/branching/state_rule.hpp"
#include "proof/branching/tree_rule.hpp"

namespace spotree::proof {

// A proof at one moment: what was written since the last one, and what is left of rule "tree".
struct Snapshot {
    ProofLog::Text by_state, by_tree;
    TreeText left;
    int32_t next = 0;  // the number of the next region of rule "tree"
};

class Watched {
  public:
    explicit Watched(ProofModel& problem) : shared(problem) {}

    Shared shared;
    bool keep_left = false;  // what is left of rule "tree" when the time is up
    ProofLog by_state, by_tree;
    enum class Winner { none, root, state, tree };
    enum class Ending { stopped, closed, too_large, stuck };

    // What was written, and what is left of rule "tree", at one moment; nothing if it is not known now. With
    // `for_good` others finish that, and nothing is done about it here any more, nor is the root changed.
    std::optional<Snapshot> snapshot(bool for_good = false) {
        std::scoped_lock hold(lock_);
        if (for_good && !(last_root_ && (trees_ || ended_))) return {};  // a new start may be about to come
        Snapshot found;
        auto drain = [&] {
            found.by_state = by_state.drain();
            found.by_tree = by_tree.drain();
            found.next = by_tree.next;
            shared.no_restart = for_good;
        };
        std::optional<TreeText> text = left_;
        if (trees_) {
            text = trees_->left(floor_, draft_, drain, for_good);
        } else if (text) {
            drain();
        }
        if (!text) return {};
        found.left = std::move(*text);
        return found;
    }

    // No tree is worth more than this; valid at every moment. What was offered bounds it from below, even a
    // value without a tree: trees up to there may have been left out.
    double bound() {
        if (winner.load() != Winner::none)
            return std::max(shared.best.load(), std::min(root_bound_.load(), shared.close_at()));
        std::scoped_lock hold(lock_);
        double most = root_bound_.load();
        if (states_) most = std::min(most, states_->bound());
        return std::max(most, shared.best.load());
    }

    // What the journal of the winner proves (after the end), or else that of rule "state".
    double certified() { return winner.load() == Winner::none ? certified_.load() : bound(); }

    // What the journal of rule "state" proves: a restart may leave it above `bound`.
    double certified_by_states() const { return certified_.load(); }

    // Why it ended (after the end): no region is open, the sets that trees can single out are too many, no
    // region that is open can be parted, or somebody or the clock stopped it.
    Ending ending() {
        if (winner.load() != Winner::none) return Ending::closed;
        if (shared.cubes.too_large) return Ending::too_large;
        return stuck_ ? Ending::stuck : Ending::stopped;
    }

    // How much of the search of rule "tree" others have finished.
    void tell_share(double done) {
        std::scoped_lock hold(lock_);
        if (trees_) trees_->tell_share(done);
    }

    // Share of the search of rule "tree" that is finished now.
    double share() {
        std::scoped_lock hold(lock_);
        return trees_ ? trees_->share() : 0;
    }

    std::atomic<Winner> winner{Winner::none};

  protected:
    void lower_bound_to(double bound) { root_bound_.store(std::min(root_bound_.load(), bound)); }

    void watch(StateRule* states, TreeRule* trees) {
        std::scoped_lock hold(lock_);
        states_ = states;
        trees_ = trees;
    }

    void forget_left(const Bounder& bounder, const Draft& draft, bool last_root) {
        std::scoped_lock hold(lock_);
        last_root_ = last_root;
        left_.reset();
        if (!keep_left) return;
        floor_ = bounder.floor;
        draft_ = draft;
    }

    std::atomic<double> certified_{std::numeric_limits<double>::infinity()};
    std::atomic<double> root_bound_{std::numeric_limits<double>::infinity()};
    bool stuck_ = false;  // after the end: what is open cannot be parted
    std::mutex lock_;
    StateRule* states_ = nullptr;  // the rules that run now, for those who watch
    TreeRule* trees_ = nullptr;
    std::optional<TreeText> left_;  // of rule "tree", when the time is up
    std::vector<double> floor_;     // of the root that the rules have
    Draft draft_;
    bool ended_ = false;
    bool last_root_ = false;  // it does not change any more, but for much better trees
};

}  // namespace spotree::proof
