// Binding of values and occupancy.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "arrays.hpp"
#include "values/backup.hpp"
#include "values/chain_solver.hpp"
#include "values/recurrent_classes.hpp"

namespace spotree::bindings {

namespace {

// A stop of its own for callers that gave none, so that Ctrl-C is heard all the same.
class Stopping {
  public:
    explicit Stopping(Stop* given) : own_(-1.0, interrupted), stop_(given ? given : &own_) {}
    Stop* get() { return stop_; }

  private:
    Stop own_;
    Stop* stop_;
};

Chain chain_of(const In1<int64_t>& row_start, const std::optional<In1<int32_t>>& row_of,
               const In1<int32_t>& target, const In1<double>& probability, double discount = 1.0) {
    return {static_cast<int32_t>(row_of ? row_of->size() : row_start.size() - 1),
            row_start.data(),
            row_of ? row_of->data() : nullptr,
            target.data(),
            probability.data(),
            discount};
}

// A chain whose arrays stay alive with it, and its factors.
class Solver {
  public:
    Solver(In1<int64_t> row_start, std::optional<In1<int32_t>> row_of, In1<int32_t> target,
           In1<double> probability, double discount, std::optional<In1<int32_t>> roots, int32_t dense,
           int32_t sparse, double reduction, Stop* stop)
        : row_start_(row_start), row_of_(row_of), target_(target), probability_(probability) {
        chain_ = chain_of(row_start_, row_of_, target_, probability_, discount);
        Stopping stopping(stop);
        {
            nb::gil_scoped_release release;
            solver_.factor(chain_, roots ? roots->data() : nullptr,
                           roots ? static_cast<int64_t>(roots->size()) : 0, {dense, sparse, reduction},
                           stopping.get());
        }
        raise_interrupt();
    }

    std::pair<Out1<double>, double> solve(In1<double> right, Stop* stop) const {
        return solved(&ChainSolver::solve, right, NAN, stop);
    }

    std::pair<Out1<double>, double> solve_transposed(In1<double> right, Stop* stop) const {
        return solved(&ChainSolver::solve_transposed, right, 0.0, stop);
    }

    Out1<int32_t> states() const { return to_array(solver_.components().order()); }

    int64_t num_components() const { return solver_.components().size(); }

    int64_t largest_component() const {
        int64_t most = 0;
        for (int32_t c = 0; c < solver_.components().size(); ++c) {
            most = std::max<int64_t>(most, solver_.components().end(c) - solver_.components().begin(c));
        }
        return most;
    }

    int64_t num_iterated() const {
        return std::count_if(solver_.blocks().begin(), solver_.blocks().end(),
                             [](const Block& block) { return block.iterated(); });
    }

  private:
    // `unseen` is what stands at states that are not looked at.
    std::pair<Out1<double>, double> solved(Residual (ChainSolver::*pass)(const double*, double*, Stop*) const,
                                           In1<double> right, double unseen, Stop* stop) const {
        if (right.size() != static_cast<size_t>(chain_.num_states)) {
            throw nb::value_error("the right-hand side must have one number per state");
        }
        auto x = make_array<double>(right.size());
        std::fill_n(x.data(), right.size(), unseen);
        double error;
        Stopping stopping(stop);
        {
            nb::gil_scoped_release release;
            error = solver_.error((solver_.*pass)(right.data(), x.data(), stopping.get()), stopping.get());
        }
        raise_interrupt();
        return {x, error};
    }

