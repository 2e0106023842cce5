// One kernel's work: transforms of n points for all of a batch, where n is a product of small factors and
// all points of a transform fit the memory of a work-group. What the kernels of the host (vector_leaf.hpp)
// and of other devices (group_leaf.cpp) have in common: plain data.
//
// The algorithm is decimation in time, in place: points are loaded to the place that the factors' digits,
// reversed, say, and each level combines `radix` transforms of `size` points (Cooley & Tukey 1965). The
// backward transform exchanges real and imaginary parts on both sides.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prism::fft {

inline constexpr int most_levels = 14, most_outer = 4;
inline constexpr std::size_t table_block_bytes = 64; // of the tables for devices without vectors
inline constexpr std::uint32_t no_table = 0xffffffffu;

/// Where points are, counted in reals from `data`: point k of transform (lane, outer...) has its real part at
/// offset + k step + lane between + ..., its imaginary part `imaginary` behind; 0: there is none, and it is
/// 0.
template <typename Real>
struct side {
  Real* data;
  std::ptrdiff_t offset, step, imaginary, lane;
  std::ptrdiff_t outer[most_outer];
};

enum class pairing : std::uint8_t {
  none,
  split, ///< after the transform: points of two real sequences in one become those of the real one
  join   ///< before it: the opposite
};

template <typename Real>
struct leaf {
  side<const Real> in;
  side<Real> out;
  const Real* reals; // tables, at the numbers below; all of the plan's in one
  const std::int32_t* ints;
  std::ptrdiff_t reals_offset, ints_offset; // of the tables behind their pointers
  std::size_t lanes;                        // transforms that are `lane` apart
  std::size_t outer[most_outer];            // and how many there are in other dimensions
  std::uint32_t points;                     // of a transform
  std::uint32_t rows; // of the memory in a group: points, or points / vector across a transform
  std::uint32_t in_count, out_count; // points that are read (the others are 0), and written
  std::uint32_t places;              // ints: row k of the input goes to row places[k]
  std::uint32_t twiddles;            // (radix - 1) roots for each point of each level but the first
  std::uint32_t before, after;       // a factor for each point that is read, written; or no_table
  std::uint32_t pairs;               // roots k of 2 n, for `paired`
  std::uint32_t turns, lane_turns;   // factors of what another level of a large transform needs; or no_table
  std::uint32_t across; // the vector's roots, where a transform is spread over a vector; or no_table
  std::uint16_t radix[most_levels];
  std::uint16_t levels;
  pairing paired;
  Real scale;
};

} // namespace prism::fft
