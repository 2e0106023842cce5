// sycl::vec<T, N>, N in {1, 2, 3, 4, 8, 16}: N elements with the size and alignment of an OpenCL vector (3
// elements have the size of 4; the alignment is at most 64 bytes). Swizzles are views of a vec. Programs can
// neither copy nor construct them, and must use them immediately. One element by name, such as v.x(), is the
// element itself, as in other implementations: it binds to a reference, has an address, and templates deduce
// the element's type. detail/vec_operators.hpp has the operators. For host and device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <sycl/access_spaces.hpp>
#include <sycl/bit_cast.hpp>
#include <sycl/detail/vec_accessors.hpp>
#include <sycl/detail/vec_convert.hpp>
#include <sycl/detail/vec_operators.hpp>

namespace sycl {
inline namespace _V1 {

struct elem {
  static constexpr int x = 0, y = 1, z = 2, w = 3;
  static constexpr int r = 0, g = 1, b = 2, a = 3;
  static constexpr int s0 = 0, s1 = 1, s2 = 2, s3 = 3, s4 = 4, s5 = 5, s6 = 6, s7 = 7;
  static constexpr int s8 = 8, s9 = 9, sA = 10, sB = 11, sC = 12, sD = 13, sE = 14, sF = 15;
};

namespace detail {

constexpr int vec_storage(int elements) noexcept { return elements == 3 ? 4 : elements; }
constexpr std::size_t vec_alignment(std::size_t bytes) noexcept { return bytes < 64 ? bytes : 64; }

/// Returns how many elements an argument of a vec<T, N> constructor supplies; 0 if its type is not permitted.
template <typename T, typename Arg>
constexpr int constructor_elements() noexcept {
  if constexpr (is_vec_like<Arg>) {
    return std::is_same_v<typename vec_traits<Arg>::element, T> ? vec_traits<Arg>::size : 0;
  } else {
    return std::is_convertible_v<Arg, T> ? 1 : 0;
  }
}
template <typename T, int N, typename... Args>
inline constexpr bool constructs_vec =
    sizeof...(Args) >= 2 && ((constructor_elements<T, Args>() > 0) && ...) &&
    (constructor_elements<T, Args>() + ... + 0) == N;

template <typename Number, typename T>
inline constexpr bool other_number =
    std::is_arithmetic_v<Number> && !std::is_same_v<Number, T> && std::is_convertible_v<Number, T>;

// Returns element I of a list of indices, for swizzles of swizzles.
template <int I, int First, int... Rest>
constexpr int pick() noexcept {
  if constexpr (I == 0) {
    return First;
  } else if constexpr (sizeof...(Rest) == 0) {
    return First + I; // the fourth element of three, in hi() and odd() of a 3-element swizzle; never read
  } else {
    return pick<I - 1, Rest...>();
  }
}

template <typename Derived, typename T, int N>
struct scalar_conversion {};
template <typename Derived, typename T>
struct scalar_conversion<Derived, T, 1> {
  constexpr operator T() const noexcept { return static_cast<const Derived*>(this)->first_element(); }
};

} // namespace detail

template <typename DataT, int NumElements>
class alignas(detail::vec_alignment(sizeof(DataT) * detail::vec_storage(NumElements))) vec
    : public detail::vec_ops::operand,
      public detail::scalar_conversion<vec<DataT, NumElements>, DataT, NumElements> {
  static_assert(NumElements == 1 || NumElements == 2 || NumElements == 3 || NumElements == 4 ||
                    NumElements == 8 || NumElements == 16,
                "a sycl::vec has 1, 2, 3, 4, 8 or 16 elements");
  static constexpr int static_size = NumElements;
  static constexpr int storage = detail::vec_storage(NumElements);

public:
  using element_type = DataT;
  using value_type = DataT;
  using vector_t = vec;

  vec() noexcept = default; // the elements' own, so no values for numbers, and a vec can be in a union
  constexpr vec(const vec&) noexcept = default;
  constexpr vec& operator=(const vec&) noexcept = default;

  /// Sets all elements to `value`. Implicit only for one element.
  template <int N = NumElements, std::enable_if_t<(N > 1), int> = 0>
  explicit constexpr vec(const DataT& value) noexcept : m_data{} {
    for (int i = 0; i < NumElements; ++i) m_data[i] = value;
  }
  template <int N = NumElements, std::enable_if_t<N == 1, int> = 0>
  constexpr vec(const DataT& value) noexcept : m_data{value} {}
  // Accepts numbers of other types, as the constructor below does, so that vec<float, 1>{1} and vec<float,
  // 4>{i} are not narrowing conversions.
  template <typename Number, int N = NumElements,
            std::enable_if_t<(N > 1) && detail::other_number<Number, DataT>, int> = 0>
  explicit constexpr vec(const Number& value) noexcept : vec(static_cast<DataT>(value)) {}
  template <typename Number, int N = NumElements,
            std::enable_if_t<N == 1 && detail::other_number<Number, DataT>, int> = 0>
  constexpr vec(const Number& value) noexcept : m_data{static_cast<DataT>(value)} {}
  // Without this, the conversion of a one-element swizzle would be ambiguous: as a scalar and as a vec.
  template <int M, bool Const, int I, int N = NumElements, std::enable_if_t<N == 1, int> = 0>
  constexpr vec(const detail::swizzled_vec<DataT, M, Const, I>& value) noexcept : m_data{value[0]} {}

  /// From scalars, vecs and swizzles of this element type with a total of NumElements elements.
  template <typename... Args, std::enable_if_t<detail::constructs_vec<DataT, NumElements, Args...>, int> = 0>
  constexpr vec(const Args&... args) noexcept : m_data{} {
    int next = 0;
    (append(next, args), ...);
  }

  constexpr vec& operator=(const DataT& value) noexcept {
    for (int i = 0; i < NumElements; ++i) m_data[i] = value;
    return *this;
  }
  template <int M, bool Const, int I, int N = NumElements, std::enable_if_t<N == 1, int> = 0>
  constexpr vec& operator=(const detail::swizzled_vec<DataT, M, Const, I>& value) noexcept {
    m_data[0] = value[0];
    return *this;
  }

  static constexpr std::size_t byte_size() noexcept { return sizeof(vec); }
  static constexpr int size() noexcept { return NumElements; }
  [[deprecated("use byte_size()")]] static constexpr std::size_t get_size() { return sizeof(vec); }
  [[deprecated("use size()")]] static constexpr std::size_t get_count() { return NumElements; }

  constexpr DataT& operator[](int index) noexcept { return m_data[index]; }
  constexpr const DataT& operator[](int index) const noexcept { return m_data[index]; }

  template <typename ConvertT, rounding_mode Mode = rounding_mode::automatic>
  vec<ConvertT, NumElements> convert() const {
    vec<ConvertT, NumElements> result;
    for (int i = 0; i < NumElements; ++i) result[i] = detail::convert_element<Mode, ConvertT>(m_data[i]);
    return result;
  }
  /// Returns the same bits as another vec type, which must have the same size in bytes.
  template <typename AsT>
  AsT as() const {
    static_assert(sizeof(AsT) == sizeof(vec), "vec::as needs a vec of the same size in bytes");
    return sycl::bit_cast<AsT>(*this);
  }

  template <int... Index>
  detail::swizzled_vec<DataT, NumElements, false, Index...> swizzle() noexcept {
    return detail::swizzled_vec<DataT, NumElements, false, Index...>(*this);
  }
  template <int... Index>
  detail::swizzled_vec<DataT, NumElements, true, Index...> swizzle() const noexcept {
    return detail::swizzled_vec<DataT, NumElements, true, Index...>(*this);
  }
  PRISM_VEC_ACCESSORS()
  PRISM_VEC_ACCESSORS(const)

  /// Loads element i from ptr[offset * N + i]. The pointer must have the alignment of an element.
  void load(std::size_t offset, const DataT* ptr) noexcept {
    for (int i = 0; i < NumElements; ++i) m_data[i] = ptr[offset * NumElements + i];
  }
  void store(std::size_t offset, DataT* ptr) const noexcept {
    for (int i = 0; i < NumElements; ++i) ptr[offset * NumElements + i] = m_data[i];
  }
  template <access::address_space Space, access::decorated Decorated>
  void load(std::size_t offset, multi_ptr<const DataT, Space, Decorated> ptr) noexcept {
    load(offset, static_cast<const DataT*>(ptr.get_raw()));
  }
  template <access::address_space Space, access::decorated Decorated>
  void load(std::size_t offset, multi_ptr<DataT, Space, Decorated> ptr) noexcept {
    load(offset, static_cast<const DataT*>(ptr.get_raw()));
  }
  template <access::address_space Space, access::decorated Decorated>
  void store(std::size_t offset, multi_ptr<DataT, Space, Decorated> ptr) const noexcept {
    store(offset, static_cast<DataT*>(ptr.get_raw()));
  }

private:
  template <typename Derived, typename T, int N>
  friend struct detail::scalar_conversion;
  template <typename T, int M, bool Const, int... Index>
  friend class detail::swizzled_vec;

  constexpr DataT first_element() const noexcept { return m_data[0]; }
  template <int I>
  constexpr DataT& element() noexcept {
    return m_data[I];
  }
  template <int I>
  constexpr const DataT& element() const noexcept {
    return m_data[I];
  }

  template <typename Arg>
  constexpr void append(int& next, const Arg& arg) noexcept {
    if constexpr (detail::is_vec_like<Arg>) {
      for (int i = 0; i < detail::vec_traits<Arg>::size; ++i) m_data[next++] = arg[i];
    } else {
      m_data[next++] = static_cast<DataT>(arg);
    }
  }

  DataT m_data[storage];
};

template <typename T, typename... Rest, std::enable_if_t<(std::is_same_v<T, Rest> && ...), int> = 0>
vec(T, Rest...) -> vec<T, static_cast<int>(sizeof...(Rest) + 1)>;

namespace detail {

template <typename DataT, int VecSize, bool Const, int... Index>
class swizzled_vec : public vec_ops::operand,
                     public scalar_conversion<swizzled_vec<DataT, VecSize, Const, Index...>, DataT,
                                              static_cast<int>(sizeof...(Index))> {
  static constexpr int static_size = static_cast<int>(sizeof...(Index));
  static_assert(((Index >= 0 && Index < vec_storage(VecSize)) && ...),
                "a swizzle index is outside of its vec");
  using base_vec = std::conditional_t<Const, const vec<DataT, VecSize>, vec<DataT, VecSize>>;
  using element_reference = std::conditional_t<Const, const DataT&, DataT&>;

public:
  using element_type = DataT;
  using value_type = DataT;
  using vector_t = vec<DataT, static_size>;

  swizzled_vec() = delete;
  swizzled_vec(const swizzled_vec&) = delete;

  operator vector_t() const noexcept { return value(); }
  /// Permits int(v.x()) for elements that are classes (half, bfloat16), as for arithmetic elements.
  template <typename U, typename E = DataT,
            std::enable_if_t<static_size == 1 && std::is_class_v<E> && std::is_arithmetic_v<U> &&
                                 std::is_convertible_v<E, U>,
                             int> = 0>
  explicit operator U() const {
    return static_cast<U>((*this)[0]);
  }

  static constexpr std::size_t byte_size() noexcept { return sizeof(vector_t); }
  static constexpr int size() noexcept { return static_size; }
  [[deprecated("use byte_size()")]] static constexpr std::size_t get_size() { return sizeof(vector_t); }
  [[deprecated("use size()")]] static constexpr std::size_t get_count() { return static_size; }

  element_reference operator[](int index) const noexcept {
    // A chain of selections instead of a table, so that kernels need no constant array.
    int place = 0, position = 0;
    ((place = position++ == index ? Index : place), ...);
    return m_base.m_data[place];
  }

  // Assigns to the vec that is viewed. The right side is read first.
  const swizzled_vec& operator=(const swizzled_vec& other) const noexcept {
    static_assert(!Const, "the swizzled vec is const");
    return assign(other.value());
  }
  const swizzled_vec& operator=(const vector_t& other) const noexcept {
    static_assert(!Const, "the swizzled vec is const");
    return assign(other);
  }
  template <int M, bool C, int... I, std::enable_if_t<sizeof...(I) == sizeof...(Index), int> = 0>
  const swizzled_vec& operator=(const swizzled_vec<DataT, M, C, I...>& other) const noexcept {
    static_assert(!Const, "the swizzled vec is const");
    return assign(vector_t(other));
  }
  template <typename T, std::enable_if_t<!is_vec_like<T> && std::is_convertible_v<T, DataT>, int> = 0>
  const swizzled_vec& operator=(const T& other) const noexcept {
    static_assert(!Const, "the swizzled vec is const");
    ((m_base.m_data[Index] = static_cast<DataT>(other)), ...);
    return *this;
  }

  template <typename ConvertT, rounding_mode Mode = rounding_mode::automatic>
  vec<ConvertT, static_size> convert() const {
    return value().template convert<ConvertT, Mode>();
  }
  template <typename AsT>
  AsT as() const {
    return value().template as<AsT>();
  }
  // A call may specify the address space and the decoration.
  template <auto... Space, typename Pointer>
  void store(std::size_t offset, Pointer ptr) const {
    value().store(offset, ptr);
  }
  template <auto... Space, typename Pointer>
  void load(std::size_t offset, Pointer ptr) const {
    vector_t loaded;
    loaded.load(offset, ptr);
    *this = loaded;
  }

  template <int... I>
  swizzled_vec<DataT, VecSize, Const, pick<I, Index...>()...> swizzle() const noexcept {
    return swizzled_vec<DataT, VecSize, Const, pick<I, Index...>()...>(m_base);
  }
  PRISM_VEC_ACCESSORS(const)

private:
  template <typename T, int N>
  friend class sycl::vec;
  template <typename T, int M, bool C, int... I>
  friend class swizzled_vec;
  template <typename Derived, typename T, int N>
  friend struct scalar_conversion;

  explicit swizzled_vec(base_vec& base) noexcept : m_base(base) {}

  DataT first_element() const noexcept { return value()[0]; }
  template <int I>
  element_reference element() const noexcept {
    return m_base.m_data[pick<I, Index...>()];
  }
  vector_t value() const noexcept {
    vector_t result;
    int next = 0;
    ((result[next++] = m_base.m_data[Index]), ...);
    return result;
  }
  // By value, because `other` may be the vec that is assigned to.
  const swizzled_vec& assign(vector_t other) const noexcept {
    int next = 0;
    ((m_base.m_data[Index] = other[next++]), ...);
    return *this;
  }

  base_vec& m_base;
};

} // namespace detail

#define PRISM_VEC_ALIASES(TYPE, NAME)                                                                        \
  using NAME##2 = vec<TYPE, 2>;                                                                              \
  using NAME##3 = vec<TYPE, 3>;                                                                              \
  using NAME##4 = vec<TYPE, 4>;                                                                              \
  using NAME##8 = vec<TYPE, 8>;                                                                              \
  using NAME##16 = vec<TYPE, 16>;
PRISM_VEC_ALIASES(std::int8_t, char)
PRISM_VEC_ALIASES(std::uint8_t, uchar)
PRISM_VEC_ALIASES(std::int16_t, short)
PRISM_VEC_ALIASES(std::uint16_t, ushort)
PRISM_VEC_ALIASES(std::int32_t, int)
PRISM_VEC_ALIASES(std::uint32_t, uint)
PRISM_VEC_ALIASES(std::int64_t, long)
PRISM_VEC_ALIASES(std::uint64_t, ulong)
PRISM_VEC_ALIASES(half, half)
PRISM_VEC_ALIASES(float, float)
PRISM_VEC_ALIASES(double, double)
// Names of other implementations, see scalars.hpp.
PRISM_VEC_ALIASES(signed char, schar)
PRISM_VEC_ALIASES(long long, longlong)
PRISM_VEC_ALIASES(unsigned long long, ulonglong)
#undef PRISM_VEC_ALIASES

}
} // namespace sycl::_V1
