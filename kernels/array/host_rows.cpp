// Folds of elements, compiled for each instruction set.
#include "kernels/array/host_rows.hpp"

#include "kernels/array/line_folds.hpp"

namespace prism::array_detail {

namespace {

#ifdef __x86_64__
/// Defines NAME(parameters), which runs `code` compiled for the instruction set.
#define PRISM_ARRAY_EACH_ISA(name, parameters, arguments, code)                                              \
  template <typename T, typename C>                                                                          \
  void name##_baseline parameters code template <typename T, typename C>                                     \
  __attribute__((target("avx2"))) void name##_v3 parameters code template <typename T, typename C>           \
  __attribute__((                                                                                            \
      target(PRISM_ARRAY_AVX512))) void name##_v4 parameters code template <typename T, typename C>          \
  void name parameters {                                                                                     \
    if (__prism_host_isa >= 4) return name##_v4<T, C> arguments;                                             \
    if (__prism_host_isa >= 3) return name##_v3<T, C> arguments;                                             \
    name##_baseline<T, C> arguments;                                                                         \
  }
#else
#define PRISM_ARRAY_EACH_ISA(name, parameters, arguments, code)                                              \
  template <typename T, typename C>                                                                          \
  void name parameters code
#endif

PRISM_ARRAY_EACH_ISA(rows, (const T* from, std::int64_t count, T* lane), (from, count, lane),
                     { fold_rows(from, count, lane, C()); })
PRISM_ARRAY_EACH_ISA(places, (const T* from, std::int64_t advance, std::int64_t rows, int count, T* kept),
                     (from, advance, rows, count, kept),
                     { fold_places(from, advance, rows, count, kept, C()); })

/// T: the arithmetic; E: the elements.
template <typename T, typename E, fold_op op, bool positions>
struct line_fold {
  static constexpr int chunk = chunk_of(sizeof(T));
  PRISM_ARRAY_INLINED static void run(const E* elements, const program& p, std::int64_t first,
                                      std::int64_t last) {
    fold_lines<chunk, positions>(elements, p, first, last, combination<E, op>());
  }
};
template <typename T, typename E, fold_op op>
struct place_fold {
  PRISM_ARRAY_INLINED static void run(const E* elements, const program& p, std::int64_t first,
                                      std::int64_t last) {
    fold_place_units<chunk_of(sizeof(T))>(elements, p, first, last, combination<E, op>());
  }
};
template <typename T, typename E, bool counts>
struct line_sum {
  PRISM_ARRAY_INLINED static void run(const E* elements, const program& p, std::int64_t first,
                                      std::int64_t last) {
    sum_lines<chunk_of(sizeof(T)), T, counts>(elements, p, first, last);
  }
};
PRISM_ARRAY_EACH_ISA(lines, (const T* elements, const program& p, std::int64_t first, std::int64_t last),
                     (elements, p, first, last), { C::run(elements, p, first, last); })

} // namespace

template <typename T, fold_op op>
void fold_rows_here(const T* from, std::int64_t count, T* lane) {
  array_detail::rows<T, combination<T, op>>(from, count, lane);
}

template <typename T, fold_op op>
void fold_places_here(const T* from, std::int64_t advance, std::int64_t rows, int count, T* kept) {
  places<T, combination<T, op>>(from, advance, rows, count, kept);
}

template <typename T>
void fold_lines_here(const program& p, std::int64_t first, std::int64_t last) {
  with_line_type<T>(p, [&]<typename E>(std::type_identity<E>) {
    const E* const elements = reinterpret_cast<const E*>(p.leaf[0].data);
    if constexpr (std::is_integral_v<T>) {
      const bool counts = p.steps == 1 || p.leaf[0].type == std::int32_t(dtype::boolean);
      if (p.fold == fold_op::sum && counts) return lines<E, line_sum<T, E, true>>(elements, p, first, last);
    }
    if constexpr (sizeof(E) < sizeof(T)) {
      if (p.fold == fold_op::sum) return lines<E, line_sum<T, E, false>>(elements, p, first, last);
      if (p.folded.inner > 1) {
        if (p.fold == fold_op::minimum)
          return lines<E, place_fold<T, E, fold_op::minimum>>(elements, p, first, last);
        return lines<E, place_fold<T, E, fold_op::maximum>>(elements, p, first, last);
      }
    }
    dispatch_lines<T, E>(p.fold,
                         [&]<fold_op op, bool positions>(combination<E, op>, std::bool_constant<positions>) {
      lines<E, line_fold<T, E, op, positions>>(elements, p, first, last);
    });
  });
}

#define PRISM_ARRAY_FOLD(T, op)                                                                              \
  template void fold_rows_here<T, fold_op::op>(const T*, std::int64_t, T*);                                  \
  template void fold_places_here<T, fold_op::op>(const T*, std::int64_t, std::int64_t, int, T*);
#define PRISM_ARRAY_FOLDS(T)                                                                                 \
  template void fold_lines_here<T>(const program&, std::int64_t, std::int64_t);                              \
  PRISM_ARRAY_FOLD(T, sum) PRISM_ARRAY_FOLD(T, product) PRISM_ARRAY_FOLD(T, any) PRISM_ARRAY_FOLD(T, all)
#define PRISM_ARRAY_REAL_FOLDS(T)                                                                            \
  PRISM_ARRAY_FOLDS(T) PRISM_ARRAY_FOLD(T, minimum) PRISM_ARRAY_FOLD(T, maximum)

PRISM_ARRAY_REAL_FOLDS(std::int64_t)
PRISM_ARRAY_REAL_FOLDS(std::uint64_t)
PRISM_ARRAY_REAL_FOLDS(float)
PRISM_ARRAY_REAL_FOLDS(double)
PRISM_ARRAY_FOLDS(pair<float>)
PRISM_ARRAY_FOLDS(pair<double>)

} // namespace prism::array_detail
