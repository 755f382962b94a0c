// Undiscounted: the best return of any allowed policy, with a little bonus on every step, so that it proves
// itself.
#pragma once

#include <cmath>
#include <limits>

#include "proof/bounds/reachability.hpp"
#include "values/chain_factors.hpp"

namespace spotree::proof {

// What is earned by a row: the model's rewards, or scale * reward less 1 for a visit to one state (for
// floors).
struct Pay {
    double scale = 1;
    int32_t visited = -1;

    double of(const GroupedModel& m, int32_t state, int64_t row) const {
        return scale * m.reward[row] - (state == visited ? 1 : 0);
    }
};

// Lemma 1 without a discount, row by row: nothing is allowed for beside rounding. A value that passes is a
// bound (docs/proof.md); no component is looked at here.
class RowCheck {
  public:
    explicit RowCheck(const GroupedModel& model) : m_(model) {}

    // By how much V_i is above what the row is worth, for certain; negative where it may not be.
    double regret(int32_t i, int64_t row, const double* value, const Pay& pay = {}) const {
        const auto [ahead, size] = sized_ahead(m_, row, value);
        const double now = pay.of(m_, i, row);
        const double entries = double(m_.row_start[row + 1] - m_.row_start[row]);
        return value[i] - now - ahead -
               (2 * entries + 16) * 0x1p-53 * (std::abs(value[i]) + std::abs(now) + size);
    }

    bool holds(const Reach& reach, const double* value, const Pay& pay = {}) const {
        for (const int32_t i : reach.states()) {
            for (int64_t row = m_.choice_start[i]; row < m_.choice_start[i + 1]; ++row) {
                if (reach.usable(row) && !row_holds(i, row, value, pay)) return false;
            }
        }
        return true;
    }

  private:
    bool row_holds(int32_t i, int64_t row, const double* value, const Pay& pay) const {
        if (regret(i, row, value, pay) > 0) return true;
        if (pay.of(m_, i, row) != 0) return false;
        for (int64_t k = m_.row_start[row]; k < m_.row_start[row + 1]; ++k) {
            if (value[m_.target[k]] != value[i]) return false;
        }
        if (m_.ends[row]) return value[i] == 0;
        return m_.must_end || value[i] >= 0;
    }

    const GroupedModel& m_;
};

// Policy iteration where each free component is one node: the rows that leave it, of all its states, and,
// unless the episode must end, to stop there at 0. On it every closed class pays, so its equations have one
// solution.
class Quotient {
  public:
    explicit Quotient(const GroupedModel& model)
        : m_(model),
          check_(model),
          free_(model),
          node_of_(model.num_states, -1),
          stops_(model.num_states, 0) {
        int64_t longest = 0;
        for (int64_t row = 0; row < m_.num_rows(); ++row)
            longest = std::max(longest, m_.row_start[row + 1] - m_.row_start[row]);
        bonus_ = std::max(0x1p-44, 0x1p-49 * double(2 * longest + 16));
    }

    // Fills values that pass the check, and their policy; false, with neither touched, if none was found.
    // `about`: how large the largest value is, if that is known.
    bool solve(const Reach& reach, std::vector<double>& value, std::vector<int32_t>& policy, auto&& stop,
               const Pay& pay = {}, double about = 0) {
        pay_ = pay;
        find_components(reach, pay.visited);
        make_nodes(reach);
        if (!find_witnesses(reach) || !begin(policy)) return false;
        bonus_now_ = bonus_ * about;
        if (!iterate(stop)) return false;
        found_ = value;
        for (double factor = bonus_; factor < kLargestBonus; factor *= 8) {
            const bool known = factor == bonus_ && bonus_now_ >= factor * size() / 2;
            if (!known) bonus_now_ = factor * size();
            if (bonus_now_ > 0 && !known && !iterate(stop)) return false;
            const double step = bonus_now_ > 0 ? std::exp2(std::floor(std::log2(bonus_now_ / 8))) : 0;
            for (const int32_t i : reach.states()) {
                const double x = x_[node_of_[i]];
                found_[i] = step > 0 ? step * std::ceil(x / step) : x;
            }
            if (!check_.holds(reach, found_.data(), pay_)) continue;
            value = found_;
            tell_policy(reach, policy);
            return true;
        }
        return false;
    }

