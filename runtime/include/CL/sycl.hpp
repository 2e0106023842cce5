// The header name and namespace of SYCL 1.2.1, both deprecated. Including it causes one warning per file,
// which -Werror does not make an error.
#pragma once

// As if it were not a system header, in which compilers suppress warnings.
# 6 "CL/sycl.hpp"
#pragma message("<CL/sycl.hpp> and the namespace cl::sycl are deprecated: use <sycl/sycl.hpp> and sycl")

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/sycl.hpp>
#include <sycl/backend/opencl.hpp>

namespace cl {
namespace sycl = ::sycl;
}

namespace sycl {
inline namespace _V1 {
using exception_ptr = std::exception_ptr;
using opencl::cl_bool;
using opencl::cl_half;
#define PRISM_CL_VECTORS(type)                                                                               \
  using type##2 = vec<opencl::type, 2>;                                                                      \
  using type##3 = vec<opencl::type, 3>;                                                                      \
  using type##4 = vec<opencl::type, 4>;                                                                      \
  using type##8 = vec<opencl::type, 8>;                                                                      \
  using type##16 = vec<opencl::type, 16>;
PRISM_CL_VECTORS(cl_char)
PRISM_CL_VECTORS(cl_uchar)
PRISM_CL_VECTORS(cl_short)
PRISM_CL_VECTORS(cl_ushort)
PRISM_CL_VECTORS(cl_int)
PRISM_CL_VECTORS(cl_uint)
PRISM_CL_VECTORS(cl_long)
PRISM_CL_VECTORS(cl_ulong)
PRISM_CL_VECTORS(cl_float)
PRISM_CL_VECTORS(cl_double)
PRISM_CL_VECTORS(cl_half)
#undef PRISM_CL_VECTORS
}
} // namespace sycl::_V1

#include <sycl/detail/user_macros_restore.hpp>
