// A sum of integers is the same in any order, so its kernel has one.
#include "sycl/group_algorithms.hpp"
#include "sycl/nd_item.hpp"

template <class Name, class F>
void submit(const F& function) {
  (void)&sycl::detail::kernel_slot_of<Name, F>::value;
  sycl::detail::kernel_entry<Name, F>(&function);
}

void counts(const int* x, int* z) {
  submit<class counts_name>([=]() {
    __prism_dimensions(1);
    const auto it = sycl::detail::make_nd_item<1>(sycl::id<1>(0));
    z[it.get_global_id(0)] = sycl::reduce_over_group(it.get_group(), x[it.get_global_id(0)], sycl::plus<int>());
  });
}
// OPENCL: counts_name
// OPENCL-NOT: PRISM_FIXED_ORDER
// SPIRV: OpEntryPoint
// SPIRV-NOT: SpecId 9
