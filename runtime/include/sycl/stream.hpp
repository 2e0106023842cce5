// sycl::stream: text output of kernels (SYCL 2020, "SYCL stream class"). A kernel only records its operands.
// The runtime formats them when the command is complete; the text that a work-item writes between two flushes
// is not interleaved with other text. Base, width, precision and float format apply until the next flush or
// endl. More text than requested may be stored; lost text is reported on standard error.
#pragma once

#include <sycl/detail/kernel_abi.hpp>
#include <sycl/detail/output.hpp>
#include <sycl/half.hpp>
#include <sycl/handler.hpp>
#include <sycl/hierarchical.hpp>
#include <sycl/multi_ptr.hpp>
#include <sycl/nd_item.hpp>
#include <sycl/vec.hpp>

// Deprecated types can be printed without warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
namespace sycl {
inline namespace _V1 {

// clang-format off
#define PRISM_STREAM_MANIPULATORS(X) \
  X(flush) X(dec) X(hex) X(oct) X(noshowbase) X(showbase) \
  X(noshowpos) X(showpos) X(endl) X(fixed) X(scientific) \
  X(hexfloat) X(defaultfloat)
// clang-format on
#define PRISM_ENUMERATOR(NAME) NAME,
enum class stream_manipulator { PRISM_STREAM_MANIPULATORS(PRISM_ENUMERATOR) };
#undef PRISM_ENUMERATOR
#define PRISM_CONSTANT(NAME) inline constexpr stream_manipulator NAME = stream_manipulator::NAME;
PRISM_STREAM_MANIPULATORS(PRISM_CONSTANT)
#undef PRISM_CONSTANT
#undef PRISM_STREAM_MANIPULATORS

namespace detail {
struct width_manipulator {
  std::int32_t value;
};
struct precision_manipulator {
  std::int32_t value;
};
inline constexpr std::int32_t width_code = 100, precision_code = 101; // not values of stream_manipulator
} // namespace detail

inline detail::width_manipulator setw(int width) noexcept { return {width}; }
inline detail::precision_manipulator setprecision(int precision) noexcept { return {precision}; }

class stream {
public:
  /// `total`: the size of the text in bytes. `work_item`: the size of a work-item's text between two flushes,
  /// which PRISM does not limit.
  stream(std::size_t total, std::size_t work_item, handler& group, const property_list& = {})
      : m_block(reinterpret_cast<detail::output_block*>(detail::bind_stream(group, total))), m_size(total),
        m_work_item_size(work_item) {}

  std::size_t size() const noexcept { return m_size; }
  std::size_t get_work_item_buffer_size() const noexcept { return m_work_item_size; }
  [[deprecated("use size()")]] std::size_t get_size() const noexcept { return m_size; }
  [[deprecated("use get_work_item_buffer_size()")]] std::size_t get_max_statement_size() const noexcept {
    return m_work_item_size;
  }
  template <typename Property>
  bool has_property() const noexcept {
    return false; // the standard has no properties of streams
  }
  template <typename Property>
  Property get_property() const {
    return property_list().get_property<Property>();
  }
  friend bool operator==(const stream& a, const stream& b) noexcept { return a.m_block == b.m_block; }
  friend bool operator!=(const stream& a, const stream& b) noexcept { return !(a == b); }
  std::size_t prism_hash() const noexcept { return std::hash<const void*>()(m_block); }

  // For the operators below.
  void prism_text(const char* text, std::uint32_t bytes) const noexcept {
    const std::uint32_t words = 3 + detail::words_for(bytes);
    if (auto* at = detail::reserve_output(m_block, words)) {
      detail::output_cursor to = begin(at, words);
      to.word(detail::value_word(detail::value_kind::text, bytes));
      to.text(text, bytes);
    }
  }
  template <typename T>
  void prism_number(detail::value_kind kind, T value) const noexcept {
    constexpr std::uint32_t words = 3 + detail::words_for(sizeof(T));
    if (auto* at = detail::reserve_output(m_block, words)) begin(at, words).number(kind, value);
  }
  void prism_manipulate(std::int32_t code, std::int32_t argument) const noexcept {
    constexpr std::uint32_t words = 5;
    if (auto* at = detail::reserve_output(m_block, words)) {
      detail::output_cursor to = begin(at, words);
      to.word(detail::value_word(detail::value_kind::manipulator, 8));
      to.word(static_cast<std::uint32_t>(code));
      to.word(static_cast<std::uint32_t>(argument));
    }
  }

private:
  static detail::output_cursor begin(std::uint32_t* at, std::uint32_t words) noexcept {
    detail::output_cursor to(at);
    to.word(detail::record_word(detail::record_kind::fragment, words));
    std::uint64_t item = 0; // the work-item's number; the runtime collects its fragments
    for (std::uint32_t d = 3; d-- > 0;) {
      const std::uint64_t size = __prism_local_size(d);
      item = item * (size * __prism_group_count(d)) + __prism_group_id(d) * size + __prism_local_id(d);
    }
    to.word(static_cast<std::uint32_t>(item));
    return to;
  }

  detail::output_block* m_block; // a token until submission
  std::size_t m_size, m_work_item_size;
};

// ---- operands

inline const stream& operator<<(const stream& out, stream_manipulator what) {
  out.prism_manipulate(static_cast<std::int32_t>(what), 0);
  return out;
}
inline const stream& operator<<(const stream& out, detail::width_manipulator width) {
  out.prism_manipulate(detail::width_code, width.value);
  return out;
}
inline const stream& operator<<(const stream& out, detail::precision_manipulator precision) {
  out.prism_manipulate(detail::precision_code, precision.value);
  return out;
}
inline const stream& operator<<(const stream& out, const char* text) {
  out.prism_text(text, detail::text_length(text));
  return out;
}
inline const stream& operator<<(const stream& out, char* text) {
  out.prism_text(text, detail::text_length(text));
  return out;
}
/// For arithmetic types. Characters are printed as text, as in C++ streams.
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
const stream& operator<<(const stream& out, T value) {
  if constexpr (std::is_same_v<T, bool>) {
    out.prism_number(detail::value_kind::boolean, static_cast<std::uint32_t>(value));
  } else if constexpr (std::is_same_v<T, char> || std::is_same_v<T, signed char> ||
                       std::is_same_v<T, unsigned char>) {
    out.prism_number(detail::value_kind::character,
                     static_cast<std::uint32_t>(static_cast<unsigned char>(value)));
  } else if constexpr (std::is_floating_point_v<T>) {
    out.prism_number(detail::value_kind::floating, value);
  } else {
    out.prism_number(std::is_signed_v<T> ? detail::value_kind::signed_integer
                                         : detail::value_kind::unsigned_integer,
                     value);
  }
  return out;
}
inline const stream& operator<<(const stream& out, half value) {
  out.prism_number(detail::value_kind::floating, static_cast<float>(value));
  return out;
}
template <typename T, std::enable_if_t<!std::is_same_v<std::remove_cv_t<T>, char>, int> = 0>
const stream& operator<<(const stream& out, T* pointer) {
  out.prism_number(detail::value_kind::pointer, reinterpret_cast<std::uint64_t>(pointer));
  return out;
}
template <typename T, access::address_space Space, access::decorated Decorated>
const stream& operator<<(const stream& out, const multi_ptr<T, Space, Decorated>& pointer) {
  out.prism_number(detail::value_kind::pointer, reinterpret_cast<std::uint64_t>(pointer.get_raw()));
  return out;
}
template <typename T, int N>
const stream& operator<<(const stream& out, const vec<T, N>& value) {
  for (int i = 0; i < N; ++i) {
    if (i) out.prism_text(", ", 2);
    out << value[i];
  }
  return out;
}

namespace detail {
/// Prints several values. A template, so that operators are only looked up if a program prints.
template <typename... Parts>
const stream& put(const stream& out, const Parts&... parts) {
  return (out << ... << parts);
}
template <int D, typename Index>
const stream& put_index(const stream& out, const Index& index) {
  put(out, "{");
  for (int d = 0; d < D; ++d) {
    if (d) put(out, ", ");
    put(out, index[d]);
  }
  return put(out, "}");
}
} // namespace detail

template <int D>
const stream& operator<<(const stream& out, const id<D>& value) {
  return detail::put_index<D>(out, value);
}
template <int D>
const stream& operator<<(const stream& out, const range<D>& value) {
  return detail::put_index<D>(out, value);
}
template <int D>
const stream& operator<<(const stream& out, const nd_range<D>& value) {
  return detail::put(out, "nd_range(global_range: ", value.get_global_range(),
                     ", local_range: ", value.get_local_range(), ", offset: ", value.get_offset(), ")");
}
template <int D, bool WithOffset>
const stream& operator<<(const stream& out, const item<D, WithOffset>& value) {
  detail::put(out, "item(range: ", value.get_range(), ", id: ", value.get_id());
  if constexpr (WithOffset) detail::put(out, ", offset: ", value.get_offset());
  return detail::put(out, ")");
}
template <int D>
const stream& operator<<(const stream& out, const nd_item<D>& value) {
  return detail::put(out, "nd_item(global_id: ", value.get_global_id(), ", local_id: ", value.get_local_id(),
                     ")");
}
template <int D>
const stream& operator<<(const stream& out, const group<D>& value) {
  return detail::put(out, "group(id: ", value.get_group_id(), ", local_range: ", value.get_local_range(),
                     ", group_range: ", value.get_group_range(), ")");
}

template <int D>
const stream& operator<<(const stream& out, const h_item<D>& value) {
  return detail::put(out, "h_item(global_id: ", value.get_global_id(), ", local_id: ", value.get_local_id(),
                     ")");
}

template <>
struct is_device_copyable<stream> : std::true_type {};

}
} // namespace sycl::_V1
#pragma GCC diagnostic pop

template <>
struct std::hash<sycl::stream> : sycl::detail::hash_by_impl {};
