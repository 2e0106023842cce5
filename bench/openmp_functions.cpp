// Mathematical functions of --forms as a loop in plain C++ with OpenMP. -ffast-math lets GCC call the C
// library's functions for vectors (libmvec), and the copies are for the processor's instruction set.
#include "bench/forms_by_hand.hpp"

#include <cmath>

namespace bench {

#ifdef __x86_64__
#define PRISM_EACH_PROCESSOR __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define PRISM_EACH_PROCESSOR
#endif

namespace {

constexpr std::size_t piece = 4096; // elements

PRISM_EACH_PROCESSOR void functions_of(const float* x, float* out, std::size_t count) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    const float v = x[i];
    out[i] = std::exp(v * -0.125f) * std::sin(v) + std::log(1.0f + v) * std::pow(v + 0.5f, 0.3f);
  }
}

} // namespace

void functions_by_hand(const float* x, float* out) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < form_count; i += piece)
    functions_of(x + i, out + i, i + piece < form_count ? piece : form_count - i);
}

} // namespace bench
