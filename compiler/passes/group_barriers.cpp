// A forward data-flow analysis of the accesses since the last barrier, and of the work-items that made them.
// It distinguishes memory by variable. All memory that a pointer of unknown origin may point to counts as
// one.
#include "compiler/passes/group_barriers.hpp"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/InstIterator.h"

namespace prism::compiler {
using namespace llvm;

namespace {

// Kinds of accesses to one memory.
enum access_kind : std::uint8_t {
  read_by_all = 1, // by every work-item, in code of the group
  read_by_leader = 2,
  written_by_leader = 4,
  read_by_items = 8,
  written_by_items = 16,
};

/// The earlier accesses that an access must not overtake, and that must not overtake it.
std::uint8_t conflicts_of(std::uint8_t accesses) {
  std::uint8_t with = 0;
  if (accesses & (read_by_all | read_by_items)) with |= written_by_leader | written_by_items;
  if (accesses & read_by_leader) with |= written_by_items;
  if (accesses & written_by_leader) with |= read_by_all | read_by_items | written_by_items;
  if (accesses & written_by_items)
    with |= read_by_all | read_by_leader | written_by_leader | read_by_items | written_by_items;
  return with;
}

/// The accesses of each memory. Element 0 is for memory without a variable.
using access_set = SmallVector<std::uint8_t, 8>;

class barrier_planner {
public:
  barrier_planner(Function& kernel, const item_scopes& scopes, const group_variables& shared)
      : m_kernel(kernel), m_scopes(scopes) {
    m_memories = 1;
    for (Instruction& instruction : instructions(kernel))
      if (auto* variable = dyn_cast<AllocaInst>(&instruction); variable && shared.contains(variable))
        m_indices[variable] = escapes(*variable, "__prism_group_variable") ? 0 : m_memories++;
  }

  void run() {
    gather();
    bool changed = true;
    while (changed) changed = sweep();
    for (const auto& [place, fence] : m_barriers) {
      if (fence == 0) continue;
      IRBuilder<> build(place);
      FunctionCallee barrier =
          m_kernel.getParent()->getOrInsertFunction("__prism_barrier", build.getVoidTy(), build.getInt32Ty());
      if (auto* function = dyn_cast<Function>(barrier.getCallee())) {
        function->setConvergent();
        function->setDoesNotThrow();
      }
      build.CreateCall(barrier, {build.getInt32(fence)})->setConvergent();
    }
  }

private:
  void add(access_set& to, const Instruction& instruction, std::uint8_t read, std::uint8_t written) const {
    for_each_access(instruction, [&](const memory_access& access) {
      const std::uint8_t kinds = (access.reads ? read : 0) | (access.writes ? written : 0);
      for (const Value* base : bases_of(access.pointer)) {
        auto* variable = dyn_cast_or_null<AllocaInst>(base);
        const auto found = variable ? m_indices.find(variable) : m_indices.end();
        if (found != m_indices.end()) to[found->second] |= kinds;
        else if (!base) to[0] |= kinds;
      }
    });
  }

  /// Accesses of all blocks of this scope that can be reached from `first` without leaving the scope.
  access_set accesses_from(const BasicBlock& first, item_scope scope) const {
    const bool is_item = scope == item_scope::item;
    access_set all(m_memories, 0);
    SmallVector<const BasicBlock*> open{&first};
    SmallPtrSet<const BasicBlock*, 16> seen{&first};
    while (!open.empty()) {
      const BasicBlock* block = open.pop_back_val();
      for (const Instruction& instruction : *block)
        add(all, instruction, is_item ? read_by_items : read_by_leader,
            is_item ? written_by_items : written_by_leader);
      for (const BasicBlock* next : successors(block))
        if (m_scopes.of(*next) == scope && seen.insert(next).second) open.push_back(next);
    }
    return all;
  }

  /// Lists the accesses in code of the group, in order.
  void gather() {
    for (BasicBlock& block : m_kernel) {
      if (m_scopes.of(block) != item_scope::group) continue;
      for (Instruction& instruction : block) {
        access_set accesses(m_memories, 0);
        add(accesses, instruction, read_by_all, 0);
        if (const BasicBlock* next = block.getSingleSuccessor();
            calls(instruction, "__prism_items_begin") && m_scopes.of(*next) == item_scope::item)
          accesses = accesses_from(*next, item_scope::item);
        if (instruction.isTerminator())
          for (const BasicBlock* next : successors(&block))
            if (m_scopes.of(*next) == item_scope::leader) accesses = accesses_from(*next, item_scope::leader);
        if (any_of(accesses, [](std::uint8_t kinds) { return kinds != 0; }))
          m_events[&instruction] = std::move(accesses);
      }
    }
  }

  /// Returns whether anything changed.
  bool sweep() {
    bool changed = false;
    for (BasicBlock* block : ReversePostOrderTraversal<Function*>(&m_kernel)) {
      access_set now = m_before.try_emplace(block, m_memories, std::uint8_t{0}).first->second;
      if (m_scopes.of(*block) == item_scope::group)
        for (Instruction& instruction : *block) changed |= step(instruction, now);
      for (BasicBlock* next : successors(block)) {
        access_set& before = m_before.try_emplace(next, m_memories, std::uint8_t{0}).first->second;
        for (unsigned k = 0; k < m_memories; ++k) {
          changed |= (before[k] | now[k]) != before[k];
          before[k] |= now[k];
        }
      }
    }
    return changed;
  }

  bool step(Instruction& instruction, access_set& now) {
    if (calls(instruction, "__prism_barrier")) now.assign(m_memories, 0);
    const auto event = m_events.find(&instruction);
    if (event == m_events.end()) return false;
    constexpr unsigned local = 1, local_and_global = 3;
    unsigned fence = 0;
    for (unsigned k = 0; k < m_memories; ++k)
      if (now[k] & conflicts_of(event->second[k])) fence |= k == 0 ? local_and_global : local;
    bool changed = false;
    unsigned& known = m_barriers[&instruction];
    changed = (known | fence) != known;
    known |= fence;
    if (known == local_and_global || (known == local && now[0] == 0)) now.assign(m_memories, 0);
    // memory without a variable may be global
    else if (known == local) std::fill(now.begin() + 1, now.end(), 0);
    for (unsigned k = 0; k < m_memories; ++k) now[k] |= event->second[k];
    return changed;
  }

  Function& m_kernel;
  const item_scopes& m_scopes;
  unsigned m_memories = 1;
  DenseMap<const AllocaInst*, unsigned> m_indices;
  DenseMap<const Instruction*, access_set> m_events;
  DenseMap<const BasicBlock*, access_set> m_before;
  MapVector<Instruction*, unsigned> m_barriers;
};

} // namespace

void put_barriers(Function& kernel, const item_scopes& scopes, const group_variables& shared) {
  barrier_planner(kernel, scopes, shared).run();
}

} // namespace prism::compiler
