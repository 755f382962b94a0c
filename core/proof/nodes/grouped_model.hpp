// The decision process as the proof sees it: with groups of states that a tree cannot tell apart.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/bellman.hpp"
#include "proof/nodes/action_sets.hpp"

namespace spotree::proof {

constexpr double kInfinity = 1e300;  // stands for "never": sums of it stay finite
constexpr double kEnding = 5e-13;    // a row that lacks less than this to 1 goes on (undiscounted)
constexpr double kVisited = 2e-9;    // undiscounted: so much less than all visits arrive at the next state

// Its `choice_of` gives equal rows of a state one number; targets ascend within a row.
struct GroupedModel : Model {
    int num_groups, words;
    const int32_t* group_of;            // [state], -1: every action is the same there
    double rounding = 0;                // of `worth_by_four` less a value, relative to the largest value
    bool forbids = false;               // some action is forbidden in some state
    bool must_end = false;              // undiscounted: who may go on for ever is worth -inf
    std::vector<double> stay;           // [row] discounted probability to stay in the state
    std::vector<uint64_t> row_actions;  // [row, word] the actions that lead to a row
    std::vector<int32_t> group_start, group_state;
    std::vector<int32_t> order;  // states, successors mostly before predecessors

    // Undiscounted only: which rows may end the episode, whose they are, and the rows that lead to a state.
    std::vector<char> ends;             // [row]
    std::vector<int32_t> state_of;      // [row]
    std::vector<int64_t> before_start;  // [state + 1]
    std::vector<int32_t> before;        // [entry] rows, by the state that they may lead to

    GroupedModel(const Model& model, const int32_t* merged_choice_of, const int32_t* group_of_state,
                 int groups, bool ends_surely = false)
        : Model(model),
          num_groups(groups),
          words((num_actions + 63) / 64),
          group_of(group_of_state),
          must_end(ends_surely),
          stay(num_rows(), 0.0),
          row_actions(size_t(num_rows()) * words, 0),
          group_start(groups + 1, 0) {
        choice_of = merged_choice_of;
        look_at_rows();
        list_groups();
        sort_states();
        if (undiscounted()) look_back();
    }

    bool undiscounted() const { return discount >= 1; }
    bool has_dead() const { return forbids || undiscounted(); }  // states that no sensible policy visits

    // What arrives of the visits to a state: a little less than all, so that lemma 3 holds without a
    // discount.
    double passed_on() const { return undiscounted() ? 1 - kVisited : discount; }

    const uint64_t* actions_of(int64_t row) const { return row_actions.data() + row * words; }

    bool offered(int state, int64_t row, const ActionSets& allowed) const {
        const int g = group_of[state];
        if (g >= 0) return allowed.meets(g, actions_of(row));
        for (int k = 0; k < words; ++k) {
            if (actions_of(row)[k]) return true;
        }
        return false;
    }

    double start_value(const double* value) const {
        double total = 0;
        for (int i = 0; i < num_states; ++i) {
            if (initial[i] > 0) total += initial[i] * value[i];
        }
        return total;
    }

  private:
    void look_at_rows() {
        int64_t longest = 0;
        for (int i = 0; i < num_states; ++i) {
            for (int a = 0; a < num_actions; ++a) {
                const int32_t row = choices(i)[a];
                if (row < 0) {
                    forbids = true;
                } else {
                    row_actions[size_t(row) * words + a / 64] |= ActionSets::bit(a);
                }
            }
            for (int64_t row = choice_start[i]; row < choice_start[i + 1]; ++row) {
                longest = std::max(longest, row_start[row + 1] - row_start[row]);
                for (int64_t k = row_start[row]; k < row_start[row + 1]; ++k) {
                    if (target[k] == i) stay[row] += discount * probability[k];
                }
            }
        }
        rounding = (double(longest) / 4 + 5) * 4 * 0x1p-53;
    }

    void look_back() {
        ends.assign(num_rows(), 0);
        state_of.assign(num_rows(), 0);
        before_start.assign(num_states + 1, 0);
        for (int i = 0; i < num_states; ++i) {
            for (int64_t row = choice_start[i]; row < choice_start[i + 1]; ++row) {
                double sum = 0;
                for (int64_t k = row_start[row]; k < row_start[row + 1]; ++k) {
                    sum += probability[k];
                    ++before_start[target[k] + 1];
                }
                state_of[row] = i;
                ends[row] = sum < 1 - kEnding;
            }
        }
        for (int i = 0; i < num_states; ++i) before_start[i + 1] += before_start[i];
        before.resize(before_start[num_states]);
        auto next = before_start;
        for (int64_t row = 0; row < num_rows(); ++row) {
            for (int64_t k = row_start[row]; k < row_start[row + 1]; ++k)
                before[next[target[k]]++] = int32_t(row);
        }
    }

    void list_groups() {
        for (int i = 0; i < num_states; ++i) {
            if (group_of[i] >= 0) ++group_start[group_of[i] + 1];
        }
        for (int g = 0; g < num_groups; ++g) group_start[g + 1] += group_start[g];
        group_state.resize(group_start[num_groups]);
        auto next = group_start;
        for (int i = 0; i < num_states; ++i) {
            if (group_of[i] >= 0) group_state[next[group_of[i]]++] = i;
        }
    }

    // Postorder of a depth-first walk: in models without cycles every successor comes first.
    void sort_states() {
        std::vector<char> seen(num_states, 0);
        std::vector<std::pair<int, int64_t>> stack;  // state, next transition to follow
        for (int root = 0; root < num_states; ++root) {
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
