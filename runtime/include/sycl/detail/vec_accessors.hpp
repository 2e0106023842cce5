// Access to elements and swizzles by name, for vec and for swizzles of a vec, by `Self::template
// swizzle<I...>()` and `element<I>()`. SYCL 2020, "Swizzles": hi() and odd() treat a 3-element vector as one
// of 4 elements.
#pragma once

#include <type_traits>

// For use inside a class with members `static_size`, `template <int> element()` and `template <int...>
// swizzle()`. CV is empty or const.
#define PRISM_VEC_ELEMENT(NAME, INDEX, CV)                                                                   \
  template <int S = static_size, std::enable_if_t<(S > INDEX), int> = 0>                                     \
  constexpr auto& NAME() CV noexcept {                                                                       \
    return this->template element<INDEX>();                                                                  \
  }

#define PRISM_VEC_HALVES(NAME, I2_0, I3_0, I3_1, I8_0, I8_1, I8_2, I8_3, I16, CV)                            \
  template <int S = static_size, std::enable_if_t<(S > 1), int> = 0>                                         \
  auto NAME() CV {                                                                                           \
    if constexpr (S == 2) {                                                                                  \
      return this->template swizzle<I2_0>();                                                                 \
    } else if constexpr (S <= 4) {                                                                           \
      return this->template swizzle<I3_0, I3_1>();                                                           \
    } else if constexpr (S == 8) {                                                                           \
      return this->template swizzle<I8_0, I8_1, I8_2, I8_3>();                                               \
    } else {                                                                                                 \
      return this->template swizzle<I16(0), I16(1), I16(2), I16(3), I16(4), I16(5), I16(6), I16(7)>();       \
    }                                                                                                        \
  }
#define PRISM_LO16(I) I
#define PRISM_HI16(I) (I + 8)
#define PRISM_EVEN16(I) (2 * I)
#define PRISM_ODD16(I) (2 * I + 1)

// clang-format off
#define PRISM_VEC_ACCESSORS(CV) \
  PRISM_VEC_ELEMENT(x, 0, CV) \
  PRISM_VEC_ELEMENT(y, 1, CV) \
  PRISM_VEC_ELEMENT(z, 2, CV) \
  PRISM_VEC_ELEMENT(w, 3, CV) \
  PRISM_VEC_ELEMENT(r, 0, CV) \
  PRISM_VEC_ELEMENT(g, 1, CV) \
  PRISM_VEC_ELEMENT(b, 2, CV) \
  PRISM_VEC_ELEMENT(a, 3, CV) \
  PRISM_VEC_ELEMENT(s0, 0, CV) \
  PRISM_VEC_ELEMENT(s1, 1, CV) \
  PRISM_VEC_ELEMENT(s2, 2, CV) \
  PRISM_VEC_ELEMENT(s3, 3, CV) \
  PRISM_VEC_ELEMENT(s4, 4, CV) \
  PRISM_VEC_ELEMENT(s5, 5, CV) \
  PRISM_VEC_ELEMENT(s6, 6, CV) \
  PRISM_VEC_ELEMENT(s7, 7, CV) \
  PRISM_VEC_ELEMENT(s8, 8, CV) \
  PRISM_VEC_ELEMENT(s9, 9, CV) \
  PRISM_VEC_ELEMENT(sA, 10, CV) \
  PRISM_VEC_ELEMENT(sB, 11, CV) \
  PRISM_VEC_ELEMENT(sC, 12, CV) \
  PRISM_VEC_ELEMENT(sD, 13, CV) \
  PRISM_VEC_ELEMENT(sE, 14, CV) \
  PRISM_VEC_ELEMENT(sF, 15, CV) \
  PRISM_VEC_HALVES(lo, 0, 0, 1, 0, 1, 2, 3, PRISM_LO16, CV) \
  PRISM_VEC_HALVES(hi, 1, 2, 3, 4, 5, 6, 7, PRISM_HI16, CV) \
  PRISM_VEC_HALVES(odd, 1, 1, 3, 1, 3, 5, 7, PRISM_ODD16, CV) \
  PRISM_VEC_HALVES(even, 0, 0, 2, 0, 2, 4, 6, PRISM_EVEN16, CV) \
  PRISM_VEC_SIMPLE_SWIZZLES(CV)
// clang-format on

#ifdef SYCL_SIMPLE_SWIZZLES
#include <sycl/detail/vec_simple_swizzles.hpp>
#else
#define PRISM_VEC_SIMPLE_SWIZZLES(CV)
#endif
