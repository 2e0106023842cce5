// DPC++'s name of the header of sycl::half.
#pragma once

#include <sycl/half.hpp>
