// Undiscounted: where a policy can go on for ever at no reward, and from where every policy must do worse.
#pragma once

#include <limits>
#include <optional>

#include "linear/components.hpp"
#include "proof/nodes/grouped_model.hpp"

namespace spotree::proof {

// The maximal end components of rows without reward: sets of states with rows that lead everywhere within the
// set, never out of it, and never to the end of the episode. Those of a part of the model lie within those of
// the whole, so only their rows are ever looked at: where the whole has none, nothing is.
class FreeComponents {
  public:
    explicit FreeComponents(const GroupedModel& model)
        : m_(model),
          inside_(model.num_rows(), 0),
          ever_(model.num_rows(), 0),
          stays_(model.num_states, 0),
          start_(model.num_states + 1, 0) {
        for (int64_t row = 0; row < m_.num_rows(); ++row) ever_[row] = m_.reward[row] == 0 && !m_.ends[row];
        possible_ = m_.order;
        find([](int32_t) { return true; }, [](int64_t) { return true; });
        ever_ = inside_;
        std::erase_if(possible_, [this](int32_t i) { return !stays_[i]; });
    }

    // Of the usable rows of the states that are `met`; the rows of one more state may count as paying.
    template <class Met, class Usable>
    void find(Met&& met, Usable&& usable, int32_t paying = -1) {
        any_ = false;
        for (const int32_t i : possible_) {
            stays_[i] = 0;
            for (int64_t row = m_.choice_start[i]; row < m_.choice_start[i + 1]; ++row) {
                inside_[row] = ever_[row] && i != paying && met(i) && usable(row);
                stays_[i] |= inside_[row];
            }
            any_ |= bool(stays_[i]);
        }
        while (any_ && drop()) {
        }
    }

    bool any() const { return any_; }
    int32_t of(int32_t state) const { return stays_[state] ? components_.component_of(state) : -1; }
    bool inside(int64_t row) const { return inside_[row]; }

  private:
    // Drops the rows that leave their strongly connected component; false if there were none.
    bool drop() {
        target_.clear();
        roots_.clear();
        for (const int32_t i : possible_) {
            if (stays_[i]) roots_.push_back(i);
        }
        any_ = !roots_.empty();
        if (!any_) return false;
        for (int32_t i = 0; i < m_.num_states; ++i) {
            start_[i] = int64_t(target_.size());
            if (!stays_[i]) continue;
            for (int64_t row = m_.choice_start[i]; row < m_.choice_start[i + 1]; ++row) {
                if (inside_[row])
                    target_.insert(target_.end(), m_.target + m_.row_start[row],
                                   m_.target + m_.row_start[row + 1]);
            }
        }
        start_[m_.num_states] = int64_t(target_.size());
        ones_.resize(target_.size(), 1.0);
        const Chain graph{m_.num_states, start_.data(), nullptr, target_.data(), ones_.data(), 1.0};
        components_.find(graph, roots_.data(), int64_t(roots_.size()));
        bool dropped = false;
        for (const int32_t i : roots_) {
            stays_[i] = 0;
            for (int64_t row = m_.choice_start[i]; row < m_.choice_start[i + 1]; ++row) {
                for (int64_t k = m_.row_start[row]; inside_[row] && k < m_.row_start[row + 1]; ++k) {
                    if (components_.component_of(m_.target[k]) == components_.component_of(i)) continue;
                    inside_[row] = 0;
                    dropped = true;
                }
                stays_[i] |= inside_[row];
            }
        }
        return dropped;
    }

