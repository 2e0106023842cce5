// An element-wise expression, with a reduction of it, as plain data: a list of steps over registers, which
// precompiled kernels run. PRISM has no compiler at run time, so an expression that is built at run time
// becomes such a program, and any program is one launch. On the host device a work-item runs each step over a
// chunk of elements that stays in the first-level cache, as numexpr does (Cooke, Hochberg, Alted 2009); on
// other devices over a few elements.
#pragma once

#include <prism/array/dtype.hpp>
#include <sycl/queue.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

/// Of functions and lambdas whose code takes the instruction set of its caller (host.hpp).
#define PRISM_ARRAY_INLINED __attribute__((always_inline))
#define PRISM_ARRAY_INLINE PRISM_ARRAY_INLINED inline

namespace prism::array_detail {

class device_state;

/// In which arithmetic a program computes. `integer` computes all integer types but uint64, and bool.
enum class arithmetic : std::uint8_t { integer, unsigned_integer, single, real, single_complex, complex };
inline constexpr int arithmetic_count = 6;
arithmetic arithmetic_of(dtype type);
/// The type whose elements are numbers of the arithmetic as they are.
dtype type_of(arithmetic kind);

/// A step's operation: r[to] = op(r[a], r[b], r[c]).
enum class step_op : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  maximum,
  minimum, // clang-format off
  equal, not_equal, less, less_equal, greater, greater_equal, logical_and, logical_or, logical_xor,
  bitwise_and, bitwise_or, bitwise_xor, shift_left, shift_right,
  choose, // a ? b : c
  negative, positive, abs, sign, logical_not, bitwise_invert, square, reciprocal, conj,
  wrap8, wrap16, wrap32, wrap_u8, wrap_u16, wrap_u32,
  floor, ceil, trunc, round, isnan, isinf, isfinite, signbit,
  floor_divide, remainder, power, // the first of those that is_function() names
  atan2, hypot, copysign, logaddexp, nextafter,
  half_power, // to the power of 1/2: of -inf it is inf, of -0 it is 0
  sqrt, exp, expm1, log, log1p, log2, log10,
  sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh, exp2, cbrt,
  fmax, fmin // clang-format on
};

/// Operations whose code is long. Other devices than the host have kernels without them, which drivers
/// compile fast.
constexpr bool is_function(step_op op) { return op >= step_op::floor_divide; }

/// What happens to the elements that the steps compute: they are stored, or folded into fewer results.
enum class fold_op : std::uint8_t {
  none,
  sum,
  product,
  minimum,
  maximum,
  any,
  all,
  first_minimum,
  first_maximum
};

inline constexpr int max_leaves = 10, max_registers = 12, max_constants = 8, max_steps = 40;
/// Of the names in a step: registers first, then leaves, then constants.
inline constexpr int first_leaf = max_registers, first_constant = first_leaf + max_leaves,
                     name_count = first_constant + max_constants;

struct step {
  step_op op;
  std::uint8_t to, a, b, c;
};

/// An array that a program reads or writes. Strides belong to the program's extents.
struct program_array {
  char* data;                     // the element at the origin
  std::int64_t strides[max_rank]; // in elements
  std::int32_t type;              // dtype
  std::int32_t is_flat;           // contiguous: the element at linear index i is the i-th
};

/// How a fold's elements lie in the program's linear order: [results / inner][elements][inner]. Chunks have
/// parts of part_elements neighbours; elements_of() states the parts of other devices. A result may
/// have several parts, which a second program folds: its result is then the array of partial values [results
/// / inner][parts][inner], with their positions if positions are asked.
struct fold_layout {
  std::int64_t results, elements, inner, parts, part_elements;
  std::int64_t* partial_positions;     // where this program writes the positions of partial values, or null
  const std::int64_t* given_positions; // the position of each element, if it is not its number in the result
};

/// One launch. The extents are those of the elements that are computed, with neighbouring dimensions joined
/// where all arrays allow it.
struct program {
  std::int64_t size;
  std::int64_t extent[max_rank];
  std::int32_t rank, steps, leaves, constants;
  std::int32_t root; // the name whose elements are the result
  fold_op fold;
  fold_layout folded{};
  program_array result;                         // of a fold: flat, one element a result, or a part of it
  double constant[max_constants][2];            // of floating-point and complex arithmetic
  float single_constant[max_constants][2];      // the same of float, which devices without double read
  std::int64_t integer_constant[max_constants]; // the same of integers, also as bits of uint64
  step list[max_steps];
  /// Of a fold in parts, in a launch: the program that folds the parts, which the work-item that ends last
  /// runs, and how many have ended. Null: there is one part, or another launch folds them.
  const program* rest = nullptr;
  std::int32_t ended = 0;
  std::int32_t* counters = nullptr; // of part_folds.hpp, all 0 between launches
  program_array leaf[max_leaves];   // the last member: copy_program() leaves out those that are not used
};

inline void copy_program(const program& from, program& to) {
  static_assert(std::is_trivially_copyable_v<program> && std::is_standard_layout_v<program>);
  std::memcpy(static_cast<void*>(&to), &from,
              offsetof(program, leaf) + std::size_t(from.leaves) * sizeof(program_array));
}

inline bool has_functions(const program& p) {
  for (int s = 0; s < p.steps; ++s)
    if (is_function(p.list[s].op)) return true;
  return false;
}

