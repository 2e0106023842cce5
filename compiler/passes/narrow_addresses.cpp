// In SPIR-V, addresses in work-group and private memory are 32-bit numbers, but indices in IR have 64 bits.
// Index computations in 64 bits whose upper half is then dropped take twice the registers on devices that
// compute in vectors. On llvmpipe, which reads such memory lane by lane, they take twice the stack traffic
// per lane. This pass redoes the computation in 32 bits. It also turns `base + (index + constant)` into
// `(base + index) + constant`, so that unrolled accesses share the first sum.
#include "compiler/passes/passes.hpp"
#include "compiler/device_ir/pointer_space.hpp"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <map>
#include <tuple>

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr unsigned narrow_bits = 32;

class narrower {
public:
  explicit narrower(Function& kernel)
      : m_dominators(kernel), m_word(Type::getIntNTy(kernel.getContext(), narrow_bits)),
        m_entry(kernel.getEntryBlock()) {}

  void narrow(GetElementPtrInst& address) {
    Value* index = address.getOperand(1);
    const std::int64_t constant = split(index);
    Value*& sum = m_sums[{address.getPointerOperand(), address.getSourceElementType(), index}];
    if (sum == nullptr) {
      Value* const low = low_half(index, 0);
      IRBuilder<> build(later(address.getPointerOperand(), low));
      sum = build.CreateGEP(address.getSourceElementType(), address.getPointerOperand(), low);
    }
    Value* replaced = sum;
    if (constant != 0)
      replaced = IRBuilder<>(&address).CreateConstGEP1_64(address.getSourceElementType(), sum, constant);
    address.replaceAllUsesWith(replaced);
  }

private:
  /// Removes constants from the index; returns their sum.
  static std::int64_t split(Value*& index) {
    std::int64_t sum = 0;
    for (;;) {
      auto* operation = dyn_cast<BinaryOperator>(index);
      const auto* constant = operation ? dyn_cast<ConstantInt>(operation->getOperand(1)) : nullptr;
      const bool adds = operation && (operation->getOpcode() == Instruction::Add ||
                                      (operation->getOpcode() == Instruction::Or &&
                                       cast<PossiblyDisjointInst>(operation)->isDisjoint()));
      if (!adds || !constant) return sum;
      sum += constant->getSExtValue();
      index = operation->getOperand(0);
    }
  }

  Instruction* behind(Value* value) const {
    auto* instruction = dyn_cast<Instruction>(value);
    if (!instruction) return &*m_entry.getFirstInsertionPt();
    return isa<PHINode>(instruction) ? &*instruction->getParent()->getFirstInsertionPt()
                                     : instruction->getNextNode();
  }

  Instruction* later(Value* a, Value* b) const {
    Instruction *one = behind(a), *other = behind(b);
    return m_dominators.dominates(one, other) ? other : one;
  }

  static bool keeps_low_half(const BinaryOperator& operation) {
    switch (operation.getOpcode()) {
      case Instruction::Add:
      case Instruction::Sub:
      case Instruction::Mul:
      case Instruction::And:
      case Instruction::Or:
      case Instruction::Xor: return true;
      case Instruction::Shl: {
        const auto* amount = dyn_cast<ConstantInt>(operation.getOperand(1));
        return amount && amount->getValue().ult(narrow_bits);
      }
      default: return false;
    }
  }

  Value* low_half(Value* value, unsigned depth) {
    constexpr unsigned deepest = 8;
    if (auto* constant = dyn_cast<ConstantInt>(value))
      return ConstantInt::get(m_word, constant->getValue().trunc(narrow_bits));
    if (const auto known = m_low.find(value); known != m_low.end()) return known->second;
    IRBuilder<> build(behind(value));
    Value* low = nullptr;
    if (auto* wider = dyn_cast<CastInst>(value); wider && (isa<ZExtInst>(wider) || isa<SExtInst>(wider)) &&
                                                 wider->getSrcTy()->getIntegerBitWidth() <= narrow_bits)
      low = isa<ZExtInst>(wider) ? build.CreateZExt(wider->getOperand(0), m_word)
                                 : build.CreateSExt(wider->getOperand(0), m_word);
    else if (auto* operation = dyn_cast<BinaryOperator>(value);
             operation && depth < deepest && keeps_low_half(*operation)) {
      Value *const left = low_half(operation->getOperand(0), depth + 1), *const right = low_half(
                                                                             operation->getOperand(1),
                                                                             depth + 1);
      low = build.CreateBinOp(operation->getOpcode(), left, right);
    } else low = build.CreateTrunc(value, m_word);
    return m_low[value] = low;
  }

  DominatorTree m_dominators; // valid: blocks do not change
  Type* m_word;
  BasicBlock& m_entry;
  std::map<Value*, Value*> m_low;
  std::map<std::tuple<Value*, Type*, Value*>, Value*> m_sums;
};

} // namespace

void narrow_small_addresses(Function& kernel) {
  SmallVector<GetElementPtrInst*> addresses;
  const pointer_spaces spaces(kernel);
  for (Instruction& instruction : instructions(kernel)) {
    auto* address = dyn_cast<GetElementPtrInst>(&instruction);
    if (!address || address->getNumIndices() != 1 || address->getSourceElementType()->isVectorTy()) continue;
    const pointer_space space = spaces.of(address);
    const bool is_small = space == pointer_space::local || space == pointer_space::private_;
    if (is_small && address->getOperand(1)->getType()->isIntegerTy(64) &&
        !isa<ConstantInt>(address->getOperand(1)))
      addresses.push_back(address);
  }
  narrower each(kernel);
  for (GetElementPtrInst* address : addresses) each.narrow(*address);
  // the map has no entries for them now
  for (GetElementPtrInst* address : addresses) address->eraseFromParent();
}

} // namespace prism::compiler
