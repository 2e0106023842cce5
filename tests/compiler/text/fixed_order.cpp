// A sum of floats over a work-group has two orders, and a launch chooses one. OpenCL C chooses by a macro, which also
// forbids to contract x * y + z; SPIR-V by the specialisation constant 9. Where one thread runs the work-group there
// is one order. Copies for wider instruction sets, which contract, are left out where a launch asks (group_context::
// exact, at offset 96).
#include "sycl/group_algorithms.hpp"
#include "sycl/nd_item.hpp"

template <class Name, class F>
void submit(const F& function) {
  (void)&sycl::detail::kernel_slot_of<Name, F>::value;
  sycl::detail::kernel_entry<Name, F>(&function);
}

void sums(const float* x, const float* y, float* z) {
  submit<class sums_name>([=]() {
    __prism_dimensions(1);
    const auto it = sycl::detail::make_nd_item<1>(sycl::id<1>(0));
    const auto i = it.get_global_id(0);
    float v = x[i];
    for (int k = 0; k < 16; ++k) v = v * y[k] + x[i + k];
    z[i] = sycl::reduce_over_group(it.get_group(), v, sycl::plus<float>());
  });
}
// OPENCL: #define PRISM_FIXED_ORDER 0
// OPENCL: float prism_mad_float(float a, float b, float c) {
// OPENCL: #if !PRISM_FIXED_ORDER
// OPENCL: #pragma OPENCL FP_CONTRACT ON
// OPENCL: #endif
// OPENCL: PRISM_FIXED_ORDER
// SPIRV: SpecId 9
// SPIRV: OpSpecConstantFalse
// GROUP-NOT: call i1 @__prism_fixed_order
// HOST: load i32, ptr @__prism_host_isa
// HOST: getelementptr inbounds i8, ptr %1, i64 96
// HOST: select i1 {{%[0-9]+}}, i32 {{%[0-9]+}}, i32 0
// HOST: .v3(
