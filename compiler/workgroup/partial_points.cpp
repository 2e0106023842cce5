#include "compiler/workgroup/partial_points.hpp"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"

namespace prism::compiler {
using namespace llvm;

namespace {

/// Numbers blocks so that the blocks of a loop are adjacent, and each block follows those that lead to it.
class block_order {
public:
  explicit block_order(Function& kernel) : m_dominators(kernel), m_loops(m_dominators) {
    number(nullptr, kernel.getEntryBlock());
  }
  bool is_reducible(Function& kernel) const {
    const ReversePostOrderTraversal<const Function*> order(&kernel);
    return !containsIrreducibleCFG<const BasicBlock*>(order, m_loops);
  }
  unsigned of(const BasicBlock* block) const { return m_number.lookup(block); }

private:
  /// The outermost loop around the block that is inside of another one; null if there is none.
  Loop* inner(const BasicBlock& block, const Loop* outer) const {
    Loop* found = m_loops.getLoopFor(&block);
    if (found == outer) return nullptr;
    while (found && found->getParentLoop() != outer) found = found->getParentLoop();
    return found;
  }

  SmallVector<BasicBlock*> after(BasicBlock& block, const Loop* outer, const BasicBlock& first) const {
    SmallVector<BasicBlock*> next;
    if (const Loop* loop = inner(block, outer)) loop->getExitBlocks(next);
    else next.append(succ_begin(&block), succ_end(&block));
    erase_if(next,
             [&](const BasicBlock* each) { return each == &first || (outer && !outer->contains(each)); });
    return next;
  }

  /// A loop inside of `loop` counts as one block.
  void number(const Loop* loop, BasicBlock& first) {
    struct visit {
      BasicBlock* block;
      SmallVector<BasicBlock*> next;
    };
    std::vector<visit> path;
    SmallVector<BasicBlock*> ended;
    DenseSet<const BasicBlock*> seen{&first};
    path.push_back({&first, after(first, loop, first)});
    while (!path.empty()) {
      if (path.back().next.empty()) {
        ended.push_back(path.back().block);
        path.pop_back();
      } else {
        BasicBlock* next = path.back().next.pop_back_val();
        if (seen.insert(next).second) path.push_back({next, after(*next, loop, first)});
      }
    }
    for (BasicBlock* block : reverse(ended)) {
      if (const Loop* within = inner(*block, loop)) number(within, *block);
      else m_number[block] = m_next++;
    }
  }

  DominatorTree m_dominators;
  LoopInfo m_loops;
  DenseMap<const BasicBlock*, unsigned> m_number;
  unsigned m_next = 0;
};

/// The barriers in the steps of group algorithms (fence 1) are for the work-items of the whole sub-group, and
/// the questions of interchanged loops too.
bool may_be_partial(const sync_point& point) {
  constexpr std::uint64_t of_program = 3;
  if (point.kind != sync_kind::sub_group_barrier) return point.of_sub_group() && !point.is_iteration();
  auto* fence = dyn_cast<ConstantInt>(point.call->getArgOperand(0));
  return fence && fence->getZExtValue() == of_program;
}

/// The point where all of a block's work-items wait, if it has no code of its own in front of it.
bool only_leads_to_point(const BasicBlock& block, const std::vector<sync_point>& points) {
  const BasicBlock* next = block.getSingleSuccessor();
  return next && &*block.getFirstNonPHIIt() == block.getTerminator() &&
         any_of(points, [&](const sync_point& each) { return each.block == next && !each.is_iteration(); });
}

} // namespace

void add_meetings(Function& kernel, std::vector<sync_point>& points) {
  if (none_of(points, may_be_partial)) return;
  const uniform_values uniform(kernel, uniform_in::sub_group);
  DenseSet<const BasicBlock*> meetings;
  for (BasicBlock& block : kernel) {
    if (uniform.branches_uniformly(block)) continue;
    const DenseSet<BasicBlock*> passed = uniform.passed_by_some(block);
    if (any_of(points,
               [&](const sync_point& each) { return may_be_partial(each) && passed.contains(each.block); }))
      meetings.insert(uniform.meetings_of(block).begin(), uniform.meetings_of(block).end());
  }
  if (meetings.empty() || !block_order(kernel).is_reducible(kernel)) return;
  for (BasicBlock& block : make_early_inc_range(kernel))
    if (meetings.contains(&block) && !only_leads_to_point(block, points))
      points.push_back(
          {sync_kind::meeting, block.splitBasicBlock(block.getFirstNonPHIIt(), "meeting"), nullptr});
}

void order_partial_points(Function& kernel, std::vector<sync_point>& points, const uniform_values& uniform) {
  if (none_of(points, may_be_partial)) return;
  const DenseSet<BasicBlock*> passed = uniform.passed_by_some(kernel);
  const auto is_passed = [&](const sync_point& each) {
    return may_be_partial(each) && passed.contains(each.block);
  };
  if (none_of(points, is_passed)) return;
  const block_order order(kernel);
  if (!order.is_reducible(kernel)) return;
  for (sync_point& each : points) each.partial = is_passed(each);
  stable_sort(points, [&](const sync_point& a, const sync_point& b) {
    return order.of(a.block) < order.of(b.block);
  });
}

} // namespace prism::compiler
