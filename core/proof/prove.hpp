// Proves the best tree: presolve, then both branching rules side by side with a shared incumbent.
#pragma once

#include <optional>

#include "proof/branching/rule_scheduler.hpp"
#include "proof/branching/tree_worker.hpp"
#include "proof/log/log_replay.hpp"
#include "proof/presolve.hpp"
#include "proof/prover_status.hpp"

namespace spotree::proof {

struct Plan {
    int threads = 2;
    bool state_rule = true, tree_rule = true;
    double seconds = 0;          // wall clock, 0: only the bound of the root
    double before_floors = 0.4;  // seconds that the rules may try without floors
};

// A stopped search of rule "tree": what it wrote, the number of its next region, and what is left.
struct ReplayedSearch {
    std::vector<int32_t> words;
    std::vector<double> numbers;
    int32_t next = 0;
    TreeText left;
};

class Prover : public Watched {
  public:
    using Watched::Watched;

    std::optional<ReplayedProof> old;          // a proof to go on with
    std::optional<ReplayedSearch> old_search;  // rule "tree" of the same

    void run(const Plan& plan) {
        const AtEnd end([this] {
            std::scoped_lock hold(lock_);
            ended_ = true;
        });
        shared.stop.begin(std::max(0.0, plan.seconds));
        shared.take_turns = plan.threads < 2;
        auto stop = [&] { return shared.stopped(); };
        if (old_search) {
            by_tree.copy(old_search->words, old_search->numbers, old_search->next);
            std::scoped_lock hold(lock_);
            left_ = old_search->left;  // where the time is up before anything is done
        }
        if (old_search && !plan.state_rule) return go_on(plan);
        Root root = relaxed_root();
        if (root.region.relaxed.bound <= shared.close_at()) return settle_root(root.region);
        if (old) lower_bound_to(old->bound);
        if (stop()) return write_root(root.region);
        if (!shared.problem.build_cubes(stop)) return write_root(root.region);
        std::vector<std::unique_ptr<Bounder>> bounders;
        const int state_workers = plan.state_rule ? std::max(1, plan.threads - (plan.tree_rule ? 1 : 0)) : 0;
        for (int t = 0; t < std::max(plan.threads, state_workers + (plan.tree_rule ? 1 : 0)); ++t) {
            bounders.push_back(std::make_unique<Bounder>(shared));
        }
        std::optional<ReplayedTree> trees;
        if (old_search) trees = TreeReader(shared, old_search->left).read();
        if (old && root.restore(*old, bounders)) {
            lower_bound_to(old->bound);
            run_rules(plan, bounders, root, state_workers, plan.seconds, std::move(trees));
            return;
        }
        old.reset();
        forget_old_search();
        const Subproblem start = root.region;
        const Verdict verdict = root.begin(*bounders[0]);
        lower_bound_to(root.region.bound);
        if (verdict == Verdict::stopped) return write_root(start);
        certified_ = root.region.bound;
        if (verdict == Verdict::closed) return settle_root(root.draft);
        // A much better tree makes a smaller root: then both rules start again, a few times at most.
        bool sharpen = false;
        for (double until = plan.before_floors;; until = plan.seconds) {
            if (sharpen && shared.switches.floors && shared.switches.regret && !shared.model.undiscounted()) {
                const bool closed = root.raise_floors(bounders, plan.threads, plan.seconds);
                lower_bound_to(root.region.bound);
                if (closed) return settle_root(root.draft);
            } else if (sharpen) {
                if (root.narrow(*bounders[0]) == Verdict::closed) return settle_root(root.draft);
            }
            sharpen = true;
            const double best = shared.best.load();
            shared.restart_above =
                best + kMuchBetter * std::max(root.region.bound - best, 10 * shared.tolerance);
            const bool ended = run_rules(plan, bounders, root, state_workers, until);
            const bool better = shared.much_better();
            shared.restart_above = std::numeric_limits<double>::infinity();
            if (ended || stop() || (until >= plan.seconds && !better)) break;
        }
        stuck_ = winner.load() == Winner::none && !shared.stop.raised();
        if (winner.load() == Winner::none && by_state.next == 0) write_root(root.draft);
    }

  private:
    Root relaxed_root() {
        Root root(shared, by_state.on || by_tree.on);
        lower_bound_to(root.region.relaxed.bound);
        certified_ = root.region.relaxed.bound;
        return root;
    }

    // Rule "tree" goes on by itself with the pieces that it was given.
    void go_on(const Plan& plan) {
        auto stop = [&] { return shared.stopped(); };
        if (!shared.problem.build_cubes(stop)) return write_root(relaxed_root().region);
        ReplayedTree trees = TreeReader(shared, old_search->left).read();
        std::vector<std::unique_ptr<Bounder>> bounders;
        for (int t = 0; t < plan.threads; ++t) {
            bounders.push_back(std::make_unique<Bounder>(shared));
            bounders.back()->floor = trees.floor;
        }
        const Root root(shared, trees.root, trees.draft);
        lower_bound_to(root.region.bound);
        run_rules(plan, bounders, root, 0, plan.seconds, std::move(trees));
        if (winner.load() == Winner::none && root.draft.rounds > 0) write_root(root.draft);
    }

