// Checks one region after the other: what its rounds show, and that its parts cover it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "names.hpp"
#include "records.hpp"
#include "symmetry.hpp"

namespace checker {

constexpr double kEnough = 0.01;   // of the tolerance: visits that the checker finds itself come as near
constexpr double kRounded = 1e-3;  // of all visits: so much above what is certain may be rounding
constexpr double kTiny = 1e-300;   // in place of 0
constexpr double kStill = 1e-14;   // undiscounted: visits that the checker finds itself rise by no more

// A region after its rounds: allowed actions, and its last bounds.
struct State {
    ActionSets allowed;
    std::vector<double> value, visits;  // [state] for lemmas 1 and 3
    bool has_losses = false;
    double budget = 0;  // an improving tree of the region loses less
    Bounds::Losses losses;
};
using Known = std::shared_ptr<const State>;

// Which part of a region is meant.
struct Part {
    enum Kind { same, leaf, group } kind = same;
    int32_t cube = 0, action = 0;  // leaf: its reached groups take the action
    int32_t which = 0, side = 0;   // group: these actions (side 0) or the others
    std::span<const int32_t> actions;
};

struct Task {
    int32_t record;
    Known whole;
    std::vector<Item> items;
    Part part;
};

// What all threads share.
struct Shared {
    const Header& header;
    const Model model;
    const Claim claim;
    const Symmetries symmetries;
    const Records records;
    std::atomic<bool>& stop;
    std::atomic<int64_t>& done;
    std::unique_ptr<Cubes> cubes_made;
    std::unique_ptr<Sizes> sizes;
    std::vector<uint64_t> hopeless;                      // [cube, word] leaves that no improving tree has
    std::vector<double> floor;                           // [state] visits that every improving tree pays
    std::vector<int32_t> group_of_name, place_of_group;  // names as they stand in the certificate
    std::vector<Set> goes_left;                          // [split]
    const Names names;

    Shared(const Header& claimed, const Arrays& arrays, std::span<const int32_t> words,
           std::span<const double> numbers, std::atomic<bool>& asked, std::atomic<int64_t>& count)
        : header(claimed),
          model(arrays),
          claim(model, claimed, [&asked] { return asked.load(std::memory_order_relaxed); }),
          symmetries(arrays, model, claimed, claim.tolerance),
          records(words, numbers, model.states),
          stop(asked),
          done(count),
          floor(model.states, 0.0),
          names(size_t(model.groups) * model.words) {
        read_names();
    }

    // Only made when a region needs them: deep trees may be too many while bounds alone close the proof.
    const Cubes& cubes() {
        std::call_once(once_, [this] {
            cubes_made = std::make_unique<Cubes>(model, header.depth, [this] { return stop.load(); });
            sizes = std::make_unique<Sizes>(header.depth, header.max_leaves);
            hopeless.assign(size_t(cubes_made->count()) * model.words, 0);
        });
        return *cubes_made;
    }

  private:
    void read_names() {
        const Model& m = model;
        place_of_group.assign(m.groups, int32_t(header.group_state.size()));
        for (const int32_t state : header.group_state) {
            if (state < 0 || state >= m.states || m.group_of[state] < 0)
                reject("the certificate is malformed: no choice matters in state ", state,
                       ", which is said to name a group");
            place_of_group[m.group_of[state]] = int32_t(group_of_name.size());
            group_of_name.push_back(m.group_of[state]);
        }
        if (header.split_feature.size() != header.split_threshold.size())
            reject("the certificate is malformed: splits without thresholds");
        for (size_t k = 0; k < header.split_feature.size(); ++k) {
            const int32_t f = header.split_feature[k];
            if (f < 0 || f >= m.features) reject("the certificate is malformed: there is no feature ", f);
            Set left((m.groups + 63) / 64, 0);
            for (int g = 0; g < m.groups; ++g) {
                if (m.feature[size_t(m.group_states[g][0]) * m.features + f] < header.split_threshold[k])
                    left[g / 64] |= uint64_t(1) << (g % 64);
            }
            goes_left.push_back(std::move(left));
        }
    }

