// Repeatable chance: one mixing function, and one small generator per worker.
#pragma once

#include <cmath>
#include <cstdint>

namespace spotree {

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15ULL;

// Every bit of x moves every bit of the result; no two x share one.
constexpr uint64_t scrambled(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

// The same for small numbers, of which 0 would stay 0 (splitmix64).
constexpr uint64_t mixed(uint64_t x) { return scrambled(x + kGolden); }

class Random {
  public:
    explicit Random(uint64_t seed) {
        for (auto& word : state_) word = scrambled(seed += kGolden);
    }

    uint64_t bits() {  // xoshiro256**
        const uint64_t result = rotate(state_[1] * 5, 7) * 9;
        const uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = rotate(state_[3], 45);
        return result;
    }

    // Uniform in [0, 1).
    double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

    // Its logarithm, finite also at 0: times a temperature, how much worse a candidate may be.
    double log_uniform() { return std::log(uniform() + 1e-300); }

    // Uniform in 0 .. bound - 1.
    int32_t below(int64_t bound) {
        return static_cast<int32_t>((static_cast<uint64_t>(bits() >> 32) * static_cast<uint64_t>(bound)) >>
                                    32);
    }

  private:
    static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

    uint64_t state_[4];
};

}  // namespace spotree
