#include "compiler/workgroup/common_iterations.hpp"

#include <optional>

#include "compiler/workgroup/group_range.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace prism::compiler {
using namespace llvm;
using namespace PatternMatch;

namespace {

/// Sizes in instructions. An iteration up to these sizes is executed 4, 2 or 1 times per iteration of the new
/// loop.
constexpr std::size_t few = 12, some = 32, most = 400;

/// How the loop counts: `start + iteration * step` is compared with `bound`, signed or unsigned.
struct counting {
  Value *start, *step, *bound;
  bool is_signed;
};

struct comparison {
  CmpInst::Predicate predicate; // of continuing
  Value *left, *right;
};

std::optional<comparison> comparison_of(const BranchInst& branch, const BasicBlock& on) {
  auto* test = branch.isConditional() ? dyn_cast<ICmpInst>(branch.getCondition()) : nullptr;
  if (!test) return std::nullopt;
  comparison found{test->getPredicate(), test->getOperand(0), test->getOperand(1)};
  if (branch.getSuccessor(0) != &on) found.predicate = CmpInst::getInversePredicate(found.predicate);
  if (found.predicate == CmpInst::ICMP_UGT || found.predicate == CmpInst::ICMP_SGT) {
    std::swap(found.left, found.right);
    found.predicate = CmpInst::getSwappedPredicate(found.predicate);
  }
  if (found.predicate != CmpInst::ICMP_ULT && found.predicate != CmpInst::ICMP_SLT) return std::nullopt;
  return found;
}

std::optional<counting> counting_of(const group_loop& loop) {
  const auto enters = comparison_of(*loop.guard, *loop.preheader);
  const auto stays = comparison_of(*cast<BranchInst>(loop.latch->getTerminator()), *loop.header);
  if (!enters || !stays || enters->predicate != stays->predicate || enters->right != stays->right)
    return std::nullopt;
  for (const group_loop::counter& each : loop.counters)
    if (each.phi->getIncomingValueForBlock(loop.latch) == stays->left &&
        each.phi->getIncomingValueForBlock(loop.preheader) == enters->left)
      return counting{enters->left, each.step, stays->right, stays->predicate == CmpInst::ICMP_SLT};
  return std::nullopt;
}

/// The number of iterations of a loop that all work-items leave together; null if it cannot be computed.
Value* count_all_iterations(const group_loop& loop, ScalarEvolution& evolution,
                            const uniform_values& uniform) {
  const SCEV* back = evolution.getBackedgeTakenCount(loop.loop);
  if (isa<SCEVCouldNotCompute>(back) || !is_same_for_all(back, uniform)) return nullptr;
  Instruction* place = loop.preheader->getTerminator();
  SCEVExpander expander = expander_for(evolution, *loop.header->getModule(), "iterations");
  if (!expander.isSafeToExpandAt(back, place)) return nullptr;
  Value* taken = expander.expandCodeFor(back, back->getType(), place->getIterator());
  return IRBuilder<>(place).CreateAdd(taken,
                                      // 0 if all numbers are iterations
                                      ConstantInt::get(taken->getType(), 1));
}

/// The least number up to which a work-item counts. `in_order` becomes false where values wrap around.
Value* least_bound(Value& bound, bool is_signed, Instruction& place, Value*& in_order,
                   ScalarEvolution& evolution, const uniform_values& uniform) {
  if (is_same_for_all(evolution.getSCEV(&bound), uniform)) return &bound;
  Value *one, *other;
  if (is_signed ? match(&bound, m_SMin(m_Value(one), m_Value(other)))
                : match(&bound, m_UMin(m_Value(one), m_Value(other)))) {
    Value* left = least_bound(*one, is_signed, place, in_order, evolution, uniform);
    Value* right = left ? least_bound(*other, is_signed, place, in_order, evolution, uniform) : nullptr;
    if (!right) return nullptr;
    IRBuilder<> build(&place);
    Value* is_less = build.CreateICmp(is_signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT, left, right);
    return build.CreateSelect(is_less, left, right);
  }
  const std::optional<group_range> ends = range_in_group(bound, is_signed, place, evolution, uniform);
  if (!ends) return nullptr;
  in_order = IRBuilder<>(&place).CreateAnd(in_order, ends->in_order);
  return ends->least;
}

/// The number of iterations common to all work-items, computed in front of the guard; null if it cannot be
/// computed.
Value* count_common_iterations(const group_loop& loop, const counting& how, ScalarEvolution& evolution,
                               const uniform_values& uniform) {
  const std::optional<group_range> starts =
      range_in_group(*how.start, how.is_signed, *loop.guard, evolution, uniform);
  if (!starts) return nullptr;
  Value* in_order = starts->in_order;
  Value* bound = least_bound(*how.bound, how.is_signed, *loop.guard, in_order, evolution, uniform);
  if (!bound) return nullptr;
  IRBuilder<> build(loop.guard);
  Type* type = how.start->getType();
  // No start exceeds the greatest, unless the values wrap around between two work-items.
  Value* enter =
      build.CreateICmp(how.is_signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT, starts->greatest, bound);
  Value* rises = build.CreateICmp(how.is_signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_NE, how.step,
                                  ConstantInt::get(type, 0));
  Value* step = build.CreateSelect(rises, how.step, ConstantInt::get(type, 1));
  Value* left = build.CreateSub(build.CreateSub(bound, starts->greatest), ConstantInt::get(type, 1));
  Value* iterations = build.CreateAdd(build.CreateUDiv(left, step), ConstantInt::get(type, 1));
  return build.CreateSelect(build.CreateAnd(build.CreateAnd(in_order, enter), rises), iterations,
                            ConstantInt::get(type, 0));
}

class splitter {
public:
  splitter(group_loop& loop, unsigned at_once)
      : m_loop(loop), m_kernel(*loop.header->getParent()), m_at_once(at_once),
        m_before(loop.guard ? loop.guard->getParent() : nullptr),
        m_back(cast<BranchInst>(loop.latch->getTerminator())) {
    for (PHINode& phi : loop.header->phis())
      if (none_of(loop.counters, [&](const group_loop::counter& each) { return each.phi == &phi; }))
        m_phis.push_back(&phi);
    for (PHINode& phi : loop.exit->phis()) m_results.push_back(&phi);
  }

