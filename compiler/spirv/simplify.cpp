#include "compiler/spirv/simplify.hpp"

#include <optional>

#include "compiler/device_ir/atomic_loops.hpp"
#include "compiler/device_ir/pointer_space.hpp"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

namespace prism::compiler::spirv {

using namespace llvm;

namespace {

bool is_private(const Value* pointer) { return isa<AllocaInst>(getUnderlyingObject(pointer)); }

bool adds_floats(const AtomicRMWInst& rmw, const pointer_spaces& spaces) {
  return rmw.getOperation() == AtomicRMWInst::FAdd && rmw.getType()->isFloatTy() &&
         spaces.of(rmw.getPointerOperand()) == pointer_space::global;
}

} // namespace

void simplify(Function& kernel, bool float_adds) {
  std::optional<pointer_spaces> spaces;
  if (float_adds) spaces.emplace(kernel);
  SmallVector<AtomicRMWInst*, 8> expanded, private_ones;
  SmallVector<AtomicCmpXchgInst*, 4> private_exchanges;
  for (Instruction& instruction : instructions(kernel)) {
    if (auto* rmw = dyn_cast<AtomicRMWInst>(&instruction)) {
      if (is_private(rmw->getPointerOperand())) private_ones.push_back(rmw);
      else if (rmw->getOperation() != AtomicRMWInst::Xchg && !is_integer_operation(rmw->getOperation()) &&
               !(spaces && adds_floats(*rmw, *spaces)))
        expanded.push_back(rmw);
    } else if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
      if (is_private(exchange->getPointerOperand())) private_exchanges.push_back(exchange);
    }
  }
  for (AtomicRMWInst* rmw : private_ones) lowerAtomicRMWInst(rmw);
  for (AtomicCmpXchgInst* exchange : private_exchanges) lowerAtomicCmpXchgInst(exchange);
  for (AtomicRMWInst* rmw : expanded) expand_to_loop(*rmw);
}

} // namespace prism::compiler::spirv
