// All sets of groups that splits can single out (cubes), each once, and the sizes that a subtree may have.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "model.hpp"

namespace checker {

using Set = std::vector<uint64_t>;  // of groups, as bits
inline bool has_bit(const Set& set, int k) { return set[k / 64] >> (k % 64) & 1; }
inline void add_bit(Set& set, int k) { set[k / 64] |= uint64_t(1) << (k % 64); }

struct SetHash {
    size_t operator()(const Set& set) const {
        uint64_t hash = 0x9e3779b97f4a7c15;
        for (const uint64_t word : set) hash = std::rotl((hash ^ word) * 0xff51afd7ed558ccd, 29);
        return size_t(hash);
    }
};

constexpr size_t kMostShares = 5'000'000;
constexpr size_t kMostMembers = 60'000'000;  // of all cubes, and as many edges; the search has no more
// Trees have tables of sizes x cubes, 24 bytes for each in every thread; a few sizes take less than the
// cubes.
constexpr size_t kFewSizes = 9, kMostEntries = 25'000'000;

// Size 0 is a leaf; shares[size] are the sizes of both sides.
struct Sizes {
    std::vector<std::vector<std::pair<int, int>>> shares{{}};
    std::vector<int> depth{0};

    Sizes(int tree_depth, int64_t max_leaves) {
        auto full = [](int d) { return int64_t(1) << std::min(d, 62); };
        std::map<std::pair<int, int64_t>, int> number;
        number[{0, 1}] = 0;
        size_t count = 0;
        const bool limited = max_leaves < full(tree_depth);
        for (int d = 1; d <= tree_depth; ++d) {
            number[{d, 1}] = 0;
            const int64_t most = limited ? std::min(full(d), max_leaves) : full(d), half = full(d - 1);
            for (int64_t k = limited ? 2 : most; k <= most; ++k) {
                number[{d, k}] = int(shares.size());
                depth.push_back(d);
                auto& pairs = shares.emplace_back();
                if (!limited) pairs.emplace_back(number.at({d - 1, half}), number.at({d - 1, half}));
                for (int64_t left = std::max<int64_t>(1, k - half); limited && left <= std::min(half, k - 1);
                     ++left)
                    pairs.emplace_back(number.at({d - 1, left}), number.at({d - 1, k - left}));
                if ((count += pairs.size()) > kMostShares)
                    reject("trees of depth ", tree_depth, " and ", max_leaves,
                           " leaves have too many shapes to check, more than ", kMostShares);
            }
        }
    }

    int count() const { return int(depth.size()); }
    int whole() const { return count() - 1; }
};

class Cubes {
  public:
    struct Edge {  // one way to part a cube
        int32_t left, right;
    };
    struct Cube {
        Set inside;
        int32_t level = 0;            // fewest splits that single it out
        size_t begin = 0, end = 0;    // of its edges
        std::vector<int32_t> groups;  // that are inside
        // Sums over its groups are those of a smaller cube on the same side of the same feature, and these.
        int32_t inner = -1;  // -1: none, its groups are all of them
        std::vector<int32_t> between;
    };

    std::vector<Cube> cubes;  // cube 0 holds every group
    std::vector<Edge> edges;
    int words;

    Cubes(const Model& m, const Sizes& sizes, const Progress& progress)
        : words((m.groups + 63) / 64), groups_(m.groups), sizes_(size_t(sizes.count())) {
        Set all(words, 0);
        for (int g = 0; g < m.groups; ++g) add_bit(all, g);
        add(std::move(all), 0);
        for (size_t at = 0; at < cubes.size(); ++at) {
            cubes[at].begin = edges.size();
            if (cubes[at].level < sizes.depth.back()) part(int32_t(at), m);
            cubes[at].end = edges.size();
            progress.check();
        }
    }

    int32_t count() const { return int32_t(cubes.size()); }
    bool holds(int32_t cube, int group) const { return has_bit(cubes[cube].inside, group); }

    int32_t find(const Set& set) const {
        const auto at = number_.find(set);
        if (at == number_.end()) malformed("no splits single out a set of groups it names");
        return at->second;
    }

  private:
    int32_t add(Set set, int32_t level) {
        const auto [at, fresh] = number_.try_emplace(std::move(set), count());
        if (!fresh) return at->second;
        Cube cube;
        cube.inside = at->first;
        cube.level = level;
        for (int g = 0; g < groups_; ++g) {
            if (has_bit(cube.inside, g)) cube.groups.push_back(g);
        }
        members_ += cube.groups.size();
        if (members_ > kMostMembers || edges.size() > kMostMembers)
            reject("trees of this depth single out too many sets of groups to check");
        cubes.push_back(std::move(cube));
        if (sizes_ > kFewSizes && sizes_ * cubes.size() > kMostEntries)
            reject("subtrees of ", sizes_, " sizes for each of ", cubes.size(),
                   " or more sets of groups are more to check than ", kMostEntries);
        return count() - 1;
    }

    void part(int32_t at, const Model& m) {
        std::unordered_set<Set, SetHash> seen;
        for (int f = 0; f < m.features; ++f) {
            std::vector<double> cuts;  // what is not a number is below none of them
            for (const int32_t g : cubes[at].groups) cuts.push_back(m.of_group(g, f));
            if (std::erase_if(cuts, [](double x) { return std::isnan(x); })) cuts.push_back(kNever);
            std::sort(cuts.begin(), cuts.end());
            cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
            std::vector<int32_t> lefts, rights;
            for (size_t k = 1; k < cuts.size(); ++k) {
                Set left(words, 0), right(words, 0);
                for (const int32_t g : cubes[at].groups)
                    add_bit(m.of_group(g, f) < cuts[k] ? left : right, g);
                if (seen.contains(right) || !seen.insert(left).second) continue;
                const int32_t level = cubes[at].level + 1, one = add(std::move(left), level),
                              two = add(std::move(right), level);
                edges.push_back({one, two});
                lefts.push_back(one);
                rights.push_back(two);
            }
            nest(lefts);
            std::ranges::reverse(rights);
            nest(rights);
        }
    }

    // Each of some cubes is inside of the next one.
    void nest(const std::vector<int32_t>& growing) {
        for (size_t k = 1; k < growing.size(); ++k) {
            Cube &small = cubes[growing[k - 1]], &large = cubes[growing[k]];
            if (large.inner >= 0) continue;
            large.inner = growing[k - 1];
            std::ranges::set_difference(large.groups, small.groups, std::back_inserter(large.between));
        }
    }

    int groups_;
    size_t sizes_, members_ = 0;
    std::unordered_map<Set, int32_t, SetHash> number_;
};

}  // namespace checker
