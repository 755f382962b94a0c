// That the parts of a region cover it. Each has fewer allowed actions or less to grow than its whole, so no
// proof leans on itself.
#pragma once

#include <functional>
#include <set>

#include "rounds.hpp"

namespace checker {

using Known = std::shared_ptr<const State>;

struct Task {
    int32_t record;
    Known whole;
    std::vector<Item> items;
    std::function<void(ActionSets&)> narrow;  // what the part allows of its whole's actions; empty: all
};

class Cover {
  public:
    // What is done with a part that needs no proof of its own: it has no rounds, and the bounds of its whole.
    using Seen = std::function<void(const Record&, const ActionSets&, const std::vector<Item>&)>;

    Cover(Shared& shared, Rounds& rounds, Seen seen)
        : all_(shared), m_(shared.model), rounds_(rounds), seen_(std::move(seen)) {}

    // The parts of a region that is not closed become tasks; throws unless they cover it.
    void part(const Record& record, const Known& s, const std::vector<Item>& items, std::vector<Task>& more) {
        const auto words = record.branching;
        if (words[0] == 1 && words.size() >= 3) return part_by_group(record, s, items, more);
        if ((words[0] != 2 && words[0] != 3) || words.size() < 2 || !s->has_losses)
            reject("region ", record.number, " is neither closed nor parted");
        std::vector<Item> open;
        std::copy_if(items.begin(), items.end(), std::back_inserter(open),
                     [&](const Item& item) { return is_reached(*s, item.cube); });
        std::ranges::sort(open, {}, [&](const Item& item) { return all_.first_name(item.cube); });
        if (words[1] < 0 || size_t(words[1]) >= open.size())
            reject("the certificate is malformed: region ", record.number, " has no open node ", words[1]);
        const Item item = open[words[1]];
        open.erase(open.begin() + words[1]);
        const double room = s->budget - rounds_.trees(*s).least(open);
        if (words[0] == 2) {
            part_by_split(record, s, open, item, room, more);
        } else {
            part_by_action(record, s, open, item, room, more);
        }
    }

  private:
    bool is_reached(const State& s, int32_t cube) const {
        return std::ranges::any_of(all_.cubes().cubes[cube].groups,
                                   [&](int32_t g) { return s.losses.reached[g]; });
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
        const auto& here = all_.cubes().cubes[item.cube];
        for (size_t e = here.begin; e < here.end && !all_.sizes().shares[item.size].empty(); ++e) {
            const auto& edge = all_.cubes().edges[e];
            if (is_reached(s, edge.left) && is_reached(s, edge.right)) found.push_back(edge);
        }
        return found;
    }

    // What one group of states does: these actions or the others, some of each.
    void part_by_group(const Record& record, const Known& s, const std::vector<Item>& items,
                       std::vector<Task>& more) const {
        const auto words = record.branching;
        const int32_t g = all_.group_of(words[1]);
        if (words[2] < 0 || size_t(words[2]) > words.size() - 3)
            reject("the certificate is malformed: region ", record.number, " is parted by nothing");
        for (int32_t side = 0; side < 2; ++side) {
            std::vector<int32_t> gone, kept;
            for (int32_t a = 0; a < m_.actions; ++a) {
                const bool these = std::ranges::count(words.subspan(3, size_t(words[2])), a) > 0;
                if (s->allowed.has(g, a)) (these == (side == 0) ? kept : gone).push_back(a);
            }
            const int32_t part = all_.records.part(record, side, 0);
            if (part < 0 || kept.empty())
                reject("region ", record.number, " is neither closed nor parted in two");
            more.push_back({part, s, items, [g, gone](ActionSets& allowed) {
                                for (const int32_t a : gone) allowed.remove(g, a);
                            }});
        }
    }

    // Every way to split a node is listed, or loses too much, or parts the reached groups as another does
    // (lemma 7).
    void part_by_split(const Record& record, const Known& s, const std::vector<Item>& open, const Item& item,
                       double room, std::vector<Task>& more) {
        const Cubes& cubes = all_.cubes();
        const auto& shares = all_.sizes().shares[item.size];
        const Set& here = cubes.cubes[item.cube].inside;
        const int32_t first = reached(*s, item.cube)[0];
        Set seen(here.size(), 0);
        for (int g = 0; g < m_.groups; ++g) {
            if (s->losses.reached[g]) add_bit(seen.data(), g);
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
        for (const int32_t c : all_.records.parts(record)) {
            const Record& child = all_.records.all[c];
            const int32_t left = all_.cube_of(all_.side_of(here, child.first, false)),
                          right = all_.cube_of(all_.side_of(here, child.first, true));
            if (child.second < 0 || size_t(child.second) >= shares.size())
                reject("the certificate is malformed: region ", child.number, " is about no way to split");
            const auto share = shares[child.second];
            shown.insert(way(left, right, share));
            std::vector<Item> items = open;
            items.push_back({left, share.first});
            items.push_back({right, share.second});
            if (child.rounds == 0 && child.branching[0] != 6) {
                seen_(child, s->allowed, items);
                part(child, s, items, more);
            } else {
                more.push_back({c, s, std::move(items), {}});
            }
        }
        const auto edges = splits(*s, item);
        if (edges.empty()) reject("region ", record.number, ": there is nothing to split");
        Trees& trees = rounds_.trees(*s);
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
    void part_by_action(const Record& record, const Known& s, const std::vector<Item>& open, const Item& item,
                        double room, std::vector<Task>& more) {
        if (!splits(*s, item).empty()) reject("region ", record.number, ": the node can still be split");
        const auto groups = reached(*s, item.cube);
        std::vector<int32_t> done;
        for (int32_t a = 0; a < m_.actions; ++a) {
            if (!std::ranges::all_of(groups, [&](int32_t g) { return s->allowed.has(g, a); })) continue;
            const int32_t part = all_.records.part(record, a, 0);
            if (part >= 0) {
                more.push_back({part, s, open, [this, s, cube = item.cube, a](ActionSets& allowed) {
                                    for (const int32_t g : reached(*s, cube)) allowed.keep_only(g, a);
                                }});
            } else if (rounds_.trees(*s).leaf(item.cube, a) < room &&  // neither too costly nor hopeless
                       std::ranges::none_of(done, [&](int32_t b) { return alike(groups, a, b); })) {
                reject("region ", record.number, ": action ", a, " of a leaf is missing");
            }
            done.push_back(a);
        }
    }

    bool alike(const std::vector<int32_t>& groups, int32_t a, int32_t b) const {
        for (const int32_t g : groups) {
            for (const int32_t i : m_.group_states[g]) {
                const int32_t* choice = &m_.choice[size_t(i) * m_.actions];
                if (choice[a] != choice[b]) return false;
            }
        }
        return true;
    }

    Shared& all_;
    const Model& m_;
    Rounds& rounds_;
    Seen seen_;
};

}  // namespace checker
