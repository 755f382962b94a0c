// What a certificate claims: a tree, its return, and a bound on all others of its size.
#pragma once

#include "reachability.hpp"

namespace checker {

struct Tree {
    std::vector<int32_t> feature, left, right, action;
    std::vector<double> threshold;
};

struct Header {
    int depth = 0;
    int64_t max_leaves = 0;  // more than 2^depth: no limit
    double value = 0, bound = 0, margin = 0;
    Tree tree;
    std::vector<int32_t> group_state;    // [name of a group] its first state
    std::vector<int32_t> split_feature;  // [split]
    std::vector<double> split_threshold;
    std::vector<int32_t> symmetry_state, symmetry_action;  // [symmetry, ...] images
    std::vector<int32_t> symmetry_feature;                 // 1 + image, negative where the order is reversed
};

constexpr double kLeast = 1e-200;  // no tolerance is smaller: sums do not vanish
constexpr double kShare = 0.1;     // of the tolerance that rounding may take
constexpr double kSimilar = 1e-9;  // of a return: two ways to say what a tree returns without a discount

// What one action for each state returns, and how far that may be off: what its equations leave over, for as
// many steps as are left.
class Policy {
  public:
    double value = 0, off = 0;

    Policy(const Model& m, const std::vector<int32_t>& action, const Progress& progress)
        : m_(m), progress_(progress) {
        Reach reach(m);
        Actions only(m.pair(m.groups, 0), 0);
        for (int32_t i = 0; i < m.states; ++i) {
            row_.push_back(m.choice[m.pair(i, action[i])]);
            if (m.group_of[i] >= 0) only[m.pair(m.group_of[i], action[i])] = 1;
        }
        if (!reach.explore(only)) malformed("the tree takes a forbidden action, or returns -inf");
        for (const int32_t i : reach.states()) {
            if (!reach.idle(i)) going_.push_back(i);  // the others are worth 0
        }
        std::vector<double> pay(m.states, 0.0);
        for (const int32_t i : going_) pay[i] = m.reward[row_[i]];
        const auto earned = solved(pay);
        double left = 0, most = 0;
        for (const int32_t i : going_) {
            const auto [above, error] = m.gap(i, row_[i], earned.data(), pay[i], std::abs(pay[i]));
            if (!std::isfinite(above)) reject("the tree's return is not finite");
            left = std::max(left, std::abs(above) + error);
            most = std::max(most, std::abs(earned[i]));
        }
        const double more = left * steps();
        if (!std::isfinite(more)) reject("the tree's return is not finite");
        value = m.start_value(earned);
        off = more + (m.start_states + 8) * (kUnit * (most + more) + kStep);
    }

  private:
    // No more steps are left, discounted; otherwise t_i with t_i >= 1/2 + P_i t for all states, twice.
    double steps() const {
        if (!m_.undiscounted) return m_.start_sum / m_.far;
        std::vector<double> one(m_.states, 0.0);
        for (const int32_t i : going_) one[i] = 1;
        const auto step = solved(one);
        double sum = 0;
        for (const int32_t i : going_) {
            const auto [above, error] = m_.gap(i, row_[i], step.data(), 0, 0);
            if (!(above - error >= 0.5)) reject("the tree takes too many steps to say what it returns");
            sum += m_.initial[i] * step[i];
        }
        return 2.1 * sum;
    }

    // What is paid until the end: sweep by sweep, and where that takes too long by equations.
    std::vector<double> solved(const std::vector<double>& pay) const {
        std::vector<double> x(m_.states, 0.0);
        if (sweep(pay, x, kSweeps)) return x;
        const bool dense = going_.size() <= kDense;
        if (dense) eliminate(pay, x);
        sweep(pay, x, dense ? kSweeps : m_.undiscounted ? 100 * kSweeps : std::numeric_limits<int>::max());
        return x;
    }

    // Whether nothing changes any more.
    bool sweep(const std::vector<double>& pay, std::vector<double>& x, int most) const {
        for (int k = 0; k < most; ++k) {
            progress_.check();
            double change = 0, size = 0;
            for (const int32_t i : going_) {
                const int32_t row = row_[i];
                const double was = std::exchange(x[i], 0.0);  // its own loop is summed up
                x[i] = (pay[i] + m_.later(row, x.data())) / (1 - m_.stay[row]);
                change = std::max(change, std::abs(x[i] - was));
                size = std::max(size, std::abs(x[i]));
            }
            if (!(change > (m_.undiscounted ? 4 * kUnit : m_.backup) * size)) return true;
        }
        return false;
    }

