// SIMD on sets of rows: four words at a time.
#pragma once

#include <cstdint>
#include <cstring>

namespace spotree::rsbb {

struct Simd256 {
    uint64_t word[4];

    static Simd256 at(const uint64_t* words) {
        Simd256 four;
        std::memcpy(four.word, words, sizeof four.word);
        return four;
    }
    static Simd256 all(uint64_t word) { return {{word, word, word, word}}; }
    void put(uint64_t* words) const { std::memcpy(words, word, sizeof word); }

    friend Simd256 operator&(Simd256 a, const Simd256& b) {
        for (int i = 0; i < 4; ++i) a.word[i] &= b.word[i];
        return a;
    }
    friend Simd256 operator|(Simd256 a, const Simd256& b) {
        for (int i = 0; i < 4; ++i) a.word[i] |= b.word[i];
        return a;
    }
    friend Simd256 operator^(Simd256 a, const Simd256& b) {
        for (int i = 0; i < 4; ++i) a.word[i] ^= b.word[i];
        return a;
    }
    Simd256 operator~() const { return *this ^ all(~uint64_t{0}); }
};

}  // namespace spotree::rsbb
