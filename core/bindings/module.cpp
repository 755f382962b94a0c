// The Python module; this folder is the only one that sees Python.
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "model/ranks.hpp"
#include "tree/complete.hpp"

namespace spotree::bindings {

namespace {

Out1<int32_t> route(In1<int32_t> feature, In1<double> threshold, In1<int32_t> left, In1<int32_t> right,
                    In2<double> features) {
    auto leaf_of = make_array<int32_t>(features.shape(0));
    const TreeView tree{feature.data(), threshold.data(), left.data(), right.data()};
    nb::gil_scoped_release release;
    spotree::route(tree, features.data(), static_cast<int64_t>(features.shape(0)),
                   static_cast<int64_t>(features.shape(1)), leaf_of.data());
    return leaf_of;
}

// Once interrupted they are not finished, which their user says or raises.
void rank(Ranks* self, In2<double> features, double seconds) {
    {
        nb::gil_scoped_release release;
        Stop stop(seconds, interrupted);
        new (self) Ranks(features.data(), static_cast<int64_t>(features.shape(0)),
                         static_cast<int64_t>(features.shape(1)), stop);
    }
    forget_interrupt();
}

std::vector<Out1<double>> values(const Ranks& ranks) {
    std::vector<Out1<double>> columns;
    for (const auto& column : ranks.values()) columns.push_back(to_array(column));
    return columns;
}

void add_ranks(nb::module_& m) {
    using namespace nb::literals;
    const auto fresh = nb::rv_policy::move;
    nb::class_<Ranks>(m, "Ranks")
        .def("__init__", &rank, "features"_a, "seconds"_a = -1.0)
        .def_prop_ro("finished", &Ranks::finished)
        .def_prop_ro("values", &values, fresh)
        .def_prop_ro(
            "rank", [](const Ranks& r) { return to_array(r.ranks()); }, fresh)
        .def_prop_ro(
            "group_of", [](const Ranks& r) { return to_array(r.group_of()); }, fresh)
        .def_prop_ro("first", [](const Ranks& r) { return to_array(r.first()); }, fresh);
}

}  // namespace

}  // namespace spotree::bindings

NB_MODULE(_core, m) {
    using namespace spotree::bindings;
    using namespace nb::literals;
    m.doc() = "The hot loops of spotree: plain arrays in, plain arrays out.";
    m.def("route", &route, nb::kw_only(), "feature"_a, "threshold"_a, "left"_a, "right"_a, "features"_a);
    add_ranks(m);
    add_model(m);
    add_values(m);
    add_exact(m);
    add_rsbb(m);
    add_neighbourhood(m);
    add_leaves(m);
    add_proof(m);
}
