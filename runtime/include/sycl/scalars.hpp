// The names of scalar types that C++ lacks (SYCL 2020, "Built-in scalar data types" and "OpenCL backend").
// sycl::half has its own header.
#pragma once

#include <cstdint>

#include <sycl/half.hpp>

namespace sycl {
inline namespace _V1 {

using byte [[deprecated("use std::byte or std::uint8_t")]] = std::uint8_t;

// Names of other implementations; the standard only has names for vectors of these types.
using schar = signed char;
using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned int;
using ulong = unsigned long;
using longlong = long long;
using ulonglong = unsigned long long;

/// OpenCL's scalar types, without an OpenCL header.
namespace opencl {
using cl_bool = bool;
using cl_char = std::int8_t;
using cl_uchar = std::uint8_t;
using cl_short = std::int16_t;
using cl_ushort = std::uint16_t;
using cl_int = std::int32_t;
using cl_uint = std::uint32_t;
using cl_long = std::int64_t;
using cl_ulong = std::uint64_t;
using cl_float = float;
using cl_double = double;
using cl_half = half;
} // namespace opencl

// The namespace of SYCL 1.2.1. Without cl_bool and cl_half, for which OpenCL's headers have other types.
using opencl::cl_char;
using opencl::cl_double;
using opencl::cl_float;
using opencl::cl_int;
using opencl::cl_long;
using opencl::cl_short;
using opencl::cl_uchar;
using opencl::cl_uint;
using opencl::cl_ulong;
using opencl::cl_ushort;

}
} // namespace sycl::_V1
