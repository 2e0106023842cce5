// Fills USM with random numbers (prism/random.hpp): element i is made of word `first` + i of the seed's
// sequence.
#pragma once

#include <sycl/sycl.hpp>

#include <cstdint>

namespace prism::random {

void words(sycl::queue& queue, std::uint64_t* out, std::size_t n, std::uint64_t seed, std::uint64_t first);
/// In [low, low + count).
void integers(sycl::queue& queue, std::int64_t* out, std::size_t n, std::uint64_t seed, std::uint64_t first,
              std::int64_t low, std::uint64_t count);
void uniform(sycl::queue& queue, float* out, std::size_t n, std::uint64_t seed, std::uint64_t first,
             float low, float width);
void uniform(sycl::queue& queue, double* out, std::size_t n, std::uint64_t seed, std::uint64_t first,
             double low, double width);
void normal(sycl::queue& queue, float* out, std::size_t n, std::uint64_t seed, std::uint64_t first,
            double mean, double deviation);
void normal(sycl::queue& queue, double* out, std::size_t n, std::uint64_t seed, std::uint64_t first,
            double mean, double deviation);

} // namespace prism::random
