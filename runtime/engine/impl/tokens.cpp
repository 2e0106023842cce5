// Accessor tokens: words that stand in a captured block for the address of a buffer until the address is
// known.
#include "runtime/engine/engine.hpp"

#include <atomic>

namespace prism {

namespace {
constexpr std::uint64_t low_bits = (1ull << 48) - 1;
// Spreads consecutive numbers over the 48 bits. Otherwise the upper half of a stale token in a structure's
// padding, next to a small integer, could look like a new token. Odd, so that it has an inverse.
constexpr std::uint64_t spread = 0x9e37'79b9'7f4bull;
constexpr std::uint64_t inverse_of(std::uint64_t odd) {
  std::uint64_t x = odd; // correct in its lowest three bits; each step doubles the number of correct bits
  for (int step = 0; step < 5; ++step) x *= 2 - odd * x;
  return x;
}
static_assert(((spread * inverse_of(spread)) & low_bits) == 1);
constinit std::atomic<std::uint64_t> next_number{1};
} // namespace

std::uint64_t new_token() {
  return token_mark | (next_number.fetch_add(1, std::memory_order_relaxed) * spread & low_bits);
}

bool token_was_given(std::uint64_t word) {
  const std::uint64_t number = word * inverse_of(spread) & low_bits;
  return is_token(word) && number != 0 && number < next_number.load(std::memory_order_relaxed);
}

} // namespace prism
