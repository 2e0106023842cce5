// Random numbers for arrays: the same on every device, for a seed and a position.
//
// The source is Philox4x32-10 (J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011): a
// sequence of 64-bit words, in which word n is computed from n and the seed alone. A call takes as many words
// as its array has elements, one each, and the next call goes on behind them. So numbers do not depend on how
// calls are divided: uniform({6}) has the elements of uniform({2}) and then uniform({4}).
//
// Integers and uniform numbers are exact functions of a word. Normal numbers use only operations whose
// results IEEE 754 defines, so they are the same bits too.
//
// Types: float64 and normal numbers need a device with double (errc::feature_not_supported). Commands run on
// the array queue of the device; nothing waits. Two threads must not use one generator at once.
#pragma once

#include <prism/array/functions.hpp>

#include <cstdint>

namespace prism {

class random_generator {
public:
  explicit random_generator(std::uint64_t seed, const array_device& on = {});

  /// Words as they are, uint64.
  any_array words(const extents& shape);
  /// Equally distributed in [low, high): low + (high - low) k / 2^53 for float64, k / 2^24 for float32.
  any_array uniform(const extents& shape, double low = 0, double high = 1, dtype type = dtype::float64);
  /// Normally distributed, by the inverse of the distribution function (M. Wichura, algorithm AS 241, 1988),
  /// whose relative error is about 1e-16.
  any_array normal(const extents& shape, double mean = 0, double deviation = 1, dtype type = dtype::float64);
  /// Equally distributed integers in [low, high), int64: the upper half of word × (high - low) (D. Lemire
  /// 2019, without rejection: frequencies differ by at most (high - low) / 2^64).
  any_array integers(std::int64_t low, std::int64_t high, const extents& shape);

  std::uint64_t seed() const { return m_seed; }
  /// The number of the next word. Setting it repeats or skips numbers.
  std::uint64_t position() const { return m_position; }
  void set_position(std::uint64_t word) { m_position = word; }

private:
  std::uint64_t m_seed, m_position = 0;
  array_device m_on;
};

} // namespace prism
