// The header of DPC++ for the properties of kernels and of functions that are kernels.
#pragma once

#include <sycl/ext/oneapi/experimental/free_function_kernels.hpp>
#include <sycl/ext/oneapi/experimental/kernel_properties.hpp>
