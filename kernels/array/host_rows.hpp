// Folds of rows of lanes on the host device, in the code for the processor's instruction set. They are not
// part of their callers, whose code would be long: a row takes less time than its loads, a call little of
// either.
#pragma once

#include "kernels/array/steps.hpp"

#include <cstdint>

// The level of instruction sets that libprism found or PRISM_HOST_ISA names: what compiled kernels read.
extern "C" std::int32_t __prism_host_isa;

namespace prism::array_detail {

/// fold_rows() of lanes.hpp.
template <typename T, fold_op op>
void fold_rows_here(const T* from, std::int64_t rows, T* lane);

struct rows_here {
  template <typename T, fold_op op>
  PRISM_ARRAY_INLINED static void fold(const T* from, std::int64_t rows, T* lane, combination<T, op>) {
    fold_rows_here<T, op>(from, rows, lane);
  }
};

} // namespace prism::array_detail
