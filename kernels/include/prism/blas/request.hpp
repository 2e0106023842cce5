// The form in which a call of <prism/blas.hpp> is passed to the library: plain data, so that the library has
// one function for all operations and the header has no kernels. Programs use <prism/blas.hpp>.
#pragma once

#include <prism/provider.h>
#include <prism/views.hpp>

#include <sycl/sycl.hpp>

#include <complex>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace prism::blas {

/// A view whose elements stand for their complex conjugates. For real elements it is the view itself.
template <typename View>
struct conjugated_view {
  View view;
  constexpr conjugated_view transposed() const { return {view.transposed()}; }
};

namespace detail {

template <typename T>
struct type_of;
template <>
struct type_of<float> {
  static constexpr std::int32_t id = PRISM_F32;
  using real = float;
};
template <>
struct type_of<double> {
  static constexpr std::int32_t id = PRISM_F64;
  using real = double;
};
template <>
struct type_of<std::complex<float>> {
  static constexpr std::int32_t id = PRISM_C32;
  using real = float;
};
template <>
struct type_of<std::complex<double>> {
  static constexpr std::int32_t id = PRISM_C64;
  using real = double;
};
template <>
struct type_of<std::int64_t> {
  static constexpr std::int32_t id = PRISM_S64;
  using real = std::int64_t;
};
template <>
struct type_of<sycl::half> {
  static constexpr std::int32_t id = PRISM_F16;
  using real = float;
};
template <>
struct type_of<sycl::ext::oneapi::bfloat16> {
  static constexpr std::int32_t id = PRISM_BF16;
  using real = float;
};
template <>
struct type_of<std::int8_t> {
  static constexpr std::int32_t id = PRISM_S8;
  using real = std::int32_t;
};
template <>
struct type_of<std::int32_t> {
  static constexpr std::int32_t id = PRISM_S32;
  using real = std::int32_t;
};

/// Excludes a parameter from deduction: T is deduced from the operand that is written.
template <typename T>
struct as_is {
  using type = T;
};

/// Types of which only products are computed: half, bfloat16 and int8.
template <typename T>
inline constexpr bool is_narrow =
    std::is_same_v<T, sycl::half> || std::is_same_v<T, sycl::ext::oneapi::bfloat16> ||
    std::is_same_v<T, std::int8_t>;
/// Whether products of `In` may be written as `Out`.
template <typename In, typename Out>
inline constexpr bool multiplies_to =
    is_narrow<In> &&
    (std::is_same_v<Out, float> ||
     std::is_same_v<Out, std::conditional_t<std::is_same_v<In, std::int8_t>, std::int32_t, In>>);
/// The type of alpha and beta for such a product.
template <typename Out>
using narrow_scalar = std::conditional_t<std::is_same_v<Out, std::int32_t>, std::int32_t, float>;
/// For templates: products of A and B of one narrow type into T; products of one type that is not narrow.
template <typename A, typename B, typename T>
using if_narrow = std::enable_if_t<multiplies_to<std::remove_const_t<A>, T> &&
                                       std::is_same_v<std::remove_const_t<A>, std::remove_const_t<B>>,
                                   int>;
template <typename T>
using if_wide = std::enable_if_t<!is_narrow<T> && !std::is_same_v<T, std::int32_t>, int>;

template <typename Place>
struct const_place;
template <typename T>
struct const_place<T*> {
  using type = const T*;
};
template <typename T>
struct const_place<buffer_place<T>> {
  using type = buffer_place<const T>;
};

/// An operand that is read: a view of T or const T, or the conjugate of one.
template <typename View>
struct input {
  View view;
  bool conjugated = false;

