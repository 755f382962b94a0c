// That every region is closed, or covered by its parts. Each part has fewer allowed actions or less to grow
// than its whole, so no proof leans on itself.
#pragma once

#include <optional>
#include <set>

#include "check_bounds.hpp"

namespace checker {

using Known = std::shared_ptr<const State>;
using Items = std::vector<Item>;

struct Task {
    const Record* record;
    Known whole;
    Items items;
    std::optional<Actions> allowed = {};  // none: those of the whole
};

// Checks one region after the other.
class Worker {
  public:
    explicit Worker(Shared& shared) : rounds(shared), all_(shared), m_(shared.model) {}

    struct Reference {  // a region that is said to equal another one, or its image
        int32_t number, refers;
        Name name;  // of what the other one must be
    };
    std::vector<std::pair<int32_t, Name>> known;  // regions that were checked here and are referred to
    std::vector<Reference> owed;
    Rounds rounds;

    // Checks a part, and what is left of it becomes new tasks.
    void work(Task& task, std::vector<Task>& more) {
        const Record& record = *task.record;
        Actions allowed = task.allowed ? std::move(*task.allowed) : task.whole->allowed;
        ++all_.progress.done;
        if (record.branching[0] == 6) return refer(record, std::move(allowed), task.items);
        remember(record, allowed, task.items);
        const auto state =
            std::make_shared<State>(State{std::move(allowed), task.whole->value, task.whole->visits});
        const bool closed = rounds.close(record, *state, task.items);
        // What is closed here need not have been for the search: other regions may equal its parts.
        if (!closed || record.branching[0] == 2 || record.branching[0] == 3)
            part(record, state, task.items, more);
    }

    // The parts of a region that is not closed become tasks; throws unless they cover it.
    void part(const Record& record, const Known& s, const Items& items, std::vector<Task>& more) {
        const auto words = record.branching;
        if (words[0] == 1 && words.size() >= 3) return part_by_group(record, s, items, more);
        if ((words[0] != 2 && words[0] != 3) || words.size() < 2 || s->budget < 0)
            reject("region ", record.number, " is neither closed nor parted");
        Items open;
        std::ranges::copy_if(items, std::back_inserter(open),
                             [&](const Item& item) { return !reached(*s, item.cube).empty(); });
        std::ranges::sort(open, {}, [&](const Item& item) { return all_.first_name(item.cube); });
        if (words[1] < 0 || size_t(words[1]) >= open.size())
            malformed("region ", record.number, " has no open node ", words[1]);
        const Item item = open[words[1]];
        open.erase(open.begin() + words[1]);
        const double room = s->budget - rounds.trees().least(open);
        if (words[0] == 2) {
            part_by_split(record, s, open, item, room, more);
        } else {
            part_by_action(record, s, open, item, room, more);
        }
    }

  private:
    // Lemma 8: equal regions need one proof; lemma S: so do images.
    void remember(const Record& record, const Actions& allowed, const Items& items) {
        if (record.referred) known.emplace_back(record.number, all_.name(allowed, items));
    }

    void refer(const Record& record, Actions allowed, Items items) {
        const auto words = record.branching;
        if (words.size() > 2) {
            if (words.size() > 3 || words[2] < 0 || words[2] >= all_.symmetries.count())
                malformed("region ", record.number, " is an image under no symmetry");
            for (auto& [cube, size] : items)
                cube = all_.cubes().find(all_.symmetries.before(words[2], all_.cubes().cubes[cube].inside));
            allowed = all_.symmetries.before(words[2], allowed);
        }
        owed.push_back({record.number, words[1], all_.name(allowed, std::move(items))});
    }

    std::vector<int32_t> reached(const State& s, int32_t cube) const {
        std::vector<int32_t> found;
        for (const int32_t g : all_.cubes().cubes[cube].groups) {
            if (s.losses.reached[g]) found.push_back(g);
        }
        return found;
    }

    // The splits of a node that have reached groups on both sides.
    std::vector<Cubes::Edge> splits(const State& s, const Item& item) const {
        std::vector<Cubes::Edge> found;
        const Cubes& cubes = all_.cubes();
        const auto& here = cubes.cubes[item.cube];
        auto is_reached = [&](int32_t cube) {
            return std::ranges::any_of(cubes.cubes[cube].groups,
                                       [&](int32_t g) { return s.losses.reached[g]; });
        };
        for (size_t e = here.begin; e < here.end && item.size > 0; ++e) {
            const auto& edge = cubes.edges[e];
            if (is_reached(edge.left) && is_reached(edge.right)) found.push_back(edge);
        }
        return found;
    }

