// Interoperability with OpenCL, for programs that use both: with OpenCL's own header, where it is installed.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#if __has_include(<CL/cl.h>)
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#endif

#include <sycl/detail/opencl_handles.hpp>

#include <sycl/detail/user_macros_restore.hpp>