    const GroupedModel& m_;
    std::vector<char> inside_, ever_, stays_;  // [row], [row] in the whole model, [state]
    bool any_ = false;
    std::vector<int64_t> start_;
    std::vector<int32_t> possible_, target_, roots_;  // possible: states of the components of the whole
    std::vector<double> ones_;
    Components components_;
};

// Dead states: no allowed policy from there has a finite value. A policy has one if it surely ends or, unless
// it must end, comes to a free component; so what cannot get there goes, with all rows that may lead to it,
// until nothing goes.
class RecurrentClasses {
  public:
    explicit RecurrentClasses(const GroupedModel& model)
        : m_(model),
          free_(model),
          open_(model.num_rows(), 0),
          alive_(model.num_states, 0),
          steps_(model.num_states, std::numeric_limits<int32_t>::max()) {
        for (int64_t row = 0; row < m_.num_rows(); ++row) {
            if (m_.ends[row] && steps_[m_.state_of[row]] > 0)
                steps_[m_.state_of[row]] = 0, queue_.push_back(m_.state_of[row]);
        }
        for (size_t at = 0; at < queue_.size(); ++at) {
            const int32_t j = queue_[at];
            for (int64_t k = m_.before_start[j]; k < m_.before_start[j + 1]; ++k) {
                const int32_t i = m_.state_of[m_.before[k]];
                if (steps_[i] <= steps_[j] + 1) continue;
                steps_[i] = steps_[j] + 1;
                queue_.push_back(i);
            }
        }
    }

    // Whether the row may end the episode or come a step closer to where any row does, in the whole model.
    bool closer(int32_t i, int64_t row) const {
        if (m_.ends[row]) return true;
        for (int64_t k = m_.row_start[row]; k < m_.row_start[row + 1]; ++k) {
            if (steps_[m_.target[k]] < steps_[i]) return true;
        }
        return false;
    }

    // Whether none of the states is dead. They are all that the usable rows of theirs lead to.
    template <class Met, class Usable>
    bool none_dead(const std::vector<int32_t>& states, Met&& met, Usable&& usable) {
        if (!m_.must_end) free_.find(met, usable);
        for (const int32_t i : states) alive_[i] = 0;
        queue_.clear();
        auto reach = [&](int32_t i) {
            if (!alive_[i]) alive_[i] = 1, queue_.push_back(i);
        };
        for (const int32_t i : states) {
            for (int64_t row = m_.choice_start[i]; row < m_.choice_start[i + 1]; ++row) {
                if (usable(row) && (m_.ends[row] || (!m_.must_end && free_.inside(row)))) reach(i);
            }
        }
        for (size_t at = 0; at < queue_.size(); ++at) {
            const int32_t j = queue_[at];
            for (int64_t k = m_.before_start[j]; k < m_.before_start[j + 1]; ++k) {
                const int32_t i = m_.state_of[m_.before[k]];
                if (met(i) && usable(m_.before[k])) reach(i);
            }
        }
        return queue_.size() == states.size();
    }

    void mark(const ActionSets& allowed, std::vector<char>& dead) {
        std::fill(dead.begin(), dead.end(), 0);
        for (int64_t row = 0; row < m_.num_rows(); ++row)
            open_[row] = m_.offered(m_.state_of[row], row, allowed);
        while (true) {
            find_alive();
            bool changed = false;
            for (int32_t i = 0; i < m_.num_states; ++i) {
                if (alive_[i] || dead[i]) continue;
                dead[i] = changed = true;
                for (int64_t k = m_.before_start[i]; k < m_.before_start[i + 1]; ++k) open_[m_.before[k]] = 0;
            }
            if (!changed) return;
        }
    }

  private:
    void find_alive() {
        std::fill(alive_.begin(), alive_.end(), 0);
        queue_.clear();
        auto reach = [&](int32_t i) {
            if (!alive_[i]) alive_[i] = 1, queue_.push_back(i);
        };
        if (!m_.must_end)
            free_.find([](int32_t) { return true; }, [&](int64_t row) { return bool(open_[row]); });
        for (int64_t row = 0; row < m_.num_rows(); ++row) {
            if (open_[row] && (m_.ends[row] || (!m_.must_end && free_.inside(row)))) reach(m_.state_of[row]);
        }
        for (size_t at = 0; at < queue_.size(); ++at) {
            const int32_t j = queue_[at];
            for (int64_t k = m_.before_start[j]; k < m_.before_start[j + 1]; ++k) {
                if (open_[m_.before[k]]) reach(m_.state_of[m_.before[k]]);
            }
        }
    }

    const GroupedModel& m_;
    FreeComponents free_;
    std::vector<char> open_, alive_;
    std::vector<int32_t> steps_, queue_;  // steps: to a row that may end, at least, if every row were allowed
};

}  // namespace spotree::proof
