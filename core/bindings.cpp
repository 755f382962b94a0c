// The only file that sees Python: plain arrays in, plain arrays out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "route.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class T>
using In1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out1 = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// A fresh array that Python owns.
template <class T>
Out1<T> make_array(size_t size) {
    T* data = new T[size];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return Out1<T>(data, {size}, owner);
}

Out1<int32_t> route(In1<int32_t> feature, In1<double> threshold, In1<int32_t> left, In1<int32_t> right,
                    In2<double> features) {
    auto leaf_of = make_array<int32_t>(features.shape(0));
    const spotree::TreeView tree{feature.data(), threshold.data(), left.data(), right.data()};
    nb::gil_scoped_release release;
    spotree::route(tree, features.data(), static_cast<int64_t>(features.shape(0)),
                   static_cast<int64_t>(features.shape(1)), leaf_of.data());
    return leaf_of;
}

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "The hot loops of spotree: plain arrays in, plain arrays out.";
    m.def("route", &route, "feature"_a, "threshold"_a, "left"_a, "right"_a, "features"_a);
}
