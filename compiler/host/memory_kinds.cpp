#include "compiler/host/memory_kinds.hpp"

#include "compiler/host/native.hpp"
#include "compiler/workgroup/work_group.hpp"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

namespace prism::compiler {
using namespace llvm;

namespace {

group_memory memory_of_object(const Value& object) {
  if (auto* call = dyn_cast<CallInst>(&object)) {
    const Function* callee = call->getCalledFunction();
    const StringRef name = callee ? callee->getName() : StringRef();
    if (name == context_memory_name) return group_memory::context_array;
    return name == "__prism_local_arena" || name == "__prism_group_scratch" ? group_memory::local
                                                                            : group_memory::unknown;
  }
  auto* load = dyn_cast<LoadInst>(&object);
  if (!load) return group_memory::unknown;
  APInt offset(64, 0);
  auto* block = dyn_cast<Argument>(
      load->getPointerOperand()->stripAndAccumulateConstantOffsets(load->getDataLayout(), offset, true));
  if (!block) return group_memory::unknown;
  if (block->getArgNo() == 0) return group_memory::captured;
  if (block->getArgNo() > 1) return group_memory::unknown; // of a separate region
  if (offset == context_layout::context_memory) return group_memory::context_array;
  return offset == context_layout::arena ? group_memory::local : group_memory::unknown;
}

void exchange_plainly(AtomicCmpXchgInst& exchange) {
  IRBuilder<> build(&exchange);
  Value *pointer = exchange.getPointerOperand(), *expected = exchange.getCompareOperand();
  LoadInst* found = build.CreateAlignedLoad(expected->getType(), pointer, exchange.getAlign());
  Value* is_equal = build.CreateICmpEQ(found, expected);
  build.CreateAlignedStore(build.CreateSelect(is_equal, exchange.getNewValOperand(), found), pointer,
                           exchange.getAlign());
  for (User* user : make_early_inc_range(exchange.users())) { // emitters of text have no pairs
    auto* part = dyn_cast<ExtractValueInst>(user);
    if (!part) continue;
    part->replaceAllUsesWith(part->getIndices()[0] == 0 ? static_cast<Value*>(found) : is_equal);
    part->eraseFromParent();
  }
  if (!exchange.use_empty())
    exchange.replaceAllUsesWith(build.CreateInsertValue(
        build.CreateInsertValue(PoisonValue::get(exchange.getType()), found, 0), is_equal, 1));
  exchange.eraseFromParent();
}

} // namespace

group_memory group_memory_of(const Value& pointer) {
  SmallVector<const Value*> objects;
  getUnderlyingObjects(&pointer, objects, nullptr, 0);
  if (objects.empty()) return group_memory::unknown;
  const group_memory first = memory_of_object(*objects.front());
  return all_of(objects, [&](const Value* each) { return memory_of_object(*each) == first; })
             ? first
             : group_memory::unknown;
}

void make_local_atomics_plain(Function& group) {
  SmallVector<Instruction*> all;
  for (Instruction& instruction : instructions(group)) {
    if (!instruction.isAtomic() || instruction.isVolatile()) continue;
    const Value* pointer = getLoadStorePointerOperand(&instruction);
    if (auto* change = dyn_cast<AtomicRMWInst>(&instruction)) pointer = change->getPointerOperand();
    if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) pointer = exchange->getPointerOperand();
    if (pointer && group_memory_of(*pointer) == group_memory::local) all.push_back(&instruction);
  }
  for (Instruction* each : all) {
    if (auto* load = dyn_cast<LoadInst>(each)) load->setAtomic(AtomicOrdering::NotAtomic);
    else if (auto* store = dyn_cast<StoreInst>(each)) store->setAtomic(AtomicOrdering::NotAtomic);
    else if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(each)) exchange_plainly(*exchange);
    else lowerAtomicRMWInst(cast<AtomicRMWInst>(each));
  }
}

} // namespace prism::compiler
