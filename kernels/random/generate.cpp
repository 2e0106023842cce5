// Checks, tables and the order of commands of prism/random/generate.hpp.
#include <prism/random/generate.hpp>

#include "kernels/random/steps.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

namespace prism::random {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), "random numbers: " + why);
}
void require(bool holds, const char* why) {
  if (!holds) refuse(why);
}

template <typename T>
void check(const law& of) {
  const double a = of.parameters[0], b = of.parameters[1], c = of.parameters[2], d = of.parameters[3];
  for (const double each : of.parameters) require(std::isfinite(each), "a parameter is not finite");
  constexpr bool is_real = std::is_floating_point_v<T>;
  require(of.what == kind::bits ? !is_real : is_real == (of.what <= kind::beta),
          "the element type does not fit the distribution");
  require(of.what == kind::bits || is_real || sizeof(T) == 4, "only bits have 64 bits");
  switch (of.what) {
    case kind::bits: break;
    case kind::uniform:
    case kind::integers: require(a < b, "an interval is empty"); break;
    case kind::weibull:
    case kind::gamma: require(b > 0 && c > 0, "a scale or a shape is not above 0"); break;
    case kind::beta: require(b > 0 && c > 0 && d > 0, "a scale or a shape is not above 0"); break;
    case kind::bernoulli: require(a >= 0 && a <= 1, "a probability is not in [0, 1]"); break;
    case kind::geometric: require(a > 0 && a < 1, "the probability is not in (0, 1)"); break;
    case kind::poisson: require(a > 0 && a <= 2e9, "the mean is not in (0, 2e9]"); break;
    case kind::binomial:
      require(a >= 1 && a <= 2147483647 && b >= 0 && b <= 1,
              "the number of trials is not in [1, 2^31) or the probability not in [0, 1]");
      break;
    default:
      require(b > 0, "a deviation or a scale is not above 0");
      if (of.is_logarithm) require(d > 0, "a scale is not above 0");
  }
}

/// The inverse of a distribution of integers: the first one, and for each the words below 2^32 P(x <= it).
struct table {
  std::int64_t first = 0;
  std::vector<std::uint32_t> thresholds;
};

/// Probabilities relative to that of the most probable number, on both sides of it, as far as they matter to
/// words of 32 bits; `up(k)` is P(k + 1) / P(k).
template <typename Up>
table table_of(std::int64_t middle, std::int64_t last, const Up& up) {
  constexpr double least = 0x1p-48;
  std::vector<double> below, above;
  std::int64_t first = middle;
  for (double p = 1; first > 0 && (p /= up(first - 1)) > least; --first) below.push_back(p);
  double p = 1;
  for (std::int64_t k = middle; k < last && (p *= up(k)) > least; ++k) above.push_back(p);
  std::vector<double> all(below.rbegin(), below.rend());
  all.push_back(1);
  all.insert(all.end(), above.begin(), above.end());
  double total = 0, sum = 0;
  for (const double each : all) total += each;
  table out;
  out.first = first;
  for (const double each : all) {
    sum += each;
    const double words = std::round(sum / total * 0x1p32);
    if (words >= 0x1p32) break; // no word is as large
    out.thresholds.push_back(static_cast<std::uint32_t>(words));
  }
  return out;
}

/// A deviation from which on a table would be too long; the approximation's error is below 1e-6 there.
constexpr double widest_of_tables = 5000;

sycl::event make_counts(sycl::queue& queue, const law& of, const word_place& to, std::size_t n,
                        const events& depends) {
  const bool is_poisson = of.what == kind::poisson;
  const double a = of.parameters[0], q = of.parameters[1];
  const double variance = is_poisson ? a : a * q * (1 - q);
  if (variance > widest_of_tables * widest_of_tables) return make_integers(queue, of, to, n, depends);
  table by;
  if (is_poisson) {
    by = table_of(static_cast<std::int64_t>(a), 2147483647,
                  [=](std::int64_t k) { return a / static_cast<double>(k + 1); });
  } else {
    const auto trials = static_cast<std::int64_t>(a);
    if (q == 0) by.first = 0;
    else if (q == 1) by.first = trials;
    else
      by = table_of(std::min(trials, static_cast<std::int64_t>((a + 1) * q)), trials, [=](std::int64_t k) {
        return static_cast<double>(trials - k) / static_cast<double>(k + 1) * (q / (1 - q));
      });
  }
  return make_from_table(queue, by.first, by.thresholds, to, n, depends);
}

