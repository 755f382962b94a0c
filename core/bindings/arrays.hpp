// Arrays between Python and the core, interrupts, and the parts of the module.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/model.hpp"

namespace spotree::bindings {

namespace nb = nanobind;

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

// A copy that Python owns.
template <class T>
Out1<T> to_array(const std::vector<T>& values) {
    auto array = make_array<T>(values.size());
    std::copy(values.begin(), values.end(), array.data());
    return array;
}

constexpr int64_t MOST_THREADS = 1 << 16;

// A number that the core sizes its arrays by: what is out of range is refused here, not undefined there.
template <class T>
T in_range(const char* name, T value, int64_t least, int64_t most) {
    if (value < T(least) || value > T(most)) {
        throw std::invalid_argument(std::string(name) + " is " + std::to_string(value) + "; it must be " +
                                    std::to_string(least) + " to " + std::to_string(most));
    }
    return value;
}

inline int32_t thread_count(int32_t threads) { return in_range("threads", threads, 1, MOST_THREADS); }

void add_model(nb::module_& m);
void add_values(nb::module_& m);
void add_exact(nb::module_& m);
void add_rsbb(nb::module_& m);
void add_neighbourhood(nb::module_& m);
void add_leaves(nb::module_& m);
void add_proof(nb::module_& m);

// Once true, the KeyboardInterrupt is pending: after the work either raise it or forget it.
inline bool interrupted() {
    nanobind::gil_scoped_acquire hold;
    return PyErr_CheckSignals() != 0;
}

inline void raise_interrupt() {
    if (PyErr_Occurred()) throw nanobind::python_error();
}

// For searches that answer with what they have, and say that they were interrupted.
inline void forget_interrupt() { PyErr_Clear(); }

struct ModelArrays {
    In1<int64_t> choice_start;
    In2<int32_t> choice_of;
    In1<int64_t> row_start;
    In1<int32_t> target;
    In1<double> probability, reward, initial;
    double discount;

    Model model() const {
        return {static_cast<int32_t>(choice_of.shape(0)),
                static_cast<int32_t>(choice_of.shape(1)),
                discount,
                choice_start.data(),
                choice_of.data(),
                row_start.data(),
                target.data(),
                probability.data(),
                reward.data(),
                initial.data()};
    }
};

}  // namespace spotree::bindings
