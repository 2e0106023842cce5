// Version and feature macros (SYCL 2020, "Preprocessor directives and macros").
#pragma once

#define SYCL_LANGUAGE_VERSION 202012L
#define SYCL_FEATURE_SET_FULL 1
#define SYCL_DEVICE_COPYABLE 1
#define __SYCL_SINGLE_SOURCE__ 1

#define SYCL_IMPLEMENTATION_PRISM 1
#define SYCL_BACKEND_OPENCL 1
#define SYCL_EXT_PRISM_BACKEND_HOST 1
#define SYCL_EXT_PRISM_BACKEND_VULKAN 1
// Extensions of queue and handler. The macros of the others are in their headers.
#define SYCL_EXT_ONEAPI_ENQUEUE_BARRIER 1
#define SYCL_EXT_ONEAPI_MEMCPY2D 1
#define SYCL_EXT_ONEAPI_QUEUE_EMPTY 1
#define SYCL_EXT_ONEAPI_QUEUE_PRIORITY 1
#define SYCL_KHR_QUEUE_EMPTY_QUERY 1

// Marks a function that kernels of other files call. The plugin puts its device code into the object file,
// and the link step combines it with the kernels.
#ifndef SYCL_EXTERNAL
#if defined(__clang__)
#define SYCL_EXTERNAL __attribute__((annotate("prism.external")))
#else
#define SYCL_EXTERNAL
#endif
#endif