    void settle_root(const Subproblem& root) {
        winner = Winner::root;
        write_root(root);
    }

    void settle_root(const Draft& draft) {
        winner = Winner::root;
        write_root(draft);
    }

    // The proof as far as it goes when nothing but the root has been looked at.
    void write_root(const Subproblem& root) {
        Draft draft;
        draft.rounds = 1;
        draft.words = {0, 0, 0};
        draft.numbers = root.relaxed.value;
        write_root(draft);
    }

    void write_root(const Draft& draft) {
        by_state.restart();
        if (old &&
            winner.load() == Winner::none) {  // stopped before the old proof could go on: it stands as it was
            by_state.copy(old->words, old->numbers, old->last + 1);
            certified_ = old->bound;
            return;
        }
        write_region(by_state, -1, 0, 0, draft, {0});
    }

    bool run_rules(const Plan& plan, std::vector<std::unique_ptr<Bounder>>& bounders, const Root& root,
                   int state_workers, double until, std::optional<ReplayedTree> found = {}) {
        shared.done = false;
        shared.stop.end_after(std::max(0.0, std::min(until, plan.seconds)));
        forget_left(*bounders[0], root.draft, until >= plan.seconds);
        certified_ = old ? old->bound : root.region.bound;  // what is written from now on proves that at once
        by_state.restart();
        by_tree.restart();
        for (auto& bounder : bounders) bounder->viable.clear();
        std::unique_ptr<StateRule> states;
        std::unique_ptr<TreeRule> trees;
        if (plan.state_rule) states = std::make_unique<StateRule>(shared, by_state);
        if (plan.tree_rule) trees = std::make_unique<TreeRule>(shared, by_tree, root.region);
        RuleScheduler lead(shared, states.get(), trees.get(), root.region.bound);
        auto follow_states = [&](Bounder& bounder, auto&& leave) {
            states->work(bounder, leave);
            if (states->finished() && !shared.done.exchange(true)) winner = Winner::state;
        };
        auto follow_trees = [&](TreeWorker&& worker) {
            worker.work();
            if (trees->finished() && !shared.done.exchange(true)) winner = Winner::tree;
        };
        std::optional<Bounder> helper;  // not told of hopeless leaves, which are not written for rule "state"
        auto help = [&] {
            if (!states || !lead.of_states()) return;
            if (!helper) helper.emplace(shared), helper->floor = bounders[0]->floor;
            lead.help([&](auto&& enough) {
                follow_states(*helper, [&] { return trees->stopped() || enough(); });  // somebody may wait
            });
        };
        const AtEnd unwatch([&] { watch(nullptr, nullptr); });
        Threads workers(shared.stop);
        watch(nullptr, trees.get());
        if (found && trees) {
            by_tree.copy(old_search->words, old_search->numbers, old_search->next);
            trees->reopen(std::move(*found));
        }
        if (trees) {
            workers.start([&, reopened = found.has_value()] {
                TreeWorker first(*trees, *bounders.back(), help);
                if (!reopened) first.begin(root.draft);
                follow_trees(std::move(first));
            });
        }
        if (states) {
            if (old) {
                reopen(*old, shared.model, by_state, *states);
            } else {
                states->begin(*bounders[0], root.region, root.draft);
            }
            watch(states.get(), trees.get());
            lead.begun = true;
            for (int t = 0; t < state_workers; ++t) {
                workers.start([&, t] {
                    follow_states(*bounders[t], [&] { return lead.of_trees(); });
                    if (trees && !shared.stopped()) follow_trees({*trees, *bounders[t]});
                });
            }
        }
        for (int t = 1; trees && !states && t < plan.threads; ++t) {
            workers.start([&, t] { follow_trees({*trees, *bounders[t - 1]}); });
        }
        workers.join();
        if (winner.load() == Winner::state) states->settle();
        if (keep_left && trees) {
            auto left = trees->left(floor_, draft_, [] {});
            std::scoped_lock hold(lock_);
            left_ = std::move(left);
        }
        certified_ = states ? std::max(states->certified(), shared.close_at()) : root.region.bound;
        lower_bound_to(states ? std::max(states->bound(), shared.close_at()) : root.region.bound);
        shared.stop.end_after(std::max(0.0, plan.seconds));
        shared.done = winner.load() != Winner::none;
        return winner.load() != Winner::none;
    }

    // Rule "tree" begins anew.
    void forget_old_search() {
        if (!old_search) return;
        old_search.reset();
        by_tree.restart();
        std::scoped_lock hold(lock_);
        left_.reset();
    }

    static constexpr double kMuchBetter = 0.2;  // of the gap: what a tree closes for the rules to restart
};

}  // namespace spotree::proof
