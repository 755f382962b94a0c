// Random decision processes with hostile shapes, plain oracles beside the core, and a count of what was
// wrong.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "model/model.hpp"

namespace hostile {

class Chance {
  public:
    explicit Chance(uint32_t seed) : engine_(seed) {}
    int below(int n) { return static_cast<int>(engine_() % static_cast<uint32_t>(n)); }
    bool one_in(int n) { return below(n) == 0; }
    double unit() { return below(1 << 20) / double(1 << 20); }
    template <class T>
    T of(std::initializer_list<T> choices) {
        return choices.begin()[below(static_cast<int>(choices.size()))];
    }

  private:
    std::mt19937 engine_;
};

// Says what does not hold, and in which trial: `<binary> 1 <seed>` repeats it.
class Report {
  public:
    uint32_t seed = 0;
    void expect(bool holds, const char* claim, double left = 0, double right = 0) {
        ++checked_;
        if (holds) return;
        ++wrong_;
        std::printf("seed %u: not so: %s (%.17g, %.17g)\n", seed, claim, left, right);
    }
    int end(const char* part) const {
        std::printf("%s: %d of %d checks failed\n", part, wrong_, checked_);
        return wrong_ != 0;
    }

  private:
    int checked_ = 0, wrong_ = 0;
};

// `<binary> [trials] [seed]`: every trial has a seed of its own.
template <class Trial>
int run(const char* part, int argc, char** argv, int trials, Trial trial) {
    if (argc > 1) trials = std::atoi(argv[1]);
    const uint32_t first = argc > 2 ? static_cast<uint32_t>(std::atoi(argv[2])) : 1;
    Report report;
    for (int k = 0; k < trials; ++k) {
        report.seed = first + static_cast<uint32_t>(k);
        Chance chance(report.seed);
        trial(chance, report);
    }
    return report.end(part);
}

using Rows = std::vector<int32_t>;  // [state] -> row, -1: no row

struct Model {
    int states = 1, actions = 1, features = 0;
    double discount = 0.9;
    std::vector<int64_t> choice_start{0}, row_start{0};
    std::vector<int32_t> choice_of, target;  // [state, action] -> row; equal rows of a state are one
    std::vector<double> probability, reward, initial, feature;

    spotree::Model view() const {
        return {states,           actions,       discount,           choice_start.data(), choice_of.data(),
                row_start.data(), target.data(), probability.data(), reward.data(),       initial.data()};
    }
    int rows() const { return static_cast<int>(reward.size()); }
    int32_t choice(int state, int action) const { return choice_of[size_t(state) * actions + action]; }
    double at(int state, int f) const { return feature[size_t(state) * features + f]; }

    double ahead(int32_t row, const std::vector<double>& value) const {
        double sum = 0;
        for (int64_t e = row_start[row]; e < row_start[row + 1]; ++e)
            sum += probability[e] * value[target[e]];
        return reward[row] + discount * sum;
    }

    double start_value(const std::vector<double>& value) const {
        double sum = 0;
        for (int s = 0; s < states; ++s) sum += initial[s] > 0 ? initial[s] * value[s] : 0;
        return sum;
    }

    // Values of one row per state by plain iteration; -1 counts as the end of the episode.
    std::vector<double> values(const Rows& row_of) const {
        std::vector<double> value(states, 0.0);
        for (int k = 0; k < 4000; ++k) {
            double change = 0;
            for (int s = 0; s < states; ++s) {
                const double next = row_of[s] < 0 ? 0 : ahead(row_of[s], value);
                change = std::max(change, std::abs(next - value[s]));
                value[s] = next;
            }
            if (change < 1e-13) break;
        }
        return value;
    }

    std::vector<double> best_values() const {
        std::vector<double> value(states, 0.0);
        for (int k = 0; k < 4000; ++k) {
            double change = 0;
            for (int s = 0; s < states; ++s) {
                double best = -HUGE_VAL;
                for (int64_t row = choice_start[s]; row < choice_start[s + 1]; ++row)
                    best = std::max(best, ahead(static_cast<int32_t>(row), value));
                change = std::max(change, std::abs(best - value[s]));
                value[s] = best;
            }
            if (change < 1e-13) break;
        }
        return value;
    }

