// Allowed actions of each feature class.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace spotree::proof {

class ActionSets {
  public:
    ActionSets() = default;
    ActionSets(int groups, int actions) : words_((actions + 63) / 64), bits_(size_t(groups) * words_) {
        for (int g = 0; g < groups; ++g) {
            for (int a = 0; a < actions; ++a) bits_[size_t(g) * words_ + a / 64] |= bit(a);
        }
    }

    static uint64_t bit(int action) { return uint64_t(1) << (action % 64); }

    int words() const { return words_; }
    uint64_t* of(int group) { return bits_.data() + size_t(group) * words_; }
    const uint64_t* of(int group) const { return bits_.data() + size_t(group) * words_; }
    bool has(int group, int action) const { return of(group)[action / 64] & bit(action); }
    void remove(int group, int action) { of(group)[action / 64] &= ~bit(action); }

    int count(int group) const {
        int total = 0;
        for (int k = 0; k < words_; ++k) total += std::popcount(of(group)[k]);
        return total;
    }

    bool meets(int group, const uint64_t* set) const {
        for (int k = 0; k < words_; ++k) {
            if (of(group)[k] & set[k]) return true;
        }
        return false;
    }

    void keep_only(int group, int action) {
        for (int k = 0; k < words_; ++k) of(group)[k] &= k == action / 64 ? bit(action) : 0;
    }

    size_t bytes() const { return bits_.size() * sizeof(uint64_t); }

  private:
    int words_ = 1;
    std::vector<uint64_t> bits_;
};

}  // namespace spotree::proof
