// Rule "state": part a region by what one group of states does; the most promising region first.
#pragma once

#include <condition_variable>
#include <memory>
#include <numeric>
#include <set>

#include "proof/log/proof_log.hpp"
#include "proof/nodes/evaluate_tree.hpp"
#include "proof/nodes/grouped_model.hpp"

namespace spotree::proof {

class StateRule {
    struct Parent {
        Subproblem region;
        int32_t number, group;
        std::vector<int32_t> same;  // the actions that one side keeps and the other removes
    };
    struct Open {
        double bound;
        int64_t order;
        std::shared_ptr<const Parent> parent;
        bool keeps;
        bool operator<(const Open& o) const { return bound != o.bound ? bound < o.bound : order < o.order; }
    };

  public:
    StateRule(Shared& shared, ProofLog& journal) : shared_(shared), m_(shared.model), journal_(journal) {}

    // The root region has been processed before, with the proof in `draft`.
    void begin(Bounder& bounder, Subproblem root, const Draft& draft) {
        const std::vector<Item> whole{{0, shared_.sizes.whole, 0}};
        const double shown = root.bound;
        const Verdict verdict = bounder.process(root, whole, 1, false, nullptr, nullptr, Effort::none);
        root.bound = shown;  // what this found is not in the draft
        switch (verdict) {
            case Verdict::closed:
                write_region(journal_, -1, 0, 0, draft, {0});
                break;
            case Verdict::stopped:
                stuck_.push_back({-1, 0, draft, shown, shown});
                break;
            case Verdict::open:
                if (!branch(bounder, root, -1, 0, draft, shown))
                    stuck_.push_back({-1, 0, draft, shown, shown});
                break;
        }
    }

    // A region that was parted before, of which one side or both are still open.
    void reopen(const Subproblem& region, int32_t number, int32_t group, std::vector<int32_t> same, bool kept,
                bool removed) {
        auto made = std::make_shared<Parent>();
        made->region = region;
        made->number = number;
        made->group = group;
        made->same = std::move(same);
        if (!removed) put({region.bound, 0, made, false});
        if (!kept) put({region.bound, 0, made, true});
    }

    // One of any number of workers; returns when everything is closed, the time is up or `leave` says so.
    template <class Leave>
    void work(Bounder& bounder, Leave&& leave) {
        size_t me;
        {
            std::scoped_lock hold(lock_);
            me = working_.size();
            working_.push_back(-std::numeric_limits<double>::infinity());
        }
        while (!shared_.stopped() && !leave()) {
            Open open;
            {
                std::unique_lock hold(lock_);
                if (!take(open)) {
                    if (busy_ == 0) return;
                    changed_.wait_for(hold, std::chrono::milliseconds(2));
                    continue;
                }
                ++busy_;
                working_[me] = open.bound;
            }
            expand(bounder, open);
            {
                std::scoped_lock hold(lock_);
                --busy_;
                working_[me] = -std::numeric_limits<double>::infinity();
            }
            changed_.notify_all();
        }
    }

    bool finished() {
        std::scoped_lock hold(lock_);
        return frontier_.empty() && busy_ == 0 && most_of_stuck(&Stuck::bound) <= shared_.close_at();
    }

    // After the end of a finished proof: a better tree has closed what was stuck, which is now written down.
    void settle() {
        for (const auto& s : stuck_) write_region(journal_, s.parent, s.side, 0, s.draft, {0});
        stuck_.clear();
    }

    // No tree that improves on the incumbent is worth more than this.
    double bound() { return most(&Stuck::bound); }

    // The same as far as it is written down: what is stuck is not.
    double certified() { return most(&Stuck::shown); }

  private:
    struct Stuck {  // a region that could neither be closed nor parted
        int32_t parent, side;
        Draft draft;
        double bound, shown;  // of the region, of its parent
    };

    double most_of_stuck(double Stuck::* which) const {
        double most = -std::numeric_limits<double>::infinity();
        for (const auto& s : stuck_) most = std::max(most, s.*which);
        return most;
    }

    double most(double Stuck::* which) {
        std::scoped_lock hold(lock_);
        double most = most_of_stuck(which);
        if (!frontier_.empty()) most = std::max(most, frontier_.rbegin()->bound);
        for (double b : working_) most = std::max(most, b);
        return most;
    }

