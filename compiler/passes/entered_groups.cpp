// A work-group that stands for several groups of a larger launch (__prism_enter_group): the queries of its
// loop's body answer from the arguments of the call, which private variables hold. Where the body has a
// barrier, the loop gets one more at its end, because the next iteration may write local memory that a slower
// work-item still reads.
#include <array>

#include "compiler/passes/hidden.hpp"
#include "compiler/passes/passes.hpp"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr StringRef enter_group_name = "__prism_enter_group", leave_group_name = "__prism_leave_group";
constexpr const char* group_query_names[] = {"__prism_group_id", "__prism_group_count", "__prism_extent"};
constexpr unsigned group_dimensions = 3;

bool calls_group_mark(const Instruction& instruction, StringRef name) {
  auto* call = dyn_cast<CallBase>(&instruction);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == name;
}

/// Whether a barrier stands between the call that enters a group and the one that leaves it.
bool waits_inside(CallInst& enter) {
  SmallPtrSet<const BasicBlock*, 16> seen;
  SmallVector<BasicBlock::iterator> open{std::next(enter.getIterator())};
  while (!open.empty()) {
    BasicBlock::iterator at = open.pop_back_val();
    BasicBlock* block = at->getParent();
    bool leaves = false;
    for (; at != block->end() && !leaves; ++at) {
      if (calls_group_mark(*at, "__prism_barrier") || calls_group_mark(*at, "__prism_sub_group_barrier"))
        return true;
      leaves = calls_group_mark(*at, leave_group_name);
    }
    if (leaves) continue;
    for (BasicBlock* next : successors(block))
      if (seen.insert(next).second) open.push_back(next->begin());
  }
  return false;
}

/// What the queries answer: the ids and the numbers of groups, one word for each dimension.
struct group_answers {
  AllocaInst *ids, *counts;

  static Value* word(IRBuilder<>& build, AllocaInst* words, Value* dimension) {
    return build.CreateInBoundsGEP(build.getInt64Ty(), words,
                                   build.CreateZExt(dimension, build.getInt64Ty()));
  }
  void store(IRBuilder<>& build, const std::array<Value*, 2 * group_dimensions>& values) const {
    for (unsigned d = 0; d < group_dimensions; ++d) {
      build.CreateStore(values[d], word(build, ids, build.getInt32(d)));
      build.CreateStore(values[group_dimensions + d], word(build, counts, build.getInt32(d)));
    }
  }
};

Value* ask_started_group(IRBuilder<>& build, Module& module, const char* name, Value* dimension) {
  FunctionCallee callee = module.getOrInsertFunction(name, build.getInt64Ty(), build.getInt32Ty());
  if (auto* function = dyn_cast<Function>(callee.getCallee())) {
    function->setDoesNotAccessMemory();
    function->setDoesNotThrow();
  }
  auto* call = build.CreateCall(callee, {dimension});
  call->setDoesNotAccessMemory();
  return call;
}

} // namespace

void order_group_queries(Module& module) {
  if (!module.getFunction(enter_group_name)) return;
  const MemoryEffects reads = MemoryEffects::inaccessibleMemOnly(ModRefInfo::Ref);
  for (const char* name : group_query_names) {
    Function* query = module.getFunction(name);
    if (!query) continue;
    query->setMemoryEffects(reads);
    for (User* user : query->users())
      if (auto* call = dyn_cast<CallBase>(user)) call->setMemoryEffects(reads);
  }
}

bool enters_groups(Function& kernel) { return !calls_of(kernel, enter_group_name).empty(); }

void lower_entered_groups(Function& kernel) {
  const SmallVector<CallInst*> enters = calls_of(kernel, enter_group_name),
                               leaves = calls_of(kernel, leave_group_name);
  if (enters.empty()) return;
  Module& module = *kernel.getParent();
  const bool waits = any_of(enters, [](CallInst* enter) { return waits_inside(*enter); });
  SmallVector<CallInst*> queries[std::size(group_query_names)];
  for (unsigned which = 0; which < std::size(group_query_names); ++which)
    queries[which] = calls_of(kernel, group_query_names[which]);
  IRBuilder<> build(&kernel.getEntryBlock(), kernel.getEntryBlock().getFirstInsertionPt());
  Type* const words = ArrayType::get(build.getInt64Ty(), group_dimensions);
  const group_answers variables{build.CreateAlloca(words), build.CreateAlloca(words)};
  std::array<Value*, 2 * group_dimensions> started;
  for (unsigned d = 0; d < group_dimensions; ++d) {
    started[d] = ask_started_group(build, module, "__prism_group_id", build.getInt32(d));
    started[group_dimensions + d] =
        ask_started_group(build, module, "__prism_group_count", build.getInt32(d));
  }
  variables.store(build, started);
  for (unsigned which = 0; which < std::size(group_query_names); ++which)
    for (CallInst* query : queries[which]) {
      build.SetInsertPoint(query);
      Value* const dimension = query->getArgOperand(0);
      const bool is_extent = StringRef(group_query_names[which]) == "__prism_extent";
      Value* answer = build.CreateLoad(
          build.getInt64Ty(),
          group_answers::word(build, which == 0 ? variables.ids : variables.counts, dimension));
      if (is_extent)
        answer = build.CreateMul(answer, ask_started_group(build, module, "__prism_local_size", dimension));
      query->replaceAllUsesWith(answer);
      query->eraseFromParent();
    }
  for (CallInst* enter : enters) {
    build.SetInsertPoint(enter);
    std::array<Value*, 2 * group_dimensions> entered;
    for (unsigned i = 0; i < entered.size(); ++i) entered[i] = enter->getArgOperand(i);
    variables.store(build, entered);
    enter->eraseFromParent();
  }
  for (CallInst* leave : leaves) {
    build.SetInsertPoint(leave);
    variables.store(build, started);
    if (waits) {
      FunctionCallee barrier =
          module.getOrInsertFunction("__prism_barrier", build.getVoidTy(), build.getInt32Ty());
      if (auto* function = dyn_cast<Function>(barrier.getCallee())) function->setConvergent();
      build.CreateCall(barrier, {build.getInt32(1)})->setConvergent();
    }
    leave->eraseFromParent();
  }
}

} // namespace prism::compiler
