// From BLAS's arguments (pointer or buffer, extents, leading dimension or increment, flags) to views, and
// from PRISM's errors to oneMath's exceptions.
#pragma once

#include <oneapi/math/translate.hpp>
#include <oneapi/math/types.hpp>

#include <prism/blas.hpp>

#include <cstdint>
#include <type_traits>

namespace oneapi::math::blas::detail {

namespace own = prism::blas;

/// What an argument for memory refers to: the element type, and a view's place.
template <typename Memory>
struct memory_traits {
  static constexpr bool is_memory = false;
};
template <typename T>
struct memory_traits<T*> {
  static constexpr bool is_memory = true, is_pointer = true;
  using element = std::remove_const_t<T>;
  using viewed = T;
  using place = T*;
  static place at(T* pointer, std::int64_t offset) { return pointer ? pointer + offset : pointer; }
};
template <typename T>
struct memory_traits<sycl::buffer<T, 1>> {
  static constexpr bool is_memory = true, is_pointer = false;
  using element = T;
  using viewed = T;
  using place = prism::buffer_place<T>;
  static place at(const sycl::buffer<T, 1>& buffer, std::int64_t offset) { return {buffer, offset}; }
};
template <typename Memory>
using traits = memory_traits<std::decay_t<Memory>>;
template <typename Memory>
using element = typename traits<Memory>::element;
template <typename Memory>
using real_element = own::real<element<Memory>>;
/// The element type as a parameter that takes no part in deduction: a scalar argument converts to it.
template <typename Memory>
using scalar = element<Memory>;

template <typename T>
inline constexpr bool is_supported =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::complex<float>> ||
    std::is_same_v<T, std::complex<double>>;
template <typename... Memory>
inline constexpr bool are_supported = (is_supported<element<Memory>> && ...);
template <typename Memory>
inline constexpr bool are_real = std::is_same_v<element<Memory>, real_element<Memory>>;
/// All operands have the type of the first.
template <typename First, typename... Memory>
inline constexpr bool are_alike = (std::is_same_v<element<First>, element<Memory>> && ...);

/// Products of half, bfloat16 and int8. Their alpha and beta are float, except where all three operands are
/// of one type, as in oneMath.
template <typename A, typename B, typename C>
inline constexpr bool are_narrow = own::detail::multiplies_to<element<A>, element<C>> && are_alike<A, B>;
template <typename A, typename C>
using product_scalar =
    std::conditional_t<own::detail::multiplies_to<element<A>, element<C>> && !are_alike<A, C>, float,
                       element<C>>;
/// The factor of a product that is written as C. PRISM's int32 has integer factors only.
template <typename C, typename S>
own::detail::narrow_scalar<element<C>> narrow_factor(const char* name, S value) {
  const auto factor = static_cast<float>(value);
  if constexpr (std::is_same_v<element<C>, std::int32_t>) {
    if (!(factor >= -2147483648.0f && factor < 2147483648.0f) ||
        static_cast<float>(static_cast<std::int32_t>(factor)) != factor)
      throw unimplemented("blas", "gemm", std::string("for int32 and a fraction as ") + name);
    return static_cast<std::int32_t>(factor);
  } else {
    return factor;
  }
}

/// A routine over buffers has no result, one over USM an event.
template <typename Memory>
using result = std::conditional_t<traits<Memory>::is_pointer, sycl::event, void>;
using events = std::vector<sycl::event>;

/// Calls `body`, which returns the event, for routine `name`; PRISM's errors become oneMath's.
template <typename Memory, typename Body>
result<Memory> run(const char* name, const Body& body) {
  return math::detail::translated("blas", name, [&]() -> result<Memory> {
    if constexpr (traits<Memory>::is_pointer) return body();
    else body();
  });
}

inline std::size_t extent(const char* name, std::int64_t value) {
  if (value < 0)
    throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                          std::string(name) + " is " + std::to_string(value) + ", below 0");
  return static_cast<std::size_t>(value);
}

/// BLAS's vector: with a negative increment the first element is the last in memory.
template <typename Memory>
auto vector(const char* name, Memory& memory, std::int64_t n, std::int64_t increment, std::int64_t from = 0) {
  using M = traits<Memory>;
  const std::size_t size = extent("n", n);
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  if (increment < 0 && n > 1 &&
      (increment == std::numeric_limits<std::int64_t>::min() || (n - 1) > (most - from) / -increment))
    throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), std::string(name) + ": the increment " +
                                                                          std::to_string(increment) +
                                                                          " is too large");
  const std::int64_t first = from + (increment < 0 && n > 1 ? (n - 1) * -increment : 0);
  return prism::vector_view<typename M::viewed, typename M::place>(M::at(memory, first), size, increment);
}

