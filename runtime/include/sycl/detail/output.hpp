// Text output of kernels: the format of the block behind __prism_output() and sycl::stream, and the functions
// that write to it. runtime/api/output.cpp reads it when the command is complete.
//
// After the header, the block is a sequence of 4-byte words, which are initially zero. It contains two kinds
// of entries. Each is reserved by one atomic add on `used`; sizes are multiples of 4 bytes:
//   text     bytes that are printed unchanged; zero bytes, the padding, are skipped. The first
//            byte is not `record_mark`. Failed assertions are such text, with `failed` set.
//   record   a word whose lowest byte is `record_mark` (record_word below), then its payload.
// An entry that does not fit is not written; then `used` exceeds `capacity`, and the reader reports lost
// text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// Layout of prism::image::output_header.
struct output_block {
  std::uint32_t capacity; // bytes after the header
  std::uint32_t used;     // bytes requested so far
  std::uint32_t failed;   // 1 once an assertion failed
  std::uint32_t reserved;
};

inline constexpr std::uint32_t record_mark = 1;
enum class record_kind : std::uint32_t {
  formatted = 1, // a call of printf: the format, then a value for each argument
  fragment = 2,  // an operand of a stream: the work-item (a word), then one value
};
/// The kind of a value. A value is a word with its kind and its length in bytes, then the bytes padded to
/// words.
enum class value_kind : std::uint32_t {
  text,
  boolean,
  character,
  signed_integer,
  unsigned_integer,
  floating,
  pointer,
  manipulator
};

constexpr std::uint32_t words_for(std::uint64_t bytes) noexcept {
  return static_cast<std::uint32_t>((bytes + 3) / 4);
}
constexpr std::uint32_t record_word(record_kind kind, std::uint32_t words) noexcept {
  return record_mark | static_cast<std::uint32_t>(kind) << 8 | words << 12; // words: size of the whole record
}
inline constexpr std::uint32_t longest_record = (1u << 20) - 1; // in words
constexpr std::uint32_t value_word(value_kind kind, std::uint32_t bytes) noexcept {
  return static_cast<std::uint32_t>(kind) | bytes << 8;
}

/// Reserves `words` words; null if the block is full.
inline std::uint32_t* reserve_output(output_block* block, std::uint32_t words) noexcept {
  const std::uint32_t capacity = block->capacity, bytes = words * 4;
  if (__atomic_load_n(&block->used, __ATOMIC_RELAXED) > capacity)
    return nullptr; // prevents an overflow of `used`
  const std::uint32_t at = __atomic_fetch_add(&block->used, bytes, __ATOMIC_RELAXED);
  if (words > longest_record || at > capacity || bytes > capacity - at) return nullptr;
  return reinterpret_cast<std::uint32_t*>(block + 1) + at / 4;
}

inline std::uint32_t text_length(const char* text) noexcept {
  std::uint32_t n = 0;
  while (n < 65536 && text[n] != 0) ++n;
  return n;
}

/// Writes a sequence of values.
class output_cursor {
public:
  explicit output_cursor(std::uint32_t* at) noexcept : m_at(at) {}

  void word(std::uint32_t value) noexcept { *m_at++ = value; }
  void text(const char* text, std::uint32_t bytes) noexcept {
    for (std::uint32_t i = 0; i < bytes; i += 4) {
      std::uint32_t packed = 0;
      for (std::uint32_t b = 0; b < 4 && i + b < bytes; ++b) {
        packed |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[i + b])) << (8 * b);
      }
      word(packed);
    }
  }
  /// A number of 1 to 8 bytes.
  template <typename T>
  void number(value_kind kind, T value) noexcept {
    word(value_word(kind, sizeof(T)));
    if constexpr (sizeof(T) == 8) {
      std::uint64_t bits = 0;
      if constexpr (std::is_integral_v<T>) bits = static_cast<std::uint64_t>(value);
      else std::memcpy(&bits, &value, sizeof bits);
      word(static_cast<std::uint32_t>(bits));
      word(static_cast<std::uint32_t>(bits >> 32));
    } else if constexpr (std::is_integral_v<T>) {
      word(static_cast<std::uint32_t>(value));
    } else {
      static_assert(sizeof(T) == 4, "a number is an integer, a float or a double");
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      word(bits);
    }
  }

private:
  std::uint32_t* m_at;
};

}
}
} // namespace sycl::_V1::detail
