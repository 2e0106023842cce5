// The header name and namespace of SYCL 1.2.1.
#pragma once

#include <sycl/sycl.hpp>

namespace cl {
namespace sycl = ::sycl;
}
