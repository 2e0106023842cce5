// What sycl_ext_oneapi_matrix asks of the host: a device's products, and whether a kernel that prism++ did
// not compile may use them.
#include "runtime/api/impl.hpp"
#include "runtime/api/joint_matrix.hpp"

#include <sycl/ext/oneapi/matrix/matrix.hpp>

namespace sycl {
inline namespace _V1 {

namespace detail {

void require_joint_matrix() {
  if (!emulates_joint_matrix())
    throw_error(errc::kernel_not_supported, "the kernel on the host device: " + joint_matrix_refusal());
}

namespace {

using ext::oneapi::experimental::matrix::combination;
using ext::oneapi::experimental::matrix::matrix_type;

/// All sizes up to the largest.
combination of_types(matrix_type a, matrix_type b, matrix_type c, matrix_type d) {
  return {largest_matrix_m, largest_matrix_n, largest_matrix_k, 0, 0, 0, a, b, c, d};
}

/// The products that has_matrix_product names, as far as the device has the types.
std::vector<combination> emulated_combinations(const device_impl& on) {
  std::vector<combination> all;
  for (const matrix_type a : {matrix_type::sint8, matrix_type::uint8})
    for (const matrix_type b : {matrix_type::sint8, matrix_type::uint8})
      all.push_back(of_types(a, b, matrix_type::sint32, matrix_type::sint32));
  for (const matrix_type factor : {matrix_type::fp16, matrix_type::bf16}) {
    if (factor == matrix_type::fp16 && !on.has(aspect::fp16)) continue;
    for (const matrix_type c : {matrix_type::fp32, factor})
      for (const matrix_type d : {matrix_type::fp32, factor}) all.push_back(of_types(factor, factor, c, d));
  }
  all.push_back(of_types(matrix_type::tf32, matrix_type::tf32, matrix_type::fp32, matrix_type::fp32));
  if (on.has(aspect::fp64))
    all.push_back(of_types(matrix_type::fp64, matrix_type::fp64, matrix_type::fp64, matrix_type::fp64));
  return all;
}

matrix_type type_of(prism::devices::matrix_component component) {
  using prism::devices::matrix_component;
  switch (component) {
    case matrix_component::float16: return matrix_type::fp16;
    case matrix_component::float32: return matrix_type::fp32;
    case matrix_component::float64: return matrix_type::fp64;
    case matrix_component::bfloat16: return matrix_type::bf16;
    case matrix_component::sint8: return matrix_type::sint8;
    case matrix_component::uint8: return matrix_type::uint8;
    case matrix_component::sint32:
    case matrix_component::uint32: break; // joint_matrix has int32_t, which is the same modulo 2^32
  }
  return matrix_type::sint32;
}

/// Of the device's matrix units.
std::vector<combination> unit_combinations(const prism::devices::capabilities& of) {
  std::vector<combination> all;
  for (const prism::devices::matrix_product& each : of.matrix_products)
    all.push_back({0, 0, 0, each.m, each.n, each.k, type_of(each.a), type_of(each.b), type_of(each.c),
                   type_of(each.result)});
  return all;
}

} // namespace
} // namespace detail

template <>
std::vector<detail::combination>
device::get_info<ext::oneapi::experimental::info::device::matrix_combinations>() const {
  if (!has(aspect::ext_intel_matrix)) return {};
  return detail::emulates_joint_matrix() ? detail::emulated_combinations(*m_impl)
                                         : detail::unit_combinations(m_impl->node().info());
}

}
} // namespace sycl::_V1