    std::once_flag once_;
};

class Worker {
  public:
    explicit Worker(Shared& shared)
        : all_(shared),
          m_(shared.model),
          records_(shared.records),
          bounds_(m_),
          threshold_(shared.claim.threshold - shared.symmetries.off),
          tolerance_(shared.claim.tolerance) {}

    struct Reference {  // a region that is said to equal another one, or its image
        int32_t number, refers;
        Names::Name name;  // of what the other one must be
    };
    std::vector<std::pair<int32_t, Names::Name>> known;  // regions that were checked here and are referred to
    std::vector<Reference> owed;

    // Checks a part, and what is left of it becomes new tasks.
    void work(const Task& task, std::vector<Task>& more) {
        const Record& record = records_.all[task.record];
        auto state = std::make_shared<State>();
        trees_of_ = nullptr;
        state->allowed = task.whole->allowed;
        narrow(state->allowed, *task.whole, task.part);
        if (record.branching[0] == 6) return refer(record, state->allowed, task.items);
        remember(task.record, state->allowed, task.items);
        state->value = task.whole->value;
        state->visits = task.whole->visits;
        const bool closed = closes(record, *state, task.items, false);
        // What is closed here need not have been for the search: other regions may equal its parts.
        if (closed && record.branching[0] != 2 && record.branching[0] != 3) return;
        part(task.record, state, task.items, more);
    }

    // Applies the rounds of a record to a region; whether no improving tree is left in it.
    bool closes(const Record& record, State& s, const std::vector<Item>& items, bool root) {
        bool closed = false;
        Reader reader = records_.rounds(record);
        for (int32_t k = 0; k < record.rounds && !all_.stop; ++k) {
            const Round round = reader.round();
            const bool at_end =
                root || (k + 1 == record.rounds && (record.branching[0] == 0 || record.branching[0] == 4));
            if (!bounds_.reach.explore(s.allowed)) return true;
            s.has_losses = false;
            trees_of_ = nullptr;
            const Upper upper = find_upper(record, round, s);
            if (!(upper.bound < std::numeric_limits<double>::infinity()))
                reject("region ", record.number, ": its value bounds nothing");
            closed |= upper.bound <= threshold_;
            if (closed && at_end) return true;
            for (const Floor& floor : round.floors) raise_floor(record, floor, root);
            if (!round.regret) continue;
            const double lost = std::max(upper.highest - bounds_.reach.lowest() + upper.more, kTiny);
            const double enough = m_.undiscounted ? kStill : kEnough * tolerance_ / lost;
            if (!bounds_.raise_visits(s.visits, all_.floor, enough, [&] { return all_.stop.load(); }))
                reject("region ", record.number,
                       ": what every tree visits takes too long to find so close to discount 1");
            const double budget =
                upper.bound - threshold_ + 4 * kUnit * (std::abs(upper.bound) + std::abs(threshold_));
            s.budget = upper.bound <= threshold_ ? 0.0 : std::max(budget, kTiny) * (1 + m_.sums);
            if (!(s.budget <= kMost)) reject("region ", record.number, ": its value bounds nothing");
            const auto visits = round.visits ? lower_of(record, s.visits, round.visits, lost) : s.visits;
            bounds_.find_losses(s.allowed, s.value, visits, upper.size, s.losses);
            s.has_losses = true;
            closed |= trees(s).least(items) >= s.budget;
            if (closed && at_end) return true;
            if (!round.removed.empty()) filter(record, round, s, items);
        }
        return closed ||
               (record.branching[0] != 2 && record.branching[0] != 3 && !bounds_.reach.explore(s.allowed));
    }

    // Lemma 6: the root region with this one leaf is closed.
    bool is_hopeless(const Record& record, const Known& root, const std::vector<Item>& whole) {
        State s;
        s.allowed = root->allowed;
        for (const int32_t g : all_.cubes().cubes[solo_cube(record)].groups)
            s.allowed.keep_only(g, record.first);
        s.value = root->value;
        s.visits = root->visits;
        const bool closed = closes(record, s, whole, false);
        trees_of_ = nullptr;  // what is least changes with a hopeless leaf
        return closed;
    }

