// Symmetries that a certificate lists (docs/proof.md, lemma S), held against the model number by number.
#pragma once

#include <ranges>
#include <set>

#include "boxes.hpp"
#include "claim.hpp"

namespace checker {

class Symmetries {
  public:
    double off = 0;  // by so much returns of a tree and its images may differ

    Symmetries(const Arrays& a, const Model& m, const Header& h, double tolerance) : m_(m) {
        const size_t count = h.symmetry_state.size() / size_t(m.states);
        if (h.symmetry_state.size() != count * m.states || h.symmetry_action.size() != count * m.actions ||
            h.symmetry_feature.size() != count * m.features)
            malformed("symmetries without images");
        if (count > 0 && !(m.discount < 1)) reject("symmetries without a discount are not for this checker");
        double start = 0, reward = 0, row = 0;  // how far the model is from its images
        for (size_t k = 0; k < count; ++k) {
            number_ = int(k);
            const int32_t* state = &h.symmetry_state[k * m.states];
            const int32_t* action = &h.symmetry_action[k * m.actions];
            check_permutation(state, m.states, "states");
            check_permutation(action, m.actions, "actions");
            find_groups(state);
            for (int f = 0; f < m.features; ++f) check_order(f, h.symmetry_feature[k * m.features + f]);
            double moved = 0;
            for (int i = 0; i < m.states; ++i) {
                moved += std::abs(a.initial[state[i]] - a.initial[i]);
                if ((a.initial[state[i]] > 0) != (a.initial[i] > 0)) fail("where episodes begin");
                for (int b = 0; b < m.actions; ++b) {
                    const int32_t from = a.choice_of[size_t(i) * m.actions + b],
                                  to = a.choice_of[size_t(state[i]) * m.actions + action[b]];
                    if ((from < 0) != (to < 0)) fail("what is forbidden");
                    if (from < 0) continue;
                    reward = std::max(reward, std::abs(a.reward[from] - a.reward[to]));
                    row = std::max(row, apart(a, from, to, state));
                }
            }
            start = std::max(start, moved);
            action_.emplace_back(action, action + m.actions);
        }
        if (start == 0 && reward == 0 && row == 0) return;
        const double most = m.largest / m.far;
        off = (start * most + (reward + m.discount * row * most) / m.far) * (1 + 1e-9);
        if (!(off <= kShare * tolerance))
            reject("symmetries move returns by up to ", off, ", more than a tenth of the tolerance ",
                   tolerance);
        check_closed();
    }

    int count() const { return int(group_.size()); }
    int32_t action(int which, int a) const { return action_[which][a]; }
    size_t pair(int which, int g, int a) const { return m_.pair(group_[which][g], action_[which][a]); }

    Set image(int which, const Set& set) const {
        Set found(set.size(), 0);
        for (int g = 0; g < m_.groups; ++g) {
            if (has_bit(set, g)) add_bit(found, group_[which][g]);
        }
        return found;
    }

    // The set of which this one is the image, and the actions of which these are.
    Set before(int which, const Set& set) const {
        Set found(set.size(), 0);
        for (int g = 0; g < m_.groups; ++g) {
            if (has_bit(set, group_[which][g])) add_bit(found, g);
        }
        return found;
    }
    Actions before(int which, const Actions& allowed) const {
        Actions found(allowed.size());
        for (int g = 0; g < m_.groups; ++g) {
            for (int a = 0; a < m_.actions; ++a) found[m_.pair(g, a)] = allowed[pair(which, g, a)];
        }
        return found;
    }

  private:
    [[noreturn]] void fail(const char* what) const {
        reject("symmetry ", number_, " of the certificate is none of the model: it does not keep ", what);
    }

    void check_permutation(const int32_t* image, int count, const char* what) const {
        std::vector<char> seen(count, 0);
        for (int k = 0; k < count; ++k) {
            if (image[k] < 0 || image[k] >= count || seen[image[k]])
                reject("symmetry ", number_, " of the certificate does not permute ", what);
            seen[image[k]] = 1;
        }
    }

