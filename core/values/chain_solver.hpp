// Solves a chain's equations: what each state is worth, how often each is visited, and how sure that is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "linear/residual.hpp"
#include "values/chain_factors.hpp"

namespace spotree {

// Factors with iterative refinement, where the residual asks for it, and a proved bound on what is left.
class ChainSolver {
  public:
    void factor(const Chain& chain, const int32_t* roots, int64_t num_roots, const BlockLimits& limits = {},
                Stop* stop = nullptr) {
        refinements_ = limits.reduction > 0 ? 0 : kRefinements;
        complete_ = factors_.factor(chain, roots, num_roots, limits, stop);
    }

    const Components& components() const { return factors_.components(); }
    const std::vector<Block>& blocks() const { return factors_.blocks(); }

    // x = (I - discount P)^-1 right, or as near as it came until it had to stop: the residual tells.
    Residual solve(const double* right, double* x, Stop* stop = nullptr) const {
        return refined(right, x, &ChainFactors::substitute, value_residual, stop);
    }

    // x = (I - discount P)^-T right; `right` must be zero outside the states looked at.
    Residual solve_transposed(const double* right, double* x, Stop* stop = nullptr) const {
        return refined(right, x, &ChainFactors::substitute_transposed, occupancy_residual, stop);
    }

    // A bound on the error of a solution, in the norm of its residual.
    double error(const Residual& solved, Stop* stop = nullptr) const {
        if (solved.leak > kClearLeak || (stop && stop->raised())) return solved.error();
        return std::min(solved.error(), error_by_time_left(solved, stop));
    }

  private:
    static constexpr double kGoodResidual = 1e-15;  // relative; a few units of rounding
    static constexpr double kClearLeak = 1e-9;
    static constexpr int kRefinements = 2;

    // Holds for discount 1 too, at the price of one more solve: where w and (I - discount P) w are positive,
    // the largest of the one by the least of the other bounds the norm of the inverse.
    double error_by_time_left(const Residual& solved, Stop* stop) const {
        std::vector<double> ones(size(), 1.0), time(size(), 0.0);
        const Residual timed = solve(ones.data(), time.data(), stop);
        double longest = 0.0, least = 1.0;
        for (const int32_t s : components().order()) {
            longest = std::max(longest, time[s]);
            least = std::min(least, time[s]);
        }
        const double slack = 1.0 - timed.size;
        return least > 0.0 && slack > 0.0 ? solved.size * longest / slack * kUp : HUGE_VAL;
    }

    template <class Measure>
    Residual refined(const double* right, double* x, void (ChainFactors::*pass)(double*, Stop*) const,
                     Measure measure, Stop* stop) const {
        if (!complete_) {
            std::fill_n(x, size(), 0.0);
            return {HUGE_VAL, 0.0, 1.0};
        }
        const std::vector<int32_t>& states = components().order();
        std::vector<double> rest(size()), better;
        for (const int32_t s : states) x[s] = right[s];
        (factors_.*pass)(x, stop);
        Residual now = measure(factors_.chain(), states, right, x, rest.data());
        for (int round = 0; round < refinements_ && now.size > kGoodResidual * now.scale; ++round) {
            if (stop && stop->raised()) break;
            (factors_.*pass)(rest.data(), stop);
            better.assign(x, x + size());
            for (const int32_t s : states) better[s] += std::isfinite(x[s]) ? rest[s] : 0.0;
            const Residual next = measure(factors_.chain(), states, right, better.data(), rest.data());
            if (!(next.size < now.size)) break;
            now = next;
            for (const int32_t s : states) x[s] = better[s];
        }
        return now;
    }

    size_t size() const { return static_cast<size_t>(factors_.chain().num_states); }

    ChainFactors factors_;
    int refinements_ = kRefinements;
    bool complete_ = false;
};

}  // namespace spotree
