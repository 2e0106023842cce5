// An earlier name of the header below, for programs that use it.
#pragma once

#include <sycl/ext/oneapi/experimental/complex/complex.hpp>
