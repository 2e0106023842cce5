#include "compiler/device_ir/constants.hpp"

#include "compiler/device_ir/captured.hpp"
#include "compiler/device_ir/pointer_space.hpp"
#include "devices/api/kernel_constants.hpp"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace prism::compiler {
using namespace llvm;

namespace {

bool is_in_slot(std::uint64_t begin, std::uint64_t end, const kernel_facts& facts) {
  return any_of(facts.slots, [&](const image::pointer_slot& slot) {
    return begin < slot.offset + 8 && slot.offset < end;
  });
}

/// The function rounds as IEEE 754 requires, in every implementation.
bool is_exact(const CallInst& call) {
  const auto* intrinsic = dyn_cast<IntrinsicInst>(&call);
  if (intrinsic == nullptr)
    return call.getCalledFunction() != nullptr &&
           call.getCalledFunction()->getName().starts_with("__prism_") &&
           !call.getCalledFunction()->getName().starts_with("__prism_native_");
  switch (intrinsic->getIntrinsicID()) {
    case Intrinsic::fabs:
    case Intrinsic::sqrt:
    case Intrinsic::floor:
    case Intrinsic::ceil:
    case Intrinsic::trunc:
    case Intrinsic::rint:
    case Intrinsic::fmuladd: return true;
    default: return false;
  }
}

bool makes_float_of_integer(const Instruction& at) {
  if (isa<SIToFPInst, UIToFPInst>(at)) return true;
  return isa<BitCastInst>(at) && at.getType()->isFloatingPointTy() &&
         at.getOperand(0)->getType()->isIntegerTy();
}

bool reads_constant_float(const Instruction& at, const pointer_spaces& spaces) {
  const auto* load = dyn_cast<LoadInst>(&at);
  return load != nullptr && load->getType()->isFloatingPointTy() &&
         spaces.of(load->getPointerOperand()) == pointer_space::constant;
}

/// True if the operand is a floating-point constant that the instruction merges, selects or stores.
bool passes_on(const Instruction& at, const Use& operand, const pointer_spaces& spaces) {
  if (!isa<ConstantFP>(operand.get())) return false;
  if (isa<PHINode, SelectInst>(at)) return true;
  const auto* store = dyn_cast<StoreInst>(&at);
  if (store == nullptr) return false;
  const pointer_space where = spaces.of(store->getPointerOperand());
  return where == pointer_space::private_ || where == pointer_space::local;
}

} // namespace

void find_constants(const Function& kernel, kernel_facts& facts) {
  const DataLayout& layout = kernel.getDataLayout();
  for (const Instruction& at : instructions(kernel)) {
    const auto* load = dyn_cast<LoadInst>(&at);
    if (load == nullptr || !load->hasMetadata(LLVMContext::MD_invariant_load) ||
        !load->getType()->isIntegerTy())
      continue;
    const unsigned bits = load->getType()->getIntegerBitWidth();
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) continue;
    const std::optional<std::uint64_t> offset = captured_offset(load->getPointerOperand(), kernel);
    const std::uint64_t bytes = layout.getTypeStoreSize(load->getType());
    if (!offset || *offset % bytes != 0 || *offset + bytes > facts.argument_bytes ||
        is_in_slot(*offset, *offset + bytes, facts))
      continue;
    const image::kernel_constant found{static_cast<std::uint32_t>(*offset),
                                       static_cast<std::uint32_t>(bytes)};
    if (!image::has_constant_spec_id(found)) continue;
    if (facts.constants.size() < image::most_kernel_constants && !is_contained(facts.constants, found))
      facts.constants.push_back(found);
  }
  llvm::sort(facts.constants, [](const auto& a, const auto& b) {
    return std::pair(a.offset, a.bytes) < std::pair(b.offset, b.bytes);
  });
}

bool computes_with_floats(const Function& kernel) {
  return any_of(instructions(kernel), [](const Instruction& at) {
    if (isa<FPTruncInst, FPExtInst, FPToSIInst, FPToUIInst>(at)) return true;
    if (isa<BinaryOperator>(at)) return at.getType()->isFloatingPointTy();
    if (auto* add = dyn_cast<AtomicRMWInst>(&at)) return add->getType()->isFloatingPointTy();
    return isa<CallInst>(at) && at.getType()->isFloatingPointTy();
  });
}

