// sycl::marray<T, N>: an array of N numbers with element-wise operators (SYCL 2020, "Math array types"). It
// has the layout of T[N]; comparisons and logical operators return marray<bool, N>. For host and device.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <sycl/half.hpp>

namespace sycl {
inline namespace _V1 {

template <typename DataT, std::size_t NumElements>
class marray;

namespace detail {

template <typename DataT, typename Arg>
constexpr std::size_t marray_elements(const Arg*) noexcept {
  return std::is_convertible_v<Arg, DataT> ? 1 : 0;
}
template <typename DataT, std::size_t N>
constexpr std::size_t marray_elements(const marray<DataT, N>*) noexcept {
  return N;
}

template <typename T>
inline constexpr bool marray_has_bits = std::is_integral_v<T>;

/// Whether the elements have operator< and convert to bool; false for sycl_ext_oneapi_complex.
template <typename T>
inline constexpr bool marray_has_order = true;

} // namespace detail

template <typename DataT, std::size_t NumElements>
class marray {
  static_assert(NumElements >= 1, "a sycl::marray has at least one element");

public:
  using value_type = DataT;
  using reference = DataT&;
  using const_reference = const DataT&;
  using iterator = DataT*;
  using const_iterator = const DataT*;

  constexpr marray() noexcept : m_data{} {}
  explicit constexpr marray(const DataT& value) noexcept : m_data{} {
    for (std::size_t i = 0; i < NumElements; ++i) m_data[i] = value;
  }
  /// From scalars and marrays with a total of NumElements elements.
  template <
      typename... Args,
      std::enable_if_t<(sizeof...(Args) >= 2) &&
                           ((detail::marray_elements<DataT>(static_cast<const Args*>(nullptr)) > 0) && ...) &&
                           (detail::marray_elements<DataT>(static_cast<const Args*>(nullptr)) + ... + 0) ==
                               NumElements,
                       int> = 0>
  constexpr marray(const Args&... args) noexcept : m_data{} {
    std::size_t next = 0;
    (append(next, args), ...);
  }
  constexpr marray(const marray&) noexcept = default;
  constexpr marray(marray&&) noexcept = default;
  constexpr marray& operator=(const marray&) noexcept = default;
  constexpr marray& operator=(marray&&) noexcept = default;
  constexpr marray& operator=(const DataT& value) noexcept {
    for (std::size_t i = 0; i < NumElements; ++i) m_data[i] = value;
    return *this;
  }

  /// An marray of one element converts to that element.
  template <std::size_t N = NumElements, std::enable_if_t<N == 1, int> = 0>
  constexpr operator DataT() const noexcept {
    return m_data[0];
  }

  static constexpr std::size_t size() noexcept { return NumElements; }

  constexpr reference operator[](std::size_t index) noexcept { return m_data[index]; }
  constexpr const_reference operator[](std::size_t index) const noexcept { return m_data[index]; }

  constexpr iterator begin() noexcept { return m_data; }
  constexpr const_iterator begin() const noexcept { return m_data; }
  constexpr iterator end() noexcept { return m_data + NumElements; }
  constexpr const_iterator end() const noexcept { return m_data + NumElements; }

#define PRISM_MARRAY_BINARY(OP, WHEN)                                                                        \
  template <typename T = DataT, std::enable_if_t<WHEN, int> = 0>                                             \
  friend marray operator OP(const marray& lhs, const marray& rhs) {                                          \
    marray result;                                                                                           \
    for (std::size_t i = 0; i < NumElements; ++i) result[i] = static_cast<T>(lhs[i] OP rhs[i]);              \
    return result;                                                                                           \
  }                                                                                                          \
  template <typename T = DataT, std::enable_if_t<WHEN, int> = 0>                                             \
  friend marray operator OP(const marray& lhs, const DataT& rhs) {                                           \
    return lhs OP marray(rhs);                                                                               \
  }                                                                                                          \
  template <typename T = DataT, std::enable_if_t<WHEN, int> = 0>                                             \
  friend marray operator OP(const DataT& lhs, const marray& rhs) {                                           \
    return marray(lhs) OP rhs;                                                                               \
  }                                                                                                          \
  template <typename T = DataT, std::enable_if_t<WHEN, int> = 0>                                             \
  friend marray& operator OP##=(marray & lhs, const marray & rhs) {                                          \
    return lhs = lhs OP rhs;                                                                                 \
  }                                                                                                          \
  template <typename T = DataT, std::enable_if_t<WHEN, int> = 0>                                             \
  friend marray& operator OP##=(marray & lhs, const DataT & rhs) {                                           \
    return lhs = lhs OP marray(rhs);                                                                         \
  }
  PRISM_MARRAY_BINARY(+, true || sizeof(T))
  PRISM_MARRAY_BINARY(-, true || sizeof(T))
  PRISM_MARRAY_BINARY(*, true || sizeof(T))
  PRISM_MARRAY_BINARY(/, true || sizeof(T))
  PRISM_MARRAY_BINARY(%, detail::marray_has_bits<T>)
  PRISM_MARRAY_BINARY(&, detail::marray_has_bits<T>)
  PRISM_MARRAY_BINARY(|, detail::marray_has_bits<T>)
  PRISM_MARRAY_BINARY(^, detail::marray_has_bits<T>)
  PRISM_MARRAY_BINARY(<<, detail::marray_has_bits<T>)
  PRISM_MARRAY_BINARY(>>, detail::marray_has_bits<T>)
#undef PRISM_MARRAY_BINARY

#define PRISM_MARRAY_COMPARE(OP, WHEN)                                                                       \
  template <typename T = DataT, std::enable_if_t<WHEN, int> = 0>                                             \
  friend marray<bool, NumElements> operator OP(const marray & lhs, const marray & rhs) {                     \
    marray<bool, NumElements> result;                                                                        \
    for (std::size_t i = 0; i < NumElements; ++i) result[i] = lhs[i] OP rhs[i];                              \
    return result;                                                                                           \
  }                                                                                                          \
  template <typename T = DataT, std::enable_if_t<WHEN, int> = 0>                                             \
  friend marray<bool, NumElements> operator OP(const marray & lhs, const DataT & rhs) {                      \
    return lhs OP marray(rhs);                                                                               \
  }                                                                                                          \
  template <typename T = DataT, std::enable_if_t<WHEN, int> = 0>                                             \
  friend marray<bool, NumElements> operator OP(const DataT & lhs, const marray & rhs) {                      \
    return marray(lhs) OP rhs;                                                                               \
  }
  PRISM_MARRAY_COMPARE(==, true || sizeof(T))
  PRISM_MARRAY_COMPARE(!=, true || sizeof(T))
  PRISM_MARRAY_COMPARE(<, detail::marray_has_order<T>)
  PRISM_MARRAY_COMPARE(>, detail::marray_has_order<T>)
  PRISM_MARRAY_COMPARE(<=, detail::marray_has_order<T>)
  PRISM_MARRAY_COMPARE(>=, detail::marray_has_order<T>)
  PRISM_MARRAY_COMPARE(&&, detail::marray_has_order<T>)
  PRISM_MARRAY_COMPARE(||, detail::marray_has_order<T>)
#undef PRISM_MARRAY_COMPARE

#define PRISM_MARRAY_STEP(OP, ASSIGN)                                                                        \
  template <typename T = DataT,                                                                              \
            std::enable_if_t<!std::is_same_v<T, bool> && detail::marray_has_order<T>, int> = 0>              \
  friend marray& operator OP(marray & value) {                                                               \
    return value ASSIGN T(1);                                                                                \
  }                                                                                                          \
  template <typename T = DataT,                                                                              \
            std::enable_if_t<!std::is_same_v<T, bool> && detail::marray_has_order<T>, int> = 0>              \
  friend marray operator OP(marray& value, int) {                                                            \
    const marray old = value;                                                                                \
    value ASSIGN T(1);                                                                                       \
    return old;                                                                                              \
  }
  PRISM_MARRAY_STEP(++, +=)
  PRISM_MARRAY_STEP(--, -=)
#undef PRISM_MARRAY_STEP

