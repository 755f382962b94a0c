// What the rounds of a region show, one after the other: lemmas 1 to 6 with the numbers of the certificate.
#pragma once

#include "context.hpp"

namespace checker {

constexpr double kEnough = 0.01;   // of the tolerance: visits that the checker finds itself come as near
constexpr double kRounded = 1e-3;  // of all visits: so much above what is certain may be rounding
constexpr double kTiny = 1e-300;   // in place of 0
constexpr double kStill = 1e-14;   // undiscounted: visits that the checker finds itself rise by no more

// A region after its rounds: allowed actions, and its last bounds.
struct State {
    Actions allowed;
    std::vector<double> value, visits;  // [state] for lemmas 1 and 3
    double budget = -1;                 // an improving tree of the region loses less; -1: losses are unknown
    Bounds::Losses losses = {};
};

class Rounds {
  public:
    explicit Rounds(Shared& shared) : all_(shared), m_(shared.model), bounds_(m_) {}

    // Applies the rounds of a record to a region; whether no improving tree is left in it.
    bool close(const Record& record, State& s, const std::vector<Item>& items) {
        const bool root = record.parent == -1;
        const int32_t kind = record.branching[0];
        bool closed = false;
        for (const Round& round : record.rounds) {
            all_.progress.check();
            const bool at_end = root || (&round == &record.rounds.back() && (kind == 0 || kind == 4));
            if (!bounds_.reach.explore(s.allowed)) return true;
            s.budget = -1;
            const Upper upper = find_upper(record, round, s);
            if (!(upper.bound < kNever)) reject("region ", record.number, ": its value bounds nothing");
            closed |= upper.bound <= all_.threshold;
            if (closed && at_end) return true;
            for (const Floor& floor : round.floors) raise_floor(record, floor, root);
            if (!round.regret) continue;
            find_losses(record, round, upper, s);
            closed |= trees().least(items) >= s.budget;
            if (closed && at_end) return true;
            if (!round.removed.empty()) filter(record, round, s, items);
        }
        return closed || (kind != 2 && kind != 3 && !bounds_.reach.explore(s.allowed));
    }

    // Lemma 6: the root region with this one leaf is closed. A hopeless leaf is one with all its images
    // (lemma S, c).
    void take_solo(const Record& record, const State& root, const std::vector<Item>& whole) {
        const int32_t action = record.first;
        if (record.branching[0] != 4 || action < 0 || action >= m_.actions)
            malformed("region ", record.number, " is about no leaf");
        int32_t cube = 0;
        for (const int32_t step : record.branching.subspan(1)) cube = all_.side_of(cube, step >> 1, step & 1);
        State s{root.allowed, root.value, root.visits};
        keep_only(s.allowed, all_.cubes().cubes[cube].groups, action);
        if (!close(record, s, whole))
            reject("region ", record.number, ": the leaf is not shown to be hopeless");
        all_.hopeless[m_.pair(cube, action)] = 1;
        for (int k = 0; k < all_.symmetries.count(); ++k) {
            const int32_t image =
                all_.cubes().find(all_.symmetries.image(k, all_.cubes().cubes[cube].inside));
            all_.hopeless[m_.pair(image, all_.symmetries.action(k, action))] = 1;
        }
    }

    // Some groups may do nothing but this.
    void keep_only(Actions& allowed, const std::vector<int32_t>& groups, int32_t action) const {
        for (const int32_t g : groups) {
            const char kept = allowed[m_.pair(g, action)];
            std::fill_n(&allowed[m_.pair(g, 0)], m_.actions, 0);
            allowed[m_.pair(g, action)] = kept;
        }
    }

    // The trees below open nodes, for what the last region loses.
    Trees& trees() {
        if (!trees_) trees_ = std::make_unique<Trees>(m_, all_.cubes(), all_.sizes, all_.hopeless);
        return *trees_;
    }

  private:
    double limited(const Record& record, double value) const {
        if (!(std::abs(value) <= m_.value_limit + all_.claim.tolerance))
            reject("region ", record.number, ": a value is beyond every return");
        return value;
    }

    Upper find_upper(const Record& record, const Round& round, State& s) const {
        if (!round.brief) {
            for (int i = 0; i < m_.states; ++i) s.value[i] = limited(record, round.values[i]);
        }
        Upper upper;
        if (round.sweeps > 0 && m_.undiscounted) malformed("an undiscounted proof has no sweeps");
        if (round.sweeps > 0) upper = bounds_.sweep(s.value, round.sweeps);
        for (size_t k = 0; k < round.states.size(); ++k)
            s.value[round.states[k]] = limited(record, round.values[k]);
        const bool rough = !(upper.bound <= all_.threshold) && upper.more > kEnough * all_.claim.tolerance;
        if (round.sweeps == 0 || !round.states.empty() || rough) upper = bounds_.measure(s.value);
        return upper;
    }

