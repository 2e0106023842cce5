// Copies one region: its blocks in the loop, the values that enter it, and the stores of values for later
// regions.
#include "compiler/workgroup/builder.hpp"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Module.h"

namespace prism::compiler {
using namespace llvm;

void group_builder::build_region(unsigned point, bool partial) {
  copy mine;
  mine.point = point;
  mine.partial = partial;
  BasicBlock* head = partial ? m_partial_heads.lookup(point) : m_heads[point];
  exchange(point, head, mine);
  if (!partial && must_agree(m_regions.of(point)))
    IRBuilder<>(head).CreateStore(ConstantInt::get(m_seen->getAllocatedType(), 0), m_seen);
  IRBuilder<> begin(head);
  enter_loop(head, mine, begin);
  for (Instruction* value : m_regions.live_at(point)) bring_in(*value, mine);
  if (m_points[point].kind == sync_kind::shuffle) mine.map[m_points[point].call] = received(point, mine);
  copy_blocks(mine);
  begin.SetInsertPoint(begin.CreateBr(cast<BasicBlock>(mine.map[m_points[point].block])));
  build_exits(mine);
  repair(mine);
  if (partial) IRBuilder<>(mine.lanes.after).CreateBr(m_apart);
  else leave(point, mine.lanes.after);
}

void group_builder::copy_blocks(copy& into) {
  const region& mine = m_regions.of(into.point);
  for (auto& [value, now] : into.incoming) into.map[value] = now;
  for (Argument& argument : m_kernel.args())
    into.map[&argument] = m_frame.function().getArg(argument.getArgNo());
  for (auto& [alloca, own] : m_private) into.map[alloca] = own;
  for (const auto& [alloca, array] : m_cross_region.arrays())
    into.map[alloca] = address_in(*into.begin, array, into.lanes.item);
  for (unsigned exit : mine.exits) into.exits[exit] = m_frame.block("leave");
  for (BasicBlock* block : mine.blocks) into.map[block] = m_frame.block("");
  SmallVector<Instruction*> copies;
  for (BasicBlock* block : mine.blocks) {
    auto* to = cast<BasicBlock>(into.map[block]);
    for (Instruction& instruction : *block) {
      if (&instruction == m_points[into.point].call) continue;
      if (auto* call = dyn_cast<CallInst>(&instruction))
        if (Value* answered = answer(*call, into)) {
          into.map[call] = answered;
          continue;
        }
      if (isa<ReturnInst>(instruction)) {
        IRBuilder<>(to).CreateBr(into.exits[m_regions.end()]);
        continue;
      }
      Instruction* clone = instruction.clone();
      clone->insertInto(to, to->end());
      if (!instruction.getType()->isVoidTy()) clone->setName(instruction.getName());
      into.map[&instruction] = clone;
      copies.push_back(clone);
      if (auto* phi = dyn_cast<PHINode>(clone))
        for (unsigned i = phi->getNumIncomingValues(); i-- > 0;)
          if (!mine.blocks.contains(phi->getIncomingBlock(i))) phi->removeIncomingValue(i, false);
      // A region that reaches its own synchronization point again exits there; it does not go to the copy of
      // that point's block.
      if (instruction.isTerminator())
        for (unsigned i = 0; i < clone->getNumSuccessors(); ++i)
          if (const unsigned* at = m_regions.point_at(instruction.getSuccessor(i)))
            clone->setSuccessor(i, into.exits[*at]);
    }
  }
  for (Instruction* clone : copies)
    RemapInstruction(clone, into.map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
}

/// A value that was computed before the region and again in it: a use may need either.
void group_builder::repair(copy& into) {
  const region& mine = m_regions.of(into.point);
  for (Instruction* value : m_regions.live_at(into.point)) {
    if (!mine.blocks.contains(value->getParent()) || value == m_points[into.point].call) continue;
    auto* anew = dyn_cast<Instruction>(into.map[value]);
    if (!anew || anew == into.incoming.lookup(value)) continue;
    SSAUpdater updater;
    updater.Initialize(value->getType(), value->getName());
    updater.AddAvailableValue(into.lanes.body, into.incoming.lookup(value));
    updater.AddAvailableValue(anew->getParent(), anew);
    SmallVector<Use*> uses;
    for (Use& use : anew->uses()) uses.push_back(&use);
    for (Use* use : uses) {
      auto* user = cast<Instruction>(use->getUser());
      if (user->getParent() != anew->getParent() || isa<PHINode>(user)) updater.RewriteUse(*use);
    }
  }
}

void group_builder::build_exits(copy& in) {
  record_exits(in);
  for (unsigned exit : m_regions.of(in.point).exits) fill_exit(exit, in);
}

/// `repair` corrects the uses of values in the exits too.
void group_builder::fill_exit(unsigned exit, copy& in) {
  const region& mine = m_regions.of(in.point);
  IRBuilder<> build(in.exits[exit]);
  if (exit != m_regions.end())
    for (Instruction* value : m_regions.live_at(exit)) {
      const carried_value& how = m_cross_region.of(value);
      if (how.how == carried::again || !(mine.blocks.contains(value->getParent()))) continue;
      Value* stored = to_memory(build, *value, in.map[value], in);
      build.CreateStore(stored, how.how == carried::once ? m_shared.lookup(value)
                                                         : address_in(build, how.array, in.lanes.item));
    }
  if (exit != m_regions.end() && m_regions.exchange_at(exit).at_exit) give(exit, build, in);
  if (votes_on(exit)) {
    Value* continues = build.CreateZExt(in.map[m_points[exit].call->getArgOperand(0)], build.getInt8Ty());
    build.CreateStore(build.CreateOr(build.CreateLoad(build.getInt8Ty(), m_any_continues), continues),
                      m_any_continues);
    build.CreateStore(build.CreateAnd(build.CreateLoad(build.getInt8Ty(), m_all_continue), continues),
                      m_all_continue);
  }
  const bool decides = mine.exits.size() > 1 || leaves_sub_group(exit);
  if (decides && !in.partial) build.CreateStore(build.getInt32(exit), m_next);
  if (must_agree(mine) && !in.partial) {
    // The exit's bits above, their inverse below. All work-items left here if each bit was seen either only
    // as one or only as zero.
    const std::uint64_t bits = std::uint64_t(exit) << 32 | static_cast<std::uint32_t>(~exit);
    build.CreateStore(build.CreateOr(build.CreateLoad(build.getInt64Ty(), m_seen), build.getInt64(bits)),
                      m_seen);
  }
  to_latch(exit, build, in);
}

} // namespace prism::compiler
