// Folds of rows on the host device, compiled for the processor's instruction set. These functions are not
// inlined: that would make their callers long, and a call costs little compared with a row.
#pragma once

#include "kernels/array/steps.hpp"

#include <cstdint>

// The level of instruction sets that libprism found or PRISM_HOST_ISA names: what compiled kernels read.
extern "C" std::int32_t __prism_host_isa;

#ifdef __clang__ // has no attribute for the width
#define PRISM_ARRAY_AVX512 "avx512f,avx512dq,avx512bw,avx512vl"
#else
#define PRISM_ARRAY_AVX512 "avx512f,avx512dq,avx512bw,avx512vl,prefer-vector-width=512"
#endif

namespace prism::array_detail {

/// fold_rows() of lanes.hpp.
template <typename T, fold_op op>
void fold_rows_here(const T* from, std::int64_t count, T* lane);

/// fold_places() of lanes.hpp.
template <typename T, fold_op op>
void fold_places_here(const T* from, std::int64_t advance, std::int64_t rows, int count, T* kept);

struct rows_here {
  template <typename T, fold_op op>
  PRISM_ARRAY_INLINED static void fold(const T* from, std::int64_t count, T* lane, combination<T, op>) {
    fold_rows_here<T, op>(from, count, lane);
  }
  template <typename T, fold_op op>
  PRISM_ARRAY_INLINED static void fold_places(const T* from, std::int64_t advance, std::int64_t rows,
                                              int count, T* kept, combination<T, op>) {
    fold_places_here<T, op>(from, advance, rows, count, kept);
  }
};

/// The units [first, last) of a program of T's arithmetic that folds_lines() names (line_folds.hpp).
template <typename T>
void fold_lines_here(const program& p, std::int64_t first, std::int64_t last);

} // namespace prism::array_detail
