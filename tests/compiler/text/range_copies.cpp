// The body of a range that is a loop with simple accesses has a copy for AVX2 in a program compiled for the
// baseline. A product and a sum round twice in it, as in the baseline, so that an element's result does not
// depend on the processor. A body that cannot be vectorised, such as atomic counts, has no copy.
#include "sycl/detail/kernel_wrap.hpp"

void launch(void*, const void*, std::size_t, void (*)(const void*), sycl::detail::host_body);

template <class Name, class F>
void run_range(const sycl::range<1>& n, const F& function) {
  using kernel = sycl::detail::range_kernel<1, F, false>;
  const kernel it{n, {}, function};
  launch(&sycl::detail::kernel_slot_of<Name, kernel>::value, &it, sizeof it, reinterpret_cast<void (*)(const void*)>(&sycl::detail::kernel_entry<Name, kernel>),
         {&sycl::detail::run_item<Name, kernel>, &sycl::detail::run_box<1, kernel>});
}

void triad(const float* x, const float* y, float* z, float a, std::size_t n) {
  run_range<class triad_name>(n, [=](sycl::id<1> i) { z[i] = x[i] + a * y[i]; });
}
void count(unsigned* counts, const unsigned* x, std::size_t n) {
  run_range<class count_name>(n, [=](sycl::id<1> i) { __atomic_fetch_add(&counts[x[i]], 1u, __ATOMIC_RELAXED); });
}
// HOST: define internal void @"_ZN4sycl3_V16detail7run_boxI{{[^\n]*}}triad
// HOST: @__prism_host_isa
// HOST: define internal void @"_ZN4sycl3_V16detail7run_boxI{{[^\n]*}}triad{{[^\n]*}}.v3
// HOST: <8 x float>
// HOST: "target-cpu"="x86-64-v3" "target-features"="{{[^"]*}},-fma"
// HOST-NOT: run_box{{[^\n]*}}count{{[^\n(]*}}.v3