    int32_t solo_cube(const Record& record) const {
        if (record.branching[0] != 4)
            reject("region ", record.number, ": the leaf is not shown to be hopeless");
        check_action(record.first);
        Set inside = all_.cubes().cubes[0].inside;
        for (const int32_t step : record.branching.subspan(1)) {
            const Set& left = left_of(step >> 1);
            for (size_t k = 0; k < inside.size(); ++k) inside[k] &= step & 1 ? ~left[k] : left[k];
        }
        const int32_t cube = all_.cubes().find(inside);
        if (cube < 0) reject("the certificate is malformed: region ", record.number, " is about no leaf");
        return cube;
    }

    // The trees below open nodes, for what this region loses.
    Trees& trees(const State& s) {
        if (!trees_) {
            all_.cubes();
            trees_ = std::make_unique<Trees>(m_, *all_.cubes_made, *all_.sizes, all_.hopeless);
        }
        if (trees_of_ != &s) trees_->take(s.losses), trees_of_ = &s;
        return *trees_;
    }

    // The parts of a region that is not closed; throws unless they cover it.
    void part(int32_t place, const Known& s, const std::vector<Item>& items, std::vector<Task>& more) {
        const Record& record = records_.all[place];
        const auto words = record.branching;
        if (words[0] == 1 && words.size() >= 3) return part_by_group(place, s, items, more);
        if ((words[0] != 2 && words[0] != 3) || words.size() < 2 || !s->has_losses)
            reject("region ", record.number, " is neither closed nor parted");
        std::vector<Item> open;
        for (const auto& item : items) {
            const auto& groups = all_.cubes_made->cubes[item.cube].groups;
            if (std::any_of(groups.begin(), groups.end(), [&](int32_t g) { return s->losses.reached[g]; }))
                open.push_back(item);
        }
        std::sort(open.begin(), open.end(),
                  [&](const Item& a, const Item& b) { return first_name(a.cube) < first_name(b.cube); });
        if (words[1] < 0 || size_t(words[1]) >= open.size())
            reject("the certificate is malformed: region ", record.number, " has no open node ", words[1]);
        const Item item = open[words[1]];
        open.erase(open.begin() + words[1]);
        const double room = s->budget - trees(*s).least(open);
        if (words[0] == 2) {
            part_by_split(place, s, open, item, room, more);
        } else {
            part_by_action(place, s, open, item, room, more);
        }
    }

    // A hopeless leaf is one with all its images (lemma S, c).
    void enter_hopeless(int32_t cube, int32_t action) {
        const Symmetries& s = all_.symmetries;
        auto enter = [&](int32_t c, int32_t a) {
            all_.hopeless[size_t(c) * m_.words + a / 64] |= ActionSets::bit(a);
        };
        enter(cube, action);
        for (int k = 0; k < s.count(); ++k)
            enter(found(s.after(k, all_.cubes().cubes[cube].inside)), s.action(k, action));
    }

  private:
    int32_t found(const Set& set) const {
        const int32_t cube = all_.cubes_made->find(set);
        if (cube < 0) reject("a symmetry leads to a set of groups that no splits single out");
        return cube;
    }

    // Lemma 8: equal regions need one proof; lemma S: so do images.
    void remember(int32_t place, const ActionSets& allowed, const std::vector<Item>& items) {
        if (records_.referred(place))
            known.emplace_back(records_.all[place].number, all_.names(allowed.bits(), items));
    }

    void refer(const Record& record, const ActionSets& allowed, std::vector<Item> items) {
        const auto words = record.branching;
        if (words.size() == 2)
            return owed.push_back({record.number, words[1], all_.names(allowed.bits(), items)});
        if (words.size() != 3 || words[2] < 0 || words[2] >= all_.symmetries.count())
            reject("the certificate is malformed: region ", record.number, " is an image under no symmetry");
        all_.cubes();
        for (auto& item : items)
            item.cube = found(all_.symmetries.before(words[2], all_.cubes_made->cubes[item.cube].inside));
        const ActionSets before = all_.symmetries.before(words[2], allowed);
        owed.push_back({record.number, words[1], all_.names(before.bits(), items)});
    }

    void check_action(int32_t action) const {
        if (action < 0 || action >= m_.actions) reject("there is no action ", action);
    }

