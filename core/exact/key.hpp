// The name of a set of rows: 128 random bits per row, combined by exclusive or.
#pragma once

#include <cstdint>

#include "run/random.hpp"

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

inline Key row_key(uint64_t row) { return {mixed(2 * row + 1), mixed(~(2 * row))}; }

}  // namespace spotree::exact
