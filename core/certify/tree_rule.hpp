// Rule "tree": part a region by the next split or leaf of a partial tree; deepest first.
#pragma once

#include "certify/state_rule.hpp"

namespace spotree::certify {

class TreeRule {
    // What the last processed region told: kept while its partial tree is split further.
    struct Tables {
        double upper;
        std::vector<double> least, sums;
        std::vector<char> reached;
    };
    struct Child {
        double estimate;
        int32_t first, second, left, right;
        std::pair<int, int> share;
    };

  public:
    TreeRule(Shared& shared, Journal& journal)
        : shared_(shared), m_(shared.model), cubes_(shared.cubes), journal_(journal) {}

    // The root has been processed (verdict open) by `bounder`.
    void run(Bounder& bounder, const Region& root, Draft& draft, double solo_seconds) {
        bounder_ = &bounder;
        root_ = root;
        auto stop = [&] { return shared_.stopped(); };
        bounder.relaxer.solve(root_.allowed, root_.relaxed, -1e300, 0.02 * shared_.tolerance, stop);
        bounder.relaxer.occupancy(root.relaxed, occupancy_, stop);
        weight_.assign(m_.groups, 0.0);
        for (int i = 0; i < m_.states; ++i) {
            if (m_.group_of[i] >= 0) weight_[m_.group_of[i]] += occupancy_[i];
        }
        if (shared_.switches.solo) {
            bounder.viable.assign(size_t(cubes_.size()) * m_.words, ~uint64_t(0));
            solo_.assign(size_t(cubes_.size()) * m_.actions, std::numeric_limits<double>::quiet_NaN());
        }
        nodes_.assign(1, {});
        if (shared_.switches.solo) try_leaves(solo_seconds);
        const Verdict verdict = bounder.process(root_, {{0, shared_.sizes.whole, 0}}, 1, false, nullptr);
        if (verdict == Verdict::open)
            descend(root_, {{0, shared_.sizes.whole, 0}}, tables(root_), -1, 0, 0, draft);
        if (verdict == Verdict::closed) write_region(journal_, -1, 0, 0, draft, {0});
        finished = verdict != Verdict::stopped && open_ <= shared_.close_at();
    }

    std::atomic<bool> finished{false};

  private:
    Tables tables(const Region& region) const {
        return {region.relaxed.bound, bounder_->step.all_least(), bounder_->step.all_sums(),
                bounder_->reached};
    }

    double least(const Tables& t, const Item& item) const {
        return t.least[size_t(item.cube) * shared_.sizes.count() + item.size];
    }

    bool anything_reached(const Tables& t, int cube) const {
        for (const int32_t* g = cubes_.begin(cube); g != cubes_.end(cube); ++g) {
            if (t.reached[*g]) return true;
        }
        return false;
    }

    // What a region is, however its partial tree came about: allowed actions and open nodes.
    SetKey identity(const SetKey& allowed, const std::vector<Item>& items) const {
        SetKey key = allowed;
        for (const auto& item : items) {
            const uint64_t code = mix(uint64_t(item.cube) * 64 + uint64_t(item.size) + 1);
            key = {key.a + code, key.b + mix(code)};  // sums, so that the order does not matter
        }
        return key;
    }

    SetKey identity(const ActionSets& allowed) const {
        SetKey key{1, 2};
        for (int g = 0; g < m_.groups; ++g) {
            for (int k = 0; k < m_.words; ++k) {
                key.a = mix(key.a ^ allowed.of(g)[k]);
                key.b = mix(key.b + 0x9e3779b97f4a7c15u * (allowed.of(g)[k] ^ uint64_t(g)));
            }
        }
        return key;
    }

    static uint64_t mix(uint64_t x) {
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        return x ^ (x >> 31);
    }

    // Whether the same set of policies has been closed before; says so in the journal.
    bool seen(const SetKey& key, int32_t parent, int32_t first, int32_t second) {
        const auto place = closed_.find(key);
        if (place == closed_.end()) return false;
        write_region(journal_, parent, first, second, {}, {6, place->second});
        return true;
    }

    void remember(const SetKey& key, int32_t number) {
        if (!shared_.stopped() && closed_.size() < 20'000'000) closed_.emplace(key, number);
    }

