// The root of a proof: all trees, what is certain of them, and the rounds of bounds that say so.
#pragma once

#include "proof/bounds/occupancy_floors.hpp"
#include "proof/log/log_replay.hpp"

namespace spotree::proof {

class Root {
  public:
    Subproblem region;
    Draft draft;

    // The best return over all policies, whatever the time: nobody looked at the clock.
    Root(Shared& shared, bool write)
        : region{ActionSets(shared.model.num_groups, shared.model.num_actions),
                 Relaxed(shared.model.num_states)},
          shared_(shared),
          write_(write) {
        Relaxer relaxer(shared.model);
        // Undiscounted, half a value is no bound.
        auto asked = [&] { return shared_.stop.raised() && !shared_.model.undiscounted(); };
        relaxer.solve(region.allowed, region.relaxed, kNoLevel, kRelaxed * shared_.tolerance, asked);
    }

    // One that an earlier search had.
    Root(Shared& shared, Subproblem found, Draft written)
        : region(std::move(found)), draft(std::move(written)), shared_(shared), write_(false) {}

    // The first rounds.
    Verdict begin(Bounder& bounder) { return bounder.process_root(region, write_ ? &draft : nullptr); }

    // More rounds; where they are stopped, neither the region nor what is written changes.
    Verdict narrow(Bounder& bounder, const std::vector<Floor>* floors = nullptr) {
        Draft more;
        Subproblem smaller = region;
        bounder.viable.clear();
        const Verdict verdict = bounder.process_root(smaller, write_ ? &more : nullptr, floors);
        if (verdict == Verdict::stopped) return verdict;
        region = std::move(smaller);
        draft.words.insert(draft.words.end(), more.words.begin(), more.words.end());
        draft.numbers.insert(draft.numbers.end(), more.numbers.begin(), more.numbers.end());
        draft.rounds += more.rounds;
        return verdict;
    }

    // Floors and filter, in a part of the seconds that the proof has; true if that closes it.
    bool raise_floors(std::vector<std::unique_ptr<Bounder>>& bounders, int threads, double seconds) {
        for (int round = 0; round < 2 && !shared_.stopped(); ++round) {
            const double before = region.bound;
            const auto floors = find_floors(shared_, *bounders[0], region, threads,
                                            std::min(kLongestFloors, kFloorsShare * seconds));
            for (auto& bounder : bounders) {
                for (const auto& f : floors)
                    bounder->floor[f.state] = std::max(bounder->floor[f.state], f.level);
            }
            const Verdict verdict = narrow(*bounders[0], &floors);
            if (verdict == Verdict::stopped) return false;
            if (verdict == Verdict::closed) return true;
            if (!(region.bound < before - kWorthwhile * (before - shared_.close_at()))) break;
        }
        return false;
    }

    // As an old proof had it. False if that had not bounded and parted it: then there is nothing to go on
    // with.
    bool restore(ReplayedProof& old, std::vector<std::unique_ptr<Bounder>>& bounders) {
        old.replay(shared_.model, shared_.symmetries);
        const ReplayedSubproblem& first = old.regions.at(old.root);
        if (first.group < 0 || first.draft.rounds == 0) return false;
        region.allowed = first.allowed;
        region.relaxed.value = first.value;
        region.bound = first.bound;
        draft = first.draft;
        for (auto& bounder : bounders) {
            for (const auto& [state, level] : old.floors) {
                bounder->floor[state] = std::max(bounder->floor[state], level);
            }
        }
        return true;
    }

  private:
    static constexpr double kFloorsShare = 0.1, kLongestFloors = 10;  // of the time, in seconds
    static constexpr double kWorthwhile = 0.02;  // of the gap: what floors close for more of them

    Shared& shared_;
    bool write_;
};

}  // namespace spotree::proof
