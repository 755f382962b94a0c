// Evaluation of a candidate tree: the chain of the states it reaches, solved component by component.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "linear/tarjan.hpp"
#include "neighbourhood/action_cache.hpp"
#include "neighbourhood/model.hpp"
#include "neighbourhood/scc_solver.hpp"
#include "tree/complete.hpp"

namespace spotree::neighbourhood {

constexpr double kFineReturn = 1e-7;    // error of a return, relative to the scale of returns
constexpr double kLooseReturn = 1e-3;   // the same where that may be enough to reject
constexpr double kTightReturn = 1e-11;  // the same of a new best
constexpr double kFineVisits = 1e-7;

// Largest residuals: for a new best, for every candidate, and for one that may be rejected at once.
struct Tolerance {
    double tight, fine, loose;
    double lost_value = 0;  // stands for -inf where a finite value is needed

    explicit Tolerance(const SearchModel& model) {
        const double unit = (model.discount < 1 ? 1.0 - model.discount : 1e-3) * model.scale();
        tight = kTightReturn * unit;
        fine = kFineReturn * unit;
        loose = kLooseReturn * unit;
        const double *first = model.optimal_value, *last = first + model.num_states;
        if (model.discount < 1 || first == last) return;
        // Undiscounted, residuals add up over an unknown number of steps: as small as rounding allows.
        const auto [least, most] = std::minmax_element(first, last);
        const double largest = std::max({model.scale(), -*least, *most});
        tight = 1e-13 * largest;
        fine = loose = 1e-12 * largest;
        lost_value = *least - 10 * model.scale();
    }
};

constexpr double kInfeasible = -std::numeric_limits<double>::infinity();

struct Range {  // a non-trivial component: places in `reached`
    size_t begin;
    size_t end;
    bool endless = false;
};

// Visits only states that the tree reaches and asks for actions only there. Tarjan's components come out with
// successors first, so a trivial one is a substitution; the others are small linear systems.
template <class Tree>
class EvaluatorOf {
  public:
    static constexpr double kEnds = 1e-12;  // less than this is no way out, but rounding
    static constexpr double kFine = kFineReturn;

    int64_t work = 0;      // entries touched so far: the clock of the search
    Stop* stop = nullptr;  // an evaluation is broken off then, as infeasible

    explicit EvaluatorOf(const SearchModel& model)
        : model_(model),
          tolerance_(model),
          asked_(model),
          node_(model.num_states),
          local_(model.num_states, -1) {}

    // The return of the tree within kFine of the scale. One that is surely below `reject_below` may be given
    // only as an upper bound of it; kInfeasible if the tree picks a forbidden action (or, at discount 1,
    // collects rewards for ever).
    double expected_return(const Tree& tree, double reject_below) {
        if (!explore(tree, model_.initial_states) || lost_) return kInfeasible;
        const bool rough =
            !systems_.empty() && tolerance_.loose > tolerance_.fine && std::isfinite(reject_below);
        if (!solve(rough ? tolerance_.loose : tolerance_.fine) || lost_) return kInfeasible;
        if (rough) {
            const double upper = total() + tolerance_.loose / (1.0 - model_.discount);
            if (upper < reject_below) return upper;
            if (!solve(tolerance_.fine)) return kInfeasible;
        }
        return total();
    }

    // After expected_return: the same return, as exactly as it can be had.
    double tighten() { return solve(tolerance_.tight) ? total() : kInfeasible; }

    // Values of all states, also of those that the tree does not reach; forbidden actions there count as the
    // first allowed one, and going on for ever as a bad value.
    bool all_values(const Tree& tree, std::vector<double>& value) {
        everywhere_ = true;
        if (all_states_.empty()) {
            for (int32_t s = 0; s < model_.num_states; ++s) all_states_.push_back(s);
        }
        const bool solved = explore(tree, all_states_) && solve(tolerance_.fine);
        everywhere_ = false;
        if (!solved) return false;
        value.resize(model_.num_states);
        for (int32_t s = 0; s < model_.num_states; ++s) value[s] = node_[s].value;
        return true;
    }

