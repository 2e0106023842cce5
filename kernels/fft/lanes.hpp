// Vectors of the registers' size for code of the host device: loads, stores, and the shuffles that exchange
// the order of "one transform after the other" with "one transform a lane". Files compiled for different
// instruction sets include this, so `Isa` is a part of every name that a linker could see.
//
// Source of the transposition: Eklundh 1972, by halves.
#pragma once

#include <cstddef>
#include <utility>

namespace prism::fft {

template <typename Real, typename Isa>
struct vectors {
  static constexpr int bytes = Isa::vector_bytes, count = bytes / int(sizeof(Real));
  typedef Real lanes __attribute__((vector_size(bytes)));
  typedef Real aligned __attribute__((vector_size(bytes), may_alias));
  typedef Real loose __attribute__((vector_size(bytes), aligned(sizeof(Real)), may_alias));

  static lanes load(const Real* from) { return *reinterpret_cast<const loose*>(from); }
  static void store(Real* to, const lanes& value) { *reinterpret_cast<loose*>(to) = value; }

  /// The first, or the second, of each pair of a's and b's elements.
  static lanes firsts(const lanes& a, const lanes& b) { return pairs<0>(a, b, all()); }
  static lanes seconds(const lanes& a, const lanes& b) { return pairs<1>(a, b, all()); }
  /// Elements of a and b in turn: of their lower halves, of their upper halves.
  static lanes lower(const lanes& a, const lanes& b) { return in_turn<0>(a, b, all()); }
  static lanes upper(const lanes& a, const lanes& b) { return in_turn<count / 2>(a, b, all()); }

  /// Last to first.
  static lanes reversed(const lanes& a) { return backwards(a, all()); }

  /// Element j of row i becomes element i of row j.
  static inline __attribute__((always_inline)) void transpose(lanes (&rows)[count]) {
    if constexpr (count >= 16) exchange<8>(rows);
    if constexpr (count >= 8) exchange<4>(rows);
    if constexpr (count >= 4) exchange<2>(rows);
    exchange<1>(rows);
  }

private:
  static constexpr std::make_integer_sequence<int, count> all() { return {}; }
  template <int First, int... I>
  static lanes pairs(const lanes& a, const lanes& b, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b, (2 * I + First)...);
  }
  template <int First, int... I>
  static lanes in_turn(const lanes& a, const lanes& b, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b, (First + I / 2 + I % 2 * count)...);
  }
  template <int... I>
  static lanes backwards(const lanes& a, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, a, (count - 1 - I)...);
  }
  template <int Step, int... I>
  static lanes kept_low(const lanes& a, const lanes& b, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b, ((I & Step) ? I - Step + count : I)...);
  }
  template <int Step, int... I>
  static lanes kept_high(const lanes& a, const lanes& b, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b, ((I & Step) ? I + count : I + Step)...);
  }
  template <int Step>
  static inline __attribute__((always_inline)) void exchange(lanes (&rows)[count]) {
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) {
      if (i & Step) continue;
      const lanes a = rows[i], b = rows[i + Step];
      rows[i] = kept_low<Step>(a, b, all());
      rows[i + Step] = kept_high<Step>(a, b, all());
    }
  }
};

} // namespace prism::fft
