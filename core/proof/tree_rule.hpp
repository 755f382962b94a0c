// Rule "tree": part a region by the next split or leaf of a partial tree; deepest first.
#pragma once

#include "proof/met.hpp"
#include "proof/partial.hpp"
#include "proof/solo.hpp"
#include "proof/team.hpp"

namespace spotree::proof {

// A region whose partial tree is to be continued: everything that a thread needs for it.
struct TreeTask {
    std::shared_ptr<const Region> region;
    std::vector<Item> items;
    std::shared_ptr<const Partial> partial;
    int32_t parent, first, second;
    Draft draft;
    std::vector<TreeNode> nodes;
    int32_t sibling;  // the node to be settled next
    double share;     // of the whole search
    std::optional<RegionName> key;
};

// What the threads that follow the rule have in common.
class TreeRule {
    friend class TreeWorker;

  public:
    TreeRule(Shared& shared, Journal& journal, const Region& root)
        : shared_(shared),
          journal_(journal),
          root_(root),
          solo_(shared, journal, root),
          met_(shared.model, shared.symmetries) {}

    // Share of the search that is finished: an indication, as it counts all children of a region alike.
    double share() const { return share_.load(); }
    bool over() { return begun_ && team_.idle(); }
    bool finished() { return over() && !cut_short_ && open_.load() <= shared_.close_at(); }

  private:
    bool stopped() const { return shared_.stopped(); }

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
    Journal& journal_;
    Region root_;
    std::vector<double> weight_;  // [group] visits of the relaxed policy
    SoloLeaves solo_;
    MetRegions met_;
    Team<TreeTask> team_;
    std::atomic<bool> begun_{false}, cut_short_{false};
    std::atomic<double> open_{-std::numeric_limits<double>::infinity()}, share_{0};
};

}  // namespace spotree::proof
