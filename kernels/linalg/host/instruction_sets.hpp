// One loop compiled for several instruction sets. PRISM_FOR_INSTRUCTION_SETS(name, body, Result, parameters,
// arguments) defines name<E>, which calls body<E, Bytes> with the widest vectors (in bytes) that the
// processor has. `body` is PRISM_INLINE, so that it is compiled with the options of its caller.
#pragma once

#define PRISM_INLINE __attribute__((always_inline)) inline

#if defined(__x86_64__)

namespace prism::linalg::host {

/// 64: x86-64-v4, 32: v3, 16: every processor.
inline int vector_bytes() {
  static const int bytes = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                                   __builtin_cpu_supports("avx512dq")
                               ? 64
                           : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 32
                                                                                             : 16;
  return bytes;
}

} // namespace prism::linalg::host

#define PRISM_FOR_INSTRUCTION_SETS(name, body, Result, parameters, arguments)                                \
  template <typename E>                                                                                      \
  __attribute__((                                                                                            \
      target("avx512f,avx512vl,avx512dq,fma,prefer-vector-width=512"))) Result name##_v4 parameters {        \
    return body<E, 64> arguments;                                                                            \
  }                                                                                                          \
  template <typename E>                                                                                      \
  __attribute__((target("avx2,fma"))) Result name##_v3 parameters {                                          \
    return body<E, 32> arguments;                                                                            \
  }                                                                                                          \
  template <typename E>                                                                                      \
  Result name parameters {                                                                                   \
    const int bytes = vector_bytes();                                                                        \
    if (bytes == 64) return name##_v4<E> arguments;                                                          \
    if (bytes == 32) return name##_v3<E> arguments;                                                          \
    return body<E, 16> arguments;                                                                            \
  }

#else

#define PRISM_FOR_INSTRUCTION_SETS(name, body, Result, parameters, arguments)                                \
  template <typename E>                                                                                      \
  Result name parameters {                                                                                   \
    return body<E, 16> arguments;                                                                            \
  }

#endif
