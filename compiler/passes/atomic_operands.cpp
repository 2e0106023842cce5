// llvmpipe's code generator may pass a floating-point number, just computed, to one of LLVM's integer atomic
// instructions (gallivm's lp_bld_nir_soa.c casts the operands of floating-point atomics only). LLVM then ends
// the process: "Cannot select: f32 = AtomicCmpSwap". This pass combines an operand that derives from a
// floating-point number with a zero that neither LLVM nor Mesa can recognise, so that the last operation
// before the atomic one is an integer operation. The zero is a test whether the group's number is one that
// cannot occur. The local id would not do: Mesa knows the size of the groups, and in groups of one work-item
// the id is 0.
#include "compiler/passes/passes.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {
using namespace llvm;

namespace {

bool is_bits_of_number(const Value* operand) {
  const auto* cast = dyn_cast<BitCastInst>(operand);
  return cast != nullptr && cast->getSrcTy()->isFloatingPointTy() && cast->getType()->isIntegerTy();
}

Value* as_integer(Instruction& atomic, Value* bits) {
  IRBuilder<> build(&atomic);
  Module& module = *atomic.getModule();
  const auto ask = [&](StringRef what) {
    CallInst* call = build.CreateCall(
        module.getOrInsertFunction(what, build.getInt64Ty(), build.getInt32Ty()), {build.getInt32(0)});
    call->setDoesNotThrow();
    return call;
  };
  Value* beyond = build.CreateICmpUGE(ask("__prism_group_id"), ask("__prism_group_count"));
  Value* zero = build.CreateZExt(beyond, bits->getType());
  return build.CreateOr(bits, zero);
}

} // namespace

void keep_integer_operands(Function& kernel) {
  SmallVector<std::pair<Instruction*, unsigned>> found;
  for (Instruction& at : instructions(kernel))
    if (isa<AtomicRMWInst, AtomicCmpXchgInst>(at))
      for (unsigned i = 0; i < at.getNumOperands(); ++i)
        if (is_bits_of_number(at.getOperand(i))) found.push_back({&at, i});
  for (const auto& [atomic, i] : found) atomic->setOperand(i, as_integer(*atomic, atomic->getOperand(i)));
}

} // namespace prism::compiler