    // What one group of states does: these actions or the others, some of each.
    void part_by_group(const Record& record, const Known& s, const Items& items,
                       std::vector<Task>& more) const {
        const auto words = record.branching;
        const int32_t g = all_.group_of(words[1]);
        if (words[2] < 0 || size_t(words[2]) > words.size() - 3)
            malformed("region ", record.number, " is parted by nothing");
        for (int32_t side = 0; side < 2; ++side) {
            Actions allowed = s->allowed;
            bool any = false;
            for (int32_t a = 0; a < m_.actions; ++a) {
                const bool these = std::ranges::count(words.subspan(3, size_t(words[2])), a) > 0;
                allowed[m_.pair(g, a)] &= char(these == (side == 0));
                any |= bool(allowed[m_.pair(g, a)]);
            }
            const Record* part = all_.records.part(record, side);
            if (!part || !any) reject("region ", record.number, " is neither closed nor parted in two");
            more.push_back({part, s, items, std::move(allowed)});
        }
    }

    // Every way to split a node is listed, or loses too much, or parts the reached groups as another does
    // (lemma 7).
    void part_by_split(const Record& record, const Known& s, const Items& open, const Item& item, double room,
                       std::vector<Task>& more) {
        const Cubes& cubes = all_.cubes();
        const auto& shares = all_.sizes.shares[item.size];
        const int32_t first = reached(*s, item.cube)[0];
        Set seen(cubes.words, 0);
        for (int g = 0; g < m_.groups; ++g) {
            if (s->losses.reached[g]) add_bit(seen, g);
        }
        // A way is named by the reached groups that stand with the first one, and its share by their side's.
        using Way = std::pair<Set, std::pair<int, int>>;
        auto way = [&](int32_t left, int32_t right, std::pair<int, int> share) {
            const bool flipped = cubes.holds(right, first);
            Set name = cubes.cubes[flipped ? right : left].inside;
            for (size_t k = 0; k < name.size(); ++k) name[k] &= seen[k];
            return Way(std::move(name), flipped ? std::pair(share.second, share.first) : share);
        };
        std::set<Way> shown;
        for (const int32_t place : record.parts) {
            const Record& child = all_.records.all[place];
            const int32_t left = all_.side_of(item.cube, child.first, false),
                          right = all_.side_of(item.cube, child.first, true);
            if (child.second < 0 || size_t(child.second) >= shares.size())
                malformed("region ", child.number, " is about no way to split");
            const auto share = shares[child.second];
            shown.insert(way(left, right, share));
            Items items = open;
            items.push_back({left, share.first});
            items.push_back({right, share.second});
            if (child.rounds.empty() && child.branching[0] != 6) {  // it has the bounds of its whole
                ++all_.progress.done;
                remember(child, s->allowed, items);
                part(child, s, items, more);
            } else {
                more.push_back({&child, s, std::move(items)});
            }
        }
        const auto edges = splits(*s, item);
        if (edges.empty()) reject("region ", record.number, ": there is nothing to split");
        Trees& trees = rounds.trees();
        std::set<Way> missing;
        for (const auto& edge : edges) {
            for (const auto& share : shares) {
                const double loss =
                    trees.least(edge.left, share.first) + trees.least(edge.right, share.second);
                (loss >= room ? shown : missing).insert(way(edge.left, edge.right, share));
            }
        }
        if (!std::ranges::includes(shown, missing))
            reject("region ", record.number, ": a way to split is missing");
    }

    // Every action of a leaf is listed, or loses too much, or is hopeless, or does what another one does
    // (lemma 7).
    void part_by_action(const Record& record, const Known& s, const Items& open, const Item& item,
                        double room, std::vector<Task>& more) {
        if (!splits(*s, item).empty()) reject("region ", record.number, ": the node can still be split");
        const auto groups = reached(*s, item.cube);
        std::vector<int32_t> done;
        for (int32_t a = 0; a < m_.actions; ++a) {
            if (!std::ranges::all_of(groups, [&](int32_t g) { return s->allowed[m_.pair(g, a)]; })) continue;
            if (const Record* part = all_.records.part(record, a)) {
                Task& task = more.emplace_back(Task{part, s, open, s->allowed});
                rounds.keep_only(*task.allowed, groups, a);
            } else if (rounds.trees().leaf(item.cube, a) < room &&  // neither too costly nor hopeless
                       std::ranges::none_of(done, [&](int32_t b) { return alike(groups, a, b); })) {
                reject("region ", record.number, ": action ", a, " of a leaf is missing");
            }
            done.push_back(a);
        }
    }

    bool alike(const std::vector<int32_t>& groups, int32_t a, int32_t b) const {
        return std::ranges::all_of(groups, [&](int32_t g) {
            return std::ranges::all_of(m_.group_states[g], [&](int32_t i) {
                return m_.choice[m_.pair(i, a)] == m_.choice[m_.pair(i, b)];
            });
        });
    }

    Shared& all_;
    const Model& m_;
};

}  // namespace checker
