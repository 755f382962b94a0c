// A first tree: grown greedily on the actions that are right where it comes, until it comes nowhere else.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "leaf_search/preorder_tree.hpp"
#include "leaf_search/regret_model.hpp"
#include "neighbourhood/acceptance.hpp"
#include "runtime/random.hpp"

namespace spotree::leaves {

using ShapeJudge = neighbourhood::AcceptanceOf<Shape>;

class Greedy {
  public:
    int64_t work = 0;

    explicit Greedy(const RegretModel& model) : model_(model) {}

    // From the states that some optimal policy reaches; what the tree reaches beside them is added, and the
    // tree grown anew. The judge holds it in the end. `max_depth` < 0 is no limit.
    void start(ShapeJudge& judge, int32_t max_depth, Random& random, Stop& stop) {
        max_depth_ = max_depth;
        stop_ = &stop;
        entropy_ = random.below(2) == 0;
        begin();
        reach_optimally(random);
        for (int32_t turn = 0; turn < kTurns; ++turn) {
            judge.restart(grown(random));
            bool more = false;
            for (const int32_t state : judge.reached()) more |= add(state);
            if (!more || stop.check()) return;
        }
    }

  private:
    static constexpr int32_t kTurns = 40;
    static constexpr size_t kMany = 10000;
    static constexpr double kNoise = 0.1;  // of the impurity of a split

    void begin() {
        place_.assign(model_.num_groups, -1);
        met_.assign(model_.num_states, false);
        group_.clear();
        regret_.clear();
    }

    // Takes a state's regrets into those of its group; true if that was new.
    bool add(int32_t state) {
        if (met_[state]) return false;
        met_[state] = true;
        int32_t& at = place_[model_.group_of[state]];
        if (at < 0) {
            at = static_cast<int32_t>(group_.size());
            group_.push_back(model_.group_of[state]);
            regret_.resize(regret_.size() + model_.num_actions, 0.0);
        }
        const int32_t* choices = model_.choices(state);
        for (int32_t a = 0; a < model_.num_actions; ++a) {
            regret_[static_cast<size_t>(at) * model_.num_actions + a] +=
                choices[a] < 0 ? std::numeric_limits<double>::infinity() : model_.regret(choices[a]);
        }
        return true;
    }

    // All states that come up where ties are broken by one order of the actions, or by chance in every state.
    void reach_optimally(Random& random) {
        const int32_t actions = model_.num_actions;
        std::vector<int32_t> order(actions);
        std::iota(order.begin(), order.end(), 0);
        const bool anew = random.below(2) == 0;
        const auto shuffle = [&] {
            for (size_t k = order.size(); k > 1; --k) {
                std::swap(order[k - 1], order[random.below(static_cast<int64_t>(k))]);
            }
        };
        shuffle();
        std::vector<int32_t> open = model_.initial_states;
        std::vector<char> known(model_.num_states, false);
        for (const int32_t s : open) known[s] = true;
        for (int64_t turn = 0; !open.empty() && !stop_->check_at(turn); ++turn) {
            const int32_t state = open.back();
            open.pop_back();
            if (anew) shuffle();
            if (model_.group_of[state] >= 0) add(state);
            int32_t row = -1;
            for (const int32_t a : order) {
                const int32_t other = model_.choices(state)[a];
                if (other >= 0 && (row < 0 || model_.regret(other) < model_.regret(row))) row = other;
            }
            if (row < 0) continue;
            for (int64_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e) {
                if (known[model_.target[e]]) continue;
                known[model_.target[e]] = true;
                open.push_back(model_.target[e]);
            }
            work += 20 + actions + 4 * (model_.row_start[row + 1] - model_.row_start[row]);
        }
    }

    Shape grown(Random& random) {
        const auto n = static_cast<int32_t>(group_.size());
        const int32_t actions = model_.num_actions;
        right_.assign(static_cast<size_t>(n) * actions, 0);
        share_.assign(n, 0);
        for (int32_t k = 0; k < n; ++k) {
            const double* regret = &regret_[static_cast<size_t>(k) * actions];
            const double least = *std::min_element(regret, regret + actions);
            for (int32_t a = 0; a < actions; ++a) {
                if (regret[a] > least) continue;
                right_[static_cast<size_t>(k) * actions + a] = 1;
                share_[k] += 1;
            }
        }
        std::vector<int32_t> all(n);
        std::iota(all.begin(), all.end(), 0);
        Shape tree;
        tree.node = n == 0 ? Shape(random.below(actions)).node : grow(all, 0, random);
        return tree;
    }