    // Discounted visits when each choice of a state is taken with the given weights.
    std::vector<double> visits(const std::vector<double>& share) const {
        std::vector<double> total = initial, now = initial;
        for (int k = 0; k < 2000; ++k) {
            std::vector<double> next(states, 0.0);
            for (int s = 0; s < states; ++s) {
                for (int64_t row = choice_start[s]; row < choice_start[s + 1]; ++row) {
                    for (int64_t e = row_start[row]; e < row_start[row + 1]; ++e)
                        next[target[e]] += now[s] * share[row] * discount * probability[e];
                }
            }
            for (int s = 0; s < states; ++s) total[s] += next[s];
            now = next;
        }
        return total;
    }

    // The return of one row per state; -inf where a forbidden one is reached.
    double worth(const Rows& row_of) const {
        std::vector<int> open;
        std::vector<char> seen(states, 0);
        for (int s = 0; s < states; ++s) {
            if (initial[s] > 0) open.push_back(s), seen[s] = 1;
        }
        while (!open.empty()) {
            const int s = open.back();
            open.pop_back();
            if (row_of[s] < 0) return -HUGE_VAL;
            for (int64_t e = row_start[row_of[s]]; e < row_start[row_of[s] + 1]; ++e) {
                if (!seen[target[e]]) seen[target[e]] = 1, open.push_back(target[e]);
            }
        }
        return start_value(values(row_of));
    }

    template <class ActionOf>
    double worth_of(ActionOf action_of) const {
        Rows row_of(states);
        for (int s = 0; s < states; ++s) row_of[s] = choice(s, action_of(s));
        return worth(row_of);
    }
};

// Most shapes are ordinary; each hostile one comes now and then, and they mix.
inline Model random_model(Chance& chance, int most_states, int most_actions, double discount) {
    Model m;
    m.discount = discount;
    m.states = chance.one_in(10) ? 1 : 1 + chance.below(most_states);
    m.actions = chance.one_in(10) ? 1 : 1 + chance.below(most_actions);
    m.features = chance.one_in(10) ? 0 : 1 + chance.below(3);
    const bool unpaid = chance.one_in(10), forbids = chance.one_in(3), alike = chance.one_in(12);
    const bool one_component = chance.one_in(4), from_one = chance.one_in(2), same_rows = chance.one_in(6);
    const bool ends = discount == 1 || chance.one_in(3);  // undiscounted, every row must end now and then
    const int values = 1 + chance.below(5);
    for (int k = 0; k < m.states * m.features; ++k)
        m.feature.push_back(alike ? 1.5 : chance.below(values) * 0.5 - 1);
    m.choice_of.assign(size_t(m.states) * m.actions, -1);
    for (int s = 0; s < m.states; ++s) {
        const int sure = chance.below(m.actions);
        for (int a = 0; a < m.actions; ++a) {
            if (forbids && a != sure && chance.one_in(3)) continue;
            m.choice_of[size_t(s) * m.actions + a] = m.rows();
            std::map<int32_t, double> to;
            if (same_rows && a > 0 && m.choice(s, 0) >= 0) {  // merged below
                const int32_t twin = m.choice(s, 0);
                for (int64_t e = m.row_start[twin]; e < m.row_start[twin + 1]; ++e)
                    to[m.target[e]] = m.probability[e];
                m.reward.push_back(m.reward[twin]);
            } else {
                const double kept = ends ? (chance.one_in(8) ? 0.0 : 0.4 + 0.5 * chance.unit()) : 1.0;
                const int entries = kept > 0 ? 1 + chance.below(3) : 0;
                for (int e = 0; e < entries; ++e) {
                    const int next = e == 0 && one_component ? (s + 1) % m.states : chance.below(m.states);
                    to[next] += kept / entries;
                }
                m.reward.push_back(unpaid             ? 0.0
                                   : chance.one_in(2) ? chance.below(5) - 2
                                                      : chance.unit() * 10 - 5);
            }
            for (const auto& [next, p] : to) m.target.push_back(next), m.probability.push_back(p);
            m.row_start.push_back(static_cast<int64_t>(m.target.size()));
        }
        m.choice_start.push_back(m.rows());
    }
    m.initial.assign(m.states, 0.0);
    if (from_one) {
        m.initial[chance.below(m.states)] = 1.0;
    } else {
        for (double& share : m.initial) share = 1.0 / m.states;
    }
    spotree::merge_equal_choices(m.view(), m.choice_of.data());
    return m;
}

// States with equal features among those that matter, and the rank of each feature's value in them.
struct Groups {
    std::vector<int32_t> group_of, rank, num_values, first;  // [state], [group, feature], [feature], [group]
    int count = 0;

