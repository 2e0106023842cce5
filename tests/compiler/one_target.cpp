// A kernel that Vulkan cannot express, because its memory model has no fence with the host.
// diagnostics_test.cpp expects the warning by line and column.
#include "sycl/detail/kernel_abi.hpp"

void use(void*, const void*, size_t, void (*)(const void*));

namespace counts {

int next(int* p) {
  __prism_fence(3, 4); // acq_rel, memory_scope::system
  return *p + 1;
}

struct ordered {
  int* p;
  void operator()() const { p[1] = next(p); }
};

void run(int* p) {
  const ordered kernel{p};
  use(&sycl::detail::kernel_slot_of<ordered, ordered>::value, &kernel, sizeof kernel,
      reinterpret_cast<void (*)(const void*)>(&sycl::detail::kernel_entry<ordered, ordered>));
}

} // namespace counts