/// Whether a fold's elements are in memory in the program's linear order.
inline bool has_elements_in_memory(const program& p) {
  return p.steps == 0 && p.root == first_leaf && p.leaf[0].is_flat;
}
/// The same as numbers of the arithmetic of `own`.
inline bool has_plain_elements(const program& p, dtype own) {
  return has_elements_in_memory(p) && p.leaf[0].type == std::int32_t(own);
}

/// Whether the program writes one number to all elements of a flat array.
inline bool fills_elements(const program& p) {
  return p.fold == fold_op::none && p.steps == 0 && p.root >= first_constant && p.result.is_flat;
}

/// Whether line_folds.hpp folds the program's elements where they are: neighbours, whose numbers are those of
/// the arithmetic of `own`; int32 of folds that add nothing; or bool of any and all.
inline bool folds_lines(const program& p, dtype own) {
  if (p.fold == fold_op::none || p.folded.inner > 1 || p.folded.given_positions || !has_elements_in_memory(p))
    return false;
  const std::int32_t type = p.leaf[0].type;
  if (type == std::int32_t(own)) return true;
  if (own != dtype::int64 || p.fold < fold_op::minimum) return false;
  const bool asks_truth = p.fold == fold_op::any || p.fold == fold_op::all;
  const bool is_byte = type == std::int32_t(dtype::boolean) || type == std::int32_t(dtype::uint8);
  return type == std::int32_t(dtype::int32) || (is_byte && asks_truth);
}

/// Whether line_folds.hpp counts the integers of an array in memory that are not 0.
inline bool counts_lines(const program& p, dtype own) {
  const bool is_count = p.fold == fold_op::sum && p.steps == 1 && p.list[0].op == step_op::logical_and &&
                        p.list[0].a == first_leaf && p.list[0].b == first_leaf && p.root == p.list[0].to;
  return is_count && own == dtype::int64 && p.folded.inner <= 1 && !p.folded.given_positions &&
         p.leaf[0].is_flat && is_integer(dtype(p.leaf[0].type));
}

/// Whether the host device folds narrow integers where they are (line_folds.hpp), or counts integers.
inline bool folds_narrow_lines(const program& p, dtype own) {
  if (counts_lines(p, own)) return true;
  if (p.folded.inner > 1 || p.folded.given_positions || !has_elements_in_memory(p)) return false;
  const auto type = dtype(p.leaf[0].type);
  const bool is_unsigned = type == dtype::uint8 || type == dtype::uint16 || type == dtype::uint32,
             is_signed = type == dtype::int8 || type == dtype::int16;
  if (p.fold >= fold_op::minimum)
    return own == dtype::int64 && (is_unsigned || is_signed || type == dtype::boolean);
  if (p.fold != fold_op::sum) return false;
  if (own == dtype::uint64) return is_unsigned;
  return own == dtype::int64 && (is_signed || type == dtype::int32 || type == dtype::boolean);
}

/// Whether line_folds.hpp finds the extremes of narrow integers place by place.
inline bool folds_narrow_places(const program& p, dtype own) {
  const auto type = dtype(p.leaf[0].type);
  return (p.fold == fold_op::minimum || p.fold == fold_op::maximum) && own == dtype::int64 &&
         p.folded.inner > 1 && has_elements_in_memory(p) && is_integer(type) && size_of(type) < 8;
}

/// Submits `p`, which is in memory that the device reads, on the in-order queue. `host` is the same on the
/// host.
sycl::event launch(device_state& device, arithmetic kind, program* p, const program& host);

/// Numbers of elements that the kernels of the host device compute together, of elements with this size.
constexpr int chunk_of(std::size_t bytes) { return bytes > 8 ? 128 : bytes == 8 ? 256 : 512; }

/// A complex number, laid out as std::complex.
template <typename R>
struct pair;

/// Calls `use` with std::type_identity of the number that the arithmetic computes with.
template <typename Use>
auto with_number(arithmetic kind, const Use& use) {
  switch (kind) {
    case arithmetic::integer: return use(std::type_identity<std::int64_t>());
    case arithmetic::unsigned_integer: return use(std::type_identity<std::uint64_t>());
    case arithmetic::single: return use(std::type_identity<float>());
    case arithmetic::real: return use(std::type_identity<double>());
    case arithmetic::single_complex: return use(std::type_identity<pair<float>>());
    default: return use(std::type_identity<pair<double>>());
  }
}

template <typename T>
sycl::event launch_on_host(sycl::queue& queue, program* p, const program& host);
/// The same on the calling thread.
template <typename T>
void run_here(const program& p);
/// The same on the threads of the host device without a command, and `rest` after it; no command of the queue
/// is unfinished. False, and nothing runs, where it cannot.
template <typename T>
bool run_directly(const sycl::queue& queue, const program& p, const program* rest);
/// `in_chunks`: folds have the order of chunks.hpp.
template <typename T>
sycl::event launch_on_device(sycl::queue& queue, program* p, const program& host, bool in_chunks);
/// Folds of elements that are in memory, in chunks, by kernels for processors (chunk_folds.hpp): of elements
/// the program's first leaf, which are numbers of T; and of those with positions.
template <typename T>
sycl::event launch_chunk_fold(sycl::queue& queue, program* p, const program& host);
template <typename T>
sycl::event launch_chunk_extreme(sycl::queue& queue, program* p, const program& host);
/// Folds of elements in memory in the order of device.hpp (element_folds.hpp).
template <typename T>
sycl::event launch_element_fold(sycl::queue& queue, const program* p, const program& host);

} // namespace prism::array_detail
