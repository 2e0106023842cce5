// Integers of 128 bits, and of the widths between 64 and 128 (LLVM uses i65 when it sums a counter in closed
// form), become two words of 64 bits. Operations without such a form stay, and are refused later: conversions
// from and to floating point, atomics, arguments of calls. Division uses LLVM's own expansion, a loop of
// shifts and subtractions.
#include "compiler/passes/passes.hpp"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/IntegerDivision.h"

namespace prism::compiler {
using namespace llvm;

namespace {

constexpr unsigned wide_bits = 128, word_bits = 64;

bool is_wide(const Type* type) { return type->isIntegerTy(wide_bits); }

struct words {
  Value *low = nullptr, *high = nullptr;
};

/// Bits 64 to 127 of a product of two words, computed in halves.
Value* high_product(IRBuilder<>& build, Value* a, Value* b) {
  constexpr std::uint64_t half = 32, mask = 0xffffffffu;
  Value *const a0 = build.CreateAnd(a, mask), *const a1 = build.CreateLShr(a, half);
  Value *const b0 = build.CreateAnd(b, mask), *const b1 = build.CreateLShr(b, half);
  Value* const middle =
      build.CreateAdd(build.CreateMul(a1, b0), build.CreateLShr(build.CreateMul(a0, b0), half));
  Value* const other = build.CreateAdd(build.CreateMul(a0, b1), build.CreateAnd(middle, mask));
  return build.CreateAdd(build.CreateAdd(build.CreateMul(a1, b1), build.CreateLShr(middle, half)),
                         build.CreateLShr(other, half));
}

class word_splitter {
public:
  explicit word_splitter(Function& kernel)
      : m_kernel(kernel), m_word(Type::getIntNTy(kernel.getContext(), word_bits)) {}

  void run() {
    ReversePostOrderTraversal<Function*> blocks(&m_kernel);
    SmallVector<Instruction*> touched;
    for (BasicBlock* block : blocks)
      for (Instruction& instruction : *block)
        if (is_wide(instruction.getType()) ||
            any_of(instruction.operands(), [](const Use& use) { return is_wide(use->getType()); }))
          touched.push_back(&instruction);
    for (Instruction* instruction : touched) rewrite(*instruction);
    for (auto& [phi, fresh] : m_phis)
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
        BasicBlock* const from = phi->getIncomingBlock(i);
        IRBuilder<> build(from->getTerminator());
        const words value = of(build, phi->getIncomingValue(i));
        cast<PHINode>(fresh.low)->addIncoming(value.low, from);
        cast<PHINode>(fresh.high)->addIncoming(value.high, from);
      }
    for (Instruction* instruction : reverse(m_dead)) {
      if (!instruction->use_empty())
        instruction->replaceAllUsesWith(PoisonValue::get(instruction->getType()));
      instruction->eraseFromParent();
    }
  }

private:
  Value* zero() const { return ConstantInt::get(m_word, 0); }

  words of(IRBuilder<>& build, Value* value) {
    if (auto* constant = dyn_cast<ConstantInt>(value)) {
      const APInt& bits = constant->getValue();
      return {ConstantInt::get(m_word, bits.trunc(word_bits)),
              ConstantInt::get(m_word, bits.extractBits(word_bits, word_bits))};
    }
    if (isa<UndefValue>(value)) return {zero(), zero()};
    if (const auto found = m_words.find(value); found != m_words.end()) return found->second;
    // The value of an operation that stays wide; refused later.
    return {build.CreateTrunc(value, m_word), build.CreateTrunc(build.CreateLShr(value, word_bits), m_word)};
  }

  void set(Instruction& instruction, words value) {
    m_words[&instruction] = value;
    m_dead.push_back(&instruction);
  }
  void replace(Instruction& instruction, Value* value) {
    instruction.replaceAllUsesWith(value);
    m_dead.push_back(&instruction);
  }

