#include "compiler/host/local_indices.hpp"

#include "compiler/host/memory_kinds.hpp"
#include "compiler/workgroup/lanes.hpp"
#include "compiler/device_ir/loop_facts.hpp"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr std::int64_t largest_step = 1 << 14; // times the most work-items of a group this stays below 2^31

class widener {
public:
  widener(Loop& loop, ScalarEvolution& evolution, const DataLayout& layout)
      : m_loop(loop), m_evolution(evolution), m_expander(evolution, layout, "local") {}

  bool widen(GetElementPtrInst& address) {
    Use& index = address.getOperandUse(address.getNumOperands() - 1);
    const SCEV* narrow = narrow_index(*index);
    auto* sum = narrow ? dyn_cast<SCEVAddRecExpr>(narrow) : nullptr;
    if (!sum || sum->getLoop() != &m_loop || !sum->isAffine()) return false;
    auto* step = dyn_cast<SCEVConstant>(sum->getStepRecurrence(m_evolution));
    BasicBlock* before = m_loop.getLoopPreheader();
    PHINode* lane = m_loop.getCanonicalInductionVariable();
    if (!step || !before || !lane || !lane->getType()->isIntegerTy(64)) return false;
    const std::int64_t apart = step->getAPInt().getSExtValue();
    if (apart < -largest_step || apart > largest_step ||
        !m_expander.isSafeToExpandAt(sum->getStart(), before->getTerminator()))
      return false;
    IRBuilder<> outside(before->getTerminator());
    Value* start = outside.CreateSExt(
        m_expander.expandCodeFor(sum->getStart(), nullptr, before->getTerminator()), lane->getType());
    IRBuilder<> inside(&address);
    index =
        inside.CreateAdd(start, inside.CreateMul(lane, inside.getInt64(static_cast<std::uint64_t>(apart))));
    return true;
  }

private:
  /// A sum computed in 32 bits and then extended. InstCombine also writes it as the low half of a 64-bit sum.
  const SCEV* narrow_index(Value& index) {
    using namespace PatternMatch;
    Value* inner = nullptr;
    if (!index.getType()->isIntegerTy(64)) return nullptr;
    if (match(&index, m_ZExt(m_Value(inner))) && inner->getType()->isIntegerTy(32))
      return m_evolution.getSCEV(inner);
    if (match(&index, m_And(m_Value(inner), m_SpecificInt(0xffffffff))))
      return m_evolution.getTruncateExpr(m_evolution.getSCEV(inner), Type::getInt32Ty(index.getContext()));
    return nullptr;
  }

  Loop& m_loop;
  ScalarEvolution& m_evolution;
  SCEVExpander m_expander;
};

} // namespace

bool widen_local_indices(Function& group) {
  loop_facts facts(group);
  bool changed = false;
  for (Loop* loop : facts.loops.getLoopsInPreorder()) {
    if (!is_lane_loop(*loop) || !loop->isInnermost()) continue;
    SmallVector<GetElementPtrInst*> addresses;
    for (BasicBlock* block : loop->blocks())
      for (Instruction& instruction : *block) {
        auto* address = dyn_cast<GetElementPtrInst>(&instruction);
        const group_memory memory = address ? group_memory_of(*address) : group_memory::unknown;
        if (memory == group_memory::local || memory == group_memory::context_array)
          addresses.push_back(address);
      }
    widener each(*loop, facts.evolution, group.getParent()->getDataLayout());
    for (GetElementPtrInst* address : addresses) changed |= each.widen(*address);
  }
  return changed;
}

} // namespace prism::compiler
