// Binding of the model.
#include "model/model.hpp"

#include "arrays.hpp"

namespace spotree::bindings {

namespace {

Out1<int32_t> merge_equal_choices(const ModelArrays& model) {
    auto merged = make_array<int32_t>(model.choice_of.size());
    nb::gil_scoped_release release;
    spotree::merge_equal_choices(model.model(), merged.data());
    return merged;
}

}  // namespace

void add_model(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<ModelArrays>(m, "Model")
        .def(nb::init<In1<int64_t>, In2<int32_t>, In1<int64_t>, In1<int32_t>, In1<double>, In1<double>,
                      In1<double>, double>(),
             nb::kw_only(), "choice_start"_a, "choice_of"_a, "row_start"_a, "target"_a, "probability"_a,
             "reward"_a, "initial"_a, "discount"_a);
    m.def("merge_equal_choices", &merge_equal_choices, "model"_a);
}

}  // namespace spotree::bindings
