// Regions that have been met before, however their partial tree came about, or an image of them.
#pragma once

#include <array>

#include "proof/bounds/bounding.hpp"

namespace spotree::proof {

// What a region and its images are called.
struct SubproblemHash {
    SetKey key;      // the same for all images
    int32_t by = 0;  // the symmetry that takes the region to the image that gave the key
};

// The allowed actions of regions with different open nodes, for their names: each image is added up once.
class SubproblemForms {
  public:
    explicit SubproblemForms(const ActionSets& sets) : allowed(sets) {}

  private:
    friend class SubproblemHashes;
    __extension__ using Wide = unsigned __int128;
    const ActionSets& allowed;
    std::vector<std::array<Wide, 2>> sum_;  // [symmetry]
    std::vector<char> known_;
};

// What can be done in a region depends on its allowed actions and open nodes alone (docs/proof.md, lemma 8).
// Both are named under secrets of the system: the nodes by a polynomial that has them as its roots, at a
// secret place modulo 2^61 - 1, the allowed actions and that by a linear form with secret coefficients modulo
// 2^128, of which the upper half counts. Each is done twice, so that two different regions share a name with
// probability below 2^-105. With symmetries (lemma S) a region is called what its least image is called: the
// one whose nodes come first, and of several such ones the one with the least name.
class SubproblemHashes {
  public:
    SubproblemHashes(const GroupedModel& m, const Symmetries& symmetries)
        : groups_(m.num_groups), words_(m.words), symmetries_(symmetries) {
        SystemNames random;
        for (auto& secret : secret_) {
            secret.place = random() % kPrime;
            secret.factor.resize(size_t(groups_) * words_ + 2);
            for (auto& f : secret.factor) f = Wide(random()) << 64 | random();
        }
    }

    SubproblemHash operator()(SubproblemForms& forms, const std::vector<Item>& items) const {
        std::vector<uint64_t> least = roots(0, items);
        if (symmetries_.count() == 1 || !symmetries_.usable()) return {name(forms, 0, least), 0};
        std::vector<int> by{0};
        for (int k = 1; k < symmetries_.count(); ++k) {
            auto mine = roots(k, items);
            if (mine > least) continue;
            if (mine < least) least = std::move(mine), by.clear();
            by.push_back(k);
        }
        SubproblemHash found;
        for (const int k : by) {
            const SetKey key = name(forms, k, least);
            if (k == by[0] || key < found.key) found = {key, k};
        }
        return found;
    }

  private:
    using Wide = SubproblemForms::Wide;
    static constexpr uint64_t kPrime = (uint64_t(1) << 61) - 1;
    struct Secret {
        uint64_t place = 0;
        std::vector<Wide> factor;  // [word], then of the nodes, then by itself
    };

    std::vector<uint64_t> roots(int which, const std::vector<Item>& items) const {
        std::vector<uint64_t> found;
        found.reserve(items.size());
        for (const auto& item : items)
            found.push_back(uint64_t(symmetries_.cube(which, item.cube)) << 29 | uint64_t(item.size));
        std::sort(found.begin(), found.end());
        return found;
    }

    SetKey name(SubproblemForms& forms, int which, const std::vector<uint64_t>& roots) const {
        forms.sum_.resize(symmetries_.count());
        forms.known_.resize(symmetries_.count(), 0);
        if (!forms.known_[which]) add_up(forms, which);
        return {name(secret_[0], forms.sum_[which][0], roots), name(secret_[1], forms.sum_[which][1], roots)};
    }

    void add_up(SubproblemForms& forms, int which) const {
        std::array<Wide, 2> sum{secret_[0].factor.back(), secret_[1].factor.back()};
        std::vector<uint64_t> image(words_);
        for (int g = 0; g < groups_; ++g) {
            symmetries_.image(which, forms.allowed.of(g), image.data());
            const size_t first = size_t(symmetries_.group(which, g)) * words_;
            for (int k = 0; k < words_; ++k) {
                for (int s = 0; s < 2; ++s) sum[s] += secret_[s].factor[first + k] * image[k];
            }
        }
        forms.sum_[which] = sum;
        forms.known_[which] = 1;
    }

    static uint64_t name(const Secret& secret, Wide sum, const std::vector<uint64_t>& roots) {
        uint64_t nodes = 1;
        for (const uint64_t root : roots)
            nodes = uint64_t(Wide(nodes) * ((secret.place + kPrime - root % kPrime) % kPrime) % kPrime);
        return uint64_t((sum + secret.factor[secret.factor.size() - 2] * nodes) >> 64);
    }

    int groups_, words_;
    const Symmetries& symmetries_;
    std::array<Secret, 2> secret_;
};

// A region is entered when its record is written. It may still be open then: nothing is proved before all
// regions are closed, and no region can come to stand on itself, since parts are smaller than the whole, and
// images as large.
class TranspositionTable {
  public:
    const SubproblemHashes name;

    TranspositionTable(const GroupedModel& m, const Symmetries& symmetries)
        : name(m, symmetries), symmetries_(symmetries) {}

    // The words of a certificate that say where an equal region stands, or one whose image this is; none if
    // it was not met.
    std::vector<int32_t> find(const SubproblemHash& of) const {
        std::scoped_lock hold(lock_);
        const auto place = record_of_.find(of.key);
        if (place == record_of_.end()) return {};
        const int by = symmetries_.quotient(of.by, place->second.second);
        if (by == 0) return {6, place->second.first};
        return {6, place->second.first, by - 1};
    }

    void add(const SubproblemHash& of, int32_t record) {
        std::scoped_lock hold(lock_);
        if (record_of_.size() < 20'000'000) record_of_.emplace(of.key, std::pair(record, of.by));
    }

  private:
    const Symmetries& symmetries_;
    mutable std::mutex lock_;
    std::unordered_map<SetKey, std::pair<int32_t, int32_t>, SetKeyHash> record_of_;
};

}  // namespace spotree::proof