  friend marray operator+(const marray& value) { return value; }
  friend marray operator-(const marray& value) {
    marray result;
    for (std::size_t i = 0; i < NumElements; ++i) result[i] = static_cast<DataT>(-value[i]);
    return result;
  }
  template <typename T = DataT, std::enable_if_t<detail::marray_has_bits<T>, int> = 0>
  friend marray operator~(const marray& value) {
    marray result;
    for (std::size_t i = 0; i < NumElements; ++i) result[i] = static_cast<T>(~value[i]);
    return result;
  }
  template <typename T = DataT, std::enable_if_t<detail::marray_has_order<T>, int> = 0>
  friend marray<bool, NumElements> operator!(const marray& value) {
    marray<bool, NumElements> result;
    for (std::size_t i = 0; i < NumElements; ++i) result[i] = !value[i];
    return result;
  }

private:
  template <typename Arg>
  constexpr void append(std::size_t& next, const Arg& arg) noexcept {
    m_data[next++] = static_cast<DataT>(arg);
  }
  template <std::size_t N>
  constexpr void append(std::size_t& next, const marray<DataT, N>& arg) noexcept {
    for (std::size_t i = 0; i < N; ++i) m_data[next++] = arg[i];
  }

  DataT m_data[NumElements];
};

template <typename T, typename... Rest, std::enable_if_t<(std::is_same_v<T, Rest> && ...), int> = 0>
marray(T, Rest...) -> marray<T, sizeof...(Rest) + 1>;

#define PRISM_MARRAY_ALIASES(TYPE, NAME)                                                                     \
  using m##NAME##2 = marray<TYPE, 2>;                                                                        \
  using m##NAME##3 = marray<TYPE, 3>;                                                                        \
  using m##NAME##4 = marray<TYPE, 4>;                                                                        \
  using m##NAME##8 = marray<TYPE, 8>;                                                                        \
  using m##NAME##16 = marray<TYPE, 16>;
PRISM_MARRAY_ALIASES(std::int8_t, char)
PRISM_MARRAY_ALIASES(std::uint8_t, uchar)
PRISM_MARRAY_ALIASES(std::int16_t, short)
PRISM_MARRAY_ALIASES(std::uint16_t, ushort)
PRISM_MARRAY_ALIASES(std::int32_t, int)
PRISM_MARRAY_ALIASES(std::uint32_t, uint)
PRISM_MARRAY_ALIASES(std::int64_t, long)
PRISM_MARRAY_ALIASES(std::uint64_t, ulong)
PRISM_MARRAY_ALIASES(half, half)
PRISM_MARRAY_ALIASES(float, float)
PRISM_MARRAY_ALIASES(double, double)
PRISM_MARRAY_ALIASES(bool, bool)
#undef PRISM_MARRAY_ALIASES

}
} // namespace sycl::_V1
