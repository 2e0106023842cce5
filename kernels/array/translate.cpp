// Translation of recorded expressions (translate.hpp). Registers are given as by Sethi and Ullman (1970): the
// operand with more steps is computed first.
#include "kernels/array/translate.hpp"

#include <algorithm>

namespace prism::array_detail {

bool can_access(arithmetic kind, dtype type) {
  switch (kind) {
    case arithmetic::real: return !is_complex(type);
    case arithmetic::single_complex: return type != dtype::float64 && type != dtype::complex128;
    case arithmetic::complex: return true;
    default: return type != dtype::float64 && !is_complex(type);
  }
}

arithmetic cast_arithmetic(dtype from, dtype to) {
  if (to >= dtype::float32 && can_access(arithmetic_of(to), from)) return arithmetic_of(to);
  const auto is_wide = [](dtype t) { return t == dtype::float64 || t == dtype::complex128; };
  const bool wide = is_wide(from) || is_wide(to);
  if (is_complex(from) || is_complex(to)) return wide ? arithmetic::complex : arithmetic::single_complex;
  return wide ? arithmetic::real : arithmetic_of(from);
}

bool is_apart(const array_node& operand, arithmetic kind) {
  if (operand.state != node_state::recorded) return false;
  const bool only_when_stored = // the conversion happens when the result is written
      operand.converts && operand.type != dtype::boolean && arithmetic_of(operand.type) != kind;
  return operand.kind != kind || only_when_stored;
}

void list_separate(const node_ref& n, std::vector<node_ref>& out) {
  for (int k = 0; k < n->operands; ++k) {
    const node_ref& from = n->operand[k];
    if (from->state != node_state::recorded) continue;
    list_separate(from, out);
    if (is_apart(*from, n->kind) && std::find(out.begin(), out.end(), from) == out.end()) out.push_back(from);
  }
}

void evaluate_separate(const node_ref& n) {
  for (int k = 0; k < n->operands; ++k) {
    const node_ref& from = n->operand[k];
    if (from->state != node_state::recorded) continue;
    if (is_apart(*from, n->kind)) evaluate(from);
    else evaluate_separate(from);
  }
}

step_op wrap_of(dtype type) {
  switch (type) {
    case dtype::int8: return step_op::wrap8;
    case dtype::int16: return step_op::wrap16;
    case dtype::int32: return step_op::wrap32;
    case dtype::uint8: return step_op::wrap_u8;
    case dtype::uint16: return step_op::wrap_u16;
    case dtype::uint32: return step_op::wrap_u32;
    default: return step_op::positive;
  }
}

namespace {

/// Operations whose result has the type if the operands have.
bool stays_in_type(step_op op) {
  switch (op) {
    case step_op::remainder:
    case step_op::maximum:
    case step_op::minimum:
    case step_op::choose:
    case step_op::positive:
    case step_op::sign:
    case step_op::bitwise_and:
    case step_op::bitwise_or:
    case step_op::bitwise_xor:
    case step_op::shift_right: return true;
    default: return false;
  }
}

/// Whether an integer type has all values of another type.
bool holds_all(dtype type, dtype from) {
  if (from == dtype::boolean || from == type) return true;
  if (!is_integer(from)) return false;
  if (is_unsigned(type) != is_unsigned(from)) return is_unsigned(from) && size_of(from) < size_of(type);
  return size_of(from) <= size_of(type);
}

class translator {
public:
  translator(program& p, const array_node& root, arithmetic kind)
      : m_program(p), m_root(&root), m_shape(root.shape), m_kind(kind) {}

  void count(const node_ref& n) {
    for (int k = 0; k < n->operands; ++k) {
      const node_ref& from = n->operand[k];
      if (entry_of(from).uses++ == 0 && from->state == node_state::recorded && !is_apart(*from, m_kind))
        count(from);
    }
  }

  int visit(const node_ref& n) {
    if (entry& known = entry_of(n); known.name >= 0) return known.name;
    int name = -1;
    if (n->state == node_state::constant) name = constant(*n);
    else if (n->state == node_state::evaluated) name = leaf(*n, n->strides);
    else if (n.get() != m_root && is_apart(*n, m_kind))
      name = leaf(*n, packed_strides(n->shape)); // as it will be; only for explain()
    else name = recorded(n);
    return entry_of(n).name = name;
  }

