// What all threads share: the claim, its model and its regions, and what the certificate's names mean.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <random>

#include "records.hpp"
#include "symmetry.hpp"
#include "tree_dp.hpp"

namespace checker {

// Tells regions apart: open nodes as they are, allowed actions by two sums modulo 2^64 over all pairs of a
// secret number of the group times one of the action. Sets that differ share a sum with probability 33 / 2^64
// at most: what counts for an action where they differ is any number modulo 2^64, ends in k zeros with
// probability 2^-(k + 1), and then meets one of 2^(64 - k) with the action's own number.
struct Name {
    std::array<uint64_t, 2> sums;
    std::vector<Item> items;
    bool operator==(const Name&) const = default;
};

struct Shared {
    Progress& progress;
    const Header& header;
    const Model model;
    const Claim claim;
    const Symmetries symmetries;
    const Records records;
    const Sizes sizes;
    const double threshold;      // a tree above this, or one of its images, is to be ruled out
    std::vector<char> hopeless;  // [cube, action] leaves that no improving tree has
    std::vector<double> floor;   // [state] visits that every improving tree pays

    Shared(const Header& claimed, const Arrays& arrays, std::span<const int32_t> words,
           std::span<const double> numbers, Progress& watched)
        : progress(watched),
          header(claimed),
          model(arrays),
          claim(model, claimed, progress),
          symmetries(arrays, model, claimed, claim.tolerance),
          records(words, numbers, model.states),
          sizes(header.depth, header.max_leaves),
          threshold(claim.threshold - symmetries.off),
          floor(model.states, 0.0),
          place_of_group_(model.groups, int32_t(header.group_state.size())) {
        for (const int32_t state : header.group_state) {
            if (state < 0 || state >= model.states || model.group_of[state] < 0)
                malformed("no choice matters in state ", state, ", which is said to name a group");
            place_of_group_[model.group_of[state]] = int32_t(group_of_name_.size());
            group_of_name_.push_back(model.group_of[state]);
        }
        if (header.split_feature.size() != header.split_threshold.size())
            malformed("splits without thresholds");
        for (size_t k = 0; k < header.split_feature.size(); ++k) {
            const int32_t f = header.split_feature[k];
            if (f < 0 || f >= model.features) malformed("there is no feature ", f);
            Set& left = goes_left_.emplace_back((model.groups + 63) / 64, 0);
            for (int g = 0; g < model.groups; ++g) {
                if (model.of_group(g, f) < header.split_threshold[k]) add_bit(left, g);
            }
        }
        std::random_device system;
        auto draw = [&] { return uint64_t(system()) << 32 | system(); };
        for (auto& secret : secrets_) {
            std::vector<uint64_t> of_action(model.actions);
            std::ranges::generate(of_action, draw);
            for (int g = 0; g < model.groups; ++g) {
                const uint64_t of_group = draw();
                for (const uint64_t number : of_action) secret.push_back(of_group * number);
            }
        }
    }

    // Only made when a region needs them: deep trees may be too many while bounds alone close the proof.
    const Cubes& cubes() {
        std::call_once(once_, [this] {
            cubes_ = std::make_unique<Cubes>(model, sizes, progress);
            hopeless.assign(model.pair(cubes_->count(), 0), 0);
        });
        return *cubes_;
    }

    int32_t group_of(int32_t name) const {
        if (name < 0 || size_t(name) >= group_of_name_.size()) malformed("there is no group ", name);
        return group_of_name_[name];
    }

    int32_t first_name(int32_t cube) {
        int32_t least = std::numeric_limits<int32_t>::max();
        for (const int32_t g : cubes().cubes[cube].groups) least = std::min(least, place_of_group_[g]);
        return least;
    }

    // The groups of a cube that a split sends left, or right, as a cube.
    int32_t side_of(int32_t cube, int32_t split, bool right) {
        if (split < 0 || size_t(split) >= goes_left_.size()) malformed("there is no split ", split);
        Set found = cubes().cubes[cube].inside;
        for (size_t k = 0; k < found.size(); ++k)
            found[k] &= right ? ~goes_left_[split][k] : goes_left_[split][k];
        return cubes().find(found);
    }

    Name name(const Actions& allowed, std::vector<Item> items) const {
        Name found{{0, 0}, std::move(items)};
        std::ranges::sort(found.items);
        for (size_t which = 0; which < found.sums.size(); ++which) {
            for (size_t k = 0; k < allowed.size(); ++k)
                found.sums[which] += secrets_[which][k] & (0 - uint64_t(allowed[k]));
        }
        return found;
    }

  private:
    std::once_flag once_;
    std::unique_ptr<Cubes> cubes_;
    std::vector<int32_t> group_of_name_, place_of_group_;  // names as they stand in the certificate
    std::vector<Set> goes_left_;                           // [split]
    std::array<std::vector<uint64_t>, 2> secrets_;         // [group, action]
};

}  // namespace checker
