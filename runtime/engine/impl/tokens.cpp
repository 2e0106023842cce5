// Tokens of accessors: words that stand for a buffer's place in a captured block until the place is known.
#include "runtime/engine/engine.hpp"

#include <atomic>

namespace prism {

namespace {
constexpr std::uint64_t low_bits = (1ull << 48) - 1;
// Numbers are spread over the 48 bits: the upper half of an old token in a structure's padding next to a
// small integer must not look like a new one. Odd, so that it can be undone.
constexpr std::uint64_t spread = 0x9e37'79b9'7f4bull;
constexpr std::uint64_t inverse_of(std::uint64_t odd) {
  std::uint64_t x = odd; // right in its lowest three bits, in twice as many after each step
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
