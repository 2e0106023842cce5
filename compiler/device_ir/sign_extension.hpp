// Sign extensions that Mesa 22.3 (lavapipe, rusticl) computes wrongly: from 32 to 64 bits, where only the
// high half of the result matters, as in comparisons with constants and shifts to the right. It takes that
// half for 0. LLVM leaves no such form in one kernel, but a variable may hide it: a volatile one, or one
// between kernels that are fused. The emitters then write (zero_extended ^ sign) - sign.
#pragma once

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {

/// False for numbers in sums and products only, as indices are, which are right.
inline bool sign_may_be_lost(const llvm::CastInst& cast) {
  using namespace llvm;
  if (!isa<SExtInst>(cast) || !cast.getSrcTy()->isIntegerTy(32) || !cast.getDestTy()->isIntegerTy(64))
    return false;
  return !all_of(cast.users(), [](const User* user) {
    if (isa<GetElementPtrInst>(user)) return true;
    auto* sum = dyn_cast<BinaryOperator>(user);
    return sum && (sum->getOpcode() == Instruction::Add || sum->getOpcode() == Instruction::Sub ||
                   sum->getOpcode() == Instruction::Mul);
  });
}

} // namespace prism::compiler
