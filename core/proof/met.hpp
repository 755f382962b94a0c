// Regions that have been met before, however their partial tree came about.
#pragma once

#include "proof/region.hpp"

namespace spotree::proof {

// What can be done in a region depends on its allowed actions and open nodes alone (docs/proof.md, lemma 8).
// Both are named under secrets of the system: the nodes by a polynomial that has them as its roots, at a
// secret place modulo 2^61 - 1, the allowed actions and that by a linear form with secret coefficients modulo
// 2^128, of which the upper half counts. Each is done twice, so that two different regions share a name with
// probability below 2^-105.
class RegionNames {
  public:
    explicit RegionNames(const GroupedModel& m) : words_(size_t(m.num_groups) * m.words) {
        SystemNames random;
        for (auto& secret : {&one_, &other_}) {
            secret->place = random() % kPrime;
            secret->factor.resize(words_ + 2);
            for (auto& f : secret->factor) f = Wide(random()) << 64 | random();
        }
    }

    SetKey operator()(const ActionSets& allowed, const std::vector<Item>& items) const {
        const uint64_t* words = words_ ? allowed.of(0) : nullptr;
        return {name(one_, words, items), name(other_, words, items)};
    }

  private:
    __extension__ using Wide = unsigned __int128;
    static constexpr uint64_t kPrime = (uint64_t(1) << 61) - 1;
    struct Secret {
        uint64_t place = 0;
        std::vector<Wide> factor;  // [word], then of the nodes, then by itself
    };

    uint64_t name(const Secret& secret, const uint64_t* words, const std::vector<Item>& items) const {
        Wide sum = secret.factor[words_ + 1];
        for (size_t k = 0; k < words_; ++k) sum += secret.factor[k] * words[k];
        uint64_t nodes = 1;
        for (const auto& item : items) {  // a product, so that the order does not matter
            const uint64_t root = uint64_t(item.cube) << 29 | uint64_t(item.size);
            nodes = uint64_t(Wide(nodes) * ((secret.place + kPrime - root) % kPrime) % kPrime);
        }
        return uint64_t((sum + secret.factor[words_] * nodes) >> 64);
    }

    size_t words_;
    Secret one_, other_;
};

// A region is entered when its record is written. It may still be open then: nothing is proved before all
// regions are closed, and no region can come to stand on itself, since parts are smaller than the whole.
class MetRegions {
  public:
    const RegionNames name;

    explicit MetRegions(const GroupedModel& m) : name(m) {}

    // The record of an equal region, -1 if there is none.
    int32_t find(const SetKey& key) const {
        std::scoped_lock hold(lock_);
        const auto place = record_of_.find(key);
        return place == record_of_.end() ? -1 : place->second;
    }

    void add(const SetKey& key, int32_t record) {
        std::scoped_lock hold(lock_);
        if (record_of_.size() < 20'000'000) record_of_.emplace(key, record);
    }

  private:
    mutable std::mutex lock_;
    std::unordered_map<SetKey, int32_t, SetKeyHash> record_of_;
};

}  // namespace spotree::proof
