// How long the library's own kernels take, for the choice between implementations. A pure function of the
// description and of a few properties of the device.
#pragma once

#include <prism/provider.h>

namespace prism::blas {

/// What the own kernels differ by.
struct own_device {
  bool is_host = true, is_cpu = true;
  bool has_wide_vectors = false; // of 64 bytes, see product.hpp
};
struct own_estimate {
  double efficiency;  // of the device's peak
  double overhead_ns; // of a call, without the computation
};
/// Of an operation that makes sense and that the own kernels have.
own_estimate estimated(const prism_provider_operation& what, const own_device& on);

} // namespace prism::blas
