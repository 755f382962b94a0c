// The tree with the least leaves + price * loss on a set of groups, by dynamic programming over the sets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "leaf_search/archive.hpp"
#include "leaf_search/greedy.hpp"
#include "leaf_search/preorder_tree.hpp"
#include "leaf_search/regret_model.hpp"
#include "neighbourhood/model.hpp"
#include "runtime/random.hpp"
#include "runtime/stop.hpp"

namespace spotree::leaves {

// Groups that a tree must tell apart, with what each action loses there.
struct Items {
    std::vector<int32_t> group;
    std::vector<double> loss;    // [item, action]; infinite where an action is forbidden
    std::vector<int32_t> place;  // [group] -1, for whoever fills them

    int32_t size() const { return static_cast<int32_t>(group.size()); }
};

// cost(set) = min(1 + price * least loss of one action, min over splits of cost(left) + cost(right)). A set
// whose leaf costs at most 2 is a leaf, since a split has two. Sets are known by random names of 64 bits
// under a secret of whoever makes this; which of several best trees comes out is left to chance.
class SizePenalisedDp {
  public:
    int64_t work = 0;

    SizePenalisedDp(const neighbourhood::SearchModel& model, uint64_t secret)
        : model_(model), table_(size_t{1} << 12) {
        name_.resize(model.num_groups);
        for (size_t g = 0; g < name_.size(); ++g) name_[g] = scrambled(mixed(secret) + kGolden * (g + 1));
    }

    // Nothing if that takes more than `budget` of counted work; `depth` < 0 is no limit.
    std::optional<std::vector<Node>> best(const Items& items, double price, int32_t depth, int64_t budget,
                                          Random& random, Stop* stop = nullptr) {
        items_ = &items;
        stop_ = stop;
        price_ = price;
        actions_ = model_.num_actions;
        deadline_ = work + budget;
        late_ = false;
        limited_ = depth >= 0;
        random_ = &random;
        next_generation();
        std::vector<int32_t> all(items.size());
        std::iota(all.begin(), all.end(), 0);
        lay_out();
        cost_ = cost(all, name_of(all, limited_ ? depth : 0), limited_ ? depth : 0);
        if (late_) return std::nullopt;
        return tree(all, limited_ ? depth : 0);
    }

    // Of the tree last given.
    double cost() const { return cost_; }

  private:
    static constexpr double kSplit = 2.0;  // a tree that is no leaf has at least two
    static constexpr double kTie = 1e-12;
    static constexpr int64_t kLook = 1000000;            // counted work between two looks at the clock
    static constexpr size_t kLargest = size_t{1} << 22;  // sets in the table

    struct Known {
        uint64_t name = 0;
        double cost = 0;
        int32_t generation = 0;
        int32_t feature = -1;
        int32_t cut = 0;  // of a leaf: the action
    };
    struct Choice {
        double cost;
        int32_t feature;
        int32_t cut;
    };

    void lay_out() {
        rank_.resize(static_cast<size_t>(model_.num_features) * items_->size());
        for (int32_t k = 0; k < items_->size(); ++k) {
            const int32_t* ranks = model_.rank_of(items_->group[k]);
            for (const int32_t f : model_.split_features) {
                rank_[static_cast<size_t>(f) * items_->size() + k] = ranks[f];
            }
        }
    }

    uint64_t name_of(const std::vector<int32_t>& set, int32_t depth) const {
        uint64_t name = limited_ ? mixed(static_cast<uint64_t>(depth)) : 0;
        for (const int32_t k : set) name ^= name_[items_->group[k]];
        return name;
    }

    double loss(int32_t item, int32_t action) const {
        return items_->loss[static_cast<size_t>(item) * actions_ + action];
    }

    Choice leaf(const std::vector<int32_t>& set) {
        sum_.assign(actions_, 0.0);
        for (const int32_t k : set) {
            for (int32_t a = 0; a < actions_; ++a) sum_[a] += loss(k, a);
        }
        work += static_cast<int64_t>(set.size()) * actions_ + 8;
        int32_t action = 0, ties = 1;
        for (int32_t a = 1; a < actions_; ++a) {
            if (sum_[a] < sum_[action]) {
                action = a;
                ties = 1;
            } else if (sum_[a] == sum_[action] && random_->below(++ties) == 0) {
                action = a;
            }
        }
        return {priced(sum_[action]), -1, action};
    }