/// BLAS's matrix of rows x columns, with its leading dimension.
template <bool RowsFirst, typename Memory>
auto matrix(const char* name, Memory& memory, std::int64_t rows, std::int64_t columns, std::int64_t leading,
            std::int64_t from = 0) {
  using M = traits<Memory>;
  const std::size_t r = extent("a number of rows", rows), c = extent("a number of columns", columns);
  const std::int64_t length = RowsFirst ? columns : rows;
  if (leading < length)
    throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                          std::string(name) + ": the leading dimension " + std::to_string(leading) +
                              " is below " + std::to_string(length));
  return prism::matrix_view<typename M::viewed, typename M::place>(
      M::at(memory, from), r, c, RowsFirst ? leading : 1, RowsFirst ? 1 : leading);
}

/// op(A) of `rows` x `columns`: A itself, or the transpose or adjoint of the columns x rows that are stored.
template <bool RowsFirst, typename Memory>
auto operand(const char* name, transpose op, Memory& memory, std::int64_t rows, std::int64_t columns,
             std::int64_t leading, std::int64_t from = 0) {
  using M = traits<Memory>;
  using T = typename M::element;
  using Read = own::matrix_in<T, std::conditional_t<M::is_pointer, T*, prism::buffer_place<T>>>;
  if (op == transpose::nontrans) return Read(matrix<RowsFirst>(name, memory, rows, columns, leading, from));
  const auto stored = matrix<RowsFirst>(name, memory, columns, rows, leading, from).transposed();
  if (op == transpose::trans) return Read(stored);
  if (op == transpose::conjtrans) return Read(own::conjugated(stored));
  throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                        std::string(name) + ": unknown transpose " + std::to_string(static_cast<int>(op)));
}

/// The triangle of op(A) that is stored: that of A, or the other one.
inline own::uplo triangle(uplo stored, transpose op = transpose::nontrans) {
  return (stored == uplo::upper) == (op == transpose::nontrans) ? own::uplo::upper : own::uplo::lower;
}
inline own::side to_side(side s) { return s == side::left ? own::side::left : own::side::right; }
inline own::diag to_diag(diag d) { return d == diag::unit ? own::diag::unit : own::diag::non_unit; }

/// BLAS's band of rows x columns: LAPACK's storage, or its transpose.
template <bool RowsFirst, typename Memory>
auto band(const char* name, Memory& memory, std::int64_t rows, std::int64_t columns, std::int64_t below,
          std::int64_t above, std::int64_t leading) {
  using M = traits<Memory>;
  const std::size_t r = extent("a number of rows", rows), c = extent("a number of columns", columns),
                    lower = extent("a number of diagonals", below),
                    upper = extent("a number of diagonals", above);
  if (below > leading || above >= leading - below)
    throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                          std::string(name) + ": the leading dimension " + std::to_string(leading) +
                              " is below " + std::to_string(below) + " + " + std::to_string(above) + " + 1");
  return own::banded_view<typename M::viewed, typename M::place>(M::at(memory, 0), r, c, lower, upper,
                                                                 leading, RowsFirst);
}
/// That of a triangle with k diagonals next to the main one.
template <bool RowsFirst, typename Memory>
auto band(const char* name, Memory& memory, uplo stored, std::int64_t n, std::int64_t k,
          std::int64_t leading) {
  return band<RowsFirst>(name, memory, n, n, stored == uplo::upper ? 0 : k, stored == uplo::upper ? k : 0,
                         leading);
}
template <bool RowsFirst, typename Memory>
auto triangle_without_gaps(Memory& memory, std::int64_t n) {
  using M = traits<Memory>;
  return own::packed_view<typename M::viewed, typename M::place>(M::at(memory, 0), extent("n", n), RowsFirst);
}

/// op(A) of a banded or packed A, which is only read, as argument of `body`.
template <typename View, typename Body>
sycl::event with_operand(transpose op, const View& stored, const Body& body) {
  if (op == transpose::nontrans) return body(stored);
  if (op == transpose::trans) return body(stored.transposed());
  if (op == transpose::conjtrans) return body(own::conjugated(stored.transposed()));
  throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                        "unknown transpose " + std::to_string(static_cast<int>(op)));
}

/// One event for all.
inline sycl::event all_of(sycl::queue& queue, const events& done, const events& depends) {
  if (done.size() == 1) return done[0];
  return queue.ext_oneapi_submit_barrier(done.empty() ? depends : done);
}

} // namespace oneapi::math::blas::detail
