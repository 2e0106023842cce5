// How long a CBLAS library takes, for the choice between implementations. A pure function of the description
// and of a few properties of the library on this processor.
#pragma once

#include <prism/provider.h>

#include <cstdint>

namespace prism_cblas {

/// What libraries differ by.
struct speed {
  double efficiency;     // as a fraction of the processor's peak, for a large product
  double overhead_ns;    // of a call
  bool has_narrow_tiles; // its vectors are narrower than the processor's
  bool has_small_kernels;
};
struct estimate {
  double efficiency;  // of the processor's peak
  double overhead_ns; // of a run, without the computation
};
/// Of an operation that makes sense, with `work` multiplications, about, in all of its `batch`.
estimate estimated(const prism_provider_operation& what, double work, std::int64_t batch, const speed& of);

} // namespace prism_cblas
