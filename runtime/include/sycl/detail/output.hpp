// What kernels write for people: the block behind __prism_output() and behind a sycl::stream, and how one
// writes to it. runtime/api/output.cpp reads it once the command is complete.
//
// After the header the block is a sequence of 4-byte words, zero at the start. Two things may stand in it,
// each reserved by one atomic add on `used`, a multiple of 4 bytes:
//   text     the bytes themselves, printed as they are; zero bytes are skipped (so text is padded with them).
//   Its first
//            byte is not `record_mark`. Failed assertions are such text, with `failed` set.
//   record   a word whose lowest byte is `record_mark` (record_word below), then its payload.
// What does not fit is not written, and `used` then passes `capacity`: the reader says that text was lost.
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
  std::uint32_t used;     // bytes asked for so far
  std::uint32_t failed;   // 1 once an assertion failed
  std::uint32_t reserved;
};

inline constexpr std::uint32_t record_mark = 1;
enum class record_kind : std::uint32_t {
  formatted = 1, // format text, then a value for each argument: what printf prints
  fragment = 2,  // work-item (a word), then one value: an operand of stream's <<
};
/// What a value is: a word of kind and length in bytes, then the bytes padded to words.
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
  return record_mark | static_cast<std::uint32_t>(kind) << 8 | words << 12; // words: of the whole record
}
inline constexpr std::uint32_t longest_record = (1u << 20) - 1; // in words
constexpr std::uint32_t value_word(value_kind kind, std::uint32_t bytes) noexcept {
  return static_cast<std::uint32_t>(kind) | bytes << 8;
}

/// Room for `words`, or null.
inline std::uint32_t* reserve_output(output_block* block, std::uint32_t words) noexcept {
  const std::uint32_t capacity = block->capacity, bytes = words * 4;
  if (__atomic_load_n(&block->used, __ATOMIC_RELAXED) > capacity)
    return nullptr; // keeps `used` from wrapping around
  const std::uint32_t at = __atomic_fetch_add(&block->used, bytes, __ATOMIC_RELAXED);
  if (words > longest_record || at > capacity || bytes > capacity - at) return nullptr;
  return reinterpret_cast<std::uint32_t*>(block + 1) + at / 4;
}

inline std::uint32_t text_length(const char* text) noexcept {
  std::uint32_t n = 0;
  while (n < 65536 && text[n] != 0) ++n;
  return n;
}

/// Writes values behind each other.
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
