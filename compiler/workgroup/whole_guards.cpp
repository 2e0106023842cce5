#include "compiler/workgroup/whole_guards.hpp"

#include <optional>

#include "compiler/workgroup/group_range.hpp"
#include "compiler/device_ir/loop_facts.hpp"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace prism::compiler {
using namespace llvm;
using namespace PatternMatch;

namespace {

constexpr unsigned most_guards = 4;       // of a kernel
constexpr std::size_t largest_copy = 600; // instructions of a body that is copied

/// A branch on a comparison of a global id, or on several comparisons combined by `and` (by `or` in a branch
/// that leaves).
struct guard {
  BranchInst* branch = nullptr;
  unsigned inside = 0; // the successor for work-items that pass
  SmallVector<ICmpInst*> tests;
};

class guard_finder {
public:
  explicit guard_finder(Function& kernel) : m_facts(kernel), m_ends(kernel), m_uniform(kernel) {}

  std::optional<guard> find(BasicBlock& block) {
    auto* branch = dyn_cast<BranchInst>(block.getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1) ||
        m_uniform.branches_uniformly(block))
      return std::nullopt;
    if (m_facts.loops.getLoopFor(&block) && m_facts.loops.getLoopFor(&block)->getLoopLatch() == &block)
      return std::nullopt;
    // All work-items may take either branch of a single test; the branch that only skips the other is not
    // worth it.
    const unsigned first = m_ends.dominates(branch->getSuccessor(0), &block) ? 1 : 0;
    for (const unsigned inside : {first, 1 - first}) {
      guard found{branch, inside, {}};
      if (!gather(*branch->getCondition(), inside == 0, found.tests)) continue;
      return enters_loop(found) ? std::nullopt : std::optional(found);
    }
    return std::nullopt;
  }

  /// Whether all work-items of the group pass, computed at `place`; null if that cannot be computed there.
  Value* passes(const guard& found, Instruction& place) {
    IRBuilder<> build(&place);
    Value* all = nullptr;
    bool of_global_id = false; // alone, a test of local ids selects some work-items in every group
    for (ICmpInst* test : found.tests) {
      const compared what = sides(*test, found.inside == 0);
      const auto range =
          range_in_group(*what.id, CmpInst::isSigned(what.predicate), place, m_facts.evolution, m_uniform);
      auto* bound = dyn_cast<Instruction>(what.bound);
      if (!range || (bound && !m_facts.dominators.dominates(bound, &place))) return nullptr;
      of_global_id |= range->of_global_id;
      build.SetInsertPoint(&place);
      Value* passes =
          build.CreateAnd(range->in_order, passes_whole(build, what.predicate, *range, *what.bound), "whole");
      all = all ? build.CreateAnd(all, passes) : passes;
    }
    return of_global_id ? all : nullptr;
  }

  const DominatorTree& dominators() const { return m_facts.dominators; }
  DenseSet<BasicBlock*> passed_by_some(Function& kernel) const { return m_uniform.passed_by_some(kernel); }
  const LoopInfo& loops() const { return m_facts.loops; }

private:
  static Value* passes_whole(IRBuilder<>& build, CmpInst::Predicate predicate, const group_range& range,
                             Value& bound) {
    if (predicate == CmpInst::ICMP_NE)
      return build.CreateOr(build.CreateICmpULT(&bound, range.least),
                            build.CreateICmpUGT(&bound, range.greatest));
    // The one that is closest to the bound.
    return build.CreateICmp(predicate, is_below(predicate) ? range.greatest : range.least, &bound);
  }

  struct compared {
    Value *id, *bound;
    CmpInst::Predicate predicate; // of passing
  };

  static bool is_below(CmpInst::Predicate predicate) {
    return is_contained({CmpInst::ICMP_ULT, CmpInst::ICMP_SLT, CmpInst::ICMP_ULE, CmpInst::ICMP_SLE},
                        predicate);
  }

  /// The side that differs between work-items comes first.
  compared sides(const ICmpInst& test, bool passes_on_true) const {
    compared found{test.getOperand(0), test.getOperand(1),
                   passes_on_true ? test.getPredicate() : test.getInversePredicate()};
    if (auto* left = dyn_cast<Instruction>(found.id); left && !m_uniform.is_uniform(*left)) return found;
    return {found.bound, found.id, CmpInst::getSwappedPredicate(found.predicate)};
  }