    // A leaf that loses so much.
    double priced(double lost) const { return lost == 0 ? 1.0 : 1.0 + price_ * lost; }

    double cost(const std::vector<int32_t>& set, uint64_t name, int32_t depth) {
        Choice best = leaf(set);
        if (best.cost > kSplit && set.size() > 1 && (!limited_ || depth > 0)) best = split(set, depth, best);
        if (!late_) store(name, best);
        return best.cost;
    }

    Choice split(const std::vector<int32_t>& set, int32_t depth, Choice best) {
        const size_t n = set.size();
        std::vector<int32_t> features = model_.split_features;
        for (size_t k = features.size(); k > 1; --k) {
            std::swap(features[k - 1], features[random_->below(static_cast<int64_t>(k))]);
        }
        std::vector<uint64_t> order(n);           // rank and item, sorted
        std::vector<double> before(n), after(n);  // what a leaf costs for all up to a place, and from it on
        std::vector<int32_t> part;
        const uint64_t all = name_of(set, depth - 1);
        for (const int32_t f : features) {
            if (late_ || best.cost <= kSplit) break;
            const int32_t* ranks = rank_.data() + static_cast<size_t>(f) * items_->size();
            for (size_t k = 0; k < n; ++k) {
                order[k] = static_cast<uint64_t>(ranks[set[k]]) << 32 | static_cast<uint32_t>(set[k]);
            }
            std::sort(order.begin(), order.end());
            count_work(static_cast<int64_t>(n) * (2 * actions_ + 40));
            if (order.front() >> 32 == order.back() >> 32) continue;
            sum_.assign(actions_, 0.0);
            for (size_t k = n; k-- > 1;) after[k] = add(item(order[k]));
            sum_.assign(actions_, 0.0);
            for (size_t k = 0; k + 1 < n; ++k) before[k] = add(item(order[k]));
            uint64_t left = name_of({}, depth - 1);
            for (size_t k = 1; k < n && !late_; ++k) {
                left ^= name_[items_->group[item(order[k - 1])]];
                if (order[k - 1] >> 32 == order[k] >> 32) continue;
                const double here = before[k - 1], there = after[k];
                if (std::min(here, kSplit) + std::min(there, kSplit) > best.cost - kTie) continue;
                double sum = here <= kSplit ? here : known_cost(left, order, 0, k, depth - 1, part);
                if (late_ || sum + std::min(there, kSplit) > best.cost - kTie) continue;
                const uint64_t right = all ^ left ^ name_of({}, depth - 1);
                sum += there <= kSplit ? there : known_cost(right, order, k, n, depth - 1, part);
                if (sum < best.cost - kTie) best = {sum, f, static_cast<int32_t>(order[k] >> 32)};
            }
        }
        return best;
    }

    static int32_t item(uint64_t place) { return static_cast<int32_t>(place & 0xffffffff); }

    double known_cost(uint64_t name, const std::vector<uint64_t>& order, size_t begin, size_t end,
                      int32_t depth, std::vector<int32_t>& part) {
        if (const Known* known = find(name)) return known->cost;
        part.clear();
        for (size_t k = begin; k < end; ++k) part.push_back(item(order[k]));
        return cost(part, name, depth);
    }

    void count_work(int64_t more) {
        work += more;
        if (work > deadline_) late_ = true;
        if (stop_ && work > look_) {
            look_ = work + kLook;
            late_ = late_ || stop_->check();
        }
    }

    // One more item in the running sums: what a leaf for all of them costs.
    double add(int32_t item) {
        double least = std::numeric_limits<double>::infinity();
        for (int32_t a = 0; a < actions_; ++a) least = std::min(least, sum_[a] += loss(item, a));
        return priced(least);
    }

