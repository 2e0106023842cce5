// __prism_matrix_unit, before the shared pipeline: the code of one form is removed before loops are unrolled,
// and the other images are the same as without matrix units.
#include "compiler/device_ir/matrix_kind.hpp"
#include "compiler/passes/passes.hpp"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {
using namespace llvm;

namespace {
constexpr const char* query_name = "__prism_matrix_unit";
}

bool asks_for_matrix_units(const Module& module) {
  const Function* query = module.getFunction(query_name);
  return query != nullptr && !query->use_empty();
}

void resolve_matrix_units(Module& module, bool has_units) {
  Function* query = module.getFunction(query_name);
  if (query == nullptr) return;
  for (User* user : make_early_inc_range(query->users()))
    if (auto* call = dyn_cast<CallInst>(user)) {
      call->replaceAllUsesWith(ConstantInt::getBool(call->getContext(), has_units));
      call->eraseFromParent();
    }
}

void unroll_matrix_loops(Function& kernel) {
  DominatorTree dominators(kernel);
  LoopInfo loops(dominators);
  for (Loop* loop : loops.getLoopsInPreorder()) {
    const bool has_matrices = any_of(loop->blocks(), [](const BasicBlock* block) {
      return any_of(*block, [](const Instruction& each) {
        const auto* call = dyn_cast<CallInst>(&each);
        return call != nullptr && call->getCalledFunction() != nullptr &&
               call->getCalledFunction()->getName().starts_with(matrix_call);
      });
    });
    if (!has_matrices) continue;
    LLVMContext& context = kernel.getContext();
    MDNode* const full = MDNode::get(context, MDString::get(context, "llvm.loop.unroll.full"));
    loop->setLoopID( // -fno-unroll-loops is about speed
        makePostTransformationMetadata(context, loop->getLoopID(), {"llvm.loop.unroll."}, {full}));
  }
}

} // namespace prism::compiler
