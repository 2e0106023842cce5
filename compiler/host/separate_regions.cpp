#include "compiler/host/separate_regions.hpp"

#include "compiler/workgroup/lanes.hpp"
#include "compiler/workgroup/work_group.hpp"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"
#include "llvm/Transforms/Utils/Local.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr unsigned most_effort = 24; // operations to compute a value again

unsigned lane_loops_in(const Loop& loop) {
  unsigned count = loop.isInnermost() || is_lane_loop(loop) ? is_lane_loop(loop) : 0;
  if (count == 0)
    for (const Loop* inner : loop.getSubLoops()) count += lane_loops_in(*inner);
  return count;
}

/// The largest loops that contain one loop over work-items each: the loops of a group of several dimensions.
void find_regions(Loop& loop, SmallVectorImpl<Loop*>& found) {
  const unsigned count = lane_loops_in(loop);
  if (count == 1 && loop.getLoopPreheader()) found.push_back(&loop);
  else if (count != 0)
    for (Loop* inner : loop.getSubLoops()) find_regions(*inner, found);
}

/// Whether the value follows from arguments and addresses of variables by a few operations that do not depend
/// on when they happen.
bool can_compute_again(const Value& value, SmallPtrSetImpl<const Value*>& seen, unsigned& effort) {
  if (isa<Constant, Argument, AllocaInst>(value) || !seen.insert(&value).second) return true;
  auto* instruction = dyn_cast<Instruction>(&value);
  if (!instruction || ++effort > most_effort) return false;
  if (isa<LoadInst>(instruction)
          ? !instruction->hasMetadata(LLVMContext::MD_invariant_load)
          : !isa<BinaryOperator, CastInst, CmpInst, SelectInst, GetElementPtrInst>(instruction))
    return false;
  return all_of(instruction->operands(),
                [&](const Use& operand) { return can_compute_again(*operand.get(), seen, effort); });
}

Value* compute_again(Value& value, Instruction& before, DenseMap<Value*, Value*>& known) {
  auto* instruction = dyn_cast<Instruction>(&value);
  if (!instruction || isa<AllocaInst>(instruction)) return &value;
  if (Value* made = known.lookup(&value)) return made;
  Instruction* made = instruction->clone();
  for (Use& operand : made->operands()) operand = compute_again(*operand.get(), before, known);
  made->insertBefore(before.getIterator());
  return known[&value] = made;
}

/// Values that the blocks take from outside are computed again in the first of them, where that is cheap.
void compute_inputs_again(ArrayRef<BasicBlock*> blocks) {
  Instruction& before = *blocks.front()->getTerminator();
  const SmallPtrSet<const BasicBlock*, 16> inside(blocks.begin(), blocks.end());
  DenseMap<Value*, Value*> known;
  SmallVector<WeakTrackingVH> replaced; // their uses would keep private arrays in the group's function
  for (BasicBlock* block : drop_begin(blocks))
    for (Instruction& instruction : *block)
      for (Use& operand : instruction.operands()) {
        auto* value = dyn_cast<Instruction>(operand.get());
        if (!value || inside.contains(value->getParent())) continue;
        SmallPtrSet<const Value*, 32> seen;
        unsigned effort = 0;
        if (isa<AllocaInst>(value) || !can_compute_again(*value, seen, effort)) continue;
        operand = compute_again(*value, before, known);
        replaced.emplace_back(value);
      }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
}

/// A private array that only this function uses becomes its own, so that LLVM can keep it in registers.
void take_private_arrays(CallInst& call, Function& region) {
  for (unsigned i = 2; i < call.arg_size(); ++i) {
    Argument& parameter = *region.getArg(i);
    if (!parameter.getType()->isPointerTy()) continue;
    SmallVector<const Value*> objects;
    getUnderlyingObjects(call.getArgOperand(i), objects, nullptr, 0);
    if (any_of(objects, [](const Value* object) { return isa<AllocaInst>(object); }))
      parameter.addAttr(Attribute::get(region.getContext(), on_callers_stack));
    auto* variable = dyn_cast<AllocaInst>(call.getArgOperand(i));
    if (!variable || !variable->hasOneUse() || !variable->hasMetadata(private_array_mark)) continue;
    Instruction* own = variable->clone();
    own->insertInto(&region.getEntryBlock(), region.getEntryBlock().begin());
    parameter.replaceAllUsesWith(own);
    call.setArgOperand(i, PoisonValue::get(variable->getType()));
    variable->eraseFromParent();
  }
}

/// Null if LLVM cannot move these blocks.
Function* separate(Function& group, ArrayRef<BasicBlock*> blocks, const CodeExtractorAnalysisCache& known) {
  compute_inputs_again(blocks);
  // The first uses decide the order of the parameters.
  IRBuilder<> build(blocks.front(), blocks.front()->begin());
  auto* context = cast<Instruction>(build.CreateFreeze(group.getArg(1)));
  build.SetInsertPoint(context);
  build.CreateFreeze(group.getArg(0));
  CodeExtractor extractor(blocks, nullptr, false, nullptr, nullptr, nullptr, false, false,
                          &group.getEntryBlock(), "region");
  Function* region = extractor.isEligible() ? extractor.extractCodeRegion(known) : nullptr;
  if (!region) return nullptr;
  for (unsigned i : {0, 1})
    for (const Attribute& attribute : group.getAttributes().getParamAttrs(i))
      region->addParamAttr(i, attribute);
  for (Argument* argument : {region->getArg(0), region->getArg(1)})
    for (User* user : make_early_inc_range(argument->users()))
      if (isa<FreezeInst>(user)) cast<Instruction>(user)->eraseFromParent();
  region->addFnAttr(separate_region);
  return region;
}

} // namespace

std::vector<Function*> separate_regions(Function& group) {
  DominatorTree dominators(group);
  LoopInfo loops(dominators);
  unsigned count = 0;
  SmallVector<Loop*> regions;
  for (Loop* loop : loops) {
    count += lane_loops_in(*loop);
    find_regions(*loop, regions);
  }
  if (count <= many_lane_loops) return {};
  SmallVector<SmallVector<BasicBlock*>> blocks;
  for (Loop* loop : regions) {
    blocks.emplace_back().assign(loop->block_begin(), loop->block_end());
    BasicBlock* before = loop->getLoopPreheader();
    blocks.back().insert(blocks.back().begin(), SplitBlock(before, before->getTerminator()));
  }
  const CodeExtractorAnalysisCache known(group);
  std::vector<Function*> made;
  for (const auto& each : blocks)
    if (Function* region = separate(group, each, known)) made.push_back(region);
  // `known` lists the variables of the stack, so they stay in place until here.
  for (Function* region : made) take_private_arrays(*cast<CallInst>(region->user_back()), *region);
  return made;
}

} // namespace prism::compiler
