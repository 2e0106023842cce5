#include "compiler/spirv/families.hpp"

#include <algorithm>

#include "compiler/device_ir/matrix_kind.hpp"
#include "compiler/spirv/refused.hpp"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/Alignment.h"

namespace prism::compiler::spirv {

using namespace llvm;

namespace {

constexpr std::uint64_t largest_constant_array = 32; // bytes: larger constants are data of the module
constexpr std::uint32_t null_bias = 4096;            // a multiple of every alignment that code may test

/// Visits the values that an integer is computed from, through operations that are used on pointers as
/// integers.
template <typename Visit>
void trace_integer(const Value* integer, SmallPtrSetImpl<const Value*>& seen, Visit&& visit) {
  if (!seen.insert(integer).second) return;
  const auto* user = dyn_cast<User>(integer);
  const auto* operation = dyn_cast<Operator>(integer);
  if (user != nullptr && operation != nullptr) {
    switch (operation->getOpcode()) {
      case Instruction::Add:
      case Instruction::Sub:
      case Instruction::And:
      case Instruction::Or:
      case Instruction::Xor:
      case Instruction::PHI:
      case Instruction::Select:
      case Instruction::Freeze:
        for (const Value* operand : user->operands()) trace_integer(operand, seen, visit);
        return;
      default: break;
    }
  }
  visit(integer);
}

} // namespace

std::uint32_t access_piece(std::uint64_t bytes, std::uint64_t align) {
  std::uint64_t piece = bytes & (~bytes + 1);
  if (piece > 8) piece = 8;
  return static_cast<std::uint32_t>(std::min(piece, std::max<std::uint64_t>(align, 1)));
}

families::node families::make() {
  const node fresh = static_cast<node>(m_nodes.size());
  m_nodes.emplace_back();
  m_nodes.back().parent = fresh;
  return fresh;
}

families::node families::find(node n) const {
  while (m_nodes[n].parent != n) n = m_nodes[n].parent = m_nodes[m_nodes[n].parent].parent;
  return n;
}

families::node families::join(node a, node b, const Instruction* reason) {
  a = find(a);
  b = find(b);
  if (a == b) return a;
  node_data &to = m_nodes[a], &from = m_nodes[b];
  from.parent = a;
  if (reason != nullptr && (from.global || from.workgroup || from.arena)) to.reason = reason;
  if (to.reason == nullptr) to.reason = from.reason;
  to.global |= from.global;
  to.workgroup |= from.workgroup;
  to.arena |= from.arena;
  to.is_stored |= from.is_stored;
  to.null |= from.null;
  to.roots.insert(to.roots.end(), from.roots.begin(), from.roots.end());
  if (from.piece != 0) {
    to.one_type =
        to.one_type && from.one_type && (to.piece == 0 || (to.type == from.type && to.piece == from.piece));
    to.piece = to.piece == 0 ? from.piece : std::min(to.piece, from.piece);
    to.type = from.type;
  }
  to.atomic_bytes |= from.atomic_bytes;
  if (to.atomic == nullptr) to.atomic = from.atomic;
  const node inside = to.contents, other = from.contents;
  if (inside == none) to.contents = other;
  else if (other != none) join(inside, other, reason);
  return find(a);
}

families::node families::contents(node n) {
  n = find(n);
  if (m_nodes[n].contents == none) {
    const node fresh = make();
    m_nodes[n].contents = fresh;
  }
  return find(m_nodes[n].contents);
}

families::node families::node_of(const Value* pointer) {
  if (const auto* expression = dyn_cast<ConstantExpr>(pointer)) {
    if (expression->getOpcode() == Instruction::GetElementPtr || expression->isCast()) {
      const Value* base = expression->getOperand(0);
      if (base->getType()->isPointerTy()) return node_of(base);
    }
  }
  auto [entry, added] = m_node_of.try_emplace(pointer, 0);
  if (!added) return find(entry->second);
  const node fresh = make();
  m_node_of[pointer] = fresh;
  node_data& data = m_nodes[fresh];
  if (isa<Argument>(pointer) || isa<ConstantExpr>(pointer)) {
    data.global = true;
    data.contents = fresh;
  } else if (const auto* variable = dyn_cast<GlobalVariable>(pointer)) {
    if (!variable->isConstant() || !variable->hasInitializer())
      refuse(nullptr,
             "the variable '" + variable->getName().str() + "', which is not constant, is used in a kernel");
    data.arena = true;
    data.roots.push_back(variable);
  } else if (isa<Function>(pointer)) {
    refuse(nullptr, "the address of the function '" + pointer->getName().str() + "' is used in a kernel");
  }
  return fresh;
}

void families::join_operand(node with, const Value* operand, const Instruction& reason) {
  if (isa<ConstantPointerNull>(operand) || isa<UndefValue>(operand)) m_nodes[find(with)].null = true;
  else join(with, node_of(operand), &reason);
}

void families::access(const Value* pointer, Type* type, std::uint64_t align, bool atomic,
                      const Instruction& at) {
  if (isa<ConstantPointerNull>(pointer) || isa<UndefValue>(pointer)) return;
  node_data& data = m_nodes[node_of(pointer)];
  const std::uint64_t bytes = m_layout.getTypeStoreSize(type);
  const std::uint32_t piece = access_piece(bytes, align);
  data.one_type = data.one_type && piece == bytes && (data.type == nullptr || data.type == type);
  data.type = type;
  data.piece = data.piece == 0 ? piece : std::min(data.piece, piece);
  if (!atomic) return;
  if (piece != bytes) refuse(&at, "an atomic operation on unaligned memory");
  data.atomic_bytes |= static_cast<std::uint32_t>(bytes);
  data.atomic = &at;
}

/// Of matrices that a sub-group holds: memory is accessed by their elements.
void families::visit_matrix(const CallInst& call, StringRef name) {
  const bool loads = name == "load";
  if (!loads && name != "store") return;
  const auto* number = dyn_cast<ConstantInt>(call.getArgOperand(loads ? 0 : 1));
  const auto kind = number == nullptr ? std::nullopt : matrix_kind::of(number->getZExtValue());
  if (!kind) refuse(&call, "a matrix whose type is not a constant");
  LLVMContext& context = call.getContext();
  Type* const type = kind->component == matrix_kind::float16   ? Type::getHalfTy(context)
                     : kind->component == matrix_kind::float32 ? Type::getFloatTy(context)
                     : kind->component == matrix_kind::float64 ? Type::getDoubleTy(context)
                                                               : Type::getIntNTy(context, kind->bits());
  access(call.getArgOperand(loads ? 1 : 2), type, kind->bits() / 8, false, call);
}

void families::visit(const Instruction& instruction) {
  const Instruction* at = &instruction;
  if (const auto* made = dyn_cast<AllocaInst>(at)) {
    if (!made->isStaticAlloca()) refuse(at, "an array of a size that is known only at run time");
    node_data& data = m_nodes[node_of(made)];
    data.arena = true;
    data.roots.push_back(made);
  } else if (const auto* load = dyn_cast<LoadInst>(at)) {
    access(load->getPointerOperand(), load->getType(), load->getAlign().value(), load->isAtomic(),
           instruction);
    if (load->getType()->isPointerTy()) {
      const node inside = isa<Constant>(load->getPointerOperand()) &&
                                  !isa<GlobalVariable>(load->getPointerOperand()) &&
                                  !isa<ConstantExpr>(load->getPointerOperand())
                              ? make()
                              : contents(node_of(load->getPointerOperand()));
      const node merged = join(node_of(load), inside, at);
      m_nodes[merged].is_stored = true;
    }
  } else if (const auto* store = dyn_cast<StoreInst>(at)) {
    access(store->getPointerOperand(), store->getValueOperand()->getType(), store->getAlign().value(),
           store->isAtomic(), instruction);
    if (store->getValueOperand()->getType()->isPointerTy() &&
        !isa<ConstantPointerNull>(store->getPointerOperand())) {
      const node inside = contents(node_of(store->getPointerOperand()));
      m_nodes[inside].is_stored = true;
      join_operand(inside, store->getValueOperand(), instruction);
    }
  } else if (const auto* rmw = dyn_cast<AtomicRMWInst>(at)) {
    access(rmw->getPointerOperand(), rmw->getType(), rmw->getAlign().value(), true, instruction);
  } else if (const auto* exchange = dyn_cast<AtomicCmpXchgInst>(at)) {
    access(exchange->getPointerOperand(), exchange->getCompareOperand()->getType(),
           exchange->getAlign().value(), true, instruction);
  } else if (isa<PtrToIntInst>(at)) {
    if (!isa<ConstantPointerNull>(at->getOperand(0))) m_nodes[node_of(at->getOperand(0))].is_stored = true;
  } else if (isa<IntToPtrInst>(at)) {
    const node result = node_of(at);
    bool known = false;
    SmallPtrSet<const Value*, 16> seen;
    trace_integer(at->getOperand(0), seen, [&](const Value* source) {
      const auto* cast = dyn_cast<Operator>(source);
      if (cast == nullptr || cast->getOpcode() != Instruction::PtrToInt) return;
      known = true;
      join_operand(result, cast->getOperand(0), instruction);
    });
    if (known) return;
    m_nodes[find(result)].global = true;
    m_nodes[find(result)].contents = find(result);
  } else if (const auto* call = dyn_cast<CallInst>(at);
             call && call->getCalledFunction() &&
             call->getCalledFunction()->getName().starts_with(matrix_call)) {
    visit_matrix(*call, call->getCalledFunction()->getName().drop_front(StringRef(matrix_call).size()));
  } else if (isa<CallInst>(at) && at->getType()->isPointerTy()) {
    const Function* callee = cast<CallInst>(at)->getCalledFunction();
    const StringRef name = callee == nullptr ? "" : callee->getName();
    if (name != "__prism_local_arena" && name != "__prism_group_scratch")
      refuse(at, "a call of '" + name.str() + "', which returns a pointer");
    m_nodes[node_of(at)].workgroup = true;
  } else if (at->getType()->isPointerTy()) {
    const node result = node_of(at);
    if (isa<GetElementPtrInst>(at) || isa<CastInst>(at) || isa<FreezeInst>(at)) {
      join_operand(result, at->getOperand(0), instruction);
    } else if (const auto* choice = dyn_cast<SelectInst>(at)) {
      join_operand(result, choice->getTrueValue(), instruction);
      join_operand(result, choice->getFalseValue(), instruction);
    } else if (const auto* phi = dyn_cast<PHINode>(at)) {
      for (const Value* incoming : phi->incoming_values()) join_operand(result, incoming, instruction);
    } else {
      refuse(at, "an instruction that makes a pointer in an unknown way");
    }
  }
}

/// Pointers to private or work-group memory that are stored in memory must not reach a pointer load through
/// integers.
void families::integers_stay_integers(const Function& kernel) {
  std::vector<std::pair<const LoadInst*, const StoreInst*>> copies;
  for (const Instruction& instruction : instructions(kernel)) {
    const auto* store = dyn_cast<StoreInst>(&instruction);
    if (store == nullptr || !store->getValueOperand()->getType()->isIntegerTy(64)) continue;
    SmallPtrSet<const Value*, 16> seen;
    trace_integer(store->getValueOperand(), seen, [&](const Value* source) {
      if (const auto* load = dyn_cast<LoadInst>(source)) copies.emplace_back(load, store);
      const auto* cast = dyn_cast<Operator>(source);
      if (cast == nullptr || cast->getOpcode() != Instruction::PtrToInt) return;
      if (isa<ConstantPointerNull>(cast->getOperand(0)) || isa<Constant>(store->getPointerOperand())) return;
      join(contents(node_of(store->getPointerOperand())), node_of(cast->getOperand(0)), store);
    });
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [load, store] : copies) {
      if (isa<ConstantPointerNull>(load->getPointerOperand()) ||
          isa<ConstantPointerNull>(store->getPointerOperand()))
        continue;
      const node from = contents(node_of(load->getPointerOperand()));
      const node to = contents(node_of(store->getPointerOperand()));
      // Words from the host may be pointers too. The memory that they are copied to then contains pointers to
      // global memory.
      const auto known = [&](node n) {
        return m_nodes[n].workgroup || m_nodes[n].arena || m_nodes[n].global;
      };
      if (from == to || (!known(from) && !known(to))) continue;
      join(from, to, store);
      changed = true;
    }
  }
}

