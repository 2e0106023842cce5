#include "compiler/host/jam_lanes.hpp"

#include "compiler/device_ir/loop_facts.hpp"
#include "compiler/workgroup/lanes.hpp"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/IVDescriptors.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr unsigned most_lanes = 8;          // at once; more do not help, and need more registers than x86 has
constexpr unsigned most_values = 16;        // that loops carry for all lanes together
constexpr unsigned most_instructions = 600; // that the copies may add

bool is_note(const Instruction& instruction) {
  return instruction.isDebugOrPseudoInst() || isa<NoAliasScopeDeclInst>(instruction);
}

/// A copied loop is a loop of its own, with what is known of the original.
void copy_loop_id(const Instruction& original, Instruction& made) {
  MDNode* id = original.getMetadata(LLVMContext::MD_loop);
  if (!id) return;
  SmallVector<Metadata*> facts{nullptr};
  append_range(facts, drop_begin(id->operands()));
  MDNode* own = MDNode::getDistinct(made.getContext(), facts);
  own->replaceOperandWith(0, own);
  made.setMetadata(LLVMContext::MD_loop, own);
}

/// Whether the function's work-items have memory of their own that the loop uses, and that all of them share
/// because they execute one after the other.
bool uses_variables(Function& function, const Loop& loop) {
  for (Instruction& each : function.getEntryBlock()) {
    auto* variable = dyn_cast<AllocaInst>(&each);
    if (!variable) continue;
    if (PointerMayBeCaptured(variable, true, true)) return true;
    SmallVector<const Value*> work{variable};
    SmallPtrSet<const Value*, 8> seen;
    while (!work.empty())
      for (const User* user : work.pop_back_val()->users()) {
        auto* instruction = cast<Instruction>(user);
        if (loop.contains(instruction)) return true;
        if (instruction->getType()->isPointerTy() && seen.insert(instruction).second)
          work.push_back(instruction);
      }
  }
  return false;
}

/// A loop over work-items, in two parts. The front, from its start to the end of the last inner loop whose
/// iterations wait for each other, executes for several work-items at once. The rest does so for one after
/// the other.
class jam {
public:
  jam(Function& function, loop_facts& facts, Loop& loop)
      : m_function(function), m_facts(facts), m_loop(loop) {}

  bool may_run() {
    if (!find_ends() || !find_counters() || !find_front() || !find_rest() || !is_separate() ||
        uses_variables(m_function, m_loop))
      return false;
    find_shared();
    return branches_alike() && gains();
  }

  void run();

private:
  bool find_ends() {
    m_header = m_loop.getHeader();
    m_latch = m_loop.getLoopLatch();
    m_before = m_loop.getLoopPreheader();
    m_after = m_loop.getUniqueExitBlock();
    if (!m_latch || !m_before || !m_after || m_loop.getExitingBlock() != m_latch ||
        isa<PHINode>(m_after->front()))
      return false;
    m_trips = m_facts.evolution.getBackedgeTakenCount(&m_loop);
    if (isa<SCEVCouldNotCompute>(m_trips)) return false;
    return SCEVExpander(m_facts.evolution, m_function.getDataLayout(), "")
        .isSafeToExpandAt(m_trips, m_before->getTerminator());
  }

  /// The work-item's number and what counts with it: `x += invariant`.
  bool find_counters() {
    return all_of(m_header->phis(), [&](PHINode& phi) {
      auto* next = dyn_cast<Instruction>(phi.getIncomingValueForBlock(m_latch));
      if (!next || !isa<BinaryOperator, GetElementPtrInst>(next) || !is_contained(next->operands(), &phi))
        return false;
      return all_of(next->operands(),
                    [&](const Use& use) { return use == &phi || m_loop.isLoopInvariant(use); });
    });
  }

  /// Whether the call is one of a function of numbers. The C library's may set errno, which no kernel reads.
  bool is_pure(const CallBase& call) const {
    if (call.isConvergent()) return false;
    if (call.doesNotAccessMemory() && call.willReturn()) return true;
    LibFunc known;
    return m_facts.library.getLibFunc(call, known) && call.doesNotThrow() &&
           call.getType()->isFloatingPointTy() &&
           none_of(call.args(), [](const Use& use) { return use->getType()->isPointerTy(); });
  }

  bool is_inner(const BasicBlock* block) const { return m_facts.loops.getLoopFor(block) != &m_loop; }

