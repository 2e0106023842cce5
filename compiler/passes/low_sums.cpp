// Sums of which only the low half is used: `int k = y * 1024 + x` with x below 1024.
//
// LLVM computes them in 64 bits, as `(y << 10) | x`, because the low halves of the two have no common bits.
// Of the wide values it no longer knows that, so neither scalar evolution here nor the compilers behind
// OpenCL C recognise adjacent elements, and they gather and scatter. In the low half a sum is the same.
#include "compiler/passes/passes.hpp"
#include "llvm/Analysis/DomConditionCache.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

namespace prism::compiler {
using namespace llvm;
using namespace PatternMatch;

namespace {

constexpr unsigned half = 32;

bool uses_low_half(const User* user) {
  const APInt* mask = nullptr;
  if (match(user, m_And(m_Value(), m_LowBitMask(mask)))) return mask->getActiveBits() <= half;
  return isa<TruncInst>(user) && user->getType()->getIntegerBitWidth() <= half;
}

class low_halves {
public:
  explicit low_halves(Function& kernel) : m_tree(kernel), m_layout(kernel.getParent()->getDataLayout()) {
    for (BasicBlock& block : kernel)
      if (auto* branch = dyn_cast<BranchInst>(block.getTerminator()); branch && branch->isConditional())
        m_conditions.registerBranch(branch);
  }

  /// Whether the low halves of both operands never have the same bit set.
  bool are_apart(const BinaryOperator& combined) const {
    const APInt left = zeros(combined.getOperand(0), combined),
                right = zeros(combined.getOperand(1), combined);
    return (left | right).isAllOnes();
  }

private:
  /// The bits of a value's low half that are zero at `at`. The branches before it compare the truncated
  /// value.
  APInt zeros(const Value* value, const Instruction& at) const {
    APInt found = known(value, at).Zero.trunc(half);
    for (const User* user : value->users())
      if (isa<TruncInst>(user) && user->getType()->isIntegerTy(half)) found |= known(user, at).Zero;
    return found;
  }
  KnownBits known(const Value* value, const Instruction& at) const {
    const SimplifyQuery query(m_layout, nullptr, &m_tree, nullptr, &at, true, true, &m_conditions);
#if LLVM_VERSION_MAJOR >= 21
    return computeKnownBits(value, query);
#else
    return computeKnownBits(value, 0, query);
#endif
  }

  DominatorTree m_tree;
  DomConditionCache m_conditions;
  const DataLayout& m_layout;
};

} // namespace

void restore_low_sums(Function& kernel) {
  SmallVector<BinaryOperator*> combined;
  for (Instruction& instruction : instructions(kernel))
    if (instruction.getOpcode() == Instruction::Or && instruction.getType()->isIntegerTy(64) &&
        !instruction.use_empty() && all_of(instruction.users(), uses_low_half))
      combined.push_back(cast<BinaryOperator>(&instruction));
  if (combined.empty()) return;
  const low_halves halves(kernel);
  for (BinaryOperator* each : combined) {
    if (!halves.are_apart(*each)) continue;
    IRBuilder<> build(each);
    each->replaceAllUsesWith(build.CreateAdd(each->getOperand(0), each->getOperand(1)));
    each->eraseFromParent();
  }
}

} // namespace prism::compiler
