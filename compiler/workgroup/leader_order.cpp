#include "compiler/workgroup/leader_order.hpp"

#include <optional>

#include "compiler/device_ir/pointer_space.hpp"
#include "compiler/device_ir/uniform.hpp"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace prism::compiler {
using namespace llvm;
using namespace PatternMatch;

namespace {

using block_set = DenseSet<BasicBlock*>;

/// An id of the work-item in its sub-group or group, or some of its bits.
bool is_lane(Value* value) {
  Value* part = nullptr;
  while (match(value, m_ZExtOrSExt(m_Value(part))) || match(value, m_Trunc(m_Value(part))) ||
         match(value, m_And(m_Value(part), m_ConstantInt())) ||
         match(value, m_URem(m_Value(part), m_ConstantInt())))
    value = part;
  auto* call = dyn_cast<CallInst>(value);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee &&
         (callee->getName() == "__prism_sub_group_local_id" || callee->getName() == "__prism_local_id");
}

/// Whether only one work-item of a sub-group can pass: a comparison of its lane, alone or with others.
bool names_one_lane(Value* condition, CmpInst::Predicate same) {
  Value *a = nullptr, *b = nullptr;
  const bool both = same == CmpInst::ICMP_EQ ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
                                             : match(condition, m_LogicalOr(m_Value(a), m_Value(b)));
  if (both) return names_one_lane(a, same) || names_one_lane(b, same);
  auto* test = dyn_cast<ICmpInst>(condition);
  return test && test->getPredicate() == same && isa<ConstantInt>(test->getOperand(1)) &&
         is_lane(test->getOperand(0));
}

/// The block that only the leader executes; null if the branch is of another kind.
BasicBlock* leader_block(const BasicBlock& block) {
  auto* branch = dyn_cast<BranchInst>(block.getTerminator());
  if (!branch || !branch->isConditional()) return nullptr;
  BasicBlock* inside = names_one_lane(branch->getCondition(), CmpInst::ICMP_EQ)   ? branch->getSuccessor(0)
                       : names_one_lane(branch->getCondition(), CmpInst::ICMP_NE) ? branch->getSuccessor(1)
                                                                                  : nullptr;
  return inside && inside->getSinglePredecessor() ? inside : nullptr;
}

/// The memory that some code accesses: what its pointers derive from, without private variables.
struct accesses {
  SmallPtrSet<const Value*, 8> read, written;

  void add(BasicBlock& block) {
    for (Instruction& instruction : block) {
      const Value* pointer = accessed_pointer(instruction);
      if (!pointer || instruction.hasMetadata(LLVMContext::MD_invariant_load)) continue;
      SmallVector<const Value*> origins;
      getUnderlyingObjects(pointer, origins, nullptr, 0);
      for (const Value* origin : origins) {
        if (isa<AllocaInst, Constant>(origin)) continue;
        if (instruction.mayReadFromMemory()) read.insert(origin);
        if (instruction.mayWriteToMemory()) written.insert(origin);
      }
    }
  }
  bool conflicts_with(const accesses& other) const {
    const auto contains = [](const auto& set) {
      return [&](const Value* each) { return set.contains(each); };
    };
    return any_of(written, contains(other.read)) || any_of(written, contains(other.written)) ||
           any_of(read, contains(other.written));
  }
};

class leader_finder {
public:
  leader_finder(Function& kernel, const std::vector<sync_point>& points)
      : m_kernel(kernel), m_dominators(kernel) {
    for (const sync_point& each : points) m_starts.insert(each.block);
  }

  /// Whether `block` ends in a branch of the leader whose accesses have to follow earlier ones.
  bool needs_order(BasicBlock& block) {
    BasicBlock* inside = leader_block(block);
    if (!inside) return false;
    accesses own;
    for (BasicBlock* each : only_through(*inside)) own.add(*each);
    if (own.read.empty() && own.written.empty()) return false;
    block_set before{&block};
    SmallVector<BasicBlock*> starts;
    for (SmallVector<BasicBlock*> work{&block}; !work.empty();) {
      BasicBlock* each = work.pop_back_val();
      if (m_starts.contains(each)) starts.push_back(each);
      else
        for (BasicBlock* previous : predecessors(each))
          if (before.insert(previous).second) work.push_back(previous);
    }
    accesses earlier;
    for (BasicBlock* each : before) earlier.add(*each);
    return own.conflicts_with(earlier) && (all_reach_once(block, starts) || !is_passed_by_some(block));
  }

  BasicBlock* split(BasicBlock& block) {
    BasicBlock* made = SplitBlock(&block, block.getTerminator(), &m_dominators);
    m_starts.insert(made);
    return made;
  }

private:
  /// The blocks that execute only behind `first`, as far as the next synchronization points.
  block_set only_through(BasicBlock& first) const {
    block_set found;
    for (SmallVector<BasicBlock*> work{&first}; !work.empty();) {
      BasicBlock* each = work.pop_back_val();
      if (!m_dominators.dominates(&first, each) || !found.insert(each).second) continue;
      for (BasicBlock* next : successors(each))
        if (!m_starts.contains(next)) work.push_back(next);
    }
    return found;
  }

  /// The blocks on paths from `first` to the next synchronization points, and none behind `end`.
  block_set reached_from(SmallVector<BasicBlock*> first, const BasicBlock& end) const {
    block_set found;
    while (!first.empty()) {
      BasicBlock* each = first.pop_back_val();
      if (!found.insert(each).second || each == &end) continue;
      for (BasicBlock* next : successors(each))
        if (!m_starts.contains(next)) first.push_back(next);
    }
    return found;
  }

  /// A sub-group is together at a synchronization point, so it is together in a block that each way from
  /// there passes once.
  bool all_reach_once(BasicBlock& block, ArrayRef<BasicBlock*> starts) const {
    SmallVector<BasicBlock*> after;
    for (BasicBlock* next : successors(&block))
      if (!m_starts.contains(next)) after.push_back(next);
    if (reached_from(after, block).contains(&block)) return false;
    return all_of(starts, [&](BasicBlock* start) {
      return none_of(reached_from({start}, block), [&](BasicBlock* each) {
        return each != &block &&
               (isa<ReturnInst>(each->getTerminator()) ||
                any_of(successors(each), [&](BasicBlock* next) { return m_starts.contains(next); }));
      });
    });
  }

  /// Computed once, because a split changes no path.
  bool is_passed_by_some(BasicBlock& block) {
    if (!m_passed) m_passed = uniform_values(m_kernel, uniform_in::sub_group).passed_by_some(m_kernel);
    return m_passed->contains(&block);
  }

  Function& m_kernel;
  DominatorTree m_dominators;
  block_set m_starts;
  std::optional<block_set> m_passed;
};

} // namespace

void order_leaders(Function& kernel, std::vector<sync_point>& points) {
  if (none_of(points, [](const sync_point& each) { return each.of_sub_group(); })) return;
  leader_finder finder(kernel, points);
  for (BasicBlock& block : make_early_inc_range(kernel))
    if (finder.needs_order(block)) points.push_back({sync_kind::leader, finder.split(block), nullptr});
}

} // namespace prism::compiler
