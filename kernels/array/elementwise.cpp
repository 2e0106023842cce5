// Element-wise operations of any_array: types, broadcasting, recording.
#include "kernels/array/node.hpp"

#include <prism/array/functions.hpp>

#include <optional>

#include <sycl/sycl.hpp>

namespace prism {

using namespace array_detail;

namespace {

constexpr const char* unary_names[] = {
    "negative", "positive", "abs",   "sign",  "logical_not", "bitwise_invert", "square",   "reciprocal",
    "floor",    "ceil",     "trunc", "round", "isnan",       "isinf",          "isfinite", "signbit",
    "conj",     "real",     "imag",  "sqrt",  "exp",         "expm1",          "log",      "log1p",
    "log2",     "log10",    "sin",   "cos",   "tan",         "asin",           "acos",     "atan",
    "sinh",     "cosh",     "tanh",  "asinh", "acosh",       "atanh",          "exp2",     "cbrt"};
constexpr step_op unary_steps[] = {
    step_op::negative,    step_op::positive,       step_op::abs,      step_op::sign,
    step_op::logical_not, step_op::bitwise_invert, step_op::square,   step_op::reciprocal,
    step_op::floor,       step_op::ceil,           step_op::trunc,    step_op::round,
    step_op::isnan,       step_op::isinf,          step_op::isfinite, step_op::signbit,
    step_op::conj,        step_op::positive,       step_op::positive, step_op::sqrt,
    step_op::exp,         step_op::expm1,          step_op::log,      step_op::log1p,
    step_op::log2,        step_op::log10,          step_op::sin,      step_op::cos,
    step_op::tan,         step_op::asin,           step_op::acos,     step_op::atan,
    step_op::sinh,        step_op::cosh,           step_op::tanh,     step_op::asinh,
    step_op::acosh,       step_op::atanh,          step_op::exp2,     step_op::cbrt};
constexpr const char* binary_names[] = {"add",
                                        "subtract",
                                        "multiply",
                                        "divide",
                                        "floor_divide",
                                        "remainder",
                                        "power",
                                        "maximum",
                                        "minimum",
                                        "atan2",
                                        "hypot",
                                        "copysign",
                                        "logaddexp",
                                        "nextafter",
                                        "equal",
                                        "not_equal",
                                        "less",
                                        "less_equal",
                                        "greater",
                                        "greater_equal",
                                        "logical_and",
                                        "logical_or",
                                        "logical_xor",
                                        "bitwise_and",
                                        "bitwise_or",
                                        "bitwise_xor",
                                        "bitwise_left_shift",
                                        "bitwise_right_shift",
                                        "fmax",
                                        "fmin"};
constexpr step_op binary_steps[] = {
    step_op::add,          step_op::subtract,    step_op::multiply,    step_op::divide,
    step_op::floor_divide, step_op::remainder,   step_op::power,       step_op::maximum,
    step_op::minimum,      step_op::atan2,       step_op::hypot,       step_op::copysign,
    step_op::logaddexp,    step_op::nextafter,   step_op::equal,       step_op::not_equal,
    step_op::less,         step_op::less_equal,  step_op::greater,     step_op::greater_equal,
    step_op::logical_and,  step_op::logical_or,  step_op::logical_xor, step_op::bitwise_and,
    step_op::bitwise_or,   step_op::bitwise_xor, step_op::shift_left,  step_op::shift_right,
    step_op::fmax,         step_op::fmin};

/// The floating-point type in which functions of the reals compute elements of type t (NumPy's, without
/// half).
dtype real_type(dtype t) { return t < dtype::float32 ? dtype::float64 : t; }

[[noreturn]] void refuse_type(const char* op, dtype a) {
  refuse(std::string(op) + " has no operands of type " + name_of(a));
}

} // namespace

const char* name_of(unary_op op) { return unary_names[int(op)]; }
const char* name_of(binary_op op) { return binary_names[int(op)]; }

dtype result_type(unary_op op, dtype a) {
  switch (op) {
    case unary_op::negative:
    case unary_op::sign:
      if (a == dtype::boolean) refuse_type(name_of(op), a);
      return a;
    case unary_op::abs:
      return a == dtype::complex64 ? dtype::float32 : a == dtype::complex128 ? dtype::float64 : a;
    case unary_op::real:
    case unary_op::imag:
      return a == dtype::complex64 ? dtype::float32 : a == dtype::complex128 ? dtype::float64 : a;
    case unary_op::positive:
    case unary_op::square:
    case unary_op::conj: return a;
    case unary_op::logical_not: return dtype::boolean;
    case unary_op::bitwise_invert:
      if (a >= dtype::float32) refuse_type(name_of(op), a);
      return a;
    case unary_op::cbrt:
      if (is_complex(a)) refuse_type(name_of(op), a);
      return real_type(a);
    case unary_op::floor:
    case unary_op::ceil:
    case unary_op::trunc:
      if (is_complex(a)) refuse_type(name_of(op), a);
      return a;
    case unary_op::round: return a;
    case unary_op::signbit:
      if (is_complex(a)) refuse_type(name_of(op), a);
      return dtype::boolean;
    case unary_op::isnan:
    case unary_op::isinf:
    case unary_op::isfinite: return dtype::boolean;
    default: return real_type(a);
  }
}

dtype result_type(binary_op op, dtype a, dtype b) {
  const dtype both = promote(a, b);
  switch (op) {
    case binary_op::add:
    case binary_op::multiply:
    case binary_op::power:
    case binary_op::maximum:
    case binary_op::minimum:
    case binary_op::fmax:
    case binary_op::fmin:
      if (is_complex(both) && op != binary_op::add && op != binary_op::multiply && op != binary_op::power)
        refuse_type(name_of(op), both);
      return both == dtype::boolean && op == binary_op::power ? dtype::int8 : both;
    case binary_op::subtract:
      if (both == dtype::boolean) refuse_type(name_of(op), both);
      return both;
    case binary_op::divide: return real_type(both);
    case binary_op::floor_divide:
    case binary_op::remainder:
      if (is_complex(both)) refuse_type(name_of(op), both);
      return both == dtype::boolean ? dtype::int8 : both;
    case binary_op::atan2:
    case binary_op::hypot:
    case binary_op::copysign:
    case binary_op::logaddexp:
    case binary_op::nextafter:
      if (is_complex(both)) refuse_type(name_of(op), both);
      return real_type(both);
    case binary_op::bitwise_and:
    case binary_op::bitwise_or:
    case binary_op::bitwise_xor:
      if (both >= dtype::float32) refuse_type(name_of(op), both);
      return both;
    case binary_op::bitwise_left_shift:
    case binary_op::bitwise_right_shift:
      if (both >= dtype::float32) refuse_type(name_of(op), both);
      return both == dtype::boolean ? dtype::int8 : both;
    case binary_op::less:
    case binary_op::less_equal:
    case binary_op::greater:
    case binary_op::greater_equal:
      if (is_complex(both)) refuse_type(name_of(op), both);
      return dtype::boolean;
    default: return dtype::boolean;
  }
}

any_array apply(unary_op op, const any_array& a) {
  const dtype from = a.type(), to = result_type(op, from);
  const node_ref& n = a.shared_node();
  const extents& shape = a.shape();
  const bool is_whole = from < dtype::float32; // an integer or bool
  switch (op) {
    case unary_op::real: return a.real();
    case unary_op::imag: return a.imag();
    case unary_op::positive: return a;
    case unary_op::conj:
      if (!is_complex(from)) return a;
      break;
    case unary_op::floor:
    case unary_op::ceil:
    case unary_op::trunc:
    case unary_op::round:
      if (is_whole) return a;
      break;
    case unary_op::isnan:
    case unary_op::isinf:
    case unary_op::isfinite:
      if (is_whole) return any_array(constant_node(n->device, to, shape, op == unary_op::isfinite));
      break;
    case unary_op::signbit:
      if (is_whole) return a < 0;
      break;
    case unary_op::abs:
      if (from == dtype::boolean || is_unsigned(from)) return a;
      break;
    case unary_op::square:
      if (from == dtype::boolean) return a;
      break;
    case unary_op::bitwise_invert:
      if (from == dtype::boolean) return logical_not(a);
      break;
    default: break;
  }
  // A bool is computed in the arithmetic of its expression.
  arithmetic kind = to == dtype::boolean || is_complex(from) ? arithmetic_of(from) : arithmetic_of(to);
  if (from == dtype::boolean && to == dtype::boolean && n->state == node_state::recorded) kind = n->kind;
  return any_array(record(unary_steps[int(op)], kind, to, shape, n));
}

namespace {

struct pair_of_nodes {
  node_ref a, b;
  dtype type_a, type_b;
};

void require_one_device(const array_node& a, const array_node& b, const char* what) {
  if (&a.device != &b.device)
    refuse(std::string(what) + ": the operands are on " +
           a.device.queue.get_device().get_info<sycl::info::device::name>() + " and " +
           b.device.queue.get_device().get_info<sycl::info::device::name>() + "; use to_device");
}

/// Numbers become constants of the type that they take next to the array.
pair_of_nodes operands_of(const array_operand& a, const array_operand& b, const char* what) {
  if (!a.array.valid() && !b.array.valid())
    refuse(std::string(what) + " of two numbers: one operand must be an array");
  const auto number = [](const scalar& value, const any_array& array) {
    return constant_node(array.node().device, type_of(value, array.type()), {}, value);
  };
  node_ref x = a.array.valid() ? a.array.shared_node() : number(a.number, b.array);
  node_ref y = b.array.valid() ? b.array.shared_node() : number(b.number, a.array);
  if (&x->device != &y->device) { // an array of one number that has no memory yet is at home everywhere
    if (x->state == node_state::constant) x = constant_node(y->device, x->type, x->shape, x->number);
    else if (y->state == node_state::constant) y = constant_node(x->device, y->type, y->shape, y->number);
  }
  require_one_device(*x, *y, what);
  const dtype tx = x->type, ty = y->type;
  return {std::move(x), std::move(y), tx, ty};
}

} // namespace

namespace {

/// `a` to a power that products or a root compute, as NumPy's operator does; empty for others. Their errors
/// are below one unit in the last place, but of the third and fourth power below two.
std::optional<any_array> simple_power(const any_array& a, const scalar& exponent) {
  const double e = exponent.kind == scalar::kind_type::complex ? 0 : exponent.real.real();
  const dtype type = a.type();
  if (type == dtype::boolean || promote(type, type_of(exponent, type)) != type) return std::nullopt;
  const bool is_real = type == dtype::float32 || type == dtype::float64;
  if (e == 2) return apply(unary_op::square, a);
  if (e == 3 && !is_complex(type)) return apply(binary_op::multiply, apply(unary_op::square, a), a);
  if (e == 4 && !is_complex(type)) return apply(unary_op::square, apply(unary_op::square, a));
  if (e == -1 && is_real) return apply(unary_op::reciprocal, a);
  if (e == 0.5 && is_real)
    return any_array(record(step_op::half_power, arithmetic_of(type), type, a.shape(), a.shared_node()));
  return std::nullopt;
}

} // namespace

any_array apply(binary_op given, const array_operand& a, const array_operand& b) {
  binary_op op = given;
  if (op == binary_op::power && a.array.valid() && !b.array.valid())
    if (const auto power = simple_power(a.array, b.number)) return *power;
  if (op == binary_op::power && !b.array.valid() && b.number.kind == scalar::kind_type::integer &&
      b.number.integer < 0 && a.array.valid() && is_integer(a.array.type()))
    refuse("power of integers to " + std::to_string(b.number.integer) +
           ": the results are no integers; use astype(float64)");
  pair_of_nodes of = operands_of(a, b, name_of(op));
  const dtype both = promote(of.type_a, of.type_b), to = result_type(op, of.type_a, of.type_b);
  const extents shape = broadcast_shapes(of.a->shape, of.b->shape);
  if (both < dtype::float32) { // no number of these is NaN
    if (op == binary_op::fmax) op = binary_op::maximum;
    if (op == binary_op::fmin) op = binary_op::minimum;
  }
  step_op step = binary_steps[int(op)];
  arithmetic kind = arithmetic_of(to == dtype::boolean ? both : to);
  if (both == dtype::boolean && to == dtype::boolean) {
    switch (op) { // of truth values, in any arithmetic
      case binary_op::add:
      case binary_op::maximum:
      case binary_op::bitwise_or: step = step_op::logical_or; break;
      case binary_op::multiply:
      case binary_op::minimum:
      case binary_op::bitwise_and: step = step_op::logical_and; break;
      case binary_op::bitwise_xor: step = step_op::logical_xor; break;
      default: break;
    }
    for (const node_ref& n : {of.b, of.a}) {
      if (n->state == node_state::recorded) kind = n->kind;
    }
  }
  return any_array(record(step, kind, to, shape, std::move(of.a), std::move(of.b)));
}

void apply_in_place(binary_op op, any_array a, const array_operand& b) {
  const any_array value = apply(op, a, b);
  const auto refused = [&](const std::string& what) {
    refuse(name_of(op) + (" in place: the result " + what));
  };
  if (!is_same_kind(value.type(), a.type()))
    refused(std::string("is ") + name_of(value.type()) + ", which an array of " + name_of(a.type()) +
            " does not hold; write x = x ...");
  if (value.shape() != a.shape())
    refused("has the shape " + text_of(value.shape()) + ", and the array " + text_of(a.shape()));
  a.overwrite(value);
}

any_array where(const any_array& condition, const array_operand& a, const array_operand& b) {
  node_ref asked = condition.shared_node();
  condition.node();
  if (!a.array.valid() && !b.array.valid()) {
    const dtype both = promote(type_of(a.number), type_of(b.number));
    return where(condition, any_array(constant_node(asked->device, both, {}, a.number)),
                 any_array(constant_node(asked->device, both, {}, b.number)));
  }
  if (asked->type != dtype::boolean) asked = record_cast(asked, dtype::boolean);
  pair_of_nodes of = operands_of(a, b, "where");
  require_one_device(*asked, *of.a, "where");
  const dtype to = promote(of.type_a, of.type_b);
  arithmetic kind = arithmetic_of(to);
  if (to == dtype::boolean && asked->state == node_state::recorded) kind = asked->kind;
  const extents shape = broadcast_shapes(asked->shape, broadcast_shapes(of.a->shape, of.b->shape));
  return any_array(record(step_op::choose, kind, to, shape, asked, std::move(of.a), std::move(of.b)));
}

any_array clip(const any_array& a, const std::optional<array_operand>& low,
               const std::optional<array_operand>& high) {
  any_array out = a;
  if (low) out = apply(binary_op::maximum, out, *low);
  if (high) out = apply(binary_op::minimum, out, *high);
  return out;
}

namespace {

/// The column less the row of each element of the last two dimensions.
any_array places_above_diagonal(const any_array& a, const char* what) {
  if (a.ndim() < 2) refuse(std::string(what) + " of an array of shape " + text_of(a.shape()));
  const std::int64_t rows = a.shape()[a.ndim() - 2], columns = a.shape()[a.ndim() - 1];
  return arange(0, columns, 1, dtype::int64, a.device()) -
         arange(0, rows, 1, dtype::int64, a.device()).reshape({rows, 1});
}

} // namespace

void array_detail::require_device_of(const any_array& to, const any_array& operand) {
  require_one_device(to.node(), operand.node(), "expression");
}

any_array tril(const any_array& a, std::int64_t offset) {
  return where(places_above_diagonal(a, "tril") <= offset, a, any_array(zeros({}, a.type(), a.device())));
}
any_array triu(const any_array& a, std::int64_t offset) {
  return where(places_above_diagonal(a, "triu") >= offset, a, any_array(zeros({}, a.type(), a.device())));
}

} // namespace prism
