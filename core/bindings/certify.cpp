// What Python sees of certify.
#include "arrays.hpp"

namespace spotree::bindings {

void add_certify(nb::module_& m) { (void)m; }

}  // namespace spotree::bindings
