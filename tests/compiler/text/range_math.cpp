// Square roots, powers, `ldexp` and `rootn` do not prevent vectors on the host, neither in the body of a range
// nor in a work-group function: kernels read no errno.
// FLAGS: -Rpass=loop-vectorize
#include "sycl/detail/kernel_wrap.hpp"
#include "sycl/khr/split_headers/math.hpp"
#include "tests/compiler/text/kernel.hpp"

void launch(void*, const void*, std::size_t, void (*)(const void*), sycl::detail::host_body);

template <class Name, class F>
void run_range(const sycl::range<1>& n, const F& function) {
  using kernel = sycl::detail::range_kernel<1, F, false>;
  const kernel it{n, {}, function};
  launch(&sycl::detail::kernel_slot_of<Name, kernel>::value, &it, sizeof it, reinterpret_cast<void (*)(const void*)>(&sycl::detail::kernel_entry<Name, kernel>),
         {&sycl::detail::run_item<Name, kernel>, &sycl::detail::run_box<1, kernel>});
}

void roots(const float* x, float* y, std::size_t n) {
  run_range<class roots_name>(n, [=](sycl::id<1> i) { y[i] = sycl::sqrt(x[i]) + sycl::rootn(x[i], 2) + sycl::rootn(x[i], 4); });
}
void scales(const float* x, const int* by, float* y, std::size_t n) {
  run_range<class scales_name>(n, [=](sycl::id<1> i) { y[i] = sycl::ldexp(x[i], by[i]); });
}
void groups(const double* x, const int* by, double* y) {
  submit<class group_name>([=] { y[id()] = sycl::ldexp(sycl::rootn(x[id()], -2), by[id()]); });
}
// HOST: define internal void @"_ZN4sycl3_V16detail7run_boxI{{[^\n]*}}scales{{[^\n]*}}.v3
// HOST: fmul <8 x float>
// HOST: define internal void @"_ZN4sycl3_V16detail7run_boxI{{[^\n]*}}roots{{[^\n]*}}.v3
// HOST: call <8 x float> @llvm.sqrt.v8f32
// GROUP: call double @llvm.sqrt.f64
// GROUP-NOT: @{{(llvm\.)?}}ldexp