void families::lay_out(node_data& data) {
  family& made = m_families.emplace_back();
  data.result = &made;
  made.space = data.workgroup ? memory_space::workgroup : memory_space::arena;
  made.has_atomics = data.atomic_bytes != 0;
  made.element_bytes = data.piece == 0 ? 4 : data.piece;
  if (data.workgroup && data.atomic_bytes == 12)
    refuse(data.atomic, "32-bit and 64-bit atomic operations on work-group memory in one kernel");
  if (data.workgroup && made.has_atomics) made.element_bytes = data.atomic_bytes;
  const bool floats = data.one_type && !made.has_atomics && data.type != nullptr &&
                      (data.type->isFloatTy() || data.type->isDoubleTy());
  made.element = floats ? data.type : nullptr;
  made.bias = data.is_stored || data.null ? null_bias : 0;
  std::uint64_t size = 0;
  for (const Value* root : data.roots) {
    std::uint64_t bytes = 0, align = 1;
    if (const auto* local = dyn_cast<AllocaInst>(root)) {
      bytes = local->getAllocationSize(m_layout)->getFixedValue();
      align = local->getAlign().value();
    } else {
      const auto* variable = cast<GlobalVariable>(root);
      bytes = m_layout.getTypeAllocSize(variable->getValueType());
      align = variable->getPointerAlignment(m_layout).value();
    }
    size = alignTo(size, std::max<std::uint64_t>(align, made.element_bytes));
    made.allocations.push_back({root, static_cast<std::uint32_t>(size)});
    m_offsets[root] = static_cast<std::uint32_t>(size);
    size += std::max<std::uint64_t>(bytes, 1);
    if (size > 0x7fff0000) refuse(dyn_cast<Instruction>(root), "private arrays of more than 2 GiB");
  }
  made.size = static_cast<std::uint32_t>(alignTo(size, made.element_bytes));
  if (data.workgroup || size <= largest_constant_array ||
      !all_of(data.roots, [](const Value* root) { return isa<GlobalVariable>(root); }))
    return;
  made.space = memory_space::data;
  made.begin = static_cast<std::uint32_t>(m_data_size);
  m_data_size = alignTo(m_data_size + made.size, data_alignment);
  if (m_data_size > 0x7fff0000) refuse(nullptr, "constants of more than 2 GiB");
}