  /// Whether LLVM can vectorise the inner loop although it carries this value from iteration to iteration.
  bool may_vectorise(PHINode& phi, Loop& inner) {
    RecurrenceDescriptor sum;
    InductionDescriptor counter;
    if (RecurrenceDescriptor::isReductionPHI(&phi, &inner, sum, nullptr, &m_facts.assumptions,
                                             &m_facts.dominators, &m_facts.evolution))
      return !sum.hasExactFPMath();
    return InductionDescriptor::isInductionPHI(&phi, &inner, &m_facts.evolution, counter);
  }

  /// Whether the iterations of an inner loop wait for each other.
  bool waits(Loop& inner) {
    return inner.isInnermost() && inner.getLoopLatch() &&
           any_of(inner.getHeader()->phis(), [&](PHINode& phi) { return !may_vectorise(phi, inner); });
  }

  bool find_front() {
    SmallVector<BasicBlock*> work;
    for (Loop* inner : m_loop.getSubLoops())
      if (any_of(inner->getLoopsInPreorder(), [&](Loop* each) { return waits(*each); }))
        for (BasicBlock* block : inner->blocks())
          if (m_front.insert(block)) work.push_back(block);
    if (work.empty()) return false;
    while (!work.empty()) {
      BasicBlock* block = work.pop_back_val();
      if (block == m_header) continue;
      for (BasicBlock* from : predecessors(block))
        if (m_loop.contains(from) && m_front.insert(from)) work.push_back(from);
    }
    if (m_front.contains(m_latch)) return false;
    // In an order in which definitions precede uses but those of phis.
    SetVector<BasicBlock*> ordered;
    LoopBlocksRPO order(&m_loop);
    order.perform(&m_facts.loops);
    for (BasicBlock* block : order)
      if (m_front.contains(block)) ordered.insert(block);
    m_front = std::move(ordered);
    for (BasicBlock* block : m_front) {
      if (!isa<BranchInst>(block->getTerminator())) return false;
      for (const Instruction& each : *block) {
        if (is_note(each) || each.isTerminator()) continue;
        auto* call = dyn_cast<CallBase>(&each);
        if (call && !is_pure(*call)) return false;
        if (each.isAtomic() || each.isVolatile() || each.mayThrow() || each.getType()->isTokenTy())
          return false;
        if (!call && each.mayWriteToMemory()) m_writes.insert(block);
      }
    }
    return true;
  }

  /// The block where the rest starts, and the blocks of the rest that follow it.
  bool find_rest() {
    for (BasicBlock* block : m_front)
      for (BasicBlock* next : successors(block)) {
        if (m_front.contains(next) || !is_inner(block)) continue;
        if (m_rest_start && m_rest_start != next) return false;
        m_rest_start = next;
      }
    if (!m_rest_start ||
        any_of(predecessors(m_rest_start), [&](BasicBlock* from) { return !is_inner(from); }))
      return false;
    LoopBlocksRPO order(&m_loop);
    order.perform(&m_facts.loops);
    SmallPtrSet<BasicBlock*, 8> reached{m_rest_start};
    for (BasicBlock* block : order) {
      if (m_front.contains(block) || !reached.contains(block)) continue;
      m_rest.push_back(block);
      if (!isa<BranchInst>(block->getTerminator()) || any_of(*block, [](const Instruction& each) {
        auto* call = dyn_cast<CallBase>(&each);
        return (call && call->isConvergent()) || each.getType()->isTokenTy();
      }))
        return false;
      if (block == m_latch) continue;
      for (BasicBlock* next : successors(block)) reached.insert(next);
    }
    return is_contained(m_rest, m_latch);
  }

  /// Whether no value leaves the loop.
  bool is_separate() const {
    return all_of(m_loop.blocks(), [&](const BasicBlock* block) {
      return all_of(*block, [&](const Instruction& each) {
        return all_of(each.users(),
                      [&](const User* user) { return m_loop.contains(cast<Instruction>(user)); });
      });
    });
  }

  bool is_shared(const Value* value) const {
    auto* instruction = dyn_cast<Instruction>(value);
    return !instruction || !m_loop.contains(instruction) || m_shared.contains(instruction);
  }

  /// Values of the front that are the same for all work-items.
  void find_shared() {
    for (BasicBlock* block : m_front)
      for (Instruction& each : *block)
        if (!(block == m_header && isa<PHINode>(each)) &&
            (isa<CallBase>(each) || !each.mayHaveSideEffects()) &&
            !(each.mayReadFromMemory() && !m_writes.empty() &&
              !each.hasMetadata(LLVMContext::MD_invariant_load)))
          m_shared.insert(&each);
    for (bool changed = true; changed;) {
      changed = false;
      for (BasicBlock* block : m_front)
        for (Instruction& each : *block)
          if (m_shared.contains(&each) && !all_of(each.operands(), [&](const Use& use) {
            return isa<BasicBlock>(use) || is_shared(use);
          }))
            changed |= m_shared.erase(&each);
    }
  }