  words add(IRBuilder<>& build, words a, words b) {
    Value* const low = build.CreateAdd(a.low, b.low);
    Value* const carry = build.CreateZExt(build.CreateICmpULT(low, a.low), m_word);
    return {low, build.CreateAdd(build.CreateAdd(a.high, b.high), carry)};
  }
  words subtract(IRBuilder<>& build, words a, words b) {
    Value* const borrow = build.CreateZExt(build.CreateICmpULT(a.low, b.low), m_word);
    return {build.CreateSub(a.low, b.low), build.CreateSub(build.CreateSub(a.high, b.high), borrow)};
  }
  words multiply(IRBuilder<>& build, words a, words b) {
    Value* const crossed = build.CreateAdd(build.CreateMul(a.low, b.high), build.CreateMul(a.high, b.low));
    return {build.CreateMul(a.low, b.low), build.CreateAdd(high_product(build, a.low, b.low), crossed)};
  }
  words bitwise(IRBuilder<>& build, Instruction::BinaryOps opcode, words a, words b) {
    return {build.CreateBinOp(opcode, a.low, b.low), build.CreateBinOp(opcode, a.high, b.high)};
  }

  words choose(IRBuilder<>& build, Value* condition, words a, words b) {
    return {build.CreateSelect(condition, a.low, b.low), build.CreateSelect(condition, a.high, b.high)};
  }

  /// Shifts by less than 128 bits. Shifting a word by 64 minus zero would be undefined, so that shift goes in
  /// two steps, by one and by the rest.
  words shift(IRBuilder<>& build, Instruction::BinaryOps opcode, words a, Value* amount) {
    Value* const within = build.CreateAnd(amount, word_bits - 1);
    Value* const rest = build.CreateSub(ConstantInt::get(m_word, word_bits - 1), within);
    Value* const is_less = build.CreateICmpULT(amount, ConstantInt::get(m_word, word_bits));
    if (opcode == Instruction::Shl) {
      Value* const moved = build.CreateShl(a.low, within);
      Value* const over = build.CreateLShr(build.CreateLShr(a.low, 1), rest);
      return choose(build, is_less, {moved, build.CreateOr(build.CreateShl(a.high, within), over)},
                    {zero(), moved});
    }
    Value* const moved = build.CreateBinOp(opcode, a.high, within);
    Value* const over = build.CreateShl(build.CreateShl(a.high, 1), rest);
    Value* const fill = opcode == Instruction::AShr ? build.CreateAShr(a.high, word_bits - 1) : zero();
    return choose(build, is_less, {build.CreateOr(build.CreateLShr(a.low, within), over), moved},
                  {moved, fill});
  }

  void rewrite_binary(IRBuilder<>& build, BinaryOperator& operation) {
    const words a = of(build, operation.getOperand(0)), b = of(build, operation.getOperand(1));
    const auto opcode = operation.getOpcode();
    switch (opcode) {
      case Instruction::Add: return set(operation, add(build, a, b));
      case Instruction::Sub: return set(operation, subtract(build, a, b));
      case Instruction::Mul: return set(operation, multiply(build, a, b));
      case Instruction::And:
      case Instruction::Or:
      case Instruction::Xor: return set(operation, bitwise(build, opcode, a, b));
      case Instruction::Shl:
      case Instruction::LShr:
      case Instruction::AShr: return set(operation, shift(build, opcode, a, b.low));
      default: return;
    }
  }

  Value* compare(IRBuilder<>& build, CmpInst::Predicate predicate, words a, words b) {
    if (CmpInst::isEquality(static_cast<CmpInst::Predicate>(predicate))) {
      Value* const differs = build.CreateOr(build.CreateXor(a.low, b.low), build.CreateXor(a.high, b.high));
      return build.CreateICmp(predicate, differs, zero());
    }
    Value* const low = build.CreateICmp(
        CmpInst::isSigned(predicate) ? ICmpInst::getUnsignedPredicate(predicate) : predicate, a.low, b.low);
    return build.CreateSelect(build.CreateICmpEQ(a.high, b.high), low,
                              build.CreateICmp(predicate, a.high, b.high));
  }

  void rewrite_cast(IRBuilder<>& build, CastInst& cast) {
    Value* const from = cast.getOperand(0);
    if (isa<TruncInst>(cast)) return replace(cast, build.CreateTrunc(of(build, from).low, cast.getType()));
    if (isa<ZExtInst>(cast)) return set(cast, {build.CreateZExt(from, m_word), zero()});
    if (!isa<SExtInst>(cast)) return;
    Value* const low = build.CreateSExt(from, m_word);
    set(cast, {low, build.CreateAShr(low, word_bits - 1)});
  }

