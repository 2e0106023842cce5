// Interoperability with OpenCL. Includes OpenCL's header if it is installed.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#if __has_include(<CL/cl.h>)
#ifdef CL_TARGET_OPENCL_VERSION
#include <CL/cl.h>
#else // declares all versions; a program that defines a version afterwards gets no warning
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#undef CL_TARGET_OPENCL_VERSION
#endif
#endif

#include <sycl/detail/opencl_handles.hpp>

#include <sycl/detail/user_macros_restore.hpp>
