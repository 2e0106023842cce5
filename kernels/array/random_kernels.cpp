// The kernels of random arrays. Contraction is off: a device that fuses a multiplication with an addition
// would compute other bits than one that does not.
#include "kernels/array/random_kernels.hpp"

#include "kernels/random/normal_quantile.hpp"

#include <prism/random/philox.hpp>

#pragma clang fp contract(off)

namespace prism::random {
namespace {

/// The number below which a normally distributed one lies with probability (k + 1/2) / 2^53: the word's upper
/// bits are k. Of the probability's two sides the smaller one is used, so that both tails are as exact.
inline double normal_of(std::uint64_t word) {
  const std::uint64_t k = word >> 11, half = std::uint64_t(1) << 52;
  const bool is_upper = k >= half;
  const std::uint64_t rest = is_upper ? (std::uint64_t(1) << 53) - 1 - k : k;
  const double v = normal_quantile((double(rest) + 0.5) * (1.0 / 9007199254740992.0));
  return is_upper ? v : -v;
}

template <typename T, int Case>
class fill_random;
template <int Case, typename T, typename Make>
void fill(sycl::queue& queue, T* out, std::size_t n, std::uint64_t seed, std::uint64_t first,
          const Make& make) {
  if (n == 0) return;
  queue.parallel_for<fill_random<T, Case>>(
      sycl::range<1>(n), [=](sycl::id<1> i) { out[i[0]] = make(word_of(seed, first + i[0])); });
}

} // namespace

void words(sycl::queue& queue, std::uint64_t* out, std::size_t n, std::uint64_t seed, std::uint64_t first) {
  fill<0>(queue, out, n, seed, first, [](std::uint64_t w) { return w; });
}
void integers(sycl::queue& queue, std::int64_t* out, std::size_t n, std::uint64_t seed, std::uint64_t first,
              std::int64_t low, std::uint64_t count) {
  fill<1>(queue, out, n, seed, first,
          [=](std::uint64_t w) { return std::int64_t(std::uint64_t(low) + upper_half(w, count)); });
}
void uniform(sycl::queue& queue, float* out, std::size_t n, std::uint64_t seed, std::uint64_t first,
             float low, float width) {
  fill<2>(queue, out, n, seed, first, [=](std::uint64_t w) {
    const float part = float(std::uint32_t(w >> 40)) * (1.0f / 16777216.0f), product = width * part;
    return low + product;
  });
}
void uniform(sycl::queue& queue, double* out, std::size_t n, std::uint64_t seed, std::uint64_t first,
             double low, double width) {
  fill<2>(queue, out, n, seed, first, [=](std::uint64_t w) {
    const double part = double(w >> 11) * (1.0 / 9007199254740992.0), product = width * part;
    return low + product;
  });
}
void normal(sycl::queue& queue, float* out, std::size_t n, std::uint64_t seed, std::uint64_t first,
            double mean, double deviation) {
  fill<3>(queue, out, n, seed, first, [=](std::uint64_t w) {
    const double product = deviation * normal_of(w);
    return float(mean + product);
  });
}
void normal(sycl::queue& queue, double* out, std::size_t n, std::uint64_t seed, std::uint64_t first,
            double mean, double deviation) {
  fill<3>(queue, out, n, seed, first, [=](std::uint64_t w) {
    const double product = deviation * normal_of(w);
    return mean + product;
  });
}

} // namespace prism::random
