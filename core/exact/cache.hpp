// Cache of row sets: optimum or lower bound per depth, shared by all threads, bounded in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

#include "runtime/random.hpp"

namespace spotree::exact {

struct Key {
    uint64_t low = 0, high = 0;
    void operator^=(const Key& other) {
        low ^= other.low;
        high ^= other.high;
    }
    friend Key operator^(Key a, const Key& b) {
        a ^= b;
        return a;
    }
    friend bool operator==(const Key& a, const Key& b) { return a.low == b.low && a.high == b.high; }
    friend bool operator<(const Key& a, const Key& b) {
        return a.high != b.high ? a.high < b.high : a.low < b.low;
    }
};

inline const Key kSecret = [] {
    std::random_device system;
    auto word = [&] { return static_cast<uint64_t>(system()) << 32 | system(); };
    return Key{word(), word()};
}();

inline Key row_key(uint64_t row) {
    return {mixed(kSecret.low ^ mixed(kSecret.high + 2 * row)),
            mixed(kSecret.high ^ mixed(kSecret.low + ~(2 * row)))};
}

struct Known {
    double value = 0.0;  // optimum if exact, else a lower bound
    bool exact = false;
    int32_t split = -1;  // cut of the best tree: index into the root's splits; -1 for a leaf or not known
};

// A row set is named by 128 random bits (row_set_hash.hpp) and its size; two sets share a name with
// probability below 2^-100 or so. When the memory is used up, new entries take the place of old ones.
class Cache {
  public:
    explicit Cache(size_t bytes = size_t{1} << 29) { set_limit(bytes); }

    void set_limit(size_t bytes) {
        most_ = 16;
        while (most_ * 2 * kShards * sizeof(Entry) <= bytes) most_ *= 2;
    }

    // Forget everything, at once.
    void clear() {
        if (++now_ == 0) {
            for (auto& shard : shards_) shard.entry.clear();
            now_ = 1;
        }
        for (auto& shard : shards_) shard.used = 0;
    }

    bool find(int depth, const Key& key, int32_t rows, Known& known) {
        const uint64_t hash = key.low + static_cast<uint64_t>(depth) * kGolden;
        Shard& shard = shards_[key.high % kShards];
        std::lock_guard lock(shard.mutex);
        if (shard.entry.empty()) return false;
        const size_t mask = shard.entry.size() - 1;
        for (size_t k = 0, at = hash & mask; k < kProbes; ++k, at = (at + 1) & mask) {
            const Entry& e = shard.entry[at];
            if (e.stamp != now_) return false;
            if (e.key == key && e.depth == depth && e.rows == rows) {
                known = {e.value, e.exact, e.split};
                return true;
            }
        }
        return false;
    }

    void store(int depth, const Key& key, int32_t rows, const Known& known) {
        const uint64_t hash = key.low + static_cast<uint64_t>(depth) * kGolden;
        Shard& shard = shards_[key.high % kShards];
        std::lock_guard lock(shard.mutex);
        if (shard.entry.empty()) shard.entry.resize(16);
        if (shard.used * 2 > shard.entry.size() && shard.entry.size() < most_) grow(shard);
        const Entry fresh{key,        known.value, rows, known.split, now_, static_cast<int16_t>(depth),
                          known.exact};
        const size_t mask = shard.entry.size() - 1;
        size_t at = hash & mask;
        for (size_t k = 0; k < kProbes; ++k, at = (at + 1) & mask) {
            Entry& e = shard.entry[at];
            if (e.stamp != now_) {
                e = fresh;
                ++shard.used;
                return;
            }
            if (e.key == key && e.depth == depth && e.rows == rows) {
                if (known.exact || (!e.exact && known.value > e.value)) e = fresh;
                return;
            }
        }
        shard.entry[(hash + (hash >> 60)) & mask] = fresh;  // full here: one of the window gives way
    }

    size_t entries() const {
        size_t n = 0;
        for (const auto& shard : shards_) n += shard.used;
        return n;
    }

  private:
    static constexpr size_t kShards = 64, kProbes = 16;
    struct Entry {
        Key key;
        double value;
        int32_t rows, split;
        uint32_t stamp = 0;
        int16_t depth;
        bool exact;
    };
    struct alignas(64) Shard {
        std::mutex mutex;
        std::vector<Entry> entry;
        size_t used = 0;
    };

    void grow(Shard& shard) {
        std::vector<Entry> old(shard.entry.size() * 2);
        old.swap(shard.entry);
        shard.used = 0;
        const size_t mask = shard.entry.size() - 1;
        for (const Entry& e : old) {
            if (e.stamp != now_) continue;
            size_t at = (e.key.low + static_cast<uint64_t>(e.depth) * kGolden) & mask;
            for (size_t k = 0; k < kProbes; ++k, at = (at + 1) & mask) {
                if (shard.entry[at].stamp == now_) continue;
                shard.entry[at] = e;
                ++shard.used;
                break;
            }
        }
    }

    Shard shards_[kShards];
    size_t most_ = 0;
    uint32_t now_ = 1;
};

}  // namespace spotree::exact