    // After expected_return: the states reached, successors first.
    const std::vector<int32_t>& reached() const { return tarjan_.order(); }
    bool comes_to(int32_t state) const { return tarjan_.has(node_[state].mark); }
    const std::vector<Range>& components() const { return systems_; }
    double value(int32_t state) const { return node_[state].value; }
    int32_t row(int32_t state) const { return node_[state].row; }
    double residual() const { return tolerance_.fine; }  // at most this far off are the equations of values

    // After an infeasible expected_return: the state in which the tree picked a forbidden action, or -1.
    int32_t offender() const { return offender_; }
    // Whether it is infeasible for sure, not broken off or unsolved.
    bool knows_why() const { return offender_ >= 0 || lost_; }
    // Whether some return so far may have lost many digits, or was taken for that of going on for ever.
    bool rough() const { return rough_ || system_.rough; }

  private:
    struct Node {
        double value = 0;
        Mark mark;
        int32_t row = 0;
    };

    // Trivial components get their value on the way, if all before them have one.
    bool explore(const Tree& tree, const std::vector<int32_t>& roots) {
        asked_.begin(everywhere_);
        offender_ = -1;
        lost_ = false;
        systems_.clear();
        Graph graph{*this, tree};
        tarjan_.clear(graph, model_.num_states);
        for (const int32_t root : roots) {
            if (!tarjan_.walk(graph, root)) return false;
        }
        return true;
    }

    // What Tarjan's walk asks for.
    struct Graph {
        struct Sums {
            double ahead = 0, self = 0;  // expected value after the state, probability to stay
        };
        EvaluatorOf& evaluator;
        const Tree& tree;

        Mark& mark(int32_t state) { return evaluator.node_[state].mark; }
        bool open(int32_t state, int64_t& begin, int64_t& end) {
            return evaluator.open(tree, state, begin, end);
        }
        int32_t target(int64_t entry) const { return evaluator.model_.target[entry]; }
        bool leads(int64_t) const { return true; }
        void settled(Sums& sums, int64_t entry, int32_t to) const {
            sums.ahead += evaluator.model_.probability[entry] * evaluator.node_[to].value;
        }
        void itself(Sums& sums, int64_t entry) const { sums.self += evaluator.model_.probability[entry]; }
        void close(const Sums& sums, size_t begin) { evaluator.close(sums, begin); }
    };

    bool open(const Tree& tree, int32_t state, int64_t& begin, int64_t& end) {
        if ((++opened_ & 0xffff) == 0 && stop && stop->check()) return false;
        Node& node = node_[state];
        node.row = asked_.row(tree, state);
        if (node.row < 0) {
            offender_ = state;
            return false;
        }
        begin = model_.row_start[node.row];
        end = model_.row_start[node.row + 1];
        work += 8 * (end - begin) + 25;
        return true;
    }

    void close(const typename Graph::Sums& sums, size_t begin) {
        if (reached().size() - begin > 1) {
            systems_.push_back({begin, reached().size()});
            return;
        }
        Node& node = node_[reached()[begin]];
        const double leaves = 1.0 - model_.discount * sums.self;
        const double gain = model_.reward[node.row] + model_.discount * sums.ahead;
        const bool endless = model_.discount == 1 && leaves < kEnds;
        const bool alone = model_.row_start[node.row + 1] - model_.row_start[node.row] == 1;
        rough_ = rough_ || (endless ? !alone : leaves < 0x1p-53 / ComponentSystem::kDigits);
        node.value = endless ? value_without_end(reached()[begin], model_.paid(node.row)) : gain / leaves;
    }

    // Discount 1 and no way out: worth nothing if nothing is paid on the way, and if that is allowed.
    double value_without_end(int32_t state, bool paid) {
        if (!paid && !model_.must_end) return model_.endless_value ? model_.endless_value[state] : 0;
        lost_ = true;
        return tolerance_.lost_value;
    }

