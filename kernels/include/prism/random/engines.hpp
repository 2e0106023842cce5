// Engines of random numbers as plain data: a position in a sequence of 32-bit words, which calls move. A copy
// is an engine of its own, at the same position. <prism/random/generate.hpp> makes numbers of the words.
#pragma once

#include <prism/random/mrg32k3a.hpp>
#include <prism/random/philox.hpp>

#include <cstddef>
#include <cstdint>
#include <variant>

namespace prism::random {

/// Philox4x32-10: word n of a key's sequence is word n mod 4 of block n / 4, and there are 2^128 blocks.
class philox_engine {
public:
  explicit philox_engine(std::uint64_t key = 0, std::uint64_t low = 0, std::uint64_t high = 0)
      : m_key(key), m_low(low), m_high(high) {}

  /// Goes on by parts[0] + parts[1] 2^64 + ... words.
  void skip(const std::uint64_t* parts, std::size_t count);
  void skip(std::uint64_t count) { skip(&count, 1); }
  /// From here on: words `first`, first + stride, first + 2 stride, ... errc::invalid for a stride of 0 and
  /// for strides whose product is beyond 2^64.
  void leap(std::uint64_t first, std::uint64_t stride);
  /// The next word, computed on the host.
  std::uint32_t next();

  std::uint64_t key() const { return m_key; }
  /// The block and the word in it that come next.
  std::uint64_t low() const { return m_low; }
  std::uint64_t high() const { return m_high; }
  std::uint32_t lane() const { return m_lane; }
  std::uint64_t stride() const { return m_stride; }

private:
  std::uint64_t m_key, m_low, m_high, m_stride = 1;
  std::uint32_t m_lane = 0;
};

/// MRG32k3a, whose words are in [0, 2^32 - 209); the period is about 2^191.
class mrg32k3a_engine {
public:
  /// Up to six numbers: the oldest three of the first recurrence and of the second; the others are 1. A
  /// recurrence of zeros starts with 1.
  explicit mrg32k3a_engine(const std::uint32_t* seeds = nullptr, std::size_t count = 0);

  void skip(const std::uint64_t* parts, std::size_t count);
  void skip(std::uint64_t count) { skip(&count, 1); }
  /// errc::invalid for a stride of 0.
  void leap(std::uint64_t first, std::uint64_t stride);
  std::uint32_t next();

  const mrg32k3a::state& state() const { return m_state; }
  bool leaps() const { return m_leaps; }
  /// From one word to the next.
  const mrg32k3a::jump& step() const { return m_step; }

private:
  mrg32k3a::state m_state;
  mrg32k3a::jump m_step = mrg32k3a::one_step();
  bool m_leaps = false;
};

using engine = std::variant<philox_engine, mrg32k3a_engine>;

} // namespace prism::random
