#include "compiler/host/lane_functions.hpp"

#include "compiler/device_ir/intrinsics.hpp"
#include "compiler/passes/builtins.hpp"
#include "compiler/support/math_table.hpp"
#include "compiler/workgroup/lanes.hpp"
#include "compiler/workgroup/work_group.hpp"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr StringLiteral variants = "vector-function-abi-variant", masked_prefix = "__prism_rare_",
                        lane_prefix = "__prism_lane_";
constexpr unsigned widths[] = {2, 4, 8, 16, 32, 64};
/// A body has about 60 instructions, and a loop has up to three copies.
constexpr unsigned most_in_a_loop = 32;

/// The libm name of the function that is called; empty if it is none.
std::string libm_name_of(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  Type* type = call.getType();
  if (!callee || !callee->isDeclaration() || (!type->isFloatTy() && !type->isDoubleTy())) return "";
  if (!callee->isIntrinsic()) return find_math(callee->getName()) ? callee->getName().str() : "";
  const StringRef name = libm_name(callee->getIntrinsicID());
  return name.empty() || type->isDoubleTy() ? name.str() : name.str() + "f";
}

/// The name of the form for loops over work-items; empty if there is none.
std::string lane_function_of(const CallBase& call) {
  if (is_rare_call(call)) return "";
  const std::string libm = libm_name_of(call);
  return libm.empty() ? "" : lane_function(call.getContext(), libm);
}

/// Declares __prism_rare_<name>.<lanes>, which takes a mask, for each number of lanes, and names them in an
/// attribute of the call.
void declare_vectors(CallBase& call) {
  Module& module = *call.getModule();
  LLVMContext& context = module.getContext();
  const StringRef name = call.getCalledFunction()->getName();
  std::string mangled;
  for (unsigned lanes : widths) {
    const std::string masked = (masked_prefix + name + "." + Twine(lanes)).str();
    Type* numbers = FixedVectorType::get(call.getType(), lanes);
    SmallVector<Type*> parameters(call.arg_size(), numbers);
    parameters.push_back(FixedVectorType::get(Type::getInt1Ty(context), lanes));
    auto* function = cast<Function>(
        module.getOrInsertFunction(masked, FunctionType::get(numbers, parameters, false)).getCallee());
    function->setDoesNotAccessMemory();
    function->setDoesNotThrow();
    function->setWillReturn();
    mangled += (Twine(mangled.empty() ? "" : ",") + "_ZGV_LLVM_M" + Twine(lanes) +
                std::string(call.arg_size(), 'v') + "_" + name + "(" + masked + ")")
                   .str();
  }
  call.removeFnAttr(Attribute::NoBuiltin);
  call.addFnAttr(Attribute::get(context, variants, mangled));
}

SmallVector<CallInst*> calls_in_loops(Function& function) {
  if (none_of(instructions(function), [](const Instruction& each) {
    auto* call = dyn_cast<CallInst>(&each);
    return call && !lane_function_of(*call).empty();
  }))
    return {};
  SmallVector<CallInst*> found;
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  for (const Loop* loop : loops.getLoopsInPreorder()) {
    if (!is_lane_loop(*loop) || !may_become_vectors(*loop)) continue;
    SmallVector<CallInst*> calls;
    for (BasicBlock* block : loop->blocks())
      for (Instruction& instruction : *block)
        if (auto* call = dyn_cast<CallInst>(&instruction); call && !lane_function_of(*call).empty())
          calls.push_back(call);
    if (calls.size() <= most_in_a_loop) found.append(calls);
  }
  return found;
}

