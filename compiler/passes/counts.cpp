#include "compiler/passes/counts.hpp"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>
#include <map>
#include <set>

namespace prism::compiler {
using namespace llvm;

namespace {

/// The number of values that the analysis follows for one address or condition: huge kernels must not take
/// long to compile.
constexpr std::size_t largest_expression = 256;

enum class memory_kind { none, global, local };

/// The sources that a value depends on.
struct origin {
  bool item = false;     // the work-item's id
  bool x_scaled = false; // x is multiplied by something other than the size of one element
  bool loaded = false;   // the contents of global memory
};

struct where {
  double weight = 1;  // executions within loops of known length, and of branches
  unsigned depth = 0; // the number of surrounding loops of unknown length
  bool divergent = false;
};

class operation_counter {
public:
  explicit operation_counter(Function& kernel)
      : m_kernel(kernel), m_dominators(kernel), m_loops(m_dominators), m_post(kernel), m_assumptions(kernel),
        m_library_impl(Triple(kernel.getParent()->getTargetTriple())), m_library(m_library_impl),
        m_evolution(kernel, m_library, m_assumptions, m_dominators, m_loops) {}

  image::kernel_counts run() {
    for (const Loop* loop : m_loops.getLoopsInPreorder())
      if (m_evolution.getSmallConstantTripCount(loop) == 0) ++m_counts.unknown_loops;
    for (BasicBlock& block : m_kernel) {
      const where w = executions_of(block);
      for (Instruction& instruction : block) count(instruction, w);
    }
    if (m_traffic > 0) {
      m_counts.random_share = m_random / m_traffic;
      m_counts.strided_share = m_strided / m_traffic;
    }
    if (m_work > 0) m_counts.divergence = m_divergent / m_work;
    return m_counts;
  }

private:
  /// The sources of a value. Cycles of values end at values that were visited already.
  origin origin_of(const Value* value, std::set<const Value*>& seen, bool scaled = false) {
    origin found;
    const auto* instruction = dyn_cast<Instruction>(value);
    if (!instruction || seen.size() >= largest_expression || !seen.insert(value).second) return found;
    if (const auto* call = dyn_cast<CallInst>(instruction)) {
      const Function* callee = call->getCalledFunction();
      const StringRef name = callee ? callee->getName() : "";
      if (name == "__prism_local_id" || name == "__prism_group_id") {
        found.item = true;
        const auto* dimension = dyn_cast<ConstantInt>(call->getArgOperand(0));
        found.x_scaled = scaled && name == "__prism_local_id" && dimension && dimension->isZero();
        return found;
      }
    }
    if (const auto* load = dyn_cast<LoadInst>(instruction)) {
      if (kind_of(load->getPointerOperand()) == memory_kind::global) found.loaded = true;
      return found;
    }
    // x * n and x << n move neighbours n elements apart; the getelementptr has the size of an element itself.
    const bool scales =
        instruction->getOpcode() == Instruction::Mul || instruction->getOpcode() == Instruction::Shl;
    for (const Value* operand : instruction->operands()) {
      const origin part = origin_of(operand, seen, scaled || scales);
      found.item |= part.item;
      found.x_scaled |= part.x_scaled;
      found.loaded |= part.loaded;
    }
    return found;
  }
  origin origin_of(const Value* value) {
    std::set<const Value*> seen;
    return origin_of(value, seen);
  }

  memory_kind kind_of(const Value* pointer) {
    SmallVector<const Value*, 4> objects;
    getUnderlyingObjects(pointer, objects);
    for (const Value* object : objects) {
      if (isa<AllocaInst>(object) || isa<Argument>(object) || isa<GlobalValue>(object))
        return memory_kind::none; // the captured block
      if (const auto* call = dyn_cast<CallInst>(object))
        if (const Function* f = call->getCalledFunction())
          if (f->getName() == "__prism_local_arena" || f->getName() == "__prism_group_scratch")
            return memory_kind::local;
    }
    return memory_kind::global;
  }

  /// Whether work-items of one group may branch differently.
  bool diverges(const BasicBlock& at) {
    const auto known = m_diverges.find(&at);
    if (known != m_diverges.end()) return known->second;
    return m_diverges[&at] = find_divergence(at);
  }

  bool find_divergence(const BasicBlock& at) {
    const Instruction* end = at.getTerminator();
    const Value* condition = nullptr;
    if (const auto* branch = dyn_cast<BranchInst>(end))
      condition = branch->isConditional() ? branch->getCondition() : nullptr;
    else if (const auto* choice = dyn_cast<SwitchInst>(end)) condition = choice->getCondition();
    if (!condition) return false;
    const origin from = origin_of(condition);
    return from.item || from.loaded;
  }

  /// A range guard: one of its ways only ends the work-item, and the condition does not depend on data.
  bool is_guard(const BasicBlock& at) {
    const auto* branch = dyn_cast<BranchInst>(at.getTerminator());
    if (!branch || !branch->isConditional() || origin_of(branch->getCondition()).loaded) return false;
    for (const BasicBlock* next : successors(&at))
      if (next->size() == 1 && isa<ReturnInst>(next->getTerminator())) return true;
    return false;
  }

