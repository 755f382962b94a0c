// All sets of groups that splits can single out (cubes), each once, and the sizes that a subtree may have.
#pragma once

#include <functional>
#include <unordered_map>

#include "model.hpp"

namespace checker {

using Set = std::vector<uint64_t>;  // of groups, as bits

struct SetHash {
    size_t operator()(const Set& set) const {
        uint64_t hash = 0x9e3779b97f4a7c15;
        for (const uint64_t word : set) hash = std::rotl((hash ^ word) * 0xff51afd7ed558ccd, 29);
        return size_t(hash);
    }
};

constexpr size_t kMostShares = 5'000'000, kMostMembers = 60'000'000;  // the search has no more

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
                    reject("trees of ", max_leaves, " leaves have too many shapes to check");
            }
        }
    }

    int count() const { return int(depth.size()); }
    int whole() const { return count() - 1; }
};

class Cubes {
  public:
    struct Edge {                            // one way to part a cube
        int32_t left, right, feature, rank;  // groups with a smaller rank of the feature go left
    };
    struct Cube {
        Set inside;
        int32_t level = 0;            // fewest splits that single it out
        size_t begin = 0, end = 0;    // of its edges, by feature and rank
        std::vector<int32_t> groups;  // that are inside
    };

    std::vector<Cube> cubes;  // cube 0 holds every group
    std::vector<Edge> edges;
    std::vector<int32_t> rank;  // [feature, group]
    int words;

    Cubes(const Model& m, int depth, const std::function<bool()>& stop)
        : words((m.groups + 63) / 64), groups_(m.groups) {
        rank.resize(size_t(m.features) * m.groups);
        for (int f = 0; f < m.features; ++f) {
            std::vector<double> values;
            for (int g = 0; g < m.groups; ++g) values.push_back(value(m, f, g));
            std::erase_if(values, [](double x) { return std::isnan(x); });
            std::sort(values.begin(), values.end());
            values.erase(std::unique(values.begin(), values.end()), values.end());
            for (int g = 0; g < m.groups; ++g) {
                const double x = value(m, f, g);  // not a number: never below a threshold
                const auto at =
                    std::isnan(x) ? values.end() : std::lower_bound(values.begin(), values.end(), x);
                rank[size_t(f) * m.groups + g] = int32_t(at - values.begin());
            }
        }
        Set all(words, 0);
        for (int g = 0; g < m.groups; ++g) all[g / 64] |= uint64_t(1) << (g % 64);
        add(std::move(all), 0);
        for (size_t at = 0; at < cubes.size(); ++at) {
            cubes[at].begin = edges.size();
            if (cubes[at].level < depth) part(int32_t(at), m.features);
            cubes[at].end = edges.size();
            if (stop()) return;
        }
    }

    int32_t count() const { return int32_t(cubes.size()); }
    int groups() const { return groups_; }
    bool holds(int32_t cube, int group) const { return cubes[cube].inside[group / 64] >> (group % 64) & 1; }

    // -1 if there is no such cube.
    int32_t find(const Set& set) const {
        const auto at = number_.find(set);
        return at == number_.end() ? -1 : at->second;
    }

  private:
    static double value(const Model& m, int f, int g) {
        return m.feature[size_t(m.group_states[g][0]) * m.features + f];
    }

    int32_t add(Set set, int32_t level) {
        const auto [at, fresh] = number_.try_emplace(std::move(set), count());
        if (!fresh) return at->second;
        Cube cube;
        cube.inside = at->first;
        cube.level = level;
        for (int g = 0; g < groups_; ++g) {
            if (cube.inside[g / 64] >> (g % 64) & 1) cube.groups.push_back(g);
        }
        members_ += cube.groups.size();
        if (members_ > kMostMembers || edges.size() > kMostMembers)
            reject("trees of this depth single out too many sets of groups to check");
        cubes.push_back(std::move(cube));
        return count() - 1;
    }

    void part(int32_t at, int features) {
        std::unordered_map<Set, int, SetHash> seen;
        for (int f = 0; f < features; ++f) {
            const int32_t* of = rank.data() + size_t(f) * groups_;
            std::vector<int32_t> cuts;
            for (const int32_t g : cubes[at].groups) cuts.push_back(of[g]);
            std::sort(cuts.begin(), cuts.end());
            cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
            for (size_t k = 1; k < cuts.size(); ++k) {
                Set left(words, 0), right(words, 0);
                for (const int32_t g : cubes[at].groups)
                    (of[g] < cuts[k] ? left : right)[g / 64] |= uint64_t(1) << (g % 64);
                if (seen.contains(right) || !seen.try_emplace(left, 0).second) continue;
                const int32_t level = cubes[at].level + 1, one = add(std::move(left), level),
                              two = add(std::move(right), level);
                edges.push_back({one, two, f, cuts[k]});
            }
        }
    }

    int groups_;
    size_t members_ = 0;
    std::unordered_map<Set, int32_t, SetHash> number_;
};

}  // namespace checker
