// Arrays as operands of the operations library, whose calls know neither types nor devices of arrays.
#pragma once

#include "bindings/c/arrays.hpp"

#include <prism/tensor/request.hpp>

#include <initializer_list>

namespace prism::c_interface {

/// Evaluates the array. The memory lives as long as the array.
inline prism::detail::tensor_operand tensor_of(const any_array& a) {
  prism::detail::tensor_operand out;
  out.type = type_of_dtype(a.type());
  out.rank = static_cast<std::size_t>(a.ndim());
  const extents& strides = a.strides();
  for (int d = 0; d < a.ndim(); ++d) {
    out.extent[std::size_t(d)] = static_cast<std::size_t>(a.shape()[d]);
    out.stride[std::size_t(d)] = strides[d];
  }
  out.where.pointer = a.data();
  return out;
}

/// Submits commands that write `out`, by submit(queue); returns `out`. Operands must be evaluated before.
template <typename Submit>
any_array written(const any_array& out, const Submit& submit) {
  sycl::queue queue = prism::array_detail::queue_for_write(out);
  submit(queue);
  // Again, because another thread's wait may have ended between: who reads `out` must wait.
  prism::array_detail::queue_for_write(out);
  return out;
}

/// Throws failure (PRISM_INVALID) unless all have the first one's type and device, and that type is one of
/// `types`.
struct named_array {
  const char* name;
  const any_array& array;
};
void require_alike(std::initializer_list<named_array> arrays, std::initializer_list<dtype> types);

} // namespace prism::c_interface
