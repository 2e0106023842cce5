#include "compiler/workgroup/narrow_counters.hpp"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

namespace prism::compiler {
using namespace llvm;
using namespace PatternMatch;

namespace {

/// How an operation uses the low half of its operand.
enum class low_half { whole, truncated, shifted_up, masked };

low_half use_of(const User& user) {
  if (isa<TruncInst>(user) && user.getType()->getIntegerBitWidth() <= 32) return low_half::truncated;
  if (match(&user, m_And(m_Value(), m_SpecificInt(0xffffffff)))) return low_half::masked;
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
        replace(instruction, without_sign);
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
  if (!wide.empty()) erase_unused_halves(kernel);
  return !wide.empty();
}

} // namespace prism::compiler
