// A region as words: how it travels between machines and stands in a checkpoint.
#pragma once

#include <bit>
#include <stdexcept>
#include <string>

#include "rsbb/node.hpp"

namespace spotree::rsbb {

// What can be computed anew is not packed, but for the bound, which sorts regions that nobody unpacks. A
// packed region is a claim: `unpack` takes none that is not part of the whole space, or that holds no tree.
class Packing {
  public:
    Packing(const Step& step, const Shape& shape, uint64_t seed)
        : step_(step), shape_(shape), root_(shape.root(seed)) {}

    size_t width() const { return 2 + root_.sets.size() + 2 * static_cast<size_t>(step_.inner); }

    void pack(const Region& region, std::vector<int64_t>& words) const {
        words.push_back(std::bit_cast<int64_t>(region.least_loss));
        words.push_back(std::bit_cast<int64_t>(region.key));
        for (const uint64_t word : region.sets) words.push_back(std::bit_cast<int64_t>(word));
        for (const double low : region.low) words.push_back(std::bit_cast<int64_t>(low));
        for (const double high : region.high) words.push_back(std::bit_cast<int64_t>(high));
    }

    // Leaves the bound and the losses to be computed.
    void unpack(const int64_t* words, int64_t number, Region& region) const {
        region = root_;
        region.key = std::bit_cast<uint64_t>(words[1]);
        words += 2;
        for (uint64_t& word : region.sets) {
            word = std::bit_cast<uint64_t>(*words++);
        }
        for (double& low : region.low) low = std::bit_cast<double>(*words++);
        for (double& high : region.high) high = std::bit_cast<double>(*words++);
        for (size_t w = 0; w < region.sets.size(); ++w) {
            if ((region.sets[w] & ~root_.sets[w]) != 0) refuse(number, "allows what the problem does not");
        }
        for (int32_t t = 0; t < step_.inner; ++t) check(region, t, number);
        for (int32_t l = 0; l < step_.leaves; ++l) {
            if (shape_.action_count(region, l) == 0) refuse(number, "has a leaf without an action");
        }
        if (!shape_.fits_leaves(region)) refuse(number, "needs more leaves than are allowed");
    }

  private:
    void check(Region& region, int32_t node, int64_t number) const {
        if (!shape_.may_split(region, node) && !shape_.may_stop(region, node))
            refuse(number, "has a node that may neither split nor stop");
        if (!(root_.low[node] <= region.low[node] && region.low[node] <= region.high[node] &&
              region.high[node] <= root_.high[node]))
            refuse(number, "has thresholds outside of their range");
        if (node > 0 && shape_.may_split(region, node) && !shape_.may_split(region, (node - 1) / 2))
            refuse(number, "splits below a node that does not");
        if (!shape_.may_split(region, node)) return;
        if (shape_.feature_count(region, node) == 0 || !shape_.tighten(region, node))
            refuse(number, "has a split without a feature");
    }

    [[noreturn]] static void refuse(int64_t number, const char* why) {
        throw std::invalid_argument("region " + std::to_string(number) + " " + why);
    }

    const Step& step_;
    const Shape& shape_;
    const Region root_;
};

}  // namespace spotree::rsbb
