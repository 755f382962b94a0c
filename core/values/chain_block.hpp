// One strongly connected component of a chain, ready to be solved.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "linear/bicgstab.hpp"
#include "linear/chain.hpp"
#include "linear/components.hpp"
#include "linear/dense_lu.hpp"
#include "linear/sparse_lu.hpp"

namespace spotree {

// How large a component may get before the next method takes over.
struct BlockLimits {
    int32_t dense = 24;       // states up to which a dense factor is always cheapest
    int32_t sparse = 20'000;  // states up to which factors are tried before iterating
    double reduction = 0.0;   // iteration ends at this share of the right-hand side; 0: at the rounding floor
};

// Iteration needs the rows and, for the transposed system, the columns.
struct Iterated {
    Iteration rows, columns;
    void solve(double* x, Stop* stop) const { rows.solve(x, stop); }
    void solve_transposed(double* x, Stop* stop) const { columns.solve(x, stop); }
};

class Block {
  public:
    // `local` is scratch space [state]; only the places of members are used.
    Block(const Chain& chain, const Components& components, int32_t component, const BlockLimits& limits,
          std::vector<int32_t>& local, Stop* stop = nullptr)
        : component_(component) {
        const int32_t* members = components.begin(component);
        const auto size = static_cast<int32_t>(components.end(component) - members);
        for (int32_t i = 0; i < size; ++i) local[members[i]] = i;
        SparseRows rows;
        std::vector<int64_t> place(size, -1);  // of a column within the row being gathered
        for (int32_t i = 0; i < size; ++i) {
            double diagonal = 1.0;
            for (int64_t e = chain.begin(members[i]); e < chain.end(members[i]); ++e) {
                const double weight = chain.discount * chain.probability[e];
                if (weight == 0.0 || components.component_of(chain.target[e]) != component) continue;
                const int32_t column = local[chain.target[e]];
                if (column == i) {
                    diagonal -= weight;
                } else if (place[column] >= rows.start[i]) {
                    rows.weight[place[column]] += weight;
                } else {
                    place[column] = static_cast<int64_t>(rows.column.size());
                    rows.column.push_back(column);
                    rows.weight.push_back(weight);
                }
            }
            if (stop && stop->check_at(i)) return;
            rows.diagonal.push_back(diagonal);
            rows.start.push_back(static_cast<int64_t>(rows.column.size()));
        }
        const bool full = SparseLu::dense_is_better(static_cast<int64_t>(rows.column.size()), size);
        if (size <= limits.dense || (size <= limits.sparse && full)) {
            DenseLu factors = dense(rows, stop);
            if (factors.complete()) {
                solver_ = std::move(factors);
                complete_ = true;
                return;
            }
        } else if (size <= limits.sparse && solver_.emplace<SparseLu>().factor(rows, stop)) {
            complete_ = true;
            return;
        }
        if (stop && stop->raised() && size > limits.sparse) return;
        SparseRows columns = rows.transposed();
        solver_ = Iterated{Iteration(std::move(rows), limits.reduction),
                           Iteration(std::move(columns), limits.reduction)};
        complete_ = true;
    }

    int32_t component() const { return component_; }
    bool complete() const { return complete_; }  // false: it had to stop before anything could be solved
    bool iterated() const { return std::holds_alternative<Iterated>(solver_); }

    // Factors are quick; iteration ends where it is when it must stop.
    void solve(double* x, Stop* stop = nullptr) const {
        if (const auto* iterated = std::get_if<Iterated>(&solver_)) return iterated->solve(x, stop);
        if (const auto* sparse = std::get_if<SparseLu>(&solver_)) return sparse->solve(x);
        std::get<DenseLu>(solver_).solve(x);
    }
    void solve_transposed(double* x, Stop* stop = nullptr) const {
        if (const auto* iterated = std::get_if<Iterated>(&solver_))
            return iterated->solve_transposed(x, stop);
        if (const auto* sparse = std::get_if<SparseLu>(&solver_)) return sparse->solve_transposed(x);
        std::get<DenseLu>(solver_).solve_transposed(x);
    }

  private:
    static DenseLu dense(const SparseRows& rows, Stop* stop) {
        const auto size = static_cast<size_t>(rows.size());
        DenseLu dense;
        double* matrix = dense.begin(rows.size());
        for (size_t i = 0; i < size; ++i) {
            matrix[i * size + i] = rows.diagonal[i];
            for (int64_t e = rows.start[i]; e < rows.start[i + 1]; ++e) {
                matrix[i * size + rows.column[e]] = -rows.weight[e];
            }
        }
        dense.factor(stop);
        return dense;
    }

    int32_t component_;
    bool complete_ = false;
    std::variant<DenseLu, SparseLu, Iterated> solver_;
};

}  // namespace spotree
