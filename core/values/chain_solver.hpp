// Solves a chain's equations: what each state is worth, and how often each state is visited.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "values/block.hpp"
#include "values/chain.hpp"
#include "values/components.hpp"
#include "values/residual.hpp"

namespace spotree {

// Factors once (I - discount P, component by component), then solves for values and, transposed, for visits.
// Only the states reachable from `roots` are looked at (null: all); the others keep what the vectors held.
// Reusable for another chain: call `factor` again.
class ChainSolver {
  public:
    void factor(const Chain& chain, const int32_t* roots, int64_t num_roots, const BlockLimits& limits = {}) {
        chain_ = chain;
        components_.find(chain, roots, num_roots);
        blocks_.clear();
        local_.resize(chain.num_states);
        for (int32_t c = 0; c < components_.size(); ++c) {
            if (components_.end(c) - components_.begin(c) > 1) {
                blocks_.emplace_back(chain, components_, c, limits, local_);
            }
        }
    }

    const Components& components() const { return components_; }
    const std::vector<Block>& blocks() const { return blocks_; }

    // x = (I - discount P)^-1 right.
    Residual solve(const double* right, double* x) const {
        return refined(right, x, &ChainSolver::substitute, value_residual);
    }

    // x = (I - discount P)^-T right; `right` must be zero outside the states looked at.
    Residual solve_transposed(const double* right, double* x) const {
        return refined(right, x, &ChainSolver::substitute_transposed, occupancy_residual);
    }

    // A bound on the error of a solution, in the norm of its residual.
    double error(const Residual& solved) const {
        if (solved.leak > kClearLeak) return solved.error();
        return std::min(solved.error(), error_by_time_left(solved));
    }

  private:
    static constexpr double kGoodResidual = 1e-15;  // relative; a few units of rounding
    static constexpr double kClearLeak = 1e-9;
    static constexpr int kRefinements = 2;

    // Holds for discount 1 too, at the price of one more solve: where w and (I - discount P) w are positive,
    // the largest of the one by the least of the other bounds the norm of the inverse.
    double error_by_time_left(const Residual& solved) const {
        std::vector<double> ones(chain_.num_states, 1.0), time(chain_.num_states, 0.0);
        const Residual timed = solve(ones.data(), time.data());
        double longest = 0.0, least = 1.0;
        for (const int32_t s : components_.order()) {
            longest = std::max(longest, time[s]);
            least = std::min(least, time[s]);
        }
        const double slack = 1.0 - timed.size;
        return least > 0.0 && slack > 0.0 ? solved.size * longest / slack * detail::kUp : HUGE_VAL;
    }

    template <class Measure>
    Residual refined(const double* right, double* x, void (ChainSolver::*pass)(double*) const,
                     Measure measure) const {
        const std::vector<int32_t>& states = components_.order();
        std::vector<double> rest(chain_.num_states), better;
        for (const int32_t s : states) x[s] = right[s];
        (this->*pass)(x);
        Residual now = measure(chain_, states, right, x, rest.data());
        for (int round = 0; round < kRefinements && now.size > kGoodResidual * now.scale; ++round) {
            (this->*pass)(rest.data());
            better.assign(x, x + chain_.num_states);
            for (const int32_t s : states) better[s] += std::isfinite(x[s]) ? rest[s] : 0.0;
            const Residual next = measure(chain_, states, right, better.data(), rest.data());
            if (!(next.size < now.size)) break;
            now = next;
            for (const int32_t s : states) x[s] = better[s];
        }
        return now;
    }

    // In place: right-hand side in, solution out. Components come after all that they lead to.
    void substitute(double* x) const {
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
                blocks_[block].solve(part.data());
            } else {  // every state of the component reaches the one without an allowed action
                std::fill(part.begin(), part.end(), -HUGE_VAL);
            }
            ++block;
            for (int64_t i = 0; i < last - first; ++i) x[first[i]] = part[i];
        }
    }

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

    void substitute_transposed(double* x) const {
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
                blocks_[--block].solve_transposed(part.data());
                for (int64_t i = 0; i < last - first; ++i) x[first[i]] = part[i];
            }
            for (const int32_t* s = first; s != last; ++s) push(c, *s, x);
        }
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
