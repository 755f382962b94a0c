// Names that tell regions apart: under secrets of the system equal ones share a name, others do with
// probability below 2^-100.
#pragma once

#include <array>
#include <random>

#include "trees.hpp"

namespace checker {

class Names {
  public:
    using Name = std::array<uint64_t, 2>;

    explicit Names(size_t words) {
        std::random_device system;
        auto draw = [&] { return ((uint64_t(system()) << 32) | system()) % kPrime; };
        for (auto& [place, factor] : secrets_) {
            place = draw();
            for (size_t k = 0; k < 2 * words + 1; ++k) factor.push_back(draw());
        }
    }

    // Twice a linear form of the allowed actions, and a polynomial whose roots are the items.
    Name operator()(const std::vector<uint64_t>& bits, const std::vector<Item>& items) const {
        Name name;
        for (size_t which = 0; which < name.size(); ++which) {
            const auto& [place, factor] = secrets_[which];
            Wide sum = 0;
            for (size_t k = 0; k < bits.size(); ++k) {
                sum += Wide(factor[2 * k]) * uint32_t(bits[k]);
                sum += Wide(factor[2 * k + 1]) * uint32_t(bits[k] >> 32);
            }
            uint64_t nodes = 1;
            for (const auto& item : items) {
                const uint64_t root = (uint64_t(uint32_t(item.cube)) << 20 | uint64_t(item.size)) % kPrime;
                nodes = uint64_t(Wide(nodes) * ((place + kPrime - root) % kPrime) % kPrime);
            }
            name[which] = uint64_t((sum % kPrime + Wide(factor.back()) * nodes) % kPrime);
        }
        return name;
    }

  private:
    __extension__ using Wide = unsigned __int128;
    static constexpr uint64_t kPrime = (uint64_t(1) << 61) - 1;
    struct Secret {
        uint64_t place = 0;
        std::vector<uint64_t> factor;
    };
    std::array<Secret, 2> secrets_;
};

}  // namespace checker