    const Set& left_of(int32_t split) const {
        if (split < 0 || size_t(split) >= all_.goes_left.size())
            reject("the certificate is malformed: there is no split ", split);
        return all_.goes_left[split];
    }

    int32_t group_of(int32_t name) const {
        if (name < 0 || size_t(name) >= all_.group_of_name.size())
            reject("the certificate is malformed: there is no group ", name);
        return all_.group_of_name[name];
    }

    int32_t first_name(int32_t cube) const {
        int32_t least = std::numeric_limits<int32_t>::max();
        for (const int32_t g : all_.cubes_made->cubes[cube].groups)
            least = std::min(least, all_.place_of_group[g]);
        return least;
    }

    void narrow(ActionSets& allowed, const State& whole, const Part& part) const {
        if (part.kind == Part::leaf) {
            for (const int32_t g : all_.cubes_made->cubes[part.cube].groups) {
                if (whole.losses.reached[g]) allowed.keep_only(g, part.action);
            }
        }
        for (int a = 0; a < m_.actions && part.kind == Part::group; ++a) {
            const bool these = std::find(part.actions.begin(), part.actions.end(), a) != part.actions.end();
            if (these != (part.side == 0)) allowed.remove(part.which, a);
        }
    }

    double limited(const Record& record, double value) const {
        if (!(std::abs(value) <= m_.value_limit + tolerance_))
            reject("region ", record.number, ": a value is beyond every return");
        return value;
    }

    Upper find_upper(const Record& record, const Round& round, State& s) const {
        if (!round.brief) {
            for (int i = 0; i < m_.states; ++i) s.value[i] = limited(record, round.values[i]);
        }
        Upper upper;
        if (round.sweeps > 0 && m_.undiscounted)
            reject("the certificate is malformed: an undiscounted proof has no sweeps");
        if (round.sweeps > 0) upper = bounds_.sweep(s.value, round.sweeps);
        for (size_t k = 0; k < round.states.size(); ++k)
            s.value[round.states[k]] = limited(record, round.values[k]);
        const bool rough = !(upper.bound <= threshold_) && upper.more > kEnough * tolerance_;
        if (round.sweeps == 0 || !round.states.empty() || rough) upper = bounds_.measure(s.value);
        return upper;
    }

    void raise_floor(const Record& record, const Floor& floor, bool root) {
        const double most =
            m_.undiscounted ? kMost : 4 * (floor.scale * m_.largest + 1) / m_.far;  // no W is larger
        if (!root || !(floor.scale >= 0 && most <= kMost) || floor.state < 0 || floor.state >= m_.states)
            reject("region ", record.number, ": floors belong to the root; scales are 0 or more");
        for (int i = 0; i < m_.states; ++i) {
            if (!(std::abs(floor.value[i]) <= most))
                reject("region ", record.number, ": a floor's value is beyond every return");
        }
        const double bound = bounds_.floor_bound(floor.value, floor.scale, floor.state);
        if (!std::isfinite(bound)) reject("region ", record.number, ": a floor's value bounds nothing");
        const double level = floor.scale * threshold_ - bound -
                             4 * kUnit * (floor.scale * std::abs(threshold_) + std::abs(bound));
        all_.floor[floor.state] = std::max(all_.floor[floor.state], level);
    }

    // Stated visits are used as far as they are certain; they may not be higher by more than rounding.
    std::vector<double> lower_of(const Record& record, const std::vector<double>& certain,
                                 const double* stated, double lost) const {
        std::vector<double> lower(certain);
        double above = 0, sum = 0;
        for (const int32_t i : bounds_.reach.states()) {
            sum += stated[i];
            if (stated[i] < 0) reject("region ", record.number, ": visits are negative");
            above += std::max(0.0, stated[i] - certain[i]);
            lower[i] = std::min(certain[i], stated[i]);
        }
        if (!m_.undiscounted && !(above * lost <= kShare * tolerance_) &&
            !(above <= std::max(kRounded, 64 * kUnit / m_.far) * sum))
            reject("region ", record.number, ": the visits are higher than every tree must pay");
        return lower;
    }