families::families(const Function& kernel, const DataLayout& layout) : m_layout(layout) {
  for (const Argument& argument : kernel.args()) node_of(&argument);
  const node global = kernel.arg_empty() ? make() : node_of(kernel.getArg(0));
  m_nodes[global].global = true;
  for (const Instruction& instruction : instructions(kernel)) {
    visit(instruction);
    for (const Value* operand : instruction.operands())
      if (operand->getType()->isPointerTy() && isa<GlobalVariable>(operand)) node_of(operand);
  }
  // All of work-group memory is one array.
  node workgroup = none;
  for (node n = 0; n < m_nodes.size(); ++n)
    if (find(n) == n && m_nodes[n].workgroup) workgroup = workgroup == none ? n : join(workgroup, n, nullptr);
  integers_stay_integers(kernel);
  // Addresses that are compared must be different numbers if they belong to different objects.
  for (const Instruction& instruction : instructions(kernel)) {
    if (!isa<ICmpInst>(instruction) || !instruction.getOperand(0)->getType()->isPointerTy()) continue;
    const Value *a = instruction.getOperand(0), *b = instruction.getOperand(1);
    if (isa<ConstantPointerNull>(a)) std::swap(a, b);
    if (isa<ConstantPointerNull>(a)) continue;
    if (isa<ConstantPointerNull>(b)) {
      m_nodes[node_of(a)].null = true;
      continue;
    }
    const node one = node_of(a), other = node_of(b);
    const node_data &first = m_nodes[one], &second = m_nodes[other];
    if (first.global == second.global && first.workgroup == second.workgroup && first.arena == second.arena)
      join(one, other, &instruction);
  }
  for (node n = 0; n < m_nodes.size(); ++n) {
    node_data& data = m_nodes[n];
    if (data.parent != n) continue;
    if (data.global + data.workgroup + data.arena > 1)
      refuse(data.reason, "a pointer that may point to " +
                              std::string(!data.global     ? "work-group or private"
                                          : data.workgroup ? "global or work-group"
                                                           : "global or private") +
                              " memory");
    if (data.workgroup || data.arena) lay_out(data);
    else data.result = &m_global;
  }
}

const family& families::of(const Value* pointer) const {
  if (const auto* expression = dyn_cast<ConstantExpr>(pointer))
    if (expression->getOperand(0)->getType()->isPointerTy()) return of(expression->getOperand(0));
  const auto found = m_node_of.find(pointer);
  return found == m_node_of.end() ? m_global : *m_nodes[find(found->second)].result;
}

bool families::is_nowhere(const Value* pointer) const {
  if (isa<ConstantPointerNull>(pointer) || isa<UndefValue>(pointer)) return true;
  const auto found = m_node_of.find(pointer);
  if (found == m_node_of.end()) return false;
  const node_data& data = m_nodes[find(found->second)];
  return !data.global && !data.workgroup && !data.arena;
}

std::uint32_t families::offset_of(const Value* root) const {
  const auto found = m_offsets.find(root);
  return found == m_offsets.end() ? 0 : found->second;
}

} // namespace prism::compiler::spirv
