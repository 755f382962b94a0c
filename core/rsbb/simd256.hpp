// Four words of a set of rows at a time, which the compiler makes one instruction of.
#pragma once

#include <cstdint>
#include <cstring>

namespace spotree::rsbb {

struct Four {
    uint64_t word[4];

    static Four at(const uint64_t* words) {
        Four four;
        std::memcpy(four.word, words, sizeof four.word);
        return four;
    }
    static Four all(uint64_t word) { return {{word, word, word, word}}; }
    void put(uint64_t* words) const { std::memcpy(words, word, sizeof word); }

    friend Four operator&(Four a, const Four& b) {
        for (int i = 0; i < 4; ++i) a.word[i] &= b.word[i];
        return a;
    }
    friend Four operator|(Four a, const Four& b) {
        for (int i = 0; i < 4; ++i) a.word[i] |= b.word[i];
        return a;
    }
    friend Four operator^(Four a, const Four& b) {
        for (int i = 0; i < 4; ++i) a.word[i] ^= b.word[i];
        return a;
    }
    Four operator~() const { return *this ^ all(~uint64_t{0}); }
};

}  // namespace spotree::rsbb
