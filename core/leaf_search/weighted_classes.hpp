// What a judged tree hands on: its place in an archive, and the groups that it reaches with their losses.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "leaf_search/archive.hpp"
#include "leaf_search/greedy.hpp"
#include "leaf_search/regret_model.hpp"
#include "leaf_search/size_penalised_dp.hpp"

namespace spotree::leaves {

// The groups of these states and, for each action, what `loss` says of a state and its row, added up.
template <class Loss>
void collect_by(const LossModel& model, std::span<const int32_t> states, const Loss& loss, Items& items) {
    const int32_t actions = model.num_actions;
    items.group.clear();
    items.loss.clear();
    std::vector<int32_t>& place = items.place;
    place.resize(model.num_groups, -1);
    for (const int32_t s : states) {
        int32_t& at = place[model.group_of[s]];
        if (at < 0) {
            at = items.size();
            items.group.push_back(model.group_of[s]);
            items.loss.resize(items.loss.size() + actions, 0.0);
        }
        for (int32_t a = 0; a < actions; ++a) {
            const int32_t row = model.choices(s)[a];
            items.loss[static_cast<size_t>(at) * actions + a] +=
                row < 0 ? std::numeric_limits<double>::infinity() : loss(s, row);
        }
    }
    for (const int32_t g : items.group) place[g] = -1;
}

// The same with visits times regret.
inline void collect(const LossModel& model, std::span<const int32_t> states,
                    const std::vector<double>& visits, Items& items) {
    collect_by(model, states, [&](int32_t s, int32_t row) { return visits[s] * model.regret(row); }, items);
}

// The judge's tree goes into the archive if it is small enough and loses less than those of its size.
inline bool offer(ShapeJudge& judge, Archive& archive, int32_t max_leaves, int32_t max_depth) {
    const Shape& tree = judge.tree();
    const double known = archive.loss_at(tree.num_leaves());
    if (tree.num_leaves() > max_leaves || known <= 0 || !judge.beats(-known)) return false;
    if (max_depth >= 0 && tree.depth() > max_depth) return false;
    return archive.offer(tree, std::max(0.0, -judge.value()));
}

}  // namespace spotree::leaves