  /// before -> enter -> full ... -> done -> rest, or before -> rest; rest -> the remaining iterations, or
  /// none_left.
  void split(Value* iterations) {
    m_enter = block("full.enter"), m_full = block("full"), m_done = block("full.done"),
    m_rest = block("rest"), m_none_left = block("none.left");
    if (!m_before) {
      m_before = m_loop.preheader;
      m_loop.preheader = m_before->splitBasicBlock(m_before->getTerminator()->getIterator(), "rest.enter");
    }
    Instruction* place = m_before->getTerminator();
    IRBuilder<> build(place);
    if (m_at_once > 1)
      iterations = build.CreateAnd(iterations,
                                   ConstantInt::getSigned(iterations->getType(), -std::int64_t(m_at_once)));
    for (const group_loop::counter& each :
         m_loop.counters) // after the common iterations; at once if there are none
      m_resumed.push_back(counted(build, each, iterations));
    Value* any = build.CreateICmpNE(iterations, ConstantInt::get(iterations->getType(), 0));
    IRBuilder<>(m_enter).CreateBr(m_full);
    build_common_iterations(iterations);
    build_rest(any);
    build.SetInsertPoint(place);
    build.CreateCondBr(any, m_enter, m_rest);
    place->eraseFromParent();
    if (m_loop.guard) m_loop.guard = m_new_guard;
  }
  BasicBlock* full() const { return m_full; }

private:
  BasicBlock* block(const char* name) {
    return BasicBlock::Create(m_kernel.getContext(), name, &m_kernel, m_loop.header);
  } // never the entry

  /// A counter's value after `iterations` iterations, computed so that nothing has to be stored in each
  /// iteration.
  Value* counted(IRBuilder<>& build, const group_loop::counter& each, Value* iterations) {
    Value* start = each.phi->getIncomingValueForBlock(m_loop.preheader);
    return build.CreateAdd(start,
                           build.CreateMul(build.CreateZExtOrTrunc(iterations, start->getType()), each.step));
  }

