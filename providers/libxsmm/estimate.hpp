// How long LIBXSMM takes, for the choice between implementations. A pure function of the description and of
// whether the processor has vectors of 64 bytes.
#pragma once

#include <prism/provider.h>

namespace prism_libxsmm {

struct estimate {
  double efficiency;  // of all processors' peak
  double overhead_ns; // of a run, without the computation
};
/// Of products that make sense; `rows` and `columns` are the results'.
estimate estimated(const prism_provider_operation& what, int rows, int columns, bool has_wide_vectors);

} // namespace prism_libxsmm