    // Lemma 4.
    void raise_floor(const Record& record, const Floor& floor, bool root) {
        const double most =
            m_.undiscounted ? kMost : 4 * (floor.scale * m_.largest + 1) / m_.far;  // no W is larger
        if (!root || !(floor.scale >= 0 && most <= kMost) || floor.state < 0 || floor.state >= m_.states)
            reject("region ", record.number, ": floors belong to the root; scales are 0 or more");
        for (const double w : floor.value) {
            if (!(std::abs(w) <= most))
                reject("region ", record.number, ": a floor's value is beyond every return");
        }
        const double bound = bounds_.measure(floor.value, floor.scale, floor.state).bound;
        if (!std::isfinite(bound)) reject("region ", record.number, ": a floor's value bounds nothing");
        const double size = floor.scale * std::abs(all_.threshold) + std::abs(bound);
        const double level = floor.scale * all_.threshold - bound - 4 * (kUnit * size + kStep);
        all_.floor[floor.state] = std::max(all_.floor[floor.state], level);
    }

    // Lemmas 3 and 2.
    void find_losses(const Record& record, const Round& round, const Upper& upper, State& s) {
        const double lowest = bounds_.reach.lowest() / m_.far * (1 + 4 * kUnit);  // no policy is worth less
        const double lost = std::max(upper.highest - lowest + upper.more, kTiny);
        const double enough = m_.undiscounted ? kStill : kEnough * all_.claim.tolerance / lost;
        if (!bounds_.raise_visits(s.visits, all_.floor, enough, all_.progress))
            reject("region ", record.number,
                   ": what every tree visits takes too long to find so close to discount 1");
        const double budget =
            upper.bound - all_.threshold + 4 * kUnit * (std::abs(upper.bound) + std::abs(all_.threshold));
        s.budget = upper.bound <= all_.threshold ? 0.0 : std::max(budget, kTiny) * (1 + m_.sums);
        if (!(s.budget <= kMost)) reject("region ", record.number, ": its value bounds nothing");
        std::vector<double> lower;
        if (!round.visits.empty()) lower = lower_of(record, s.visits, round.visits, lost);
        s.losses = bounds_.losses(s.allowed, s.value, lower.empty() ? s.visits : lower);
        trees().take(s.losses);
    }

    // Stated visits are used as far as they are certain; they may not be higher by more than rounding.
    std::vector<double> lower_of(const Record& record, const std::vector<double>& certain,
                                 std::span<const double> stated, double lost) const {
        std::vector<double> lower = certain;
        double above = 0, sum = 0;
        for (const int32_t i : bounds_.reach.states()) {
            if (stated[i] < 0) reject("region ", record.number, ": visits are negative");
            sum += stated[i];
            above += std::max(0.0, stated[i] - certain[i]);
            lower[i] = std::min(certain[i], stated[i]);
        }
        if (!m_.undiscounted && !(above * lost <= kShare * all_.claim.tolerance) &&
            !(above <= std::max(kRounded, 64 * kUnit / m_.far) * sum))
            reject("region ", record.number, ": the visits are higher than every tree must pay");
        return lower;
    }

    // Lemma 5.
    void filter(const Record& record, const Round& round, State& s, const std::vector<Item>& items) {
        std::vector<std::pair<int32_t, int32_t>> pairs;
        for (const int32_t word : round.removed) {
            const int32_t g = all_.group_of(word < 0 ? -1 : word / m_.actions);
            if (!s.losses.reached[g] || std::ranges::none_of(items, [&](const Item& item) {
                    return all_.cubes().holds(item.cube, g);
                }))
                reject("region ", record.number, ": it removes actions of a group that is settled");
            pairs.emplace_back(g, word % m_.actions);
        }
        const int taken = trees().taken(items, s.budget, pairs);
        if (taken >= 0)
            reject("region ", record.number, ": an improving tree may take action ", taken, " it removed");
        for (const auto& [g, a] : pairs) {
            s.allowed[m_.pair(g, a)] = 0;
            for (int k = 0; k < all_.symmetries.count() && record.parent == -1; ++k)  // lemma S, b
                s.allowed[all_.symmetries.pair(k, g, a)] = 0;
        }
    }

    Shared& all_;
    const Model& m_;
    Bounds bounds_;
    std::unique_ptr<Trees> trees_;
};

}  // namespace checker
