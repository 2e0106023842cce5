// Attributes appear in the text, x first.
#include "tests/compiler/text/kernel.hpp"

void run(int* p) {
  submit<class attributes>([=]() [[sycl::reqd_work_group_size(2, 8)]] { p[id()] = 1; });
}
// OPENCL: __attribute__((reqd_work_group_size(8, 2, 1)))
// OPENCL-NOT: __prism_reqd