    // Lemma 5.
    void filter(const Record& record, const Round& round, State& s, const std::vector<Item>& items) {
        std::vector<std::pair<int32_t, int32_t>> pairs;
        Set free(all_.cubes().words, 0);
        for (const auto& item : items) {
            for (size_t k = 0; k < free.size(); ++k) free[k] |= all_.cubes_made->cubes[item.cube].inside[k];
        }
        for (const int32_t word : round.removed) {
            const int32_t g = group_of(word < 0 ? -1 : word / m_.actions);
            if (!s.losses.reached[g] || !(free[g / 64] >> (g % 64) & 1))
                reject("region ", record.number, ": it removes actions of a group that is settled");
            pairs.emplace_back(g, word % m_.actions);
        }
        const int64_t taken = trees(s).taken(items, s.budget, pairs);
        if (taken >= 0)
            reject("region ", record.number, ": an improving tree may take action ", taken % m_.actions,
                   " it removed");
        for (const auto& [g, a] : pairs) {
            s.allowed.remove(g, a);
            for (int k = 0; k < all_.symmetries.count() && record.parent == -1; ++k)  // lemma S, b
                s.allowed.remove(all_.symmetries.group(k, g), all_.symmetries.action(k, a));
        }
    }

    // What one group of states does: these actions or the others, some of each.
    void part_by_group(int32_t place, const Known& s, const std::vector<Item>& items,
                       std::vector<Task>& more) const {
        const Record& record = records_.all[place];
        const auto words = record.branching;
        const int32_t g = group_of(words[1]);
        if (words[2] < 0 || size_t(words[2]) > words.size() - 3)
            reject("the certificate is malformed: region ", record.number, " is parted by nothing");
        for (int32_t side = 0; side < 2; ++side) {
            Task task{records_.child(place, side, 0), s, items, {}};
            task.part.kind = Part::group;
            task.part.which = g;
            task.part.side = side;
            task.part.actions = words.subspan(3, size_t(words[2]));
            ActionSets allowed = s->allowed;
            narrow(allowed, *s, task.part);
            const bool some =
                std::any_of(allowed.of(g), allowed.of(g) + m_.words, [](uint64_t w) { return w != 0; });
            if (task.record < 0 || !some)
                reject("region ", record.number, " is neither closed nor parted in two");
            more.push_back(std::move(task));
        }
    }

    // Every way to split a node is listed, or loses too much, or parts the reached groups as another does
    // (lemma 7).
    void part_by_split(int32_t place, const Known& s, const std::vector<Item>& open, const Item& item,
                       double room, std::vector<Task>& more) {
        const Record& record = records_.all[place];
        const Cubes& cubes = *all_.cubes_made;
        const auto& shares = all_.sizes->shares[item.size];
        const auto& here = cubes.cubes[item.cube];
        const int32_t first = *std::find_if(here.groups.begin(), here.groups.end(),
                                            [&](int32_t g) { return s->losses.reached[g]; });
        // A way is named by the reached groups that stand with the first one.
        auto way = [&](int32_t left, int32_t right, bool& flipped) {
            flipped = cubes.holds(right, first);
            Set name = cubes.cubes[flipped ? right : left].inside;
            for (int g = 0; g < m_.groups; ++g) {
                if (!s->losses.reached[g]) name[g / 64] &= ~(uint64_t(1) << (g % 64));
            }
            return name;
        };
        std::unordered_map<Set, std::vector<std::pair<int, int>>, SetHash>
            listed;  // shares, of the first group's side first
        for (const int32_t c : records_.children(place)) {
            const Record& child = records_.all[c];
            const Set& goes = left_of(child.first);
            Set one = here.inside, two = here.inside;
            for (size_t k = 0; k < one.size(); ++k) one[k] &= goes[k], two[k] &= ~goes[k];
            const int32_t left = cubes.find(one), right = cubes.find(two);
            if (left < 0 || right < 0 || child.second < 0 || size_t(child.second) >= shares.size())
                reject("the certificate is malformed: region ", child.number, " is about no way to split");
            bool flipped = false;
            const auto [a, b] = shares[child.second];
            listed[way(left, right, flipped)].emplace_back(flipped ? std::pair(b, a) : std::pair(a, b));
            std::vector<Item> items = open;
            items.push_back({left, a});
            items.push_back({right, b});
            if (child.rounds == 0 && child.branching[0] != 6) {
                ++all_.done;
                remember(c, s->allowed, items);
                part(c, s, items, more);
            } else {
                more.push_back({c, s, std::move(items), {}});
            }
        }
        bool any = false;
        std::unordered_map<Set, std::vector<double>, SetHash>
            ways;  // least loss for each share, the most of all splits
        for (size_t e = here.begin; e < here.end; ++e) {
            const auto& edge = cubes.edges[e];
            auto seen = [&](int32_t cube) {
                const auto& groups = cubes.cubes[cube].groups;
                return std::any_of(groups.begin(), groups.end(),
                                   [&](int32_t g) { return s->losses.reached[g]; });
            };
            if (!seen(edge.left) || !seen(edge.right)) continue;
            any = true;
            bool flipped = false;
            auto& most = ways[way(edge.left, edge.right, flipped)];
            most.resize(shares.size(), 0.0);
            for (size_t k = 0; k < shares.size(); ++k) {
                const auto [a, b] = flipped ? std::pair(shares[k].second, shares[k].first) : shares[k];
                most[k] = std::max(most[k], trees(*s).least(edge.left, a) + trees(*s).least(edge.right, b));
            }
        }
        if (!any || shares.empty()) reject("region ", record.number, ": there is nothing to split");
        for (const auto& [name, most] : ways) {
            const auto at = listed.find(name);
            for (size_t k = 0; k < shares.size(); ++k) {
                if (most[k] >= room) continue;
                if (at == listed.end() ||
                    std::find(at->second.begin(), at->second.end(), shares[k]) == at->second.end())
                    reject("region ", record.number, ": a way to split is missing");
            }
        }
    }