  /// All branches of the front are the same for all work-items, or lead those that fail a test past it,
  /// before they did anything.
  bool branches_alike() {
    for (BasicBlock* block : m_front) {
      auto& branch = cast<BranchInst>(*block->getTerminator());
      const bool leaves = !is_inner(block) && any_of(successors(block), [&](BasicBlock* next) {
        return !m_front.contains(next);
      });
      if (leaves && (writes_before(block) ||
                     none_of(successors(block), [&](BasicBlock* next) { return m_front.contains(next); })))
        return false;
      if (!branch.isConditional() || is_shared(branch.getCondition())) continue;
      // A test that few work-items pass would always fail.
      auto* equal = dyn_cast<ICmpInst>(branch.getCondition());
      if (!leaves || (equal && equal->isEquality())) return false;
    }
    return true;
  }

  /// Whether something may have been written where the block of the front ends.
  bool writes_before(const BasicBlock* block) const {
    return any_of(ArrayRef(m_front.begin(), std::next(find(m_front, block))),
                  [&](const BasicBlock* each) { return m_writes.contains(each); });
  }

  bool gains() {
    unsigned carried = 0;
    for (Loop* inner : m_facts.loops.getLoopsInPreorder())
      if (m_front.contains(inner->getHeader()) && inner != &m_loop)
        carried = std::max(carried, unsigned(count_if(inner->getHeader()->phis(),
                                                      [&](PHINode& phi) { return !is_shared(&phi); })));
    if (carried == 0) return false;
    unsigned size = 0;
    for (const BasicBlock* block : m_front)
      size += count_if(*block, [&](const Instruction& each) { return !is_shared(&each); });
    for (const BasicBlock* block : m_rest) size += block->size();
    m_lanes = most_lanes;
    while (m_lanes > 1 && (m_lanes * carried > most_values || m_lanes * size > most_instructions))
      m_lanes /= 2;
    return m_lanes > 1;
  }

  using lane_values = DenseMap<Value*, Value*>;

  Value* of_lane(unsigned lane, Value* value) {
    Value* const its = m_values[lane].lookup(value);
    return its ? its : value;
  }
  void copy_front();
  void fill_phis();
  void branch_front();
  void copy_rest();
  Instruction* copy(Instruction& original, unsigned lane, BasicBlock& into);
  BasicBlock* block(const Twine& name) {
    return BasicBlock::Create(m_function.getContext(), name, &m_function, m_header);
  }

  Function& m_function;
  loop_facts& m_facts;
  Loop& m_loop;
  BasicBlock *m_header = nullptr, *m_latch = nullptr, *m_before = nullptr, *m_after = nullptr;
  const SCEV* m_trips = nullptr; // jumps back
  SetVector<BasicBlock*> m_front;
  BasicBlock* m_rest_start = nullptr;
  SmallVector<BasicBlock*> m_rest;
  DenseSet<const Instruction*> m_shared;
  SmallPtrSet<const BasicBlock*, 8> m_writes; // blocks of the front
  unsigned m_lanes = 0;

  std::unique_ptr<lane_values[]> m_values;     // of each lane
  DenseMap<BasicBlock*, BasicBlock*> m_copies; // of the front
  BasicBlock *m_alone = nullptr, *m_together_end = nullptr;
  PHINode* m_turns = nullptr;                  // how often the copy still executes
  DenseMap<PHINode*, PHINode*> m_starts;       // of the counters, in the copy
  DenseMap<PHINode*, PHINode*> m_alone_starts; // in front of the loop
  DenseMap<PHINode*, Value*> m_next;           // of the counters, after all lanes
};

Instruction* jam::copy(Instruction& original, unsigned lane, BasicBlock& into) {
  Instruction* made = original.clone();
  // A scope that ends with a work-item does not hold for several of them.
  made->setMetadata(LLVMContext::MD_noalias, nullptr);
  made->setMetadata(LLVMContext::MD_alias_scope, nullptr);
  made->insertInto(&into, into.end());
  if (!isa<PHINode>(made))
    for (Use& use : made->operands()) use.set(of_lane(lane, use));
  return made;
}

