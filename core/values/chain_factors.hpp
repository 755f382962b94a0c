// The factors of a chain's equations, component by component, and substitution through them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "linear/chain.hpp"
#include "linear/components.hpp"
#include "values/chain_block.hpp"

namespace spotree {

// I - discount P in block triangular form: trivial components are substituted through, the others factored.
// Only the states reachable from `roots` are looked at (null: all); of vectors [state] only their places are
// read and written. Reusable for another chain: call `factor` again.
class ChainFactors {
  public:
    // False if it had to stop before anything could be solved.
    bool factor(const Chain& chain, const int32_t* roots, int64_t num_roots, const BlockLimits& limits = {},
                Stop* stop = nullptr) {
        chain_ = chain;
        if (!components_.find(chain, roots, num_roots, stop)) return false;
        blocks_.clear();
        local_.resize(chain.num_states);
        for (int32_t c = 0; c < components_.size(); ++c) {
            if (components_.end(c) - components_.begin(c) > 1) {
                blocks_.emplace_back(chain, components_, c, limits, local_, stop);
                if (!blocks_.back().complete()) return false;
            }
        }
        return true;
    }

    const Chain& chain() const { return chain_; }
    const Components& components() const { return components_; }
    const std::vector<Block>& blocks() const { return blocks_; }

    // x becomes (I - discount P)^-1 x: rewards in, values out, without a bound (see ChainSolver). Components
    // come after all that they lead to.
    void substitute(double* x, Stop* stop = nullptr) const {
        size_t block = 0;
        std::vector<double> part;
        for (int32_t c = 0; c < components_.size(); ++c) {
            const int32_t *first = components_.begin(c), *last = components_.end(c);
            if (last - first == 1) {
                substitute_state(*first, x);
                continue;
            }
            part.assign(last - first, 0.0);
            bool finite = true;
            for (int64_t i = 0; i < last - first; ++i) {
                double sum = x[first[i]];
                for (int64_t e = chain_.begin(first[i]); e < chain_.end(first[i]); ++e) {
                    const double weight = chain_.discount * chain_.probability[e];
                    if (weight == 0.0 || components_.component_of(chain_.target[e]) == c) continue;
                    sum += weight * x[chain_.target[e]];
                }
                part[i] = sum;
                finite = finite && std::isfinite(sum);
            }
            if (finite) {
                blocks_[block].solve(part.data(), stop);
            } else {  // every state of the component reaches the one without an allowed action
                std::fill(part.begin(), part.end(), -HUGE_VAL);
            }
            ++block;
            for (int64_t i = 0; i < last - first; ++i) x[first[i]] = part[i];
        }
    }

    // x becomes (I - discount P)^-T x: first visits in, all visits out. Roots must cover what x holds.
    void substitute_transposed(double* x, Stop* stop = nullptr) const {
        size_t block = blocks_.size();
        std::vector<double> part;
        for (int32_t c = components_.size() - 1; c >= 0; --c) {
            const int32_t *first = components_.begin(c), *last = components_.end(c);
            if (last - first == 1) {
                const int32_t s = *first;
                double pivot = 1.0;
                for (int64_t e = chain_.begin(s); e < chain_.end(s); ++e) {
                    if (chain_.target[e] == s) pivot -= chain_.discount * chain_.probability[e];
                }
                if (x[s] != 0.0) x[s] /= pivot;
            } else {
                part.resize(last - first);
                for (int64_t i = 0; i < last - first; ++i) part[i] = x[first[i]];
                blocks_[--block].solve_transposed(part.data(), stop);
                for (int64_t i = 0; i < last - first; ++i) x[first[i]] = part[i];
            }
            for (const int32_t* s = first; s != last; ++s) push(c, *s, x);
        }
    }

  private:
    // A state that only ever comes back to itself, or never does.
    void substitute_state(int32_t s, double* x) const {
        double sum = x[s], pivot = 1.0;
        for (int64_t e = chain_.begin(s); e < chain_.end(s); ++e) {
            const double weight = chain_.discount * chain_.probability[e];
            if (chain_.target[e] == s) {
                pivot -= weight;
            } else if (weight != 0.0) {
                sum += weight * x[chain_.target[e]];
            }
        }
        x[s] =
            pivot > 0.0 || sum != 0.0 ? sum / pivot : 0.0;  // undiscounted: for ever at no reward is worth 0
    }

    // Visits to s lead to visits outside its component.
    void push(int32_t component, int32_t s, double* x) const {
        if (x[s] == 0.0) return;
        const double visits = chain_.discount * x[s];
        for (int64_t e = chain_.begin(s); e < chain_.end(s); ++e) {
            const int32_t next = chain_.target[e];
            if (chain_.probability[e] != 0.0 && components_.component_of(next) != component) {
                x[next] += chain_.probability[e] * visits;
            }
        }
    }

    Chain chain_{};
    Components components_;
    std::vector<Block> blocks_;
    std::vector<int32_t> local_;
};

}  // namespace spotree
