#include "compiler/host/local_indices.hpp"

#include <optional>

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
    BasicBlock* before = m_loop.getLoopPreheader();
    PHINode* lane = m_loop.getCanonicalInductionVariable();
    const std::optional<narrow_sum> found = narrow_index(*index);
    if (!found || !before || !lane || !lane->getType()->isIntegerTy(64)) return false;
    auto* sum = dyn_cast<SCEVAddRecExpr>(found->sum);
    auto* step = sum && sum->getLoop() == &m_loop && sum->isAffine()
                     ? dyn_cast<SCEVConstant>(sum->getStepRecurrence(m_evolution))
                     : nullptr;
    if (!step || !m_expander.isSafeToExpandAt(sum->getStart(), before->getTerminator())) return false;
    std::int64_t apart = step->getAPInt().getSExtValue();
    if (found->in_high_half) {
      if (apart % high_half != 0) return false;
      apart /= high_half;
    }
    if (apart < -largest_step || apart > largest_step) return false;
    IRBuilder<> outside(before->getTerminator());
    Value* start = m_expander.expandCodeFor(sum->getStart(), nullptr, before->getTerminator());
    start = found->in_high_half ? outside.CreateAShr(start, 32) : outside.CreateSExt(start, lane->getType());
    IRBuilder<> inside(&address);
    Value* wide =
        inside.CreateAdd(start, inside.CreateMul(lane, inside.getInt64(static_cast<std::uint64_t>(apart))));
    index = found->shift == 0 ? wide : inside.CreateShl(wide, found->shift);
    return true;
  }

private:
  static constexpr std::int64_t high_half = std::int64_t(1) << 32;

  /// A sum computed in 32 bits, then extended to 64 and perhaps shifted to the left.
  struct narrow_sum {
    const SCEV* sum;
    bool in_high_half = false; // of a 64-bit sum, whose low half is zero
    std::uint64_t shift = 0;
  };

  /// InstCombine also writes an extended sum as the low half of a 64-bit sum, which it masks, or moves to the
  /// high half and back.
  std::optional<narrow_sum> narrow_index(Value& index) {
    using namespace PatternMatch;
    Value* inner = nullptr;
    std::uint64_t down = 0;
    if (!index.getType()->isIntegerTy(64)) return std::nullopt;
    if (match(&index, m_ZExtOrSExt(m_Value(inner))) && inner->getType()->isIntegerTy(32))
      return narrow_sum{m_evolution.getSCEV(inner)};
    if (match(&index, m_And(m_Value(inner), m_SpecificInt(0xffffffff))))
      return narrow_sum{
          m_evolution.getTruncateExpr(m_evolution.getSCEV(inner), Type::getInt32Ty(index.getContext()))};
    if (match(&index, m_AShr(m_Value(inner), m_ConstantInt(down))) && down > 0 && down <= 32 &&
        m_evolution.getMinTrailingZeros(m_evolution.getSCEV(inner)) >= 32)
      return narrow_sum{m_evolution.getSCEV(inner), true, 32 - down};
    return std::nullopt;
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
