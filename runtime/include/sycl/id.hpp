// sycl::id<D>: a point of an index space, 1 to 3 dimensions. A trivially copyable value; all its functions
// work on host and device. The one-dimensional id converts to and from integers.
#pragma once

#include <sycl/range.hpp>

namespace sycl {
inline namespace _V1 {

template <int Dimensions, bool WithOffset>
class item;

namespace detail {
// The types that convert implicitly to a one-dimensional id: integers and enumerations. Not floating-point
// types, so that `id * 0.5f` uses the built-in operator. Not classes: with std::size_t as the parameter of
// the constructor, as the standard has it, theirs would be a second conversion; libraries rely on that. They
// convert explicitly, unless they have a conversion to id itself.
template <typename T>
inline constexpr bool is_index_like =
    std::is_convertible_v<T, std::size_t> && (std::is_integral_v<T> || std::is_enum_v<T>);

// The base of the one-dimensional id and item. The conversion must not be a template, which would prevent a
// further standard conversion, to bool or to the index type of a pointer.
template <typename Derived, int Dimensions>
struct index_conversion {};
template <typename Derived>
struct index_conversion<Derived, 1> {
  constexpr operator std::size_t() const noexcept { return static_cast<const Derived*>(this)->get_linear(); }
};
} // namespace detail

template <int Dimensions = 1>
class id : public detail::index_conversion<id<Dimensions>, Dimensions> {
  static_assert(Dimensions >= 1 && Dimensions <= 3, "a sycl::id has 1, 2 or 3 dimensions");

public:
  static constexpr int dimensions = Dimensions;

  constexpr id() noexcept : m_value{} {}
  template <typename T, int D = Dimensions, std::enable_if_t<D == 1 && detail::is_index_like<T>, int> = 0>
  constexpr id(T dim0) noexcept : m_value{static_cast<std::size_t>(dim0)} {}
  template <typename T, int D = Dimensions,
            std::enable_if_t<D == 1 && std::is_class_v<T> && std::is_convertible_v<const T&, std::size_t> &&
                                 !std::is_convertible_v<const T&, id>,
                             int> = 0>
  constexpr explicit id(const T& dim0) noexcept : m_value{static_cast<std::size_t>(dim0)} {}
  template <int D = Dimensions, std::enable_if_t<D == 2, int> = 0>
  constexpr id(std::size_t dim0, std::size_t dim1) noexcept : m_value{dim0, dim1} {}
  template <int D = Dimensions, std::enable_if_t<D == 3, int> = 0>
  constexpr id(std::size_t dim0, std::size_t dim1, std::size_t dim2) noexcept : m_value{dim0, dim1, dim2} {}
  constexpr id(const range<Dimensions>& extent) noexcept : m_value{} {
    for (int d = 0; d < Dimensions; ++d) m_value[d] = extent[d];
  }
  template <bool WithOffset>
  constexpr id(const item<Dimensions, WithOffset>& place) noexcept : m_value{} {
    for (int d = 0; d < Dimensions; ++d) m_value[d] = place.get_id(d);
  }

  constexpr std::size_t get(int dimension) const noexcept { return m_value[dimension]; }
  constexpr std::size_t& operator[](int dimension) noexcept { return m_value[dimension]; }
  constexpr std::size_t operator[](int dimension) const noexcept { return m_value[dimension]; }

  PRISM_INDEX_OPERATORS(id)

  template <typename Integer, int D = Dimensions,
            std::enable_if_t<D == 1 && std::is_integral_v<Integer>, int> = 0>
  friend bool operator==(const id& lhs, const Integer& rhs) noexcept {
    return lhs.m_value[0] == static_cast<std::size_t>(rhs);
  }
  template <typename Integer, int D = Dimensions,
            std::enable_if_t<D == 1 && std::is_integral_v<Integer>, int> = 0>
  friend bool operator==(const Integer& lhs, const id& rhs) noexcept {
    return static_cast<std::size_t>(lhs) == rhs.m_value[0];
  }
  template <typename Integer, int D = Dimensions,
            std::enable_if_t<D == 1 && std::is_integral_v<Integer>, int> = 0>
  friend bool operator!=(const id& lhs, const Integer& rhs) noexcept {
    return lhs.m_value[0] != static_cast<std::size_t>(rhs);
  }
  template <typename Integer, int D = Dimensions,
            std::enable_if_t<D == 1 && std::is_integral_v<Integer>, int> = 0>
  friend bool operator!=(const Integer& lhs, const id& rhs) noexcept {
    return static_cast<std::size_t>(lhs) != rhs.m_value[0];
  }

private:
  friend detail::index_conversion<id, Dimensions>;
  constexpr std::size_t get_linear() const noexcept { return m_value[0]; }

  std::size_t m_value[Dimensions];
};

id(std::size_t) -> id<1>;
id(std::size_t, std::size_t) -> id<2>;
id(std::size_t, std::size_t, std::size_t) -> id<3>;

namespace detail {

/// Returns the row-major index of `point` in `extent`: the right-most dimension varies fastest.
template <int Dimensions>
constexpr std::size_t linear_index(const id<Dimensions>& point, const range<Dimensions>& extent) noexcept {
  std::size_t linear = point[0];
  for (int d = 1; d < Dimensions; ++d) linear = linear * extent[d] + point[d];
  return linear;
}

} // namespace detail

}
} // namespace sycl::_V1