    std::vector<Node> grow(std::vector<int32_t>& set, int32_t level, Random& random) {
        const int32_t actions = model_.num_actions;
        count_.assign(actions, 0.0);
        for (const int32_t k : set) {
            for (int32_t a = 0; a < actions; ++a) count_[a] += right_[static_cast<size_t>(k) * actions + a];
        }
        int32_t action = 0, ties = 1;
        for (int32_t a = 1; a < actions; ++a) {
            if (count_[a] > count_[action]) {
                action = a;
                ties = 1;
            } else if (count_[a] == count_[action] && random.below(++ties) == 0) {
                action = a;
            }
        }
        const bool all_right = count_[action] >= static_cast<double>(set.size());
        if (all_right || level == max_depth_ || late(set)) return {{-1, action, 0}};
        const Node split = best_split(set, random);
        if (split.leaf()) return {{-1, action, 0}};
        std::vector<int32_t> left, right;
        for (const int32_t k : set) (rank(k, split.feature) < split.cut ? left : right).push_back(k);
        const std::vector<Node> low = grow(left, level + 1, random), high = grow(right, level + 1, random);
        return joined(split.feature, split.cut, low, high);
    }

    // Large sets take long, so the clock is asked for them alone.
    bool late(const std::vector<int32_t>& set) const { return set.size() > kMany && stop_->check(); }

    int32_t rank(int32_t item, int32_t feature) const { return model_.rank_of(group_[item])[feature]; }

    // The split with the least impurity on both sides, up to some noise.
    Node best_split(std::vector<int32_t>& set, Random& random) {
        const size_t n = set.size();
        Node best;
        double least = std::numeric_limits<double>::infinity();
        std::vector<double> after(n);
        for (const int32_t f : model_.split_features) {
            if (late(set)) return best;
            std::sort(set.begin(), set.end(), [&](int32_t a, int32_t b) { return rank(a, f) < rank(b, f); });
            work += static_cast<int64_t>(n) * (4 * model_.num_actions + 12);
            if (rank(set.front(), f) == rank(set.back(), f)) continue;
            count_.assign(model_.num_actions, 0.0);
            for (size_t k = n; k-- > 1;) after[k] = impurity(set[k], static_cast<double>(n - k));
            count_.assign(model_.num_actions, 0.0);
            for (size_t k = 1; k < n; ++k) {
                const double before = impurity(set[k - 1], static_cast<double>(k));
                if (rank(set[k - 1], f) == rank(set[k], f)) continue;
                const double value = (before + after[k]) * (1 + kNoise * random.uniform());
                if (value >= least) continue;
                least = value;
                best = {f, rank(set[k], f), 0};
            }
        }
        return best;
    }

    // Of the items counted so far and one more, `size` in all: those that the best action misses, or the
    // entropy of the actions that are right.
    double impurity(int32_t item, double size) {
        const char* right = &right_[static_cast<size_t>(item) * model_.num_actions];
        double sum = 0, most = 0;
        for (int32_t a = 0; a < model_.num_actions; ++a) {
            count_[a] += entropy_ ? right[a] / share_[item] : right[a];
            most = std::max(most, count_[a]);
            if (entropy_ && count_[a] > 0) sum -= count_[a] * std::log(count_[a] / size);
        }
        return entropy_ ? sum : size - most;
    }

    const RegretModel& model_;
    int32_t max_depth_ = -1;
    Stop* stop_ = nullptr;
    bool entropy_ = false;
    std::vector<char> met_;       // [state]
    std::vector<int32_t> place_;  // [group] its item, or -1
    std::vector<int32_t> group_;  // [item]
    std::vector<double> regret_;  // [item, action]
    std::vector<char> right_;     // [item, action] whether it has the least regret
    std::vector<double> share_;   // [item] how many actions have
    std::vector<double> count_;   // [action]
};

}  // namespace spotree::leaves