  template <typename Other, std::enable_if_t<std::is_convertible_v<const Other&, View>, int> = 0>
  input(const Other& other) : view(other) {}
  template <typename Other, std::enable_if_t<std::is_convertible_v<const Other&, View>, int> = 0>
  input(const conjugated_view<Other>& other) : view(other.view), conjugated(true) {}
};

template <typename T, typename Place>
struct inputs {
  using vector = input<vector_view<const T, typename const_place<Place>::type>>;
  using matrix = input<matrix_view<const T, typename const_place<Place>::type>>;
  using batch = input<batch_view<const T, typename const_place<Place>::type>>;
};

/// The location of an operand; the offset counts elements.
struct memory {
  void* pointer = nullptr;
  std::optional<sycl::buffer<std::uint8_t, 1>> buffer;
  std::size_t identity = 0; // of the program's buffer; identifies operands that are the same
  std::size_t element_bytes = 1;
  std::uint64_t offset = 0;
};

/// The same for a buffer and for what `reinterpret` made of it: a reinterpreted buffer has the properties of
/// the buffer from which it was made, by reference. Sub-buffers of one buffer begin at different bytes and
/// have those properties too, so that a sub-buffer is only the same as itself.
template <typename T>
std::size_t identity_of(const sycl::buffer<T, 1>& buffer) {
  if (buffer.is_sub_buffer()) return std::hash<sycl::buffer<T, 1>>()(buffer);
  return std::hash<const void*>()(&buffer.prism_properties());
}

template <typename T>
memory memory_at(T* pointer) {
  memory out;
  out.pointer = const_cast<std::remove_const_t<T>*>(pointer);
  return out;
}
template <typename T>
memory memory_at(const buffer_place<T>& place) {
  memory out;
  out.buffer = place.buffer.template reinterpret<std::uint8_t, 1>(sycl::range<1>(place.buffer.byte_size()));
  out.identity = identity_of(place.buffer), out.element_bytes = sizeof(T);
  out.offset = static_cast<std::uint64_t>(place.offset);
  return out;
}

/// One call: the operation and its operands.
struct request {
  prism_provider_operation what{};
  double alpha[2] = {1, 0}, beta[2] = {0, 0};
  memory operands[PRISM_MAX_OPERANDS];

  explicit request(std::int32_t operation) {
    what.struct_size = sizeof what, what.operand_size = sizeof(prism_provider_operand);
    what.operation = operation;
  }
  template <typename T, typename Place>
  void add(const char* name, const vector_view<T, Place>& v, bool conjugated = false) {
    require_possible(name, v);
    prism_provider_operand& o = next<std::remove_const_t<T>>(1, conjugated);
    o.extent[0] = static_cast<std::int64_t>(v.size), o.stride[0] = v.stride;
    put(v.data);
  }
  template <typename T, typename Place>
  void add(const char* name, const matrix_view<T, Place>& m, bool conjugated = false) {
    require_possible(name, m);
    prism_provider_operand& o = next<std::remove_const_t<T>>(2, conjugated);
    o.extent[0] = static_cast<std::int64_t>(m.rows), o.extent[1] = static_cast<std::int64_t>(m.columns);
    o.stride[0] = m.row_stride, o.stride[1] = m.column_stride;
    put(m.data);
  }
  template <typename T, typename Place>
  void add(const char* name, const batch_view<T, Place>& b, bool conjugated = false) {
    require_possible(name, b);
    prism_provider_operand& o = next<std::remove_const_t<T>>(3, conjugated);
    o.extent[0] = static_cast<std::int64_t>(b.rows), o.extent[1] = static_cast<std::int64_t>(b.columns),
    o.extent[2] = static_cast<std::int64_t>(b.count);
    o.stride[0] = b.row_stride, o.stride[1] = b.column_stride, o.stride[2] = b.batch_stride;
    put(b.data);
  }
  template <typename View>
  void add(const char* name, const input<View>& in) {
    add(name, in.view, in.conjugated);
  }
  template <typename T>
  static void set(double (&to)[2], const T& value) {
    to[0] = static_cast<double>(value), to[1] = 0;
  }
  template <typename R>
  static void set(double (&to)[2], const std::complex<R>& value) {
    to[0] = static_cast<double>(value.real()), to[1] = static_cast<double>(value.imag());
  }

  /// Adds an operand whose description the caller completes, before it passes the location to `put`.
  template <typename T>
  prism_provider_operand& next(std::int32_t rank, bool conjugated) {
    prism_provider_operand& o = what.operand[what.operand_count++];
    o.type = type_of<T>::id, o.rank = rank;
    o.flags = conjugated && (o.type & 0xff) == 3 ? PRISM_CONJUGATED : 0;
    return o;
  }
  template <typename Place>
  void put(const Place& place) {
    operands[what.operand_count - 1] = memory_at(place);
  }
};

/// The request of a product: C = alpha A B + beta C, of matrices or of batches.
template <typename Scalar, typename A, typename B, typename C>
request product_request(const Scalar& alpha, const A& a, const B& b, const Scalar& beta, const C& c) {
  request r(PRISM_GEMM);
  r.set(r.alpha, alpha);
  r.add("a", a);
  r.add("b", b);
  r.set(r.beta, beta);
  r.add("c", c);
  return r;
}

/// Checks the request, chooses an implementation and submits it.
sycl::event run(sycl::queue& queue, const request& what, const std::vector<sycl::event>& depends);
/// Givens' rotation, which no provider computes: `what` has the operands a, b, c and s.
sycl::event run_rotg(sycl::queue& queue, const request& what, const std::vector<sycl::event>& depends);

} // namespace detail
} // namespace prism::blas