/// For each lane of the mask: the function of the mathematical library.
void resolve(CallInst& call) {
  Function& masked = *call.getCalledFunction();
  StringRef name = masked.getName();
  name.consume_front(masked_prefix);
  name = name.rsplit('.').first;
  const unsigned lanes = cast<FixedVectorType>(call.getType())->getNumElements();
  const unsigned operands = call.arg_size() - 1;
  Type* number = call.getType()->getScalarType();
  LLVMContext& context = call.getContext();
  FunctionCallee scalar = masked.getParent()->getOrInsertFunction(
      name, FunctionType::get(number, SmallVector<Type*>(operands, number), false));

  Value* mask = call.getArgOperand(operands);
  IRBuilder<> build(&call);
  Value* any = build.CreateIsNotNull(build.CreateBitCast(mask, build.getIntNTy(lanes)));
  BasicBlock* before = call.getParent();
  Instruction* end = SplitBlockAndInsertIfThen(any, call.getIterator(), false,
                                               MDBuilder(context).createUnlikelyBranchWeights());
  BasicBlock* enter = end->getParent();
  BasicBlock* after = call.getParent();
  Function* function = before->getParent();
  auto* next_lane = BasicBlock::Create(context, "rare.lane", function, after);
  auto* compute = BasicBlock::Create(context, "rare.call", function, after);
  auto* latch = BasicBlock::Create(context, "rare.next", function, after);
  end->eraseFromParent();
  IRBuilder<>(enter).CreateBr(next_lane);

  build.SetInsertPoint(next_lane);
  PHINode* lane = build.CreatePHI(build.getInt32Ty(), 2);
  PHINode* so_far = build.CreatePHI(call.getType(), 2);
  lane->addIncoming(build.getInt32(0), enter);
  so_far->addIncoming(PoisonValue::get(call.getType()), enter);
  build.CreateCondBr(build.CreateExtractElement(mask, lane), compute, latch);

  build.SetInsertPoint(compute);
  SmallVector<Value*> arguments;
  for (unsigned i = 0; i < operands; ++i)
    arguments.push_back(build.CreateExtractElement(call.getArgOperand(i), lane));
  CallInst* result = build.CreateCall(scalar, arguments);
  result->setDebugLoc(call.getDebugLoc());
  result->setDoesNotAccessMemory();
  result->setDoesNotThrow();
  Value* inserted = build.CreateInsertElement(so_far, result, lane);
  build.CreateBr(latch);

  build.SetInsertPoint(latch);
  PHINode* chosen = build.CreatePHI(call.getType(), 2);
  chosen->addIncoming(so_far, next_lane);
  chosen->addIncoming(inserted, compute);
  Value* next = build.CreateAdd(lane, build.getInt32(1));
  lane->addIncoming(next, latch);
  so_far->addIncoming(chosen, latch);
  build.CreateCondBr(build.CreateICmpULT(next, build.getInt32(lanes)), next_lane, after);

  build.SetInsertPoint(after, after->begin());
  PHINode* all = build.CreatePHI(call.getType(), 2);
  all->addIncoming(PoisonValue::get(call.getType()), before);
  all->addIncoming(chosen, latch);
  call.replaceAllUsesWith(all);
  call.eraseFromParent();
}

} // namespace

bool calls_lane_function(const CallBase& call) { return !lane_function_of(call).empty(); }

void mark_lane_functions(Function& kernel) {
  for (Instruction& instruction : instructions(kernel))
    if (auto* call = dyn_cast<CallInst>(&instruction); call && calls_lane_function(*call))
      call->addFnAttr(Attribute::get(kernel.getContext(), vector_function_mark));
}

bool is_rare_call(const CallBase& call) { return call.getAttributes().hasFnAttr(variants); }

bool may_become_vectors(const Loop& loop) {
  if (!loop.isInnermost() || !loop.getLoopLatch() || loop.getExitingBlock() != loop.getLoopLatch())
    return false;
  return all_of(loop.blocks(), [](const BasicBlock* block) {
    return all_of(*block, [](const Instruction& each) {
      if (auto* call = dyn_cast<CallBase>(&each))
        return isa<IntrinsicInst>(each) || is_rare_call(*call) || calls_lane_function(*call);
      return !each.isAtomic() && !each.isVolatile();
    });
  });
}

void use_lane_functions(Module& host, ModuleAnalysisManager& analyses) {
  SmallVector<CallInst*> calls;
  SmallSetVector<Function*, 8> changed;
  for (Function& function : host) {
    if (function.isDeclaration() || function.hasOptNone() || function.hasOptSize()) continue;
    for (CallInst* call : calls_in_loops(function)) {
      calls.push_back(call);
      changed.insert(&function);
    }
  }
  if (calls.empty()) return;
  StringSet<> names;
  for (CallInst* call : calls) {
    const std::string name = lane_function_of(*call);
    names.insert(name);
    call->setCalledFunction(host.getOrInsertFunction(name, call->getFunctionType()));
  }
  link_declared(host, lane_prefix);
  for (CallInst* call : calls) {
    InlineFunctionInfo inlined;
    if (!InlineFunction(*call, inlined).isSuccess()) continue;
    for (CallBase* rare : inlined.InlinedCallSites)
      if (!isa<IntrinsicInst>(rare)) declare_vectors(*rare);
  }
  for (const auto& name : names)
    if (Function* body = host.getFunction(name.getKey()); body && body->use_empty()) body->eraseFromParent();
  auto& functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(host).getManager();
  for (Function* function : changed) {
    functions.invalidate(*function, PreservedAnalyses::none());
    functions.invalidate(*function, EarlyCSEPass().run(*function, functions));
    functions.invalidate(*function, InstCombinePass().run(*function, functions));
  }
}

void resolve_rare_calls(Module& host) {
  for (Function& function : make_early_inc_range(host)) {
    if (!function.isDeclaration()) continue;
    if (function.getName().starts_with(masked_prefix)) {
      for (User* user : make_early_inc_range(function.users())) resolve(*cast<CallInst>(user));
      function.eraseFromParent();
    } else if (find_math(function.getName())) {
      for (User* user : function.users())
        if (auto* call = dyn_cast<CallInst>(user)) call->removeFnAttr(variants);
    }
  }
}

} // namespace prism::compiler
