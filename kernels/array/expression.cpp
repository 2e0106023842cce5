// Recorded expressions: recording, translation to a program, evaluation (node.hpp, program.hpp).
#include "kernels/array/flat_steps.hpp"
#include "kernels/array/own_copies.hpp"
#include "kernels/array/node.hpp"
#include "kernels/array/translate.hpp"

#include <sycl/sycl.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

namespace prism::array_detail {

bool array_node::contiguous() const {
  std::int64_t expected = 1;
  for (int d = shape.size() - 1; d >= 0; --d) {
    if (shape[d] != 1 && strides[d] != expected) return size() == 0;
    expected *= shape[d];
  }
  return true;
}

extents packed_strides(const extents& shape) {
  extents strides = shape;
  std::int64_t apart = 1;
  for (int d = shape.size() - 1; d >= 0; --d) {
    strides[d] = apart;
    apart *= shape[d];
  }
  return strides;
}

void require_shape(const extents& shape, dtype type) {
  for (const std::int64_t e : shape)
    if (e < 0) refuse("the shape " + text_of(shape) + " has a negative extent");
  if (!is_addressable(shape, size_of(type))) refuse("an array of shape " + text_of(shape) + " is too large");
}

namespace {

/// Memory for a node that had none.
void give_memory(array_node& n) {
  n.memory = std::make_shared<storage>(n.device, std::size_t(n.size()) * size_of(n.type));
  n.data = n.memory->data;
  n.strides = packed_strides(n.shape);
}

/// Whether elements with these strides fill their memory, in some order of the dimensions.
bool is_dense(const extents& shape, const extents& strides) {
  std::int64_t step = 1;
  std::uint32_t seen = 0;
  for (int found = 0; found < shape.size(); ++found) {
    int d = 0;
    while (d < shape.size() && ((seen >> d & 1) != 0 || (shape[d] != 1 && strides[d] != step))) ++d;
    if (d == shape.size()) return false;
    seen |= std::uint32_t(1) << d;
    step *= shape[d];
  }
  return true;
}

/// The strides that all evaluated operands of the whole shape have.
struct common_strides {
  const extents* strides = nullptr;
  bool differ = false;

