// oneMath's engines: philox4x32x10 and mrg32k3a. The constructors of the others throw unimplemented with
// their name. An engine has a queue and a position; a copy has its own position. Two threads must not use one
// engine at once.
#pragma once

#include <oneapi/math/exceptions.hpp>
#include <oneapi/math/translate.hpp>

#include <prism/random/generate.hpp>

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace oneapi::math::rng {

namespace detail {

/// What functions over engines use of them.
class engine_base {
public:
  sycl::queue& prism_queue() { return m_queue; }
  prism::random::engine& prism_engine() { return m_engine; }

protected:
  template <typename Engine>
  engine_base(const sycl::queue& queue, Engine engine) : m_queue(queue), m_engine(engine) {}

private:
  sycl::queue m_queue;
  prism::random::engine m_engine;
};

inline prism::random::philox_engine philox_of(std::initializer_list<std::uint64_t> seed) {
  const std::vector<std::uint64_t> all(seed);
  const auto at = [&](std::size_t i) { return i < all.size() ? all[i] : 0; };
  return prism::random::philox_engine(at(0), at(1), at(2));
}

/// An engine that PRISM lacks.
struct missing_engine {
  [[noreturn]] explicit missing_engine(const char* name) { throw unimplemented("rng", name); }
};

} // namespace detail

/// The counter-based Philox4x32-10: a key of 64 bits and a counter of 128.
class philox4x32x10 : public detail::engine_base {
public:
  static constexpr std::uint64_t default_seed = 0;
  philox4x32x10(sycl::queue queue, std::uint64_t seed = default_seed)
      : engine_base(queue, prism::random::philox_engine(seed)) {}
  /// Key, lower and upper half of the counter.
  philox4x32x10(sycl::queue queue, std::initializer_list<std::uint64_t> seed)
      : engine_base(queue, detail::philox_of(seed)) {}
};

/// The combined multiple recursive generator MRG32k3a.
class mrg32k3a : public detail::engine_base {
public:
  static constexpr std::uint32_t default_seed = 1;
  mrg32k3a(sycl::queue queue, std::uint32_t seed = default_seed)
      : engine_base(queue, prism::random::mrg32k3a_engine(&seed, 1)) {}
  mrg32k3a(sycl::queue queue, std::initializer_list<std::uint32_t> seed)
      : engine_base(queue, prism::random::mrg32k3a_engine(seed.begin(), seed.size())) {}
};

using default_engine = philox4x32x10;

#define PRISM_MISSING_ENGINE(name, seed_type)                                                                \
  class name : detail::missing_engine {                                                                      \
  public:                                                                                                    \
    static constexpr seed_type default_seed = 1;                                                             \
    name(sycl::queue, seed_type = default_seed) : missing_engine(#name) {}                                   \
    name(sycl::queue, std::initializer_list<seed_type>) : missing_engine(#name) {}                           \
    name(sycl::queue, seed_type, std::uint32_t) : missing_engine(#name) {}                                   \
  }
PRISM_MISSING_ENGINE(mcg31m1, std::uint32_t);
PRISM_MISSING_ENGINE(mcg59, std::uint64_t);
PRISM_MISSING_ENGINE(r250, std::uint32_t);
PRISM_MISSING_ENGINE(wichmann_hill, std::uint32_t);
PRISM_MISSING_ENGINE(mt19937, std::uint32_t);
PRISM_MISSING_ENGINE(sfmt19937, std::uint32_t);
PRISM_MISSING_ENGINE(mt2203, std::uint32_t);
PRISM_MISSING_ENGINE(ars5, std::uint64_t);
PRISM_MISSING_ENGINE(sobol, std::uint32_t);
PRISM_MISSING_ENGINE(niederreiter, std::uint32_t);
#undef PRISM_MISSING_ENGINE
class nondeterministic : detail::missing_engine {
public:
  nondeterministic(sycl::queue) : missing_engine("nondeterministic") {}
};

} // namespace oneapi::math::rng