    // `whole`: a state without a choice shares the group of states that look the same and have one.
    Groups(const Model& m, bool whole) : group_of(m.states, -1) {
        const auto look = [&](int s) {
            const double* row = m.feature.data() + size_t(s) * m.features;
            return std::vector<double>(row, row + m.features);
        };
        std::map<std::vector<double>, int32_t> number;
        for (int s = 0; s < m.states; ++s) {
            const auto* row = m.choice_of.data() + size_t(s) * m.actions;
            if (std::all_of(row, row + m.actions, [&](int32_t r) { return r == row[0]; })) continue;
            if (number.emplace(look(s), count).second) ++count, first.push_back(s);
            group_of[s] = number.at(look(s));
        }
        for (int s = 0; s < m.states && whole; ++s) {
            const auto place = number.find(look(s));
            if (place != number.end()) group_of[s] = place->second;
        }
        rank.resize(size_t(count) * m.features);
        for (int f = 0; f < m.features; ++f) {
            std::set<double> values;
            for (const int32_t s : first) values.insert(m.at(s, f));
            num_values.push_back(static_cast<int32_t>(values.size()));
            for (int g = 0; g < count; ++g) {
                const auto place = values.find(m.at(first[g], f));
                rank[size_t(g) * m.features + f] = static_cast<int32_t>(std::distance(values.begin(), place));
            }
        }
    }

    // Splits as (feature, rank): ranks below go left.
    std::vector<std::pair<int32_t, int32_t>> splits() const {
        std::vector<std::pair<int32_t, int32_t>> all;
        for (size_t f = 0; f < num_values.size(); ++f) {
            for (int32_t r = 1; r < num_values[f]; ++r) all.emplace_back(static_cast<int32_t>(f), r);
        }
        return all;
    }
};

// A random tree over groups: in each group its action, from at most `depth` splits.
inline std::vector<int32_t> random_actions(const Groups& groups, int features, int actions, int depth,
                                           Chance& chance) {
    const auto splits = groups.splits();
    std::vector<int32_t> action_of(groups.count, 0), all(groups.count);
    for (int g = 0; g < groups.count; ++g) all[g] = g;
    const auto grow = [&](const auto& self, const std::vector<int32_t>& members, int left_depth) -> void {
        if (left_depth == 0 || splits.empty() ||
            members.size() < 2) {  // deep trees have few that part anything
            const int a = chance.below(actions);
            for (const int32_t g : members) action_of[g] = a;
            return;
        }
        const auto [f, r] = splits[chance.below(static_cast<int>(splits.size()))];
        std::vector<int32_t> sides[2];
        for (const int32_t g : members) sides[groups.rank[size_t(g) * features + f] >= r].push_back(g);
        for (const auto& side : sides) self(self, side, left_depth - 1);
    };
    grow(grow, all, depth);
    return action_of;
}

// The best return of all trees of depth 0 or 1, one by one.
inline double best_of_shallow(const Model& m, const Groups& groups, int depth) {
    const auto worth = [&](int32_t f, int32_t r, int low, int high) {
        return m.worth_of([&](int s) {
            const int32_t g = groups.group_of[s];
            return g < 0 ? 0 : groups.rank[size_t(g) * m.features + f] < r ? low : high;
        });
    };
    double best = -HUGE_VAL;
    for (int a = 0; a < m.actions; ++a) best = std::max(best, m.worth_of([&](int) { return a; }));
    for (const auto& [f, r] : groups.splits()) {
        for (int a = 0; a < m.actions && depth > 0; ++a) {
            for (int b = 0; b < m.actions; ++b) best = std::max(best, worth(f, r, a, b));
        }
    }
    return best;
}

}  // namespace hostile
