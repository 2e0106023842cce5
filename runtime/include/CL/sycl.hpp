// The header name and namespace of SYCL 1.2.1.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/sycl.hpp>

namespace cl {
namespace sycl = ::sycl;
}

namespace sycl { inline namespace _V1 {
using exception_ptr = std::exception_ptr;
}} // namespace sycl::_V1

#include <sycl/detail/user_macros_restore.hpp>