    // (I - gamma P) x = pay by elimination with pivots.
    void eliminate(const std::vector<double>& pay, std::vector<double>& x) const {
        const size_t n = going_.size(), wide = n + 1;
        std::vector<double> a(n * wide, 0.0);
        std::vector<int32_t> place(m_.states, -1);
        for (size_t k = 0; k < n; ++k) place[going_[k]] = int32_t(k);
        for (size_t k = 0; k < n; ++k) {
            const int32_t row = row_[going_[k]];
            a[k * wide + k] = 1;
            a[k * wide + n] = pay[going_[k]];
            for (int64_t j = m_.entry_begin[row]; j < m_.entry_begin[row + 1]; ++j) {
                if (place[m_.target[j]] >= 0) a[k * wide + place[m_.target[j]]] -= m_.weight[j];
            }
        }
        for (size_t k = 0; k < n; ++k) {
            progress_.check();
            size_t pivot = k;
            for (size_t i = k + 1; i < n; ++i) {
                if (std::abs(a[i * wide + k]) > std::abs(a[pivot * wide + k])) pivot = i;
            }
            if (pivot != k) std::swap_ranges(&a[k * wide], &a[k * wide] + wide, &a[pivot * wide]);
            for (size_t i = k + 1; i < n; ++i) {
                const double by = a[i * wide + k] / a[k * wide + k];
                for (size_t j = k; j <= n && by != 0; ++j) a[i * wide + j] -= by * a[k * wide + j];
            }
        }
        for (size_t k = n; k-- > 0;) {
            double sum = a[k * wide + n];
            for (size_t j = k + 1; j < n; ++j) sum -= a[k * wide + j] * x[going_[j]];
            const double found = sum / a[k * wide + k];
            x[going_[k]] = std::isfinite(found) ? found : 0.0;
        }
    }

    static constexpr int kSweeps = 2000;
    static constexpr size_t kDense = 3000;  // states: up to here equations are solved one by one

    const Model& m_;
    const Progress& progress_;
    std::vector<int32_t> row_, going_;  // [state]; states that matter
};

class Claim {
  public:
    double value = 0, bound = 0, tolerance = 0;
    double threshold = 0;  // a tree above this is to be ruled out

    Claim(const Model& m, const Header& h, const Progress& progress) : m_(m) {
        const Policy policy(m, actions_of(h), progress);
        value = policy.value;
        tolerance = h.margin;
        const double scale = m.undiscounted ? widest(h.bound) : spread();
        const double near = tolerance + (m.undiscounted ? kSimilar * std::abs(value) : 0);
        if (!(tolerance > 0 && (scale == 0 || tolerance <= scale) &&
              (m.undiscounted || tolerance <= std::max(2 * m.largest / m.far, 1e-300))))
            reject("the tolerance ", tolerance, " is not small: returns differ by ", scale, " at most");
        if (m.largest > 0 && !(tolerance >= kLeast))
            reject("the tolerance ", tolerance, " is too small to be added up");
        if (!(policy.off <= kShare * tolerance))
            reject("rounding may move a return by ", policy.off, " with discount ", m.discount,
                   ", more than a tenth of the tolerance ", tolerance, "; certify with a larger tolerance");
        if (!(std::abs(value - h.value) <= near))
            reject("the tree is worth ", value, ", not ", h.value, " as stated");
        if (!std::isfinite(h.bound)) reject("the bound is ", h.bound, ", which says nothing");
        if (!(h.bound >= value - near))
            reject("the bound ", h.bound, " is below the tree's own return ", value);
        bound = std::max(h.bound, value);
        threshold = bound + tolerance;
    }

  private:
    // [state] what the tree does. That it has no more leaves than it may is seen with the header.
    std::vector<int32_t> actions_of(const Header& h) const {
        const Tree& t = h.tree;
        const size_t nodes = t.feature.size();
        if (nodes != t.left.size() || nodes != t.right.size() || nodes != t.action.size() ||
            nodes != t.threshold.size())
            malformed("its tree is none");
        std::vector<int32_t> action;
        for (int i = 0; i < m_.states; ++i) {
            int32_t node = 0;
            for (int level = 0;; ++level) {
                if (node < 0 || size_t(node) >= nodes || level > h.depth)
                    malformed("the tree is deeper than it says, or no tree");
                const int32_t f = t.feature[node];
                if (f < 0) break;
                if (f >= m_.features) malformed("the tree asks for a feature that does not exist");
                node = (m_.at(i, f) < t.threshold[node] ? t.left : t.right)[node];
            }
            action.push_back(t.action[node]);
            if (action.back() < 0 || action.back() >= m_.actions) malformed("a leaf has no action");
        }
        return action;
    }

    // A larger tolerance would say nothing: undiscounted, beside returns and rewards that can be reached.
    // Where these are all 0 every claim is true.
    double widest(double stated) const {
        const double rewards = spread() > 0 ? spread() : kMost;
        const double shown = std::max(value, stated);
        return std::max({std::abs(value), std::isfinite(shown) ? std::abs(shown) : 0.0, rewards});
    }

    // No two returns differ by more: rewards that can be reached, for ever.
    double spread() const {
        Reach reach(m_);
        if (!reach.explore(m_.all_actions())) return 0;
        return (reach.highest() - reach.lowest()) / m_.far;
    }

    const Model& m_;
};

}  // namespace checker
