// sycl::range<D>: the extent of an index space or buffer, 1 to 3 dimensions. A trivially copyable value; all
// its functions work on host and device.
#pragma once

#include <sycl/detail/index_operators.hpp>

namespace sycl {
inline namespace _V1 {

template <int Dimensions = 1>
class range {
  static_assert(Dimensions >= 1 && Dimensions <= 3, "a sycl::range has 1, 2 or 3 dimensions");

public:
  static constexpr int dimensions = Dimensions;

  constexpr range() noexcept : m_value{} {}
  template <int D = Dimensions, std::enable_if_t<D == 1, int> = 0>
  constexpr range(std::size_t dim0) noexcept : m_value{dim0} {}
  template <int D = Dimensions, std::enable_if_t<D == 2, int> = 0>
  constexpr range(std::size_t dim0, std::size_t dim1) noexcept : m_value{dim0, dim1} {}
  template <int D = Dimensions, std::enable_if_t<D == 3, int> = 0>
  constexpr range(std::size_t dim0, std::size_t dim1, std::size_t dim2) noexcept
      : m_value{dim0, dim1, dim2} {}

  constexpr std::size_t get(int dimension) const noexcept { return m_value[dimension]; }
  constexpr std::size_t& operator[](int dimension) noexcept { return m_value[dimension]; }
  constexpr std::size_t operator[](int dimension) const noexcept { return m_value[dimension]; }

  /// Returns the product of all dimensions.
  constexpr std::size_t size() const noexcept {
    std::size_t product = 1;
    for (int d = 0; d < Dimensions; ++d) product *= m_value[d];
    return product;
  }

  PRISM_INDEX_OPERATORS(range)

private:
  std::size_t m_value[Dimensions];
};

range(std::size_t) -> range<1>;
range(std::size_t, std::size_t) -> range<2>;
range(std::size_t, std::size_t, std::size_t) -> range<3>;

}
} // namespace sycl::_V1