    std::vector<Node> tree(const std::vector<int32_t>& set, int32_t depth) {
        const Known* known = find(name_of(set, depth));
        const Choice choice = known ? Choice{known->cost, known->feature, known->cut} : leaf(set);
        if (choice.feature < 0) return {{-1, choice.cut, 0}};
        std::vector<int32_t> left, right;
        for (const int32_t k : set) {
            (model_.rank_of(items_->group[k])[choice.feature] < choice.cut ? left : right).push_back(k);
        }
        return joined(choice.feature, choice.cut, tree(left, depth - 1), tree(right, depth - 1));
    }

    // The table: open addressing, emptied by a new generation.
    void next_generation() {
        count_ = 0;
        if (++generation_ < std::numeric_limits<int32_t>::max()) return;
        std::fill(table_.begin(), table_.end(), Known{});
        generation_ = 1;
    }

    const Known* find(uint64_t name) const {
        for (size_t at = name & (table_.size() - 1);; at = (at + 1) & (table_.size() - 1)) {
            if (table_[at].generation != generation_) return nullptr;
            if (table_[at].name == name) return &table_[at];
        }
    }

    void store(uint64_t name, const Choice& choice) {
        if (2 * ++count_ > table_.size()) {
            if (2 * table_.size() > kLargest) {
                late_ = true;
                return;
            }
            std::vector<Known> old(2 * table_.size());
            old.swap(table_);
            for (const Known& one : old) {
                if (one.generation == generation_) put(one);
            }
        }
        put({name, choice.cost, generation_, choice.feature, choice.cut});
    }

    void put(const Known& one) {
        size_t at = one.name & (table_.size() - 1);
        while (table_[at].generation == generation_ && table_[at].name != one.name) {
            at = (at + 1) & (table_.size() - 1);
        }
        table_[at] = one;
    }

    const neighbourhood::SearchModel& model_;
    std::vector<uint64_t> name_;  // [group]
    std::vector<Known> table_;
    size_t count_ = 0;
    int32_t generation_ = 0;
    const Items* items_ = nullptr;
    Random* random_ = nullptr;
    Stop* stop_ = nullptr;
    double price_ = 0, cost_ = 0;
    int32_t actions_ = 0;
    int64_t deadline_ = 0, look_ = 0;
    std::vector<int32_t> rank_;  // [feature, item]
    bool late_ = false, limited_ = false;
    std::vector<double> sum_;
};

// The groups of these states and, for each action, what `loss` says of a state and its row, added up.
template <class Loss>
void collect_by(const RegretModel& model, std::span<const int32_t> states, const Loss& loss, Items& items) {
    const int32_t actions = model.num_actions;
    items.group.clear();
    items.loss.clear();
    std::vector<int32_t>& place = items.place;
    place.resize(model.num_groups, -1);
    for (const int32_t s : states) {
        int32_t& at = place[model.group_of[s]];
        if (at < 0) {
            at = items.size();
            items.group.push_back(model.group_of[s]);
            items.loss.resize(items.loss.size() + actions, 0.0);
        }
        for (int32_t a = 0; a < actions; ++a) {
            const int32_t row = model.choices(s)[a];
            items.loss[static_cast<size_t>(at) * actions + a] +=
                row < 0 ? std::numeric_limits<double>::infinity() : loss(s, row);
        }
    }
    for (const int32_t g : items.group) place[g] = -1;
}

// The same with visits times regret.
inline void collect(const RegretModel& model, std::span<const int32_t> states,
                    const std::vector<double>& visits, Items& items) {
    collect_by(model, states, [&](int32_t s, int32_t row) { return visits[s] * model.regret(row); }, items);
}

// The judge's tree goes into the archive if it is small enough and loses less than those of its size.
inline bool offer(ShapeJudge& judge, Archive& archive, int32_t max_leaves, int32_t max_depth) {
    const Shape& tree = judge.tree();
    const double known = archive.loss_at(tree.num_leaves());
    if (tree.num_leaves() > max_leaves || known <= 0 || !judge.beats(-known)) return false;
    if (max_depth >= 0 && tree.depth() > max_depth) return false;
    return archive.offer(tree, std::max(0.0, -judge.value()));
}

}  // namespace spotree::leaves