    bool holds(const Reach& reach, const double* value) const { return check_.holds(reach, value); }
    const RowCheck& rows() const { return check_; }

    // Whether somebody can go on for ever at no reward in a region; if not, no policy stops.
    bool has_components(const Reach& reach) {
        find_components(reach, -1);
        if (!free_.any()) std::fill(stops_.begin(), stops_.end(), 0);
        return free_.any();
    }

    // What is added to a step where the largest value has this size.
    double bonus_for(double size) const { return bonus_ * size; }

    static double size(const Reach& reach, const double* value) {
        double size = 0;
        for (const int32_t i : reach.states()) size = std::max(size, std::abs(value[i]));
        return size;
    }

    // By how much all rows are below such a value just because every step was paid for.
    double bonus(const Reach& reach, const double* value) const { return 2 * bonus_ * size(reach, value); }

    // p0'V, rounded up.
    double start(const double* value) const {
        double size = 0, count = 8;
        for (int32_t i = 0; i < m_.num_states; ++i) {
            if (m_.initial[i] > 0) size += m_.initial[i] * std::abs(value[i]), ++count;
        }
        return m_.start_value(value) + count * 0x1p-53 * size;
    }

    // Visits of the states under the policy of the last `solve`; where it stops they count once.
    void occupancy(const Reach& reach, const std::vector<int32_t>& policy, std::vector<double>& visits) {
        visits.assign(m_.num_states, 0.0);
        rows_.assign(m_.num_states, -1);
        for (const int32_t i : reach.states()) {
            rows_[i] = stops_[i] ? -1 : policy[i];
            visits[i] = m_.initial[i];
        }
        if (!factors_.factor(chain_of(rows_), reach.states().data(), int64_t(reach.states().size()))) return;
        factors_.substitute_transposed(visits.data());
        for (double& x : visits) x = std::isfinite(x) && x > 0 ? x : 0;
    }

    // At least what one row per state returns, from `reach`, which it explored; -inf if it is not finite.
    double policy_return(const Reach& reach, const std::vector<int32_t>& rows, std::vector<double>& value) {
        const double never = -std::numeric_limits<double>::infinity();
        rows_ = rows;
        for (int32_t i = 0; i < m_.num_states; ++i) {
            if (!reach.has(i)) rows_[i] = -1;
        }
        const auto& states = reach.states();
        components_.find(chain_of(rows_), states.data(), int64_t(states.size()));
        // Components come after all that they lead to. Idle: no reward from here on, and no end.
        std::vector<char> ends(components_.size(), 0), pays(components_.size(), 0),
            idles(components_.size(), 0);
        for (int32_t c = 0; c < components_.size(); ++c) {
            bool to_idle = false;
            for (const int32_t* s = components_.begin(c); s != components_.end(c); ++s) {
                ends[c] |= m_.ends[rows_[*s]];
                pays[c] |= m_.reward[rows_[*s]] != 0;
                for (int64_t k = m_.row_start[rows_[*s]]; k < m_.row_start[rows_[*s] + 1]; ++k) {
                    const int32_t after = components_.component_of(m_.target[k]);
                    if (after == c) continue;
                    ends[c] |= ends[after], pays[c] |= pays[after], to_idle |= bool(idles[after]);
                }
            }
            if (ends[c]) continue;
            idles[c] = !m_.must_end && (to_idle || !pays[c]);
            if (!idles[c]) return never;
        }
        std::vector<double> earned(m_.num_states, 0.0), steps(m_.num_states, 0.0);
        for (const int32_t i : states) {
            const int32_t c = components_.component_of(i);
            if (!ends[c] && !pays[c]) rows_[i] = -1;
            if (rows_[i] >= 0) earned[i] = m_.reward[rows_[i]], steps[i] = 1;
        }
        if (!factors_.factor(chain_of(rows_), states.data(), int64_t(states.size()))) return never;
        factors_.substitute(earned.data());
        factors_.substitute(steps.data());
        // What is left over, times the steps that are left, is the most that the return may be off.
        double off = 0, start = 0, longest = 0, size = 0;
        for (const int32_t i : states) {
            if (rows_[i] >= 0) {
                const double now = m_.reward[rows_[i]];
                const auto [ahead, size_ahead] = sized_ahead(m_, rows_[i], earned.data());
                const double later = sized_ahead(m_, rows_[i], steps.data()).sum;
                const double all = std::abs(now) + std::abs(earned[i]) + size_ahead;
                const double unit =
                    double(2 * (m_.row_start[rows_[i] + 1] - m_.row_start[rows_[i]]) + 16) * 0x1p-53;
                off = std::max(off, std::abs(now + ahead - earned[i]) + unit * all);
                if (!(steps[i] - later - unit * (steps[i] + later) >= 0.5)) return never;
            }
            start += m_.initial[i] * earned[i];
            longest += m_.initial[i] * steps[i];
            size = std::max(size, std::abs(earned[i]));
        }
        const double low = start - 2.1 * off * longest - double(states.size() + 8) * 0x1p-53 * size;
        if (!std::isfinite(low)) return never;
        value = earned;
        return low;
    }