  bool overflow = false;

private:
  struct entry {
    const array_node* of;
    int name = -1, uses = 0;
  };

  entry& entry_of(const node_ref& n) {
    for (entry& e : m_entries) {
      if (e.of == n.get()) return e;
    }
    m_entries.push_back({n.get()});
    return m_entries.back();
  }

  int constant(const array_node& n) {
    const int k = m_program.constants++;
    m_program.constant[k][0] = n.number.real.real();
    m_program.constant[k][1] = n.number.real.imag();
    for (int part = 0; part < 2; ++part)
      m_program.single_constant[k][part] = float(m_program.constant[k][part]);
    m_program.integer_constant[k] =
        n.number.kind <= scalar::kind_type::integer ? n.number.integer : std::int64_t(n.number.real.real());
    return first_constant + k;
  }

  int leaf(const array_node& n, const extents& strides) {
    program_array array;
    array.data = n.data;
    array.type = std::int32_t(n.type);
    array.is_flat = 0;
    const int lead = m_shape.size() - n.shape.size();
    std::fill_n(array.strides, lead, 0);
    for (int d = 0; d < n.shape.size(); ++d) array.strides[lead + d] = n.shape[d] == 1 ? 0 : strides[d];
    for (int k = 0; k < m_program.leaves; ++k) {
      const program_array& other = m_program.leaf[k];
      if (other.data == array.data && other.type == array.type &&
          std::equal(array.strides, array.strides + m_shape.size(), other.strides))
        return first_leaf + k;
    }
    m_program.leaf[m_program.leaves] = array;
    return first_leaf + m_program.leaves++;
  }

  int take_register() {
    for (int r = 0; r < max_registers; ++r) {
      if (!(m_used >> r & 1)) {
        m_used |= 1u << r;
        return r;
      }
    }
    overflow = true;
    return 0;
  }

  void release(const node_ref& n) {
    entry& e = entry_of(n);
    if (--e.uses == 0 && e.name < max_registers) m_used &= ~(1u << e.name);
  }

  void emit(step_op op, int to, int a, int b, int c) {
    if (m_program.steps == max_steps) overflow = true;
    else
      m_program.list[m_program.steps++] = {op, std::uint8_t(to), std::uint8_t(a), std::uint8_t(b),
                                           std::uint8_t(c)};
  }

  int recorded(const node_ref& n) {
    int order[3] = {0, 1, 2}, name[3] = {};
    const auto exchange = [&](int i, int j) { // stably by steps, most first
      if (j < n->operands && n->operand[order[j]]->steps > n->operand[order[i]]->steps)
        std::swap(order[i], order[j]);
    };
    exchange(0, 1), exchange(1, 2), exchange(0, 1);
    for (int k = 0; k < n->operands; ++k) name[order[k]] = visit(n->operand[order[k]]);
    for (int k = n->operands; k < 3; ++k) name[k] = name[0];
    // A conversion to bool asks whether the number is not 0.
    const bool to_truth = n->converts && n->type == dtype::boolean && n->operand[0]->type != dtype::boolean;
    const bool is_same = n->op == step_op::positive && !to_truth && !is_wrapped(*n);
    // An operand in a register that nothing else uses gives it to this result.
    if (is_same && (name[0] >= max_registers || entry_of(n->operand[0]).uses == 1)) return name[0];
    for (int k = 0; k < n->operands; ++k) release(n->operand[k]);
    const int to = take_register();
    if (to_truth) emit(step_op::logical_and, to, name[0], name[0], name[0]);
    else if (n->op == step_op::square) emit(step_op::multiply, to, name[0], name[0], name[0]); // passes.hpp
    else emit(n->op, to, name[0], name[1], name[2]);
    if (is_wrapped(*n)) emit(wrap_of(n->type), to, to, to, to);
    return to;
  }

  bool is_wrapped(const array_node& n) const {
    if (m_kind != arithmetic::integer || wrap_of(n.type) == step_op::positive) return false;
    return n.converts ? !holds_all(n.type, n.operand[0]->type) : !stays_in_type(n.op);
  }

