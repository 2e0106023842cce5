// The extension SYCL_EXT_ONEAPI_SUB_GROUP_MASK: one bit for each work-item of a sub-group. group_ballot
// creates it.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <climits>
#include <utility>

#include <sycl/marray.hpp>
#include <sycl/sub_group.hpp>

#define SYCL_EXT_ONEAPI_SUB_GROUP_MASK 2

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {

class sub_group_mask {
public:
  static constexpr std::size_t max_bits = 64;

  /// A reference to one bit, usable as a bool.
  class reference {
  public:
    reference& operator=(bool value) { return set(value); }
    reference& operator=(const reference& other) { return set(bool(other)); }
    operator bool() const { return m_mask.test(id<1>(m_bit)); }
    bool operator~() const { return !bool(*this); }
    reference& flip() { return set(!bool(*this)); }

  private:
    friend sub_group_mask;
    reference(sub_group_mask& mask, std::size_t bit) : m_mask(mask), m_bit(bit) {}
    reference& set(bool value) {
      m_mask.set(id<1>(m_bit), value);
      return *this;
    }
    sub_group_mask& m_mask;
    std::size_t m_bit;
  };

  sub_group_mask() noexcept : sub_group_mask(0, __prism_sub_group_size()) {}
  sub_group_mask(unsigned long long bits) noexcept : sub_group_mask(bits, __prism_sub_group_size()) {}
  template <typename T, std::size_t N, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  sub_group_mask(const marray<T, N>& bits) noexcept : sub_group_mask() {
    insert_bits(bits);
  }

  bool operator[](id<1> at) const { return test(at); }
  reference operator[](id<1> at) { return {*this, at[0]}; }
  bool test(id<1> at) const { return at[0] < m_size && (m_bits >> at[0] & 1u) != 0; }
  bool all() const { return m_bits == whole(); }
  bool any() const { return m_bits != 0; }
  bool none() const { return m_bits == 0; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(__builtin_popcountll(m_bits)); }
  std::uint32_t size() const { return m_size; }
  /// Return the index of the first and of the last set bit, or size() if no bit is set.
  id<1> find_low() const { return none() ? m_size : std::size_t(__builtin_ctzll(m_bits)); }
  id<1> find_high() const { return none() ? m_size : std::size_t(63 - __builtin_clzll(m_bits)); }

  template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  void insert_bits(const T& bits, id<1> at = 0) {
    insert(static_cast<std::uint64_t>(bits), sizeof(T) * CHAR_BIT, at[0]);
  }
  template <typename T, std::size_t N, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  void insert_bits(const marray<T, N>& bits, id<1> at = 0) {
    constexpr std::size_t width = sizeof(T) * CHAR_BIT;
    for (std::size_t i = 0; i < N; ++i) insert(static_cast<std::uint64_t>(bits[i]), width, at[0] + i * width);
  }
  template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  void extract_bits(T& bits, id<1> at = 0) const {
    bits = static_cast<T>(from(at[0]));
  }
  template <typename T, std::size_t N, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  void extract_bits(marray<T, N>& bits, id<1> at = 0) const {
    for (std::size_t i = 0; i < N; ++i) bits[i] = static_cast<T>(from(at[0] + i * sizeof(T) * CHAR_BIT));
  }

  void set() { m_bits = whole(); }
  void set(id<1> at, bool value = true) {
    if (at[0] >= m_size) return;
    const std::uint64_t bit = std::uint64_t{1} << at[0];
    m_bits = value ? m_bits | bit : m_bits & ~bit;
  }
  void reset() { m_bits = 0; }
  void reset(id<1> at) { set(at, false); }
  void reset_low() { m_bits &= m_bits - 1; }
  void reset_high() {
    if (any()) reset(find_high());
  }
  void flip() { m_bits ^= whole(); }
  void flip(id<1> at) { set(at, !test(at)); }

  bool operator==(const sub_group_mask& other) const { return m_bits == other.m_bits; }
  bool operator!=(const sub_group_mask& other) const { return m_bits != other.m_bits; }
  sub_group_mask& operator&=(const sub_group_mask& other) { return m_bits &= other.m_bits, *this; }
  sub_group_mask& operator|=(const sub_group_mask& other) { return m_bits |= other.m_bits, *this; }
  sub_group_mask& operator^=(const sub_group_mask& other) { return m_bits ^= other.m_bits, *this; }
  sub_group_mask& operator<<=(std::size_t by) {
    return m_bits = by < max_bits ? m_bits << by & whole() : 0, *this;
  }
  sub_group_mask& operator>>=(std::size_t by) { return m_bits = by < max_bits ? m_bits >> by : 0, *this; }
  sub_group_mask operator~() const { return {~m_bits, m_size}; }
  sub_group_mask operator<<(std::size_t by) const { return sub_group_mask(*this) <<= by; }
  sub_group_mask operator>>(std::size_t by) const { return sub_group_mask(*this) >>= by; }
  friend sub_group_mask operator&(const sub_group_mask& a, const sub_group_mask& b) {
    return sub_group_mask(a) &= b;
  }
  friend sub_group_mask operator|(const sub_group_mask& a, const sub_group_mask& b) {
    return sub_group_mask(a) |= b;
  }
  friend sub_group_mask operator^(const sub_group_mask& a, const sub_group_mask& b) {
    return sub_group_mask(a) ^= b;
  }

private:
  sub_group_mask(std::uint64_t bits, std::uint32_t size) noexcept : m_bits(bits), m_size(size) {
    m_bits &= whole();
  }
  std::uint64_t whole() const { return ~std::uint64_t{0} >> (max_bits - m_size); }
  std::uint64_t from(std::size_t at) const { return at < max_bits ? m_bits >> at : 0; }
  void insert(std::uint64_t bits, std::size_t width, std::size_t at) {
    if (at >= m_size) return;
    const std::uint64_t field = (width < max_bits ? (std::uint64_t{1} << width) - 1 : ~std::uint64_t{0})
                                << at;
    m_bits = ((m_bits & ~field) | (bits << at & field)) & whole();
  }

  std::uint64_t m_bits;
  std::uint32_t m_size;
};

/// Returns the predicates of all work-items of the sub-group, which must call it together.
inline sub_group_mask group_ballot(sycl::sub_group, bool predicate = true) {
  return sub_group_mask(__prism_sub_group_ballot(predicate));
}

}
}
}
} // namespace sycl::_V1::ext::oneapi

#include <sycl/detail/user_macros_restore.hpp>
