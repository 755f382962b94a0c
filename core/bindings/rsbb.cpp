// What Python sees of rsbb.
#include "arrays.hpp"

namespace spotree::bindings {

void add_rsbb(nb::module_& m) { (void)m; }

}  // namespace spotree::bindings
