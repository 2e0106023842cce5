#include "compiler/passes/leader_code.hpp"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

#include <optional>

namespace prism::compiler {
using namespace llvm;

namespace {

/// A variable through which the leader passes a value to all work-items. Single bits are stored as bytes.
class passing_variable {
public:
  passing_variable(Function& kernel, Type* type)
      : m_type(type), m_stored_type(type->isIntegerTy(1) ? Type::getInt8Ty(kernel.getContext()) : type),
        m_variable(new AllocaInst(m_stored_type, 0, "", kernel.getEntryBlock().begin())) {}

  void store(IRBuilder<>& build, Value* value) {
    build.CreateStore(build.CreateZExtOrBitCast(value, m_stored_type), m_variable);
  }
  Value* load(IRBuilder<>& build) {
    Value* stored = build.CreateLoad(m_stored_type, m_variable);
    return m_stored_type == m_type ? stored : build.CreateTrunc(stored, m_type);
  }

private:
  Type *m_type, *m_stored_type;
  AllocaInst* m_variable;
};

class leader_loops {
public:
  leader_loops(Function& kernel, item_scopes& scopes, Value& is_leader)
      : m_kernel(kernel), m_scopes(scopes), m_is_leader(is_leader), m_dominators(kernel),
        m_loops(m_dominators) {}

  bool run() {
    for (Loop* loop : m_loops) collect(*loop);
    for (const found_loop& each : m_found) {
      if (!each.preheader || !each.is_closed) return false;
      for (BasicBlock* block : each.blocks) m_scopes.set(*block, item_scope::leader);
    }
    for (const found_loop& each : m_found) give(each);
    return true;
  }

private:
  struct found_loop {
    BasicBlock *preheader, *header;
    bool is_closed; // whether its exits can be reached only from it
    SmallVector<BasicBlock*> blocks, exits;
  };

  bool is_of_group(const Loop& loop) const {
    for (const BasicBlock* block : loop.blocks()) {
      if (m_scopes.of(*block) == item_scope::item) return false;
      for (const Instruction& instruction : *block)
        if (calls(instruction, "__prism_barrier") || calls(instruction, "__prism_items_begin") ||
            calls(instruction, "__prism_items_end"))
          return false;
    }
    return true;
  }

  void collect(const Loop& loop) {
    if (!is_of_group(loop)) {
      for (Loop* inner : loop.getSubLoops()) collect(*inner);
      return;
    }
    found_loop found{loop.getLoopPreheader(),
                     loop.getHeader(),
                     loop.hasDedicatedExits(),
                     {loop.block_begin(), loop.block_end()},
                     {}};
    loop.getUniqueExitBlocks(found.exits);
    m_found.push_back(std::move(found));
  }

  void give(const found_loop& loop) {
    LLVMContext& context = m_kernel.getContext();
    BasicBlock* join = BasicBlock::Create(context, "", &m_kernel);
    m_scopes.set(*join, item_scope::group);
    IRBuilder<> at_join(join);
    std::optional<passing_variable> which;
    if (loop.exits.size() > 1) which.emplace(m_kernel, at_join.getInt32Ty());
    SwitchInst* choice = which ? at_join.CreateSwitch(which->load(at_join), loop.exits[0]) : nullptr;
    if (!which && loop.exits.empty()) at_join.CreateUnreachable(); // the loop never ends
    else if (!which) at_join.CreateBr(loop.exits[0]);
    for (unsigned k = 0; k < loop.exits.size(); ++k) {
      BasicBlock* exit = loop.exits[k];
      BasicBlock* left = BasicBlock::Create(context, "", &m_kernel);
      m_scopes.set(*left, item_scope::leader);
      const SmallVector<BasicBlock*> from(predecessors(exit));
      for (BasicBlock* block : from)
        if (block != join) block->getTerminator()->replaceSuccessorWith(exit, left);
      IRBuilder<> leave(left);
      for (PHINode& phi : make_early_inc_range(exit->phis())) {
        passing_variable variable(m_kernel, phi.getType());
        IRBuilder<> enter(exit, exit->getFirstInsertionPt());
        phi.replaceAllUsesWith(variable.load(enter));
        phi.moveBefore(*left, left->begin());
        leave.SetInsertPoint(left);
        variable.store(leave, &phi);
      }
      leave.SetInsertPoint(left);
      if (which) which->store(leave, leave.getInt32(k));
      leave.CreateBr(join);
      if (choice && k > 0) choice->addCase(at_join.getInt32(k), exit);
    }
    Instruction* end = loop.preheader->getTerminator();
    IRBuilder<>(end).CreateCondBr(&m_is_leader, loop.header, join);
    end->eraseFromParent();
  }

  Function& m_kernel;
  item_scopes& m_scopes;
  Value& m_is_leader;
  DominatorTree m_dominators;
  LoopInfo m_loops;
  std::vector<found_loop> m_found;
};

class leader_effects {
public:
  leader_effects(Function& kernel, item_scopes& scopes, const group_variables& shared, Value& is_leader)
      : m_kernel(kernel), m_scopes(scopes), m_shared(shared), m_is_leader(is_leader) {}

  void run() {
    SmallVector<BasicBlock*> blocks;
    for (BasicBlock& block : m_kernel)
      if (m_scopes.of(block) == item_scope::group) blocks.push_back(&block);
    for (BasicBlock* block : blocks) give(*block);
    for (Instruction* instruction : m_given) pass_on(*instruction);
  }

private:
  bool is_own(const Value* pointer) const {
    for (const Value* base : bases_of(pointer)) {
      auto* variable = dyn_cast_or_null<AllocaInst>(base);
      if (!variable || m_shared.contains(variable)) return false;
    }
    return true;
  }

