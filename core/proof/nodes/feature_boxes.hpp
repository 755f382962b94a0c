// Every set of groups that a path of splits can single out, each once, and how splits part them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "proof/log/hashing.hpp"
#include "tree/complete.hpp"

namespace spotree::proof {

struct SetKey {  // 128 random bits for each group, xor over the set (hashing.hpp)
    uint64_t a = 0, b = 0;
    bool operator==(const SetKey&) const = default;
    SetKey operator^(const SetKey& o) const { return {a ^ o.a, b ^ o.b}; }
    bool operator<(const SetKey& o) const { return a != o.a ? a < o.a : b < o.b; }
};

struct SetKeyHash {
    size_t operator()(const SetKey& k) const { return k.a; }
};

class FeatureBoxes {
  public:
    struct Edge {
        int32_t split, left, right;
    };
    struct Cube {
        int64_t first = 0;  // its groups stand at first .. first + count
        int32_t count = 0;
        int32_t level = 0;  // fewest splits that single it out
        int32_t edge_first = 0, edge_count = 0;
        int32_t parent = -1,
                sibling = -1;           // its sums are those of the parent less those of the smaller sibling
        int32_t from = -1, split = -1;  // the cube and split it was found with
        bool is_left = false;
    };

    // How the sums of a cube without `parent` are found: those of a smaller one on the same side of the same
    // feature, if there is one, and the groups between both cuts.
    struct Sum {
        int32_t cube, inner;  // -1: none, all groups of the cube
        int64_t first;        // in `between`
        int32_t count;
    };

    int depth = 0, features = 0;
    std::vector<Split> splits;  // ascending by feature, then cut
    std::vector<int32_t> rank;  // [group, feature]
    std::vector<SetKey> keys;   // [group]
    std::vector<Cube> cubes;    // the root first, then level by level
    std::vector<Edge> edges;
    std::vector<int32_t> members, between;
    std::vector<Sum> sums;          // each after its inner one
    std::vector<int32_t> by_count;  // cubes, every one after its parts
    bool complete = false;          // false: stopped or too large, and not to be used
    bool too_large = false;

    const int32_t* begin(int cube) const { return members.data() + cubes[cube].first; }
    const int32_t* end(int cube) const { return begin(cube) + cubes[cube].count; }
    int size() const { return int(cubes.size()); }

    // Where it is stopped, the next call goes on.
    void build(int groups, int tree_depth, size_t most_members, size_t most_cubes, auto&& stop) {
        if (cubes.empty()) begin_with(groups, tree_depth);
        for (; next_ < size() && cubes[next_].level < depth; ++next_) {
            too_large =
                members.size() > most_members || edges.size() > most_members || cubes.size() > most_cubes;
            if (too_large || stop()) return;
            part(next_);
        }
        too_large = cubes.size() > most_cubes;
        if (too_large) return;
        number_.clear();
        by_count.resize(cubes.size());
        std::iota(by_count.begin(), by_count.end(), 0);
        std::stable_sort(by_count.begin(), by_count.end(),
                         [&](int a, int b) { return cubes[a].count < cubes[b].count; });
        complete = true;
    }

  private:
    // The cube of all groups.
    void begin_with(int groups, int tree_depth) {
        depth = tree_depth;
        SystemNames random;
        keys.resize(groups);
        for (auto& k : keys) k = {random(), random()};
        Cube root;
        root.count = groups;
        SetKey all;
        for (int g = 0; g < groups; ++g) {
            members.push_back(g);
            all = all ^ keys[g];
        }
        cubes.push_back(root);
        sums.push_back({0, -1, 0, 0});
        key_of_.push_back(all);
        number_[all] = 0;
    }

    void part(int at) {
        cubes[at].edge_first = int32_t(edges.size());
        const SetKey all = key_of_[at];
        std::unordered_set<SetKey, SetKeyHash> seen;
        size_t s = 0;
        while (s < splits.size()) {
            const int feature = splits[s].feature;
            size_t last = s;
            while (last < splits.size() && splits[last].feature == feature) ++last;
            // bucket k: groups that the first k splits of the feature send right and the next ones left
            bucket_.assign(last - s + 1, {});
            in_bucket_.assign(last - s + 1, 0);
            for (const int32_t* g = begin(at); g != end(at); ++g) {
                size_t k = 0;
                const int r = rank[size_t(*g) * features + feature];
                while (k < last - s && r >= splits[s + k].cut) ++k;
                bucket_[k] = bucket_[k] ^ keys[*g];
                ++in_bucket_[k];
            }
            SetKey left;
            int count = 0;
            const int known = size();
            for (size_t k = 0; k < last - s; ++k) {
                left = left ^ bucket_[k];
                count += in_bucket_[k];
                if (count == 0 || count == cubes[at].count) continue;
                const SetKey right = left ^ all;
                if (!seen.insert(left < right ? left : right).second) continue;
                const int split = int(s + k);
                const bool left_first = 2 * count <= cubes[at].count;  // the smaller side is made first
                int l = -1, r = -1;
                if (left_first) l = child(at, left, split, true, count, -1);
                r = child(at, right, split, false, cubes[at].count - count, l);
                if (!left_first) l = child(at, left, split, true, count, r);
                edges.push_back({int32_t(s + k), l, r});
            }
            list_sums(known);
            s = last;
        }
        cubes[at].edge_count = int32_t(edges.size()) - cubes[at].edge_first;
    }

    // Of the cubes from `known` on, made for one cube and feature with rising cuts: sets on the left grow
    // with them, those on the right get smaller.
    void list_sums(int known) {
        for (const bool left : {true, false}) {
            int inner = -1;
            for (int k = 0; k < size() - known; ++k) {
                const int at = left ? known + k : size() - 1 - k;
                const Cube& cube = cubes[at];
                if (cube.is_left != left || cube.parent >= 0) continue;
                sums.push_back({at, inner, int64_t(between.size()), 0});
                if (inner >= 0) {
                    const Split& split = splits[cubes[inner].split];
                    for (const int32_t* g = begin(at); g != end(at); ++g) {
                        const bool below = rank[size_t(*g) * features + split.feature] < split.cut;
                        if (below != left) between.push_back(*g);
                    }
                    sums.back().count = int32_t(int64_t(between.size()) - sums.back().first);
                }
                inner = at;
            }
        }
    }

    int child(int parent, const SetKey& key, int number, bool left, int count, int sibling) {
        const Split split = splits[number];
        const auto [place, fresh] = number_.try_emplace(key, size());
        if (!fresh) return place->second;
        Cube cube;
        cube.first = int64_t(members.size());
        cube.count = count;
        cube.level = cubes[parent].level + 1;
        if (sibling >= 0) cube.parent = parent, cube.sibling = sibling;
        cube.from = parent, cube.split = number, cube.is_left = left;
        const int64_t from = cubes[parent].first, to = from + cubes[parent].count;
        for (int64_t k = from; k < to; ++k) {
            const int32_t g = members[k];
            if ((rank[size_t(g) * features + split.feature] < split.cut) == left) members.push_back(g);
        }
        cubes.push_back(cube);
        key_of_.push_back(key);
        return size() - 1;
    }

    std::unordered_map<SetKey, int, SetKeyHash> number_;
    std::vector<SetKey> key_of_, bucket_;
    std::vector<int> in_bucket_;
    int next_ = 0;  // to be parted
};

}  // namespace spotree::proof