    void descend(const Region& region, std::vector<Item> items, const Tables& t, int32_t parent,
                 int32_t first, int32_t second, const Draft& draft) {
        if (shared_.stopped()) return leave_open(region.bound);
        std::erase_if(items, [&](const Item& item) {
            if (anything_reached(t, item.cube)) return false;
            nodes_[item.node] = {-1, -1, -1, 0};
            return true;
        });
        std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
            return *cubes_.begin(a.cube) < *cubes_.begin(b.cube);
        });
        if (items.empty()) {
            complete(region);
            if (region.bound > shared_.close_at()) leave_open(region.bound);
            write_region(journal_, parent, first, second, draft, {0});
            return;
        }
        double total = 0;
        for (const auto& item : items) total += least(t, item);
        std::vector<Child> children;
        const auto [at, splits] = choose(items, t, children);
        const Item item = items[at];
        const double elsewhere = t.upper - (total - least(t, item));
        const int32_t number =
            write_region(journal_, parent, first, second, draft, {splits ? 2 : 3, int32_t(at)});
        items.erase(items.begin() + int64_t(at));
        if (splits) {
            part(region, items, item, elsewhere, t, children, number);
        } else {
            settle(region, items, item, elsewhere, t, number);
        }
    }

    // The leaf with most visits if there is one (its sibling comes next), else the deepest node with most
    // visits.
    std::pair<size_t, bool> choose(const std::vector<Item>& items, const Tables& t,
                                   std::vector<Child>& children) {
        size_t best = 0;
        std::pair<double, double> most{-1e301, -1};
        bool splits = false;
        for (size_t k = 0; k < items.size(); ++k) {
            const bool can = items[k].size > 0 && splittable(items[k], t);
            double weight = 0;
            for (const int32_t* g = cubes_.begin(items[k].cube); g != cubes_.end(items[k].cube); ++g) {
                if (t.reached[*g]) weight += weight_[*g];
            }
            const double first = can                         ? -shared_.sizes.depth[items[k].size]
                                 : items[k].node == sibling_ ? 2
                                                             : 1;
            const std::pair<double, double> here{first, weight};
            if (here > most) most = here, best = k, splits = can;
        }
        if (splits) ways(items[best], t, children);
        return {best, splits};
    }

    bool splittable(const Item& item, const Tables& t) const {
        const auto& cube = cubes_.cubes[item.cube];
        for (int e = cube.edge_first; e < cube.edge_first + cube.edge_count; ++e) {
            if (anything_reached(t, cubes_.edges[e].left) && anything_reached(t, cubes_.edges[e].right))
                return true;
        }
        return false;
    }

    // The splits that part the reached groups of a node, each way once.
    void ways(const Item& item, const Tables& t, std::vector<Child>& children) const {
        std::unordered_set<SetKey, SetKeyHash> seen;
        const auto& cube = cubes_.cubes[item.cube];
        const int sizes = shared_.sizes.count();
        for (int e = cube.edge_first; e < cube.edge_first + cube.edge_count; ++e) {
            const auto& edge = cubes_.edges[e];
            const SetKey left = reached_key(t, edge.left), right = reached_key(t, edge.right);
            if (left == SetKey{} || right == SetKey{}) continue;
            if (!seen.insert(right < left ? right : left).second)
                continue;  // sizes are shared out both ways round
            int32_t number = 0;
            for (const auto& share : shared_.sizes.pairs[item.size]) {
                const double cost = t.least[size_t(edge.left) * sizes + share.first] +
                                    t.least[size_t(edge.right) * sizes + share.second];
                children.push_back({cost, edge.split, number++, edge.left, edge.right, share});
            }
        }
    }

    SetKey reached_key(const Tables& t, int cube) const {
        SetKey key;
        for (const int32_t* g = cubes_.begin(cube); g != cubes_.end(cube); ++g) {
            if (t.reached[*g]) key = key ^ cubes_.keys[*g];
        }
        return key;
    }

    void part(const Region& region, const std::vector<Item>& others, const Item& item, double elsewhere,
              const Tables& t, std::vector<Child>& children, int32_t number) {
        for (auto& child : children) child.estimate = elsewhere - child.estimate;
        std::stable_sort(children.begin(), children.end(),
                         [](const Child& a, const Child& b) { return a.estimate > b.estimate; });
        const auto size = nodes_.size();
        for (const auto& child : children) {
            if (child.estimate <= shared_.close_at()) break;
            if (shared_.stopped()) return leave_open(std::min(region.bound, child.estimate));
            nodes_.resize(size);
            nodes_[item.node] = {child.first, int32_t(size), int32_t(size + 1), -1};
            nodes_.resize(size + 2);
            auto items = others;
            Item left{child.left, int32_t(child.share.first), int32_t(size)};
            Item right{child.right, int32_t(child.share.second), int32_t(size + 1)};
            items.push_back(left);
            items.push_back(right);

            descend(region, std::move(items), t, number, child.first, child.second, {});
        }
        nodes_.resize(size);
    }

    void settle(const Region& region, const std::vector<Item>& others, const Item& item, double elsewhere,
                const Tables& t, int32_t number) {
        std::vector<std::pair<double, int>> actions;
        for (int a = 0; a < m_.actions; ++a) {
            if (!possible(region, item.cube, a, t)) continue;
            bool known = false;
            for (const auto& [_, b] : actions) known = known || alike(item.cube, a, b, t);
            if (known) continue;
            const double cost = t.sums[size_t(item.cube) * bounder_->step.padded() + a];
            actions.emplace_back(elsewhere - cost, a);
        }
        std::stable_sort(actions.begin(), actions.end(), [](auto& x, auto& y) { return x.first > y.first; });
        const int32_t sibling_before = sibling_;
        for (const auto& [estimate, a] : actions) {
            if (estimate <= shared_.close_at()) break;
            if (shared_.stopped()) return leave_open(std::min(region.bound, estimate));
            if (shared_.switches.solo && hopeless(item.cube, a)) continue;
            Region child = region;
            for (const int32_t* g = cubes_.begin(item.cube); g != cubes_.end(item.cube); ++g) {
                if (t.reached[*g]) child.allowed.keep_only(*g, a);
            }
            nodes_[item.node] = {-1, -1, -1, int32_t(a)};
            const SetKey key = identity(identity(child.allowed), others);
            if (seen(key, number, a, 0)) continue;
            Draft draft;
            const Verdict verdict = bounder_->process(child, others, 3, true, journal_.on ? &draft : nullptr);
            if (verdict == Verdict::stopped) return leave_open(std::min(region.bound, estimate));
            if (verdict == Verdict::closed) {
                remember(key, write_region(journal_, number, a, 0, draft, {0}));
                continue;
            }
            const Tables now = tables(child);
            sibling_ = item.node % 2 == 1 ? item.node + 1 : item.node - 1;
            const int32_t next =
                journal_.next;  // only this thread writes here: the number of the child's record
            descend(child, others, now, number, a, 0, draft);
            remember(key, next);
            sibling_ = sibling_before;
        }
    }

    bool possible(const Region& region, int cube, int action, const Tables& t) const {
        for (const int32_t* g = cubes_.begin(cube); g != cubes_.end(cube); ++g) {
            if (t.reached[*g] && !region.allowed.has(*g, action)) return false;
        }
        return true;
    }

    // Whether two actions do the same in every state of the reached groups of a cube.
    bool alike(int cube, int a, int b, const Tables& t) const {
        for (const int32_t* g = cubes_.begin(cube); g != cubes_.end(cube); ++g) {
            if (!t.reached[*g]) continue;
            for (int k = m_.group_start[*g]; k < m_.group_start[*g + 1]; ++k) {
                const size_t i = size_t(m_.group_state[k]) * m_.actions;
                if (m_.choice_of[i + a] != m_.choice_of[i + b]) return false;
            }
        }
        return true;
    }

    // Looks for hopeless leaves among the smallest cubes beforehand, for a while.
    void try_leaves(double seconds) {
        using clock = std::chrono::steady_clock;
        const auto until = clock::now() + std::chrono::duration_cast<clock::duration>(
                                              std::chrono::duration<double>(seconds));
        for (int cube = cubes_.size() - 1; cube >= 0; --cube) {
            if (cubes_.cubes[cube].level < cubes_.depth && cubes_.cubes[cube].edge_count > 0) continue;
            for (int a = 0; a < m_.actions; ++a) {
                if (shared_.stopped() || clock::now() > until) return;
                hopeless(cube, a);
            }
        }
    }

    // Whether no improving tree at all has this leaf: the root region plus this one leaf is closed.
    bool hopeless(int cube, int action) {
        double& known = solo_[size_t(cube) * m_.actions + action];
        uint64_t& may = bounder_->viable[size_t(cube) * m_.words + action / 64];
        if (!(may & ActionSets::bit(action))) return true;
        if (!std::isnan(known) && known > shared_.close_at()) return false;
        Region region = root_;
        for (const int32_t* g = cubes_.begin(cube); g != cubes_.end(cube); ++g) {
            if (region.allowed.has(*g, action)) {
                region.allowed.keep_only(*g, action);
            } else {
                std::fill_n(region.allowed.of(*g), m_.words, 0);
            }
        }
        Draft draft;
        const Verdict verdict = bounder_->process(region, {{0, shared_.sizes.whole, 0}}, 1, false,
                                                  journal_.on ? &draft : nullptr);
        if (verdict == Verdict::stopped) return false;
        known = region.bound;
        if (verdict == Verdict::open) return false;
        may &= ~ActionSets::bit(action);
        std::vector<int32_t> path{4};
        for (int v = cube; cubes_.cubes[v].from >= 0; v = cubes_.cubes[v].from) {
            path.push_back(2 * cubes_.cubes[v].split + (cubes_.cubes[v].is_left ? 0 : 1));
        }
        write_region(journal_, -2, action, int32_t(path.size()) - 1, draft, path);
        return true;
    }

    void complete(const Region& region) {
        std::vector<int32_t> action_of;
        actions_of_tree(cubes_, nodes_, m_.groups, action_of);
        std::vector<double> value = region.relaxed.value;
        offer_tree(shared_, bounder_->relaxer, nodes_, action_of, value);
    }

    void leave_open(double bound) { open_ = std::max(open_, bound); }

    Shared& shared_;
    const Model& m_;
    const Cubes& cubes_;
    Journal& journal_;
    Bounder* bounder_ = nullptr;
    Region root_;
    std::vector<double> occupancy_, weight_, solo_;
    std::vector<TreeNode> nodes_;
    std::unordered_map<SetKey, int32_t, SetKeyHash> closed_;  // region -> its record
    int32_t sibling_ = -1;
    double open_ = -std::numeric_limits<double>::infinity();
};

}  // namespace spotree::certify
