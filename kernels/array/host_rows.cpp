// Folds of rows of lanes, compiled for each instruction set.
#include "kernels/array/host_rows.hpp"

#include "kernels/array/lanes.hpp"

namespace prism::array_detail {

namespace {

template <typename T, fold_op op>
void rows_baseline(const T* from, std::int64_t rows, T* lane) {
  fold_rows(from, rows, lane, combination<T, op>());
}
#ifdef __x86_64__
template <typename T, fold_op op>
__attribute__((target("avx2"))) void rows_v3(const T* from, std::int64_t rows, T* lane) {
  fold_rows(from, rows, lane, combination<T, op>());
}
#ifdef __clang__ // has no such attribute
#define PRISM_ARRAY_AVX512 "avx512f,avx512dq,avx512bw,avx512vl"
#else
#define PRISM_ARRAY_AVX512 "avx512f,avx512dq,avx512bw,avx512vl,prefer-vector-width=512"
#endif
template <typename T, fold_op op>
__attribute__((target(PRISM_ARRAY_AVX512))) void rows_v4(const T* from, std::int64_t rows, T* lane) {
  fold_rows(from, rows, lane, combination<T, op>());
}
#endif

} // namespace

template <typename T, fold_op op>
void fold_rows_here(const T* from, std::int64_t rows, T* lane) {
#ifdef __x86_64__
  if (__prism_host_isa >= 4) return rows_v4<T, op>(from, rows, lane);
  if (__prism_host_isa >= 3) return rows_v3<T, op>(from, rows, lane);
#endif
  rows_baseline<T, op>(from, rows, lane);
}

#define PRISM_ARRAY_ROWS(T, op) template void fold_rows_here<T, fold_op::op>(const T*, std::int64_t, T*);
#define PRISM_ARRAY_TRUTHS(T) PRISM_ARRAY_ROWS(T, any) PRISM_ARRAY_ROWS(T, all)
#define PRISM_ARRAY_EXTREMES(T) PRISM_ARRAY_ROWS(T, minimum) PRISM_ARRAY_ROWS(T, maximum)
#define PRISM_ARRAY_SUMS(T) PRISM_ARRAY_ROWS(T, sum) PRISM_ARRAY_ROWS(T, product) PRISM_ARRAY_TRUTHS(T)

PRISM_ARRAY_TRUTHS(std::uint8_t)
PRISM_ARRAY_TRUTHS(std::int32_t)
PRISM_ARRAY_EXTREMES(std::int32_t)
PRISM_ARRAY_SUMS(std::int64_t)
PRISM_ARRAY_EXTREMES(std::int64_t)
PRISM_ARRAY_SUMS(std::uint64_t)
PRISM_ARRAY_EXTREMES(std::uint64_t)
PRISM_ARRAY_SUMS(float)
PRISM_ARRAY_EXTREMES(float)
PRISM_ARRAY_SUMS(double)
PRISM_ARRAY_EXTREMES(double)
PRISM_ARRAY_SUMS(pair<float>)
PRISM_ARRAY_SUMS(pair<double>)

} // namespace prism::array_detail
