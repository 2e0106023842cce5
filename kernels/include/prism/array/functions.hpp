// Functions of arrays, with the names of NumPy and of the Array API standard. Use <prism/array.hpp>.
#pragma once

#include <prism/array/any_array.hpp>

#include <mutex>

#include <sycl/detail/user_macros_hide.hpp>

namespace prism {

// ---- creation ----
// `device` has a default: the device of a default-constructed queue.

/// Where arrays are made: a device. Without one, that of the default selector.
struct array_device {
  std::optional<sycl::device> device;
  array_device() = default;
  array_device(const sycl::device& d) : device(d) {}
  array_device(const sycl::queue& q) : device(q.get_device()) {}
};

any_array empty(const extents& shape, dtype type = dtype::float64, const array_device& on = {});
any_array zeros(const extents& shape, dtype type = dtype::float64, const array_device& on = {});
any_array ones(const extents& shape, dtype type = dtype::float64, const array_device& on = {});
any_array full(const extents& shape, const scalar& value, std::optional<dtype> type = {},
               const array_device& on = {});
/// start, start + step, ... before stop. Without a type: int64 if all are integers, else float64.
any_array arange(const scalar& start, const scalar& stop, const scalar& step = 1,
                 std::optional<dtype> type = {}, const array_device& on = {});
any_array linspace(double start, double stop, std::int64_t count, bool endpoint = true,
                   dtype type = dtype::float64, const array_device& on = {});
any_array eye(std::int64_t rows, std::optional<std::int64_t> columns = {}, std::int64_t diagonal = 0,
              dtype type = dtype::float64, const array_device& on = {});
/// A copy of host memory in C order, of shape.product() elements.
any_array from_host(const void* data, const extents& shape, dtype type, const array_device& on = {});
template <typename T>
any_array asarray(const std::vector<T>& values, const array_device& on = {}) {
  return from_host(values.data(), {std::int64_t(values.size())}, dtype_of<T>(), on);
}
template <typename T>
any_array asarray(const std::vector<T>& values, const extents& shape, const array_device& on = {}) {
  return asarray(values, on).reshape(shape);
}
/// Wraps USM of the device without a copy; `owner` keeps it alive, and may be empty. Strides in elements.
any_array from_usm(void* data, const extents& shape, const extents& strides, dtype type,
                   const sycl::queue& on, std::shared_ptr<void> owner = {});

// ---- element-wise operations ----

enum class unary_op : std::uint8_t {
  negative,
  positive,
  abs,
  sign,
  logical_not,
  bitwise_invert,
  square,
  reciprocal,
  floor,
  ceil,
  trunc,
  round,
  isnan,
  isinf,
  isfinite,
  signbit,
  conj,
  real,
  imag, // clang-format off
  sqrt, exp, expm1, log, log1p, log2, log10,
  sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh, exp2, cbrt // clang-format on
};
enum class binary_op : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  remainder,
  power, // clang-format off
  maximum, minimum, atan2, hypot, copysign, logaddexp, nextafter,
  equal, not_equal, less, less_equal, greater, greater_equal,
  logical_and, logical_or, logical_xor,
  bitwise_and, bitwise_or, bitwise_xor, bitwise_left_shift, bitwise_right_shift,
  fmax, fmin // of which NaN is no operand; clang-format on
};
const char* name_of(unary_op op);
const char* name_of(binary_op op);

/// The type of the result; throws errc::invalid if the operation has no such operands.
dtype result_type(unary_op op, dtype a);
dtype result_type(binary_op op, dtype a, dtype b);

any_array apply(unary_op op, const any_array& a);
/// At least one operand is an array. Shapes are broadcast as NumPy does.
any_array apply(binary_op op, const array_operand& a, const array_operand& b);
any_array where(const any_array& condition, const array_operand& a, const array_operand& b);
any_array clip(const any_array& a, const std::optional<array_operand>& low,
               const std::optional<array_operand>& high);
extents broadcast_shapes(const extents& a, const extents& b);
/// The elements of matrices on and below, or above, the diagonal `offset` places above the main one; 0
/// elsewhere.
any_array tril(const any_array& a, std::int64_t offset = 0);
any_array triu(const any_array& a, std::int64_t offset = 0);

#define PRISM_ARRAY_UNARY(name)                                                                              \
  inline any_array name(const any_array& a) { return apply(unary_op::name, a); }
