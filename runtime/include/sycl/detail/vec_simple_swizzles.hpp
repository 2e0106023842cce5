// Swizzles with names of two to four letters (xyzw for up to four elements, rgba for four). They exist only
// if the program defines SYCL_SIMPLE_SWIZZLES. Each level appends one letter.
#pragma once

#define PRISM_VEC_NAMED(NAME, NEEDS, CV, ...)                                                                \
  template <int S = static_size, std::enable_if_t<(S > NEEDS && S <= 4), int> = 0>                           \
  auto NAME() CV {                                                                                           \
    return this->template swizzle<__VA_ARGS__>();                                                            \
  }
#define PRISM_VEC_MAX(A, B) ((A) > (B) ? (A) : (B))

#define PRISM_VEC_XYZW_4(P, NEEDS, CV, ...)                                                                  \
  PRISM_VEC_NAMED(P##x, PRISM_VEC_MAX(NEEDS, 0), CV, __VA_ARGS__, 0)                                         \
  PRISM_VEC_NAMED(P##y, PRISM_VEC_MAX(NEEDS, 1), CV, __VA_ARGS__, 1)                                         \
  PRISM_VEC_NAMED(P##z, PRISM_VEC_MAX(NEEDS, 2), CV, __VA_ARGS__, 2)                                         \
  PRISM_VEC_NAMED(P##w, PRISM_VEC_MAX(NEEDS, 3), CV, __VA_ARGS__, 3)
#define PRISM_VEC_XYZW_3(P, NEEDS, CV, ...)                                                                  \
  PRISM_VEC_NAMED(P##x, PRISM_VEC_MAX(NEEDS, 0), CV, __VA_ARGS__, 0)                                         \
  PRISM_VEC_XYZW_4(P##x, PRISM_VEC_MAX(NEEDS, 0), CV, __VA_ARGS__, 0)                                        \
  PRISM_VEC_NAMED(P##y, PRISM_VEC_MAX(NEEDS, 1), CV, __VA_ARGS__, 1)                                         \
  PRISM_VEC_XYZW_4(P##y, PRISM_VEC_MAX(NEEDS, 1), CV, __VA_ARGS__, 1)                                        \
  PRISM_VEC_NAMED(P##z, PRISM_VEC_MAX(NEEDS, 2), CV, __VA_ARGS__, 2)                                         \
  PRISM_VEC_XYZW_4(P##z, PRISM_VEC_MAX(NEEDS, 2), CV, __VA_ARGS__, 2)                                        \
  PRISM_VEC_NAMED(P##w, PRISM_VEC_MAX(NEEDS, 3), CV, __VA_ARGS__, 3)                                         \
  PRISM_VEC_XYZW_4(P##w, PRISM_VEC_MAX(NEEDS, 3), CV, __VA_ARGS__, 3)
#define PRISM_VEC_XYZW_2(P, FIRST, CV)                                                                       \
  PRISM_VEC_NAMED(P##x, PRISM_VEC_MAX(FIRST, 0), CV, FIRST, 0)                                               \
  PRISM_VEC_XYZW_3(P##x, PRISM_VEC_MAX(FIRST, 0), CV, FIRST, 0)                                              \
  PRISM_VEC_NAMED(P##y, PRISM_VEC_MAX(FIRST, 1), CV, FIRST, 1)                                               \
  PRISM_VEC_XYZW_3(P##y, PRISM_VEC_MAX(FIRST, 1), CV, FIRST, 1)                                              \
  PRISM_VEC_NAMED(P##z, PRISM_VEC_MAX(FIRST, 2), CV, FIRST, 2)                                               \
  PRISM_VEC_XYZW_3(P##z, PRISM_VEC_MAX(FIRST, 2), CV, FIRST, 2)                                              \
  PRISM_VEC_NAMED(P##w, PRISM_VEC_MAX(FIRST, 3), CV, FIRST, 3)                                               \
  PRISM_VEC_XYZW_3(P##w, PRISM_VEC_MAX(FIRST, 3), CV, FIRST, 3)
#define PRISM_VEC_RGBA_4(P, NEEDS, CV, ...)                                                                  \
  PRISM_VEC_NAMED(P##r, 3, CV, __VA_ARGS__, 0)                                                               \
  PRISM_VEC_NAMED(P##g, 3, CV, __VA_ARGS__, 1)                                                               \
  PRISM_VEC_NAMED(P##b, 3, CV, __VA_ARGS__, 2)                                                               \
  PRISM_VEC_NAMED(P##a, 3, CV, __VA_ARGS__, 3)
#define PRISM_VEC_RGBA_3(P, NEEDS, CV, ...)                                                                  \
  PRISM_VEC_NAMED(P##r, 3, CV, __VA_ARGS__, 0)                                                               \
  PRISM_VEC_RGBA_4(P##r, 3, CV, __VA_ARGS__, 0)                                                              \
  PRISM_VEC_NAMED(P##g, 3, CV, __VA_ARGS__, 1)                                                               \
  PRISM_VEC_RGBA_4(P##g, 3, CV, __VA_ARGS__, 1)                                                              \
  PRISM_VEC_NAMED(P##b, 3, CV, __VA_ARGS__, 2)                                                               \
  PRISM_VEC_RGBA_4(P##b, 3, CV, __VA_ARGS__, 2)                                                              \
  PRISM_VEC_NAMED(P##a, 3, CV, __VA_ARGS__, 3)                                                               \
  PRISM_VEC_RGBA_4(P##a, 3, CV, __VA_ARGS__, 3)
#define PRISM_VEC_RGBA_2(P, FIRST, CV)                                                                       \
  PRISM_VEC_NAMED(P##r, 3, CV, FIRST, 0)                                                                     \
  PRISM_VEC_RGBA_3(P##r, 3, CV, FIRST, 0)                                                                    \
  PRISM_VEC_NAMED(P##g, 3, CV, FIRST, 1)                                                                     \
  PRISM_VEC_RGBA_3(P##g, 3, CV, FIRST, 1)                                                                    \
  PRISM_VEC_NAMED(P##b, 3, CV, FIRST, 2)                                                                     \
  PRISM_VEC_RGBA_3(P##b, 3, CV, FIRST, 2)                                                                    \
  PRISM_VEC_NAMED(P##a, 3, CV, FIRST, 3)                                                                     \
  PRISM_VEC_RGBA_3(P##a, 3, CV, FIRST, 3)
#define PRISM_VEC_SIMPLE_SWIZZLES(CV)                                                                        \
  PRISM_VEC_XYZW_2(x, 0, CV)                                                                                 \
  PRISM_VEC_XYZW_2(y, 1, CV)                                                                                 \
  PRISM_VEC_XYZW_2(z, 2, CV)                                                                                 \
  PRISM_VEC_XYZW_2(w, 3, CV)                                                                                 \
  PRISM_VEC_RGBA_2(r, 0, CV)                                                                                 \
  PRISM_VEC_RGBA_2(g, 1, CV)                                                                                 \
  PRISM_VEC_RGBA_2(b, 2, CV)                                                                                 \
  PRISM_VEC_RGBA_2(a, 3, CV)
