// States and choices reachable under allowed actions.
#pragma once

#include "proof/total_reward/end_components.hpp"

namespace spotree::proof {

class Reach {
  public:
    explicit Reach(const GroupedModel& model)
        : m_(model), inside_(model.num_states, 0), dead_(model.num_states, 0), usable_(model.num_rows(), 0) {
        if (model.undiscounted()) endless_.emplace(model);
    }

    const std::vector<int32_t>& states() const { return states_; }  // successors mostly first
    bool has(int state) const { return inside_[state]; }
    bool usable(int64_t row) const { return usable_[row]; }

    // False if no allowed policy avoids forbidden actions (undiscounted: and has a finite value).
    bool explore(const ActionSets& allowed) {
        if (endless_) {
            if (explore_living(allowed)) return true;
            endless_->mark(allowed, dead_);
        } else if (m_.forbids) {
            mark_dead(allowed);
        }
        if (!begin()) return false;
        for (size_t at = 0; at < states_.size(); ++at) {
            const int i = states_[at];
            bool any = false;
            for (int64_t row = m_.choice_start[i]; row < m_.choice_start[i + 1]; ++row) {
                usable_[row] = m_.offered(i, row, allowed) && !leads_to_death(row);
                if (!usable_[row]) continue;
                any = true;
                follow(row);
            }
            if (!any) return false;
        }
        sort();
        return true;
    }

    // The states that one row per state (-1: forbidden) leads to; false if a forbidden one is reached.
    bool explore(const std::vector<int32_t>& rows) {
        std::fill(dead_.begin(), dead_.end(), 0);
        begin();
        for (size_t at = 0; at < states_.size(); ++at) {
            const int32_t row = rows[states_[at]];
            if (row < 0) return false;
            follow(row);
        }
        sort();
        return true;
    }

  private:
    // Undiscounted: all that allowed actions lead to, if none of it is dead; dead states elsewhere do not
    // matter then. Mostly each state has a row that comes closer to an end, and nothing more is looked at.
    bool explore_living(const ActionSets& allowed) {
        std::fill(dead_.begin(), dead_.end(), 0);
        begin();
        bool all_closer = true;
        for (size_t at = 0; at < states_.size(); ++at) {
            const int i = states_[at];
            bool closer = false;
            for (int64_t row = m_.choice_start[i]; row < m_.choice_start[i + 1]; ++row) {
                usable_[row] = m_.offered(i, row, allowed);
                if (!usable_[row]) continue;
                closer = closer || endless_->closer(i, row);
                follow(row);
            }
            all_closer &= closer;
        }
        if (!all_closer && !endless_->none_dead(
                               states_, [this](int32_t i) { return bool(inside_[i]); },
                               [this](int64_t row) { return bool(usable_[row]); }))
            return false;
        sort();
        return true;
    }

    bool begin() {
        states_.clear();
        std::fill(inside_.begin(), inside_.end(), 0);
        for (int i = 0; i < m_.num_states; ++i) {
            if (m_.initial[i] <= 0) continue;
            if (dead_[i]) return false;
            visit(i);
        }
        return true;
    }

    void visit(int state) {
        if (inside_[state]) return;
        inside_[state] = 1;
        states_.push_back(state);
    }

    void follow(int64_t row) {
        for (int64_t k = m_.row_start[row]; k < m_.row_start[row + 1]; ++k) visit(m_.target[k]);
    }

    void sort() {
        states_.clear();
        for (int i : m_.order) {
            if (inside_[i]) states_.push_back(i);
        }
    }

    bool leads_to_death(int64_t row) const {
        if (!m_.has_dead()) return false;
        for (int64_t k = m_.row_start[row]; k < m_.row_start[row + 1]; ++k) {
            if (dead_[m_.target[k]]) return true;
        }
        return false;
    }

    // A state is dead when every allowed action is forbidden there or may lead to a dead state.
    void mark_dead(const ActionSets& allowed) {
        std::fill(dead_.begin(), dead_.end(), 0);
        for (bool changed = true; changed;) {
            changed = false;
            for (int i = 0; i < m_.num_states; ++i) {
                if (dead_[i]) continue;
                bool alive = false;
                for (int64_t row = m_.choice_start[i]; row < m_.choice_start[i + 1] && !alive; ++row) {
                    alive = m_.offered(i, row, allowed) && !leads_to_death(row);
                }
                if (!alive) dead_[i] = changed = true;
            }
        }
    }

    const GroupedModel& m_;
    std::vector<int32_t> states_;
    std::vector<char> inside_, dead_, usable_;
    std::optional<RecurrentClasses> endless_;
};

}  // namespace spotree::proof
