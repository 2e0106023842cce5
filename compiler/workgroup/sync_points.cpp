#include "compiler/workgroup/sync_points.hpp"

#include "compiler/workgroup/loop_interchange.hpp"
#include "compiler/device_ir/uniform.hpp"

#include <optional>

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace prism::compiler {
using namespace llvm;

namespace {

std::optional<sync_kind> kind_of(const Instruction& instruction) {
  auto* call = dyn_cast<CallInst>(&instruction);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  if (!callee) return std::nullopt;
  const StringRef name = callee->getName();
  if (name == "__prism_barrier") return sync_kind::barrier;
  if (name == group_any_name) return sync_kind::iteration;
  if (name == "__prism_sub_group_barrier") return sync_kind::sub_group_barrier;
  if (name == "__prism_sub_group_shuffle_i32" || name == "__prism_sub_group_shuffle_i64")
    return sync_kind::shuffle;
  if (name == "__prism_sub_group_ballot") return sync_kind::ballot;
  return std::nullopt;
}

/// Removes hints for the optimiser. Some would end the lifetime of private arrays that now stay live; none
/// justifies an exception.
void drop_remarks(Function& kernel) {
  for (Instruction& instruction : make_early_inc_range(instructions(kernel)))
    if (auto* remark = dyn_cast<IntrinsicInst>(&instruction); remark && remark->isAssumeLikeIntrinsic()) {
      if (!remark->use_empty()) continue;
      remark->eraseFromParent();
    }
}

/// The members of a pair (of a compare-exchange, for example) may live across a synchronization point. The
/// pair itself may not, because it cannot be stored in memory.
void take_pairs_apart_at_once(Function& kernel) {
  for (Instruction& instruction : make_early_inc_range(instructions(kernel)))
    if (auto* part = dyn_cast<ExtractValueInst>(&instruction))
      if (auto* pair = dyn_cast<Instruction>(part->getAggregateOperand()); pair && !isa<PHINode>(pair))
        part->moveAfter(pair);
}

} // namespace

std::vector<sync_point> isolate_sync_points(Function& kernel) {
  drop_remarks(kernel);
  take_pairs_apart_at_once(kernel);
  BasicBlock& first = kernel.getEntryBlock();
  SmallVector<AllocaInst*> allocas;
  for (Instruction& instruction : instructions(kernel))
    if (auto* alloca = dyn_cast<AllocaInst>(&instruction)) allocas.push_back(alloca);
  BasicBlock* entry = first.splitBasicBlock(first.begin(), "start");
  for (AllocaInst* alloca : allocas) alloca->moveBefore(first, first.getTerminator()->getIterator());

  SmallVector<CallInst*> calls;
  for (Instruction& instruction : instructions(kernel))
    if (kind_of(instruction)) calls.push_back(cast<CallInst>(&instruction));
  std::vector<sync_point> points{{sync_kind::entry, entry, nullptr}};
  for (CallInst* call : calls)
    points.push_back({*kind_of(*call), call->getParent()->splitBasicBlock(call, "sync.point"), call});
  if (any_of(points, [](const sync_point& each) { return each.of_sub_group(); }))
    for (sync_point& each : points)
      if (each.is_iteration()) each.kind = sync_kind::sub_group_iteration;
  return points;
}

void add_joins(Function& kernel, std::vector<sync_point>& points) {
  constexpr std::size_t few = 400; // instructions
  constexpr unsigned most_copies = 3;
  DenseSet<const BasicBlock*> starts;
  for (const sync_point& each : points) starts.insert(each.block);
  DenseMap<const BasicBlock*, unsigned> copies;
  std::size_t once = 0, all = 0;
  for (const BasicBlock& block : kernel) once += block.size();
  for (const sync_point& each : points) {
    SetVector<const BasicBlock*> region;
    region.insert(each.block);
    for (unsigned i = 0; i < region.size(); ++i) {
      ++copies[region[i]];
      all += region[i]->size();
      for (const BasicBlock* next : successors(region[i]))
        if (!starts.contains(next)) region.insert(next);
    }
  }
  if (all <= few + most_copies * once) return;
  const DenseSet<BasicBlock*> passed = uniform_values(kernel).passed_by_some(kernel);
  SmallVector<BasicBlock*> meetings;
  for (BasicBlock& block : kernel)
    if (copies.lookup(&block) > most_copies && !block.hasNPredecessors(1) && !starts.contains(&block) &&
        !passed.contains(&block))
      meetings.push_back(&block);
  for (BasicBlock* block : meetings)
    points.push_back({sync_kind::join, block->splitBasicBlock(block->getFirstNonPHIIt(), "join"), nullptr});
}

} // namespace prism::compiler
