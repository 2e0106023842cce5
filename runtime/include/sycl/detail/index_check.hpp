// Checks indices of accessors in programs compiled by `prism++ --check=access`. Each index outside of its
// accessor is reported with the source line; the access then uses scratch memory, so it has no other effect.
// Without that option none of this is compiled. Iterators, get_pointer() and pointers made from them are not
// checked.
#pragma once

#include <sycl/detail/kernel_abi.hpp>
#include <sycl/detail/same.hpp>
#include <sycl/id.hpp>
#include <sycl/range.hpp>

#include <type_traits>

// Functions with checks have different names, so files with and without checks may be linked into one
// program.
#if defined(__PRISM_CHECK_ACCESS__)
#define PRISM_CHECKED_INDEX __attribute__((abi_tag("prism_checked")))
#else
#define PRISM_CHECKED_INDEX
#endif

namespace sycl {
inline namespace _V1 {
namespace detail {

#if defined(__PRISM_CHECK_ACCESS__)
inline constexpr bool checks_indices = true;
#else
inline constexpr bool checks_indices = false;
#endif

/// The same values as in prism::image::index_check.
enum class checked_kind : std::uint32_t { buffer = 0, local = 1, host = 2 };

template <checked_kind Kind, int Dimensions, int Dimension>
bool index_is_inside(std::size_t index, const range<Dimensions>& part) noexcept {
  return __prism_index_is_inside(index, part[Dimension],
                                 static_cast<std::uint32_t>(Kind) | Dimension << 8 | Dimensions << 16);
}

/// Returns scratch memory for an element.
template <checked_kind Kind, typename T>
T* element_scratch() noexcept {
  constexpr std::uint64_t key = 0x9d1ec7;
  if constexpr (detail::same<Kind, checked_kind::local>)
    return static_cast<T*>(__prism_group_memory(key, sizeof(T)));
  else return static_cast<T*>(__prism_index_scratch(sizeof(T)));
}

/// Returns the element at `index` of `part`, which begins at `first` in an array of the shape `whole`.
template <checked_kind Kind, typename T, int Dimensions>
T* checked_element(T* first, const id<Dimensions>& index, const range<Dimensions>& part,
                   const range<Dimensions>& whole) noexcept {
  bool inside = index_is_inside<Kind, Dimensions, 0>(index[0], part);
  if constexpr (Dimensions > 1) inside &= index_is_inside<Kind, Dimensions, 1>(index[1], part);
  if constexpr (Dimensions > 2) inside &= index_is_inside<Kind, Dimensions, 2>(index[2], part);
  return inside ? first + linear_index(index, whole) : element_scratch<Kind, T>();
}

/// The intermediate result of a checked a[i][j][k].
template <checked_kind Kind, typename T, int Dimensions, typename MakeReference, int Current = 0>
class checked_subscript {
public:
  checked_subscript(T* first, const range<Dimensions>& part, const range<Dimensions>& whole,
                    const id<Dimensions>& above = {}, bool inside = true) noexcept
      : m_first(first), m_part(part), m_whole(whole), m_above(above), m_inside(inside) {}

  decltype(auto) operator[](std::size_t index) const noexcept {
    const bool inside = index_is_inside<Kind, Dimensions, Current>(index, m_part) & m_inside;
    id<Dimensions> point = m_above;
    point[Current] = index;
    if constexpr (Current == Dimensions - 1) {
      return MakeReference::make(inside ? m_first + linear_index(point, m_whole)
                                        : element_scratch<Kind, T>());
    } else {
      return checked_subscript<Kind, T, Dimensions, MakeReference, Current + 1>(m_first, m_part, m_whole,
                                                                                point, inside);
    }
  }

private:
  T* m_first;
  range<Dimensions> m_part, m_whole;
  id<Dimensions> m_above;
  bool m_inside;
};

}
}
} // namespace sycl::_V1::detail
