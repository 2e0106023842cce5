// A kernel that Vulkan's memory model cannot express; diagnostics_test.cpp expects the warning by line and column.
#include "sycl/detail/kernel_abi.hpp"

void use(void*, const void*, size_t, void (*)(const void*));

namespace counts {

int next(int* p) {
  return __atomic_fetch_add(p, 1, __ATOMIC_SEQ_CST);
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
