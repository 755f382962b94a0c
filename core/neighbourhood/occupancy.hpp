// Occupancy of a tree: the balance equations, component by component.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "neighbourhood/evaluator.hpp"
#include "neighbourhood/model.hpp"
#include "neighbourhood/scc_solver.hpp"

namespace spotree::neighbourhood {

// Expected discounted visits; a component that is never left counts how often it is entered.
class Visits {
  public:
    int64_t work = 0;

    explicit Visits(const SearchModel& model) : model_(model), local_(model.num_states, 0) {}

    // Fills [state] for the tree last evaluated by the evaluator; 0 where it does not come.
    template <class Tree>
    void fill(const EvaluatorOf<Tree>& evaluator, std::vector<double>& visits) {
        by_place(evaluator);
        visits.assign(model_.num_states, 0.0);
        for (size_t k = 0; k < weight_.size(); ++k) visits[evaluator.reached()[k]] = weight_[k];
    }

    // The same for each state that the evaluator has reached, in that order.
    template <class Tree>
    const std::vector<double>& by_place(const EvaluatorOf<Tree>& evaluator) {
        const std::vector<int32_t>& order = evaluator.reached();
        const std::vector<Range>& systems = evaluator.components();
        system_.stop = evaluator.stop;
        weight_.assign(order.size(), 0.0);
        for (size_t k = 0; k < order.size(); ++k) {
            local_[order[k]] = static_cast<int32_t>(k);
            weight_[k] = model_.initial[order[k]];
        }
        size_t system = systems.size();
        for (size_t end = order.size(); end > 0;) {
            size_t begin = end - 1;
            if (system > 0 && systems[system - 1].end == end) {
                begin = systems[--system].begin;
                if (!systems[system].endless) balance(evaluator, begin, end);
            } else {
                const int32_t row = evaluator.row(order[begin]);
                double self = 0;
                for (int64_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e) {
                    if (model_.target[e] == order[begin]) self += model_.discount * model_.probability[e];
                }
                if (1.0 - self >= EvaluatorOf<Tree>::kEnds) weight_[begin] /= 1.0 - self;
            }
            for (size_t k = begin; k < end; ++k) {
                const int32_t row = evaluator.row(order[k]);
                for (int64_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e) {
                    const auto to = static_cast<size_t>(local_[model_.target[e]]);
                    if (to < begin) weight_[to] += model_.discount * model_.probability[e] * weight_[k];
                }
                work += 6 * (model_.row_start[row + 1] - model_.row_start[row]) + 10;
            }
            end = begin;
        }
        return weight_;
    }

  private:
    // The balance equations of one component: weight = inflow + discount * P^T weight.
    template <class Tree>
    void balance(const EvaluatorOf<Tree>& evaluator, size_t begin, size_t end) {
        const size_t n = end - begin;
        std::vector<double> self(n, 0.0);
        flow_.assign(n, {});
        for (size_t k = begin; k < end; ++k) {
            const int32_t row = evaluator.row(evaluator.reached()[k]);
            for (int64_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e) {
                const auto to = static_cast<size_t>(local_[model_.target[e]]);
                const double share = model_.discount * model_.probability[e];
                if (to == k) {
                    self[k - begin] += share;
                } else if (to >= begin && to < end) {
                    flow_[to - begin].push_back({static_cast<int32_t>(k - begin), share});
                }
            }
        }
        system_.clear();
        for (size_t i = 0; i < n; ++i) {
            for (const auto& [from, share] : flow_[i]) {
                system_.column.push_back(from);
                system_.weight.push_back(share);
            }
            system_.close_row(weight_[begin + i], self[i], weight_[begin + i]);
        }
        system_.solve(kFineVisits, work);
        for (size_t i = 0; i < n; ++i) weight_[begin + i] = std::max(0.0, system_.x[i]);
    }

    const SearchModel& model_;
    std::vector<int32_t> local_;  // [state] its place among those reached
    std::vector<double> weight_;  // [place]
    std::vector<std::vector<std::pair<int32_t, double>>> flow_;
    ComponentSystem system_;
};

}  // namespace spotree::neighbourhood