  private:
    static constexpr double kLargestBonus = 1e-9;  // of the largest value: more is no proof of anything
    static constexpr int kMostRounds = 500;
    static constexpr int32_t kStop = -1, kUnknown = -2;

    Chain chain_of(const std::vector<int32_t>& rows) const {
        return {m_.num_states, m_.row_start, rows.data(), m_.target, m_.probability, 1.0};
    }

    void find_components(const Reach& reach, int32_t paying) {
        free_.find([&](int32_t i) { return reach.has(i); }, [&](int64_t row) { return reach.usable(row); },
                   paying);
    }

    void make_nodes(const Reach& reach) {
        std::fill(node_of_.begin(), node_of_.end(), -1);
        node_of_component_.assign(m_.num_states, -1);
        members_.clear();
        member_start_.assign(1, 0);
        has_stop_.clear();
        int32_t nodes = 0;
        for (const int32_t i : reach.states()) {
            const int32_t c = free_.of(i);
            int32_t& node = c < 0 ? node_of_[i] : node_of_component_[c];
            if (node < 0) node = nodes++, has_stop_.push_back(c >= 0 && !m_.must_end);
            node_of_[i] = node;
        }
        member_start_.assign(nodes + 1, 0);
        for (const int32_t i : reach.states()) ++member_start_[node_of_[i] + 1];
        for (int32_t n = 0; n < nodes; ++n) member_start_[n + 1] += member_start_[n];
        members_.resize(reach.states().size());
        auto next = member_start_;
        for (const int32_t i : reach.states()) members_[next[node_of_[i]]++] = i;
        reach_ = &reach;
    }

    int32_t nodes() const { return int32_t(has_stop_.size()); }

    // The rows that may leave a node.
    void for_rows(int32_t node, auto&& visit) const {
        for (int32_t k = member_start_[node]; k < member_start_[node + 1]; ++k) {
            const int32_t i = members_[k];
            for (int64_t row = m_.choice_start[i]; row < m_.choice_start[i + 1]; ++row) {
                if (reach_->usable(row) && !free_.inside(row)) visit(i, row);
            }
        }
    }