  void build_common_iterations(Value* iterations) {
    IRBuilder<> head(m_full);
    PHINode* iteration = head.CreatePHI(iterations->getType(), 2, "common.iteration");
    DenseMap<Value*, Value*> now;
    SmallVector<PHINode*> carried;
    for (PHINode* phi : m_phis) {
      carried.push_back(head.CreatePHI(phi->getType(), 2));
      carried.back()->addIncoming(phi->getIncomingValueForBlock(m_loop.preheader), m_enter);
      now[phi] = carried.back();
    }
    BasicBlock* end = m_full; // open
    ValueToValueMapTy map;
    for (unsigned copy = 0; copy < m_at_once; ++copy) {
      map.clear();
      IRBuilder<> here(end);
      Value* number =
          copy ? here.CreateAdd(iteration, ConstantInt::get(iteration->getType(), copy)) : iteration;
      for (const group_loop::counter& each : m_loop.counters) now[each.phi] = counted(here, each, number);
      end = copy_iteration(end, now, map);
    }
    IRBuilder<> back(end);
    Value* next = back.CreateAdd(iteration, ConstantInt::get(iteration->getType(), m_at_once));
    back.CreateCondBr(back.CreateICmpULT(next, iterations), m_full, m_done);
    iteration->addIncoming(ConstantInt::get(iteration->getType(), 0), m_enter);
    iteration->addIncoming(next, end);
    for (auto [phi, own] : zip(m_phis, carried)) own->addIncoming(now[phi], end);
    const auto leaves = [&](Value* value) -> Value* {
      if (!isa<Instruction>(value)) return value;
      PHINode* out = PHINode::Create(value->getType(), 1, "", m_done);
      out->addIncoming(value, end);
      return out;
    };
    const auto copied = [&](Value* value) -> Value* {
      if (auto found = map.find(value); found != map.end()) return found->second;
      return value;
    };
    for (PHINode* phi : m_phis) m_after[phi] = leaves(now[phi]);
    for (PHINode* phi : m_results) m_after[phi] = leaves(copied(phi->getIncomingValueForBlock(m_loop.latch)));
    m_goes_on = leaves(copied(m_back->getCondition()));
    IRBuilder<>(m_done).CreateBr(m_rest);
  }

  /// Appends one iteration to `end`. `now` holds the values at its start, and receives those at its end.
  BasicBlock* copy_iteration(BasicBlock* end, DenseMap<Value*, Value*>& now, ValueToValueMapTy& map) {
    SmallVector<BasicBlock*> copies;
    for (BasicBlock* each : m_loop.loop->blocks()) {
      BasicBlock* copy = CloneBasicBlock(each, map, ".full", &m_kernel);
      copy->moveBefore(m_done);
      map[each] = copy;
      copies.push_back(copy);
    }
    for (PHINode& phi : m_loop.header->phis()) {
      cast<Instruction>(map[&phi])->eraseFromParent();
      map[&phi] = now[&phi];
    }
    remapInstructionsInBlocks(copies, map);
    IRBuilder<>(end).CreateBr(cast<BasicBlock>(map[m_loop.header]));
    auto* last = cast<BasicBlock>(map[m_loop.latch]);
    last->getTerminator()->eraseFromParent();
    DenseMap<Value*, Value*> next;
    for (PHINode* phi : m_phis) {
      Value* value = phi->getIncomingValueForBlock(m_loop.latch);
      auto found = map.find(value);
      next[phi] = found != map.end() ? static_cast<Value*>(found->second) : value;
    }
    now = std::move(next);
    return last;
  }

