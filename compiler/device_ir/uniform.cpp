#include "compiler/device_ir/uniform.hpp"

#include "compiler/device_ir/divergent_joins.hpp"
#include "compiler/device_ir/pointer_space.hpp"

#include <optional>

#include "llvm/ADT/GenericUniformityImpl.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace prism::compiler {
using namespace llvm;

namespace {

bool is_uniform_query(StringRef name, uniform_in scope) {
  for (StringRef known :
       {"__prism_group_id", "__prism_local_size", "__prism_group_count", "__prism_local_arena",
        "__prism_group_scratch", "__prism_sub_group_size", "__prism_sub_group_count",
        "__prism_sub_group_may_be_partial", "__prism_barrier", "__prism_fence", group_any_name})
    if (name == known) return true;
  if (scope == uniform_in::sub_group)
    for (StringRef known : {"__prism_sub_group_id", "__prism_sub_group_local_size",
                            "__prism_sub_group_ballot", "__prism_sub_group_barrier"})
      if (name == known) return true;
  return false;
}

/// Whether all work-items of a sub-group ask for the value of the same one.
bool reads_one_lane(const CallInst& call) {
  const Function* callee = call.getCalledFunction();
  return callee && callee->getName().starts_with("__prism_sub_group_shuffle_") &&
         isa<ConstantInt>(call.getArgOperand(1));
}

bool is_uniform_call(const CallInst& call, uniform_in scope) {
  return is_uniform_query(call.getCalledFunction()->getName(), scope) ||
         (scope == uniform_in::sub_group && reads_one_lane(call));
}

bool differs(const Instruction& instruction, const pointer_spaces& spaces, uniform_in scope) {
  if (isa<AllocaInst>(instruction)) return true;
  if (auto* load = dyn_cast<LoadInst>(&instruction)) {
    if (auto* place = dyn_cast<CallInst>(getUnderlyingObject(load->getPointerOperand()));
        place && place->getCalledFunction() &&
        (place->getCalledFunction()->getName() == "__prism_value_of_group" ||
         (scope == uniform_in::sub_group &&
          place->getCalledFunction()->getName() == "__prism_value_of_sub_group")))
      return false;
    if (load->hasMetadata(LLVMContext::MD_invariant_load)) return false;
    const pointer_space space = spaces.of(load->getPointerOperand());
    return load->isVolatile() || (space != pointer_space::captured && space != pointer_space::constant);
  }
  if (auto* call = dyn_cast<CallInst>(&instruction)) {
    const Function* callee = call->getCalledFunction();
    return !callee || (callee->getName().starts_with("__prism_")
                           ? !is_uniform_call(*call, scope) && !call->doesNotAccessMemory()
                           : call->mayReadFromMemory());
  }
  return instruction.mayReadFromMemory();
}

bool is_own_id(const Instruction& instruction, uniform_in scope) {
  auto* call = dyn_cast<CallInst>(&instruction);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && (callee->getName() == "__prism_local_id" ||
                    (callee->getName().starts_with("__prism_sub_group_") && !is_uniform_call(*call, scope)));
}

/// Although each work-item passes another value.
bool is_always_uniform(const Value& value, uniform_in scope) {
  auto* call = dyn_cast<CallInst>(&value);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && scope == uniform_in::sub_group &&
         (reads_one_lane(*call) || callee->getName() == "__prism_sub_group_ballot");
}

/// Describes to LLVM's analysis a target whose work-items run in lockstep: which values differ between them.
class side_by_side : public TargetTransformInfoImplCRTPBase<side_by_side> {
  using base = TargetTransformInfoImplCRTPBase<side_by_side>;

public:
  side_by_side(const DataLayout& layout, const pointer_spaces& spaces, uniform_in scope)
      : base(layout), m_spaces(&spaces), m_scope(scope) {}
#if LLVM_VERSION_MAJOR >= 22
  bool hasBranchDivergence(const Function* = nullptr) const override { return true; }
  InstructionUniformity getInstructionUniformity(const Value* value) const override {
    if (isAlwaysUniform(value)) return InstructionUniformity::AlwaysUniform;
    return isSourceOfDivergence(value) ? InstructionUniformity::NeverUniform : InstructionUniformity::Default;
  }
#else
  bool hasBranchDivergence(const Function* = nullptr) const { return true; }
#endif
  bool isAlwaysUniform(const Value* value) const { return is_always_uniform(*value, m_scope); }
  bool isSourceOfDivergence(const Value* value) const {
    auto* instruction = dyn_cast<Instruction>(value);
    return instruction && (is_own_id(*instruction, m_scope) || differs(*instruction, *m_spaces, m_scope));
  }

private:
  const pointer_spaces* m_spaces;
  uniform_in m_scope;
};

TargetTransformInfo target_of(Function& kernel, const pointer_spaces& spaces, uniform_in scope) {
  side_by_side target(kernel.getParent()->getDataLayout(), spaces, scope);
#if LLVM_VERSION_MAJOR >= 22
  return TargetTransformInfo(std::make_unique<side_by_side>(std::move(target)));
#else
  return TargetTransformInfo(std::move(target));
#endif
}

} // namespace