  /// Whether the group must execute this only once.
  bool has_effect(const Instruction& instruction) const {
    if (instruction.isTerminator()) return false;
    bool writes = false, accesses = false;
    for_each_access(instruction, [&](const memory_access& access) {
      accesses = true;
      writes |= access.writes && !is_own(access.pointer);
    });
    if (writes) return true;
    auto* call = dyn_cast<CallBase>(&instruction);
    return call && !accesses && call->doesNotReturn();
  }

  /// Instructions that neither move nor become the leader's: all work-items execute them.
  static bool is_fixed(const Instruction& instruction) {
    return isa<PHINode>(instruction) || instruction.isTerminator() || isa<AllocaInst>(instruction) ||
           isa<FenceInst>(instruction) || calls(instruction, "__prism_barrier") ||
           calls(instruction, "__prism_fence") || calls(instruction, "__prism_items_begin") ||
           calls(instruction, "__prism_items_end");
  }

  /// Instructions with effects, and instructions of the block that only those need.
  SmallPtrSet<Instruction*, 16> leaders_of(BasicBlock& block) const {
    SmallPtrSet<Instruction*, 16> leaders;
    for (Instruction& instruction : reverse(block)) {
      if (has_effect(instruction)) leaders.insert(&instruction);
      if (is_fixed(instruction) || instruction.mayHaveSideEffects() || instruction.use_empty()) continue;
      if (all_of(instruction.users(), [&](User* user) { return leaders.contains(cast<Instruction>(user)); }))
        leaders.insert(&instruction);
    }
    return leaders;
  }

  bool needs(const Instruction& instruction, const SmallVectorImpl<Instruction*>& run) const {
    return any_of(instruction.operands(), [&](const Use& use) {
      auto* operand = dyn_cast<Instruction>(use.get());
      return operand && is_contained(run, operand);
    });
  }

  void give(BasicBlock& first) {
    SmallPtrSet<Instruction*, 16> leaders = leaders_of(first);
    BasicBlock* block = &first;
    SmallVector<Instruction*> run;
    bool has_effects = false;
    Instruction* next = nullptr;
    for (Instruction* at = &block->front(); at; at = next) {
      next = at->getNextNode();
      const bool leads = leaders.contains(at);
      // Pure computations move in front of the leader's instructions, which then are contiguous. Memory
      // accesses keep their order.
      const bool passes = !leads && !is_fixed(*at) && !at->mayReadOrWriteMemory() && !needs(*at, run);
      if (leads) {
        run.push_back(at);
        has_effects |= has_effect(*at);
      } else if (!run.empty() && passes) {
        at->moveBefore(run.front());
      } else if (!run.empty()) {
        if (has_effects) block = guard(*block, run, *at);
        run.clear();
        has_effects = false;
      }
    }
  }

  /// Moves `run`, which stands before `rest`, into a block that only the leader executes. Returns the block
  /// with `rest`.
  BasicBlock* guard(BasicBlock& block, ArrayRef<Instruction*> run, Instruction& rest) {
    BasicBlock* leader = block.splitBasicBlock(run.front());
    BasicBlock* after = leader->splitBasicBlock(&rest);
    m_scopes.set(*leader, item_scope::leader);
    m_scopes.set(*after, item_scope::group);
    Instruction* jump = block.getTerminator();
    IRBuilder<>(jump).CreateCondBr(&m_is_leader, leader, after);
    jump->eraseFromParent();
    if (isa<UnreachableInst>(rest)) { // the leader reports a failure; the group ends
      IRBuilder<>(&rest).CreateRetVoid();
      rest.eraseFromParent();
    }
    m_given.append(run.begin(), run.end());
    return after;
  }

  /// Uses outside of the leader's block then read a variable.
  void pass_on(Instruction& instruction) {
    const auto is_outside = [&](const User* user) {
      return cast<Instruction>(user)->getParent() != instruction.getParent();
    };
    // The leader extracts the results of a compare-exchange.
    for (User* user : make_early_inc_range(instruction.users()))
      if (auto* part = dyn_cast<ExtractValueInst>(user); part && is_outside(part)) {
        part->moveAfter(&instruction);
        pass_on(*part);
      }
    SmallVector<Use*> outside;
    for (Use& use : instruction.uses())
      if (is_outside(use.getUser())) outside.push_back(&use);
    if (outside.empty()) return;
    passing_variable variable(m_kernel, instruction.getType());
    IRBuilder<> build(instruction.getNextNode());
    variable.store(build, &instruction);
    DenseMap<Instruction*, Value*> loaded; // a phi may have several edges from one block
    for (Use* use : outside) {
      auto* user = cast<Instruction>(use->getUser());
      auto* phi = dyn_cast<PHINode>(user);
      Instruction* place = phi ? phi->getIncomingBlock(*use)->getTerminator() : user;
      Value*& value = loaded[place];
      if (!value) {
        IRBuilder<> at_use(place);
        value = variable.load(at_use);
      }
      use->set(value);
    }
  }

  Function& m_kernel;
  item_scopes& m_scopes;
  const group_variables& m_shared;
  Value& m_is_leader;
  SmallVector<Instruction*> m_given;
};

} // namespace

bool make_loops_leader_code(Function& kernel, item_scopes& scopes, Value& is_leader) {
  return leader_loops(kernel, scopes, is_leader).run();
}

void make_effects_leader_code(Function& kernel, item_scopes& scopes, const group_variables& shared,
                              Value& is_leader) {
  leader_effects(kernel, scopes, shared, is_leader).run();
}

} // namespace prism::compiler