PRISM_ARRAY_UNARY(negative)
PRISM_ARRAY_UNARY(positive)
PRISM_ARRAY_UNARY(abs)
PRISM_ARRAY_UNARY(sign)
PRISM_ARRAY_UNARY(logical_not)
PRISM_ARRAY_UNARY(bitwise_invert)
PRISM_ARRAY_UNARY(square)
PRISM_ARRAY_UNARY(reciprocal)
PRISM_ARRAY_UNARY(floor)
PRISM_ARRAY_UNARY(ceil)
PRISM_ARRAY_UNARY(trunc)
PRISM_ARRAY_UNARY(round)
PRISM_ARRAY_UNARY(isnan)
PRISM_ARRAY_UNARY(isinf)
PRISM_ARRAY_UNARY(isfinite)
PRISM_ARRAY_UNARY(signbit)
PRISM_ARRAY_UNARY(conj)
PRISM_ARRAY_UNARY(sqrt)
PRISM_ARRAY_UNARY(exp)
PRISM_ARRAY_UNARY(expm1)
PRISM_ARRAY_UNARY(log)
PRISM_ARRAY_UNARY(log1p)
PRISM_ARRAY_UNARY(log2)
PRISM_ARRAY_UNARY(log10)
PRISM_ARRAY_UNARY(sin)
PRISM_ARRAY_UNARY(cos)
PRISM_ARRAY_UNARY(tan)
PRISM_ARRAY_UNARY(asin)
PRISM_ARRAY_UNARY(acos)
PRISM_ARRAY_UNARY(atan)
PRISM_ARRAY_UNARY(sinh)
PRISM_ARRAY_UNARY(cosh)
PRISM_ARRAY_UNARY(tanh)
PRISM_ARRAY_UNARY(asinh)
PRISM_ARRAY_UNARY(acosh)
PRISM_ARRAY_UNARY(atanh)
PRISM_ARRAY_UNARY(exp2)
PRISM_ARRAY_UNARY(cbrt)
#undef PRISM_ARRAY_UNARY

// Two arrays, or an array and a number. A function of two numbers is not an array's.
#define PRISM_ARRAY_BINARY(function, op)                                                                     \
  inline any_array function(const any_array& a, const any_array& b) { return apply(binary_op::op, a, b); }   \
  template <typename T, std::enable_if_t<is_array_number<T>, int> = 0>                                       \
  any_array function(const any_array& a, const T& b) {                                                       \
    return apply(binary_op::op, a, b);                                                                       \
  }                                                                                                          \
  template <typename T, std::enable_if_t<is_array_number<T>, int> = 0>                                       \
  any_array function(const T& a, const any_array& b) {                                                       \
    return apply(binary_op::op, a, b);                                                                       \
  }
PRISM_ARRAY_BINARY(operator+, add)
PRISM_ARRAY_BINARY(operator-, subtract)
PRISM_ARRAY_BINARY(operator*, multiply)
PRISM_ARRAY_BINARY(operator/, divide)
PRISM_ARRAY_BINARY(operator%, remainder)
PRISM_ARRAY_BINARY(operator==, equal)
PRISM_ARRAY_BINARY(operator!=, not_equal)
PRISM_ARRAY_BINARY(operator<, less)
PRISM_ARRAY_BINARY(operator<=, less_equal)
PRISM_ARRAY_BINARY(operator>, greater)
PRISM_ARRAY_BINARY(operator>=, greater_equal)
PRISM_ARRAY_BINARY(operator&, bitwise_and)
PRISM_ARRAY_BINARY(operator|, bitwise_or)
PRISM_ARRAY_BINARY(operator^, bitwise_xor)
PRISM_ARRAY_BINARY(operator<<, bitwise_left_shift)
PRISM_ARRAY_BINARY(operator>>, bitwise_right_shift)
PRISM_ARRAY_BINARY(floor_divide, floor_divide)
PRISM_ARRAY_BINARY(pow, power)
PRISM_ARRAY_BINARY(maximum, maximum)
PRISM_ARRAY_BINARY(minimum, minimum)
PRISM_ARRAY_BINARY(fmax, fmax)
PRISM_ARRAY_BINARY(fmin, fmin)
PRISM_ARRAY_BINARY(atan2, atan2)
PRISM_ARRAY_BINARY(hypot, hypot)
PRISM_ARRAY_BINARY(copysign, copysign)
PRISM_ARRAY_BINARY(logaddexp, logaddexp)
PRISM_ARRAY_BINARY(nextafter, nextafter)
PRISM_ARRAY_BINARY(logical_and, logical_and)
PRISM_ARRAY_BINARY(logical_or, logical_or)
PRISM_ARRAY_BINARY(logical_xor, logical_xor)
#undef PRISM_ARRAY_BINARY

