// What a certificate claims: a tree, its return, and a bound on all others of its size.
#pragma once

#include <functional>

#include "bounds.hpp"

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
    std::vector<int32_t>
        symmetry_feature;  // [symmetry, feature] 1 + image, negative where the order is reversed
};

constexpr double kShare = 0.1;     // of the tolerance that rounding may take
constexpr double kSimilar = 1e-9;  // of a return: two ways to say what a tree returns without a discount
constexpr int kDense = 3000;       // states: up to here equations are solved one by one

class Claim {
  public:
    double value = 0, bound = 0, tolerance = 0;
    double threshold = 0;  // a tree above this is to be ruled out

    Claim(const Model& m, const Header& h, const std::function<bool()>& stop) : m_(m), stop_(stop) {
        double off = 0;
        evaluate(actions_of(h), off);
        if (stop()) return;
        tolerance = h.margin;
        const double scale = m.undiscounted ? widest(h.bound) : spread();
        const double near = tolerance + (m.undiscounted ? kSimilar * std::abs(value) : 0);
        if (!(tolerance > 0 && (scale == 0 || tolerance <= scale) &&
              (m.undiscounted || tolerance <= std::max(2 * m.largest / m.far, 1e-300))))
            reject("the tolerance ", tolerance, " is not small: returns differ by ", scale, " at most");
        if (m.largest > 0 && !(tolerance >= kLeast))
            reject("the tolerance ", tolerance, " is too small to be added up");
        if (!(off <= kShare * tolerance))
            reject("rounding may move a return by ", off, " with discount ", m.discount,
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
    std::vector<int32_t> actions_of(const Header& h) const {
        const Tree& t = h.tree;
        const auto nodes = int32_t(t.feature.size());
        for (const size_t size : {t.left.size(), t.right.size(), t.action.size(), t.threshold.size()}) {
            if (int32_t(size) != nodes || nodes == 0)
                reject("the certificate is malformed: its tree is none");
        }
        std::vector<int32_t> action(m_.states, -1);
        std::vector<char> seen(nodes, 0);
        std::vector<int32_t> everywhere(m_.states);
        for (int i = 0; i < m_.states; ++i) everywhere[i] = i;
        struct Part {
            int32_t node;
            int level;
            std::vector<int32_t> states;
        };
        std::vector<Part> parts{{0, 0, std::move(everywhere)}};
        int64_t leaves = 0;
        while (!parts.empty()) {
            const Part part = std::move(parts.back());
            parts.pop_back();
            if (part.node < 0 || part.node >= nodes || seen[part.node] || part.level > h.depth)
                reject("the certificate is malformed: the tree is deeper than it says, or no tree");
            seen[part.node] = 1;
            const int32_t f = t.feature[part.node];
            if (f < 0) {
                ++leaves;
                if (t.action[part.node] < 0 || t.action[part.node] >= m_.actions)
                    reject("the certificate is malformed: a leaf has no action");
                for (const int32_t i : part.states) action[i] = t.action[part.node];
                continue;
            }
            if (f >= m_.features)
                reject("the certificate is malformed: the tree asks for a feature that does not exist");
            Part left{t.left[part.node], part.level + 1, {}}, right{t.right[part.node], part.level + 1, {}};
            for (const int32_t i : part.states) {
                const bool below = m_.feature[size_t(i) * m_.features + f] < t.threshold[part.node];
                (below ? left : right).states.push_back(i);
            }
            parts.push_back(std::move(left));
            parts.push_back(std::move(right));
        }
        if (leaves > h.max_leaves) reject("the certificate is malformed: the tree has ", leaves, " leaves");
        return action;
    }

    // The return of one action for each state, and how far it may be off: the residual over 1 - discount.
    void evaluate(const std::vector<int32_t>& action, double& off) {
        std::vector<int32_t> row(m_.states), states;
        std::vector<char> inside(m_.states, 0);
        for (int32_t i = 0; i < m_.states; ++i) {
            row[i] = m_.choice[size_t(i) * m_.actions + action[i]];
            if (m_.initial[i] > 0) inside[i] = 1, states.push_back(i);
        }
        for (size_t at = 0; at < states.size(); ++at) {
            if (row[states[at]] < 0)
                reject("the certificate is malformed: the tree takes a forbidden action");
            for (int64_t k = m_.entry_begin[row[states[at]]]; k < m_.entry_begin[row[states[at]] + 1]; ++k) {
                if (!inside[m_.target[k]]) inside[m_.target[k]] = 1, states.push_back(m_.target[k]);
            }
        }
        states.clear();
        for (const int32_t i : m_.order) {
            if (inside[i]) states.push_back(i);
        }
        if (m_.undiscounted) {
            const Steady steady(m_, states, row, stop_);
            double most = 0;
            for (const int32_t i : states) most = std::max(most, std::abs(steady.earned[i]));
            value = m_.start_value(steady.earned.data());
            off = steady.off() + kUnit * (m_.start_states + 8) * most;
            return;
        }
        std::vector<double> v(m_.states, 0.0);
        auto size = [&] {
            double most = 0;
            for (const int32_t i : states) most = std::max(most, std::abs(v[i]));
            return most;
        };
        double change = 1;
        for (bool solved = false; change > 0 && !stop_();) {
            for (int k = 0; k < 1000 && change > 0; ++k) {
                change = 0;
                for (const int32_t i : states) {
                    const double stay = m_.stay[row[i]];
                    const double fresh = (m_.worth(row[i], v.data()) - stay * v[i]) / (1 - stay);
                    change = std::max(change, std::abs(fresh - v[i]));
                    v[i] = fresh;
                }
                if (change <= m_.backup * size()) change = 0;
            }
            if (solved || change == 0) break;
            if (states.size() <= kDense) solve(states, row, v), solved = true;
        }
        double left = 0, largest = 0;
        for (const int32_t i : states) {
            left = std::max(left, std::abs(m_.worth(row[i], v.data()) - v[i]));
            largest = std::max(largest, std::abs(m_.reward[row[i]]));
        }
        const double most = size(), more = (left + m_.backup * (2 * most + largest)) / m_.far;
        value = m_.start_value(v.data());
        off = more * m_.start_sum + kUnit * (m_.start_states + 8) * (most + more);
    }

    // (I - gamma P) v = r by elimination with pivots.
    void solve(const std::vector<int32_t>& states, const std::vector<int32_t>& row,
               std::vector<double>& v) const {
        const size_t n = states.size();
        std::vector<double> matrix(n * (n + 1), 0.0);
        std::vector<int32_t> place(m_.states, -1);
        for (size_t k = 0; k < n; ++k) place[states[k]] = int32_t(k);
        for (size_t k = 0; k < n; ++k) {
            double* of = &matrix[k * (n + 1)];
            of[k] = 1;
            of[n] = m_.reward[row[states[k]]];
            for (int64_t j = m_.entry_begin[row[states[k]]]; j < m_.entry_begin[row[states[k]] + 1]; ++j)
                of[place[m_.target[j]]] -= m_.weight[j];
        }
        for (size_t k = 0; k < n && !stop_(); ++k) {
            size_t pivot = k;
            for (size_t i = k + 1; i < n; ++i) {
                if (std::abs(matrix[i * (n + 1) + k]) > std::abs(matrix[pivot * (n + 1) + k])) pivot = i;
            }
            if (pivot != k)
                std::swap_ranges(&matrix[k * (n + 1)], &matrix[k * (n + 1)] + n + 1,
                                 &matrix[pivot * (n + 1)]);
            for (size_t i = k + 1; i < n; ++i) {
                const double by = matrix[i * (n + 1) + k] / matrix[k * (n + 1) + k];
                if (by == 0) continue;
                for (size_t j = k; j <= n; ++j) matrix[i * (n + 1) + j] -= by * matrix[k * (n + 1) + j];
            }
        }
        for (size_t k = n; k-- > 0;) {
            double sum = matrix[k * (n + 1) + n];
            for (size_t j = k + 1; j < n; ++j) sum -= matrix[k * (n + 1) + j] * v[states[j]];
            const double found = sum / matrix[k * (n + 1) + k];
            v[states[k]] = std::isfinite(found) ? found : 0.0;
        }
    }

    // A larger tolerance would say nothing: undiscounted, beside returns and rewards that can be reached.
    double widest(double stated) const {
        const double rewards = spread() > 0 ? spread() : m_.largest > 0 ? m_.largest : 1;
        const double shown = std::max(value, stated);
        return std::max({std::abs(value), std::isfinite(shown) ? std::abs(shown) : 0.0, rewards});
    }

    // No two returns differ by more: rewards that can be reached, for ever.
    double spread() const {
        Reach reach(m_);
        if (!reach.explore(ActionSets(m_.groups, m_.actions))) return 0;
        double high = 0, low = 0;
        for (const int32_t i : reach.states()) {
            for (int32_t row = m_.row_begin[i]; row < m_.row_begin[i + 1]; ++row) {
                if (reach.usable(row))
                    high = std::max(high, m_.reward[row]), low = std::min(low, m_.reward[row]);
            }
        }
        return (high - low) / m_.far;
    }

    const Model& m_;
    std::function<bool()> stop_;
};

}  // namespace checker
