// <sycl.hpp>, a name of the header that DPC++ knows, too.
#pragma once

#include <sycl/sycl.hpp>
