// How long oneDNN takes, for the choice between implementations. A pure function of the description.
#pragma once

#include <prism/provider.h>

namespace prism_onednn {

struct estimate {
  double efficiency;  // of the processors' peak
  double overhead_ns; // of a run, without the computation
};
/// Of a product or a convolution that makes sense.
estimate estimated(const prism_provider_operation& what);

} // namespace prism_onednn
