// Version and feature macros (SYCL 2020, "Preprocessor directives and macros").
#pragma once

#define SYCL_LANGUAGE_VERSION 202012L
#define SYCL_FEATURE_SET_FULL 1
#define SYCL_DEVICE_COPYABLE 1
#if !defined(__SYCL_DEVICE_ONLY__) // prism++ --device-pass
#define __SYCL_SINGLE_SOURCE__ 1
#endif

#define SYCL_IMPLEMENTATION_PRISM 1
#define SYCL_BACKEND_OPENCL 1
#define SYCL_EXT_PRISM_BACKEND_HOST 1
#define SYCL_EXT_PRISM_BACKEND_VULKAN 1
// Extensions of device, queue and handler. The macros of the others are in their headers.
#define SYCL_EXT_ONEAPI_DEVICE_WAIT 1
#define SYCL_EXT_ONEAPI_DISCARD_QUEUE_EVENTS 1
#define SYCL_EXT_ONEAPI_ENQUEUE_BARRIER 1
#define SYCL_EXT_ONEAPI_IN_ORDER_QUEUE_EVENTS 1
#define SYCL_EXT_ONEAPI_MEMCPY2D 1
#define SYCL_EXT_ONEAPI_PEER_ACCESS 1
#define SYCL_EXT_ONEAPI_PROD 1
#define SYCL_EXT_ONEAPI_QUEUE_EMPTY 1
#define SYCL_EXT_ONEAPI_QUEUE_PRIORITY 1
// Extensions of Khronos; khr/split_headers/version.hpp includes only this header.
#define SYCL_KHR_DEFAULT_CONTEXT 1
#define SYCL_KHR_DYNAMIC_ADDRSPACE_CAST 1
#define SYCL_KHR_GROUP_INTERFACE 1
#define SYCL_KHR_MAX_WORK_GROUP_QUERIES 1
#define SYCL_KHR_QUEUE_EMPTY_QUERY 1
#define SYCL_KHR_QUEUE_FLUSH 1
#define SYCL_KHR_SPLIT_HEADERS 1
#define SYCL_KHR_STATIC_ADDRSPACE_CAST 1
#define SYCL_KHR_WORK_ITEM_QUERIES 1

// Marks a function that kernels of other files call. The plugin puts its device code into the object file,
// and the link step combines it with the kernels.
#ifndef SYCL_EXTERNAL
#if defined(__clang__)
#define SYCL_EXTERNAL __attribute__((annotate("prism.external")))
#else
#define SYCL_EXTERNAL
#endif
#endif