  /// How often each work-item executes a block: loops multiply, a condition halves.
  where executions_of(BasicBlock& block) {
    where w;
    for (const Loop* loop = m_loops.getLoopFor(&block); loop; loop = loop->getParentLoop()) {
      if (const unsigned trips = m_evolution.getSmallConstantTripCount(loop)) w.weight *= trips;
      else ++w.depth;
    }
    w.depth = std::min(w.depth, image::counted_depths - 1);
    const DomTreeNode* node = m_dominators.getNode(&block);
    if (!node) return {0, 0, false}; // unreachable
    for (const DomTreeNode* up = node->getIDom(); up; up = up->getIDom()) {
      BasicBlock* above = up->getBlock();
      if (above->getTerminator()->getNumSuccessors() < 2 || is_guard(*above) ||
          m_post.dominates(&block, above))
        continue;
      const Loop* loop = m_loops.getLoopFor(above);
      if (loop && loop->isLoopExiting(above) && loop->contains(&block)) continue; // the loop's own condition
      if (guards_loop(*above, block)) continue;
      w.weight *= 0.5;
      w.divergent = w.divergent || diverges(*above);
    }
    return w;
  }

  /// The check of a rotated loop whether its body runs at all.
  bool guards_loop(BasicBlock& above, BasicBlock& block) {
    for (const Loop* loop = m_loops.getLoopFor(&block); loop; loop = loop->getParentLoop())
      if (!loop->contains(&above) &&
          m_evolution.getSmallConstantTripCount(loop) == 0) // a loop of known length needs no check
        for (BasicBlock* next : successors(&above))
          if (next == loop->getHeader() || next == loop->getLoopPreheader()) return true;
    return false;
  }

  void add(double (&to)[image::counted_depths], const where& w, double amount) {
    to[w.depth] += w.weight * amount;
    m_work += w.weight * amount;
    if (w.divergent) m_divergent += w.weight * amount;
  }

  void add_flops(const where& w, const Type* type, double amount) {
    if (const auto* vector = dyn_cast<FixedVectorType>(type)) amount *= vector->getNumElements();
    const Type* scalar = type->getScalarType();
    add(scalar->isDoubleTy()  ? m_counts.flops64
        : scalar->isFloatTy() ? m_counts.flops32
                              : m_counts.flops16,
        w, amount);
  }

  void add_access(const Value* pointer, std::uint64_t bytes, bool write, const where& w) {
    const memory_kind kind = kind_of(pointer);
    if (kind == memory_kind::none) return;
    if (kind == memory_kind::local) {
      add(m_counts.local_bytes, w, double(bytes));
      return;
    }
    add(write ? m_counts.bytes_written : m_counts.bytes_read, w, double(bytes));
    const origin from = origin_of(pointer);
    m_traffic += w.weight * bytes;
    if (from.loaded) m_random += w.weight * bytes;
    else if (from.x_scaled) m_strided += w.weight * bytes;
  }

  void count_call(const CallInst& call, const where& w) {
    const Function* callee = call.getCalledFunction();
    if (!callee || !call.getType()->isFPOrFPVectorTy()) return;
    const StringRef name = callee->getName();
    const bool fused = name.contains("fma") || name.contains("fmuladd");
    // these change bits, without arithmetic
    const bool sign = name.contains("fabs") || name.contains("copysign");
    add_flops(w, call.getType(), fused ? 2 : sign ? 0 : 1);
  }

  void count(Instruction& instruction, const where& w) {
    const DataLayout& layout = m_kernel.getParent()->getDataLayout();
    if (auto* load = dyn_cast<LoadInst>(&instruction))
      return add_access(load->getPointerOperand(), layout.getTypeStoreSize(load->getType()), false, w);
    if (auto* store = dyn_cast<StoreInst>(&instruction))
      return add_access(store->getPointerOperand(),
                        layout.getTypeStoreSize(store->getValueOperand()->getType()), true, w);
    if (auto* update = dyn_cast<AtomicRMWInst>(&instruction)) {
      add(m_counts.atomics, w, 1);
      return add_access(update->getPointerOperand(), layout.getTypeStoreSize(update->getType()), true, w);
    }
    if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
      add(m_counts.atomics, w, 1);
      return add_access(exchange->getPointerOperand(),
                        layout.getTypeStoreSize(exchange->getNewValOperand()->getType()), true, w);
    }
    if (auto* call = dyn_cast<CallInst>(&instruction)) return count_call(*call, w);
    if (isa<FCmpInst>(instruction)) return add_flops(w, instruction.getOperand(0)->getType(), 1);
    if (!instruction.isBinaryOp()) return;
    if (instruction.getType()->isFPOrFPVectorTy()) add_flops(w, instruction.getType(), 1);
    else add(m_counts.integer_operations, w, 1);
  }

  Function& m_kernel;
  DominatorTree m_dominators;
  LoopInfo m_loops;
  PostDominatorTree m_post;
  AssumptionCache m_assumptions;
  TargetLibraryInfoImpl m_library_impl;
  TargetLibraryInfo m_library;
  ScalarEvolution m_evolution;
  image::kernel_counts m_counts;
  std::map<const BasicBlock*, bool> m_diverges;
  double m_traffic = 0, m_random = 0, m_strided = 0, m_work = 0, m_divergent = 0;
};

} // namespace

image::kernel_counts count_operations(Function& kernel) { return operation_counter(kernel).run(); }

} // namespace prism::compiler