    // States of a group go to states of one group, and groups to different ones.
    void find_groups(const int32_t* state) {
        std::vector<int32_t> image(m_.groups, -1);
        std::vector<char> seen(m_.groups, 0);
        for (int i = 0; i < m_.states; ++i) {
            const int32_t from = m_.group_of[i], to = m_.group_of[state[i]];
            if ((from < 0) != (to < 0)) fail("states without a choice");
            if (from < 0) continue;
            if (image[from] < 0 && seen[to]) fail("groups apart");
            if (image[from] >= 0 && image[from] != to) fail("groups together");
            image[from] = to;
            seen[to] = 1;
        }
        group_.push_back(std::move(image));
    }

    // The order of the groups by a feature becomes their order by its image, or the reverse of that.
    void check_order(int f, int32_t image) const {
        if (image == 0 || image < -m_.features || image > m_.features)
            malformed("a symmetry leads to feature ", image);
        const int to = std::abs(image) - 1;
        auto value = [&](int feature, int g) { return m_.of_group(g, feature); };
        std::vector<int32_t> order(m_.groups);
        for (int g = 0; g < m_.groups; ++g) {
            order[g] = g;
            if (std::isnan(value(f, g)) || std::isnan(value(to, g))) fail("values that are not a number");
        }
        std::sort(order.begin(), order.end(), [&](int x, int y) { return value(f, x) < value(f, y); });
        for (int k = 1; k < m_.groups; ++k) {
            const double one = value(to, group_.back()[order[k - 1]]),
                         two = value(to, group_.back()[order[k]]);
            const bool equal = value(f, order[k - 1]) == value(f, order[k]);
            if (equal ? one != two : !(image > 0 ? one < two : one > two)) fail("the order of a feature");
        }
    }

    // How far the probabilities of a choice are from those of its image, in sum.
    double apart(const Arrays& a, int32_t from, int32_t to, const int32_t* state) const {
        const auto target = a.part(a.target, from), other = a.part(a.target, to);
        std::vector<std::pair<int32_t, double>> image;  // by next state, as in the rows of the model
        for (size_t k = 0; k < target.size(); ++k)
            image.emplace_back(state[target[k]], a.part(a.probability, from)[k]);
        std::ranges::sort(image);
        if (!std::ranges::equal(image | std::views::keys, other)) fail("next states");
        double sum = 0;
        for (size_t k = 0; k < image.size(); ++k)
            sum += std::abs(image[k].second - a.part(a.probability, to)[k]);
        return sum;
    }

    // One after another is one of them, or none: then trees and their images form sets that no symmetry
    // leaves.
    void check_closed() const {
        std::set<std::pair<std::vector<int32_t>, std::vector<int32_t>>> known;
        std::vector<int32_t> same_groups(m_.groups), same_actions(m_.actions);
        std::iota(same_groups.begin(), same_groups.end(), 0);
        std::iota(same_actions.begin(), same_actions.end(), 0);
        known.emplace(same_groups, same_actions);
        for (int k = 0; k < count(); ++k) known.emplace(group_[k], action_[k]);
        for (int x = 0; x < count(); ++x) {
            for (int y = 0; y < count(); ++y) {
                for (int g = 0; g < m_.groups; ++g) same_groups[g] = group_[x][group_[y][g]];
                for (int a = 0; a < m_.actions; ++a) same_actions[a] = action_[x][action_[y][a]];
                if (!known.contains({same_groups, same_actions}))
                    reject("the symmetries are exact up to rounding only, and symmetry ", x, " after ", y,
                           " is none of them");
            }
        }
    }

    const Model& m_;
    int number_ = 0;                                    // of the symmetry that is looked at
    std::vector<std::vector<int32_t>> group_, action_;  // [symmetry][...]
};

}  // namespace checker