  program& m_program;
  const array_node* m_root;
  const extents& m_shape;
  const arithmetic m_kind;
  std::vector<entry> m_entries;
  std::uint32_t m_used = 0;
};

/// Joins neighbouring dimensions that every array passes through evenly, and leaves out those of one element.
void join_dimensions(program& p, const extents& shape, program_array* result) {
  program_array* arrays[max_leaves + 1] = {result};
  int count = result ? 1 : 0;
  for (int k = 0; k < p.leaves; ++k) arrays[count++] = &p.leaf[k];
  p.rank = 0;
  p.size = 1;
  for (int d = 0; d < shape.size(); ++d) {
    p.size *= shape[d];
    if (shape[d] == 1) continue;
    bool joins = p.rank > 0;
    for (int k = 0; k < count && joins; ++k)
      joins = arrays[k]->strides[p.rank - 1] == arrays[k]->strides[d] * shape[d];
    const int at = joins ? p.rank - 1 : p.rank++;
    p.extent[at] = joins ? p.extent[at] * shape[d] : shape[d];
    for (int k = 0; k < count; ++k) arrays[k]->strides[at] = arrays[k]->strides[d];
  }
  if (p.rank == 0) {
    p.rank = 1;
    p.extent[0] = 1;
    for (int k = 0; k < count; ++k) arrays[k]->strides[0] = 1;
  }
  for (int k = 0; k < count; ++k) {
    std::int64_t expected = 1;
    bool flat = true;
    for (int d = p.rank - 1; d >= 0; --d) {
      flat &= arrays[k]->strides[d] == expected;
      expected *= p.extent[d];
    }
    arrays[k]->is_flat = flat;
  }
}

bool translate_steps(const node_ref& n, program& p, arithmetic& kind) {
  p.steps = p.leaves = p.constants = 0;
  kind = n->state == node_state::recorded ? n->kind : arithmetic_of(n->type);
  translator t(p, *n, kind);
  t.count(n);
  p.root = t.visit(n);
  return !t.overflow;
}

/// The dimensions of elements that are stored, in the order of their distances in the result.
void order_by_result(program& p, extents& shape) {
  int order[max_rank];
  bool is_sorted = true;
  for (int d = 0; d < shape.size(); ++d) {
    int at = d;
    for (; at > 0 && std::abs(p.result.strides[order[at - 1]]) < std::abs(p.result.strides[d]); --at)
      order[at] = order[at - 1];
    order[at] = d;
    is_sorted = is_sorted && at == d;
  }
  if (is_sorted) return;
  const auto arrange_strides = [&](program_array& array) {
    std::int64_t before[max_rank];
    std::copy_n(array.strides, shape.size(), before);
    for (int d = 0; d < shape.size(); ++d) array.strides[d] = before[order[d]];
  };
  arrange_strides(p.result);
  for (int k = 0; k < p.leaves; ++k) arrange_strides(p.leaf[k]);
  const extents before = shape;
  for (int d = 0; d < shape.size(); ++d) shape[d] = before[order[d]];
}

} // namespace

bool translate(const node_ref& n, const program_array& to, program& p, arithmetic& kind) {
  const bool fits = translate_steps(n, p, kind);
  p.result = to;
  p.fold = fold_op::none;
  extents shape = n->shape;
  order_by_result(p, shape);
  join_dimensions(p, shape, &p.result);
  return fits;
}

bool translate_fold(const node_ref& n, const std::vector<int>& order, program& p, arithmetic& kind) {
  const bool fits = translate_steps(n, p, kind);
  extents shape = n->shape;
  for (int d = 0; d < shape.size(); ++d) shape[d] = n->shape[order[std::size_t(d)]];
  for (int k = 0; k < p.leaves; ++k) {
    const program_array from = p.leaf[k];
    for (int d = 0; d < shape.size(); ++d) p.leaf[k].strides[d] = from.strides[order[std::size_t(d)]];
  }
  join_dimensions(p, shape, nullptr);
  return fits;
}

} // namespace prism::array_detail
