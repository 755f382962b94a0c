// One region, one stack of bounds: restricted process, regret under least visits, and the filter.
#pragma once

#include <thread>

#include "proof/bounds/occupancy_bounds.hpp"
#include "proof/shared.hpp"

namespace spotree::proof {

struct Subproblem {
    ActionSets allowed;
    Relaxed relaxed;
    double bound = std::numeric_limits<double>::infinity();
    bool afresh = false;  // a reader of the certificate does not know its value
};

// The proof of one region as it is written down: for each round value, visits and what was filtered.
struct Draft {
    std::vector<int32_t> words;
    std::vector<double> numbers;
    int rounds = 0;
    bool brief = false;  // values are told by how they change, visits are left to the reader
};

enum class Effort {
    full,        // as sharp as it gets
    rough,       // the relaxation only as sharp as it takes to see whether it closes the region
    relaxation,  // rough, and no regret
    none,        // with the value that the region has
    again        // the same, as sharp as the rough bounds that were written about it, and no sharper
};

struct Floor {
    int32_t state;
    double scale, level;
    std::vector<double> value;
};

// Where the rules share one core, regions are processed in turn.
class Turn {
  public:
    explicit Turn(Shared& shared) : shared_(shared) {
        if (!shared_.take_turns) return;
        const uint32_t mine = shared_.ticket.fetch_add(1);
        while (shared_.serving.load() != mine) std::this_thread::yield();
    }
    ~Turn() {
        if (shared_.take_turns) shared_.serving.fetch_add(1);
    }
    Turn(const Turn&) = delete;

  private:
    Shared& shared_;
};

enum class Verdict { closed, open, stopped };

constexpr int kRounds = 6;  // of bounding and filtering, at most, where both may gain

class Bounder {
    Shared& shared_;
    const GroupedModel& m_;

  public:
    Relaxer relaxer;
    TreeDp least_loss;
    std::vector<double> visits, loss, floor;
    std::vector<uint64_t> viable;  // [cube, word]: what a leaf may take, empty for everything
    std::vector<char> reached;     // [group]
    int made = 0;                  // rounds for the last region

    explicit Bounder(Shared& shared)
        : shared_(shared),
          m_(shared.model),
          relaxer(shared.model),
          least_loss(shared.cubes, shared.sizes, shared.model.num_actions),
          reached(shared.model.num_groups, 0),
          least_(shared.model),
          row_loss_(shared.model.num_rows(), 0.0) {
        floor.assign(m_.num_states, 0.0);
        visits.assign(m_.num_states, 0.0);
        loss.resize(size_t(m_.num_groups) * least_loss.padded());
    }

    // Bounds the region from above and removes actions that no improving tree of it takes. `items` are the
    // open nodes of its partial tree. Afterwards (verdict open) `relaxer`, `least_loss`, `visits` and
    // `reached` describe the region.
    Verdict process(Subproblem& region, const std::vector<Item>& items, int rounds, bool filter, Draft* draft,
                    const std::vector<Floor>* floors = nullptr, Effort effort = Effort::full) {
        auto stop = [&] { return shared_.stopped(); };
        const bool again = effort == Effort::none || effort == Effort::again;
        if (!again) shared_.regions.fetch_add(1, std::memory_order_relaxed);
        const Turn turn(shared_);
        for (int round = 0; round < rounds; ++round) {
            made = round + 1;
            const double close_at = shared_.close_at();  // a better tree may come meanwhile
            const bool feasible =
                again ? relaxer.measure(region.allowed, region.relaxed)
                      : relaxer.solve(region.allowed, region.relaxed, close_at, kRelaxed * shared_.tolerance,
                                      stop, effort != Effort::full);
            if (!feasible) {
                region.bound = -std::numeric_limits<double>::infinity();
                return Verdict::closed;
            }
            if (draft && draft->brief && !floors) way_ = relaxer.way(region.relaxed, close_at, region.afresh);
            const double upper = region.relaxed.bound;
            region.bound = std::min(region.bound, upper);
            if (upper <= shared_.close_at()) {
                write(draft, region, false, {}, floors);
                return Verdict::closed;
            }
            if (stop()) return Verdict::stopped;
            if (!shared_.cubes.complete || effort == Effort::relaxation) {
                write(draft, region, false, {}, floors);
                return Verdict::open;
            }
            if (shared_.switches.regret) {
                least_.solve(relaxer, floor, visits, stop,
                             effort == Effort::rough || effort == Effort::again);
            } else {
                std::fill(visits.begin(), visits.end(), 0.0);
            }
            const double budget = upper - shared_.close_at();
            find_losses(region, visits, 2 * budget + 1e-300);
            if (!least_loss.solve(loss, viable, items, stop)) return Verdict::stopped;
            double least = 0;
            for (const auto& item : items) least += least_loss.of(item.cube, item.size);
            region.bound = std::min(region.bound, upper - least);
            if (least > budget) {
                write(draft, region, true, {}, floors);
                return Verdict::closed;
            }
            removed_.clear();
            if (filter && shared_.switches.filter && round + 1 < rounds &&
                !find_removable(region, items, budget))
                return Verdict::stopped;
            write(draft, region, true, removed_, floors);
            floors = nullptr;
            if (removed_.empty()) return Verdict::open;
            for (const int32_t pair : removed_) {
                const int g = pair / m_.num_actions, a = pair % m_.num_actions;
                if (at_root_) {
                    shared_.symmetries.remove_images(region.allowed, g, a);
                } else {
                    region.allowed.remove(g, a);
                }
            }
        }
        return Verdict::open;
    }

