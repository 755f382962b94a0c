// Names that tell regions apart.
#pragma once

#include <random>

#include "trees.hpp"

namespace checker {

// Names of regions under secrets of the system: equal ones share a name, others do with probability below
// 2^-100.
class Names {
  public:
    using Name = std::pair<uint64_t, uint64_t>;

    explicit Names(size_t words) {
        std::random_device system;
        auto draw = [&] { return ((uint64_t(system()) << 32) | system()) % kPrime; };
        for (auto* secret : {&one_, &other_}) {
            secret->place = draw();
            secret->factor.resize(2 * words + 1);
            for (auto& f : secret->factor) f = draw();
        }
    }

    Name operator()(const std::vector<uint64_t>& bits, const std::vector<Item>& items) const {
        return {name(one_, bits, items), name(other_, bits, items)};
    }

  private:
    __extension__ using Wide = unsigned __int128;
    static constexpr uint64_t kPrime = (uint64_t(1) << 61) - 1;
    struct Secret {
        uint64_t place = 0;
        std::vector<uint64_t> factor;
    };

    // A linear form of the allowed actions, and a polynomial whose roots are the items.
    static uint64_t name(const Secret& secret, const std::vector<uint64_t>& bits,
                         const std::vector<Item>& items) {
        Wide sum = 0;
        for (size_t k = 0; k < bits.size(); ++k) {
            sum += Wide(secret.factor[2 * k]) * uint32_t(bits[k]);
            sum += Wide(secret.factor[2 * k + 1]) * uint32_t(bits[k] >> 32);
        }
        uint64_t nodes = 1;
        for (const auto& item : items) {
            const uint64_t root = (uint64_t(uint32_t(item.cube)) << 20 | uint64_t(item.size)) % kPrime;
            nodes = uint64_t(Wide(nodes) * ((secret.place + kPrime - root) % kPrime) % kPrime);
        }
        return uint64_t((sum % kPrime + Wide(secret.factor.back()) * nodes) % kPrime);
    }

    Secret one_, other_;
};

}  // namespace checker
