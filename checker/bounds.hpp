// Lemmas 1 to 4 of docs/proof.md on one region: what no policy exceeds, what every tree visits and loses.
// Every bound includes what rounding may have taken from it.
#pragma once

#include "reachability.hpp"

namespace checker {

constexpr int64_t kFewPasses = 3'000;  // undiscounted: visits of states that are never left grow for ever
constexpr int64_t kPasses = 10'000, kSteps = 100'000'000;  // visits are sought in no more passes, or steps
constexpr int64_t kLeap = 64;                              // passes from one attempt to be faster to the next
constexpr int kLowerings = 8;
constexpr double kOfLeap = 0.9;  // of what would be possible: the rest is for rounding

// An upper bound on the return of every allowed policy, and what it stands on.
struct Upper {
    double bound = kNever;
    double more = 0;     // the value is too low by at most this (e / (1 - gamma))
    double highest = 0;  // the largest value of a reached state
};

class Bounds {
  public:
    explicit Bounds(const Model& model)
        : reach(model),
          m_(model),
          arriving_(model.states),
          lost_(model.states),
          stays_(model.states),
          where_(model.states) {}

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
                double most = -kNever;
                for (int32_t row = m_.row_begin[i]; row < m_.row_begin[i + 1]; ++row) {
                    if (!reach.usable(row)) continue;
                    const double worth = m_.reward[row] + m_.later(row, value.data());
                    most = std::max(most, m_.stay[row] > 0 ? worth / (1 - m_.stay[row]) : worth);
                }
                rise = std::max(rise, most - was);
                size = std::max({size, std::abs(was), std::abs(most)});
                value[i] = most;
            }
        }
        const double units = m_.backup + 8 * kUnit;  // own loops: one division more
        return upper(value, rise + units * (2 * size + reach.largest() + kStep / kUnit), size);
    }

    // Lemma 1 for a value as it stands: e is looked for in every usable row; undiscounted there is none, and
    // every row must hold. Lemma 4 with rewards times a scale, and 1 less for a visit to a state: then scale
    // * return - visits of the state is at most the bound.
    Upper measure(std::span<const double> value, double scale = 1, int32_t state = -1) const {
        double excess = 0, size = 0;
        for (const int32_t i : reach.states()) {
            size = std::max(size, std::abs(value[i]));
            for (int32_t row = m_.row_begin[i]; row < m_.row_begin[i + 1]; ++row) {
                if (!reach.usable(row)) continue;
                const double less = i == state ? 1.0 : 0.0, pay = scale * m_.reward[row] - less;
                const auto [above, error] =
                    m_.gap(i, row, value.data(), pay, scale * std::abs(m_.reward[row]) + less);
                const bool free = pay == 0 && (less > 0 || scale == 0 || m_.reward[row] == 0);
                if (m_.undiscounted && !(above > error || (free && is_flat(i, row, value)))) return {};
                excess = std::max(excess, error - above);
            }
        }
        return upper(value, m_.undiscounted ? 0 : excess, size);
    }

    // Lemma 3 from below: visits that every tree of a larger region pays, raised by what arrives here for
    // certain. Every step holds, so it may end at any time; what is left when it ends is below `enough` in
    // sum. False if it takes too long.
    bool raise_visits(std::vector<double>& visits, const std::vector<double>& floor, double enough,
                      const Progress& progress) {
        std::fill(where_.begin(), where_.end(), std::pair(0, 0));
        std::fill(stays_.begin(), stays_.end(), 0.0);
        edges_.assign(1, {});  // so that no list ends at 0
        for (const int32_t i : reach.states()) visits[i] = std::max(visits[i], floor[i]);
        let_arrive(visits);
        std::vector<double> earlier, before;  // visits two windows and one window of passes ago
        int64_t begin = kLeap, window = kLeap;
        const int64_t most = m_.undiscounted ? kFewPasses : kPasses + kSteps / m_.states;
        double moved = kNever;
        for (int64_t pass = 1; moved > enough * m_.far; ++pass) {
            if (pass > most) return m_.undiscounted;
            progress.check();
            moved = 0;
            for (auto at = reach.states().rbegin(); at != reach.states().rend(); ++at) {
                const int32_t i = *at;
                if (arriving_[i] + lost_[i] <= visits[i] * (1 - stays_[i])) continue;
                const double here = certain(i), by = here - visits[i];
                if (!(by > 0)) continue;
                visits[i] = here;
                moved += by;
                push(i, by);
            }
            if (m_.undiscounted) continue;
            if (pass == begin) earlier = visits;
            if (pass == begin + window) before = visits;
            if (pass < begin + 2 * window) continue;
            if (!leap(visits, earlier, before, window)) return true;
            begin = pass + 1;
            window *= 2;  // the nearer they are, the less rounding may count
        }
        return true;
    }

    // Lemma 2: what a group loses at least by an action; never to be taken are those that are not allowed, or
    // surely deadly. What is not reached loses nothing.
    struct Losses {
        std::vector<double> loss;   // [group, action]
        std::vector<char> reached;  // [group]
    };

    Losses losses(const Actions& allowed, const std::vector<double>& value,
                  const std::vector<double>& visits) const {
        Losses to{std::vector<double>(allowed.size(), 0.0), std::vector<char>(m_.groups, 0)};
        std::vector<double> regret;
        for (int g = 0; g < m_.groups; ++g) {
            for (const int32_t i : m_.group_states[g]) {
                if (!reach.has(i)) continue;
                to.reached[g] = 1;
                if (!(visits[i] > 0)) continue;
                const int32_t first = m_.row_begin[i];
                regret.assign(m_.row_begin[i + 1] - first, kNever);
                for (int32_t row = first; row < m_.row_begin[i + 1]; ++row) {
                    if (!reach.usable(row)) continue;
                    const double pay = m_.reward[row];
                    const auto [above, error] = m_.gap(i, row, value.data(), pay, std::abs(pay));
                    regret[row - first] = std::max(0.0, above - error);
                }
                for (int a = 0; a < m_.actions; ++a) {
                    const int32_t row = m_.choice[m_.pair(i, a)];
                    to.loss[m_.pair(g, a)] += row < 0 ? kNever : visits[i] * regret[row - first];
                }
            }
            for (int a = 0; a < m_.actions && to.reached[g]; ++a) {
                if (!allowed[m_.pair(g, a)]) to.loss[m_.pair(g, a)] = kNever;
            }
        }
        return to;
    }

  private:
    // Undiscounted, where nothing is paid: going on for ever is worth no more than the value.
    bool is_flat(int32_t i, int32_t row, std::span<const double> value) const {
        for (int64_t k = m_.entry_begin[row]; k < m_.entry_begin[row + 1]; ++k) {
            if (!(value[m_.target[k]] == value[i])) return false;
        }
        return m_.ends[row] ? value[i] == 0 : m_.must_end || value[i] >= 0;
    }

    // p0'V where V is too low by e / (1 - gamma), rounded up.
    Upper upper(std::span<const double> value, double excess, double size) const {
        const double more = excess / m_.far;
        double highest = -size;
        for (const int32_t i : reach.states()) highest = std::max(highest, value[i]);
        const double error = (m_.start_states + 8) * (kUnit * (size + more) + kStep);
        return {m_.start_value(value) + more * m_.start_sum + error, more, highest};
    }

    // What arrives at the start and from such visits.
    void let_arrive(const std::vector<double>& visits) {
        std::fill(arriving_.begin(), arriving_.end(), 0.0);
        std::fill(lost_.begin(), lost_.end(), 0.0);
        for (const int32_t i : reach.states()) arriving_[i] = m_.initial[i];
        for (auto at = reach.states().rbegin(); at != reach.states().rend(); ++at) {
            if (visits[*at] > 0) push(*at, visits[*at]);
        }
    }

    // The visits of a state that are certain by what arrives there.
    double certain(int32_t i) {
        if (where_[i].second == 0) list(i);  // now its own loop is known
        const double away = 1 - stays_[i];
        return (arriving_[i] + lost_[i]) * (1 - kUnit * (16 + 4 / away)) / away;
    }

    // Close to discount 1 visits rise for long by a little less each time. If they rose by d and then by d'
    // in two passes, they would go on to rise by f d', f the least d / (d - d'): so much more is tried at
    // once, and kept if lemma 3 holds for it as it stands. False if they rise by no more than rounding takes
    // anyway.
    bool leap(std::vector<double>& visits, const std::vector<double>& earlier,
              const std::vector<double>& before, int64_t passes) {
        double times = kNever, sum = 0, rise = 0;
        for (const int32_t i : reach.states()) {
            const double one = before[i] - earlier[i], two = visits[i] - before[i];
            if (one > two) times = std::min(times, one / (one - two));
            sum += visits[i];
            rise += two;
        }
        if (rise <= 64 * kUnit * sum * double(passes)) return false;
        if (!(times > 2 && times < kNever)) return true;
        std::vector<double> more = visits;
        for (const int32_t i : reach.states())
            more[i] = std::max(visits[i], before[i] + kOfLeap * times * (visits[i] - before[i]));
        for (int k = 0; k < kLowerings; ++k) {
            let_arrive(more);
            bool holds = true;
            for (const int32_t i : reach.states()) {
                const double most = std::max(visits[i], certain(i));
                if (!(more[i] <= most)) more[i] = most, holds = false;
            }
            if (holds) return visits.swap(more), true;
        }
        let_arrive(visits);
        return true;
    }

    // Adds, and keeps what the addition loses: however often it is done, the sum is good to a few units.
    void arrive(int32_t i, double by) {
        const double sum = arriving_[i] + by, part = sum - arriving_[i];
        lost_[i] += (arriving_[i] - (sum - part)) + (by - part);
        arriving_[i] = sum;
    }

    // Lets more visits of a state arrive at those that every usable row of it may lead to.
    void push(int32_t i, double by) {
        if (where_[i].second == 0) list(i);
        for (size_t k = where_[i].first; k < where_[i].second; ++k) {
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
            for (; first && k < end; ++k) edges_.emplace_back(m_.target[k], m_.weight[k]);
            size_t kept = begin;
            for (size_t j = begin; j < edges_.size() && !first; ++j) {
                while (k < end && m_.target[k] < edges_[j].first) ++k;
                if (k < end && m_.target[k] == edges_[j].first)
                    edges_[kept++] = {m_.target[k], std::min(edges_[j].second, m_.weight[k])};
            }
            if (!first) edges_.resize(kept);
            first = false;
        }
        for (size_t k = begin; k < edges_.size(); ++k) {
            if (edges_[k].first == i) stays_[i] = edges_[k].second;
        }
        where_[i] = {begin, edges_.size()};
    }

    const Model& m_;
    std::vector<double> arriving_, lost_;  // [state] from other states and at the start; lost by rounding
    std::vector<double> stays_;            // [state] least discounted probability to stay
    std::vector<std::pair<size_t, size_t>> where_;  // [state] its edges; 0, 0: not listed
    std::vector<std::pair<int32_t, double>> edges_;
};

}  // namespace checker
