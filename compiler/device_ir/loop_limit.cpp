#include "compiler/device_ir/loop_limit.hpp"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

namespace prism::compiler {

using namespace llvm;

namespace {

constexpr std::uint64_t few = 60'000;

/// The highest number of iterations of all loops in one execution of `loop`; `few` if it is that or more.
std::uint64_t most_iterations(const Loop& loop, ScalarEvolution& evolution) {
  const std::uint64_t iterations = evolution.getSmallConstantMaxTripCount(&loop); // 0: unknown
  std::uint64_t each = loop.getNumBlocks();
  for (const Loop* inner : loop) each += most_iterations(*inner, evolution);
  return iterations == 0 || each >= few || iterations >= few ? few : std::min(few, iterations * each);
}

} // namespace

bool may_loop_long(Function& kernel) {
  DominatorTree dominators(kernel);
  LoopInfo loops(dominators);
  ReversePostOrderTraversal<const Function*> order(&kernel);
  if (containsIrreducibleCFG<const BasicBlock*>(order, loops)) return true;
  if (loops.empty()) return false;
  TargetLibraryInfoImpl library_functions{Triple(kernel.getParent()->getTargetTriple())};
  TargetLibraryInfo library(library_functions, &kernel);
  AssumptionCache assumptions(kernel);
  ScalarEvolution evolution(kernel, library, assumptions, dominators, loops);
  std::uint64_t sum = 0;
  for (const Loop* loop : loops) sum += most_iterations(*loop, evolution);
  return sum >= few;
}

void report_spent_loops(Function& kernel) {
  LLVMContext& context = kernel.getContext();
  Module& module = *kernel.getParent();
  const auto block = [&](const char* name) { return BasicBlock::Create(context, name, &kernel); };
  SmallVector<Instruction*, 8> ends;
  for (BasicBlock& each : kernel)
    if (isa<ReturnInst, UnreachableInst>(each.getTerminator())) ends.push_back(each.getTerminator());
  BasicBlock *ending = block("ending"), *begin = block("check_loops"), *loop = block("two_rounds");
  BasicBlock *judge = block("judge"), *report = block("report_fault"), *end = block("end");
  for (Instruction* each : ends) {
    BranchInst::Create(ending, each->getIterator());
    each->eraseFromParent();
  }
  IRBuilder<> at(ending);
  at.CreateCondBr(at.CreateCall(module.getOrInsertFunction(checks_loops_name, at.getInt1Ty())), begin, end);

  // 1, 3, 8: the last members of a sequence that no compiler predicts, because its start is unknown to it (no
  // address has its top bit set).
  at.SetInsertPoint(begin);
  Value* word = at.CreateCall(module.getOrInsertFunction(fault_name, at.getInt64Ty()));
  Value* first = at.CreateAdd(at.CreateTrunc(at.CreateLShr(word, 63), at.getInt32Ty()), at.getInt32(1));
  at.CreateBr(loop);

  at.SetInsertPoint(loop);
  PHINode* before = at.CreatePHI(at.getInt32Ty(), 2);
  Value* after = at.CreateXor(at.CreateMul(before, at.getInt32(3)), at.CreateLShr(before, 1));
  before->addIncoming(first, begin);
  before->addIncoming(after, loop);
  at.CreateCondBr(at.CreateICmpULT(after, at.getInt32(8)), loop, judge);

  at.SetInsertPoint(judge);
  at.CreateCondBr(at.CreateICmpNE(after, at.getInt32(8)), report, end);
  at.SetInsertPoint(report);
  at.CreateAlignedStore(at.getInt32(1), at.CreateIntToPtr(word, at.getPtrTy()), Align(4));
  at.CreateBr(end);
  at.SetInsertPoint(end);
  at.CreateRetVoid();
}

} // namespace prism::compiler
