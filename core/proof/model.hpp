// The decision process as the proof sees it: choices as rows, and groups of states that a tree cannot tell
// apart.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "proof/actions.hpp"

namespace spotree::proof {

constexpr double kInfinity = 1e300;  // stands for "never": sums of it stay finite

struct Model {
    int states = 0, actions = 0, groups = 0, words = 1;
    double discount = 0;
    double rounding = 0;                // of `worth` less a value, relative to the largest value
    bool forbids = false;               // some action is forbidden in some state
    std::vector<int64_t> choice_start;  // [state + 1] rows of a state
    std::vector<int32_t> choice_of;     // [state, action] -> row, -1 where forbidden
    std::vector<int64_t> row_start;     // [row + 1]
    std::vector<int32_t> target;        // ascending within a row
    std::vector<double> weight;         // discount * probability
    std::vector<double> reward;         // [row]
    std::vector<double> stay;           // [row] discounted probability to stay in the state
    std::vector<double> initial;        // [state]
    std::vector<int32_t> group_of;      // [state], -1: every action is the same there
    std::vector<uint64_t> row_actions;  // [row, word] the actions that lead to a row
    std::vector<int32_t> group_start, group_state;
    std::vector<int32_t> order;  // states, successors mostly before predecessors

    const uint64_t* actions_of(int64_t row) const { return row_actions.data() + row * words; }

    bool offered(int state, int64_t row, const ActionSets& allowed) const {
        const int g = group_of[state];
        if (g >= 0) return allowed.meets(g, actions_of(row));
        for (int k = 0; k < words; ++k) {
            if (actions_of(row)[k]) return true;
        }
        return false;
    }

    // reward + discount * expected value of the next state
    double worth(int64_t row, const double* value) const { return reward[row] + ahead(row, value); }

    double ahead(int64_t row, const double* value) const {
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        int64_t k = row_start[row];
        const int64_t end = row_start[row + 1];
        for (; k + 4 <= end; k += 4) {
            s0 += weight[k] * value[target[k]];
            s1 += weight[k + 1] * value[target[k + 1]];
            s2 += weight[k + 2] * value[target[k + 2]];
            s3 += weight[k + 3] * value[target[k + 3]];
        }
        for (; k < end; ++k) s0 += weight[k] * value[target[k]];
        return (s0 + s1) + (s2 + s3);
    }

    double start_value(const double* value) const {
        double total = 0;
        for (int i = 0; i < states; ++i) {
            if (initial[i] > 0) total += initial[i] * value[i];
        }
        return total;
    }

    // Fills what follows from the arrays above it.
    void complete() {
        words = (actions + 63) / 64;
        const auto rows = choice_start.back();
        row_actions.assign(size_t(rows) * words, 0);
        for (int i = 0; i < states; ++i) {
            for (int a = 0; a < actions; ++a) {
                const int32_t row = choice_of[size_t(i) * actions + a];
                if (row < 0) {
                    forbids = true;
                } else {
                    row_actions[size_t(row) * words + a / 64] |= ActionSets::bit(a);
                }
            }
        }
        stay.assign(rows, 0.0);
        for (int i = 0; i < states; ++i) {
            for (int64_t row = choice_start[i]; row < choice_start[i + 1]; ++row) {
                for (int64_t k = row_start[row]; k < row_start[row + 1]; ++k) {
                    if (target[k] == i) stay[row] += weight[k];
                }
            }
        }
        int64_t longest = 0;
        for (int64_t row = 0; row < rows; ++row)
            longest = std::max(longest, row_start[row + 1] - row_start[row]);
        rounding = (double(longest) / 4 + 5) * 4 * 0x1p-53;
        group_start.assign(groups + 1, 0);
        for (int g : group_of) {
            if (g >= 0) ++group_start[g + 1];
        }
        for (int g = 0; g < groups; ++g) group_start[g + 1] += group_start[g];
        group_state.resize(group_start[groups]);
        auto next = group_start;
        for (int i = 0; i < states; ++i) {
            if (group_of[i] >= 0) group_state[next[group_of[i]]++] = i;
        }
        sort_states();
    }

  private:
    // Postorder of a depth-first walk: in models without cycles every successor comes first.
    void sort_states() {
        std::vector<char> seen(states, 0);
        std::vector<std::pair<int, int64_t>> stack;  // state, next transition to follow
        order.clear();
        for (int root = 0; root < states; ++root) {
            if (seen[root]) continue;
            seen[root] = 1;
            stack.emplace_back(root, row_start[choice_start[root]]);
            while (!stack.empty()) {
                auto& [state, at] = stack.back();
                const int64_t end = row_start[choice_start[state + 1]];
                while (at < end && seen[target[at]]) ++at;
                if (at == end) {
                    order.push_back(state);
                    stack.pop_back();
                } else {
                    const int to = target[at];
                    seen[to] = 1;
                    stack.emplace_back(to, row_start[choice_start[to]]);
                }
            }
        }
    }
};

}  // namespace spotree::proof
