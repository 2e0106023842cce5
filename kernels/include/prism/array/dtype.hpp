// Element types, scalars, shapes and indices of arrays (<prism/array.hpp>). Plain data, no device.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace prism {

/// The element types of the Array API standard.
enum class dtype : std::uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float32,
  float64,
  complex64,
  complex128
};

inline constexpr int dtype_count = 13;

/// Bytes of one element.
std::size_t size_of(dtype type);
/// NumPy's name: "bool", "int8", ..., "complex128".
const char* name_of(dtype type);
/// The type with NumPy's name. Throws errc::invalid for another name.
dtype dtype_named(const std::string& name);
constexpr bool is_complex(dtype t) { return t >= dtype::complex64; }
constexpr bool is_floating(dtype t) { return t == dtype::float32 || t == dtype::float64; }
constexpr bool is_unsigned(dtype t) { return t >= dtype::uint8 && t <= dtype::uint64; }
constexpr bool is_integer(dtype t) { return t >= dtype::int8 && t <= dtype::uint64; }
/// Whether an array of type `to` may hold the results of type `from`, as NumPy's casting "same_kind" has it:
/// the order is bool, unsigned, signed, real, complex.
constexpr bool is_same_kind(dtype from, dtype to) {
  const auto order = [](dtype t) {
    return t == dtype::boolean ? 0 : is_unsigned(t) ? 1 : is_integer(t) ? 2 : is_floating(t) ? 3 : 4;
  };
  return order(from) <= order(to);
}

/// The type of an operation on elements of two types: the table of the Array API standard, and NumPy's where
/// the standard has none (int64 with uint64, or an integer type with a floating-point one).
constexpr dtype promote(dtype a, dtype b) {
  if (a == b) return a;
  if (a > b) return promote(b, a); // bool < int < uint < float < complex
  if (a == dtype::boolean) return b;
  const auto step_of = [](dtype t) { return int(t) - int(is_unsigned(t) ? dtype::uint8 : dtype::int8); };
  if (is_integer(a) && is_integer(b)) {
    if (is_unsigned(a) == is_unsigned(b)) return b;
    const int wide = step_of(a) > step_of(b) ? step_of(a) : step_of(b) + 1; // a signed, b unsigned
    return wide > 3 ? dtype::float64 : static_cast<dtype>(int(dtype::int8) + wide);
  }
  if (is_integer(a)) { // NumPy: float32 holds the integers of 8 and 16 bits
    if (step_of(a) <= 1) return b;
    return b == dtype::float32 ? dtype::float64 : b == dtype::complex64 ? dtype::complex128 : b;
  }
  return a == dtype::float64 && b == dtype::complex64 ? dtype::complex128 : b;
}

/// The dtype of a C++ type: bool, the integer types, float, double and std::complex of both.
template <typename T>
constexpr dtype dtype_of() {
  if constexpr (std::is_same_v<T, bool>) return dtype::boolean;
  else if constexpr (std::is_same_v<T, float>) return dtype::float32;
  else if constexpr (std::is_same_v<T, double>) return dtype::float64;
  else if constexpr (std::is_same_v<T, std::complex<float>>) return dtype::complex64;
  else if constexpr (std::is_same_v<T, std::complex<double>>) return dtype::complex128;
  else {
    static_assert(std::is_integral_v<T> && sizeof(T) <= 8, "arrays have no such element type");
    constexpr int log = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<dtype>(int(std::is_signed_v<T> ? dtype::int8 : dtype::uint8) + log);
  }
}

/// A number without an element type of its own. In an operation with an array it takes that type if
/// its kind fits (a real number with an integer array makes float64), as Python's numbers do.
struct scalar {
  enum class kind_type : std::uint8_t { boolean, integer, real, complex } kind = kind_type::integer;
  std::int64_t integer = 0;      // of boolean and integer; the bits if beyond_int64
  bool beyond_int64 = false;     // integer is an unsigned number of 2^63 or more
  std::complex<double> real = 0; // of real and complex; otherwise the same number

  scalar() = default;
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  scalar(T value) : real(static_cast<double>(value)) {
    if constexpr (std::is_same_v<T, bool>) kind = kind_type::boolean;
    if constexpr (std::is_integral_v<T>) {
      integer = static_cast<std::int64_t>(value);
      if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8) beyond_int64 = integer < 0;
    } else kind = kind_type::real;
  }
  template <typename T>
  scalar(std::complex<T> value) : kind(kind_type::complex), real(value) {}
};