  bool gather(Value& condition, bool passes_on_true, SmallVectorImpl<ICmpInst*>& tests) {
    Value *one, *other;
    const bool is_both = passes_on_true ? match(&condition, m_LogicalAnd(m_Value(one), m_Value(other)))
                                        : match(&condition, m_LogicalOr(m_Value(one), m_Value(other)));
    if (is_both)
      return tests.size() < most_guards && gather(*one, passes_on_true, tests) &&
             gather(*other, passes_on_true, tests);
    auto* test = dyn_cast<ICmpInst>(&condition);
    if (!test || !test->getOperand(0)->getType()->isIntegerTy()) return false;
    const compared found = sides(*test, passes_on_true);
    if (found.predicate == CmpInst::ICMP_EQ) return false;
    auto *id = dyn_cast<Instruction>(found.id), *bound = dyn_cast<Instruction>(found.bound);
    if (!id || m_uniform.is_uniform(*id) || (bound && !m_uniform.is_uniform(*bound))) return false;
    tests.push_back(test);
    return true;
  }

  /// The first test of `for (k = id; k < n; k += step)`, which loop_interchange.hpp handles.
  bool enters_loop(const guard& found) const {
    const BasicBlock* into = found.branch->getSuccessor(found.inside);
    return any_of(m_facts.loops.getLoopsInPreorder(), [&](const Loop* loop) {
      if (loop->getLoopPreheader() != into && loop->getHeader() != into) return false;
      auto* back =
          loop->getLoopLatch() ? dyn_cast<BranchInst>(loop->getLoopLatch()->getTerminator()) : nullptr;
      auto* test = back && back->isConditional() ? dyn_cast<ICmpInst>(back->getCondition()) : nullptr;
      return test && any_of(found.tests, [&](const ICmpInst* entry) {
        const Value* bound = sides(*entry, found.inside == 0).bound;
        return test->getOperand(0) == bound || test->getOperand(1) == bound;
      });
    });
  }

  loop_facts m_facts;
  PostDominatorTree m_ends;
  uniform_values m_uniform;
};

SetVector<BasicBlock*> reached_from(BasicBlock* start) {
  SetVector<BasicBlock*> found;
  found.insert(start);
  for (unsigned i = 0; i < found.size(); ++i)
    for (BasicBlock* next : successors(found[i])) found.insert(next);
  return found;
}

bool has_loops_or_barriers(const SetVector<BasicBlock*>& blocks, const LoopInfo& loops) {
  return any_of(blocks, [&](BasicBlock* block) {
    return loops.getLoopFor(block) || any_of(*block, [](const Instruction& instruction) {
      auto* call = dyn_cast<CallInst>(&instruction);
      return call && !isa<IntrinsicInst>(call) && call->isConvergent();
    });
  });
}

/// before: br whole, copy, ask; ask: br condition, body, past.
void copy_body(const guard& found, const SetVector<BasicBlock*>& body, Value* whole, ArrayRef<guard> inner) {
  BasicBlock *before = found.branch->getParent(), *first = body.front();
  FoldSingleEntryPHINodes(first);
  BasicBlock* ask = before->splitBasicBlock(found.branch->getIterator(), "ask");
  ValueToValueMapTy map;
  SmallVector<BasicBlock*> copies;
  for (BasicBlock* block : body) {
    BasicBlock* copy = CloneBasicBlock(block, map, ".whole", before->getParent());
    map[block] = copy;
    copies.push_back(copy);
  }
  remapInstructionsInBlocks(copies, map);
  for (BasicBlock* copy : copies)
    for (PHINode& phi : copy->phis())
      for (unsigned i = phi.getNumIncomingValues(); i-- > 0;)
        if (!is_contained(copies, phi.getIncomingBlock(i))) phi.removeIncomingValue(i, false);
  for (const guard& each : inner) {
    auto* branch = cast<BranchInst>(map[each.branch]);
    branch->setCondition(ConstantInt::getBool(branch->getContext(), each.inside == 0));
  }
  for (BasicBlock* block : body)
    block->getTerminator()->setMetadata(some_pass_name, MDNode::get(block->getContext(), {}));
  before->getTerminator()->eraseFromParent();
  IRBuilder<>(before).CreateCondBr(whole, cast<BasicBlock>(map[first]), ask);
}

