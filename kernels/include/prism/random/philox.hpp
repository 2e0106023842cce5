// Philox4x32-10 (J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011) and what is made of
// its words, for kernels and host code: a block is a function of its number and a key alone.
#pragma once

#include <cstdint>

namespace prism::random {

struct block {
  std::uint32_t word[4];
};

/// Block number `low` + 2^64 `high` under a key. Constants: the authors' reference (Random123).
inline block philox(std::uint64_t low, std::uint64_t high, std::uint64_t key) {
  block c{{std::uint32_t(low), std::uint32_t(low >> 32), std::uint32_t(high), std::uint32_t(high >> 32)}};
  std::uint32_t k0 = std::uint32_t(key), k1 = std::uint32_t(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t(0xD2511F53u) * c.word[0],
                        p1 = std::uint64_t(0xCD9E8D57u) * c.word[2];
    c = {{std::uint32_t(p1 >> 32) ^ c.word[1] ^ k0, std::uint32_t(p1),
          std::uint32_t(p0 >> 32) ^ c.word[3] ^ k1, std::uint32_t(p0)}};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}

/// Word `n` of the sequence: half a block.
inline std::uint64_t word_of(std::uint64_t seed, std::uint64_t n) {
  const block b = philox(n >> 1, 0, seed);
  return n & 1 ? std::uint64_t(b.word[3]) << 32 | b.word[2] : std::uint64_t(b.word[1]) << 32 | b.word[0];
}

/// The upper 64 bits of a product, of which a device needs only 64-bit arithmetic.
inline std::uint64_t upper_half(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a0 = std::uint32_t(a), a1 = a >> 32, b0 = std::uint32_t(b), b1 = b >> 32;
  const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + std::uint32_t(middle);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}

} // namespace prism::random
