// What all threads share: the claim, its model and its regions, and what the certificate's names mean.
#pragma once

#include <memory>
#include <mutex>

#include "names.hpp"
#include "records.hpp"
#include "symmetry.hpp"

namespace checker {

struct Shared {
    const Patience patience;
    const Header& header;
    const Model model;
    const Claim claim;
    const Symmetries symmetries;
    const Records records;
    const Names names;
    const double threshold,
        tolerance;  // a tree above the threshold, or one of its images, is to be ruled out
    std::atomic<int64_t>& done;
    std::vector<uint64_t> hopeless;  // [cube, word] leaves that no improving tree has
    std::vector<double> floor;       // [state] visits that every improving tree pays

    Shared(const Header& claimed, const Arrays& arrays, std::span<const int32_t> words,
           std::span<const double> numbers, const std::atomic<bool>& stop, std::atomic<int64_t>& count)
        : patience{stop},
          header(claimed),
          model(arrays),
          claim(model, claimed, patience),
          symmetries(arrays, model, claimed, claim.tolerance),
          records(words, numbers, model.states),
          names(size_t(model.groups) * model.words),
          threshold(claim.threshold - symmetries.off),
          tolerance(claim.tolerance),
          done(count),
          floor(model.states, 0.0),
          place_of_group_(model.groups, int32_t(header.group_state.size())) {
        for (const int32_t state : header.group_state) {
            if (state < 0 || state >= model.states || model.group_of[state] < 0)
                reject("the certificate is malformed: no choice matters in state ", state,
                       ", which is said to name a group");
            place_of_group_[model.group_of[state]] = int32_t(group_of_name_.size());
            group_of_name_.push_back(model.group_of[state]);
        }
        if (header.split_feature.size() != header.split_threshold.size())
            reject("the certificate is malformed: splits without thresholds");
        for (size_t k = 0; k < header.split_feature.size(); ++k) {
            const int32_t f = header.split_feature[k];
            if (f < 0 || f >= model.features) reject("the certificate is malformed: there is no feature ", f);
            Set left((model.groups + 63) / 64, 0);
            for (int g = 0; g < model.groups; ++g) {
                if (model.of_group(g, f) < header.split_threshold[k]) add_bit(left.data(), g);
            }
            goes_left_.push_back(std::move(left));
        }
    }

    // Only made when a region needs them: deep trees may be too many while bounds alone close the proof.
    const Cubes& cubes() {
        std::call_once(once_, [this] {
            sizes_ = std::make_unique<Sizes>(header.depth, header.max_leaves);
            cubes_ = std::make_unique<Cubes>(model, *sizes_, patience);
            hopeless.assign(size_t(cubes_->count()) * model.words, 0);
        });
        return *cubes_;
    }

    const Sizes& sizes() { return cubes(), *sizes_; }

    int32_t cube_of(const Set& set) {
        const int32_t cube = cubes().find(set);
        if (cube < 0) reject("the certificate is malformed: no splits single out a set of groups it names");
        return cube;
    }

    int32_t group_of(int32_t name) const {
        if (name < 0 || size_t(name) >= group_of_name_.size())
            reject("the certificate is malformed: there is no group ", name);
        return group_of_name_[name];
    }

    int32_t first_name(int32_t cube) {
        int32_t least = std::numeric_limits<int32_t>::max();
        for (const int32_t g : cubes().cubes[cube].groups) least = std::min(least, place_of_group_[g]);
        return least;
    }

    // The groups of a set that a split sends left, or right.
    Set side_of(const Set& set, int32_t split, bool right) const {
        if (split < 0 || size_t(split) >= goes_left_.size())
            reject("the certificate is malformed: there is no split ", split);
        Set found = set;
        for (size_t k = 0; k < set.size(); ++k)
            found[k] &= right ? ~goes_left_[split][k] : goes_left_[split][k];
        return found;
    }

  private:
    std::once_flag once_;
    std::unique_ptr<Cubes> cubes_;
    std::unique_ptr<Sizes> sizes_;
    std::vector<int32_t> group_of_name_, place_of_group_;  // names as they stand in the certificate
    std::vector<Set> goes_left_;                           // [split]
};

}  // namespace checker
