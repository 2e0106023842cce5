#include "compiler/passes/item_scopes.hpp"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr StringRef begin_mark = "__prism_items_begin", end_mark = "__prism_items_end";

void split_at_marks(Function& kernel) {
  SmallVector<Instruction*> begins, ends;
  for (Instruction& instruction : instructions(kernel)) {
    if (calls(instruction, begin_mark)) begins.push_back(&instruction);
    if (calls(instruction, end_mark)) ends.push_back(&instruction);
  }
  for (Instruction* begin : begins) begin->getParent()->splitBasicBlock(begin->getNextNode());
  for (Instruction* end : ends)
    if (end != &end->getParent()->front()) end->getParent()->splitBasicBlock(end);
}

/// Whether all uses of a value that work-items compute are in their scope.
bool stays(const Instruction& instruction, const item_scopes& scopes) {
  for (const Use& use : instruction.uses()) {
    auto* user = cast<Instruction>(use.getUser());
    if (scopes.of(*user) != item_scope::item) return false;
  }
  return true;
}

/// Calls without visible accesses to memory, although LLVM may not know that.
bool is_silent(const CallBase& call) {
  if (!call.mayReadOrWriteMemory() || call.onlyAccessesInaccessibleMemory()) return true;
  if (auto* intrinsic = dyn_cast<IntrinsicInst>(&call))
    return intrinsic->isAssumeLikeIntrinsic() || intrinsic->isLifetimeStartOrEnd() ||
           isa<DbgInfoIntrinsic>(intrinsic);
  const Function* callee = call.getCalledFunction();
  if (!callee) return false;
  for (StringRef name :
       {"__prism_items_begin", "__prism_items_end", "__prism_hierarchical", "__prism_private_memory",
        "__prism_group_variable", "__prism_fence", "__prism_barrier", "__prism_dimensions",
        "__prism_specialization_constant", "__prism_device_has", "__prism_order_varies"})
    if (callee->getName() == name) return true;
  return callee->getName().starts_with("__prism_reqd_");
}

/// Whether the call accesses only memory that its arguments point to, and stores none of its arguments.
bool only_accesses_arguments(const CallBase& call) {
  return call.onlyAccessesArgMemory() && !call.getType()->isPointerTy();
}

} // namespace

bool calls(const Instruction& instruction, StringRef name) {
  auto* call = dyn_cast<CallInst>(&instruction);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == name;
}

std::optional<item_scopes> item_scopes::find(Function& kernel) {
  split_at_marks(kernel);
  item_scopes scopes;
  SmallVector<BasicBlock*> open{&kernel.getEntryBlock()};
  scopes.set(kernel.getEntryBlock(), item_scope::group);
  while (!open.empty()) {
    BasicBlock* block = open.pop_back_val();
    item_scope scope = scopes.of(*block);
    for (const Instruction& instruction : *block) {
      const bool is_begin = calls(instruction, begin_mark); // an end mark begins its block
      if (is_begin && scope == item_scope::item) return std::nullopt;
      if (is_begin) scope = item_scope::item;
      if (scope == item_scope::item &&
          (isa<ReturnInst>(instruction) || calls(instruction, "__prism_barrier")))
        return std::nullopt;
    }
    for (BasicBlock* next : successors(block)) {
      const bool ends = calls(next->front(), end_mark);
      if (ends && scope == item_scope::group) return std::nullopt;
      const item_scope entered = ends ? item_scope::group : scope;
      const auto [known, is_new] = scopes.m_scopes.try_emplace(next, entered);
      if (!is_new && known->second != entered) return std::nullopt;
      if (is_new) open.push_back(next);
    }
  }
  for (const Instruction& instruction : instructions(kernel)) {
    if (!scopes.m_scopes.contains(instruction.getParent()))
      return std::nullopt; // unreachable; it should have been removed
    if (scopes.of(instruction) == item_scope::item && !stays(instruction, scopes)) return std::nullopt;
  }
  return scopes;
}

void for_each_access(const Instruction& instruction, function_ref<void(const memory_access&)> handle) {
  if (auto* load = dyn_cast<LoadInst>(&instruction))
    return handle({load->getPointerOperand(), true, !load->isSimple()});
  if (auto* store = dyn_cast<StoreInst>(&instruction))
    return handle({store->getPointerOperand(), !store->isSimple(), true});
  if (auto* atomic = dyn_cast<AtomicRMWInst>(&instruction))
    return handle({atomic->getPointerOperand(), true, true});
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return handle({exchange->getPointerOperand(), true, true});
  if (auto* memory = dyn_cast<MemIntrinsic>(&instruction)) {
    handle({memory->getRawDest(), false, true});
    if (auto* copy = dyn_cast<MemTransferInst>(memory)) handle({copy->getRawSource(), true, false});
    return;
  }
  auto* call = dyn_cast<CallBase>(&instruction);
  if (!call || is_silent(*call)) return;
  if (!only_accesses_arguments(*call)) return handle({nullptr, true, !call->onlyReadsMemory()});
  for (const Value* argument : call->args())
    if (argument->getType()->isPointerTy()) handle({argument, true, !call->onlyReadsMemory()});
}

SmallVector<const Value*, 4> bases_of(const Value* pointer) {
  if (!pointer) return {nullptr};
  SmallVector<const Value*, 4> found;
  getUnderlyingObjects(pointer, found, nullptr, 0);
  for (const Value*& base : found)
    if (!isa<AllocaInst>(base) && !isa<Argument>(base) && !isa<GlobalVariable>(base)) base = nullptr;
  return found;
}

bool escapes(const Value& variable, StringRef ignored) {
  SmallVector<const Value*> open{&variable};
  SmallPtrSet<const Value*, 8> seen;
  while (!open.empty()) {
    const Value* value = open.pop_back_val();
    if (!seen.insert(value).second) continue;
    for (const User* user : value->users()) {
      if (isa<GetElementPtrInst>(user) || isa<PHINode>(user) || isa<SelectInst>(user) ||
          isa<BitCastInst>(user))
        open.push_back(user);
      else if (isa<LoadInst>(user) || isa<ICmpInst>(user) || isa<MemIntrinsic>(user)) continue;
      else if (auto* store = dyn_cast<StoreInst>(user); store && store->getValueOperand() != value) continue;
      else if (auto* atomic = dyn_cast<AtomicRMWInst>(user); atomic && atomic->getValOperand() != value)
        continue;
      else if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(user);
               exchange && exchange->getPointerOperand() == value)
        continue;
      else if (auto* call = dyn_cast<CallBase>(user);
               call && (calls(*call, ignored) || only_accesses_arguments(*call) || is_silent(*call)))
        continue;
      else return true;
    }
  }
  return false;
}

} // namespace prism::compiler
