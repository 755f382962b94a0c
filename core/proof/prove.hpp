// Proves the best tree: presolve, then both branching rules side by side with a shared incumbent.
#pragma once

#include <optional>

#include "proof/floors.hpp"
#include "proof/lead.hpp"
#include "proof/resume.hpp"
#include "proof/tree_worker.hpp"

namespace spotree::proof {

struct Plan {
    int threads = 2;
    bool state_rule = true, tree_rule = true;
    double seconds = 0;          // wall clock, 0: only the bound of the root
    double before_floors = 0.4;  // seconds that the rules may try without floors
};

// A stopped search of rule "tree": what it wrote, the number of its next region, and what is left.
struct OldSearch {
    std::vector<int32_t> words;
    std::vector<double> numbers;
    int32_t next = 0;
    TreeText left;
};

// A proof at one moment: what was written since the last one, and what is left of rule "tree".
struct Snapshot {
    Journal::Text by_state, by_tree;
    TreeText left;
    int32_t next = 0;  // the number of the next region of rule "tree"
};

class Prover {
  public:
    explicit Prover(ProofModel& problem) : shared(problem) {}

    Shared shared;
    std::optional<OldProof> old;          // a proof to go on with
    std::optional<OldSearch> old_search;  // rule "tree" of the same
    bool keep_left = false;               // what is left of rule "tree" when the time is up
    Journal by_state, by_tree;
    enum class Winner { none, root, state, tree };
    enum class Ending { stopped, closed, too_large, stuck };

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
        Region root = relaxed_root();
        if (root.relaxed.bound <= shared.close_at()) return settle_root(root);
        if (old) lower_bound_to(old->bound);
        if (stop()) return write_root(root);
        if (!shared.problem.build_cubes(stop)) return write_root(root);
        std::vector<std::unique_ptr<Bounder>> bounders;
        const int state_workers = plan.state_rule ? std::max(1, plan.threads - (plan.tree_rule ? 1 : 0)) : 0;
        for (int t = 0; t < std::max(plan.threads, state_workers + (plan.tree_rule ? 1 : 0)); ++t) {
            bounders.push_back(std::make_unique<Bounder>(shared));
        }
        Draft draft;
        const bool write = by_state.on || by_tree.on;
        std::optional<OldTree> trees;
        if (old_search) trees = TreeReader(shared, old_search->left).read();
        if (old && restore(root, draft, bounders)) {
            run_rules(plan, bounders, root, draft, state_workers, plan.seconds, std::move(trees));
            return;
        }
        forget_old_search();
        const Region start = root;
        Verdict verdict = bounders[0]->process_root(root, write ? &draft : nullptr);
        lower_bound_to(root.bound);
        if (verdict == Verdict::stopped) return write_root(start);
        certified_ = root.bound;
        if (verdict == Verdict::closed) return settle_root(draft);
        // A much better tree makes a smaller root: then both rules start again, a few times at most.
        bool sharpen = false;
        for (double until = plan.before_floors;; until = plan.seconds) {
            if (sharpen && shared.switches.floors && shared.switches.regret && !shared.model.undiscounted()) {
                if (find_root_floors(plan, bounders, root, draft)) return settle_root(draft);
            } else if (sharpen) {
                if (narrow(*bounders[0], root, draft, nullptr) == Verdict::closed) return settle_root(draft);
            }
            sharpen = true;
            const double best = shared.best.load();
            shared.restart_above = best + kMuchBetter * std::max(root.bound - best, 10 * shared.tolerance);
            const bool ended = run_rules(plan, bounders, root, draft, state_workers, until);
            const bool better = shared.much_better();
            shared.restart_above = std::numeric_limits<double>::infinity();
            if (ended || stop() || (until >= plan.seconds && !better)) break;
        }
        stuck_ = winner.load() == Winner::none && !shared.stop.raised();
        if (winner.load() == Winner::none && by_state.next == 0) write_root(draft);
    }

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

  private:
    // All trees, and what is certain of them.
    Region relaxed_root() {
        Region root{ActionSets(shared.model.num_groups, shared.model.num_actions),
                    Relaxed(shared.model.num_states)};
        Relaxer relaxer(shared.model);
        // Whatever the time: nobody looked at the clock. Undiscounted, half a value is no bound.
        auto asked = [&] { return shared.stop.raised() && !shared.model.undiscounted(); };
        relaxer.solve(root.allowed, root.relaxed, kNoLevel, kRelaxed * shared.tolerance, asked);
        lower_bound_to(root.relaxed.bound);
        certified_ = root.relaxed.bound;
        return root;
    }

    // Rule "tree" goes on by itself with the pieces that it was given.
    void go_on(const Plan& plan) {
        auto stop = [&] { return shared.stopped(); };
        if (!shared.problem.build_cubes(stop)) return write_root(relaxed_root());
        OldTree trees = TreeReader(shared, old_search->left).read();
        std::vector<std::unique_ptr<Bounder>> bounders;
        for (int t = 0; t < plan.threads; ++t) {
            bounders.push_back(std::make_unique<Bounder>(shared));
            bounders.back()->floor = trees.floor;
        }
        const Region root = trees.root;
        Draft draft = trees.draft;
        lower_bound_to(root.bound);
        run_rules(plan, bounders, root, draft, 0, plan.seconds, std::move(trees));
        if (winner.load() == Winner::none && draft.rounds > 0) write_root(draft);
    }