/// Writes apply(op, a, b) into the elements of a, which views share. Refused (errc::invalid) if the result
/// has another shape, or a type of a higher kind: bool, unsigned, signed, real, complex.
void apply_in_place(binary_op op, any_array a, const array_operand& b);
// `a` is by value, so that `x[{0}] += 1` is written too: an any_array is a reference.
#define PRISM_ARRAY_IN_PLACE(function, op)                                                                   \
  inline any_array function(any_array a, const array_operand& b) {                                           \
    apply_in_place(binary_op::op, a, b);                                                                     \
    return a;                                                                                                \
  }
PRISM_ARRAY_IN_PLACE(operator+=, add)
PRISM_ARRAY_IN_PLACE(operator-=, subtract)
PRISM_ARRAY_IN_PLACE(operator*=, multiply)
PRISM_ARRAY_IN_PLACE(operator/=, divide)
PRISM_ARRAY_IN_PLACE(operator%=, remainder)
PRISM_ARRAY_IN_PLACE(operator&=, bitwise_and)
PRISM_ARRAY_IN_PLACE(operator|=, bitwise_or)
PRISM_ARRAY_IN_PLACE(operator^=, bitwise_xor)
PRISM_ARRAY_IN_PLACE(operator<<=, bitwise_left_shift)
PRISM_ARRAY_IN_PLACE(operator>>=, bitwise_right_shift)
#undef PRISM_ARRAY_IN_PLACE

inline any_array real(const any_array& a) { return a.real(); }
inline any_array imag(const any_array& a) { return a.imag(); }
inline any_array operator-(const any_array& a) { return negative(a); }
inline any_array operator~(const any_array& a) { return bitwise_invert(a); }

// ---- reductions ----

enum class reduction_op : std::uint8_t {
  sum,
  prod,
  min,
  max,
  any,
  all,
  argmin,
  argmax,
  count_nonzero,
  mean,
  var,
  std // clang-format off
}; // clang-format on
const char* name_of(reduction_op op);
/// `correction` counts for var and std: the divisor is the number of elements less it.
any_array reduce(reduction_op op, const any_array& a, const axes& axis = {}, bool keepdims = false,
                 double correction = 0);
#define PRISM_ARRAY_REDUCTION(name)                                                                          \
  inline any_array name(const any_array& a, const axes& axis = {}, bool keepdims = false) {                  \
    return reduce(reduction_op::name, a, axis, keepdims);                                                    \
  }
PRISM_ARRAY_REDUCTION(sum)
PRISM_ARRAY_REDUCTION(prod)
PRISM_ARRAY_REDUCTION(min)
PRISM_ARRAY_REDUCTION(max)
PRISM_ARRAY_REDUCTION(any)
PRISM_ARRAY_REDUCTION(all)
PRISM_ARRAY_REDUCTION(mean)
PRISM_ARRAY_REDUCTION(argmin)
PRISM_ARRAY_REDUCTION(argmax)
PRISM_ARRAY_REDUCTION(count_nonzero)
#undef PRISM_ARRAY_REDUCTION
inline any_array var(const any_array& a, const axes& axis = {}, bool keepdims = false,
                     double correction = 0) {
  return reduce(reduction_op::var, a, axis, keepdims, correction);
}
inline any_array stddev(const any_array& a, const axes& axis = {}, bool keepdims = false,
                        double correction = 0) {
  return reduce(reduction_op::std, a, axis, keepdims, correction);
}
/// Without an axis: of the elements in C order, as one dimension.
any_array cumulative_sum(const any_array& a, std::optional<std::int64_t> axis = {});
/// Segment s of the one-dimensional `a` has the elements from offsets[s] to offsets[s + 1] - 1. The offsets
/// are integers that ascend from 0 to the number of elements, which is checked and so waits for them. `op` is
/// sum, prod, min or max, and the result has the type of such a reduction. Scan: element i is op of the
/// elements of its segment up to i; exclusive (sum and prod): before i, beginning with 0 or 1. Reduce: one
/// element for each segment; of an empty one 0 or 1, and refused for min and max.
any_array segmented_scan(reduction_op op, const any_array& a, const any_array& offsets,
                         bool exclusive = false);