bool permits_contraction(const Instruction& instruction) {
  const auto* operation = dyn_cast<FPMathOperator>(&instruction);
  const auto* call = dyn_cast<IntrinsicInst>(&instruction);
  return (operation && operation->hasAllowContract()) ||
         (call && call->getIntrinsicID() == Intrinsic::fmuladd);
}

bool may_be_contracted(const Function& kernel) {
  return any_of(instructions(kernel), [](const Instruction& at) {
    if (auto* call = dyn_cast<IntrinsicInst>(&at); call && call->getIntrinsicID() == Intrinsic::fmuladd)
      return true;
    const auto* operation = dyn_cast<FPMathOperator>(&at);
    return operation != nullptr && !isa<PHINode, SelectInst>(at) && operation->getFastMathFlags().any();
  });
}

bool folds_functions(const Function& kernel) {
  const pointer_spaces spaces(kernel);
  bool may_be_known = false, is_inexact = false;
  for (const Instruction& at : instructions(kernel)) {
    if (auto* call = dyn_cast<CallInst>(&at); call && call->getType()->isFloatingPointTy())
      is_inexact |= !is_exact(*call);
    may_be_known |= makes_float_of_integer(at) || reads_constant_float(at, spaces);
    for (const Use& operand : at.operands()) may_be_known |= passes_on(at, operand, spaces);
  }
  return may_be_known && is_inexact;
}

namespace {

class hiding {
public:
  explicit hiding(Function& kernel) : m_kernel(kernel) {}

  /// The same bits, combined with the unseen zero at `place`.
  Value* of(Value* number, Instruction* place) {
    IRBuilder<> build(place);
    Type* type = number->getType();
    Type* bits = build.getIntNTy(type->getPrimitiveSizeInBits());
    Value* zero = build.CreateZExtOrTrunc(this->zero(), bits);
    return build.CreateBitCast(build.CreateXor(build.CreateBitCast(number, bits), zero), type);
  }

private:
  Value* zero() {
    if (m_zero == nullptr) {
      BasicBlock& entry = m_kernel.getEntryBlock();
      IRBuilder<> build(&entry,
                        find_if(entry, [](const Instruction& each) { return !isa<AllocaInst>(each); }));
      m_zero =
          build.CreateCall(m_kernel.getParent()->getOrInsertFunction(unseen_zero_name, build.getInt32Ty()));
    }
    return m_zero;
  }
  Function& m_kernel;
  Value* m_zero = nullptr;
};

/// All entries of a phi for one block must be the same value.
void hide_merged(PHINode& phi, hiding& hide) {
  DenseMap<BasicBlock*, Value*> hidden;
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    if (!isa<ConstantFP>(phi.getIncomingValue(i))) continue;
    Value*& value = hidden[phi.getIncomingBlock(i)];
    if (value == nullptr) value = hide.of(phi.getIncomingValue(i), phi.getIncomingBlock(i)->getTerminator());
    phi.setIncomingValue(i, value);
  }
}

} // namespace

void hide_constant_floats(Function& kernel) {
  SmallVector<Instruction*> made;
  SmallVector<Use*> passed;
  SmallVector<PHINode*> merged;
  {
    const pointer_spaces spaces(kernel);
    for (Instruction& at : instructions(kernel)) {
      if (makes_float_of_integer(at) || reads_constant_float(at, spaces)) made.push_back(&at);
      if (auto* phi = dyn_cast<PHINode>(&at)) {
        if (phi->getType()->isFloatingPointTy()) merged.push_back(phi);
        continue;
      }
      for (Use& operand : at.operands())
        if (passes_on(at, operand, spaces)) passed.push_back(&operand);
    }
  }
  hiding hide(kernel);
  for (Use* operand : passed) operand->set(hide.of(operand->get(), cast<Instruction>(operand->getUser())));
  for (PHINode* phi : merged) hide_merged(*phi, hide);
  for (Instruction* number : made) {
    SmallVector<Use*> uses;
    for (Use& use : number->uses()) uses.push_back(&use);
    Value* hidden = hide.of(number, number->getNextNode());
    for (Use* use : uses) use->set(hidden);
  }
}

} // namespace prism::compiler