    // More rounds at the root; where they are stopped, neither the root nor what is written changes.
    Verdict narrow(Bounder& bounder, Region& root, Draft& draft, const std::vector<Floor>* floors) {
        Draft more;
        Region smaller = root;
        bounder.viable.clear();
        const bool write = by_state.on || by_tree.on;
        const Verdict verdict = bounder.process_root(smaller, write ? &more : nullptr, floors);
        if (verdict == Verdict::stopped) return verdict;
        root = std::move(smaller);
        draft.words.insert(draft.words.end(), more.words.begin(), more.words.end());
        draft.numbers.insert(draft.numbers.end(), more.numbers.begin(), more.numbers.end());
        draft.rounds += more.rounds;
        return verdict;
    }

    // Floors and filter at the root; true if that closes it.
    bool find_root_floors(const Plan& plan, std::vector<std::unique_ptr<Bounder>>& bounders, Region& root,
                          Draft& draft) {
        for (int round = 0; round < 2 && !shared.stopped(); ++round) {
            const double before = root.bound;
            const auto floors = find_floors(shared, *bounders[0], root, plan.threads,
                                            std::min(kLongestFloors, kFloorsShare * plan.seconds));
            for (auto& bounder : bounders) {
                for (const auto& f : floors)
                    bounder->floor[f.state] = std::max(bounder->floor[f.state], f.level);
            }
            const Verdict verdict = narrow(*bounders[0], root, draft, &floors);
            if (verdict == Verdict::stopped) return false;
            lower_bound_to(root.bound);
            if (verdict == Verdict::closed) return true;
            if (!(root.bound < before - kWorthwhile * (before - shared.close_at()))) break;
        }
        return false;
    }

    // False if the old proof had not bounded and parted its root: then there is nothing to go on with.
    bool restore(Region& root, Draft& draft, std::vector<std::unique_ptr<Bounder>>& bounders) {
        old->replay(shared.model, shared.symmetries);
        if (old->regions.at(old->root).group < 0 || old->regions.at(old->root).draft.rounds == 0) {
            old.reset();
            return false;
        }
        const OldRegion& first = old->regions.at(old->root);
        root.allowed = first.allowed;
        root.relaxed.value = first.value;
        root.bound = first.bound;
        draft = first.draft;
        for (auto& bounder : bounders) {
            for (const auto& [state, level] : old->floors) {
                bounder->floor[state] = std::max(bounder->floor[state], level);
            }
        }
        lower_bound_to(old->bound);
        return true;
    }

    void lower_bound_to(double bound) { root_bound_.store(std::min(root_bound_.load(), bound)); }

    void settle_root(const Region& root) {
        winner = Winner::root;
        write_root(root);
    }

    void settle_root(const Draft& draft) {
        winner = Winner::root;
        write_root(draft);
    }

    // The proof as far as it goes when nothing but the root has been looked at.
    void write_root(const Region& root) {
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

    void watch(StateRule* states, TreeRule* trees) {
        std::scoped_lock hold(lock_);
        states_ = states;
        trees_ = trees;
    }

    bool run_rules(const Plan& plan, std::vector<std::unique_ptr<Bounder>>& bounders, const Region& root,
                   Draft& draft, int state_workers, double until, std::optional<OldTree> found = {}) {
        shared.done = false;
        shared.stop.end_after(std::max(0.0, std::min(until, plan.seconds)));
        forget_left(*bounders[0], draft, until >= plan.seconds);
        certified_ = old ? old->bound : root.bound;  // what is written from now on proves that at once
        by_state.restart();
        by_tree.restart();
        for (auto& bounder : bounders) bounder->viable.clear();
        std::unique_ptr<StateRule> states;
        std::unique_ptr<TreeRule> trees;
        if (plan.state_rule) states = std::make_unique<StateRule>(shared, by_state);
        if (plan.tree_rule) trees = std::make_unique<TreeRule>(shared, by_tree, root);
        Lead lead(shared, states.get(), trees.get(), root.bound);
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
                if (!reopened) first.begin(draft);
                follow_trees(std::move(first));
            });
        }
        if (states) {
            if (old) {
                reopen(*old, shared.model, by_state, *states);
            } else {
                states->begin(*bounders[0], root, draft);
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
        certified_ = states ? std::max(states->certified(), shared.close_at()) : root.bound;
        lower_bound_to(states ? std::max(states->bound(), shared.close_at()) : root.bound);
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

    void forget_left(const Bounder& bounder, const Draft& draft, bool last_root) {
        std::scoped_lock hold(lock_);
        last_root_ = last_root;
        left_.reset();
        if (!keep_left) return;
        floor_ = bounder.floor;
        draft_ = draft;
    }

    static constexpr double kMuchBetter = 0.2;  // of the gap: what a tree closes for the rules to restart
    static constexpr double kFloorsShare = 0.1, kLongestFloors = 10;  // of the time, in seconds
    static constexpr double kWorthwhile = 0.02;  // of the gap: what floors close for more of them

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
