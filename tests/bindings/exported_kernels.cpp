// The library of kernels that the tests launch by name.
#include <prism/kernel_library.hpp>

#include <cstdint>

namespace {

void saxpy(sycl::id<1> i, float a, const float* x, float* y) { y[i] += a * x[i]; }

void number_cells(sycl::item<2> i, std::int32_t step, std::int64_t* cells) {
  cells[i.get_linear_id()] = std::int64_t(step) * std::int64_t(i.get_id(0)) + std::int64_t(i.get_id(1));
}

void reverse_groups(sycl::nd_item<1> i, float* data, prism::local_memory<float> copy) {
  copy[i.get_local_id(0)] = data[i.get_global_id(0)];
  sycl::group_barrier(i.get_group());
  data[i.get_global_id(0)] = copy[i.get_local_range(0) - 1 - i.get_local_id(0)];
}

void nothing(sycl::id<1>) {}

void set_to(sycl::id<1> i, std::int32_t value, std::int64_t* out) { out[i] = value; }
void add_to(sycl::id<1> i, const std::int64_t* a, double by, std::int64_t* out) {
  out[i] += a[i] * std::int64_t(by);
}

} // namespace

PRISM_EXPORT_KERNEL(saxpy)
PRISM_EXPORT_KERNEL(number_cells)
PRISM_EXPORT_KERNEL(reverse_groups)
PRISM_EXPORT_KERNEL(nothing)
PRISM_EXPORT_KERNEL(set_to)
PRISM_EXPORT_KERNEL(add_to)
PRISM_EXPORT_TASKS(counting, set_to, add_to, nothing)