void jam::copy_front() {
  for (BasicBlock* original : m_front) m_copies[original] = block(original->getName() + ".jam");
  for (BasicBlock* original : m_front) {
    BasicBlock& made = *m_copies[original];
    if (original == m_header) {
      m_turns = PHINode::Create(Type::getInt64Ty(m_function.getContext()), 2, "turns", &made);
      for (PHINode& phi : original->phis()) m_starts[&phi] = PHINode::Create(phi.getType(), 2, "", &made);
      for (PHINode& phi : original->phis()) {
        Value* now = m_starts[&phi];
        auto& next = cast<Instruction>(*phi.getIncomingValueForBlock(m_latch));
        for (unsigned lane = 0; lane < m_lanes; ++lane) {
          m_values[lane][&phi] = now;
          Instruction* after = next.clone();
          after->replaceUsesOfWith(&phi, now);
          after->insertInto(&made, made.end());
          now = after;
        }
        m_next[&phi] = now;
      }
    }
    for (Instruction& each : *original) {
      if (each.isTerminator() || is_note(each) || (original == m_header && isa<PHINode>(each))) continue;
      const bool once = m_shared.contains(&each);
      for (unsigned lane = 0; lane < (once ? 1 : m_lanes); ++lane) {
        Instruction* mine = copy(each, lane, made);
        for (unsigned l = once ? 0 : lane; l < (once ? m_lanes : lane + 1); ++l) m_values[l][&each] = mine;
      }
    }
  }
}

void jam::fill_phis() {
  for (BasicBlock* original : m_front) {
    if (original == m_header) continue;
    for (PHINode& phi : original->phis())
      for (unsigned lane = 0; lane < (m_shared.contains(&phi) ? 1 : m_lanes); ++lane) {
        auto& mine = cast<PHINode>(*of_lane(lane, &phi));
        for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
          mine.setIncomingBlock(i, m_copies[phi.getIncomingBlock(i)]);
          mine.setIncomingValue(i, of_lane(lane, phi.getIncomingValue(i)));
        }
      }
  }
}

void jam::branch_front() {
  for (BasicBlock* original : m_front) {
    auto& branch = cast<BranchInst>(*original->getTerminator());
    BasicBlock& made = *m_copies[original];
    IRBuilder<> build(&made);
    const auto target = [&](unsigned i) {
      BasicBlock* next = branch.getSuccessor(i);
      if (m_front.contains(next)) return m_copies[next];
      return is_inner(original) ? m_together_end : m_alone;
    };
    if (!branch.isConditional()) {
      build.CreateBr(target(0));
    } else {
      Value* condition = of_lane(0, branch.getCondition());
      const bool on_true = m_front.contains(branch.getSuccessor(0));
      if (!is_shared(branch.getCondition()))
        for (unsigned lane = 1; lane < m_lanes; ++lane) {
          Value* its = of_lane(lane, branch.getCondition());
          condition = on_true ? build.CreateAnd(condition, its) : build.CreateOr(condition, its);
        }
      build.CreateCondBr(condition, target(0), target(1));
    }
    copy_loop_id(branch, *made.getTerminator());
    for (BasicBlock* next : successors(&made))
      if (next == m_alone)
        for (auto& [phi, start] : m_alone_starts) start->addIncoming(m_starts[phi], &made);
  }
}