  void take(const array_node& n, const extents& shape) {
    if (differ || n.state == node_state::constant) return;
    for (int k = 0; n.state == node_state::recorded && k < n.operands; ++k) take(*n.operand[k], shape);
    if (n.state == node_state::recorded || n.shape != shape) return;
    differ = strides != nullptr && *strides != n.strides;
    strides = &n.strides;
  }
};

/// The strides for the elements of a recorded expression: of C, but those of its operands if they all have
/// the same other order (NumPy's order "K"), since then all elements lie as they are computed.
extents strides_for(const array_node& n) {
  common_strides of;
  if (n.shape.size() > 1) of.take(n, n.shape);
  const bool is_common = of.strides != nullptr && !of.differ && is_dense(n.shape, *of.strides);
  return is_common ? *of.strides : packed_strides(n.shape);
}

void add_reader(const node_ref& of, const node_ref& reader) {
  std::vector<std::weak_ptr<array_node>>& all = of->memory ? of->memory->readers : of->readers;
  // Each purge may remove half, so that a push costs a constant on average.
  if (all.size() >= 32 && (all.size() & (all.size() - 1)) == 0)
    all.erase(std::remove_if(all.begin(), all.end(),
                             [](const std::weak_ptr<array_node>& r) {
      const node_ref n = r.lock();
      return !n || n->state != node_state::recorded;
    }),
              all.end());
  all.push_back(reader);
}

constexpr int max_depth = 60;

/// In which arithmetic elements of `from` are stored as `type`: the expression's own if that can.
arithmetic store_arithmetic(const array_node& from, dtype type) {
  if (from.state == node_state::recorded && can_access(from.kind, type)) return from.kind;
  return from.type == type ? arithmetic_of(type) : cast_arithmetic(from.type, type);
}

} // namespace

node_ref fresh(device_state& device, dtype type, const extents& shape) {
  require_shape(shape, type);
  device.require(type);
  auto n = std::make_shared<array_node>(device, type, shape);
  give_memory(*n);
  return n;
}

node_ref constant_node(device_state& device, dtype type, const extents& shape, const scalar& value) {
  require_shape(shape, type);
  device.require(type);
  auto n = std::make_shared<array_node>(device, type, shape);
  n->state = node_state::constant;
  n->number = converted_scalar(value, type);
  n->constants = 1;
  return n;
}

node_ref view_of(const node_ref& base, char* data, const extents& shape, const extents& strides) {
  auto n = std::make_shared<array_node>(base->device, base->type, shape);
  n->memory = base->memory;
  n->data = data;
  n->strides = strides;
  return n;
}

node_ref record(step_op op, arithmetic kind, dtype type, const extents& shape, node_ref a, node_ref b,
                node_ref c) {
  const std::lock_guard guard(a->device.lock);
  require_shape(shape, type);
  a->device.require(type);
  auto n = std::make_shared<array_node>(a->device, type, shape);
  n->state = node_state::recorded;
  n->kind = kind;
  n->op = op;
  n->operand[0] = std::move(a);
  n->operand[1] = std::move(b);
  n->operand[2] = std::move(c);
  n->operands = n->operand[2] ? 3 : n->operand[1] ? 2 : 1;
  for (;;) {
    int steps = 2, leaves = 0, constants = 0, depth = 1;
    node_ref* largest = nullptr;
    for (int k = 0; k < n->operands; ++k) {
      const array_node& from = *n->operand[k];
      if (from.state == node_state::evaluated) ++leaves;
      else if (from.state == node_state::constant) ++constants;
      else {
        const bool apart = is_apart(from, kind);
        steps += apart ? 0 : from.steps;
        leaves += apart ? 1 : from.leaves;
        constants += apart ? 0 : from.constants;
        depth = std::max(depth, from.depth + 1);
        if (!largest || from.steps >= (*largest)->steps) largest = &n->operand[k];
      }
    }
    if (steps <= max_steps && leaves <= max_leaves && constants <= max_constants && depth <= max_depth) {
      n->steps = std::uint8_t(steps), n->leaves = std::uint8_t(leaves),
      n->constants = std::uint8_t(constants);
      n->depth = std::uint8_t(depth);
      break;
    }
    evaluate(*largest);
  }
  for (int k = 0; k < n->operands; ++k) {
    add_reader(n->operand[k], n);
  }
  return n;
}

node_ref record_cast(const node_ref& a, dtype type) {
  if (a->type == type) return a;
  if (a->state == node_state::constant && !is_complex(a->type) && !(is_floating(a->type) && is_integer(type)))
    return constant_node(a->device, type, a->shape, a->number);
  const node_ref n = record(step_op::positive, store_arithmetic(*a, type), type, a->shape, a);
  n->converts = true;
  return n;
}

scalar converted_scalar(const scalar& value, dtype type) {
  scalar out = value;
  if (type == dtype::boolean)
    return scalar(value.kind <= scalar::kind_type::integer ? value.integer != 0 : value.real != 0.0);
  if (is_integer(type)) {
    if (value.kind > scalar::kind_type::integer) {
      const double real = value.real.real();
      if (value.kind == scalar::kind_type::complex || !(std::fabs(real) < 9.3e18))
        refuse("the number does not convert to " + std::string(name_of(type)));
      out = scalar(std::int64_t(real));
    }
    const int bits = int(size_of(type)) * 8 - (is_unsigned(type) ? 0 : 1);
    const std::int64_t i = out.integer;
    const bool fits = out.beyond_int64 ? type == dtype::uint64
                      : bits >= 63     ? (i >= 0 || !is_unsigned(type))
                                       : i < (std::int64_t(1) << bits) &&
                                         i >= (is_unsigned(type) ? 0 : -(std::int64_t(1) << bits));
    if (!fits) refuse("the number " + std::to_string(i) + " does not fit " + name_of(type));
    out.kind = scalar::kind_type::integer;
    return out;
  }
  if (!is_complex(type)) {
    if (value.kind == scalar::kind_type::complex)
      refuse("a complex number does not convert to " + std::string(name_of(type)));
    out.kind = scalar::kind_type::real;
    if (type == dtype::float32) out.real = float(value.real.real());
    return out;
  }
  out.kind = scalar::kind_type::complex;
  return out;
}

namespace {

/// Runs the program of `n` with its result in `to`, which has the shape of `n`.
void run(const node_ref& n, const program_array& to) {
  if (n->size() == 0) return;
  device_state& device = n->device;
  evaluate_separate(n);
  program p;
  arithmetic kind;
  if (!translate(n, to, p, kind)) { // more registers than there are: its operands run first
    for (int k = 0; k < n->operands; ++k) evaluate(n->operand[k]);
    translate(n, to, p, kind);
  }
  submit(device, kind, p);
}

program_array array_of(const array_node& n) {
  program_array out;
  out.data = n.data;
  out.type = std::int32_t(n.type);
  out.is_flat = 0;
  for (int d = 0; d < n.strides.size(); ++d) out.strides[d] = n.strides[d];
  return out;
}

} // namespace

void evaluate(const node_ref& n) {
  if (n->state == node_state::evaluated) return;
  const std::lock_guard guard(n->device.lock);
  if (n->state == node_state::evaluated) return;
  array_node result(n->device, n->type, n->shape);
  give_memory(result);
  if (n->state == node_state::recorded) result.strides = strides_for(*n);
  run(n, array_of(result));
  n->memory = std::move(result.memory);
  n->data = result.data;
  n->strides = result.strides;
  n->state = node_state::evaluated;
  n->memory->readers = std::move(n->readers);
  n->readers.clear();
  for (node_ref& from : n->operand) from.reset();
}

void evaluate_to_read(const node_ref& n) {
  constexpr std::int64_t few = 1024;
  if (n->state == node_state::recorded && n->device.is_host && n->size() <= few) n->device.wait();
  evaluate(n);
}

namespace {

/// How often an expression's recorded operands refer to each other; once more for itself.
using references = std::map<const array_node*, long>;
void count_references(const array_node& n, references& counts) {
  for (int k = 0; k < n.operands; ++k) {
    const array_node& from = *n.operand[k];
    if (from.state == node_state::recorded && counts[&from]++ == 0) count_references(from, counts);
  }
}

/// before_write(), but for the nodes that only these references hold.
void before_write_by(storage& memory, const references& own) {
  const std::lock_guard guard(memory.device.lock);
  const std::vector<std::weak_ptr<array_node>> readers = std::move(memory.readers);
  memory.readers.clear();
  memory.fold = {};
  for (const std::weak_ptr<array_node>& r : readers) {
    const node_ref n = r.lock();
    if (!n) continue;
    const auto known = own.find(n.get());
    if (known == own.end() || n.use_count() - 1 > known->second) evaluate(n); // one of them is this one
  }
}

/// Whether each element of the recorded `n` depends on no other element of `to` than its own.
bool reads_own_elements(const array_node& n, const array_node& to) {
  if (n.shape != to.shape) return false;
  for (int k = 0; k < n.operands; ++k) {
    const array_node& from = *n.operand[k];
    const bool is_other = from.memory != to.memory, is_recorded = from.state == node_state::recorded;
    const bool is_same = from.data == to.data && from.shape == to.shape && from.strides == to.strides;
    if (is_recorded ? !reads_own_elements(from, to) : !is_other && !is_same) return false;
  }
  return true;
}

} // namespace

void before_write(storage& memory) { before_write_by(memory, {}); }

void write_over(const node_ref& to, const node_ref& value) {
  const std::lock_guard guard(to->device.lock);
  const bool is_recorded = value->state == node_state::recorded && &to->device == &value->device;
  references own;
  if (is_recorded) {
    own[value.get()] = std::numeric_limits<long>::max();
    count_references(*value, own);
  }
  before_write_by(*to->memory, own);
  if (is_recorded && reads_own_elements(*value, *to)) {
    const node_ref all =
        record(step_op::positive, store_arithmetic(*value, to->type), to->type, to->shape, value);
    all->converts = true;
    return run(all, array_of(*to));
  }
  evaluate(value);
  write_into(to, value);
}

void write_into(const node_ref& to, const node_ref& value) {
  const std::lock_guard guard(to->device.lock);
  if (broadcast_shapes(to->shape, value->shape) != to->shape)
    refuse("an array of shape " + text_of(value->shape) + " does not broadcast to the shape " +
           text_of(to->shape) + " of the elements that are written");
  if (&to->device != &value->device) refuse("the arrays are on two devices; use to_device");
  before_write(*to->memory);
  node_ref from = value;
  if (from->state == node_state::evaluated && from->memory == to->memory) { // may overlap
    const node_ref copy = fresh(from->device, from->type, from->shape);
    run(record(step_op::positive, arithmetic_of(from->type), from->type, from->shape, from), array_of(*copy));
    from = copy;
  }
  const node_ref all =
      record(step_op::positive, store_arithmetic(*from, to->type), to->type, to->shape, from);
  all->converts = true;
  run(all, array_of(*to));
}

node_ref packed(const node_ref& n) {
  evaluate(n);
  if (n->contiguous()) return n;
  const node_ref out = fresh(n->device, n->type, n->shape);
  write_into(out, n);
  return out;
}

sycl::queue queue_for_write(const any_array& to) {
  to.evaluate();
  array_node& n = to.node();
  const std::lock_guard guard(n.device.lock);
  before_write(*n.memory);
  n.device.busy = true;
  return n.device.queue;
}

expression_queue queue_of_expression(const any_array& to) {
  to.evaluate();
  device_state& device = to.node().device;
  std::unique_lock lock(device.lock);
  const sycl::queue queue = queue_for_write(to);
  return {std::move(lock), queue, device.takes_chunks, device.folds_parts ? device.counters() : nullptr};
}

namespace {

/// Whether rows of the array are neighbours in memory.
bool has_neighbours(const program& p, const program_array& array) {
  return array.is_flat || array.strides[p.rank - 1] == 1;
}

/// Whether the program takes less time than a launch, some 20 microseconds of processor time.
bool is_small(const program& p, dtype own) {
  constexpr std::int64_t work_of_launch = 131072, function = 16, bytes_of_launch = 3 << 19,
                         copied_bytes = 4 << 20;
  const bool is_line = folds_lines(p, own) || folds_narrow_lines(p, own) || folds_narrow_places(p, own);
  if (is_line || copies_elements(p) || fills_elements(p) ||
      has_flat_steps(p, own)) { // its time is that of its memory
    std::int64_t bytes = is_line ? 0 : size_of(dtype(p.result.type));
    for (int k = 0; k < p.leaves; ++k) bytes += size_of(dtype(p.leaf[k].type));
    const bool is_copy = copies_elements(p) && has_neighbours(p, p.leaf[0]) && has_neighbours(p, p.result);
    return p.size * bytes <= (is_copy ? copied_bytes : bytes_of_launch);
  }
  std::int64_t work = 1;
  for (int s = 0; s < p.steps; ++s) work += is_function(p.list[s].op) ? function : 1;
  return p.size <= work_of_launch / work;
}

/// Whether the first flags of an array decide the one result of the program; it is stored then.
bool is_answered_early(const program& p, const program* rest) {
  constexpr std::int64_t most = 1 << 16;
  if (p.fold < fold_op::minimum || p.size == 0 || p.folded.results != 1 || p.folded.given_positions ||
      !has_elements_in_memory(p) || dtype(p.leaf[0].type) != dtype::boolean)
    return false;
  const bool wanted =
      p.fold == fold_op::any || p.fold == fold_op::maximum || p.fold == fold_op::first_maximum;
  const char* const flags = p.leaf[0].data;
  const void* const found = std::memchr(flags, wanted ? 1 : 0, std::size_t(std::min(p.size, most)));
  if (found == nullptr) return false;
  const program_array& result = rest ? rest->result : p.result;
  if (p.fold >= fold_op::first_minimum) {
    const std::int64_t place = static_cast<const char*>(found) - flags;
    std::memcpy(result.data, &place, sizeof place);
  } else {
    *result.data = wanted ? 1 : 0;
  }
  return true;
}

/// Whether a caller will soon read what the program computes: a few results of many elements. Other threads
/// would not gain from a command that the caller's thread need not wait for, since the device uses them all.
bool has_few_results(const program& p, const program* rest) {
  constexpr std::int64_t few = 1024;
  return p.fold != fold_op::none && (rest ? rest->folded.results : p.folded.results) <= few;
}

} // namespace

launch_report submit(device_state& device, arithmetic kind, const program& p, const program* rest) {
  if (!device.has_double && (kind == arithmetic::real || kind == arithmetic::complex))
    device.require(dtype::float64);
  if (!device.is_host) return device.fused->submit(device, kind, p, rest);
  if (!device.busy && is_answered_early(p, rest)) return {};
  if (!device.busy && is_small(p, type_of(kind))) {
    with_number(kind, [&]<typename T>(std::type_identity<T>) {
      run_here<T>(p);
      if (rest) run_here<T>(*rest);
    });
    return {};
  }
  if (!device.busy && has_few_results(p, rest)) {
    const bool ran = with_number(
        kind, [&]<typename T>(std::type_identity<T>) { return run_directly<T>(device.queue, p, rest); });
    if (ran) return {1, false};
  }
  program* const slot = device.next_program(p, rest);
  device.submitted(slot, launch(device, kind, slot, p));
  return {1, false};
}

sycl::event launch(device_state& device, arithmetic kind, program* p, const program& host) {
  return with_number(kind, [&]<typename T>(std::type_identity<T>) {
    return device.is_host ? launch_on_host<T>(device.queue, p, host)
                          : launch_on_device<T>(device.queue, p, host, device.takes_chunks);
  });
}

} // namespace prism::array_detail
