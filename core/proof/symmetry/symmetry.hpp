// Symmetries of the model (docs/proof.md, lemma S): images of groups, actions, sets of groups and regions.
#pragma once

#include <stdexcept>

#include "proof/nodes/feature_boxes.hpp"
#include "proof/nodes/grouped_model.hpp"

namespace spotree::proof {

// Numbered from 1 as they were handed in; 0 is the identity. They are closed under composition.
class Symmetries {
  public:
    Symmetries(int groups, int actions) : groups_(groups), actions_(actions), words_((actions + 63) / 64) {
        add(identity(groups), identity(actions));
    }

    void add(std::vector<int32_t> group, std::vector<int32_t> action) {
        check(group, groups_);
        check(action, actions_);
        auto& bits = bits_.emplace_back();
        if (words_ == 1) {  // the image of a word is put together from those of its bytes
            bits.assign(size_t(kBytes) * 256, 0);
            for (int a = 0; a < actions_; ++a) {
                for (int byte = 0; byte < 256; ++byte) {
                    if (byte >> (a % 8) & 1) bits[size_t(a / 8) * 256 + byte] |= ActionSets::bit(action[a]);
                }
            }
        }
        group_.push_back(std::move(group));
        action_.push_back(std::move(action));
    }

    // Once all have been added.
    void close() {
        const int n = count();
        quotient_.assign(size_t(n) * n, -1);
        for (int x = 0; x < n; ++x) {
            for (int y = 0; y < n; ++y) {
                for (int z = 0; z < n && quotient(x, y) < 0; ++z) {  // x after z is y
                    if (is_composed(x, z, y)) quotient_[size_t(x) * n + y] = z;
                }
                if (quotient(x, y) < 0) throw std::invalid_argument("the symmetries are no group");
            }
        }
    }

    int count() const { return int(group_.size()); }  // with the identity
    int32_t group(int which, int g) const { return group_[which][g]; }
    int32_t action(int which, int a) const { return action_[which][a]; }
    int32_t cube(int which, int c) const { return which == 0 ? c : cube_[which - 1][c]; }
    int quotient(int x, int y) const { return quotient_[size_t(x) * count() + y]; }  // x inverse after y

    // Whether images of cubes are known, and regions can be told apart from their images.
    bool usable() const { return int(cube_.size()) == count() - 1; }

    // Where the actions of a group go.
    void image(int which, const uint64_t* from, uint64_t* to) const {
        if (which == 0) {
            std::copy_n(from, words_, to);
            return;
        }
        if (words_ == 1) {
            const uint64_t* bits = bits_[which].data();
            uint64_t found = 0;
            int byte = 0;
            for (uint64_t left = *from; left; left >>= 8, ++byte)
                found |= bits[size_t(byte) * 256 + (left & 255)];
            *to = found;
            return;
        }
        std::fill_n(to, words_, uint64_t(0));
        for (int a = 0; a < actions_; ++a) {
            if (from[a / 64] & ActionSets::bit(a))
                to[action_[which][a] / 64] |= ActionSets::bit(action_[which][a]);
        }
    }

    // Removes an action of a group, and what it is under every symmetry (lemma S, b).
    void remove_images(ActionSets& allowed, int g, int a) const {
        for (int k = 0; k < count(); ++k) allowed.remove(group(k, g), action(k, a));
    }

    // Finds the images of the cubes, each by the name of its members; false if that was stopped.
    bool find_cubes(const FeatureBoxes& cubes, auto&& stop) {
        cube_.clear();
        if (count() == 1 || cubes.members.size() > kMostImages / size_t(count())) return true;
        std::unordered_map<SetKey, int32_t, SetKeyHash> number;
        for (int c = 0; c < cubes.size(); ++c) number[key(cubes, c, 0)] = c;
        std::vector<std::vector<int32_t>> found(count() - 1, std::vector<int32_t>(cubes.size()));
        for (int k = 1; k < count(); ++k) {
            for (int c = 0; c < cubes.size(); ++c) {
                if (c % 1024 == 0 && stop()) return false;
                const auto at = number.find(key(cubes, c, k));
                if (at == number.end()) throw std::invalid_argument("a symmetry leads from a cube to none");
                found[k - 1][c] = at->second;
            }
        }
        cube_ = std::move(found);
        return true;
    }

  private:
    static constexpr int kBytes = 8;
    static constexpr size_t kMostImages = 300'000'000;  // members of all images of cubes: a few seconds

    static std::vector<int32_t> identity(int n) {
        std::vector<int32_t> found(n);
        std::iota(found.begin(), found.end(), 0);
        return found;
    }

    static void check(const std::vector<int32_t>& image, int n) {
        std::vector<char> seen(n, 0);
        if (int(image.size()) != n) throw std::invalid_argument("a symmetry has the wrong length");
        for (const int32_t x : image) {
            if (x < 0 || x >= n || seen[x]) throw std::invalid_argument("a symmetry is no permutation");
            seen[x] = 1;
        }
    }

    bool is_composed(int x, int z, int y) const {
        for (int a = 0; a < actions_; ++a) {
            if (action_[x][action_[z][a]] != action_[y][a]) return false;
        }
        for (int g = 0; g < groups_; ++g) {
            if (group_[x][group_[z][g]] != group_[y][g]) return false;
        }
        return true;
    }

    SetKey key(const FeatureBoxes& cubes, int cube, int which) const {
        SetKey found;
        for (const int32_t* g = cubes.begin(cube); g != cubes.end(cube); ++g)
            found = found ^ cubes.keys[group(which, *g)];
        return found;
    }

    int groups_, actions_, words_;
    std::vector<std::vector<int32_t>> group_, action_, cube_;  // [symmetry][...]; cubes without the identity
    std::vector<std::vector<uint64_t>> bits_;                  // [symmetry][byte, its value]
    std::vector<int32_t> quotient_;
};

}  // namespace spotree::proof