    // Every action of a leaf is listed, or loses too much, or is hopeless, or does what another one does
    // (lemma 7).
    void part_by_action(int32_t place, const Known& s, const std::vector<Item>& open, const Item& item,
                        double room, std::vector<Task>& more) {
        const Record& record = records_.all[place];
        const Cubes& cubes = *all_.cubes_made;
        const auto& here = cubes.cubes[item.cube];
        auto reached = [&](int32_t cube) {
            std::vector<int32_t> found;
            for (const int32_t g : cubes.cubes[cube].groups) {
                if (s->losses.reached[g]) found.push_back(g);
            }
            return found;
        };
        for (size_t e = here.begin; e < here.end && !all_.sizes->shares[item.size].empty(); ++e) {
            if (!reached(cubes.edges[e].left).empty() && !reached(cubes.edges[e].right).empty())
                reject("region ", record.number, ": the node can still be split");
        }
        const auto groups = reached(item.cube);
        std::vector<int32_t> done;
        for (int32_t a = 0; a < m_.actions; ++a) {
            if (!std::all_of(groups.begin(), groups.end(), [&](int32_t g) { return s->allowed.has(g, a); }))
                continue;
            const int32_t child = records_.child(place, a, 0);
            if (child >= 0) {
                Task task{child, s, open, {}};
                task.part.kind = Part::leaf;
                task.part.cube = item.cube;
                task.part.action = a;
                more.push_back(std::move(task));
            } else if (trees(*s).leaf(item.cube, a) < room &&  // neither loses too much nor is hopeless
                       std::none_of(done.begin(), done.end(),
                                    [&](int32_t b) { return alike(groups, a, b); })) {
                reject("region ", record.number, ": action ", a, " of a leaf is missing");
            }
            done.push_back(a);
        }
    }

    bool alike(const std::vector<int32_t>& groups, int32_t a, int32_t b) const {
        for (const int32_t g : groups) {
            for (const int32_t i : m_.group_states[g]) {
                if (m_.choice[size_t(i) * m_.actions + a] != m_.choice[size_t(i) * m_.actions + b])
                    return false;
            }
        }
        return true;
    }

    Shared& all_;
    const Model& m_;
    const Records& records_;
    Bounds bounds_;
    double threshold_, tolerance_;
    std::unique_ptr<Trees> trees_;
    const State* trees_of_ = nullptr;  // whose losses the trees have taken
};

}  // namespace checker