any_array segmented_reduce(reduction_op op, const any_array& a, const any_array& offsets);

// ---- products, order, joining ----

/// As NumPy's matmul: the last two dimensions are matrices, the others are broadcast.
any_array matmul(const any_array& a, const any_array& b);
/// Equal elements keep their order; NaN counts as the largest number, so it is last, or first if descending.
any_array sort(const any_array& a, std::int64_t axis = -1, bool descending = false);
any_array argsort(const any_array& a, std::int64_t axis = -1, bool descending = false);
any_array unique(const any_array& a); // sorted; waits for the count
/// The elements that have these places, from 0, in sorted order, in which NaN is last: all of `a` in one
/// line. The host device selects them without sorting all, and waits. Errors: errc::invalid for other places.
any_array order_statistics(const any_array& a, const std::vector<std::int64_t>& ranks);
/// How often each number from 0 to count - 1 occurs, as int64; other numbers do not count. Errors:
/// errc::invalid for elements that are no integers, and a count below 0.
any_array bincount(const any_array& numbers, std::int64_t count);
/// How many elements lie in each bin [edges[b], edges[b + 1]), as int64; the last bin has its right edge too.
/// The edges must not fall. NaN does not count. evenly: their distances are equal, but for rounding, so that
/// floating-point numbers need no search; of other edges the counts are the same, but slow. Errors:
/// errc::invalid for two types, or others than float32, float64 and int64, and for fewer than two edges.
any_array histogram(const any_array& a, const any_array& edges, bool evenly = false);
/// The first k elements along the axis in descending order (ascending without `largest`), and their
/// positions. Of equal elements the one with the lower position comes first; NaN counts as the largest
/// number.
struct topk_result {
  any_array values, indices;
};
topk_result topk(const any_array& a, std::int64_t k, std::int64_t axis = -1, bool largest = true);
/// The elements of the one-dimensional `a` where the mask is true, in their order, then the others in theirs;
/// and how many the former are. Waits for the count.
struct partition_result {
  any_array elements;
  std::int64_t count;
};
partition_result partition_where(const any_array& a, const any_array& mask);
/// Positions at which `values` would be inserted in the sorted one-dimensional `a`.
any_array searchsorted(const any_array& a, const any_array& values, bool right = false);
/// For each dimension, the positions of the elements that are not zero. Waits for the count.
std::vector<any_array> nonzero(const any_array& a);

any_array concat(const std::vector<any_array>& parts, std::optional<std::int64_t> axis = 0);
any_array stack(const std::vector<any_array>& parts, std::int64_t axis = 0);
any_array roll(const any_array& a, std::int64_t shift, std::optional<std::int64_t> axis = {});
any_array tile(const any_array& a, const std::vector<std::int64_t>& counts);
any_array repeat(const any_array& a, std::int64_t count, std::optional<std::int64_t> axis = {});

/// What evaluating `a` would do: launches with their fused operations and operands, and why they are
/// separate.
std::string explain(const any_array& a);

namespace array_detail {
/// The queue for commands that write the elements of `to`: recorded expressions that read them run first.
sycl::queue queue_for_write(const any_array& to);
/// The same for the kernels of an expression of array<T>. While it lives, other threads submit nothing to the
/// device and do not find it idle.
struct expression_queue {
  std::unique_lock<std::recursive_mutex> lock;
  sycl::queue queue;
  bool in_blocks; // work-items compute blocks of elements: on processors
  /// 16,384, zero between commands, for folds; null: the device does not order work-items.
  std::int32_t* counters;
};
expression_queue queue_of_expression(const any_array& to);
/// Refuses (errc::invalid) an operand of an expression of array<T> that is on another device than `to`.
void require_device_of(const any_array& to, const any_array& operand);
/// The explanation of an expression of array<T>.
std::string explain_typed(const extents& shape, dtype type, int operations, int arrays);
} // namespace array_detail

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
