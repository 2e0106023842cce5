#include "compiler/workgroup/builder.hpp"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

namespace prism::compiler {
using namespace llvm;

group_builder::group_builder(Function& kernel, Function& group, const std::vector<sync_point>& points,
                             const region_map& regions, cross_region_values& cross_region,
                             const group_options& options)
    : m_kernel(kernel), m_points(points), m_regions(regions), m_cross_region(cross_region),
      m_options(options),
      m_by_sub_group(any_of(points, [](const sync_point& each) { return each.of_sub_group(); })),
      m_frame(group, options.sub_group_size) {
  IRBuilder<>& entry = m_frame.entry();
  m_next = m_frame.variable(entry.getInt32Ty(), "next");
  m_seen = m_frame.variable(entry.getInt64Ty(), "seen");
  if (any_of(points, [](const sync_point& each) { return each.is_iteration(); })) {
    m_any_continues = m_frame.variable(entry.getInt8Ty(), "runs");
    m_all_continue = m_frame.variable(entry.getInt8Ty(), "all_run");
  }
  m_done = m_frame.block("done");
  IRBuilder<>(m_done).CreateRetVoid();
  for (unsigned i = 0; i < points.size(); ++i) m_heads.push_back(m_frame.block("region"));
  m_memory = m_frame.ask(context_memory_name, entry.getPtrTy(), {});
  for (const auto& [value, how] : cross_region.all())
    if (how.how == carried::once)
      m_shared[value] = m_frame.variable(cross_region_values::stored_type(*value, how), "shared");
  for (Instruction& instruction : instructions(kernel))
    if (auto* alloca = dyn_cast<AllocaInst>(&instruction);
        alloca && cross_region.arrays().count(alloca) == 0) {
      auto* mine = cast<AllocaInst>(alloca->clone());
      mine->insertInto(&group.getEntryBlock(), group.getEntryBlock().begin());
      mine->setMetadata(private_array_mark, MDNode::get(group.getContext(), {}));
      m_private[alloca] = mine;
    }
}

/// Reports that work-items did not all reach one synchronization point, and leaves the group.
BasicBlock* group_builder::diverged_block(divergence where) {
  BasicBlock* block = m_frame.block("diverged");
  IRBuilder<> build(block);
  build.CreateCall(
      m_kernel.getParent()->getOrInsertFunction(diverged_name, build.getVoidTy(), build.getInt32Ty()),
      build.getInt32(static_cast<unsigned>(where)));
  build.CreateRetVoid();
  return block;
}

void group_builder::build() {
  if (m_options.check_divergence) {
    m_diverged = diverged_block(divergence::of_group);
    m_apart = m_by_sub_group ? diverged_block(divergence::of_sub_group) : m_diverged;
  }
  BasicBlock* first = m_by_sub_group ? build_sub_group_frame() : m_heads[0];
  prepare_partial_regions();
  for (unsigned i = 0; i < m_points.size(); ++i) build_region(i);
  build_partial_regions();
  if (m_reads_beside) m_cross_region.add_array(8);
  m_frame.entry().CreateBr(first); // last, because regions insert queries into the entry block
}

/// Stores the quotients that local ids are computed from, if the kernel asks for such ids. Returns the first
/// and the last block; null if there is nothing to store.
std::pair<BasicBlock*, BasicBlock*> group_builder::store_rows() {
  if (m_frame.dimensions() < 2) return {};
  bool asks[3] = {};
  for (const Instruction& instruction : instructions(m_kernel))
    if (auto* call = dyn_cast<CallInst>(&instruction);
        call && call->getCalledFunction() && call->getCalledFunction()->getName() == "__prism_local_id")
      asks[cast<ConstantInt>(call->getArgOperand(0))->getZExtValue()] = true;
  const auto array = [&](bool is_needed) {
    IRBuilder<>& entry = m_frame.entry();
    return is_needed ? address_in(entry, m_cross_region.add_array(4), entry.getInt64(0)) : nullptr;
  };
  Value* rows = array(asks[0] || asks[1]);
  Value* planes = array(m_frame.dimensions() > 2 && (asks[1] || asks[2]));
  if (!rows && !planes) return {};
  BasicBlock* first = m_frame.block("rows");
  return {first, m_frame.store_rows(first, rows, planes)};
}

/// A loop over the phases between barriers, and in it a loop over the sub-groups. Each sub-group starts at
/// the phase's first region, and runs until it reaches a barrier or the end.
BasicBlock* group_builder::build_sub_group_frame() {
  IRBuilder<>& entry = m_frame.entry();
  m_phase = m_frame.variable(entry.getInt32Ty(), "phase");
  Value* size = entry.getInt64(m_options.sub_group_size);
  Value* count = entry.CreateUDiv(
      entry.CreateNUWAdd(m_frame.items(), entry.getInt64(m_options.sub_group_size - 1)), size);
  entry.CreateStore(entry.getInt32(0), m_phase);
  const auto [start_of_all, rows_stored] = store_rows();
  BasicBlock *phase = m_frame.block("phase"), *each = m_frame.block("sub_group"),
             *next = m_frame.block("next_sub_group");
  BasicBlock* end = m_frame.block("phase_end");
  m_left = m_frame.block("left");

  IRBuilder<> build(phase);
  Value* start = build.CreateLoad(build.getInt32Ty(), m_phase, "start");
  build.CreateBr(each);
  build.SetInsertPoint(each);
  PHINode* id = build.CreatePHI(build.getInt64Ty(), 2, "sub_group");
  id->addIncoming(build.getInt64(0), phase);
  Value* first = build.CreateNUWMul(id, size);
  Value* left = build.CreateNUWSub(m_frame.items(), first);
  m_frame.sub_group = {id, first, build.CreateSelect(build.CreateICmpULT(left, size), left, size)};
  SmallVector<std::pair<unsigned, BasicBlock*>> starts;
  for (unsigned i = 0; i < m_points.size(); ++i)
    if (!m_points[i].of_sub_group()) starts.emplace_back(i, m_heads[i]);
  m_frame.jump_by(each, start, starts);

  build.SetInsertPoint(m_left);
  Value* met = build.CreateLoad(build.getInt32Ty(), m_next, "met");
  if (m_diverged) {
    Value* agrees = build.CreateOr(build.CreateICmpEQ(id, build.getInt64(0)),
                                   build.CreateICmpEQ(met, build.CreateLoad(build.getInt32Ty(), m_phase)));
    build.CreateCondBr(agrees, next, m_diverged);
    build.SetInsertPoint(next);
  } else {
    build.CreateBr(next);
    build.SetInsertPoint(next);
  }
  build.CreateStore(met, m_phase);
  Value* following = build.CreateNUWAdd(id, build.getInt64(1));
  id->addIncoming(following, next);
  build.CreateCondBr(build.CreateICmpULT(following, count), each, end);

  build.SetInsertPoint(end);
  build.CreateCondBr(
      build.CreateICmpEQ(build.CreateLoad(build.getInt32Ty(), m_phase), build.getInt32(m_regions.end())),
      m_done, phase);
  if (!start_of_all) return phase;
  IRBuilder<>(rows_stored).CreateBr(phase);
  return start_of_all;
}

BasicBlock* group_builder::target_of(unsigned exit) {
  if (exit == m_regions.end()) return m_by_sub_group ? m_left : m_done;
  return leaves_sub_group(exit) ? stored_before(exit) : m_heads[exit];
}

/// Jumps from the end of a region's loop to the region to which all its work-items left.
void group_builder::leave(unsigned point, BasicBlock* after) {
  const region& mine = m_regions.of(point);
  if (mine.exits.empty()) { // the region never ends
    new UnreachableInst(after->getContext(), after);
    return;
  }
  if (must_agree(mine)) { // see fill_exit
    IRBuilder<> build(after);
    Value* seen = build.CreateLoad(build.getInt64Ty(), m_seen);
    Value* ones = build.CreateTrunc(build.CreateLShr(seen, 32), build.getInt32Ty());
    Value* zeros = build.CreateNot(build.CreateTrunc(seen, build.getInt32Ty()));
    after = m_frame.block("agreed");
    build.CreateCondBr(build.CreateICmpEQ(ones, zeros), after, m_apart);
  }
  SmallVector<std::pair<unsigned, BasicBlock*>> targets;
  for (unsigned exit : mine.exits) targets.emplace_back(exit, target_of(exit));
  Value* next =
      mine.exits.size() > 1 ? IRBuilder<>(after).CreateLoad(m_next->getAllocatedType(), m_next) : nullptr;
  m_frame.jump_by(after, next, targets);
}

Value* group_builder::address_in(IRBuilder<>& build, context_array array, Value* item) {
  Value*& start = m_array_starts[array.offset];
  if (!start) {
    IRBuilder<>& entry = m_frame.entry();
    start = array.offset == 0
                ? m_memory
                : entry.CreateInBoundsGEP(entry.getInt8Ty(), m_memory,
                                          entry.CreateNUWMul(m_frame.items(), entry.getInt64(array.offset)),
                                          "context_arrays");
  }
  return build.CreateInBoundsGEP(ArrayType::get(build.getInt8Ty(), array.size), start, item);
}

Value* group_builder::to_memory(IRBuilder<>& build, Instruction& value, Value* now, copy& in) {
  const carried_value& how = m_cross_region.of(&value);
  if (how.base) {
    Value* base = compute_again(*how.base, in);
    return build.CreateSub(build.CreatePtrToInt(now, build.getInt64Ty()),
                           build.CreatePtrToInt(base, build.getInt64Ty()));
  }
  Type* const stored = cross_region_values::stored_type(value, how);
  return stored == now->getType() ? now : build.CreateZExt(now, stored);
}

Value* group_builder::from_memory(IRBuilder<>& build, Instruction& value, Value* stored, copy& in) {
  const carried_value& how = m_cross_region.of(&value);
  if (how.base) return build.CreateGEP(build.getInt8Ty(), compute_again(*how.base, in), stored);
  if (value.getType()->isIntegerTy(1)) return build.CreateICmpNE(stored, build.getInt8(0));
  return value.getType()->isIntegerTy() ? build.CreateTrunc(stored, value.getType()) : stored;
}

/// A value that lives across the region's synchronization point, at the work-item's start.
Value* group_builder::bring_in(Instruction& value, copy& into) {
  if (Value* known = into.incoming.lookup(&value)) return known;
  const carried_value& how = m_cross_region.of(&value);
  if (how.how == carried::again) return into.incoming[&value] = compute_again(value, into);
  if (how.how == carried::once) return nullptr; // load_shared has loaded it
  Value* address = address_in(*into.begin, how.array, into.lanes.item);
  Value* stored = into.begin->CreateLoad(cross_region_values::stored_type(value, how), address);
  return into.incoming[&value] = from_memory(*into.begin, value, stored, into);
}

/// Loads shared values before the loop, because work-items may store the next values in the loop.
void group_builder::load_shared(unsigned point, BasicBlock* head, copy& into) {
  for (Instruction* value : m_regions.live_at(point)) {
    if (m_cross_region.of(value).how != carried::once) continue;
    const carried_value& how = m_cross_region.of(value);
    AllocaInst* shared = m_shared.lookup(value);
    IRBuilder<> build(head);
    if (how.array.size != 0 && !m_points[point].of_sub_group())
      build.CreateStore(
          build.CreateLoad(shared->getAllocatedType(), address_in(build, how.array, m_frame.sub_group.id)),
          shared);
    into.incoming[value] = build.CreateLoad(shared->getAllocatedType(), shared);
  }
}

/// Starts a loop over work-items; `begin` inserts at a work-item's start.
void group_builder::enter_loop(BasicBlock* head, copy& into, IRBuilder<>& begin) {
  load_shared(into.point, head, into);
  const DenseMap<Instruction*, Value*> shared = into.incoming;
  into.lanes = m_frame.loop_from(head);
  begin.SetInsertPoint(into.lanes.body);
  if (into.partial) skip_others(into, begin);
  into.begin = &begin;
  for (auto& [value, stored] : shared) into.incoming[value] = from_memory(begin, *value, stored, into);
}

/// Where a sub-group goes that reaches a point of the whole group: its shared values are stored, because the
/// next sub-groups overwrite the variables.
BasicBlock* group_builder::stored_before(unsigned point) {
  BasicBlock*& block = m_stores[point];
  if (block) return block;
  block = m_frame.block("store");
  IRBuilder<> build(block);
  for (Instruction* value : m_regions.live_at(point)) {
    const carried_value& how = m_cross_region.of(value);
    if (how.how != carried::once || how.array.size == 0) continue;
    AllocaInst* shared = m_shared.lookup(value);
    build.CreateStore(build.CreateLoad(shared->getAllocatedType(), shared),
                      address_in(build, how.array, m_frame.sub_group.id));
  }
  build.CreateBr(m_left);
  return block;
}

/// The result of a reserved function in a region; null if `call` calls another function.
Value* group_builder::answer(const CallInst& call, copy& into) {
  const StringRef name = call.getCalledFunction() ? call.getCalledFunction()->getName() : StringRef();
  if (name == "__prism_values_of_items") {
    const std::uint64_t bytes = cast<ConstantInt>(call.getArgOperand(0))->getZExtValue();
    context_array& array = m_values_of_items[bytes];
    if (array.size == 0) array = m_cross_region.add_array(static_cast<std::uint32_t>(bytes));
    return address_in(*into.begin, array, into.begin->getInt64(0));
  }
  if (name == "__prism_value_of_group" || name == "__prism_value_of_sub_group") {
    const std::uint64_t bytes = cast<ConstantInt>(call.getArgOperand(0))->getZExtValue();
    AllocaInst*& memory = m_values_of_group[{bytes, name == "__prism_value_of_sub_group"}];
    if (!memory) {
      memory = m_frame.variable(ArrayType::get(into.begin->getInt8Ty(), bytes), "of_group");
      memory->setAlignment(Align(16));
    }
    return memory;
  }
  return m_frame.answer(call, into.lanes, *into.begin);
}

Value* group_builder::compute_again(const Value& value, copy& into) {
  if (isa<Constant>(value)) return const_cast<Value*>(&value);
  if (auto* argument = dyn_cast<Argument>(&value)) return m_frame.function().getArg(argument->getArgNo());
  if (Value* known = into.again.lookup(&value)) return known;
  auto& instruction = cast<Instruction>(value);
  if (Value* cross_region =
          m_cross_region.is_shared(instruction) ? into.incoming.lookup(&instruction) : nullptr)
    return cross_region;
  Value* made = nullptr;
  if (auto* call = dyn_cast<CallInst>(&instruction)) made = answer(*call, into);
  if (!made) {
    SmallVector<Value*> operands;
    for (const Use& operand : instruction.operands()) operands.push_back(compute_again(*operand.get(), into));
    Instruction* clone = instruction.clone();
    for (unsigned i = 0; i < operands.size(); ++i) clone->setOperand(i, operands[i]);
    made = into.begin->Insert(clone, instruction.getName());
  }
  return into.again[&value] = made;
}

Value* group_builder::operand_in(Value* value, copy& into) {
  auto* instruction = dyn_cast<Instruction>(value);
  return instruction ? bring_in(*instruction, into) : compute_again(*value, into);
}

} // namespace prism::compiler
