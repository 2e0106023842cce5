// How tensors of <prism/tensor.hpp> reach the library: as plain data. Programs do not use this.
#pragma once

#include <prism/blas/request.hpp>
#include <prism/tensor.hpp>

namespace prism::detail {

/// An operand; `type`: PRISM_F32, ... of <prism/provider.h>.
struct tensor_operand {
  std::int32_t type = 0;
  std::size_t rank = 0;
  std::array<std::size_t, 12> extent{};
  std::array<std::ptrdiff_t, 12> stride{};
  blas::detail::memory where;

  bool empty() const {
    for (std::size_t d = 0; d < rank; ++d)
      if (extent[d] == 0) return true;
    return false;
  }
  std::size_t size() const {
    std::size_t out = 1;
    for (std::size_t d = 0; d < rank; ++d) out *= extent[d];
    return out;
  }
};

/// Checks the view.
template <typename T, typename Place>
tensor_operand operand_of(const std::string& name, const tensor_view<T, Place>& view) {
  require_possible(name, view);
  tensor_operand out;
  out.type = blas::detail::type_of<std::remove_const_t<T>>::id;
  out.rank = view.rank, out.extent = view.extent, out.stride = view.stride;
  out.where = blas::detail::memory_at(view.data);
  return out;
}

/// A tensor that is read, of the element type and the kind of memory of the one that is written; excluded
/// from deduction.
template <typename T, typename Place>
using tensor_in =
    typename blas::detail::as_is<tensor_view<const T, typename blas::detail::const_place<Place>::type>>::type;

} // namespace prism::detail
