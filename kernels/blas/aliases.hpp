// Whether two operands of a call begin at the same element.
#pragma once

#include <prism/blas/request.hpp>

namespace prism::blas {

/// Of buffers: the same buffer, or what `reinterpret` made of it, and the same byte.
inline bool coincide(const detail::memory& a, const detail::memory& b) {
  if (a.buffer && b.buffer)
    return a.identity == b.identity && a.offset * a.element_bytes == b.offset * b.element_bytes;
  return a.pointer != nullptr && a.pointer == b.pointer;
}

} // namespace prism::blas
