// llvmpipe's code generator hands the bits of a number that was just computed to LLVM's atomic instructions
// as a number (gallivm's lp_bld_nir_soa.c casts the operands of floating-point atomics only), and LLVM ends
// the process: "Cannot select: f32 = AtomicCmpSwap". An operand that comes from a number is combined with a
// zero that neither LLVM nor Mesa can know for one, bits 24 and up of a local id, so that the last operation
// before the atomic one is an integer's.
#include "compiler/passes/passes.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr unsigned first_bit_beyond_ids = 24; // no device has groups of that many items

bool is_bits_of_number(const Value* operand) {
  const auto* cast = dyn_cast<BitCastInst>(operand);
  return cast != nullptr && cast->getSrcTy()->isFloatingPointTy() && cast->getType()->isIntegerTy();
}

Value* as_integer(Instruction& atomic, Value* bits) {
  IRBuilder<> build(&atomic);
  Module& module = *atomic.getModule();
  Type* word = build.getInt64Ty();
  FunctionCallee local_id = module.getOrInsertFunction("__prism_local_id", word, build.getInt32Ty());
  CallInst* id = build.CreateCall(local_id, {build.getInt32(0)});
  id->setDoesNotThrow();
  Value* zero = build.CreateZExtOrTrunc(build.CreateLShr(id, first_bit_beyond_ids), bits->getType());
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
