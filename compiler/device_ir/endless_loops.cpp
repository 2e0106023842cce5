#include "compiler/device_ir/endless_loops.hpp"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"

namespace prism::compiler {
using namespace llvm;

SmallVector<const BasicBlock*> endless_blocks(const Function& kernel) {
  SmallPtrSet<const BasicBlock*, 32> ending;
  SmallVector<const BasicBlock*> work;
  for (const BasicBlock& block : kernel)
    if (succ_empty(&block) && ending.insert(&block).second) work.push_back(&block);
  while (!work.empty())
    for (const BasicBlock* before : predecessors(work.pop_back_val()))
      if (ending.insert(before).second) work.push_back(before);
  SmallVector<const BasicBlock*> endless;
  for (const BasicBlock& block : kernel)
    if (!ending.contains(&block)) endless.push_back(&block);
  return endless;
}

bool drop_endless_loops(Function& kernel) {
  const auto found = endless_blocks(kernel);
  const SmallPtrSet<const BasicBlock*, 8> endless(found.begin(), found.end());
  if (endless.empty() || endless.contains(&kernel.getEntryBlock())) return false;
  BasicBlock* never = nullptr;
  for (BasicBlock& block : kernel) {
    if (endless.contains(&block)) continue;
    Instruction* end = block.getTerminator();
    for (unsigned i = 0; i < end->getNumSuccessors(); ++i) {
      BasicBlock* next = end->getSuccessor(i);
      if (!endless.contains(next)) continue;
      if (!never) {
        never = BasicBlock::Create(kernel.getContext(), "", &kernel);
        new UnreachableInst(kernel.getContext(), never);
      }
      next->removePredecessor(&block, true);
      end->setSuccessor(i, never);
    }
  }
  removeUnreachableBlocks(kernel);
  return true;
}

} // namespace prism::compiler
