// A work-item's row and column, computed from one id by division: the loop over work-items is split where a row ends,
// and in a row the accesses are adjacent. So it is for constant and for captured widths, in the body of a range, and for
// PoCL, which gets the work-group function of such kernels. The original loop stays for rows of less than 32.
// FLAGS: -Rpass=loop-vectorize
#include "sycl/detail/kernel_wrap.hpp"
#include "tests/compiler/text/kernel.hpp"

void launch(void*, const void*, std::size_t, void (*)(const void*), sycl::detail::host_body);

void run(float* y, const float* x, int width, int height) {
  submit<class constant_width>([=] {
    const int k = int(id()), row = k / 1024, column = k % 1024;
    if (row > 0 && row < height - 1 && column > 0 && column < 1023) y[row * 1024 + column] = x[row * 1024 + column + 1] + x[(row - 1) * 1024 + column];
  });
  submit<class captured_width>([=] {
    const int k = int(id()), row = k / width, column = k % width;
    if (row > 0 && row < height - 1) y[(row - 1) * width + column] = x[row * width + column];
  });
}

void range(float* y, const float* x, std::size_t width, std::size_t n) {
  const auto function = [=](sycl::id<1> k) { y[k[0] % width] = x[k[0] / width]; };
  using kernel = sycl::detail::range_kernel<1, decltype(function), false>;
  const kernel it{n, {}, function};
  launch(&sycl::detail::kernel_slot_of<class range_name, kernel>::value, &it, sizeof it,
         reinterpret_cast<void (*)(const void*)>(&sycl::detail::kernel_entry<class range_name, kernel>),
         {&sycl::detail::run_item<class range_name, kernel>, &sycl::detail::run_box<1, kernel>});
}
// GROUP: call i64 @llvm.umin.i64
// GROUP: {{[su]div i32 %\d+, %\d+}}
// GROUP: call i64 @llvm.umin.i64
// HOST: define internal void @"_ZN4sycl3_V16detail7run_boxI{{[^\n]*}}5range
// HOST: call i64 @llvm.umin.i64
// OPENCL: = (uint)((int)1024u - (int)v
// REMARKS: vectorized loop