    // For each node a row that leads a step closer to an end, or a stop; false if some have none.
    bool find_witnesses(const Reach& reach) {
        witness_.assign(nodes(), kUnknown);
        queue_.clear();
        for (int32_t n = 0; n < nodes(); ++n) {
            if (has_stop_[n]) witness_[n] = kStop;
            for_rows(n, [&](int32_t, int64_t row) {
                if (m_.ends[row] && witness_[n] < 0) witness_[n] = int32_t(row);
            });
            if (witness_[n] != kUnknown) queue_.push_back(n);
        }
        for (size_t at = 0; at < queue_.size(); ++at) {
            const int32_t n = queue_[at];
            for (int32_t k = member_start_[n]; k < member_start_[n + 1]; ++k) {
                const int32_t j = members_[k];
                for (int64_t e = m_.before_start[j]; e < m_.before_start[j + 1]; ++e) {
                    const int32_t row = m_.before[e], i = m_.state_of[row];
                    if (!reach.has(i) || !reach.usable(row) || free_.inside(row)) continue;
                    if (witness_[node_of_[i]] != kUnknown) continue;
                    witness_[node_of_[i]] = row;
                    queue_.push_back(node_of_[i]);
                }
            }
        }
        return int32_t(queue_.size()) == nodes();
    }

    // The policy as it was, where it still leads to an end; else the witnesses.
    bool begin(const std::vector<int32_t>& policy) {
        row_of_ = witness_;
        for (int32_t n = 0; n < nodes(); ++n) {
            if (has_stop_[n]) continue;
            for_rows(n, [&](int32_t i, int64_t row) {
                if (policy[i] == row && leaves(n, row) > 0) row_of_[n] = int32_t(row);
            });
        }
        make_chain();
        components_.find(chain(), nullptr, 0);
        mark_ending();
        for (int32_t n = 0; n < nodes(); ++n) {
            if (!ending_[components_.component_of(n)]) row_of_[n] = witness_[n];
        }
        return true;
    }

    Chain chain() const {
        return {nodes(), start_.data(), nullptr, target_.data(), probability_.data(), 1.0};
    }

    // [component] whether the end can be reached from there.
    void mark_ending() {
        ending_.assign(components_.size(), 0);
        for (int32_t c = 0; c < components_.size(); ++c) {
            for (const int32_t* n = components_.begin(c); n != components_.end(c); ++n) {
                ending_[c] |= row_of_[*n] < 0 || m_.ends[row_of_[*n]];
                for (int64_t k = start_[*n]; k < start_[*n + 1]; ++k) {
                    const int32_t after = components_.component_of(target_[k]);
                    if (after != c) ending_[c] |= ending_[after];
                }
            }
        }
    }

    // The chance that a row leaves its node; ways back to it are summed up.
    double leaves(int32_t node, int64_t row) const {
        double away = 0, all = 0;
        for (int64_t k = m_.row_start[row]; k < m_.row_start[row + 1]; ++k) {
            all += m_.probability[k];
            if (node_of_[m_.target[k]] != node) away += m_.probability[k];
        }
        return m_.ends[row] ? away + (1 - all) : away == all ? 1 : away;
    }

    void make_chain() {
        start_.assign(1, 0);
        target_.clear();
        probability_.clear();
        pay_of_.clear();
        for (int32_t n = 0; n < nodes(); ++n) {
            const int32_t row = row_of_[n];
            double pay = 0;
            if (row >= 0) {
                const double away = leaves(n, row);
                for (int64_t k = m_.row_start[row]; k < m_.row_start[row + 1]; ++k) {
                    if (node_of_[m_.target[k]] == n) continue;
                    target_.push_back(node_of_[m_.target[k]]);
                    probability_.push_back(m_.probability[k] / away);
                }
                pay = (pay_.of(m_, m_.state_of[row], row) + bonus_now_) / away;
            }
            pay_of_.push_back(pay);
            start_.push_back(int64_t(target_.size()));
        }
    }