    // Best first; once the frontier fills the memory, the newest first, which keeps it small.
    bool take(Open& open) {
        while (!frontier_.empty() && frontier_.rbegin()->bound <= shared_.close_at()) {
            frontier_.clear();
            newest_.clear();
        }
        if (frontier_.empty()) return false;
        auto place = std::prev(frontier_.end());
        if (shared_.memory_limit && frontier_.size() * bytes_each_ > shared_.memory_limit)
            place = newest_.rbegin()->second;
        open = *place;
        newest_.erase(open.order);
        frontier_.erase(place);
        return true;
    }

    void put(Open open) {
        std::scoped_lock hold(lock_);
        open.order = order_++;
        const auto place = frontier_.insert(std::move(open));
        newest_[place->order] = place;
    }

    void expand(Bounder& bounder, const Open& open) {
        Subproblem region = open.parent->region;
        region.bound = open.bound;
        const int g = open.parent->group;
        if (open.keeps) {
            ActionSets& allowed = region.allowed;
            std::vector<uint64_t> keep(m_.words, 0);
            for (int a : open.parent->same) keep[a / 64] |= ActionSets::bit(a);
            for (int k = 0; k < m_.words; ++k) allowed.of(g)[k] &= keep[k];
        } else {
            for (int a : open.parent->same) region.allowed.remove(g, a);
        }
        Draft draft;
        draft.brief = journal_.brief();
        const std::vector<Item> whole{{0, shared_.sizes.whole, 0}};
        const Verdict verdict = bounder.process(region, whole, kRounds, true, journal_.on ? &draft : nullptr);
        if (verdict == Verdict::stopped) return put(open);
        const int32_t side = open.keeps ? 0 : 1;
        if (verdict == Verdict::closed) {
            write_region(journal_, open.parent->number, side, 0, draft, {0});
        } else if (!branch(bounder, region, open.parent->number, side, draft, open.bound)) {
            put(open);
        }
    }

    // False if the time was up. `shown` is the bound of what the region is a part of.
    bool branch(Bounder& bounder, Subproblem& region, int32_t parent, int32_t side, const Draft& draft,
                double shown) {
        auto stop = [&] { return shared_.stopped(); };
        std::vector<double> occupancy;
        bounder.relaxer.occupancy(region.relaxed, occupancy, stop);
        const double room = std::max(region.relaxed.bound - shared_.close_at(), shared_.tolerance);
        // States that the relaxed policy never visits count a little too: the tree may well get there.
        std::vector<double> weight = occupancy;
        const auto& reach = bounder.relaxer.reach();
        const double all = m_.undiscounted() ? std::reduce(occupancy.begin(), occupancy.end()) : 0;
        const double leak = m_.undiscounted() ? 1 / (1 + all) : 1 - m_.discount;
        for (int i : reach) weight[i] += kUnvisited / leak / double(reach.size());
        bounder.find_losses(region, weight, 10 * room);
        int group = -1;
        std::vector<int32_t> action_of, same;
        if (bounder.least_loss.solve(bounder.loss, bounder.viable, {{0, shared_.sizes.whole, 0}}, stop)) {
            std::vector<TreeNode> tree;
            bounder.least_loss.extract(0, shared_.sizes.whole, bounder.viable, tree);
            actions_of_tree(shared_.cubes, tree, m_.num_groups, action_of);
            group = differing(bounder, region, occupancy, action_of, false);
            if (group < 0) group = differing(bounder, region, occupancy, action_of, true);
            if (group >= 0) same = same_as_policy(bounder, region, occupancy, group);
            std::vector<double> value = region.relaxed.value;
            offer_tree(shared_, bounder.relaxer, tree, action_of, value);
        }
        if (region.bound <= shared_.close_at()) {
            write_region(journal_, parent, side, 0, draft, {0});
            return true;
        }
        if (group < 0) {
            if (stop()) return false;
            std::scoped_lock hold(lock_);  // nothing left to branch on: stays open with its bound
            stuck_.push_back({parent, side, draft, region.bound, shown});
            return true;
        }
        auto made = std::make_shared<Parent>();
        made->group = group;
        made->same = std::move(same);
        made->region = std::move(region);
        std::vector<int32_t> words{1, group, int32_t(made->same.size())};
        words.insert(words.end(), made->same.begin(), made->same.end());
        made->number = write_region(journal_, parent, side, 0, draft, words, made->region.bound);
        bytes_each_.store(made->region.allowed.bytes() / 2 + size_t(m_.num_states) * 6 + 200,
                          std::memory_order_relaxed);
        const double bound = made->region.bound;
        put({bound, 0, made, false});
        put({bound, 0, made, true});
        return true;
    }

