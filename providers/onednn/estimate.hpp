// How long oneDNN takes, for the choice between implementations. A pure function of the description
// and of the threads.
#pragma once

#include <prism/provider.h>

#include <cstdint>

namespace prism_onednn {

struct estimate {
  double efficiency;  // of the processors' peak
  double overhead_ns; // of a run, without the computation
};
/// Of a product or a convolution that makes sense, with at most these threads.
estimate estimated(const prism_provider_operation& what, std::uint32_t threads);

} // namespace prism_onednn