/// The type that a scalar takes next to an array of type `other`, or alone (bool, int64, float64,
/// complex128).
dtype type_of(const scalar& value, dtype other);
dtype type_of(const scalar& value);

/// The largest number of dimensions, that of NumPy 1.
inline constexpr int max_rank = 32;

/// Extents or strides of at most max_rank dimensions. A longer list is refused (errc::invalid). Up to
/// near_rank numbers are held inside, because most arrays have few dimensions and programs have many arrays;
/// more are in memory of their own.
class extents {
public:
  extents() = default;
  extents(std::initializer_list<std::int64_t> values) : extents(values.begin(), values.size()) {}
  extents(const std::vector<std::int64_t>& values) : extents(values.data(), values.size()) {}
  extents(const std::int64_t* values, std::size_t count);
  extents(const extents& other) : m_numbers(other.m_numbers), m_rank(other.m_rank) {
    if (is_far()) copy_far(other.m_numbers.far);
  }
  extents(extents&& other) noexcept : m_numbers(other.m_numbers), m_rank(std::exchange(other.m_rank, 0)) {}
  extents& operator=(extents other) noexcept {
    std::swap(m_numbers, other.m_numbers);
    std::swap(m_rank, other.m_rank);
    return *this;
  }
  ~extents() {
    if (is_far()) delete[] m_numbers.far;
  }

  int size() const { return m_rank; }
  bool empty() const { return m_rank == 0; }
  std::int64_t operator[](int d) const { return begin()[d]; }
  std::int64_t& operator[](int d) { return is_far() ? m_numbers.far[d] : m_numbers.near[d]; }
  const std::int64_t* begin() const { return is_far() ? m_numbers.far : m_numbers.near; }
  const std::int64_t* end() const { return begin() + m_rank; }
  void push_back(std::int64_t value) {
    if (m_rank < near_rank) m_numbers.near[m_rank++] = value;
    else add_far(value);
  }
  /// Modulo 2^64, if is_addressable() does not hold.
  std::int64_t product() const {
    std::uint64_t all = 1;
    for (const std::int64_t e : *this) all *= static_cast<std::uint64_t>(e);
    return static_cast<std::int64_t>(all);
  }
  friend bool operator==(const extents& a, const extents& b) {
    if (a.m_rank != b.m_rank) return false;
    for (int d = 0; d < a.m_rank; ++d) {
      if (a[d] != b[d]) return false;
    }
    return true;
  }
  friend bool operator!=(const extents& a, const extents& b) { return !(a == b); }

private:
  static constexpr int near_rank = 6;
  bool is_far() const { return m_rank > near_rank; }
  void copy_far(const std::int64_t* from); // m_rank numbers
  void add_far(std::int64_t value);

  union numbers {
    std::int64_t near[near_rank];
    std::int64_t* far; // max_rank numbers
  } m_numbers = {};
  int m_rank = 0;
};

/// "(2, 3)" and "(5,)" as Python prints tuples.
std::string text_of(const extents& shape);
/// Whether an array of the shape can have addresses, and its strides can be computed. As in NumPy, an extent
/// of 0 does not permit others of which no array with elements could have as many.
bool is_addressable(const extents& shape, std::size_t element_bytes);

/// start:stop:step of one dimension; negative positions count from the end, as in Python.
struct slice {
  std::optional<std::int64_t> start, stop;
  std::int64_t step = 1;
};

/// One item of a basic index: a position, a slice, a new dimension, or the dimensions that are not named.
struct index_item {
  enum class kind_type : std::uint8_t { position, range, new_axis, ellipsis } kind;
  std::int64_t position = 0;
  slice range{};

  index_item(std::int64_t at) : kind(kind_type::position), position(at) {}
  index_item(int at) : index_item(std::int64_t(at)) {}
  index_item(slice s) : kind(kind_type::range), range(s) {}
  explicit index_item(kind_type k) : kind(k) {}
};
inline const index_item newaxis{index_item::kind_type::new_axis};
inline const index_item ellipsis{index_item::kind_type::ellipsis};
inline const slice every{}; // ":"

/// Axes of an operation; none given means all. Negative axes count from the end.
using axes = std::optional<std::vector<std::int64_t>>;

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