    // The group where tree and relaxed policy differ and most is at stake (any: where they could differ).
    int differing(const Bounder& bounder, const Subproblem& region, const std::vector<double>& occupancy,
                  const std::vector<int32_t>& action_of, bool any) const {
        int best = -1;
        double most = -1;
        for (int g = 0; g < m_.num_groups; ++g) {
            if (!bounder.reached[g] || region.allowed.count(g) < 2) continue;
            bool differs = false;
            for (int k = m_.group_start[g]; k < m_.group_start[g + 1] && !differs; ++k) {
                const int i = m_.group_state[k];
                if (!bounder.relaxer.reaches(i)) continue;
                const int32_t row = region.relaxed.policy[i];
                if (any) {
                    for (int a = 0; a < m_.num_actions; ++a) {
                        differs |= region.allowed.has(g, a) && m_.choices(i)[a] != row;
                    }
                } else {
                    differs = occupancy[i] > 0 && m_.choices(i)[action_of[g]] != row;
                }
            }
            if (!differs || !can_part(region, g)) continue;
            double stake = 0;
            for (int a = 0; a < m_.num_actions; ++a) {
                if (region.allowed.has(g, a))
                    stake = std::max(stake, bounder.loss[size_t(g) * bounder.least_loss.padded() + a]);
            }
            if (stake > most) most = stake, best = g;
        }
        return best;
    }

    // Whether some of the allowed actions of a group do something else than the others. They may not,
    // although tree and policy differ: the tree of least loss may take an action that is not allowed.
    bool can_part(const Subproblem& region, int group) const {
        int lead = -1;
        for (int a = 0; a < m_.num_actions; ++a) {
            if (!region.allowed.has(group, a)) continue;
            if (lead < 0) lead = a;
            for (int k = m_.group_start[group]; k < m_.group_start[group + 1]; ++k) {
                const int32_t* rows = m_.choices(m_.group_state[k]);
                if (rows[a] != rows[lead]) return true;
            }
        }
        return false;
    }

    // The allowed actions that do in the group what the relaxed policy does in its most visited state.
    std::vector<int32_t> same_as_policy(const Bounder& bounder, const Subproblem& region,
                                        const std::vector<double>& occupancy, int group) const {
        int heaviest = -1;
        for (int k = m_.group_start[group]; k < m_.group_start[group + 1]; ++k) {
            const int i = m_.group_state[k];
            if (!bounder.relaxer.reaches(i)) continue;
            if (heaviest < 0 || occupancy[i] > occupancy[heaviest]) heaviest = i;
        }
        int lead = -1;
        for (int a = 0; a < m_.num_actions && lead < 0; ++a) {
            const bool taken = m_.choices(heaviest)[a] == region.relaxed.policy[heaviest];
            if (taken && region.allowed.has(group, a)) lead = a;
        }
        std::vector<int32_t> same;
        for (int a = 0; a < m_.num_actions; ++a) {
            if (!region.allowed.has(group, a)) continue;
            bool equal = true;
            for (int k = m_.group_start[group]; k < m_.group_start[group + 1]; ++k) {
                const int32_t* rows = m_.choices(m_.group_state[k]);
                equal &= rows[a] == rows[lead];
            }
            if (equal) same.push_back(a);
        }
        return same;
    }

    static constexpr double kUnvisited = 1e-2;  // of all visits: spread over the states that can be reached

    Shared& shared_;
    const GroupedModel& m_;
    ProofLog& journal_;
    std::mutex lock_;
    std::condition_variable changed_;
    std::multiset<Open> frontier_;
    std::map<int64_t, std::multiset<Open>::iterator> newest_;
    std::vector<double> working_;
    int busy_ = 0;
    int64_t order_ = 0;
    std::atomic<size_t> bytes_each_{1000};  // threads branch and take at the same time
    std::vector<Stuck> stuck_;
};

}  // namespace spotree::proof