  void rewrite_load(IRBuilder<>& build, LoadInst& load) {
    if (!load.isSimple()) return;
    const auto word = [&](Value* at, Align align) {
      LoadInst* const made = build.CreateAlignedLoad(m_word, at, align);
      if (MDNode* invariant = load.getMetadata(LLVMContext::MD_invariant_load))
        made->setMetadata(LLVMContext::MD_invariant_load, invariant);
      return made;
    };
    Value* const low = word(load.getPointerOperand(), load.getAlign());
    set(load, {low, word(second(build, load.getPointerOperand()),
                         commonAlignment(load.getAlign(), word_bits / 8))});
  }

  void rewrite_store(IRBuilder<>& build, StoreInst& store) {
    if (!store.isSimple()) return;
    const words value = of(build, store.getValueOperand());
    build.CreateAlignedStore(value.low, store.getPointerOperand(), store.getAlign());
    build.CreateAlignedStore(value.high, second(build, store.getPointerOperand()),
                             commonAlignment(store.getAlign(), word_bits / 8));
    m_dead.push_back(&store);
  }

  Value* second(IRBuilder<>& build, Value* address) {
    return build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), address, word_bits / 8);
  }

  /// The expansion of divisions counts leading zeros.
  void rewrite_leading_zeros(IRBuilder<>& build, IntrinsicInst& call) {
    const words value = of(build, call.getArgOperand(0));
    const auto zeros = [&](Value* word) {
      return build.CreateBinaryIntrinsic(Intrinsic::ctlz, word, build.getFalse());
    };
    Value* const low = build.CreateAdd(zeros(value.low), ConstantInt::get(m_word, word_bits));
    set(call, {build.CreateSelect(build.CreateICmpEQ(value.high, zero()), low, zeros(value.high)), zero()});
  }

  void rewrite(Instruction& instruction) {
    IRBuilder<> build(&instruction);
    if (auto* phi = dyn_cast<PHINode>(&instruction)) {
      const words fresh = {build.CreatePHI(m_word, phi->getNumIncomingValues()),
                           build.CreatePHI(m_word, phi->getNumIncomingValues())};
      m_phis.push_back({phi, fresh});
      return set(instruction, fresh);
    }
    if (auto* call = dyn_cast<IntrinsicInst>(&instruction); call && call->getIntrinsicID() == Intrinsic::ctlz)
      return rewrite_leading_zeros(build, *call);
    if (auto* operation = dyn_cast<BinaryOperator>(&instruction)) return rewrite_binary(build, *operation);
    if (auto* cast = dyn_cast<CastInst>(&instruction)) return rewrite_cast(build, *cast);
    if (auto* load = dyn_cast<LoadInst>(&instruction)) return rewrite_load(build, *load);
    if (auto* store = dyn_cast<StoreInst>(&instruction)) return rewrite_store(build, *store);
    if (auto* test = dyn_cast<ICmpInst>(&instruction))
      return replace(instruction, compare(build, test->getPredicate(), of(build, test->getOperand(0)),
                                          of(build, test->getOperand(1))));
    if (auto* choice = dyn_cast<SelectInst>(&instruction))
      return set(instruction, choose(build, choice->getCondition(), of(build, choice->getTrueValue()),
                                     of(build, choice->getFalseValue())));
    if (auto* freeze = dyn_cast<FreezeInst>(&instruction)) {
      const words value = of(build, freeze->getOperand(0));
      return set(instruction, {build.CreateFreeze(value.low), build.CreateFreeze(value.high)});
    }
  }

  Function& m_kernel;
  Type* m_word;
  DenseMap<Value*, words> m_words;
  SmallVector<std::pair<PHINode*, words>> m_phis;
  SmallVector<Instruction*> m_dead;
};

void expand_wide_divisions(Function& kernel) {
  SmallVector<BinaryOperator*> divisions;
  for (Instruction& instruction : instructions(kernel))
    if (auto* operation = dyn_cast<BinaryOperator>(&instruction);
        operation && is_wide(operation->getType()) && operation->isIntDivRem())
      divisions.push_back(operation);
  for (BinaryOperator* division : divisions) {
    const auto opcode = division->getOpcode();
    if (opcode == Instruction::UDiv || opcode == Instruction::SDiv) expandDivision(division);
    else expandRemainder(division);
  }
}

} // namespace

void split_wide_integers(Function& kernel) {
  expand_wide_divisions(kernel);
  word_splitter(kernel).run();
}

} // namespace prism::compiler
