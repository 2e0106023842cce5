// Distributions of integers by a function of each word: equal probabilities by the upper half of a product
// (D. Lemire, "Fast random integer generation in an interval", 2019, without rejection), Bernoulli trials,
// the geometric distribution by its inverse, and a normal approximation with Cornish and Fisher's first term
// for Poisson and binomial distributions that are too wide for a table.
#include "kernels/random/normal_quantile.hpp"
#include "kernels/random/steps.hpp"
#include "kernels/random/word.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace prism::random {
namespace {

struct numbers {
  std::uint32_t low, count;    // integers
  std::uint64_t threshold;     // bernoulli: of words
  float step;                  // geometric: 1 / -log(1 - p)
  std::int64_t middle, most;   // approximations: the mean without its fraction, the largest number
  float part, deviation, tilt; // ... the fraction, the deviation, skewness / 6
};

inline std::uint32_t number_of(kind what, const numbers& by, std::uint32_t w) {
  switch (what) {
    case kind::integers: return by.low + std::uint32_t(std::uint64_t(w) * by.count >> 32);
    case kind::bernoulli: return w < by.threshold ? 1u : 0u;
    case kind::geometric: {
      const float failures = sycl::floor(side<float>(w).minus_log() * by.step);
      return failures < 2147483648.0f ? std::uint32_t(failures) : 2147483647u;
    }
    default: {
      const side<float> u(w);
      const float tail = normal_quantile(u.p), z = u.is_upper ? tail : -tail;
      const float distance = by.part + by.deviation * (z + by.tilt * (z * z - 1.0f));
      const std::int64_t x = by.middle + std::int64_t(sycl::rint(distance));
      return std::uint32_t(x < 0 ? 0 : x > by.most ? by.most : x);
    }
  }
}

} // namespace

sycl::event make_integers(sycl::queue& queue, const law& of, const word_place& to, std::size_t n,
                          const events& depends) {
  numbers by{};
  const double first = of.parameters[0], second = of.parameters[1];
  switch (of.what) {
    case kind::integers:
      by.low = static_cast<std::uint32_t>(static_cast<std::int64_t>(first));
      by.count =
          static_cast<std::uint32_t>(static_cast<std::int64_t>(second) - static_cast<std::int64_t>(first));
      break;
    case kind::bernoulli: by.threshold = static_cast<std::uint64_t>(std::llround(first * 0x1p32)); break;
    case kind::geometric: by.step = static_cast<float>(-1.0 / std::log1p(-first)); break;
    default: {
      const bool is_poisson = of.what == kind::poisson;
      const double mean = is_poisson ? first : first * second,
                   variance = is_poisson ? first : mean * (1 - second),
                   skewness = (is_poisson ? 1 : 1 - 2 * second) / std::sqrt(variance);
      by.middle = static_cast<std::int64_t>(std::floor(mean));
      by.part = static_cast<float>(mean - std::floor(mean));
      by.deviation = static_cast<float>(std::sqrt(variance)), by.tilt = static_cast<float>(skewness / 6);
      by.most = is_poisson ? std::numeric_limits<std::int32_t>::max() : static_cast<std::int64_t>(first);
    }
  }
  const kind what = of.what;
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    std::uint32_t* const data = to.read_write(h);
    h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { data[i[0]] = number_of(what, by, data[i[0]]); });
  });
}

} // namespace prism::random
