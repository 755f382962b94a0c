// Regions that have been met before, however their partial tree came about.
#pragma once

#include "certify/region.hpp"

namespace spotree::certify {

// What can be done in a region depends on its allowed actions and open nodes alone (docs/proof.md, lemma 8).
inline uint64_t mixed(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

inline SetKey identity(const Model& m, const ActionSets& allowed, const std::vector<Item>& items) {
    SetKey key{1, 2};
    for (int g = 0; g < m.groups; ++g) {
        for (int k = 0; k < m.words; ++k) {
            key.a = mixed(key.a ^ allowed.of(g)[k]);
            key.b = mixed(key.b + 0x9e3779b97f4a7c15u * (allowed.of(g)[k] ^ uint64_t(g)));
        }
    }
    for (const auto& item : items) {
        const uint64_t code = mixed((uint64_t(item.cube) << 32) + uint64_t(item.size) + 1);
        key = {key.a + code, key.b + mixed(code)};  // sums, so that the order does not matter
    }
    return key;
}

// A region is entered when its record is written. It may still be open then: nothing is proved before all
// regions are closed, and no region can come to stand on itself, since parts are smaller than the whole.
class MetRegions {
  public:
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

}  // namespace spotree::certify
