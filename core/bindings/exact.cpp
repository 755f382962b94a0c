// What Python sees of exact.
#include "arrays.hpp"

namespace spotree::bindings {

void add_exact(nb::module_& m) { (void)m; }

}  // namespace spotree::bindings