/// The guard passes too if the whole group does.
void pass_by_whole(const guard& found, Value& whole) {
  IRBuilder<> build(found.branch);
  Value* condition = found.branch->getCondition();
  found.branch->setCondition(found.inside == 0 ? build.CreateOr(&whole, condition)
                                               : build.CreateAnd(build.CreateNot(&whole), condition));
}

bool widen_one(Function& kernel, guard_form form, SmallPtrSetImpl<BranchInst*>& done) {
  guard_finder finder(kernel);
  for (BasicBlock& block : kernel) {
    if (done.contains(cast_or_null<BranchInst>(dyn_cast<BranchInst>(block.getTerminator())))) continue;
    std::optional<guard> found = finder.find(block);
    if (!found) continue;
    done.insert(found->branch);
    Value* whole = finder.passes(*found, *found->branch);
    if (!whole) continue;
    BasicBlock* into = found->branch->getSuccessor(found->inside);
    const SetVector<BasicBlock*> body = reached_from(into); // also what follows where both branches meet
    std::size_t size = 0;
    for (BasicBlock* each : body) size += each->size();
    if (form == guard_form::copied && into->getSinglePredecessor() && !body.contains(&block) &&
        size <= largest_copy && has_loops_or_barriers(body, finder.loops()) &&
        !finder.passed_by_some(kernel).contains(&block)) {
      // The whole group asks this guard. If only some work-items did, they would wait at the copies of the
      // barriers that follow, and the others at the barriers themselves.
      SmallVector<guard> inner;
      IRBuilder<> build(found->branch);
      for (BasicBlock* each : body)
        if (auto another = finder.find(*each))
          if (Value* passes = finder.passes(*another, *found->branch)) {
            build.SetInsertPoint(found->branch);
            whole = build.CreateAnd(whole, passes);
            inner.push_back(*another);
            done.insert(another->branch);
          }
      copy_body(*found, body, whole, inner);
      return true;
    }
    IRBuilder<> build(found->branch);
    pass_by_whole(*found, form == guard_form::optional ? *call_asks_group(build, whole) : *whole);
    return true;
  }
  return false;
}

} // namespace

void read_captured_first(Function& kernel) {
  BasicBlock& entry = kernel.getEntryBlock();
  const auto place = entry.getFirstNonPHIOrDbgOrAlloca();
  for (Instruction& instruction : make_early_inc_range(instructions(kernel))) {
    auto* load = dyn_cast<LoadInst>(&instruction);
    if (!load || !load->hasMetadata(LLVMContext::MD_invariant_load) ||
        load->getParent() == &kernel.getEntryBlock())
      continue;
    APInt offset(64, 0);
    const Value* base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(
        kernel.getParent()->getDataLayout(), offset, false);
    if (!isa<Argument>(base)) continue;
    IRBuilder<> build(&entry, place);
    Value* from =
        build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), const_cast<Value*>(base), offset.getZExtValue());
    load->setOperand(load->getPointerOperandIndex(), from);
    load->moveBefore(entry, place);
  }
}

bool widen_guards(Function& kernel, guard_form form) {
  read_captured_first(kernel);
  SmallPtrSet<BranchInst*, 8> done;
  bool any = false;
  for (unsigned i = 0; i < most_guards && widen_one(kernel, form, done); ++i) any = true;
  return any;
}

void widen_iteration_guards(Function& kernel) {
  guard_finder finder(kernel);
  const DenseSet<BasicBlock*> divergent = finder.passed_by_some(kernel);
  MapVector<const Loop*, SmallVector<guard>> of_loops;
  for (BasicBlock& block : kernel) {
    const Loop* loop = finder.loops().getLoopFor(&block);
    if (!loop || !loop->isInnermost() || divergent.contains(&block)) continue;
    if (const auto found = finder.find(block)) of_loops[loop].push_back(*found);
  }
  for (auto& [loop, guards] : of_loops) { // one test for all guards of an iteration: two copies of the loop
    Value* whole = nullptr;
    BranchInst* const first = guards.front().branch;
    SmallVector<const guard*> asked;
    for (const guard& each : guards) {
      Value* passes = finder.dominators().dominates(first->getParent(), each.branch->getParent())
                          ? finder.passes(each, *first)
                          : nullptr;
      if (!passes) continue;
      whole = whole ? IRBuilder<>(first).CreateAnd(whole, passes) : passes;
      asked.push_back(&each);
    }
    for (const guard* each : asked) pass_by_whole(*each, *whole);
  }
}

} // namespace prism::compiler
