// The regions of a certificate, found in its two streams; the layout is in docs/proof.md. Numbers are not
// copied: a round knows where its own stand.
#pragma once

#include <unordered_map>

#include "model.hpp"

namespace checker {

struct Floor {
    int32_t state;
    double scale;
    std::span<const double> value;  // [state]
};

struct Round {
    bool regret, brief;
    int32_t sweeps = 0;
    std::vector<Floor> floors;
    std::span<const int32_t> removed, states;  // group * actions + action; states with a new value
    std::span<const double> values;            // of these states, or [state] if the round is not brief
    std::span<const double> visits;            // [state], if it is not brief and has regret
};

struct Record {
    int32_t number, parent, first, second;
    std::vector<Round> rounds;
    std::span<const int32_t> branching;
    std::vector<int32_t> parts;  // their places, by their two words
    bool referred = false;       // some region is said to equal this one or its image
};

constexpr int kMostSweeps = 1000;

// A stream is taken from its front.
template <class T>
struct Stream {
    std::span<const T> left;

    std::span<const T> take(int64_t count) {
        if (count < 0 || size_t(count) > left.size()) malformed("its streams end early");
        const auto taken = left.first(size_t(count));
        left = left.subspan(size_t(count));
        return taken;
    }
};

class Records {
  public:
    std::vector<Record> all;
    int32_t root = -1;  // place in `all`

    Records(std::span<const int32_t> words, std::span<const double> numbers, int states)
        : words_{words}, numbers_{numbers}, states_(states) {
        for (const double x : numbers) {
            if (!(std::abs(x) <= kMost)) malformed("a number is not finite, or beyond 1e100");
        }
        std::unordered_map<int32_t, int32_t> place;
        while (!words_.left.empty()) {
            const int32_t number = add();
            if (!place.emplace(number, int32_t(all.size()) - 1).second)
                malformed("region ", number, " stands there twice");
        }
        if (!numbers_.left.empty()) malformed("it has more numbers than regions need");
        for (int32_t k = 0; k < int32_t(all.size()); ++k) {
            const Record& record = all[k];
            if (record.parent == -1 && std::exchange(root, k) >= 0) reject("there must be one root region");
            const auto whole = record.parent < 0 ? place.end() : place.find(record.parent);
            if (whole != place.end()) all[whole->second].parts.push_back(k);
            if (record.branching[0] != 6) continue;
            const auto other = record.branching.size() < 2 ? place.end() : place.find(record.branching[1]);
            if (other == place.end()) malformed("region ", record.number, " refers to nowhere");
            all[other->second].referred = true;
        }
        if (root < 0) malformed("it has no root region");
        auto by_words = [&](int32_t k) { return std::pair(all[k].first, all[k].second); };
        for (Record& record : all) {
            std::ranges::sort(record.parts, {}, by_words);
            if (std::ranges::adjacent_find(record.parts, {}, by_words) != record.parts.end())
                reject("region ", record.number, " has one part twice");
        }
    }

    // The part of a region with this first word; null if there is none.
    const Record* part(const Record& whole, int32_t first) const {
        for (const int32_t k : whole.parts) {
            if (all[k].first == first && all[k].second == 0) return &all[k];
        }
        return nullptr;
    }

  private:
    int32_t add() {
        const size_t before = words_.left.size();
        const auto head = words_.take(6);
        numbers_.take(1);  // the bound that the search had, for resuming
        Record& record = all.emplace_back(Record{head[1], head[2], head[3], head[4], {}, {}, {}});
        for (int32_t k = 0; k < head[5]; ++k) record.rounds.push_back(round());
        record.branching = words_.take(head[0] - int64_t(before - words_.left.size()));
        if (head[5] < 0 || record.branching.empty())
            malformed("region ", record.number, " has no rounds or no branching");
        return record.number;
    }

    Round round() {
        const auto head = words_.take(3);
        if (head[0] < 0 || head[0] > 3) malformed("a round of kind ", head[0]);
        Round found{bool(head[0] & 1), bool(head[0] & 2), 0, {}, {}, {}, {}, {}};
        if (found.brief && head[1]) malformed("a brief round with floors");
        const auto floors = words_.take(head[1]);
        found.removed = words_.take(head[2]);
        if (found.brief) {
            const auto how = words_.take(2);
            found.sweeps = how[0];
            if (found.sweeps < 0 || found.sweeps > kMostSweeps) malformed(found.sweeps, " sweeps");
            found.states = words_.take(how[1]);
            for (const int32_t i : found.states) {
                if (i < 0 || i >= states_) malformed("there is no state ", i);
            }
            found.values = numbers_.take(how[1]);
            return found;
        }
        found.values = numbers_.take(states_);
        for (const int32_t state : floors) {
            const double scale = numbers_.take(2)[0];  // and the level that the search had
            found.floors.push_back({state, scale, numbers_.take(states_)});
        }
        if (found.regret) found.visits = numbers_.take(states_);
        return found;
    }

    Stream<int32_t> words_;
    Stream<double> numbers_;
    int states_;
};

}  // namespace checker
