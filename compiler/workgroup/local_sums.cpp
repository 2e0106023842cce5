#include "compiler/workgroup/local_sums.hpp"

#include "compiler/device_ir/pointer_space.hpp"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace prism::compiler {
using namespace llvm;

namespace {

class keeper {
public:
  explicit keeper(Function& kernel)
      : m_kernel(kernel), m_spaces(kernel), m_dominators(kernel), m_loops(m_dominators) {}

  bool run() {
    SmallVector<const Loop*> done;
    for (const Loop* loop : m_loops.getLoopsInPreorder())
      if (none_of(done, [&](const Loop* each) { return each->contains(loop); }) && keep(*loop))
        done.push_back(loop);
    return !done.empty();
  }

private:
  bool keep(const Loop& loop) {
    BasicBlock* const before = loop.getLoopPreheader();
    if (!before || !loop.hasDedicatedExits() || !find_accesses(loop)) return false;
    Value* const start = stored_in_front(*before);
    if (!start) return false;
    SmallVector<PHINode*> known;
    for (PHINode& phi : loop.getHeader()->phis()) known.push_back(&phi);
    IRBuilder<> build(&m_kernel.getEntryBlock(), m_kernel.getEntryBlock().begin());
    AllocaInst* const variable = build.CreateAlloca(m_type);
    build.SetInsertPoint(before->getTerminator());
    build.CreateStore(start, variable);
    SmallVector<BasicBlock*> exits;
    loop.getUniqueExitBlocks(exits);
    for (BasicBlock* exit : exits) {
      build.SetInsertPoint(exit, exit->getFirstInsertionPt());
      StoreInst* const last = build.CreateAlignedStore(build.CreateLoad(m_type, variable), m_place, m_align);
      last->setMetadata(LLVMContext::MD_alias_scope, m_accesses[0]->getMetadata(LLVMContext::MD_alias_scope));
    }
    for (Instruction* each : m_accesses) {
      each->setOperand(isa<StoreInst>(each) ? StoreInst::getPointerOperandIndex() : 0, variable);
      each->dropUnknownNonDebugMetadata();
    }
    PromoteMemToReg({variable}, m_dominators);
    // Most programs have the sum in a variable too.
    for (PHINode& phi : loop.getHeader()->phis())
      if (!is_contained(known, &phi)) { // the only one: there is one place
        any_of(known, [&](PHINode* each) { return replace_same(phi, *each); });
        break;
      }
    return true;
  }

  using pairs = SmallVector<std::pair<PHINode*, PHINode*>>;

  /// Replaces a phi, and those that it depends on, by others that always have the same values.
  static bool replace_same(PHINode& phi, PHINode& other) {
    pairs assumed;
    if (!are_same(&phi, &other, assumed)) return false;
    for (auto [each, by] : assumed) each->replaceAllUsesWith(by);
    for (auto [each, by] : assumed) each->eraseFromParent();
    return true;
  }

  static bool are_same(Value* value, Value* other, pairs& assumed) {
    auto *phi = dyn_cast<PHINode>(value), *other_phi = dyn_cast<PHINode>(other);
    if (value == other) return true;
    if (!phi || !other_phi || phi->getParent() != other_phi->getParent()) return false;
    if (is_contained(assumed, std::pair(phi, other_phi))) return true;
    if (any_of(assumed, [&](const auto& each) {
      return each.first == phi || each.second == phi || each.first == other_phi;
    }))
      return false;
    assumed.emplace_back(phi, other_phi);
    return all_of(phi->blocks(), [&](const BasicBlock* from) {
      return are_same(phi->getIncomingValueForBlock(from), other_phi->getIncomingValueForBlock(from),
                      assumed);
    });
  }

  /// Whether all accesses of the loop to local memory are to one place, and at least one of them is a store.
  bool find_accesses(const Loop& loop) {
    m_accesses.clear();
    bool stores = false;
    for (BasicBlock* block : loop.blocks())
      for (Instruction& each : *block) {
        if (!each.mayReadOrWriteMemory()) continue;
        const Value* pointer = getLoadStorePointerOperand(&each);
        if (!pointer) return false; // calls and atomic operations
        switch (m_spaces.of(pointer)) {
          case pointer_space::local: break;
          case pointer_space::global:
          case pointer_space::captured:
          case pointer_space::none:
          case pointer_space::constant:
          case pointer_space::private_: continue;
          case pointer_space::mixed: return false;
        }
        Type* const type = getLoadStoreType(&each);
        auto* store = dyn_cast<StoreInst>(&each);
        if (store ? !store->isSimple() : !cast<LoadInst>(each).isSimple()) return false;
        if (m_accesses.empty()) {
          m_place = const_cast<Value*>(pointer);
          m_type = type;
          m_align = getLoadStoreAlignment(&each);
        }
        if (pointer != m_place || type != m_type || !type->isSingleValueType()) return false;
        stores |= store != nullptr;
        m_accesses.push_back(&each);
      }
    return stores && loop.isLoopInvariant(m_place);
  }

  /// The value that each path to the end of the block stores to the place, if no call is behind the store.
  Value* stored_in_front(BasicBlock& end) const {
    for (BasicBlock* block = &end; block; block = block->getSinglePredecessor())
      for (Instruction& each : reverse(*block)) {
        if (auto* store = dyn_cast<StoreInst>(&each); store && store->getPointerOperand() == m_place)
          return store->isSimple() && store->getValueOperand()->getType() == m_type ? store->getValueOperand()
                                                                                    : nullptr;
        if (each.isAtomic() || each.mayWriteToMemory()) return nullptr;
      }
    return nullptr;
  }

  Function& m_kernel;
  pointer_spaces m_spaces;
  DominatorTree m_dominators;
  LoopInfo m_loops;
  Value* m_place = nullptr;
  Type* m_type = nullptr;
  Align m_align;
  SmallVector<Instruction*> m_accesses;
};

} // namespace

bool keep_local_sums(Function& kernel) { return keeper(kernel).run(); }

} // namespace prism::compiler
