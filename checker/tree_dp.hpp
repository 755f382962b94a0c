// Lemmas 5 and 7: the tree of least loss below open nodes, and the leaves that trees within a budget have.
#pragma once

#include "bounds.hpp"
#include "boxes.hpp"

namespace checker {

struct Item {  // an open node of a partial tree
    int32_t cube, size;
    auto operator<=>(const Item&) const = default;
};

class Trees {
  public:
    Trees(const Model& model, const Cubes& cubes, const Sizes& sizes, const std::vector<char>& hopeless)
        : m_(model),
          c_(cubes),
          sizes_(sizes),
          hopeless_(hopeless),
          sum_(size_t(cubes.count()) * model.actions),
          summed_(cubes.count(), 0),
          least_(size_t(cubes.count()) * sizes.count()),
          known_(least_.size(), 0),
          room_(least_.size()),
          roomy_(least_.size(), 0) {}

    // From now on trees lose this.
    void take(const Bounds::Losses& losses) {
        ++now_;
        losses_ = &losses;
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
        return hopeless_[m_.pair(cube, action)] ? kNever : sum_[m_.pair(cube, action)];
    }

    // Lemma 5: the first action of some (group, action) that a tree within the budget takes, or none (-1).
    int taken(const std::vector<Item>& items, double budget,
              const std::vector<std::pair<int32_t, int32_t>>& pairs) {
        std::vector<Set> removed(m_.actions);  // empty: nowhere
        for (const auto& [group, action] : pairs) {
            removed[action].resize(c_.words, 0);
            add_bit(removed[action], group);
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
                if (removed[a].empty() || !(leaf(cube, a) <= room_[place(cube, 0)])) continue;
                for (int k = 0; k < c_.words; ++k) {
                    if (removed[a][k] & c_.cubes[cube].inside[k]) return a;
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

    // What leaves of a cube lose by each action: cubes inside of each other, the smallest first.
    void add_up(int32_t cube) {
        growing_.clear();
        for (int32_t c = cube; c >= 0 && summed_[c] != now_; c = c_.cubes[c].inner) growing_.push_back(c);
        for (; !growing_.empty(); growing_.pop_back()) {
            const int32_t c = growing_.back(), inner = c_.cubes[c].inner;
            double* sum = &sum_[m_.pair(c, 0)];
            if (inner < 0) {
                std::fill_n(sum, m_.actions, 0.0);
            } else {
                std::copy_n(&sum_[m_.pair(inner, 0)], m_.actions, sum);
            }
            for (const int32_t g : inner < 0 ? c_.cubes[c].groups : c_.cubes[c].between) {
                const double* loss = &losses_->loss[m_.pair(g, 0)];
                for (int a = 0; a < m_.actions; ++a) sum[a] += loss[a];
            }
            summed_[c] = now_;
        }
    }

    const Model& m_;
    const Cubes& c_;
    const Sizes& sizes_;
    const std::vector<char>& hopeless_;  // [cube, action] leaves that no improving tree has
    const Bounds::Losses* losses_ = nullptr;
    std::vector<double> sum_;       // [cube, action]
    std::vector<uint32_t> summed_;  // [cube] when
    std::vector<double> least_;     // [cube, size]
    std::vector<uint32_t> known_;   // [cube, size] when
    std::vector<double> room_;
    std::vector<uint32_t> roomy_;
    std::vector<std::vector<int32_t>> todo_;
    std::vector<int32_t> growing_;
    uint32_t now_ = 0, turn_ = 0;
};

}  // namespace checker
