// What Python sees of values.
#include "arrays.hpp"

namespace spotree::bindings {

void add_values(nb::module_& m) { (void)m; }

}  // namespace spotree::bindings
