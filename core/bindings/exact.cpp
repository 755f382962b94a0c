// What Python sees of exact.
#include <nanobind/stl/optional.h>

#include <optional>

#include "arrays.hpp"
#include "exact/solve.hpp"
#include "interrupted.hpp"

namespace spotree::bindings {

namespace {

template <class T>
Out1<T> to_array(const std::vector<T>& values) {
    auto array = make_array<T>(values.size());
    std::copy(values.begin(), values.end(), array.data());
    return array;
}

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

nb::dict exact_solve(const exact::Preparation& prep, exact::Workspace& work, In2<double> gain, int depth,
                     int max_leaves, int threads, double seconds, size_t memory, double gap_tolerance,
                     bool cache, bool interval_bound, bool share_small, int kernel, const StartArrays* start,
                     const FrozenArrays* frozen) {
    exact::Options options;
    options.depth = depth;
    options.max_leaves = max_leaves;
    options.threads = threads;
    options.seconds = seconds;
    options.memory = memory;
    options.gap_tolerance = gap_tolerance;
    options.cache = cache;
    options.interval_bound = interval_bound;
    options.share_small = share_small;
    options.kernel = static_cast<exact::Kernel>(kernel);
    exact::Solution s;
    {
        nb::gil_scoped_release release;
        Stop stop(seconds, interrupted);
        exact::Start given;
        if (start) given = view(*start);
        exact::FrozenView fixed;
        if (frozen) fixed = {frozen->feature.data(), frozen->threshold.data(), frozen->action.data()};
        s = exact::solve(prep, gain.data(), static_cast<int32_t>(gain.shape(1)), options, work, stop,
                         start ? &given : nullptr, frozen ? &fixed : nullptr);
    }
    if (PyErr_Occurred()) PyErr_Clear();
    nb::dict out;
    out["feature"] = to_array(s.tree.feature);
    out["threshold"] = to_array(s.tree.threshold);
    out["left"] = to_array(s.tree.left);
    out["right"] = to_array(s.tree.right);
    out["action"] = to_array(s.tree.action);
    out["begun"] = s.begun;
    out["best_gain"] = s.best_gain;
    out["cost"] = s.cost;
    out["lower"] = s.lower;
    out["dropped_spread"] = s.dropped_spread;
    out["reason"] = static_cast<int>(s.reason);
    out["used_gap"] = s.used_gap;
    out["rows"] = s.rows;
    out["splits"] = s.splits;
    out["actions"] = s.actions;
    out["kernels"] = s.kernels;
    out["nodes"] = s.nodes;
    out["hits"] = s.hits;
    out["entries"] = s.entries;
    return out;
}

}  // namespace

void add_exact(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<exact::Preparation>(m, "ExactPreparation")
        .def(
            "__init__",
            [](exact::Preparation* self, In2<double> features, double seconds) {
                {
                    nb::gil_scoped_release release;
                    Stop stop(seconds, interrupted);
                    new (self) exact::Preparation(features.data(), static_cast<int64_t>(features.shape(0)),
                                                  static_cast<int64_t>(features.shape(1)), stop);
                }
                if (PyErr_Occurred()) PyErr_Clear();
            },
            "features"_a, "seconds"_a = -1.0)
        .def_prop_ro("rows", &exact::Preparation::rows)
        .def_prop_ro("groups", &exact::Preparation::groups);
    nb::class_<exact::Workspace>(m, "ExactWorkspace").def(nb::init<>());
    nb::class_<StartArrays>(m, "ExactStart")
        .def(nb::init<In1<int32_t>, In1<double>, In1<int32_t>, In1<int32_t>, In1<int32_t>>());
    nb::class_<FrozenArrays>(m, "ExactFrozen").def(nb::init<In1<int32_t>, In1<double>, In1<int32_t>>());
    m.def("exact_solve", &exact_solve, "preparation"_a, "workspace"_a, "gain"_a, "depth"_a, "max_leaves"_a,
          "threads"_a, "seconds"_a, "memory"_a, "gap_tolerance"_a, "cache"_a, "interval_bound"_a,
          "share_small"_a, "kernel"_a, "start"_a.none(), "frozen"_a.none());
}

}  // namespace spotree::bindings
