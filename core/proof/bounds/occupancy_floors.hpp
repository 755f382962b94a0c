// Floors: visits that every improving tree must pay to a state, because avoiding it loses too much.
#pragma once

#include "proof/bounds/bounding.hpp"

namespace spotree::proof {

// With W >= scale * reward - [state] + discount * P W on all allowed choices, scale * J(T) - visits(T, state)
// is at most start_value(W); so a tree with J(T) > L visits the state at least scale * L - start_value(W).
// Any scale >= 0 holds; the best is sought where the lines of two policies meet.
class FloorSearch {
  public:
    FloorSearch(Shared& shared, const Subproblem& root, double tolerance)
        : shared_(shared),
          root_(root),
          relaxer_(shared.model),
          shift_(shared.model.num_states, 0.0),
          tolerance_(tolerance) {}

    // `visits`: of the relaxed policy. The floor found has level 0 if there is none.
    Floor find(int state, double visits) {
        const double best = shared_.best.load();
        auto stop = [&] { return shared_.stopped(); };
        Floor found{state, 0, 0, {}};
        double high_slope = best - root_.relaxed.bound, high_level = visits;
        double low_slope = 0, low_level = 0;
        Relaxed r = root_.relaxed;
        double scale = 0;  // the fewest visits of any policy come first
        for (int round = 0; round < 6 && !stop(); ++round) {
            if (round < 2) {
                for (int i = 0; i < shared_.model.num_states; ++i)
                    r.value[i] = scale * root_.relaxed.value[i];
            }
            shift_[state] = -1;
            relaxer_.solve(root_.allowed, r, -std::numeric_limits<double>::infinity(),
                           std::max(scale, 1e-3) * tolerance_, stop, false, shift_.data(), scale);
            shift_[state] = 0;
            if (stop()) break;
            const double level = scale * best - r.bound;
            if (level > found.level) found = {state, scale, level, r.value};
            const double promised = std::min(low_level + scale * low_slope, high_level + scale * high_slope);
            if (round > 0 && level >= promised - 1e-3 * std::abs(promised) - 1e-12) break;
            plain_ = root_.relaxed.value;
            const double slope = best - relaxer_.policy_return(r.policy, plain_, tolerance_, stop);
            const double at_zero = level - scale * slope;
            if (slope > 0) {
                low_slope = slope, low_level = at_zero;
            } else {
                if (round == 0) break;
                high_slope = slope, high_level = at_zero;
            }
            scale = (high_level - low_level) / (low_slope - high_slope);
            if (!(scale > 0) || !std::isfinite(scale)) break;
        }
        return found;
    }

  private:
    Shared& shared_;
    const Subproblem& root_;
    Relaxer relaxer_;
    std::vector<double> shift_, plain_;
    double tolerance_;
};

// Shares of the room between bound and incumbent that a floor may gain, gains, and that the first ones gain.
constexpr double kWorthLooking = 1e-4, kWorthKeeping = 1e-5, kWorthTrying = 1e-3;
constexpr size_t kTries = 20;

// Floors for the states where they could matter most; gives up when the first twenty gain nothing.
inline std::vector<Floor> find_floors(Shared& shared, Bounder& bounder, const Subproblem& root, int threads,
                                      double seconds) {
    const GroupedModel& m = shared.model;
    auto stop = [&] { return shared.stopped(); };
    std::vector<double> occupancy;
    Relaxed sharp = root.relaxed;  // the root's own value is the one that is written down
    bounder.relaxer.solve(root.allowed, sharp, kNoLevel, kRelaxed * shared.tolerance, stop);
    bounder.relaxer.occupancy(sharp, occupancy, stop);
    const double room = sharp.bound - shared.close_at();
    std::vector<std::pair<double, int>> worth;  // what a full floor would be worth, state
    std::vector<double> spread(m.num_states, 0.0);
    const double bonus = bounder.relaxer.bonus(sharp.value.data());
    for (int i : bounder.relaxer.reach()) {
        if (m.group_of[i] < 0) continue;
        for (int64_t row = m.choice_start[i]; row < m.choice_start[i + 1]; ++row) {
            if (!bounder.relaxer.usable(row)) continue;
            spread[i] = std::max(spread[i], bounder.relaxer.regret(i, row, sharp.value.data(), bonus));
        }
        const double most = occupancy[i] * spread[i];
        if (most > kWorthLooking * room) worth.emplace_back(most, i);
    }
    std::sort(worth.rbegin(), worth.rend());
    Stop enough(seconds);
    std::vector<Floor> floors;
    std::mutex lock;
    std::atomic<size_t> next{0};
    std::atomic<double> gained{0};
    run_on(threads, shared.stop, [&](int) {
        FloorSearch finder(shared, root, shared.tolerance);
        for (size_t k; (k = next.fetch_add(1)) < worth.size();) {
            if (stop() || enough.check() || (k >= kTries && gained.load() < kWorthTrying * room)) return;
            const int i = worth[k].second;
            Floor floor = finder.find(i, occupancy[i]);
            const double gain = (floor.level - std::max(bounder.visits[i], bounder.floor[i])) * spread[i];
            if (floor.value.empty() || gain <= std::max(0.0, kWorthKeeping * room)) continue;
            gained.store(gained.load() + gain);
            std::scoped_lock hold(lock);
            floors.push_back(std::move(floor));
        }
    });
    return floors;
}

}  // namespace spotree::proof
