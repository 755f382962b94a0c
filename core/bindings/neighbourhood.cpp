// What Python sees of neighbourhood.
#include "arrays.hpp"

namespace spotree::bindings {

void add_neighbourhood(nb::module_& m) { (void)m; }

}  // namespace spotree::bindings