    // The value of the policy; false if it may go on for ever.
    bool evaluate() {
        make_chain();
        components_.find(chain(), nullptr, 0);
        mark_ending();
        if (std::find(ending_.begin(), ending_.end(), 0) != ending_.end()) return false;
        if (!factors_.factor(chain(), nullptr, 0)) return false;
        x_ = pay_of_;
        factors_.substitute(x_.data());
        left_.resize(x_.size());
        for (int32_t n = 0; n < nodes(); ++n) {
            double sum = pay_of_[n] - x_[n];
            for (int64_t k = start_[n]; k < start_[n + 1]; ++k) sum += probability_[k] * x_[target_[k]];
            left_[n] = sum;
        }
        factors_.substitute(left_.data());
        for (int32_t n = 0; n < nodes(); ++n) {
            x_[n] += left_[n];
            if (!std::isfinite(x_[n])) return false;
        }
        return true;
    }

    double size() const {
        double most = 0;
        for (const double x : x_) most = std::max(most, std::abs(x));
        return most;
    }

    bool iterate(auto&& stop) {
        for (int round = 0; round < kMostRounds && !stop(); ++round) {
            if (!evaluate()) return false;
            if (!improve(std::max(bonus_now_ / 4, 0x1p-47 * size()))) return true;
        }
        return false;
    }

    // Rows that are better by more than `enough`; false if there are none.
    bool improve(double enough) {
        bool changed = false;
        for (int32_t n = 0; n < nodes(); ++n) {
            double most = x_[n] + enough;
            if (has_stop_[n] && most < 0) most = 0, row_of_[n] = kStop, changed = true;
            for_rows(n, [&](int32_t i, int64_t row) {
                const double away = leaves(n, row);
                if (!(away > 0)) return;
                double worth = pay_.of(m_, i, row) + bonus_now_;
                for (int64_t k = m_.row_start[row]; k < m_.row_start[row + 1]; ++k) {
                    const int32_t to = node_of_[m_.target[k]];
                    if (to != n) worth += m_.probability[k] * x_[to];
                }
                if (worth / away > most) most = worth / away, row_of_[n] = int32_t(row), changed = true;
            });
        }
        return changed;
    }

    // Within a component the policy walks to the state whose row leaves it.
    void tell_policy(const Reach& reach, std::vector<int32_t>& policy) {
        std::fill(stops_.begin(), stops_.end(), 0);
        for (const int32_t i : reach.states()) policy[i] = kUnknown;
        queue_.clear();
        for (int32_t n = 0; n < nodes(); ++n) {
            const int32_t row = row_of_[n];
            if (row >= 0) policy[m_.state_of[row]] = row, queue_.push_back(m_.state_of[row]);
            for (int32_t k = member_start_[n]; row < 0 && k < member_start_[n + 1]; ++k) {
                const int32_t i = members_[k];
                stops_[i] = 1;
                for (int64_t r = m_.choice_start[i]; r < m_.choice_start[i + 1]; ++r) {
                    if (free_.inside(r)) policy[i] = int32_t(r);
                }
            }
        }
        for (size_t at = 0; at < queue_.size(); ++at) {
            const int32_t j = queue_[at];
            for (int64_t e = m_.before_start[j]; e < m_.before_start[j + 1]; ++e) {
                const int32_t row = m_.before[e], i = m_.state_of[row];
                if (!reach.has(i) || !free_.inside(row) || policy[i] != kUnknown) continue;
                policy[i] = row;
                queue_.push_back(i);
            }
        }
    }

    const GroupedModel& m_;
    RowCheck check_;
    FreeComponents free_;
    Pay pay_;
    double bonus_, bonus_now_ = 0;  // of the largest value; of every step now
    const Reach* reach_ = nullptr;
    std::vector<int32_t> node_of_, node_of_component_, members_, member_start_;
    std::vector<char> has_stop_, stops_, ending_;  // [node], [state], [component]
    std::vector<int32_t> witness_, row_of_, rows_, queue_;
    std::vector<int64_t> start_;
    std::vector<int32_t> target_;
    std::vector<double> probability_, pay_of_, x_, left_, found_;
    Components components_;
    ChainFactors factors_;
};

}  // namespace spotree::proof
