// The commands of prism/random/generate.hpp. Each works in place: what it gets are the words of the engine,
// what it leaves are the numbers. n counts numbers, `to` refers to words of 32 bits and has no offset.
#pragma once

#include "kernels/blas/operand.hpp"

#include <prism/random/generate.hpp>

namespace prism::random {

using word_place = blas::place<std::uint32_t>;
using events = std::vector<sycl::event>;

/// A word below 2^32 - 209 over all 32-bit numbers, so that fractions and bounds have their probabilities.
inline std::uint32_t spread_word(std::uint32_t z) { return z + std::uint32_t(std::uint64_t(z) * 209 >> 32); }

/// Words of the engine. `spread`: by spread_word.
sycl::event write_words(sycl::queue&, const philox_engine&, const word_place& to, std::size_t n,
                        const events&);
sycl::event write_words(sycl::queue&, const mrg32k3a_engine&, const word_place& to, std::size_t n,
                        bool spread, const events&);

template <typename T>
sycl::event make_uniform(sycl::queue&, const law&, const word_place& to, std::size_t n, const events&);
template <typename T>
sycl::event make_by_inverse(sycl::queue&, const law&, const word_place& to, std::size_t n, const events&);
/// `after`: the two words that follow, for the pair of the last number where n is odd.
template <typename T>
sycl::event make_box_muller(sycl::queue&, const law&, const word_place& to, std::size_t n,
                            std::uint64_t after, const events&);
template <typename T>
sycl::event make_by_rejection(sycl::queue&, const law&, const word_place& to, std::size_t n, const events&);

sycl::event make_integers(sycl::queue&, const law&, const word_place& to, std::size_t n, const events&);
/// first + the number of thresholds that are not above the word.
sycl::event make_from_table(sycl::queue&, std::int64_t first, const std::vector<std::uint32_t>& thresholds,
                            const word_place& to, std::size_t n, const events&);

} // namespace prism::random
