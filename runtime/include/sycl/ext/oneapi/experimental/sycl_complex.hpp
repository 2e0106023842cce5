// The older name of this header, in programs written for it.
#pragma once

#include <sycl/ext/oneapi/experimental/complex/complex.hpp>
