// sycl::span and dynamic_extent: C++20's std::span for C++17 (SYCL 2020, "Alignment with future versions of
// C++").
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <type_traits>

namespace sycl {
inline namespace _V1 {

inline constexpr std::size_t dynamic_extent = static_cast<std::size_t>(-1);

template <typename T, std::size_t Extent = dynamic_extent>
class span;

namespace detail {

template <std::size_t Extent>
struct span_size {
  constexpr span_size() noexcept = default;
  constexpr explicit span_size(std::size_t) noexcept {}
  constexpr std::size_t value() const noexcept { return Extent; }
};
template <>
struct span_size<dynamic_extent> {
  constexpr span_size() noexcept = default;
  constexpr explicit span_size(std::size_t count) noexcept : m_count(count) {}
  constexpr std::size_t value() const noexcept { return m_count; }
  std::size_t m_count = 0;
};

template <typename T>
inline constexpr bool is_span = false;
template <typename T, std::size_t E>
inline constexpr bool is_span<sycl::span<T, E>> = true;
template <typename T>
inline constexpr bool is_std_array = false;
template <typename T, std::size_t N>
inline constexpr bool is_std_array<std::array<T, N>> = true;

template <typename Container, typename T, typename = void>
struct is_span_source : std::false_type {};
template <typename Container, typename T>
struct is_span_source<Container, T,
                      std::void_t<decltype(std::data(std::declval<Container&>())),
                                  decltype(std::size(std::declval<Container&>()))>>
    : std::bool_constant<
          !is_span<std::remove_cv_t<Container>> && !is_std_array<std::remove_cv_t<Container>> &&
          !std::is_array_v<Container> &&
          std::is_convertible_v<std::remove_pointer_t<decltype(std::data(std::declval<Container&>()))> (*)[],
                                T (*)[]>> {};

} // namespace detail

template <typename T, std::size_t Extent>
class span {
  template <std::size_t N>
  static constexpr bool fits = Extent == dynamic_extent || Extent == N;

public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using const_pointer = const T*;
  using reference = T&;
  using const_reference = const T&;
  using iterator = pointer;
  using reverse_iterator = std::reverse_iterator<iterator>;
  static constexpr size_type extent = Extent;

  template <std::size_t E = Extent, std::enable_if_t<E == dynamic_extent || E == 0, int> = 0>
  constexpr span() noexcept {}
  constexpr span(pointer first, size_type count) : m_data(first), m_size(count) {}
  constexpr span(pointer first, pointer last) : m_data(first), m_size(static_cast<size_type>(last - first)) {}
  template <std::size_t N, std::enable_if_t<fits<N>, int> = 0>
  constexpr span(T (&array)[N]) noexcept : m_data(array), m_size(N) {}
  template <typename U, std::size_t N,
            std::enable_if_t<fits<N> && std::is_convertible_v<U (*)[], T (*)[]>, int> = 0>
  constexpr span(std::array<U, N>& array) noexcept : m_data(array.data()), m_size(N) {}
  template <typename U, std::size_t N,
            std::enable_if_t<fits<N> && std::is_convertible_v<const U (*)[], T (*)[]>, int> = 0>
  constexpr span(const std::array<U, N>& array) noexcept : m_data(array.data()), m_size(N) {}
  template <typename Container, std::enable_if_t<detail::is_span_source<Container, T>::value, int> = 0>
  constexpr span(Container& container) : m_data(std::data(container)), m_size(std::size(container)) {}
  template <typename Container, std::enable_if_t<detail::is_span_source<const Container, T>::value, int> = 0>
  constexpr span(const Container& container) : m_data(std::data(container)), m_size(std::size(container)) {}
  template <typename U, std::size_t E,
            std::enable_if_t<(Extent == dynamic_extent || E == Extent || E == dynamic_extent) &&
                                 std::is_convertible_v<U (*)[], T (*)[]>,
                             int> = 0>
  constexpr span(const span<U, E>& other) noexcept : m_data(other.data()), m_size(other.size()) {}

  constexpr pointer data() const noexcept { return m_data; }
  constexpr size_type size() const noexcept { return m_size.value(); }
  constexpr size_type size_bytes() const noexcept { return size() * sizeof(T); }
  constexpr bool empty() const noexcept { return size() == 0; }
  constexpr reference operator[](size_type index) const { return m_data[index]; }
  constexpr reference front() const { return m_data[0]; }
  constexpr reference back() const { return m_data[size() - 1]; }
  constexpr iterator begin() const noexcept { return m_data; }
  constexpr iterator end() const noexcept { return m_data + size(); }
  constexpr reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  constexpr reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }

  template <std::size_t Count>
  constexpr span<T, Count> first() const {
    return {m_data, Count};
  }
  template <std::size_t Count>
  constexpr span<T, Count> last() const {
    return {m_data + (size() - Count), Count};
  }
  template <std::size_t Offset, std::size_t Count = dynamic_extent>
  constexpr auto subspan() const {
    constexpr std::size_t result =
        Count != dynamic_extent ? Count : (Extent != dynamic_extent ? Extent - Offset : dynamic_extent);
    return span<T, result>(m_data + Offset, Count != dynamic_extent ? Count : size() - Offset);
  }
  constexpr span<T> first(size_type count) const { return {m_data, count}; }
  constexpr span<T> last(size_type count) const { return {m_data + (size() - count), count}; }
  constexpr span<T> subspan(size_type offset, size_type count = dynamic_extent) const {
    return {m_data + offset, count == dynamic_extent ? size() - offset : count};
  }

private:
  pointer m_data = nullptr;
  detail::span_size<Extent> m_size;
};

template <typename T, std::size_t N>
span(T (&)[N]) -> span<T, N>;
template <typename T, std::size_t N>
span(std::array<T, N>&) -> span<T, N>;
template <typename T, std::size_t N>
span(const std::array<T, N>&) -> span<const T, N>;
template <typename Container>
span(Container&) -> span<std::remove_pointer_t<decltype(std::data(std::declval<Container&>()))>>;
template <typename Container>
span(const Container&) -> span<std::remove_pointer_t<decltype(std::data(std::declval<const Container&>()))>>;

template <typename T, std::size_t Extent>
auto as_bytes(span<T, Extent> s) noexcept {
  return span < const std::byte,
         Extent == dynamic_extent
             ? dynamic_extent
             : Extent * sizeof(T) > (reinterpret_cast<const std::byte*>(s.data()), s.size_bytes());
}
template <typename T, std::size_t Extent, std::enable_if_t<!std::is_const_v<T>, int> = 0>
auto as_writable_bytes(span<T, Extent> s) noexcept {
  return span < std::byte,
         Extent == dynamic_extent
             ? dynamic_extent
             : Extent * sizeof(T) > (reinterpret_cast<std::byte*>(s.data()), s.size_bytes());
}

}
} // namespace sycl::_V1
