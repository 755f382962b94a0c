// The Python module; this folder is the only one that sees Python.
#include "arrays.hpp"
#include "tree/route.hpp"

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

}  // namespace

}  // namespace spotree::bindings

NB_MODULE(_core, m) {
    using namespace spotree::bindings;
    using namespace nb::literals;
    m.doc() = "The hot loops of spotree: plain arrays in, plain arrays out.";
    m.def("route", &route, nb::kw_only(), "feature"_a, "threshold"_a, "left"_a, "right"_a, "features"_a);
    add_model(m);
    add_values(m);
    add_exact(m);
    add_rsbb(m);
    add_neighbourhood(m);
    add_proof(m);
}
