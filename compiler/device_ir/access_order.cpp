#include "compiler/device_ir/access_order.hpp"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/CFG.h"

namespace prism::compiler {
using namespace llvm;

SmallVector<Instruction*> access_order::moved(std::size_t most) {
  SmallVector<Instruction*> found;
  for (const ordered_access& each : m_accesses) {
    if (found.size() == most) break;
    if ((each.strided || each.repeats) && is_moved(each)) found.push_back(each.instruction);
  }
  return found;
}

bool access_order::is_moved(const ordered_access& each) {
  return any_of(m_accesses, [&](const ordered_access& other) {
    if (&other == &each || !may_overlap(each, other)) return false;
    if (each.writes) return precedes(each, other) && moves_past(other, each);
    return other.writes && precedes(other, each) && moves_past(other, each);
  });
}

/// Whether an access that may be in one group with `each` is on the other side of `other`.
bool access_order::moves_past(const ordered_access& other, const ordered_access& each) {
  return each.repeats || any_of(m_accesses, [&](const ordered_access& to) {
    if (&to == &each || &to == &other || to.writes != each.writes || !may_group(to, each)) return false;
    return each.writes ? precedes(other, to) : precedes(to, other);
  });
}

/// The members of a group have one size and lie within one stride. For distances that are not plain
/// multiples, LLVM may know more than this analysis.
bool access_order::may_group(const ordered_access& a, const ordered_access& b) {
  if (!a.step || !b.step) return true;
  auto* distance = dyn_cast<SCEVConstant>(m_evolution.getMinusSCEV(b.address, a.address));
  return *a.step == *b.step && a.bytes == b.bytes && distance &&
         distance->getAPInt().abs().ult(static_cast<std::uint64_t>(std::abs(*a.step)));
}

/// Whether the two may access the same bytes in one iteration, and one of them writes.
bool access_order::may_overlap(const ordered_access& a, const ordered_access& b) {
  if (!a.writes && !b.writes) return false;
  if (a.memory != 0 && b.memory != 0 && a.memory != b.memory) return false;
  auto* distance = dyn_cast<SCEVConstant>(m_evolution.getMinusSCEV(b.address, a.address));
  if (!distance) return true;
  const std::int64_t apart = distance->getAPInt().getSExtValue();
  return apart < std::int64_t(a.bytes) && -apart < std::int64_t(b.bytes);
}

bool access_order::precedes(const ordered_access& first, const ordered_access& second) {
  const BasicBlock *from = first.instruction->getParent(), *to = second.instruction->getParent();
  if (from == to && first.instruction->comesBefore(second.instruction)) return true;
  const auto [known, is_new] = m_reached.try_emplace(from);
  if (!is_new) return known->second.contains(to);
  DenseSet<const BasicBlock*> reached;
  SmallVector<const BasicBlock*> work{from};
  while (!work.empty())
    for (const BasicBlock* next : successors(work.pop_back_val()))
      if (next != m_header && reached.insert(next).second) work.push_back(next);
  return (known->second = std::move(reached)).contains(to);
}

} // namespace prism::compiler
