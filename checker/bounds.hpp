// Lemmas 1 to 4 of docs/proof.md on one region: what is reached, what no policy exceeds, what every tree
// visits and loses. Every bound includes what rounding may have taken from it.
#pragma once

#include <optional>

#include "undiscounted.hpp"

namespace checker {

constexpr int64_t kFewPasses = 3'000;  // undiscounted: visits of states that are never left grow for ever
constexpr int64_t kPasses = 10'000, kSteps = 100'000'000;  // visits are sought in no more passes, or steps

// What is left when only allowed actions are taken.
class Reach {
  public:
    explicit Reach(const Model& model)
        : m_(model), usable_(model.reward.size(), 0), inside_(model.states, 0), dead_(model.states, 0) {
        if (model.undiscounted) endless_.emplace(model);
    }

    // False if no policy keeps to the allowed actions.
    bool explore(const ActionSets& allowed) {
        if (endless_) {
            endless_->mark([&](int32_t i, int32_t row) { return offered(i, row, allowed); }, dead_);
        } else if (m_.forbids) {
            mark_dead(allowed);
        }
        std::fill(inside_.begin(), inside_.end(), 0);
        found_.clear();
        largest_ = lowest_ = 0;
        auto visit = [&](int32_t i) {
            if (!inside_[i]) inside_[i] = 1, found_.push_back(i);
        };
        for (int32_t i = 0; i < m_.states; ++i) {
            if (m_.initial[i] > 0) visit(i);
        }
        for (size_t at = 0; at < found_.size(); ++at) {
            const int32_t i = found_[at];
            if (dead_[i]) return false;
            bool any = false;
            for (int32_t row = m_.row_begin[i]; row < m_.row_begin[i + 1]; ++row) {
                usable_[row] = offered(i, row, allowed) && !leads_to_death(row);
                if (!usable_[row]) continue;
                any = true;
                largest_ = std::max(largest_, std::abs(m_.reward[row]));
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
    double largest() const { return largest_; }                           // |reward| of a usable row
    double lowest() const { return lowest_ / m_.far * (1 + 4 * kUnit); }  // no policy is worth less anywhere

  private:
    bool offered(int32_t state, int32_t row, const ActionSets& allowed) const {
        const uint64_t* by = &m_.row_actions[size_t(row) * m_.words];
        const int32_t g = m_.group_of[state];
        for (int k = 0; k < m_.words; ++k) {
            if (by[k] & (g < 0 ? ~uint64_t(0) : allowed.of(g)[k])) return true;
        }
        return false;
    }

    bool leads_to_death(int32_t row) const {
        for (int64_t k = m_.entry_begin[row]; (m_.forbids || endless_) && k < m_.entry_begin[row + 1]; ++k) {
            if (dead_[m_.target[k]]) return true;
        }
        return false;
    }

    // A state is dead when every allowed action is forbidden there or may lead to a dead state.
    void mark_dead(const ActionSets& allowed) {
        std::fill(dead_.begin(), dead_.end(), 0);
        for (bool changed = true; changed;) {
            changed = false;
            for (int32_t i = 0; i < m_.states; ++i) {
                bool alive = dead_[i];
                for (int32_t row = m_.row_begin[i]; row < m_.row_begin[i + 1] && !alive; ++row) {
                    alive = offered(i, row, allowed) && !leads_to_death(row);
                }
                if (!alive) dead_[i] = changed = true;
            }
        }
    }

    const Model& m_;
    std::vector<char> usable_, inside_, dead_;
    std::vector<int32_t> found_;
    std::optional<Endless> endless_;
    double largest_ = 0, lowest_ = 0;
};

// An upper bound on the return of every allowed policy, and what it stands on.
struct Upper {
    double bound = std::numeric_limits<double>::infinity();
    double more = 0;     // the value is too low by at most this (e / (1 - gamma))
    double size = 0;     // the largest |value| of a reached state
    double highest = 0;  // the largest value of a reached state
};

class Bounds {
  public:
    explicit Bounds(const Model& model)
        : reach(model),
          m_(model),
          arriving_(model.states, 0),
          lost_(model.states, 0),
          stays_(model.states, 0),
          listed_(model.states, 0) {}

    Reach reach;

    // Lemma 1 after sweeps of value iteration in place, with the way back to the state itself summed up.
    // After a sweep no value is too low by more than the largest rise in it: what rose later counts with a
    // factor below 1.
    Upper sweep(std::vector<double>& value, int sweeps) const {
        double rise = 0, size = 0;
        for (int k = 0; k < sweeps; ++k) {
            rise = size = 0;
            for (const int32_t i : reach.states()) {
                const double was = value[i];
                value[i] = 0;  // so that nothing cancels out in a state that is stayed in for long
                double most = -std::numeric_limits<double>::infinity();
                for (int32_t row = m_.row_begin[i]; row < m_.row_begin[i + 1]; ++row) {
                    if (!reach.usable(row)) continue;
                    const double worth = m_.worth(row, value.data());
                    most = std::max(most, m_.stay[row] > 0 ? worth / (1 - m_.stay[row]) : worth);
                }
                rise = std::max(rise, most - was);
                size = std::max({size, std::abs(was), std::abs(most)});
                value[i] = most;
            }
        }
        return upper(value, rise + (m_.backup + 8 * kUnit) * (2 * size + reach.largest()),
                     size);  // own loops: one division more
    }

    // Lemma 1 for a value as it stands: e is looked for in every usable row.
    Upper measure(const std::vector<double>& value) const {
        double excess = 0, size = 0;
        if (m_.undiscounted)
            return holds(value.data(), 1, -1) ? upper(value, 0, sized(value.data())) : Upper{};
        for (const int32_t i : reach.states()) {
            size = std::max(size, std::abs(value[i]));
            for (int32_t row = m_.row_begin[i]; row < m_.row_begin[i + 1]; ++row) {
                if (!reach.usable(row)) continue;
                const double least = value[i] - m_.backup * std::abs(m_.reward[row]);
                excess = std::max(excess, m_.worth(row, value.data()) - least);
            }
        }
        return upper(value, excess + 2 * m_.backup * size, size);
    }

    // Lemma 4: scale * return - visits of the state is at most this for every allowed policy.
    double floor_bound(const double* value, double scale, int32_t state) const {
        double excess = 0, size = 0;
        if (m_.undiscounted)
            return holds(value, scale, state) ? start(value, sized(value), 0)
                                              : std::numeric_limits<double>::infinity();
        for (const int32_t i : reach.states()) {
            size = std::max(size, std::abs(value[i]));
            for (int32_t row = m_.row_begin[i]; row < m_.row_begin[i + 1]; ++row) {
                if (!reach.usable(row)) continue;
                const double now = scale * m_.reward[row] - (i == state ? 1.0 : 0.0);
                const double least = value[i] - m_.backup * scale * std::abs(m_.reward[row]);
                excess = std::max(excess, now + m_.later(row, value) - least);
            }
        }
        excess += m_.backup * (2 * size + 1);
        return start(value, size, excess / m_.far);
    }

    // Lemma 3 from below: visits that every tree of a larger region pays, raised by what arrives here for
    // certain. Every step holds, so it may end at any time; what is left when it ends is below `enough` in
    // sum. False if it takes too long.
    bool raise_visits(std::vector<double>& visits, const std::vector<double>& floor, double enough,
                      auto&& stop) {
        std::fill(arriving_.begin(), arriving_.end(), 0.0);
        std::fill(lost_.begin(), lost_.end(), 0.0);
        std::fill(stays_.begin(), stays_.end(), 0.0);
        std::fill(listed_.begin(), listed_.end(), 0);
        edges_.clear();
        where_.clear();
        for (const int32_t i : reach.states()) {
            visits[i] = std::max(visits[i], floor[i]);
            if (m_.initial[i] > 0) arriving_[i] = m_.initial[i];
        }
        for (auto at = reach.states().rbegin(); at != reach.states().rend(); ++at) {
            if (visits[*at] > 0) push(*at, visits[*at]);
        }
        double moved = std::numeric_limits<double>::infinity();
        for (int64_t left = kPasses + kSteps / m_.states; moved > enough * m_.far && !stop(); --left) {
            if (left == 0 || (m_.undiscounted && left == kPasses + kSteps / m_.states - kFewPasses))
                return m_.undiscounted;
            moved = 0;
            for (auto at = reach.states().rbegin(); at != reach.states().rend(); ++at) {
                const int32_t i = *at;
                const double here = arriving_[i] + lost_[i];
                if (here <= visits[i] * (1 - stays_[i])) continue;
                if (!listed_[i]) list(i);  // now its own loop is known
                const double away = 1 - stays_[i], most = here * (1 - kUnit * (16 + 4 / away)) / away;
                const double by = most - visits[i];
                if (!(by > 0)) continue;
                visits[i] = most;
                moved += by;
                push(i, by);
            }
        }
        return true;
    }

    // Lemma 2: what a group loses at least by an action, for groups where something is lost, and the actions
    // that no improving tree takes there.
    struct Losses {
        std::vector<int32_t> groups;  // that lose something
        std::vector<double> loss;     // [that group, action]
        ActionSets blocked;           // [group] not allowed, or surely deadly; empty where nothing is reached
        std::vector<char> reached;    // [group]
    };

    void find_losses(const ActionSets& allowed, const std::vector<double>& value,
                     const std::vector<double>& visits, double size, Losses& to) const {
        to.groups.clear();
        to.loss.clear();
        to.reached.assign(m_.groups, 0);
        to.blocked = allowed;
        std::vector<double> sum(m_.actions);
        std::vector<double> regret;
        for (int g = 0; g < m_.groups; ++g) {
            bool any = false;
            std::fill(sum.begin(), sum.end(), 0.0);
            for (int k = 0; k < m_.words; ++k) to.blocked.of(g)[k] = ~allowed.of(g)[k];
            for (const int32_t i : m_.group_states[g]) {
                if (!reach.has(i)) continue;
                to.reached[g] = 1;
                if (!(visits[i] > 0)) continue;
                any = true;
                const int32_t first = m_.row_begin[i];
                regret.assign(m_.row_begin[i + 1] - first, -1.0);
                for (int32_t row = first; row < m_.row_begin[i + 1]; ++row) {
                    if (!reach.usable(row)) continue;
                    const double error = m_.backup * (2 * size + std::abs(m_.reward[row]));
                    const double lost = m_.undiscounted
                                            ? surely_above(m_, i, row, value.data(), m_.reward[row])
                                            : value[i] - m_.worth(row, value.data()) - error;
                    regret[row - first] = std::max(0.0, lost);
                }
                for (int a = 0; a < m_.actions; ++a) {
                    const int32_t row = m_.choice[size_t(i) * m_.actions + a];
                    if (row < 0 || regret[row - first] < 0)
                        to.blocked.of(g)[a / 64] |= ActionSets::bit(a);
                    else
                        sum[a] += visits[i] * regret[row - first];
                }
            }
            if (!to.reached[g]) std::fill_n(to.blocked.of(g), m_.words, uint64_t(0));
            if (!any) continue;
            to.groups.push_back(g);
            to.loss.insert(to.loss.end(), sum.begin(), sum.end());
        }
    }

  private:
    // Lemma 1 without a discount, with rewards times a scale, and 1 less for a visit to one state.
    bool holds(const double* value, double scale, int32_t state) const {
        for (const int32_t i : reach.states()) {
            for (int32_t row = m_.row_begin[i]; row < m_.row_begin[i + 1]; ++row) {
                const double pay = scale * m_.reward[row] - (i == state ? 1.0 : 0.0);
                if (reach.usable(row) && !row_holds(m_, i, row, value, pay)) return false;
            }
        }
        return true;
    }

    double sized(const double* value) const {
        double size = 0;
        for (const int32_t i : reach.states()) size = std::max(size, std::abs(value[i]));
        return size;
    }

    Upper upper(const std::vector<double>& value, double excess, double size) const {
        Upper found;
        found.size = size;
        found.more = excess / m_.far;
        found.bound = start(value.data(), size, found.more);
        found.highest = -size;
        for (const int32_t i : reach.states()) found.highest = std::max(found.highest, value[i]);
        return found;
    }

    // p0'V where V is too low by `more`, rounded up.
    double start(const double* value, double size, double more) const {
        return m_.start_value(value) + more * m_.start_sum + kUnit * (m_.start_states + 8) * (size + more);
    }

    // Adds, and keeps what the addition loses: however often it is done, the sum is good to a few units.
    void arrive(int32_t i, double by) {
        const double sum = arriving_[i] + by, part = sum - arriving_[i];
        lost_[i] += (arriving_[i] - (sum - part)) + (by - part);
        arriving_[i] = sum;
    }

    // Lets more visits of a state arrive at those that every usable row of it may lead to.
    void push(int32_t i, double by) {
        if (!listed_[i]) list(i);
        const auto [begin, count] = where_[listed_[i] - 1];
        for (size_t k = begin; k < begin + count; ++k) {
            if (edges_[k].first != i) arrive(edges_[k].first, edges_[k].second * by);
        }
    }

    // The next states that all usable rows of a state have in common, and the least probability of each.
    void list(int32_t i) {
        const size_t begin = edges_.size();
        bool first = true;
        for (int32_t row = m_.row_begin[i]; row < m_.row_begin[i + 1]; ++row) {
            if (!reach.usable(row)) continue;
            int64_t k = m_.entry_begin[row];
            const int64_t end = m_.entry_begin[row + 1];
            if (first) {
                for (; k < end; ++k) edges_.emplace_back(m_.target[k], m_.weight[k]);
                first = false;
                continue;
            }
            size_t kept = begin;
            for (size_t j = begin; j < edges_.size() && k < end;) {
                if (edges_[j].first < m_.target[k]) {
                    ++j;
                } else if (edges_[j].first > m_.target[k]) {
                    ++k;
                } else {
                    edges_[kept++] = {m_.target[k], std::min(edges_[j].second, m_.weight[k])};
                    ++j, ++k;
                }
            }
            edges_.resize(kept);
        }
        for (size_t k = begin; k < edges_.size(); ++k) {
            if (edges_[k].first == i) stays_[i] = edges_[k].second;
        }
        where_.emplace_back(begin, edges_.size() - begin);
        listed_[i] = int32_t(where_.size());
    }

    const Model& m_;
    std::vector<double> arriving_, lost_;  // [state] from other states and at the start; lost by rounding
    std::vector<double> stays_;            // [state] least discounted probability to stay
    std::vector<int32_t> listed_;          // [state] place in `where_` + 1, 0: not listed yet
    std::vector<std::pair<int32_t, double>> edges_;
    std::vector<std::pair<size_t, size_t>> where_;
};

}  // namespace checker
