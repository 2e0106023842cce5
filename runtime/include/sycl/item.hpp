// sycl::item<D, WithOffset>: the id of a work-item in a launch over a range, with that range. Only the
// runtime creates items (detail::make_item).
#pragma once

#include <sycl/id.hpp>

namespace sycl {
inline namespace _V1 {

template <int Dimensions = 1, bool WithOffset = true>
class item;

namespace detail {

template <int Dimensions, bool WithOffset>
item<Dimensions, WithOffset> make_item(const range<Dimensions>& extent, const id<Dimensions>& point,
                                       const id<Dimensions>& offset = {}) noexcept;

template <int Dimensions, bool WithOffset>
struct item_offset { // an item without offset stores none
  constexpr id<Dimensions> value() const noexcept { return {}; }
};
template <int Dimensions>
struct item_offset<Dimensions, true> {
  id<Dimensions> m_offset;
  constexpr id<Dimensions> value() const noexcept { return m_offset; }
};

} // namespace detail

template <int Dimensions, bool WithOffset>
class item : public detail::index_conversion<item<Dimensions, WithOffset>, Dimensions>,
             private detail::item_offset<Dimensions, WithOffset> {
  using offset_base = detail::item_offset<Dimensions, WithOffset>;
  friend detail::index_conversion<item, Dimensions>;

public:
  static constexpr int dimensions = Dimensions;

  item() = delete;
  /// Converts an item without offset to one with offset zero.
  template <bool W, std::enable_if_t<WithOffset && !W, int> = 0>
  [[deprecated("offsets are deprecated: take a sycl::item without one")]] item(
      const item<Dimensions, W>& other) noexcept
      : item(other.get_range(), other.get_id(), offset_base{id<Dimensions>()}) {}

  /// Returns the id, including the offset.
  id<Dimensions> get_id() const noexcept { return m_id; }
  std::size_t get_id(int dimension) const noexcept { return m_id[dimension]; }
  std::size_t operator[](int dimension) const noexcept { return m_id[dimension]; }
  range<Dimensions> get_range() const noexcept { return m_range; }
  std::size_t get_range(int dimension) const noexcept { return m_range[dimension]; }

  template <bool W = WithOffset, std::enable_if_t<W, int> = 0>
  [[deprecated("offsets are deprecated: add them to the ids in the kernel")]] id<Dimensions>
  get_offset() const noexcept {
    return this->value();
  }

  /// Returns the row-major index in the range, without the offset.
  std::size_t get_linear_id() const noexcept { return detail::linear_index(m_id - this->value(), m_range); }

  friend bool operator==(const item& lhs, const item& rhs) noexcept {
    return lhs.m_range == rhs.m_range && lhs.m_id == rhs.m_id && lhs.value() == rhs.value();
  }
  friend bool operator!=(const item& lhs, const item& rhs) noexcept { return !(lhs == rhs); }

private:
  item(const range<Dimensions>& extent, const id<Dimensions>& point, const offset_base& offset) noexcept
      : offset_base(offset), m_range(extent), m_id(point) {}

  friend item detail::make_item<Dimensions, WithOffset>(const range<Dimensions>&, const id<Dimensions>&,
                                                        const id<Dimensions>&) noexcept;

  std::size_t get_linear() const noexcept { return m_id[0]; }

  range<Dimensions> m_range;
  id<Dimensions> m_id;
};

namespace detail {

/// `point` includes `offset`, which must be zero for an item without offset.
template <int Dimensions, bool WithOffset>
item<Dimensions, WithOffset> make_item(const range<Dimensions>& extent, const id<Dimensions>& point,
                                       [[maybe_unused]] const id<Dimensions>& offset) noexcept {
  if constexpr (WithOffset) {
    return item<Dimensions, true>(extent, point, item_offset<Dimensions, true>{offset});
  } else {
    return item<Dimensions, false>(extent, point, item_offset<Dimensions, false>{});
  }
}

} // namespace detail

}
} // namespace sycl::_V1
