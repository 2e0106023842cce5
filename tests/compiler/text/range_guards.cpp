// A guard in the body of a range, with a constant bound, is asked once for the group: the loop over the work-items that all pass
// becomes vectors of the baseline, which has no masks.
#include "sycl/detail/kernel_wrap.hpp"

void launch(void*, const void*, std::size_t, void (*)(const void*), sycl::detail::host_body);

void run(float* y, const float* x, std::size_t n) {
  const auto function = [=](sycl::id<1> i) {
    if (i[0] > 0 && i[0] < 1048575) y[i[0]] = x[i[0] - 1] + x[i[0] + 1];
  };
  using kernel = sycl::detail::range_kernel<1, decltype(function), false>;
  const kernel it{n, {}, function};
  launch(&sycl::detail::kernel_slot_of<class guarded, kernel>::value, &it, sizeof it,
         reinterpret_cast<void (*)(const void*)>(&sycl::detail::kernel_entry<class guarded, kernel>),
         {&sycl::detail::run_item<class guarded, kernel>, &sycl::detail::run_box<1, kernel>});
}
// HOST: define internal void @prism.group.{{[^\n]*}}.whole.plain(
// HOST: fadd <4 x float>