/// Two words behind `count` others, for the pair of the last of an odd number of numbers.
std::uint64_t words_behind(engine from, std::size_t count) {
  std::uint32_t word[2];
  for (std::uint32_t& each : word) {
    each = std::visit([&](auto& of) { return of.skip(count), of.next(); }, from);
    if (std::holds_alternative<mrg32k3a_engine>(from)) each = spread_word(each);
    count = 0;
  }
  return std::uint64_t(word[1]) << 32 | word[0];
}

template <typename T>
sycl::event make(sycl::queue& queue, const engine& from, const law& of, const word_place& to, std::size_t n,
                 const events& depends) {
  if constexpr (std::is_floating_point_v<T>) {
    switch (of.what) {
      case kind::uniform: return make_uniform<T>(queue, of, to, n, depends);
      case kind::gamma:
      case kind::beta: return make_by_rejection<T>(queue, of, to, n, depends);
      case kind::box_muller:
        return make_box_muller<T>(queue, of, to, n, words_behind(from, n * (sizeof(T) / 4)), depends);
      default: return make_by_inverse<T>(queue, of, to, n, depends);
    }
  } else {
    if (of.what == kind::poisson || of.what == kind::binomial) return make_counts(queue, of, to, n, depends);
    return make_integers(queue, of, to, n, depends);
  }
}

} // namespace

template <typename T>
sycl::event generate(sycl::queue& queue, engine& from, const law& of, const target<T>& to, std::size_t n,
                     const std::vector<sycl::event>& depends) {
  check<T>(of);
  if (std::is_same_v<T, double> && !queue.get_device().has(sycl::aspect::fp64))
    throw sycl::exception(sycl::make_error_code(sycl::errc::feature_not_supported),
                          "random numbers of type double: " +
                              queue.get_device().get_info<sycl::info::device::name>() + " has no double");
  if (n == 0) return queue.ext_oneapi_submit_barrier(depends);
  constexpr std::size_t each = sizeof(T) / 4;
  word_place place;
  if (to.words) {
    if (to.words->size() / each < n)
      refuse("a buffer of " + std::to_string(to.words->size() / each) + " elements for " + std::to_string(n) +
             " numbers");
    place = word_place(*to.words);
  } else {
    if (!to.pointer) refuse("the pointer is null");
    place.pointer = reinterpret_cast<std::uint32_t*>(to.pointer);
  }
  const auto* const philox = std::get_if<philox_engine>(&from);
  const bool are_bits = of.what == kind::bits;
  sycl::event done =
      philox ? write_words(queue, *philox, place, n * each, depends)
             : write_words(queue, std::get<mrg32k3a_engine>(from), place, n * each, !are_bits, depends);
  if (!are_bits) done = make<T>(queue, from, of, place, n, {done});
  const bool has_single = of.what == kind::box_muller && n % 2 != 0; // which takes the words of a pair
  std::visit([&](auto& engine) { engine.skip((n + (has_single ? 1 : 0)) * each); }, from);
  return done;
}

#define PRISM_GENERATE(T)                                                                                    \
  template sycl::event generate<T>(sycl::queue&, engine&, const law&, const target<T>&, std::size_t,         \
                                   const std::vector<sycl::event>&)
PRISM_GENERATE(float);
PRISM_GENERATE(double);
PRISM_GENERATE(std::int32_t);
PRISM_GENERATE(std::uint32_t);
PRISM_GENERATE(std::uint64_t);
#undef PRISM_GENERATE

} // namespace prism::random