    In1<int64_t> row_start_;
    std::optional<In1<int32_t>> row_of_;
    In1<int32_t> target_;
    In1<double> probability_;
    Chain chain_{};
    ChainSolver solver_;
};

Out1<int32_t> reachable(In1<int64_t> row_start, In1<int32_t> row_of, In1<int32_t> target,
                        In1<double> probability, In1<int32_t> roots) {
    Components components;
    {
        nb::gil_scoped_release release;
        const Chain chain = chain_of(row_start, row_of, target, probability);
        components.find(chain, roots.data(), static_cast<int64_t>(roots.size()));
    }
    return to_array(components.order());
}

Out1<int32_t> endless(In1<int64_t> row_start, In1<int32_t> row_of, In1<int32_t> target,
                      In1<double> probability, std::optional<In1<int32_t>> roots) {
    auto endless_of = make_array<int32_t>(row_of.size());
    nb::gil_scoped_release release;
    const Chain chain = chain_of(row_start, row_of, target, probability);
    Components components;
    components.find(chain, roots ? roots->data() : nullptr, roots ? static_cast<int64_t>(roots->size()) : 0);
    std::fill_n(endless_of.data(), row_of.size(), -1);
    spotree::endless(chain, components, endless_of.data());
    return endless_of;
}

// Values of a model's states, as many as it has.
const double* values_of(const ModelArrays& model, const In1<double>& value) {
    if (value.size() != model.initial.size()) {
        throw nb::value_error("there must be one value per state");
    }
    return value.data();
}

Out1<double> backup(const ModelArrays& model, In1<double> value) {
    const double* known = values_of(model, value);
    auto result = make_array<double>(model.reward.size());
    nb::gil_scoped_release release;
    spotree::backup(model.model(), known, result.data());
    return result;
}

Out1<double> sweep(const ModelArrays& model, In1<double> value, int64_t sweeps, Stop* stop) {
    const double* known = values_of(model, value);
    auto result = make_array<double>(value.size());
    Stopping stopping(stop);
    {
        nb::gil_scoped_release release;
        std::copy_n(known, value.size(), result.data());
        for (int64_t i = 0; i < sweeps && !stopping.get()->raised(); ++i) {
            spotree::sweep(model.model(), i % 2 == 1, result.data(), *stopping.get());
        }
    }
    raise_interrupt();
    return result;
}

double most_missed(const ModelArrays& model, In1<double> value) {
    const double* known = values_of(model, value);
    nb::gil_scoped_release release;
    return spotree::most_missed(model.model(), known);
}

}  // namespace

void add_values(nb::module_& m) {
    using namespace nb::literals;
    const BlockLimits limits;
    nb::class_<Stop>(m, "Stop")
        .def(
            "__init__", [](Stop* self, double seconds) { new (self) Stop(seconds, interrupted); },
            "seconds"_a = -1.0)
        .def("check",
             [](Stop& self) {
                 const bool over = self.check();
                 raise_interrupt();
                 return over;
             })
        .def_prop_ro("raised", &Stop::raised);
    nb::class_<Solver>(m, "ChainSolver")
        .def(nb::init<In1<int64_t>, std::optional<In1<int32_t>>, In1<int32_t>, In1<double>, double,
                      std::optional<In1<int32_t>>, int32_t, int32_t, double, Stop*>(),
             nb::kw_only(), "row_start"_a, "row_of"_a.none(), "target"_a, "probability"_a, "discount"_a,
             "roots"_a.none(), "dense"_a = limits.dense, "sparse"_a = limits.sparse,
             "reduction"_a = limits.reduction, "stop"_a = nb::none())
        .def("solve", &Solver::solve, "right"_a, "stop"_a = nb::none())
        .def("solve_transposed", &Solver::solve_transposed, "right"_a, "stop"_a = nb::none())
        .def_prop_ro("states", &Solver::states, nb::rv_policy::move)
        .def_prop_ro("num_components", &Solver::num_components)
        .def_prop_ro("largest_component", &Solver::largest_component)
        .def_prop_ro("num_iterated", &Solver::num_iterated);
    m.def("reachable", &reachable, nb::kw_only(), "row_start"_a, "row_of"_a, "target"_a, "probability"_a,
          "roots"_a);
    m.def("endless", &endless, nb::kw_only(), "row_start"_a, "row_of"_a, "target"_a, "probability"_a,
          "roots"_a.none());
    m.def("backup", &backup, "model"_a, "value"_a);
    m.def("sweep", &sweep, "model"_a, "value"_a, "sweeps"_a, "stop"_a = nb::none());
    m.def("most_missed", &most_missed, "model"_a, "value"_a);
}

}  // namespace spotree::bindings
