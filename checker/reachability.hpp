// What is left of the model when only some actions are allowed: states that are reached, and dead ones.
#pragma once

#include "model.hpp"

namespace checker {

class Reach {
  public:
    explicit Reach(const Model& model)
        : m_(model),
          usable_(model.reward.size(), 0),
          inside_(model.states, 0),
          dead_(inside_),
          idle_(inside_) {}

    // False if no policy keeps to the allowed actions.
    bool explore(const Actions& allowed) {
        const bool deadly = m_.forbids || m_.undiscounted;
        if (deadly) mark_dead(allowed);
        std::fill(inside_.begin(), inside_.end(), 0);
        found_.clear();
        lowest_ = highest_ = 0;
        auto visit = [&](int32_t i) {
            if (!inside_[i]) inside_[i] = 1, found_.push_back(i);
        };
        for (int32_t i = 0; i < m_.states; ++i) {
            if (m_.initial[i] > 0) visit(i);
        }
        for (size_t at = 0; at < found_.size(); ++at) {
            const int32_t i = found_[at];
            if (dead_[i]) return false;
            if (!deadly) offer(i, allowed);
            bool any = false;
            for (int32_t row = m_.row_begin[i]; row < m_.row_begin[i + 1]; ++row) {
                if (!usable_[row]) continue;
                any = true;
                highest_ = std::max(highest_, m_.reward[row]);
                lowest_ = std::min(lowest_, m_.reward[row]);
                for (int64_t k = m_.entry_begin[row]; k < m_.entry_begin[row + 1]; ++k) visit(m_.target[k]);
            }
            if (!any) return false;
        }
        found_.clear();
        for (const int32_t i : m_.order) {
            if (inside_[i]) found_.push_back(i);
        }
        return true;
    }

    const std::vector<int32_t>& states() const { return found_; }  // in the order of a sweep
    bool has(int32_t state) const { return inside_[state]; }
    bool usable(int32_t row) const { return usable_[row]; }
    bool idle(int32_t state) const { return idle_[state]; }  // undiscounted: may go on for ever for 0
    double highest() const { return highest_; }              // reward of a usable row, or 0
    double lowest() const { return lowest_; }
    double largest() const { return std::max(highest_, -lowest_); }

  private:
    // The rows of a state that allowed actions lead to become usable, the others do not.
    void offer(int32_t i, const Actions& allowed) {
        std::fill(usable_.begin() + m_.row_begin[i], usable_.begin() + m_.row_begin[i + 1], 0);
        const int32_t g = m_.group_of[i], *choice = &m_.choice[m_.pair(i, 0)];
        for (int a = 0; a < m_.actions; ++a) {
            if (choice[a] >= 0) usable_[choice[a]] |= char(g < 0 || allowed[m_.pair(g, a)]);
        }
    }

    // A state is dead when every allowed action is forbidden there or may lead to a dead state; undiscounted
    // also when no policy that is left has a finite value from there: none that surely ends or, unless it
    // must, comes to states where it can go on for ever by rows without reward.
    void mark_dead(const Actions& allowed) {
        for (int32_t i = 0; i < m_.states; ++i) offer(i, allowed);
        std::fill(dead_.begin(), dead_.end(), 0);
        for (bool changed = true; changed;) {
            changed = false;
            find_alive();
            for (int32_t i = 0; i < m_.states; ++i) {
                changed |= alive_[i] == dead_[i];  // it was not dead and is not alive
                dead_[i] = !alive_[i];
            }
            for (int32_t row = 0; changed && row < int32_t(m_.reward.size()); ++row)
                usable_[row] = usable_[row] && !leads(row, dead_, 1);
        }
    }

    void find_alive() {
        idle_.assign(m_.states, m_.undiscounted && !m_.must_end);
        settle(idle_, 1,
               [&](int32_t row) { return m_.reward[row] == 0 && !m_.ends[row] && !leads(row, idle_, 0); });
        alive_ = idle_;
        settle(alive_, 0,
               [&](int32_t row) { return !m_.undiscounted || m_.ends[row] || leads(row, alive_, 1); });
    }

    // States with this mark lose it, until nothing changes: where some usable row passes if the mark is 0,
    // where none does if it is 1.
    void settle(std::vector<char>& marks, char mark, auto&& passes) const {
        for (bool changed = true; changed;) {
            changed = false;
            for (const int32_t i : m_.order) {
                if (marks[i] != mark) continue;
                bool any = false;
                for (int32_t row = m_.row_begin[i]; row < m_.row_begin[i + 1] && !any; ++row)
                    any = usable_[row] && passes(row);
                if (any != bool(mark)) marks[i] = any, changed = true;
            }
        }
    }

    bool leads(int32_t row, const std::vector<char>& marks, char mark) const {
        for (int64_t k = m_.entry_begin[row]; k < m_.entry_begin[row + 1]; ++k) {
            if (marks[m_.target[k]] == mark) return true;
        }
        return false;
    }

    const Model& m_;
    std::vector<char> usable_;                        // [row]
    std::vector<char> inside_, dead_, idle_, alive_;  // [state]
    std::vector<int32_t> found_;
    double lowest_ = 0, highest_ = 0;
};

}  // namespace checker