  void build_rest(Value* any) {
    IRBuilder<> build(m_rest);
    const auto either = [&](Value* without, Value* with) {
      PHINode* phi = build.CreatePHI(without->getType(), 2);
      phi->addIncoming(without, m_before);
      phi->addIncoming(with, m_done);
      return phi;
    };
    for (PHINode* phi : m_phis)
      phi->setIncomingValueForBlock(m_loop.preheader,
                                    either(phi->getIncomingValueForBlock(m_loop.preheader), m_after[phi]));
    for (auto [each, value] : zip(m_loop.counters, m_resumed))
      each.phi->setIncomingValueForBlock(m_loop.preheader, value);
    for (PHINode* phi : m_results)
      m_after[phi] = either(Constant::getNullValue(phi->getType()), m_after[phi]);
    const bool back_on_true = m_back->getSuccessor(0) == m_loop.header;
    BasicBlock* past = nullptr;
    Value* enters = build.getTrue();
    if (m_loop.guard) {
      const bool on_true = m_loop.guard->getSuccessor(0) == m_loop.preheader;
      past = m_loop.guard->getSuccessor(on_true ? 1 : 0);
      enters = on_true ? m_loop.guard->getCondition()
                       : IRBuilder<>(m_loop.guard).CreateNot(m_loop.guard->getCondition());
    }
    IRBuilder<> done(m_done->getTerminator());
    Value* goes_on = back_on_true ? m_goes_on : done.CreateNot(m_goes_on);
    Value* more = either(enters, goes_on);
    m_new_guard = build.CreateCondBr(more, m_loop.preheader, m_none_left);
    // Work-items without further iterations continue after the loop, with its results.
    BasicBlock* merged_exit = m_loop.exit->splitBasicBlock(m_loop.exit->getFirstNonPHIIt(), "merged_exit");
    for (PHINode* phi : m_results) {
      PHINode* both = PHINode::Create(phi->getType(), 2, "", merged_exit->begin());
      phi->replaceAllUsesWith(both);
      both->addIncoming(phi, m_loop.exit);
      both->addIncoming(m_after[phi], m_none_left);
    }
    IRBuilder<> left(m_none_left);
    if (!past) {
      left.CreateBr(merged_exit);
      return;
    }
    left.CreateCondBr(any, merged_exit, past);
    past->replacePhiUsesWith(m_before, m_none_left);
  }

  group_loop& m_loop;
  Function& m_kernel;
  unsigned m_at_once;
  BasicBlock *m_before, *m_enter = nullptr, *m_full = nullptr, *m_done = nullptr, *m_rest = nullptr,
                        *m_none_left = nullptr;
  BranchInst *m_back, *m_new_guard = nullptr;
  SmallVector<PHINode*> m_phis, m_results; // of the header without counters; of the exit
  SmallVector<Value*> m_resumed;           // the counters, for the remaining iterations
  /// Values after the common iterations: of the loop's own phis and of its results.
  DenseMap<PHINode*, Value*> m_after;
  Value* m_goes_on = nullptr;
};

} // namespace

BasicBlock* split_common_iterations(group_loop& loop, ScalarEvolution& evolution,
                                    const uniform_values& uniform) {
  std::size_t size = 0;
  for (BasicBlock* block : loop.loop->blocks())
    for (Instruction& instruction : *block) {
      if (isa<NoAliasScopeDeclInst>(instruction)) return nullptr; // each copy would need its own scope
      ++size;
    }
  const unsigned at_once = size <= few ? 4 : size <= some ? 2 : 1;
  if (size > most || loop.exit->getSinglePredecessor() != loop.latch) return nullptr;
  if (!loop.guard) {
    Value* iterations = at_once > 1 ? count_all_iterations(loop, evolution, uniform) : nullptr;
    if (!iterations) return nullptr;
    splitter parts(loop, at_once);
    parts.split(iterations);
    return parts.full();
  }
  const auto how = counting_of(loop);
  if (!how) return nullptr;
  for (Instruction& instruction : make_early_inc_range(*loop.preheader))
    if (!instruction.isTerminator())
      instruction.moveBefore(*loop.guard->getParent(), loop.guard->getIterator());
  Value* iterations = count_common_iterations(loop, *how, evolution, uniform);
  if (!iterations) return nullptr;
  splitter parts(loop, at_once);
  parts.split(iterations);
  return parts.full();
}

} // namespace prism::compiler
