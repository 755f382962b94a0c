// Binding of the exact engine.
#include <nanobind/stl/optional.h>

#include <optional>

#include "arrays.hpp"
#include "exact/solve.hpp"

namespace spotree::bindings {

namespace {

struct StartArrays {
    In1<int32_t> feature;
    In1<double> threshold;
    In1<int32_t> left, right, action;
};

struct FrozenArrays {
    In1<int32_t> feature;
    In1<double> threshold;
    In1<int32_t> action;
};

exact::Start view(const StartArrays& s) {
    return {{s.feature.data(), s.threshold.data(), s.left.data(), s.right.data()}, s.action.data()};
}

void set(exact::Options* self, int depth, int max_leaves, int threads, double seconds, size_t memory,
         double gap_tolerance, bool cache, bool interval_bound, bool share_small, exact::Kernel kernel) {
    new (self) exact::Options{in_range("depth", depth, 0, INT32_MAX),
                              in_range("max_leaves", max_leaves, 0, INT32_MAX),
                              thread_count(threads),
                              seconds,
                              memory,
                              gap_tolerance,
                              cache,
                              interval_bound,
                              share_small,
                              kernel};
}

exact::Solution exact_solve(const Ranks& ranks, exact::Workspace& workspace, In2<double> gain,
                            const exact::Options& settings, const StartArrays* start,
                            const FrozenArrays* frozen) {
    exact::Solution solution;
    {
        nb::gil_scoped_release release;
        Stop stop(settings.seconds, interrupted);
        exact::Start given;
        if (start) given = view(*start);
        exact::FrozenView fixed;
        if (frozen) fixed = {frozen->feature.data(), frozen->threshold.data(), frozen->action.data()};
        solution = exact::solve(ranks, gain.data(), static_cast<int32_t>(gain.shape(1)), settings, workspace,
                                stop, start ? &given : nullptr, frozen ? &fixed : nullptr);
    }
    forget_interrupt();
    return solution;
}

void add_outcome(nb::module_& m) {
    using exact::Solution;
    const auto fresh = nb::rv_policy::move;
    nb::class_<Solution>(m, "ExactOutcome")
        .def_prop_ro(
            "feature", [](const Solution& s) { return to_array(s.tree.feature); }, fresh)
        .def_prop_ro(
            "threshold", [](const Solution& s) { return to_array(s.tree.threshold); }, fresh)
        .def_prop_ro(
            "left", [](const Solution& s) { return to_array(s.tree.left); }, fresh)
        .def_prop_ro(
            "right", [](const Solution& s) { return to_array(s.tree.right); }, fresh)
        .def_prop_ro(
            "action", [](const Solution& s) { return to_array(s.tree.action); }, fresh)
        .def_prop_ro("reason", [](const Solution& s) { return static_cast<int>(s.reason); })
        .def_ro("begun", &Solution::begun)
        .def_ro("used_gap", &Solution::used_gap)
        .def_ro("best_gain", &Solution::best_gain)
        .def_ro("loss", &Solution::loss)
        .def_ro("lower", &Solution::lower)
        .def_ro("dropped_spread", &Solution::dropped_spread)
        .def_ro("rows", &Solution::rows)
        .def_ro("splits", &Solution::splits)
        .def_ro("actions", &Solution::actions)
        .def_ro("kernels", &Solution::kernels)
        .def_ro("nodes", &Solution::nodes)
        .def_ro("hits", &Solution::hits)
        .def_ro("entries", &Solution::entries);
}

}  // namespace

void add_exact(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<exact::Workspace>(m, "ExactWorkspace").def(nb::init<>());
    nb::class_<StartArrays>(m, "ExactStart")
        .def(nb::init<In1<int32_t>, In1<double>, In1<int32_t>, In1<int32_t>, In1<int32_t>>(), nb::kw_only(),
             "feature"_a, "threshold"_a, "left"_a, "right"_a, "action"_a);
    nb::class_<FrozenArrays>(m, "ExactFrozen")
        .def(nb::init<In1<int32_t>, In1<double>, In1<int32_t>>(), nb::kw_only(), "feature"_a, "threshold"_a,
             "action"_a);
    nb::enum_<exact::Kernel>(m, "ExactKernel")
        .value("automatic", exact::Kernel::automatic)
        .value("table", exact::Kernel::table)
        .value("sweep", exact::Kernel::sweep)
        .value("incremental", exact::Kernel::incremental)
        .value("triple", exact::Kernel::triple);
    nb::class_<exact::Options>(m, "ExactSettings")
        .def("__init__", &set, nb::kw_only(), "depth"_a, "max_leaves"_a, "threads"_a, "seconds"_a, "memory"_a,
             "gap_tolerance"_a, "cache"_a, "interval_bound"_a, "share_small"_a, "kernel"_a);
    add_outcome(m);
    m.def("exact_solve", &exact_solve, "ranks"_a, "workspace"_a, "gain"_a, "settings"_a, nb::kw_only(),
          "start"_a.none(), "frozen"_a.none());
}

}  // namespace spotree::bindings
