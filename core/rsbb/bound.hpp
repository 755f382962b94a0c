// The closed-form bound: each open row takes the best action of the leaves it can arrive at.
#pragma once

#include <bit>

#include "rsbb/reachable_rows.hpp"

namespace spotree::rsbb {

struct Switches {
    bool settled = true;  // hand the loss of settled rows down instead of adding it up anew
    bool group = true;    // rows certain of the same leaf take one action together
    bool snap = true;     // intervals hold candidate thresholds only
    bool primal = true;   // look for trees inside regions
    bool actions = true;  // branch on actions too, although they decouple once the shape of the tree is known
};

// Sets the region's least loss, given where its rows can go and what its parent had counted already.
class Bound {
  public:
    Bound(const Step& step, const Shape& shape, const Switches& switches)
        : step_(step), shape_(shape), switches_(switches), allowed_(step.action_words), fresh_(step.words) {}

    int64_t work = 0;  // numbers and words touched, to keep the search for trees in proportion

    void apply(Subproblem& region, const ReachableRows& arrivals, const ReachableRows* parent) {
        if (!switches_.settled || parent == nullptr) {
            parent = nullptr;
            region.settled_loss = 0;
            region.certain_loss.clear();
        }
        count_new_rows(region, arrivals, parent);
        double total = region.settled_loss + open_rows(region, arrivals);
        if (!region.certain_loss.empty()) {
            for (int32_t l = 0; l < step_.leaves; ++l) {
                total += least(region.certain_loss.data() + l * step_.actions, shape_.actions(region, l));
            }
        }
        region.least_loss = std::max(region.least_loss, total);
        work += 30 * ((step_.rows + 63) / 64);
    }

  private:
    void count_new_rows(Subproblem& region, const ReachableRows& arrivals, const ReachableRows* parent) {
        uint64_t any = 0;
        for (int64_t w = 0; w < step_.words; ++w) {
            fresh_[w] = arrivals.counted()[w] & (parent != nullptr ? ~parent->counted()[w] : ~uint64_t{0});
            any |= fresh_[w];
        }
        if (any == 0) return;
        for (int32_t l = 0; l < step_.leaves; ++l) {
            const uint64_t* here = arrivals.at_leaf(l);
            const int32_t action = shape_.next_action(region, l, -1);
            for (int64_t w = 0; w < step_.words; ++w) {
                uint64_t bits = here[w] & fresh_[w];
                if (bits == 0) continue;
                const uint64_t shared = arrivals.shared()[w];
                for (; bits != 0; bits &= bits - 1) {
                    const int bit = std::countr_zero(bits);
                    const int64_t row = 64 * w + bit;
                    if (!((shared >> bit) & 1) && switches_.group) {
                        add_certain(region, l, row);
                    } else if (first_leaf(arrivals, row) ==
                               l) {  // its leaves share one action: count it once
                        region.settled_loss += step_.loss[row * step_.actions + action];
                    }
                }
            }
        }
    }

    void add_certain(Subproblem& region, int32_t leaf, int64_t row) {
        if (region.certain_loss.empty()) region.certain_loss.assign(step_.leaves * step_.actions, 0.0);
        double* sums = region.certain_loss.data() + leaf * step_.actions;
        const double* loss = step_.loss + row * step_.actions;
        for (int32_t k = 0; k < step_.actions; ++k) sums[k] += loss[k];
        work += step_.actions;
    }

    int32_t first_leaf(const ReachableRows& arrivals, int64_t row) const {
        int32_t l = 0;
        while (!((arrivals.at_leaf(l)[row / 64] >> (row % 64)) & 1)) ++l;
        return l;
    }

    // Rows not counted yet: nothing is lost while some leaf of theirs may take any action.
    double open_rows(const Subproblem& region, const ReachableRows& arrivals) {
        bool all_free = true;
        for (int32_t l = 0; l < step_.leaves; ++l)
            all_free &= shape_.action_count(region, l) == step_.actions;
        if (all_free) return 0.0;
        double total = 0;
        for (int64_t w = 0; w < step_.words; ++w) {
            uint64_t bits = step_.every[w] & ~arrivals.counted()[w];
            for (int32_t l = 0; l < step_.leaves && bits != 0; ++l) {
                if (shape_.action_count(region, l) == step_.actions) bits &= ~arrivals.at_leaf(l)[w];
            }
            for (; bits != 0; bits &= bits - 1) {
                const int bit = std::countr_zero(bits);
                std::fill(allowed_.begin(), allowed_.end(), 0);
                for (int32_t l = 0; l < step_.leaves; ++l) {
                    if (!((arrivals.at_leaf(l)[w] >> bit) & 1)) continue;
                    for (int32_t v = 0; v < step_.action_words; ++v)
                        allowed_[v] |= shape_.actions(region, l)[v];
                }
                total += least(step_.loss + (64 * w + bit) * step_.actions, allowed_.data());
                work += step_.actions + step_.leaves;
            }
        }
        return total;
    }

    double least(const double* loss, const uint64_t* allowed) const {
        double best = std::numeric_limits<double>::infinity();
        each_member(allowed, step_.action_words, [&](int32_t k) { best = std::min(best, loss[k]); });
        return best;
    }

    const Step& step_;
    const Shape& shape_;
    const Switches& switches_;
    Words allowed_, fresh_;
};

}  // namespace spotree::rsbb
