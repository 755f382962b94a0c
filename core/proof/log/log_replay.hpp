// Reads back what a stopped proof has written, so that it can go on where it ended.
#pragma once

#include <stdexcept>
#include <unordered_map>

#include "proof/branching/state_rule.hpp"

namespace spotree::proof {

struct ReplayedSubproblem {
    int32_t parent = -1, side = 0, group = -1;
    std::vector<int32_t> same;           // what its parting keeps on one side and removes on the other
    bool kept = false, removed = false;  // sides that have been processed
    double bound = 0;
    ActionSets allowed;         // after its filter
    std::vector<double> value;  // of its last round
    Draft draft;                // of the root only
};

struct ReplayedProof {
    std::vector<int32_t> words;
    std::vector<double> numbers;
    double bound = std::numeric_limits<double>::infinity();
    int32_t root = -1, last = -1;
    std::unordered_map<int32_t, ReplayedSubproblem> regions;
    std::vector<std::pair<int32_t, double>> floors;

    void replay(const GroupedModel& m, const Symmetries& symmetries) {
        size_t taken = 0;
        for (const double x : numbers) {
            if (!(std::abs(x) < kInfinity)) throw std::invalid_argument("a number is not finite");
        }
        for (size_t at = 0; at < words.size(); at += size_t(words.at(at))) {
            if (words.at(at) < 7) throw std::invalid_argument("a region is malformed");
            read(m, symmetries, at, taken);
        }
        if (taken != numbers.size()) throw std::invalid_argument("there are more numbers than regions need");
        if (!regions.contains(root)) throw std::invalid_argument("there is no root region");
    }

  private:
    void read(const GroupedModel& m, const Symmetries& symmetries, size_t at, size_t& taken) {
        const int32_t number = bounded(words.at(at + 1), std::numeric_limits<int32_t>::max());
        ReplayedSubproblem region;
        region.parent = words.at(at + 2);
        region.side = words.at(at + 3);
        last = std::max(last, number);
        if (region.parent < 0) {
            root = number;
            region.allowed = ActionSets(m.num_groups, m.num_actions);
            region.value.assign(m.num_states, 0.0);
        } else {
            ReplayedSubproblem& parent = regions.at(region.parent);
            if (parent.group < 0) throw std::invalid_argument("a region has parts but was not parted");
            (region.side == 0 ? parent.kept : parent.removed) = true;
            region.allowed = parent.allowed;
            region.value = parent.value;
            part(m, parent, region);
        }
        region.bound = numbers.at(taken++);
        const size_t first = taken;
        size_t place = at + 6;
        for (int32_t round = 0; round < words.at(at + 5); ++round) {
            const int32_t regret = words.at(place), count = words.at(place + 1), gone = words.at(place + 2);
            place += 3;
            const bool brief = regret & 2;
            const auto states = size_t(m.num_states);
            const size_t length = brief ? 0 : states * (1 + (regret ? 1 : 0)) + size_t(count) * (states + 2);
            if (count < 0 || (brief && count > 0) || taken + length > numbers.size())
                throw std::invalid_argument("the numbers end early");
            if (!brief)
                region.value.assign(numbers.begin() + int64_t(taken),
                                    numbers.begin() + int64_t(taken) + m.num_states);
            for (int32_t k = 0; k < count; ++k) {
                const size_t where = taken + states + size_t(k) * (states + 2);
                floors.emplace_back(bounded(words.at(place++), m.num_states), numbers.at(where + 1));
            }
            for (int32_t k = 0; k < gone; ++k) {
                const int32_t pair = bounded(words.at(place++), m.num_groups * m.num_actions);
                const int g = pair / m.num_actions, a = pair % m.num_actions;
                if (region.parent < 0) {
                    symmetries.remove_images(region.allowed, g, a);
                } else {
                    region.allowed.remove(g, a);
                }
            }
            taken += length;
            if (!brief) continue;
            const int32_t listed = words.at(place + 1);  // sweeps before them are left out: any value will do
            place += 2;
            for (int32_t k = 0; k < listed; ++k) {
                region.value[bounded(words.at(place++), m.num_states)] = numbers.at(taken++);
            }
        }
        if (region.parent < 0) {
            region.draft.rounds = words.at(at + 5);
            region.draft.words.assign(words.begin() + int64_t(at) + 6, words.begin() + int64_t(place));
            region.draft.numbers.assign(numbers.begin() + int64_t(first), numbers.begin() + int64_t(taken));
        }
        if (words.at(place) == 1) {
            region.group = bounded(words.at(place + 1), m.num_groups);
            for (int32_t k = 0; k < words.at(place + 2); ++k) {
                region.same.push_back(bounded(words.at(place + 3 + size_t(k)), m.num_actions));
            }
        }
        regions[number] = std::move(region);
    }

    static int32_t bounded(int32_t number, int32_t count) {
        if (number < 0 || number >= count) throw std::invalid_argument("a number is out of range");
        return number;
    }

    static void part(const GroupedModel& m, const ReplayedSubproblem& parent, ReplayedSubproblem& child) {
        for (int a = 0; a < m.num_actions; ++a) {
            const bool same = std::find(parent.same.begin(), parent.same.end(), a) != parent.same.end();
            if (same != (child.side == 0)) child.allowed.remove(parent.group, a);
        }
    }
};

// Puts the open regions of the old proof back, and its text into the journal of the new one.
inline void reopen(const ReplayedProof& old, const GroupedModel& m, ProofLog& journal, StateRule& rule) {
    journal.copy(old.words, old.numbers, old.last + 1);
    for (const auto& [number, region] : old.regions) {
        if (region.group < 0 || (region.kept && region.removed)) continue;
        Subproblem open{region.allowed, Relaxed(m.num_states), region.bound};
        open.relaxed.value = region.value;
        open.afresh = true;
        rule.reopen(open, number, region.group, region.same, region.kept, region.removed);
    }
}

}  // namespace spotree::proof
