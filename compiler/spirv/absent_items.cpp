#include "compiler/spirv/absent_items.hpp"

#include "llvm/Analysis/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace prism::compiler::spirv {

using namespace llvm;

void keep_absent_items_out(Function& kernel) {
  SmallVector<std::pair<const BasicBlock*, const BasicBlock*>, 8> back_edges;
  FindFunctionBackedges(kernel, back_edges);
  if (back_edges.empty()) return;
  BasicBlock& entry = kernel.getEntryBlock();
  Instruction* first = &*entry.getFirstNonPHIOrDbgOrAlloca();
  SmallVector<Instruction*, 8> late;
  for (Instruction& one : make_range(first->getIterator(), entry.end()))
    if (isa<AllocaInst>(one)) late.push_back(&one);
  for (Instruction* one : late) one->moveBefore(entry, first->getIterator());
  BasicBlock* body = entry.splitBasicBlock(first, "present");
  BasicBlock* end = BasicBlock::Create(kernel.getContext(), "absent", &kernel);
  ReturnInst::Create(kernel.getContext(), nullptr, end);
  Instruction* jump = entry.getTerminator();
  IRBuilder<> at(jump);
  at.CreateCondBr(at.CreateCall(kernel.getParent()->getOrInsertFunction(is_present_name, at.getInt1Ty())),
                  body, end);
  jump->eraseFromParent();
}

} // namespace prism::compiler::spirv
