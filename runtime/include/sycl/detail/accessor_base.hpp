// The interface of buffers, accessors and the handler to runtime/api: boxes, access requests, and the
// functions behind the classes. An accessor owns nothing: it has a token that submission replaces by an
// address. The record of a token is in its command group, or, for placeholders, in a table of the process
// until the buffer is destroyed.
#pragma once

#include <sycl/access.hpp>
#include <sycl/detail/call_site.hpp>
#include <sycl/detail/same.hpp>
#include <sycl/id.hpp>
#include <sycl/range.hpp>

#include <cstdint>
#include <iterator>
#include <memory>

namespace sycl {
inline namespace _V1 {

class handler;

namespace detail {

class buffer_impl;

/// A box of elements of a buffer, padded to three dimensions. Dimension 0 is the slowest.
struct element_box {
  std::uint64_t offset[3] = {0, 0, 0};
  std::uint64_t extent[3] = {1, 1, 1};
};

template <int Dimensions>
element_box make_box(const range<Dimensions>& extent, const id<Dimensions>& offset = {}) noexcept {
  element_box box;
  for (int d = 0; d < Dimensions; ++d) {
    box.offset[3 - Dimensions + d] = offset[d];
    box.extent[3 - Dimensions + d] = extent[d];
  }
  return box;
}

struct access_request {
  access_mode mode;
  bool no_init;
  sycl::target place;
  element_box region;        // the elements that are accessed
  std::uint64_t byte_offset; // of the region's first element from the buffer's first
};

/// Whether a word may be a token. Tokens are non-canonical addresses, so no pointer looks like one.
inline bool looks_like_token(std::uint64_t word) noexcept {
  const std::uint64_t high = word >> 47;
  return high != 0 && high != 0x1ffff;
}

/// Adds a requirement to the command group. Returns the accessor's token. Throws errc::invalid for a region
/// outside of the buffer, a misaligned sub-buffer, or no_init with access_mode::read.
std::uint64_t bind_accessor(handler& group, const impl_ptr<buffer_impl>& buffer,
                            const access_request& request);
/// The same for a placeholder, which handler::require binds later.
std::uint64_t place_accessor(const impl_ptr<buffer_impl>& buffer, const access_request& request);
/// Whether the accessor was created with property::no_init: then its token is odd, otherwise even.
inline bool token_says_no_init(std::uint64_t token) noexcept { return (token & 1u) != 0; }
/// Whether the word is the token of a placeholder, even if its buffer was destroyed. No address looks like
/// one.
inline bool token_says_placeholder(std::uint64_t word) noexcept {
  return looks_like_token(word) && (word & 2u) != 0;
}
/// In a host task: returns the address for a token.
void* resolve_host_token(std::uint64_t token);

struct host_memory {
  std::shared_ptr<void> guard; // conflicting commands wait until it is destroyed
  void* data = nullptr;        // the buffer's first byte
};
/// Blocks until the bytes are in host memory.
host_memory acquire_host(const impl_ptr<buffer_impl>& buffer, const access_request& request, call_site site);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
template <access_mode Mode>
inline constexpr bool mode_discards =
    detail::same<Mode, access_mode::discard_write> || detail::same<Mode, access_mode::discard_read_write>;

template <access_mode Mode>
inline constexpr access_mode mode_without_discard =
    detail::same<Mode, access_mode::discard_write>        ? access_mode::write
    : detail::same<Mode, access_mode::discard_read_write> ? access_mode::read_write
    : detail::same<Mode, access_mode::atomic>             ? access_mode::read_write
                                                          : Mode;
#pragma GCC diagnostic pop

/// The target of an unused conversion operator of accessors with dimensions.
struct no_element {};

/// Converts the address of an element to the result of an accessor's operator[]. accessor.hpp specialises it
/// for atomics.
template <typename Reference>
struct reference_maker {
  template <typename T>
  static Reference make(T* element) noexcept {
    return *element;
  }
};
template <typename Reference, typename T>
Reference refer_to(T* element) noexcept {
  return reference_maker<Reference>::make(element);
}

/// The intermediate result of a[i][j][k]: takes one index after another, from the slowest dimension.
template <typename Element, int Dimensions, int Current, typename Reference = Element&>
class subscript {
public:
  subscript(Element* first, const range<Dimensions>& extent) noexcept : m_first(first), m_extent(extent) {}
  decltype(auto) operator[](std::size_t index) const noexcept {
    if constexpr (Current == Dimensions - 1) {
      return refer_to<Reference>(m_first + index);
    } else {
      std::size_t pitch = 1;
      for (int d = Current + 1; d < Dimensions; ++d) pitch *= m_extent[d];
      return subscript<Element, Dimensions, Current + 1, Reference>(m_first + index * pitch, m_extent);
    }
  }

private:
  Element* m_first;
  const range<Dimensions>& m_extent;
};

/// Iterates over the elements of a box in row-major order.
template <typename Element, int Dimensions>
class box_iterator {
public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::remove_const_t<Element>;
  using difference_type = std::ptrdiff_t;
  using pointer = Element*;
  using reference = Element&;

  box_iterator() = default;
  box_iterator(Element* first, const range<Dimensions>& whole, const range<Dimensions>& part,
               difference_type at) noexcept
      : m_first(first), m_whole(whole), m_part(part), m_at(at) {}

  reference operator*() const noexcept { return (*this)[0]; }
  pointer operator->() const noexcept { return &(*this)[0]; }
  reference operator[](difference_type n) const noexcept {
    auto rest = static_cast<std::size_t>(m_at + n);
    id<Dimensions> point;
    for (int d = Dimensions - 1; d >= 0; --d) {
      point[d] = rest % m_part[d];
      rest /= m_part[d];
    }
    return m_first[linear_index(point, m_whole)];
  }
  box_iterator& operator++() noexcept { return *this += 1; }
  box_iterator& operator--() noexcept { return *this += -1; }
  box_iterator operator++(int) noexcept {
    auto old = *this;
    *this += 1;
    return old;
  }
  box_iterator operator--(int) noexcept {
    auto old = *this;
    *this += -1;
    return old;
  }
  box_iterator& operator+=(difference_type n) noexcept {
    m_at += n;
    return *this;
  }
  box_iterator& operator-=(difference_type n) noexcept {
    m_at -= n;
    return *this;
  }
  friend box_iterator operator+(box_iterator i, difference_type n) noexcept { return i += n; }
  friend box_iterator operator+(difference_type n, box_iterator i) noexcept { return i += n; }
  friend box_iterator operator-(box_iterator i, difference_type n) noexcept { return i -= n; }
  friend difference_type operator-(const box_iterator& a, const box_iterator& b) noexcept {
    return a.m_at - b.m_at;
  }
  friend bool operator==(const box_iterator& a, const box_iterator& b) noexcept { return a.m_at == b.m_at; }
  friend bool operator!=(const box_iterator& a, const box_iterator& b) noexcept { return a.m_at != b.m_at; }
  friend bool operator<(const box_iterator& a, const box_iterator& b) noexcept { return a.m_at < b.m_at; }
  friend bool operator>(const box_iterator& a, const box_iterator& b) noexcept { return a.m_at > b.m_at; }
  friend bool operator<=(const box_iterator& a, const box_iterator& b) noexcept { return a.m_at <= b.m_at; }
  friend bool operator>=(const box_iterator& a, const box_iterator& b) noexcept { return a.m_at >= b.m_at; }

private:
  Element* m_first = nullptr;
  range<Dimensions> m_whole, m_part;
  difference_type m_at = 0;
};

template <typename Element, int Dimensions>
using accessor_iterator = std::conditional_t<(Dimensions < 2), Element*, box_iterator<Element, Dimensions>>;

}
}
} // namespace sycl::_V1::detail
