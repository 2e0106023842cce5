#include "compiler/device_ir/divergent_joins.hpp"

#include <map>

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {
using namespace llvm;

namespace {

class join_finder {
public:
  join_finder(const Function& kernel, const CycleInfo& cycles, const known_divergence& known)
      : m_kernel(kernel), m_cycles(cycles), m_known(known), m_ends(const_cast<Function&>(kernel)) {
    unsigned number = 0;
    for (const BasicBlock* each : ReversePostOrderTraversal<const Function*>(&kernel))
      m_order[each] = number++;
  }

  more_divergence find() {
    for (const BasicBlock& block : m_kernel)
      if (m_order.count(&block) != 0 && block.getTerminator()->getNumSuccessors() > 1 &&
          m_known.of_branch(block))
        m_branches.push_back(&block);
    while (!m_branches.empty()) {
      follow(*m_branches.pop_back_val());
      while (!m_values.empty()) {
        const Instruction* value = m_values.pop_back_val();
        for (const User* user : value->users()) differs(*cast<Instruction>(user));
      }
    }
    return std::move(m_found);
  }

private:
  void differs(const Instruction& value) {
    if (m_known.is_always_uniform(value)) return;
    if (value.isTerminator()) {
      const BasicBlock& block = *value.getParent();
      if (value.getNumSuccessors() > 1 && !m_known.of_branch(block) && m_found.branches.insert(&block).second)
        m_branches.push_back(&block);
    } else if (!m_known.of_value(value) && m_found.values.insert(&value).second) {
      m_values.push_back(&value);
    }
  }

  /// Gives each block the successor of the branch through which it is reached, or itself where paths of two
  /// of them meet, up to the block in which all paths have met.
  void follow(const BasicBlock& branch) {
    const auto* node = m_ends.getNode(&branch);
    const BasicBlock* last = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    m_label.clear(), m_fresh.clear(), m_joins.clear();
    for (const BasicBlock* next : successors(&branch)) reach(*next, next);
    while (!m_fresh.empty()) {
      const BasicBlock* block = m_fresh.begin()->second;
      m_fresh.erase(m_fresh.begin());
      if (block == last || block == &branch) continue;
      const BasicBlock* label = m_label[block];
      // Work-items that go on with the next iteration, and leave the cycle in a later one.
      if (const Cycle* around = cycle_of_header(*block); around && around->contains(&branch)) {
        SmallVector<BasicBlock*> exits;
        around->getExitBlocks(exits);
        for (const BasicBlock* exit : exits) reach(*exit, label);
        if (around->isReducible()) continue;
      }
      for (const BasicBlock* next : successors(block)) reach(*next, label);
    }
    m_found.meetings[&branch].assign(m_joins.begin(), m_joins.end());
    for (const BasicBlock* join : m_joins)
      for (const PHINode& phi : join->phis())
        if (!phi.hasConstantOrUndefValue()) differs(phi);
    for (const Cycle* each = m_cycles.getCycle(&branch); each; each = each->getParentCycle())
      if (leaves_apart(*each)) pass_out_of(*each);
  }

  const Cycle* cycle_of_header(const BasicBlock& block) const {
    const Cycle* cycle = m_cycles.getCycle(&block);
    return cycle && cycle->getHeader() == &block ? cycle : nullptr;
  }

  void reach(const BasicBlock& block, const BasicBlock* label) {
    const BasicBlock*& own = m_label[&block];
    if (own == label) return;
    if (own) m_joins.insert(&block);
    if (own == &block) return;
    own = own ? &block : label;
    m_fresh.emplace(m_order.lookup(&block), &block);
  }

  /// Some work-items leave the cycle while others begin another iteration.
  bool leaves_apart(const Cycle& cycle) const {
    const BasicBlock* again = m_label.lookup(cycle.getHeader());
    if (!again) return false;
    SmallVector<BasicBlock*> exits;
    cycle.getExitBlocks(exits);
    return any_of(exits, [&](const BasicBlock* exit) {
      const BasicBlock* label = m_label.lookup(exit);
      return label && label != again;
    });
  }

  void pass_out_of(const Cycle& cycle) {
    if (!m_passed.insert(&cycle).second) return;
    for (const BasicBlock* block : cycle.blocks())
      for (const Instruction& value : *block)
        for (const User* user : value.users()) {
          const auto& use = *cast<Instruction>(user);
          if (cycle.contains(use.getParent())) continue;
          m_found.behind_loops.insert(&value);
          differs(use);
        }
  }

  const Function& m_kernel;
  const CycleInfo& m_cycles;
  const known_divergence& m_known;
  PostDominatorTree m_ends;
  DenseMap<const BasicBlock*, unsigned> m_order; // reverse post-order
  more_divergence m_found;
  SmallVector<const Instruction*> m_values;  // whose users follow
  SmallVector<const BasicBlock*> m_branches; // that follow
  DenseSet<const Cycle*> m_passed;
  // Of the branch that is followed.
  DenseMap<const BasicBlock*, const BasicBlock*> m_label;
  std::map<unsigned, const BasicBlock*> m_fresh; // in reverse post-order
  DenseSet<const BasicBlock*> m_joins;
};

} // namespace

more_divergence find_more_divergence(const Function& kernel, const CycleInfo& cycles,
                                     const known_divergence& known) {
  return join_finder(kernel, cycles, known).find();
}

} // namespace prism::compiler