    // Solves the non-trivial components and all that depends on them.
    bool solve(double tolerance) {
        if (systems_.empty()) return true;
        size_t system = 0;
        for (size_t k = systems_[0].begin; k < reached().size();) {
            if (system < systems_.size() && systems_[system].begin == k) {
                if (!solve_system(systems_[system], tolerance)) return false;
                k = systems_[system++].end;
            } else {
                substitute(reached()[k++]);
            }
        }
        return true;
    }

    void substitute(int32_t state) {
        Node& node = node_[state];
        double sum = 0;
        double self = 0;
        const int64_t end = model_.row_start[node.row + 1];
        for (int64_t e = model_.row_start[node.row]; e < end; ++e) {
            if (model_.target[e] == state) {
                self += model_.probability[e];
            } else {
                sum += model_.probability[e] * node_[model_.target[e]].value;
            }
        }
        work += 4 * (end - model_.row_start[node.row]) + 8;
        const double leaves = 1.0 - model_.discount * self;
        if (model_.discount == 1 && leaves < kEnds) return;  // it goes on for ever, as it was closed
        node.value = (model_.reward[node.row] + model_.discount * sum) / leaves;
    }

    bool solve_system(Range& range, double tolerance) {
        const auto [begin, end, unused] = range;
        const std::vector<int32_t>& order = reached();
        for (size_t k = begin; k < end; ++k) local_[order[k]] = static_cast<int32_t>(k - begin);
        system_.clear();
        double leak = 0;
        bool paid = false, left = false;
        for (size_t k = begin; k < end; ++k) {
            const Node& node = node_[order[k]];
            double value = model_.reward[node.row];
            paid = paid || model_.paid(node.row);
            double self = 0;
            double kept = 0;
            for (int64_t e = model_.row_start[node.row]; e < model_.row_start[node.row + 1]; ++e) {
                const int32_t to = model_.target[e];
                const double weight = model_.discount * model_.probability[e];
                const auto place = static_cast<size_t>(local_[to]);
                if (to == order[k]) {
                    self += weight;
                } else if (place < end - begin && order[begin + place] == to) {
                    system_.column.push_back(local_[to]);
                    system_.weight.push_back(weight);
                    kept += weight;
                } else {
                    left = true;
                    value += weight * node_[to].value;
                }
            }
            leak = std::max(leak, 1.0 - kept - self);
            system_.close_row(value, self, node.value);
        }
        work += static_cast<int64_t>(6 * system_.column.size() + 16 * (end - begin));
        range.endless = model_.discount == 1 && leak < kEnds;
        if (range.endless) {
            rough_ = rough_ || left;
            for (size_t k = begin; k < end; ++k) node_[order[k]].value = value_without_end(order[k], paid);
            return true;
        }
        system_.stop = stop;
        if (!system_.solve(tolerance, work)) return false;
        for (size_t k = begin; k < end; ++k) node_[order[k]].value = system_.x[k - begin];
        return true;
    }

    double total() const {
        double sum = 0;
        for (const int32_t s : model_.initial_states) sum += model_.initial[s] * node_[s].value;
        return sum;
    }

    const SearchModel& model_;
    Tolerance tolerance_;
    ActionCache asked_;
    bool everywhere_ = false;
    bool lost_ = false;   // whether the tree may go on for ever where it must not
    bool rough_ = false;  // see rough()
    int32_t offender_ = -1;
    uint32_t opened_ = 0;
    std::vector<Node> node_;
    std::vector<int32_t> local_;
    std::vector<int32_t> all_states_;
    Tarjan<Graph> tarjan_;
    std::vector<Range> systems_;
    ComponentSystem system_;
};

using Evaluator = EvaluatorOf<CompleteTree>;

}  // namespace spotree::neighbourhood
