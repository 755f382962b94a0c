// The name of a set of rows: 128 random bits per row, combined by exclusive or. The bits depend on a secret
// of the process, so that no table can be made whose different sets share a name.
#pragma once

#include <cstdint>
#include <random>

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

}  // namespace spotree::exact
