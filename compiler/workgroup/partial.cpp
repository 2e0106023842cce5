// Regions of the work-items of a sub-group that reach a point while others of it are elsewhere:
// partial_points.hpp.
//
// Where a region's work-items may leave to different points, each stores its point's number. If the numbers
// differ, the sub-group chooses the first of the points, and executes a second copy of that point's region,
// which skips the work-items that wait elsewhere. It does so until all wait at the same point, from where the
// regions for all continue. So a sub-group whose work-items agree pays for the numbers alone.
#include "compiler/workgroup/builder.hpp"

namespace prism::compiler {
using namespace llvm;

void group_builder::prepare_partial_regions() {
  for (unsigned i = 0; i < m_points.size(); ++i)
    if (m_points[i].partial) m_partial_heads[i] = m_frame.block("partial");
  if (m_partial_heads.empty()) return;
  const bool is_byte = m_regions.end() <= 255;
  m_waits_at = m_cross_region.add_array(is_byte ? 1 : 2);
  BasicBlock* refuse = m_apart ? m_apart : m_done; // undefined where nothing reports it
  m_apart = m_frame.block("apart");

  lane_loop lanes = m_frame.loop_from(m_apart);
  leave_scalar(lanes);
  IRBuilder<> build(lanes.body);
  auto* index = cast<PHINode>(lanes.lane);
  BasicBlock* before = index->getIncomingBlock(0);
  const auto extreme = [&](unsigned start) {
    PHINode* phi = PHINode::Create(build.getInt32Ty(), 2, "", lanes.body->getFirstNonPHIIt());
    phi->addIncoming(build.getInt32(start), before);
    return phi;
  };
  PHINode *least = extreme(m_regions.end()), *most = extreme(0);
  Value* at = build.CreateZExt(
      build.CreateLoad(build.getIntNTy(is_byte ? 8 : 16), address_in(build, m_waits_at, lanes.item)),
      build.getInt32Ty());
  const auto choose = [&](CmpInst::Predicate better, PHINode* known) {
    Value* chosen = build.CreateSelect(build.CreateICmp(better, at, known), at, known);
    known->addIncoming(chosen, lanes.latch);
    return chosen;
  };
  Value* first = choose(CmpInst::ICMP_ULT, least);
  Value* last = choose(CmpInst::ICMP_UGT, most);
  build.CreateBr(lanes.latch);

  BasicBlock *together = m_frame.block("together"), *some = m_frame.block("some");
  build.SetInsertPoint(lanes.after);
  build.CreateCondBr(build.CreateICmpEQ(first, last), together, some);
  SmallVector<std::pair<unsigned, BasicBlock*>> partial;
  for (unsigned i = 0; i < m_points.size(); ++i)
    if (m_points[i].partial) partial.emplace_back(i, m_partial_heads[i]);
  partial.emplace_back(m_regions.end(), refuse);
  m_frame.jump_by(some, first, partial);

  build.SetInsertPoint(together);
  build.CreateStore(first, m_next);
  SmallVector<bool> is_exit(m_regions.end() + 1);
  for (unsigned i = 0; i < m_points.size(); ++i)
    if (m_points[i].partial || !m_regions.of(i).agrees)
      for (const unsigned exit : m_regions.of(i).exits) is_exit[exit] = true;
  SmallVector<std::pair<unsigned, BasicBlock*>> all;
  for (unsigned i = 0; i <= m_regions.end(); ++i)
    if (is_exit[i]) all.emplace_back(i, target_of(i));
  m_frame.jump_by(together, first, all);
}

void group_builder::build_partial_regions() {
  for (unsigned i = 0; i < m_points.size(); ++i)
    if (m_points[i].partial) build_region(i, true);
}

/// At a work-item's start.
void group_builder::skip_others(copy& into, IRBuilder<>& begin) {
  leave_scalar(into.lanes);
  Type* type = begin.getIntNTy(m_waits_at.size * 8);
  Value* at = begin.CreateLoad(type, address_in(begin, m_waits_at, into.lanes.item));
  BasicBlock* own = m_frame.block("waiting");
  begin.CreateCondBr(begin.CreateICmpEQ(at, ConstantInt::get(type, into.point)), own, into.lanes.latch);
  begin.SetInsertPoint(own);
  into.lanes.body = own;
}

/// One store for all exits, so that a loop without branches stays one.
void group_builder::record_exits(copy& in) {
  if (m_partial_heads.empty() || !(in.partial || must_agree(m_regions.of(in.point)))) return;
  IRBuilder<> build(m_frame.block("leave"));
  in.left_to = build.CreatePHI(build.getIntNTy(m_waits_at.size * 8), 2);
  build.CreateStore(in.left_to, address_in(build, m_waits_at, in.lanes.item));
  build.CreateBr(in.lanes.latch);
}

void group_builder::to_latch(unsigned exit, IRBuilder<>& build, copy& in) {
  if (in.left_to) {
    in.left_to->addIncoming(build.getIntN(m_waits_at.size * 8, exit), build.GetInsertBlock());
    build.CreateBr(in.left_to->getParent());
  } else {
    build.CreateBr(in.lanes.latch);
  }
}

} // namespace prism::compiler
