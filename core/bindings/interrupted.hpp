// Whether Ctrl-C has been pressed; the wish of a `Stop` that Python made.
#pragma once

#include <nanobind/nanobind.h>

namespace spotree::bindings {

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

}  // namespace spotree::bindings
