// Statements for the host or for devices in a function that both call, for libraries over SYCL
// (docs/porting.md):
//   int side() { __prism_if_target_device(return 1;) __prism_if_target_host(return 0;) }
// prism++ decides them before it checks device code, so the host's statements may throw, allocate or call
// anything. On the host device kernels are device code as well. Constants are computed on the host.
#pragma once

#if defined(__SYCL_DEVICE_ONLY__) // prism++ --device-pass
#define __prism_if_target_device(...) {__VA_ARGS__}
#define __prism_if_target_host(...)                                                                          \
  {}
#elif defined(__PRISM_COMPILER__)
#define __prism_if_target_device(...)                                                                        \
  if (!__builtin_is_constant_evaluated() && __prism_target_is_device()) {                                    \
    __VA_ARGS__                                                                                              \
  }
#define __prism_if_target_host(...)                                                                          \
  if (__builtin_is_constant_evaluated() || !__prism_target_is_device()) {                                    \
    __VA_ARGS__                                                                                              \
  }
#else // any other compiler: kernels are ordinary functions of the host
#define __prism_if_target_device(...)                                                                        \
  {}
#define __prism_if_target_host(...) {__VA_ARGS__}
#endif