    // The same for the root: with every action that it removes go its images under symmetries (lemma S, b).
    Verdict process_root(Subproblem& root, Draft* draft, const std::vector<Floor>* floors = nullptr) {
        at_root_ = true;
        const AtEnd leave([this] { at_root_ = false; });
        return process(root, {{0, shared_.sizes.whole, 0}}, kRounds, true, draft, floors);
    }

    // loss[group, action] = sum of weight * regret over the states of the group that can be reached.
    void find_losses(const Subproblem& region, const std::vector<double>& weight, double never) {
        const double* value = region.relaxed.value.data();
        const double bonus = relaxer.bonus(value);
        std::fill(reached.begin(), reached.end(), 0);
        for (int i : relaxer.reach()) {
            const int g = m_.group_of[i];
            if (g < 0) continue;
            reached[g] = 1;
            if (weight[i] <= 0) continue;
            for (int64_t row = m_.choice_start[i]; row < m_.choice_start[i + 1]; ++row) {
                if (!relaxer.usable(row)) continue;
                row_loss_[row] = weight[i] * relaxer.regret(i, row, value, bonus);
            }
        }
        const int padded = least_loss.padded();
        for (int g = 0; g < m_.num_groups; ++g) {
            double* to = &loss[size_t(g) * padded];
            std::fill(to, to + padded, 0.0);
            for (int a = m_.num_actions; a < padded; ++a) to[a] = never;
            if (!reached[g]) continue;
            for (int k = m_.group_start[g]; k < m_.group_start[g + 1]; ++k) {
                const int i = m_.group_state[k];
                if (!relaxer.reaches(i) || weight[i] <= 0) continue;
                for (int a = 0; a < m_.num_actions; ++a) {
                    const int32_t row = m_.choices(i)[a];
                    to[a] += row < 0 || !relaxer.usable(row) ? never : row_loss_[row];
                }
            }
            for (int a = 0; a < m_.num_actions; ++a)
                to[a] = region.allowed.has(g, a) ? std::min(to[a], never) : never;
        }
    }

  private:
    bool find_removable(const Subproblem& region, const std::vector<Item>& items, double budget) {
        ActionSets unsupported = region.allowed;
        for (int g = 0; g < m_.num_groups; ++g) {
            if (!reached[g]) std::fill_n(unsupported.of(g), m_.words, 0);
        }
        if (!least_loss.support(items, budget, unsupported, [&] { return shared_.stopped(); })) return false;
        if (!covers_everything(items)) keep_outside(items, unsupported);
        for (int g = 0; g < m_.num_groups; ++g) {
            for (int k = 0; k < m_.words; ++k) {
                for (uint64_t left = unsupported.of(g)[k]; left; left &= left - 1) {
                    removed_.push_back((g * m_.num_actions) + 64 * k + std::countr_zero(left));
                }
            }
        }
        return true;
    }

    bool covers_everything(const std::vector<Item>& items) const {
        return items.size() == 1 && items[0].cube == 0;
    }

    // Groups outside the open nodes are settled: nothing is filtered there.
    void keep_outside(const std::vector<Item>& items, ActionSets& unsupported) {
        inside_.assign(m_.num_groups, 0);
        for (const auto& item : items) {
            for (const int32_t* g = shared_.cubes.begin(item.cube); g != shared_.cubes.end(item.cube); ++g) {
                inside_[*g] = 1;
            }
        }
        for (int g = 0; g < m_.num_groups; ++g) {
            if (!inside_[g]) std::fill_n(unsupported.of(g), m_.words, 0);
        }
    }

    void write(Draft* draft, Subproblem& region, bool regret, const std::vector<int32_t>& removed,
               const std::vector<Floor>* floors) const {
        if (!draft) return;
        ++draft->rounds;
        region.afresh = false;
        const bool brief = draft->brief && !floors;
        const int count = floors ? int(floors->size()) : 0;
        draft->words.insert(draft->words.end(),
                            {int32_t(regret) + (brief ? 2 : 0), count, int32_t(removed.size())});
        for (int k = 0; k < count; ++k) draft->words.push_back((*floors)[k].state);
        draft->words.insert(draft->words.end(), removed.begin(), removed.end());
        auto& to = draft->numbers;
        if (brief) {
            draft->words.insert(draft->words.end(), {way_.sweeps, int32_t(way_.states.size())});
            draft->words.insert(draft->words.end(), way_.states.begin(), way_.states.end());
            for (const int32_t i : way_.states) to.push_back(region.relaxed.value[i]);
            return;
        }
        to.insert(to.end(), region.relaxed.value.begin(), region.relaxed.value.end());
        for (int k = 0; k < count; ++k) {
            to.push_back((*floors)[k].scale);
            to.push_back((*floors)[k].level);
            to.insert(to.end(), (*floors)[k].value.begin(), (*floors)[k].value.end());
        }
        if (regret) to.insert(to.end(), visits.begin(), visits.end());
    }

    bool at_root_ = false;
    OccupancyBounds least_;
    Relaxer::Way way_;
    std::vector<double> row_loss_;  // [row]
    std::vector<int32_t> removed_;
    std::vector<char> inside_;
};

}  // namespace spotree::proof
