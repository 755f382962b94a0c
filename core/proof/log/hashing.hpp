// Names drawn from the system: who writes a model cannot know them, so no model can be made to confuse two
// sets.
#pragma once

#include <cstdint>
#include <random>

namespace spotree::proof {

// A set is named by the xor of its members' names. Two different sets share one if the names of the members
// that only one of them has cancel out: with 128 independent random bits each that has probability 2^-128,
// whatever the sets are. Every bit comes from the system. A generator with a random seed would not do:
// outputs of the Mersenne twister, for one, cancel out in patterns that are the same for all seeds.
class SystemNames {
  public:
    uint64_t operator()() { return uint64_t(device_()) << 32 | device_(); }

  private:
    std::random_device device_;
};

}  // namespace spotree::proof
