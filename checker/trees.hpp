// Lemmas 5 and 7: the tree of least loss below open nodes, and the leaves that trees within a budget have.
#pragma once

#include "bounds.hpp"
#include "cubes.hpp"

namespace checker {

struct Item {  // an open node of a partial tree
    int32_t cube, size;
    bool operator==(const Item&) const = default;
};

constexpr double kNever = std::numeric_limits<double>::infinity();

class Trees {
  public:
    Trees(const Model& model, const Cubes& cubes, const Sizes& sizes, const std::vector<uint64_t>& hopeless)
        : m_(model),
          c_(cubes),
          sizes_(sizes),
          hopeless_(hopeless),
          sum_(size_t(cubes.count()) * model.actions),
          blocked_(size_t(cubes.count()) * model.words),
          summed_(cubes.count(), 0),
          least_(size_t(cubes.count()) * sizes.count()),
          known_(least_.size(), 0),
          room_(least_.size()),
          roomy_(least_.size(), 0),
          place_(model.groups, -1),
          removed_(size_t(model.actions) * cubes.words) {}

    // From now on trees lose this.
    void take(const Bounds::Losses& losses) {
        ++now_;
        losses_ = &losses;
        std::fill(place_.begin(), place_.end(), -1);
        for (size_t k = 0; k < losses.groups.size(); ++k) place_[losses.groups[k]] = int32_t(k);
    }

    // The least loss of a subtree: an open node and what may grow there.
    double least(int32_t cube, int size) {
        const size_t at = place(cube, size);
        if (known_[at] == now_) return least_[at];
        double best = kNever;
        const auto& here = c_.cubes[cube];
        if (size == 0 || here.begin == here.end) {
            for (int a = 0; a < m_.actions; ++a) best = std::min(best, leaf(cube, a));
        } else {
            sum_parts(cube);
            for (size_t e = here.begin; e < here.end; ++e) {
                for (const auto& [a, b] : sizes_.shares[size])
                    best = std::min(best, least(c_.edges[e].left, a) + least(c_.edges[e].right, b));
            }
        }
        known_[at] = now_;
        return least_[at] = best;
    }

    double least(const std::vector<Item>& items) {
        double total = 0;
        for (const auto& item : items) total += least(item.cube, item.size);
        return total;
    }

    // What a leaf loses by an action.
    double leaf(int32_t cube, int action) {
        if (summed_[cube] != now_) add_up(cube);
        const size_t word = size_t(cube) * m_.words + action / 64;
        if ((blocked_[word] | hopeless_[word]) & ActionSets::bit(action)) return kNever;
        return sum_[size_t(cube) * m_.actions + action];
    }

    // Lemma 5: the first of some (group, action) that a tree within the budget takes, or none (-1).
    int64_t taken(const std::vector<Item>& items, double budget,
                  const std::vector<std::pair<int32_t, int32_t>>& pairs) {
        std::fill(removed_.begin(), removed_.end(), 0);
        std::vector<char> asked(m_.actions, 0);
        for (const auto& [group, action] : pairs) {
            removed_[size_t(action) * c_.words + group / 64] |= uint64_t(1) << (group % 64);
            asked[action] = 1;
        }
        ++turn_;
        todo_.assign(size_t(sizes_.count()), {});
        for (size_t k = 0; k < items.size(); ++k) {
            double others = 0;
            for (size_t j = 0; j < items.size(); ++j) {
                if (j != k) others += least(items[j].cube, items[j].size);
            }
            give(items[k].cube, items[k].size, budget - others);
        }
        for (int size = sizes_.count() - 1; size > 0; --size) {
            for (const int32_t cube : todo_[size]) {
                const double room = room_[place(cube, size)];
                const auto& here = c_.cubes[cube];
                if (here.begin == here.end) give(cube, 0, room);
                for (size_t e = here.begin; e < here.end; ++e) {
                    const auto& edge = c_.edges[e];
                    for (const auto& [a, b] : sizes_.shares[size]) {
                        const double left = least(edge.left, a), right = least(edge.right, b);
                        if (!(left + right <= room)) continue;
                        give(edge.left, a, room - right);
                        give(edge.right, b, room - left);
                    }
                }
            }
        }
        for (const int32_t cube : todo_[0]) {
            for (int a = 0; a < m_.actions; ++a) {
                if (!asked[a] || !(leaf(cube, a) <= room_[place(cube, 0)])) continue;
                const uint64_t* gone = &removed_[size_t(a) * c_.words];
                for (int k = 0; k < c_.words; ++k) {
                    const uint64_t both = gone[k] & c_.cubes[cube].inside[k];
                    if (both) return (int64_t(64) * k + std::countr_zero(both)) * m_.actions + a;
                }
            }
        }
        return -1;
    }