/// The rest of each work-item, one after the other.
void jam::copy_rest() {
  // What the inner loops leave to the rest.
  for (PHINode& phi : m_rest_start->phis())
    for (unsigned lane = 0; lane < m_lanes; ++lane) {
      PHINode* mine = PHINode::Create(phi.getType(), phi.getNumIncomingValues(), "", m_together_end);
      for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i)
        mine->addIncoming(of_lane(lane, phi.getIncomingValue(i)), m_copies[phi.getIncomingBlock(i)]);
      m_values[lane][&phi] = mine;
    }
  BasicBlock* from = m_together_end;
  for (unsigned lane = 0; lane < m_lanes; ++lane) {
    lane_values& values = m_values[lane];
    DenseMap<BasicBlock*, BasicBlock*> copies;
    for (BasicBlock* original : m_rest) copies[original] = block(original->getName() + ".lane");
    for (BasicBlock* original : m_rest) {
      BasicBlock& made = *copies[original];
      for (Instruction& each : *original) {
        if (is_note(each) || each.isTerminator() || (original == m_rest_start && isa<PHINode>(each)))
          continue;
        values[&each] = copy(each, lane, made);
      }
    }
    for (BasicBlock* original : m_rest) {
      BasicBlock& made = *copies[original];
      if (original != m_rest_start)
        for (PHINode& phi : original->phis()) {
          auto& mine = cast<PHINode>(*of_lane(lane, &phi));
          for (int i = int(phi.getNumIncomingValues()) - 1; i >= 0; --i) {
            BasicBlock* before = copies.lookup(phi.getIncomingBlock(i));
            if (!before) {
              mine.removeIncomingValue(i, false);
              continue;
            }
            mine.setIncomingBlock(i, before);
            mine.setIncomingValue(i, of_lane(lane, phi.getIncomingValue(i)));
          }
        }
      if (original == m_latch) continue;
      auto* branch = cast<BranchInst>(original->getTerminator()->clone());
      branch->insertInto(&made, made.end());
      copy_loop_id(*original->getTerminator(), *branch);
      if (branch->isConditional()) branch->setCondition(of_lane(lane, branch->getCondition()));
      for (unsigned i = 0; i < branch->getNumSuccessors(); ++i)
        branch->setSuccessor(i, copies.lookup(branch->getSuccessor(i)));
    }
    IRBuilder<>(from).CreateBr(copies[m_rest_start]);
    from = copies[m_latch];
  }
  // The next work-items, or those that remain.
  IRBuilder<> build(from);
  Value* turns = build.CreateSub(m_turns, build.getInt64(1));
  m_turns->addIncoming(turns, from);
  for (auto& [phi, start] : m_starts) start->addIncoming(m_next[phi], from);
  BasicBlock* end = block("jam.end");
  build.CreateCondBr(build.CreateICmpNE(turns, build.getInt64(0)), m_copies[m_header], end);
  m_together_end = end;
}

void jam::run() {
  m_values = std::make_unique<lane_values[]>(m_lanes);
  Instruction* place = m_before->getTerminator();
  SCEVExpander expand(m_facts.evolution, m_function.getDataLayout(), "lanes");
  Value* last = expand.expandCodeFor(m_trips, m_trips->getType(), place->getIterator());
  IRBuilder<> build(place);
  Value* all =
      build.CreateAdd(build.CreateZExtOrTrunc(last, build.getInt64Ty()), build.getInt64(1), "work_items");
  Value* turns = build.CreateLShr(all, Log2_32(m_lanes));
  m_alone = block("alone");
  m_together_end = block("together");
  for (PHINode& phi : m_header->phis()) {
    m_alone_starts[&phi] = PHINode::Create(phi.getType(), 3, "", m_alone);
    m_alone_starts[&phi]->addIncoming(phi.getIncomingValueForBlock(m_before), m_before);
  }
  copy_front();
  fill_phis();
  branch_front();
  copy_rest();
  m_turns->addIncoming(turns, m_before);
  for (auto& [phi, start] : m_starts) start->addIncoming(phi->getIncomingValueForBlock(m_before), m_before);
  build.CreateCondBr(build.CreateICmpNE(turns, build.getInt64(0)), m_copies[m_header], m_alone);
  place->eraseFromParent();
  build.SetInsertPoint(m_together_end);
  Value* remain = build.CreateAnd(all, build.getInt64(m_lanes - 1));
  build.CreateCondBr(build.CreateICmpNE(remain, build.getInt64(0)), m_alone, m_after);
  for (auto& [phi, start] : m_alone_starts) {
    start->addIncoming(m_next[phi], m_together_end);
    phi->setIncomingValue(phi->getBasicBlockIndex(m_before), start);
    phi->setIncomingBlock(phi->getBasicBlockIndex(m_before), m_alone);
  }
  IRBuilder<>(m_alone).CreateBr(m_header);
}

/// The next loop that may be transformed and was not looked at.
bool jam_next(Function& function, SmallPtrSetImpl<BasicBlock*>& seen) {
  loop_facts facts(function);
  for (Loop* loop : facts.loops.getLoopsInPreorder()) {
    if (loop->isInnermost() || !is_lane_loop(*loop) || !seen.insert(loop->getHeader()).second) continue;
    simplifyLoop(loop, &facts.dominators, &facts.loops, &facts.evolution, &facts.assumptions, nullptr, false);
    formLCSSARecursively(*loop, facts.dominators, &facts.loops, &facts.evolution);
    jam each(function, facts, *loop);
    if (!each.may_run()) continue;
    each.run();
    return true;
  }
  return false;
}

} // namespace

bool jam_lanes(Function& function) {
  SmallPtrSet<BasicBlock*, 8> seen;
  bool changed = false;
  while (jam_next(function, seen)) changed = true;
  return changed;
}

} // namespace prism::compiler
