// Lower bounds on the occupancy of each state under every improving tree.
#pragma once

#include "proof/bounds/relaxation.hpp"

namespace spotree::proof {

// Minimal occupancy: w <= max(floor, initial + sum over i of w_i * least(i, .)), where least(i, j) is the
// smallest discounted probability of j over the allowed choices of i. Every such w >= 0 is a lower bound on
// the visits of every tree that keeps to the allowed actions and respects the floors (docs/proof.md, lemma
// 3).
class OccupancyBounds {
  public:
    explicit OccupancyBounds(const GroupedModel& model)
        : m_(model),
          start_(model.num_states + 1, 0),
          length_(model.num_states, 0),
          known_(model.num_states, 0) {
        for (int i = 0; i < model.num_states; ++i) {
            int64_t longest = 0;
            for (int64_t row = model.choice_start[i]; row < model.choice_start[i + 1]; ++row) {
                longest = std::max(longest, model.row_start[row + 1] - model.row_start[row]);
            }
            start_[i + 1] = start_[i] + longest;
        }
        target_.resize(start_.back());
        weight_.resize(start_.back());
        signature_.assign(size_t(model.num_rows()), 0);
        space_.resize(model.num_states);
    }

    // Fills `visits` over the states that `relaxer` found reachable. Rough: after a few passes, which hold
    // one by one; what the others add closes few regions and takes longer.
    void solve(const Relaxer& relaxer, const std::vector<double>& floor, std::vector<double>& visits,
               auto&& stop, bool rough = false) {
        for (int i : relaxer.reach()) refresh(i, relaxer);
        visits.assign(m_.num_states, 0.0);
        if (push_on(relaxer, floor, visits) || rough) return settle(relaxer, floor, visits);
        at_floor_.assign(m_.num_states, 0);
        for (int i : relaxer.reach()) visits[i] = std::max({visits[i], floor[i], m_.initial[i]});
        push(relaxer, visits, arriving_);
        for (int i : relaxer.reach()) at_floor_[i] = floor[i] > arriving_[i];
        for (int round = 0; round < 3; ++round) {
            linear(relaxer, floor, visits, stop);
            push(relaxer, visits, arriving_);
            bool moved = false;
            for (int i : relaxer.reach()) {
                const char now = floor[i] > arriving_[i];
                moved |= now != at_floor_[i];
                at_floor_[i] = now;
            }
            if (!moved) break;
        }
        settle(relaxer, floor, visits);
    }

  private:
    // Intersects the usable rows of a state, unless they are those of the last call.
    void refresh(int i, const Relaxer& relaxer) {
        bool same = known_[i];
        for (int64_t row = m_.choice_start[i]; row < m_.choice_start[i + 1]; ++row) {
            same &= signature_[row] == char(relaxer.usable(row));
            signature_[row] = char(relaxer.usable(row));
        }
        if (same) return;
        known_[i] = 1;
        int64_t count = -1;
        int32_t* to = target_.data() + start_[i];
        double* least = weight_.data() + start_[i];
        for (int64_t row = m_.choice_start[i]; row < m_.choice_start[i + 1]; ++row) {
            if (!relaxer.usable(row)) continue;
            int64_t k = m_.row_start[row];
            const int64_t end = m_.row_start[row + 1];
            if (count < 0) {
                count = end - k;
                std::copy(m_.target + k, m_.target + end, to);
                for (int64_t j = 0; j < count; ++j) least[j] = m_.passed_on() * m_.probability[k + j];
                continue;
            }
            int64_t kept = 0;
            for (int64_t j = 0; j < count && k < end;) {
                if (to[j] < m_.target[k]) {
                    ++j;
                } else if (to[j] > m_.target[k]) {
                    ++k;
                } else {
                    to[kept] = to[j];
                    least[kept++] = std::min(least[j++], m_.passed_on() * m_.probability[k++]);
                }
            }
            count = kept;
        }
        length_[i] = std::max<int64_t>(count, 0);
    }

