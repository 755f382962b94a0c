// Whether Ctrl-C has been pressed; the wish of a `Stop` that Python made.
#pragma once

#include <nanobind/nanobind.h>

namespace spotree::bindings {

inline bool interrupted() {
    nanobind::gil_scoped_acquire hold;
    return PyErr_CheckSignals() != 0;
}

}  // namespace spotree::bindings