  private:
    size_t place(int32_t cube, int size) const { return size_t(cube) * sizes_.count() + size; }

    // So much may be spent below an open node; the most counts.
    void give(int32_t cube, int size, double room) {
        const size_t at = place(cube, size);
        if (!(least(cube, size) <= room)) return;
        if (roomy_[at] != turn_) {
            roomy_[at] = turn_;
            room_[at] = room;
            todo_[size].push_back(cube);
        } else {
            room_[at] = std::max(room_[at], room);
        }
    }

    void add(int32_t group, double* sum, uint64_t* blocked) const {
        for (int k = 0; k < m_.words; ++k) blocked[k] |= losses_->blocked.of(group)[k];
        if (place_[group] < 0) return;
        const double* loss = &losses_->loss[size_t(place_[group]) * m_.actions];
        for (int a = 0; a < m_.actions; ++a) sum[a] += loss[a];
    }

    void add_up(int32_t cube) {
        summed_[cube] = now_;
        double* sum = &sum_[size_t(cube) * m_.actions];
        uint64_t* blocked = &blocked_[size_t(cube) * m_.words];
        std::fill_n(sum, m_.actions, 0.0);
        std::fill_n(blocked, m_.words, uint64_t(0));
        for (const int32_t g : c_.cubes[cube].groups) add(g, sum, blocked);
    }

    // Sums of all parts of a cube: by feature, from the lowest value up for the left sides, down for the
    // right ones.
    void sum_parts(int32_t cube) {
        const auto& here = c_.cubes[cube];
        for (size_t first = here.begin; first < here.end;) {
            size_t last = first;
            const int32_t feature = c_.edges[first].feature;
            while (last < here.end && c_.edges[last].feature == feature) ++last;
            const size_t buckets = last - first + 1;
            bucket_sum_.assign(buckets * m_.actions, 0.0);
            bucket_blocked_.assign(buckets * m_.words, 0);
            const int32_t* rank = c_.rank.data() + size_t(feature) * m_.groups;
            bucket_of_.resize(size_t(c_.edges[last - 1].rank) + 1);
            for (size_t r = 0, b = 0; r < bucket_of_.size(); ++r) {
                while (b + 1 < buckets && int32_t(r) >= c_.edges[first + b].rank) ++b;
                bucket_of_[r] = b;
            }
            for (const int32_t g : here.groups) {
                if (!losses_->reached[g]) continue;
                const size_t b = size_t(rank[g]) < bucket_of_.size() ? bucket_of_[rank[g]] : buckets - 1;
                add(g, &bucket_sum_[b * m_.actions], &bucket_blocked_[b * m_.words]);
            }
            for (size_t k = 0; k + 1 < buckets; ++k)
                carry(k, k > 0 ? c_.edges[first + k - 1].left : -1, c_.edges[first + k].left);
            for (size_t k = buckets - 1; k > 0; --k)
                carry(k, k + 1 < buckets ? c_.edges[first + k].right : -1, c_.edges[first + k - 1].right);
            first = last;
        }
    }

    // The sums of a part: those of the next smaller one, and of a bucket.
    void carry(size_t bucket, int32_t smaller, int32_t to) {
        summed_[to] = now_;
        double* sum = &sum_[size_t(to) * m_.actions];
        uint64_t* blocked = &blocked_[size_t(to) * m_.words];
        for (int a = 0; a < m_.actions; ++a) {
            sum[a] = bucket_sum_[bucket * m_.actions + a] +
                     (smaller < 0 ? 0.0 : sum_[size_t(smaller) * m_.actions + a]);
        }
        for (int k = 0; k < m_.words; ++k) {
            blocked[k] = bucket_blocked_[bucket * m_.words + k] |
                         (smaller < 0 ? 0 : blocked_[size_t(smaller) * m_.words + k]);
        }
    }

    const Model& m_;
    const Cubes& c_;
    const Sizes& sizes_;
    const std::vector<uint64_t>& hopeless_;  // [cube, word] leaves that no improving tree has
    const Bounds::Losses* losses_ = nullptr;
    std::vector<double> sum_;        // [cube, action]
    std::vector<uint64_t> blocked_;  // [cube, word]
    std::vector<uint32_t> summed_;   // [cube] when
    std::vector<double> least_;      // [cube, size]
    std::vector<uint32_t> known_;    // [cube, size] when
    std::vector<double> room_;
    std::vector<uint32_t> roomy_;
    std::vector<int32_t> place_;     // [group] among those that lose something
    std::vector<uint64_t> removed_;  // [action, word of groups]
    std::vector<double> bucket_sum_;
    std::vector<uint64_t> bucket_blocked_;
    std::vector<size_t> bucket_of_;
    std::vector<std::vector<int32_t>> todo_;
    uint32_t now_ = 0, turn_ = 0;
};

}  // namespace checker
