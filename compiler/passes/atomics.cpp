#include "compiler/passes/passes.hpp"
#include "compiler/device_ir/atomic_loops.hpp"
#include "compiler/device_ir/pointer_space.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr unsigned device_scope = 3;

Type* integer_of(Type* type, const DataLayout& layout) {
  return IntegerType::get(type->getContext(), layout.getTypeSizeInBits(type));
}

void load_as_integer(LoadInst& load, const DataLayout& layout) {
  IRBuilder<> build(&load);
  auto* fresh = build.CreateAlignedLoad(integer_of(load.getType(), layout), load.getPointerOperand(),
                                        load.getAlign(), load.isVolatile());
  fresh->setAtomic(load.getOrdering());
  load.replaceAllUsesWith(from_integer(build, fresh, load.getType()));
  load.eraseFromParent();
}

void store_as_integer(StoreInst& store, const DataLayout& layout) {
  IRBuilder<> build(&store);
  Value* value = store.getValueOperand();
  auto* fresh = build.CreateAlignedStore(to_integer(build, value, integer_of(value->getType(), layout)),
                                         store.getPointerOperand(), store.getAlign(), store.isVolatile());
  fresh->setAtomic(store.getOrdering());
  store.eraseFromParent();
}

void lower_operation(AtomicRMWInst& operation, const DataLayout& layout) {
  IRBuilder<> build(&operation);
  Type* type = operation.getType();
  switch (operation.getOperation()) {
    case AtomicRMWInst::Xchg: {
      if (type->isIntegerTy()) return;
      auto* fresh =
          build.CreateAtomicRMW(AtomicRMWInst::Xchg, operation.getPointerOperand(),
                                to_integer(build, operation.getValOperand(), integer_of(type, layout)),
                                operation.getAlign(), operation.getOrdering());
      operation.replaceAllUsesWith(from_integer(build, fresh, type));
      operation.eraseFromParent();
      return;
    }
    case AtomicRMWInst::FSub:
      operation.setOperand(1, build.CreateFNeg(operation.getValOperand()));
      operation.setOperation(AtomicRMWInst::FAdd);
      return;
    case AtomicRMWInst::FAdd:
      if (type->isFloatTy() || type->isDoubleTy()) return;
      return expand_to_loop(operation);
    default:
      if (!is_integer_operation(operation.getOperation())) expand_to_loop(operation);
  }
}

void make_plain(Instruction& instruction) {
  if (auto* load = dyn_cast<LoadInst>(&instruction)) load->setAtomic(AtomicOrdering::NotAtomic);
  else if (auto* store = dyn_cast<StoreInst>(&instruction)) store->setAtomic(AtomicOrdering::NotAtomic);
  else if (auto* operation = dyn_cast<AtomicRMWInst>(&instruction)) lowerAtomicRMWInst(operation);
  else if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) lowerAtomicCmpXchgInst(exchange);
}

unsigned order_number(AtomicOrdering order) {
  switch (order) {
    case AtomicOrdering::Acquire: return 1;
    case AtomicOrdering::Release: return 2;
    case AtomicOrdering::AcquireRelease: return 3;
    case AtomicOrdering::SequentiallyConsistent: return 4;
    default: return 0;
  }
}

void fence_to_call(FenceInst& fence) {
  IRBuilder<> build(&fence);
  if (fence.getSyncScopeID() != SyncScope::SingleThread) {
    Type* word = build.getInt32Ty();
    FunctionCallee callee =
        fence.getModule()->getOrInsertFunction("__prism_fence", build.getVoidTy(), word, word);
    build
        .CreateCall(callee, {build.getInt32(order_number(fence.getOrdering())), build.getInt32(device_scope)})
        ->setDoesNotThrow();
  }
  fence.eraseFromParent();
}

void exchange_as_integer(AtomicCmpXchgInst& exchange, const DataLayout& layout) {
  Type* type = exchange.getCompareOperand()->getType();
  if (type->isIntegerTy()) return;
  IRBuilder<> build(&exchange);
  Type* integer = integer_of(type, layout);
  auto* fresh = build.CreateAtomicCmpXchg(
      exchange.getPointerOperand(), to_integer(build, exchange.getCompareOperand(), integer),
      to_integer(build, exchange.getNewValOperand(), integer), exchange.getAlign(),
      exchange.getSuccessOrdering(), exchange.getFailureOrdering());
  Value* pair = PoisonValue::get(exchange.getType());
  pair = build.CreateInsertValue(pair, from_integer(build, build.CreateExtractValue(fresh, 0), type), 0);
  pair = build.CreateInsertValue(pair, build.CreateExtractValue(fresh, 1), 1);
  exchange.replaceAllUsesWith(pair);
  exchange.eraseFromParent();
}

} // namespace

void lower_atomics(Function& kernel) {
  const DataLayout& layout = kernel.getParent()->getDataLayout();
  SmallVector<Instruction*> atomics, fences;
  for (Instruction& instruction : instructions(kernel)) {
    if (isa<FenceInst>(instruction)) fences.push_back(&instruction);
    else if (instruction.isAtomic()) atomics.push_back(&instruction);
  }
  for (Instruction* fence : fences) fence_to_call(*cast<FenceInst>(fence));
  if (atomics.empty()) return;
  const pointer_spaces spaces(kernel);
  SmallPtrSet<Instruction*, 8> private_ones;
  for (Instruction* atomic : atomics)
    if (spaces.of(accessed_pointer(*atomic)) == pointer_space::private_) private_ones.insert(atomic);
  for (Instruction* atomic : atomics) {
    if (private_ones.contains(atomic)) make_plain(*atomic);
    else if (auto* load = dyn_cast<LoadInst>(atomic); load && !load->getType()->isIntegerTy())
      load_as_integer(*load, layout);
    else if (auto* store = dyn_cast<StoreInst>(atomic);
             store && !store->getValueOperand()->getType()->isIntegerTy())
      store_as_integer(*store, layout);
    else if (auto* operation = dyn_cast<AtomicRMWInst>(atomic)) lower_operation(*operation, layout);
    else if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(atomic)) exchange_as_integer(*exchange, layout);
  }
}

void resolve_fences(Function& kernel, target where) {
  for (Instruction& instruction : instructions(kernel)) {
    auto* call = dyn_cast<CallInst>(&instruction);
    if (!call || !call->getCalledFunction() || call->getCalledFunction()->getName() != "__prism_fence")
      continue;
    const unsigned strongest[] = {order_number(where == target::vulkan
                                                   ? AtomicOrdering::AcquireRelease
                                                   : AtomicOrdering::SequentiallyConsistent),
                                  device_scope};
    for (unsigned i = 0; i < 2; ++i)
      if (Value* argument = call->getArgOperand(i); !isa<ConstantInt>(argument))
        call->setArgOperand(i, ConstantInt::get(argument->getType(), strongest[i]));
  }
}

} // namespace prism::compiler
