#include "compiler/workgroup/narrow_counters.hpp"

#include <optional>

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

namespace prism::compiler {
using namespace llvm;
using namespace PatternMatch;

namespace {

/// How an operation uses the low half of its operand.
enum class low_half { whole, truncated, shifted_up, masked };

/// The mask that keeps the lowest bits of an operand, at most 32 of them; LLVM clears fewer bits where it
/// knows some to be zero, as behind a comparison with a constant.
std::optional<std::uint64_t> mask_of(const User& user) {
  const APInt* mask = nullptr;
  if (!match(&user, m_And(m_Value(), m_LowBitMask(mask))) || mask->getActiveBits() > 32) return std::nullopt;
  return mask->getZExtValue();
}

low_half use_of(const User& user) {
  if (isa<TruncInst>(user) && user.getType()->getIntegerBitWidth() <= 32) return low_half::truncated;
  if (mask_of(user)) return low_half::masked;
  if (match(&user, m_Shl(m_Value(), m_SpecificInt(32)))) return low_half::shifted_up;
  return low_half::whole;
}

bool uses_low_half(const PHINode& phi) {
  return !phi.use_empty() &&
         all_of(phi.users(), [](const User* user) { return use_of(*user) != low_half::whole; });
}

/// Returns the low half of a 64-bit value, inserted directly after it, and makes all users of that half use
/// it. Computes it in 32 bits if the operations of `block` allow that. Erases nothing: callers refer to other
/// halves, even of the same value (the two operands of a square), and to insertion points after values.
Value* truncated(Value* value, const BasicBlock* block) {
  auto* instruction = dyn_cast<Instruction>(value);
  Value* inner;
  if (match(value, m_ZExtOrSExt(m_Value(inner))) && inner->getType()->isIntegerTy(32)) return inner;
  auto place = instruction ? instruction->getInsertionPointAfterDef() : std::nullopt;
  if (!place) { // a constant or an argument
    BasicBlock& entry = const_cast<Function*>(block->getParent())->getEntryBlock();
    IRBuilder<> build(&entry, entry.getFirstInsertionPt());
    return build.CreateTrunc(value, build.getInt32Ty());
  }
  IRBuilder<> build(instruction->getParent(), *place);
  Value* low = nullptr;
  auto* operation = dyn_cast<BinaryOperator>(instruction);
  if (operation && operation->getParent() == block &&
      is_contained({Instruction::Add, Instruction::Sub, Instruction::Mul}, operation->getOpcode())) {
    Value *left = truncated(operation->getOperand(0), block),
          *right = truncated(operation->getOperand(1), block);
    low = build.CreateBinOp(operation->getOpcode(), left, right);
  } else {
    low = build.CreateTrunc(value, build.getInt32Ty());
  }
  for (User* user : value->users())
    if (user != low && isa<TruncInst>(user) && user->getType() == low->getType())
      user->replaceAllUsesWith(low);
  return low;
}

/// Whether a branch that leads from `from` to the phi's block shows that the low half of a value is at most
/// `most`.
bool is_at_most(const Value& value, const BasicBlock& from, const PHINode& phi, std::uint64_t most) {
  const DataLayout& layout = phi.getModule()->getDataLayout();
  const auto* branch = dyn_cast<BranchInst>(from.getTerminator());
  const bool both = !branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1);
  return any_of(value.users(), [&](const User* half) {
    if (!isa<TruncInst>(half) || !half->getType()->isIntegerTy(32)) return false;
    const Value* bound = ConstantInt::get(half->getType(), most);
    const std::optional<bool> shown =
        both ? isImpliedByDomCondition(CmpInst::ICMP_ULE, half, bound, from.getTerminator(), layout)
             : isImpliedCondition(branch->getCondition(), CmpInst::ICMP_ULE, half, bound, layout,
                                  branch->getSuccessor(0) == phi.getParent());
    return shown.value_or(false);
  });
}

bool is_at_most(const PHINode& phi, std::uint64_t most) {
  return most == 0xffffffff || all_of(phi.blocks(), [&](const BasicBlock* from) {
    return is_at_most(*phi.getIncomingValueForBlock(from), *from, phi, most);
  });
}

void replace_uses(PHINode& phi, PHINode& narrow) {
  IRBuilder<> behind(phi.getParent(), phi.getParent()->getFirstInsertionPt());
  SmallVector<Instruction*> replaced; // erased at the end: the first of them may be where `behind` inserts
  const auto replace = [&](Instruction& old, Value* by) {
    old.replaceAllUsesWith(by);
    replaced.push_back(&old);
  };
  Value *with_sign = nullptr, *without_sign = nullptr;
  const SmallVector<User*> users(phi.users());
  for (User* user : users) {
    auto& instruction = cast<Instruction>(*user);
    switch (use_of(*user)) {
      case low_half::truncated:
        replace(instruction, behind.CreateTrunc(&narrow, instruction.getType()));
        break;
      case low_half::masked:
        if (!without_sign) without_sign = behind.CreateZExt(&narrow, phi.getType());
        replace(instruction, is_at_most(phi, *mask_of(*user))
                                 ? without_sign
                                 : behind.CreateAnd(without_sign, behind.getInt64(*mask_of(*user))));
        break;
      case low_half::shifted_up:
        if (!with_sign) with_sign = behind.CreateSExt(&narrow, phi.getType());
        for (User* shifted : instruction.users()) {
          ConstantInt* back = nullptr;
          if (!match(shifted, m_AShr(m_Specific(&instruction), m_ConstantInt(back))) ||
              back->getZExtValue() > 32)
            continue;
          const std::uint64_t left = 32 - back->getZExtValue();
          replace(cast<Instruction>(*shifted),
                  left ? behind.CreateShl(with_sign, left, "", false, true) : with_sign);
        }
        instruction.setOperand(0, with_sign);
        if (all_of(instruction.users(), [&](User* shifted) { return is_contained(replaced, shifted); }))
          replaced.push_back(&instruction);
        break;
      case low_half::whole: break;
    }
  }
  for (Instruction* old : replaced) old->eraseFromParent();
}

void erase_unused_halves(Function& kernel) {
  for (Instruction& instruction : make_early_inc_range(instructions(kernel)))
    if (isa<TruncInst>(instruction) && instruction.use_empty()) instruction.eraseFromParent();
}

} // namespace

bool narrow_counters(Function& kernel) {
  SmallVector<PHINode*> wide;
  for (Instruction& instruction : instructions(kernel))
    if (auto* phi = dyn_cast<PHINode>(&instruction);
        phi && phi->getType()->isIntegerTy(64) && uses_low_half(*phi))
      wide.push_back(phi);
  for (PHINode* phi : wide) {
    PHINode* narrow = PHINode::Create(Type::getInt32Ty(kernel.getContext()), phi->getNumIncomingValues(),
                                      phi->getName(), phi->getIterator());
    replace_uses(*phi, *narrow);
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      BasicBlock* from = phi->getIncomingBlock(i);
      const int known = narrow->getBasicBlockIndex(from); // two edges from one block have the same value
      narrow->addIncoming(
          known >= 0 ? narrow->getIncomingValue(known) : truncated(phi->getIncomingValue(i), from), from);
    }
    phi->eraseFromParent();
  }
  if (wide.empty()) return false;
  erase_unused_halves(kernel);
  for (BasicBlock& block : kernel) // a counter for each width in which the loop counted
    EliminateDuplicatePHINodes(&block);
  return true;
}

} // namespace prism::compiler
