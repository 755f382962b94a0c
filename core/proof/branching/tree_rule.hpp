// Rule "tree": part a region by the next split or leaf of a partial tree; deepest first.
#pragma once

#include "proof/bounds/leaf_probing.hpp"
#include "proof/branching/task_pool.hpp"
#include "proof/log/subproblem.hpp"
#include "proof/nodes/transposition_table.hpp"

namespace spotree::proof {

// What the threads that follow the rule have in common.
class TreeRule {
    friend class TreeWorker;

  public:
    TreeRule(Shared& shared, ProofLog& journal, const Subproblem& root)
        : shared_(shared),
          journal_(journal),
          root_(root),
          solo_(shared, journal, root),
          met_(shared.model, shared.symmetries) {}

    // Share of the search that is finished: an indication, as it counts all children of a region alike.
    double share() const { return share_.load(); }
    void tell_share(double done) { share_ = done; }
    bool over() { return begun_ && team_.idle(); }
    bool finished() { return over() && !cut_short_ && open_.load() <= shared_.close_at(); }

    // Goes on with the pieces of a stopped search of the same root.
    void reopen(ReplayedTree old) {
        weight_ = std::move(old.weight);
        for (const auto& [cube, action] : old.hopeless) solo_.know(cube, action);
        share_ = old.share;
        leave_open(old.open);
        for (auto& piece : old.pieces) team_.put(std::move(piece));
        begun_ = true;
    }

    // What is left of the search, while nobody works on it; `and_then` is called at the same moment. Nothing
    // if the search has not begun or everybody was stopped first. With `for_good` it is for others to finish.
    template <class AndThen>
    std::optional<TreeText> left(const std::vector<double>& floor, const Draft& draft, AndThen&& and_then,
                                 bool for_good = false) {
        std::optional<TreeText> text;
        auto write = [&](const std::deque<OpenSubproblem>& pieces) {
            text = write_tree(shared_,
                              {root_, floor, weight_, draft, solo_.found(), open_.load(), share_.load(), {}},
                              pieces);
            and_then();
        };
        if (begun_ && !cut_short_) team_.look(write, [&] { return shared_.stop.raised(); }, for_good);
        return text;
    }

    // Whether to return what is left of a piece.
    bool stopped() const { return team_.paused() || enough(); }

  private:
    // Whether nobody is to go on at all.
    bool enough() const {
        return shared_.regions.load(std::memory_order_relaxed) >= shared_.most_regions || shared_.stopped();
    }

    // A region that was stopped is not written down: a better tree may close it later, but nothing would show
    // that.
    void cut_short() { cut_short_ = true; }

    void leave_open(double bound) {
        double before = open_.load();
        while (before < bound && !open_.compare_exchange_weak(before, bound)) {
        }
    }

    void finish(double share) {
        double before = share_.load();
        while (!share_.compare_exchange_weak(before, before + share)) {
        }
    }

    Shared& shared_;
    ProofLog& journal_;
    Subproblem root_;
    std::vector<double> weight_;  // [group] visits of the relaxed policy
    LeafProbing solo_;
    TranspositionTable met_;
    TaskPool<OpenSubproblem> team_;
    std::atomic<bool> begun_{false}, cut_short_{false};
    std::atomic<double> open_{-std::numeric_limits<double>::infinity()}, share_{0};
};

}  // namespace spotree::proof