    // From below, predecessors mostly first: one pass where there are no cycles. True if nothing is left.
    bool push_on(const Relaxer& relaxer, const std::vector<double>& floor, std::vector<double>& visits) {
        arriving_.assign(m_.initial, m_.initial + m_.num_states);  // from other states
        double before = 0;
        for (int pass = 0; pass < 30; ++pass) {
            double moved = 0;
            for (auto at = relaxer.reach().rbegin(); at != relaxer.reach().rend(); ++at) {
                const int i = *at;
                double stay = 0;
                for (int64_t k = start_[i]; k < start_[i] + length_[i]; ++k) {
                    if (target_[k] == i) stay = weight_[k];
                }
                const double more = std::max(floor[i], arriving_[i] / (1 - stay)) - visits[i];
                if (!(more > 1e-15)) continue;
                visits[i] += more;
                moved = std::max(moved, more);
                for (int64_t k = start_[i]; k < start_[i] + length_[i]; ++k) {
                    if (target_[k] != i) arriving_[target_[k]] += weight_[k] * more;
                }
            }
            if (moved <= 1e-13) return true;
            if (pass > 2 && moved > 0.5 * before) return false;
            before = moved;
        }
        return false;
    }

    void push(const Relaxer& relaxer, const std::vector<double>& visits,
              std::vector<double>& arriving) const {
        arriving.assign(m_.initial, m_.initial + m_.num_states);
        add(relaxer, visits, arriving, 1.0);
    }

    void add(const Relaxer& relaxer, const std::vector<double>& x, std::vector<double>& y,
             double sign) const {
        for (int i : relaxer.reach()) {
            const double here = sign * x[i];
            if (here == 0) continue;
            for (int64_t k = start_[i]; k < start_[i] + length_[i]; ++k) y[target_[k]] += weight_[k] * here;
        }
    }

    // Solves visits = arriving away from the floors, visits = floor on them.
    void linear(const Relaxer& relaxer, const std::vector<double>& floor, std::vector<double>& visits,
                auto&& stop) {
        for (int i : relaxer.reach()) {
            if (at_floor_[i]) visits[i] = floor[i];
        }
        push(relaxer, visits, arriving_);
        auto& rest = space_.residual;
        std::fill(rest.begin(), rest.end(), 0.0);
        for (int i : relaxer.reach()) rest[i] = at_floor_[i] ? 0 : arriving_[i] - visits[i];
        auto apply = [&](const std::vector<double>& x, std::vector<double>& y) {
            std::fill(y.begin(), y.end(), 0.0);
            add(relaxer, x, y, -1.0);
            for (int i : relaxer.reach()) y[i] = at_floor_[i] ? x[i] : x[i] + y[i];
        };
        bicgstab(apply, [&](double left) { return left <= 1e-14 || stop(); }, visits, space_, 300);
    }

    // Makes the inequality hold whatever the solver left behind: too high entries come down to what arrives.
    void settle(const Relaxer& relaxer, const std::vector<double>& floor, std::vector<double>& visits) {
        for (int round = 0; round < 40; ++round) {
            for (int i : relaxer.reach()) {
                if (!std::isfinite(visits[i]) || visits[i] < 0) visits[i] = 0;
            }
            push(relaxer, visits, arriving_);
            double over = 0;
            for (int i : relaxer.reach()) {
                const double most = std::max(floor[i], arriving_[i]);
                over = std::max(over, visits[i] - most);
                visits[i] = std::min(visits[i], most);
            }
            if (over <= 1e-13) return;
        }
        // From below instead: every iterate holds.
        for (int i : relaxer.reach()) visits[i] = std::max(floor[i], m_.initial[i]);
        for (int round = 0; round < 100; ++round) {
            push(relaxer, visits, arriving_);
            for (int i : relaxer.reach()) visits[i] = std::max({floor[i], arriving_[i], visits[i]});
        }
    }

    const GroupedModel& m_;
    std::vector<int64_t> start_, length_;
    std::vector<int32_t> target_;
    std::vector<double> weight_, arriving_;
    std::vector<char> signature_, known_, at_floor_;
    KrylovSpace space_;
};

}  // namespace spotree::proof
