#include "compiler/workgroup/regions.hpp"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"

namespace prism::compiler {
using namespace llvm;

namespace {

using block_set = DenseSet<BasicBlock*>;

/// Everything that `next` reaches from `from`, which is included only if it reaches itself.
template <class Next>
block_set closure_of(BasicBlock* from, Next next) {
  block_set seen;
  SmallVector<BasicBlock*> work{from};
  while (!work.empty())
    for (BasicBlock* other : next(work.pop_back_val()))
      if (seen.insert(other).second) work.push_back(other);
  return seen;
}

/// Blocks that write an array, and blocks that read it, through any pointer derived from it.
struct array_uses {
  block_set writers, readers;
  bool escapes = false;
};

void follow(Value* pointer, array_uses& found, SmallPtrSetImpl<Value*>& seen) {
  if (!seen.insert(pointer).second) return;
  for (User* user : pointer->users()) {
    auto* instruction = cast<Instruction>(user);
    BasicBlock* block = instruction->getParent();
    if (isa<LoadInst>(instruction)) found.readers.insert(block);
    else if (auto* store = dyn_cast<StoreInst>(instruction); store && store->getValueOperand() != pointer)
      found.writers.insert(block);
    else if (isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst, BitCastInst>(instruction))
      follow(instruction, found, seen);
    else if (!isa<ICmpInst>(instruction)) found.escapes = true;
  }
}

bool intersects(const block_set& a, const block_set& b) {
  return any_of(a, [&](BasicBlock* block) { return b.contains(block); });
}

} // namespace

region_map::region_map(Function& kernel, const std::vector<sync_point>& points, const uniform_values& uniform)
    : m_points(points), m_regions(points.size()), m_exchanges(points.size()), m_live(points.size()),
      m_arrays(points.size()) {
  for (unsigned i = 0; i < points.size(); ++i) m_at[points[i].block] = i;
  for (unsigned i = 0; i < points.size(); ++i) find_region(i);
  choose_exchanges();
  for (region& each : m_regions) each.agrees = each.exits.size() < 2 || leaves_together(each, uniform);
  find_live_values(kernel);
  find_live_arrays(kernel);
}

const unsigned* region_map::point_at(const BasicBlock* block) const {
  const auto found = m_at.find(block);
  return found == m_at.end() ? nullptr : &found->second;
}

void region_map::find_region(unsigned point) {
  region& mine = m_regions[point];
  SetVector<unsigned> exits;
  mine.blocks.insert(m_points[point].block);
  for (unsigned i = 0; i < mine.blocks.size(); ++i) {
    BasicBlock* block = mine.blocks[i];
    if (isa<ReturnInst>(block->getTerminator())) exits.insert(end());
    for (BasicBlock* next : successors(block)) {
      if (const unsigned* at = point_at(next)) exits.insert(*at);
      else mine.blocks.insert(next);
    }
  }
  mine.exits.assign(exits.begin(), exits.end());
  llvm::sort(mine.exits);
}

/// A branch on which work-items diverge may lead to one exit only.
bool region_map::leaves_together(const region& found, const uniform_values& uniform) const {
  for (BasicBlock* block : found.blocks) {
    if (uniform.branches_uniformly(*block)) continue;
    SetVector<unsigned> reached;
    SmallVector<BasicBlock*> work{block};
    block_set seen;
    while (!work.empty()) {
      BasicBlock* each = work.pop_back_val();
      if (isa<ReturnInst>(each->getTerminator())) reached.insert(end());
      for (BasicBlock* next : successors(each)) {
        if (const unsigned* at = point_at(next)) reached.insert(*at);
        else if (seen.insert(next).second) work.push_back(next);
      }
    }
    if (reached.size() > 1) return false;
  }
  return true;
}

/// In the code behind a shuffle work-items still read its array while others leave to the next shuffle, so
/// that one needs another array. Two suffice but where more shuffles follow each other in all orders.
void region_map::choose_exchanges() {
  std::vector<SmallVector<unsigned, 2>> neighbours(m_points.size());
  const auto is_same_kind = [&](unsigned a, unsigned b) {
    return m_points[a].kind == sync_kind::shuffle && b != end() && m_points[b].kind == sync_kind::shuffle &&
           m_points[a].call->getType() == m_points[b].call->getType();
  };
  for (unsigned from = 0; from < m_points.size(); ++from)
    for (unsigned to : m_regions[from].exits)
      if (is_same_kind(from, to)) {
        neighbours[from].push_back(to);
        neighbours[to].push_back(from);
      }
  for (unsigned i = 0; i < m_points.size(); ++i) {
    if (m_points[i].kind != sync_kind::shuffle) continue;
    bool taken[] = {false, false, true};
    for (unsigned other : neighbours[i]) {
      taken[m_exchanges[other].array] = true;
      if (other == i) taken[0] = taken[1] = true;
    }
    if (taken[0] && taken[1]) continue;
    m_exchanges[i] = {true, taken[0] ? 1U : 0U};
  }
}

void region_map::find_live_values(Function& kernel) {
  for (Instruction& value : instructions(kernel)) {
    if (isa<AllocaInst>(value)) continue;
    block_set seen;
    for (const Use& use : value.uses()) {
      auto* user = cast<Instruction>(use.getUser());
      if (auto* phi = dyn_cast<PHINode>(user)) {
        BasicBlock* from = phi->getIncomingBlock(use); // needed at the block's end
        if (from != value.getParent()) walk_back(value, from, seen);
      } else if (is_given_at_exit(use)) {
        for (BasicBlock* from : predecessors(user->getParent()))
          if (from != value.getParent()) walk_back(value, from, seen);
      } else if (user->getParent() != value.getParent()) {
        walk_back(value, user->getParent(), seen);
      }
    }
  }
}

bool region_map::is_given_at_exit(const Use& use) const {
  const unsigned* point = point_at(cast<Instruction>(use.getUser())->getParent());
  return point && m_points[*point].call == use.getUser() && use.getOperandNo() == 0 &&
         m_exchanges[*point].at_exit;
}

/// Walks from a block that needs the value at its start or end back to the value's definition.
void region_map::walk_back(Instruction& value, BasicBlock* from, block_set& seen) {
  SmallVector<BasicBlock*> work{from};
  while (!work.empty()) {
    BasicBlock* block = work.pop_back_val();
    if (block == value.getParent() || !seen.insert(block).second) continue;
    if (const unsigned* at = point_at(block)) m_live[*at].insert(&value);
    for (BasicBlock* before : predecessors(block)) work.push_back(before);
  }
}

void region_map::find_live_arrays(Function& kernel) {
  SmallVector<std::pair<AllocaInst*, array_uses>> arrays;
  for (Instruction& instruction : instructions(kernel))
    if (auto* alloca = dyn_cast<AllocaInst>(&instruction)) {
      SmallPtrSet<Value*, 16> seen;
      array_uses uses;
      follow(alloca, uses, seen);
      arrays.emplace_back(alloca, std::move(uses));
    }
  if (arrays.empty()) return;
  for (unsigned i = 1; i < m_points.size(); ++i) {
    const block_set before = closure_of(m_points[i].block, [](BasicBlock* b) { return predecessors(b); });
    block_set after = closure_of(m_points[i].block, [](BasicBlock* b) { return successors(b); });
    after.insert(m_points[i].block);
    for (const auto& [alloca, uses] : arrays)
      if (uses.escapes || (intersects(uses.writers, before) && intersects(uses.readers, after)))
        m_arrays[i].insert(alloca);
  }
}

} // namespace prism::compiler