struct uniform_values::analysis {
  analysis(Function& kernel, uniform_in scope)
      : spaces(kernel), dominators(kernel), target(target_of(kernel, spaces, scope)) {
    cycles.compute(kernel);
    facts = std::make_unique<UniformityInfo>(dominators, cycles, &target);
    facts->compute();
    more = find_more_divergence(kernel, cycles, {[&](const Value& value) {
      return facts->isDivergent(&value);
    }, [&](const BasicBlock& block) {
      return facts->hasDivergentTerminator(block);
    }, [&](const Value& value) { return is_always_uniform(value, scope); }});
  }
  pointer_spaces spaces;
  DominatorTree dominators;
  CycleInfo cycles;
  TargetTransformInfo target;
  std::unique_ptr<UniformityInfo> facts;
  more_divergence more;
  std::optional<PostDominatorTree> ends; // once something asks for it
};

CallInst* call_group_any(IRBuilderBase& build, Value* passes) {
  FunctionCallee callee = build.GetInsertBlock()->getModule()->getOrInsertFunction(
      group_any_name, FunctionType::get(build.getInt32Ty(), {build.getInt1Ty()}, false));
  cast<Function>(callee.getCallee())->addFnAttr(Attribute::Convergent);
  return build.CreateCall(callee, {passes});
}

CallInst* call_asks_group(IRBuilderBase& build, Value* whole) {
  FunctionCallee callee = build.GetInsertBlock()->getModule()->getOrInsertFunction(
      asks_group_name, FunctionType::get(build.getInt1Ty(), {build.getInt1Ty()}, false));
  auto* function = cast<Function>(callee.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setSpeculatable();
  return build.CreateCall(callee, {whole});
}

bool answer_may_be_partial(Function& kernel, bool runs_group) {
  SmallVector<CallInst*> calls;
  for (Instruction& each : instructions(kernel))
    if (auto* call = dyn_cast<CallInst>(&each);
        call && call->getCalledFunction() &&
        call->getCalledFunction()->getName() == "__prism_sub_group_may_be_partial")
      calls.push_back(call);
  if (calls.empty()) return false;
  DenseSet<BasicBlock*> passed;
  if (runs_group) passed = uniform_values(kernel, uniform_in::sub_group).passed_by_some(kernel);
  for (CallInst* call : calls) {
    call->replaceAllUsesWith(ConstantInt::getBool(call->getContext(), passed.contains(call->getParent())));
    call->eraseFromParent();
  }
  return true;
}

uniform_values::uniform_values(const Function& kernel, uniform_in scope)
    : m_analysis(std::make_unique<analysis>(const_cast<Function&>(kernel), scope)) {}
uniform_values::~uniform_values() = default;

bool uniform_values::is_uniform(const Instruction& value) const {
  const more_divergence& more = m_analysis->more;
  if (m_analysis->facts->isDivergent(static_cast<const Value*>(&value)) || more.values.contains(&value) ||
      more.behind_loops.contains(&value))
    return false;
  return none_of(value.uses(), [&](const Use& use) { return m_analysis->facts->isDivergentUse(use); });
}

DenseSet<BasicBlock*> uniform_values::passed_by_some(Function& kernel) const {
  DenseSet<BasicBlock*> found;
  for (BasicBlock& block : kernel)
    if (!branches_uniformly(block)) {
      const DenseSet<BasicBlock*> more = passed_by_some(block);
      found.insert(more.begin(), more.end());
    }
  return found;
}

DenseSet<BasicBlock*> uniform_values::passed_by_some(BasicBlock& branch) const {
  std::optional<PostDominatorTree>& ends = m_analysis->ends;
  if (!ends) ends.emplace(*branch.getParent());
  const auto* node = ends->getNode(&branch);
  const auto* meeting = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  SmallVector<BasicBlock*> work(successors(&branch));
  DenseSet<BasicBlock*> seen;
  while (!work.empty()) {
    BasicBlock* each = work.pop_back_val();
    if (each != meeting && seen.insert(each).second) append_range(work, successors(each));
  }
  return seen;
}

ArrayRef<const BasicBlock*> uniform_values::meetings_of(const BasicBlock& branch) const {
  const auto found = m_analysis->more.meetings.find(&branch);
  return found == m_analysis->more.meetings.end() ? ArrayRef<const BasicBlock*>() : found->second;
}

bool uniform_values::branches_uniformly(const BasicBlock& block) const {
  return block.getTerminator()->getNumSuccessors() < 2 ||
         (!m_analysis->facts->hasDivergentTerminator(block) && !m_analysis->more.branches.contains(&block));
}

} // namespace prism::compiler
