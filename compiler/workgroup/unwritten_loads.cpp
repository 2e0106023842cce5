#include "compiler/workgroup/unwritten_loads.hpp"

#include "compiler/device_ir/loop_facts.hpp"
#include "compiler/device_ir/pointer_space.hpp"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/BasicAliasAnalysis.h"
#include "llvm/Analysis/ScopedNoAliasAA.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace prism::compiler {
using namespace llvm;

namespace {

/// Both bound the number of queries about two accesses.
constexpr std::size_t most_loads = 64, most_writes = 256;

class unwritten_loads {
public:
  explicit unwritten_loads(Function& kernel)
      : m_kernel(kernel), m_spaces(kernel), m_facts(kernel),
        m_basic(kernel.getParent()->getDataLayout(), kernel, m_facts.library, m_facts.assumptions,
                &m_facts.dominators),
#if LLVM_VERSION_MAJOR >= 21
        m_by_type(false),
#endif
        m_aliases(m_facts.library) {
    m_aliases.addAAResult(m_basic);
    m_aliases.addAAResult(m_by_scope);
    m_aliases.addAAResult(m_by_type);
  }

  void mark() {
    SmallVector<LoadInst*> loads;
    for (Instruction& instruction : instructions(m_kernel))
      if (auto* load = dyn_cast<LoadInst>(&instruction); load && load->isSimple() && has_base(*load))
        loads.push_back(load);
    if (loads.empty() || loads.size() > most_loads || !find_writes()) return;
    for (bool any = true; any;) { // a base may come later in the list
      any = false;
      for (LoadInst*& load : loads) {
        if (load == nullptr || !has_known_address(*load)) continue;
        if (none_of(m_writes, [&](const Instruction* write) { return may_change(*write, *load); })) {
          load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(m_kernel.getContext(), {}));
          any = true;
        }
        load = nullptr;
      }
    }
  }

private:
  /// A load from global memory through a pointer that was loaded itself, at a constant distance.
  bool has_base(const LoadInst& load) const {
    return m_spaces.of(load.getPointerOperand()) == pointer_space::global && base_of(load) != nullptr;
  }
  const LoadInst* base_of(const LoadInst& load) const {
    APInt distance(64, 0);
    return dyn_cast<LoadInst>(load.getPointerOperand()->stripAndAccumulateConstantOffsets(
        m_kernel.getParent()->getDataLayout(), distance, true));
  }
  bool has_known_address(const LoadInst& load) const {
    return base_of(load)->hasMetadata(LLVMContext::MD_invariant_load);
  }

  bool may_change(const Instruction& write, const LoadInst& load) {
    // Atomic accesses have no metadata about types, but an object is accessed in its own size.
    if (auto* atomic = dyn_cast<AtomicRMWInst>(&write);
        atomic && size_of(*atomic->getType()) != size_of(*load.getType()))
      return false;
    return isModSet(m_aliases.getModRefInfo(&write, MemoryLocation::get(&load)));
  }
  TypeSize size_of(Type& type) const { return m_kernel.getParent()->getDataLayout().getTypeStoreSize(&type); }

  /// False if there are calls that may write anywhere, or too many writes.
  bool find_writes() {
    for (Instruction& instruction : instructions(m_kernel)) {
      if (!instruction.mayWriteToMemory()) continue;
      auto* call = dyn_cast<CallInst>(&instruction);
      const Function* callee = call ? call->getCalledFunction() : nullptr;
      if (callee && (callee->getName().starts_with("__prism_") || isa<IntrinsicInst>(call))) {
        if (isa<MemIntrinsic>(call)) return false;
        continue; // barriers, fences and functions of sub-groups write to no memory of the program
      }
      if (call || m_writes.size() == most_writes) return false;
      m_writes.push_back(&instruction);
    }
    return true;
  }

  Function& m_kernel;
  pointer_spaces m_spaces;
  loop_facts m_facts;
  BasicAAResult m_basic;
  ScopedNoAliasAAResult m_by_scope;
  TypeBasedAAResult m_by_type;
  AAResults m_aliases;
  SmallVector<const Instruction*> m_writes;
};

bool is_unwritten(const Instruction& instruction) {
  auto* load = dyn_cast<LoadInst>(&instruction);
  return load && load->hasMetadata(LLVMContext::MD_invariant_load) &&
         !isa<Argument>(getUnderlyingObject(load->getPointerOperand()));
}

} // namespace

void mark_unwritten_loads(Function& kernel) { unwritten_loads(kernel).mark(); }

void sink_unwritten_loads(Function& kernel) {
  const loop_facts facts(kernel);
  for (const Loop* loop : facts.loops.getLoopsInPreorder()) {
    BasicBlock* before = loop->getLoopPreheader();
    if (!loop->isInnermost() || before == nullptr) continue;
    for (Instruction& instruction : make_early_inc_range(reverse(*before)))
      if (is_unwritten(instruction) && all_of(instruction.users(), [&](const User* user) {
        return !isa<PHINode>(user) && loop->contains(cast<Instruction>(user));
      }))
        instruction.moveBefore(*loop->getHeader(), loop->getHeader()->getFirstInsertionPt());
  }
}

} // namespace prism::compiler
