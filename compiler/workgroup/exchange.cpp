// Exchange of values between the work-items of a sub-group: at the exits of the regions before a shuffle, or
// in separate loops in front of a region.
#include "compiler/workgroup/builder.hpp"

namespace prism::compiler {
using namespace llvm;

context_array& group_builder::exchange_array(unsigned shuffle) {
  const std::uint32_t size = m_points[shuffle].call->getType()->getIntegerBitWidth() / 8;
  context_array& array = m_given[size == 8][m_regions.exchange_at(shuffle).array];
  if (array.size == 0) {
    if (m_cross_region.spill_bytes() < 8) m_cross_region.add_array(8); // see received
    array = m_cross_region.add_array(size);
  }
  return array;
}

void group_builder::exchange(unsigned point, BasicBlock*& head, copy& into) {
  const CallInst* call = m_points[point].call;
  if (m_points[point].kind == sync_kind::shuffle && !m_regions.exchange_at(point).at_exit)
    head = shuffle(point, head, into.partial);
  if (m_points[point].is_iteration()) { // the votes are counted where work-items leave for this point
    IRBuilder<> build(head);
    Value* answer = build.getInt32(3);
    if (votes_on(point)) {
      Value* all = build.CreateTrunc(build.CreateLoad(build.getInt8Ty(), m_all_continue), build.getInt1Ty());
      Value* any = build.CreateTrunc(build.CreateLoad(build.getInt8Ty(), m_any_continues), build.getInt1Ty());
      answer = build.CreateSelect(all, answer, build.CreateZExt(any, build.getInt32Ty()));
    }
    into.map[call] = answer;
  }
  if (any_of(m_regions.of(point).exits, [&](unsigned exit) { return votes_on(exit); })) {
    IRBuilder<> build(head);
    build.CreateStore(build.getInt8(0), m_any_continues);
    build.CreateStore(build.getInt8(1), m_all_continue);
  }
  if (m_points[point].kind != sync_kind::ballot) return;
  head = ballot(*call, point, head, into.partial);
  into.map[call] = IRBuilder<>(head).CreateLoad(call->getType(), m_votes, "ballot");
}

/// Each work-item stores its value. Reads happen where the region begins, before any work-item stores another
/// value.
BasicBlock* group_builder::shuffle(unsigned point, BasicBlock* head, bool partial) {
  const CallInst& call = *m_points[point].call;
  copy loop;
  loop.point = point;
  loop.partial = partial;
  IRBuilder<> build(head);
  enter_loop(head, loop, build);
  build.CreateStore(operand_in(call.getArgOperand(0), loop),
                    address_in(build, exchange_array(point), loop.lanes.item));
  build.CreateBr(loop.lanes.latch);
  return loop.lanes.after;
}

/// Where a work-item leaves to a shuffle.
void group_builder::give(unsigned shuffle, IRBuilder<>& build, copy& in) {
  Value* value = m_points[shuffle].call->getArgOperand(0);
  value = isa<Instruction>(value) ? static_cast<Value*>(in.map[value]) : compute_again(*value, in);
  build.CreateStore(value, address_in(build, exchange_array(shuffle), in.lanes.item));
}

/// If the lane that a shuffle reads is the work-item's own lane plus or minus a value: that value. Otherwise
/// null. `is_back`: the value is subtracted.
Value* group_builder::distance_of(const Value& asked, bool& is_back) {
  const auto is_own = [](const Value* value) {
    auto* call = dyn_cast<CallInst>(value);
    return call && call->getCalledFunction() &&
           call->getCalledFunction()->getName() == "__prism_sub_group_local_id";
  };
  auto* sum = dyn_cast<BinaryOperator>(&asked);
  if (!sum || (sum->getOpcode() != Instruction::Add && sum->getOpcode() != Instruction::Sub)) return nullptr;
  is_back = sum->getOpcode() == Instruction::Sub;
  if (is_own(sum->getOperand(0))) return sum->getOperand(1);
  return !is_back && is_own(sum->getOperand(1)) ? sum->getOperand(0) : nullptr;
}

/// What the work-item gets: its own value if it asked for no lane of the sub-group.
Value* group_builder::received(unsigned shuffle, copy& into) {
  const CallInst& call = *m_points[shuffle].call;
  const context_array array = exchange_array(shuffle);
  IRBuilder<>& build = *into.begin;
  const auto value_of = [&](Value* item) {
    return build.CreateLoad(call.getType(), address_in(build, array, item));
  };
  bool is_back = false;
  Value* distance = distance_of(*call.getArgOperand(1), is_back);
  auto* computed = dyn_cast_or_null<Instruction>(distance);
  if (computed && !m_regions.live_at(shuffle).contains(computed)) distance = nullptr; // only the sum is kept
  if (distance) {
    // All read at one distance, so the values are adjacent: LLVM sees it in 64 bits without a choice of the
    // address. A sub-group's size is far enough; up to there is memory before and behind each array.
    Value *most = m_frame.sub_group.size, *least = build.CreateNeg(most);
    Value* far = build.CreateSExt(operand_in(distance, into), build.getInt64Ty()); // exact modulo 2^32
    if (is_back) far = build.CreateNeg(far);
    far = build.CreateSelect(build.CreateICmpSLT(far, most), far, most);
    far = build.CreateSelect(build.CreateICmpSGT(far, least), far, least);
    Value* lane = build.CreateAdd(into.lanes.lane, far);
    m_reads_beside = true;
    return build.CreateSelect(build.CreateICmpULT(lane, m_frame.sub_group.size),
                              value_of(build.CreateAdd(m_frame.sub_group.first, lane)),
                              value_of(into.lanes.item));
  }
  if (auto* one = dyn_cast<ConstantInt>(call.getArgOperand(1))) { // the same for all: see uniform.cpp
    Value *lane = build.getInt64(one->getZExtValue()), *size = m_frame.sub_group.size;
    Value* item = build.CreateSelect(build.CreateICmpULT(lane, size),
                                     build.CreateAdd(m_frame.sub_group.first, lane), m_frame.sub_group.first);
    return value_of(item);
  }
  Value* lane = build.CreateZExt(operand_in(call.getArgOperand(1), into), build.getInt64Ty());
  Value* item = build.CreateAdd(m_frame.sub_group.first, lane);
  return value_of(
      build.CreateSelect(build.CreateICmpULT(lane, m_frame.sub_group.size), item, into.lanes.item));
}

BasicBlock* group_builder::ballot(const CallInst& call, unsigned point, BasicBlock* head, bool partial) {
  Type* type = call.getType();
  if (!m_votes) m_votes = m_frame.variable(type, "votes");
  IRBuilder<>(head).CreateStore(ConstantInt::get(type, 0), m_votes);
  copy loop;
  loop.point = point;
  loop.partial = partial;
  IRBuilder<> build(head);
  enter_loop(head, loop, build);
  Value* vote =
      build.CreateShl(build.CreateZExt(operand_in(call.getArgOperand(0), loop), type), loop.lanes.lane);
  build.CreateStore(build.CreateOr(build.CreateLoad(type, m_votes), vote), m_votes);
  build.CreateBr(loop.lanes.latch);
  return loop.lanes.after;
}

} // namespace prism::compiler
