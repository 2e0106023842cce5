// Random numbers of a distribution, over USM pointers and buffers. The interface behind <oneapi/math/rng.hpp>
// (docs/onemath.md); arrays have <prism/random.hpp>.
//
// A number of 32 bits takes one word of the engine, one of 64 bits two. So numbers do not depend on how calls
// divide them, except pairs of box_muller: an odd number of them takes the words of one more. Two commands:
// the first writes the words to the memory of the result, the second makes the numbers of them in place.
// Nothing waits.
//
// Uniform numbers, integers, tables and normal numbers of type double by the inverse are the same bits on
// every device. The others use functions of the device (log, pow, sin).
//
// Errors: errc::feature_not_supported for double on a device without it, errc::invalid for parameters that
// the distribution does not have. Two threads must not use one engine at once.
#pragma once

#include <prism/random/engines.hpp>

#include <sycl/sycl.hpp>

#include <cstdint>
#include <vector>

namespace prism::random {

/// What the parameters of a law are, in order.
enum class kind {
  bits,        // words as they are; of 32 or 64 bits
  uniform,     // a, b: [a, b); the third is 1 where no rounding may give b
  gaussian,    // mean, deviation; by the inverse of the distribution function
  box_muller,  // the same, in pairs (G. Box, M. Muller, 1958)
  exponential, // location, scale
  weibull,     // location, scale, shape
  cauchy,      // location, scale
  rayleigh,    // location, scale: a Weibull distribution of shape 2
  gumbel,      // location, scale: P(x <= t) = 1 - exp(-exp((t - location) / scale))
  laplace,     // location, scale
  gamma,       // location, scale, shape
  beta,        // location, scale, shape, second shape
  // of 32-bit integers:
  integers,  // a, b: [a, b)
  bernoulli, // p
  geometric, // p: failures before the first success
  poisson,   // mean
  binomial   // trials, p
};

struct law {
  kind what = kind::bits;
  double parameters[4] = {};
  /// For gaussian and box_muller, where the third and fourth parameter are a location l and a scale s: the
  /// result is l + s exp(x).
  bool is_logarithm = false;
};

/// The memory of n numbers of type T, where USM has `pointer` and a buffer `words`.
template <typename T>
struct target {
  T* pointer = nullptr;
  sycl::buffer<std::uint32_t, 1>* words = nullptr;
};

/// Element types: float and double for the laws up to `beta`, int32 and uint32 for the others, uint32 and
/// uint64 for bits.
template <typename T>
sycl::event generate(sycl::queue& queue, engine& from, const law& which, const target<T>& to, std::size_t n,
                     const std::vector<sycl::event>& depends);

template <typename T>
sycl::event generate(sycl::queue& queue, engine& from, const law& which, T* to, std::size_t n,
                     const std::vector<sycl::event>& depends = {}) {
  return generate(queue, from, which, target<T>{to}, n, depends);
}
/// The first n elements of the buffer.
template <typename T>
sycl::event generate(sycl::queue& queue, engine& from, const law& which, sycl::buffer<T, 1>& to,
                     std::size_t n, const std::vector<sycl::event>& depends = {}) {
  sycl::buffer<std::uint32_t, 1> words =
      to.template reinterpret<std::uint32_t, 1>(sycl::range<1>(to.byte_size() / 4));
  return generate(queue, from, which, target<T>{nullptr, &words}, n, depends);
}

} // namespace prism::random
