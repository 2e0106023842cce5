// oneMath's random numbers over <prism/random/generate.hpp>: engines (rng/engines.hpp), distributions
// (rng/distributions.hpp), generate over USM pointers and buffers, skip_ahead and leapfrog.
//
// A number of 32 bits takes one word of the engine, one of 64 bits two; an odd number of box_muller2 takes
// the words of one more. skip_ahead and leapfrog count words.
//
// Errors: invalid_argument for a negative number, a null pointer and a buffer that is too small,
// unsupported_device where the device lacks double, unimplemented for engines that PRISM lacks and for
// uniform_bits of mrg32k3a, whose words are below 2^32 - 209.
#pragma once

#include <oneapi/math/rng/distributions.hpp>
#include <oneapi/math/rng/engines.hpp>
#include <oneapi/math/translate.hpp>

#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <vector>

namespace oneapi::math::rng {

namespace detail {

template <typename Distr>
inline constexpr bool needs_even_bits = false;
template <typename T>
inline constexpr bool needs_even_bits<uniform_bits<T>> = true;

template <typename Distr, typename Engine, typename To>
sycl::event generate_in(const Distr& distr, Engine& engine, std::int64_t n, To& to,
                        const std::vector<sycl::event>& dependencies) {
  if (n < 0) throw invalid_argument("rng", "generate", "n is below 0");
  if constexpr (needs_even_bits<Distr> && std::is_same_v<Engine, mrg32k3a>) {
    throw unimplemented("rng", "generate", "for uniform_bits of mrg32k3a");
  } else {
    return math::detail::translated("rng", "generate", [&] {
      return prism::random::generate(engine.prism_queue(), engine.prism_engine(), distr.prism_law(), to,
                                     static_cast<std::size_t>(n), dependencies);
    });
  }
}

} // namespace detail

template <typename Distr, typename Engine>
void generate(const Distr& distr, Engine& engine, std::int64_t n,
              sycl::buffer<typename Distr::result_type, 1>& r) {
  detail::generate_in(distr, engine, n, r, {});
}
template <typename Distr, typename Engine>
sycl::event generate(const Distr& distr, Engine& engine, std::int64_t n, typename Distr::result_type* r,
                     const std::vector<sycl::event>& dependencies = {}) {
  if (r == nullptr) throw invalid_argument("rng", "generate", "r is a null pointer");
  return detail::generate_in(distr, engine, n, r, dependencies);
}

/// The engine goes on by num_to_skip words.
template <typename Engine>
void skip_ahead(Engine& engine, std::uint64_t num_to_skip) {
  std::visit([&](auto& of) { of.skip(num_to_skip); }, engine.prism_engine());
}
/// By num_to_skip[0] + num_to_skip[1] 2^64 + ... words.
template <typename Engine>
void skip_ahead(Engine& engine, std::initializer_list<std::uint64_t> num_to_skip) {
  std::visit([&](auto& of) { of.skip(num_to_skip.begin(), num_to_skip.size()); }, engine.prism_engine());
}
/// From here on the engine has every stride-th word, beginning with word idx.
template <typename Engine>
void leapfrog(Engine& engine, std::uint64_t idx, std::uint64_t stride) {
  math::detail::translated(
      "rng", "leapfrog", [&] { std::visit([&](auto& of) { of.leap(idx, stride); }, engine.prism_engine()); });
}

} // namespace oneapi::math::rng
