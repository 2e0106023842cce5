// Integers of widths that no device has (i2..i127 except 8, 16, 32, 64) become integers of the next larger
// width, zero-extended. After each operation the bits above the width are cleared. Before a signed operation
// they are filled with the sign.
#include "compiler/passes/passes.hpp"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace prism::compiler {
using namespace llvm;

namespace {

bool is_odd(const Type* type) {
  if (!type->isIntegerTy()) return false;
  const unsigned bits = type->getIntegerBitWidth();
  return bits != 1 && bits < 128 && bits != 8 && bits != 16 && bits != 32 && bits != 64;
}

class widener {
public:
  explicit widener(Function& kernel) : m_kernel(kernel) {}

  void run() {
    ReversePostOrderTraversal<Function*> blocks(&m_kernel);
    SmallVector<Instruction*> touched;
    for (BasicBlock* block : blocks)
      for (Instruction& instruction : *block)
        if (touches(instruction)) touched.push_back(&instruction);
    if (touched.empty()) return;
    for (Instruction* instruction : touched) rewrite(*instruction);
    for (auto& [phi, fresh] : m_phis)
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
        IRBuilder<> build(phi->getIncomingBlock(i)->getTerminator());
        fresh->addIncoming(wide(build, phi->getIncomingValue(i)), phi->getIncomingBlock(i));
      }
    for (Instruction* instruction : reverse(m_dead)) {
      if (!instruction->use_empty())
        instruction->replaceAllUsesWith(PoisonValue::get(instruction->getType()));
      instruction->eraseFromParent();
    }
  }

private:
  static bool touches(const Instruction& instruction) {
    if (is_odd(instruction.getType())) return true;
    return any_of(instruction.operands(), [](const Use& use) { return is_odd(use->getType()); });
  }

  static Type* container(Type* type) {
    return IntegerType::get(type->getContext(),
                            std::max(8u, unsigned(PowerOf2Ceil(type->getIntegerBitWidth()))));
  }

  Value* wide(IRBuilder<>& build, Value* value) {
    if (!is_odd(value->getType())) return value;
    if (auto* constant = dyn_cast<ConstantInt>(value)) {
      Type* const whole = container(value->getType());
      return ConstantInt::get(whole, constant->getValue().zext(whole->getIntegerBitWidth()));
    }
    if (isa<UndefValue>(value)) return ConstantInt::get(container(value->getType()), 0);
    if (Value* found = m_wide.lookup(value)) return found;
    return build.CreateZExt(value, container(value->getType())); // an operation that stays odd: refused later
  }

  Value* wide_signed(IRBuilder<>& build, Value* value) {
    if (!is_odd(value->getType())) return value;
    Value* whole = wide(build, value);
    const unsigned gap = whole->getType()->getIntegerBitWidth() - value->getType()->getIntegerBitWidth();
    return build.CreateAShr(build.CreateShl(whole, gap), gap);
  }

  Value* low_bits(IRBuilder<>& build, Value* value, Type* odd) {
    return build.CreateAnd(
        value, ConstantInt::get(value->getType(), APInt::getLowBitsSet(value->getType()->getIntegerBitWidth(),
                                                                       odd->getIntegerBitWidth())));
  }

  void set(Instruction& instruction, Value* value) {
    m_wide[&instruction] = value;
    m_dead.push_back(&instruction);
  }

  void replace(Instruction& instruction, Value* value) {
    instruction.replaceAllUsesWith(value);
    m_dead.push_back(&instruction);
  }

  void rewrite_cast(IRBuilder<>& build, CastInst& cast) {
    Type* to = cast.getType();
    Value* from = cast.getOperand(0);
    const bool is_signed = isa<SExtInst, SIToFPInst>(cast);
    Value* value = is_signed ? wide_signed(build, from) : wide(build, from);
    Type* result = is_odd(to) ? container(to) : to;
    if (isa<SIToFPInst>(cast)) value = build.CreateSIToFP(value, result);
    else if (isa<UIToFPInst>(cast)) value = build.CreateUIToFP(value, result);
    else if (isa<FPToSIInst>(cast)) value = build.CreateFPToSI(value, result);
    else if (isa<FPToUIInst>(cast)) value = build.CreateFPToUI(value, result);
    else value = is_signed ? build.CreateSExtOrTrunc(value, result) : build.CreateZExtOrTrunc(value, result);
    if (is_odd(to)) set(cast, low_bits(build, value, to));
    else replace(cast, value);
  }

  void rewrite_binary(IRBuilder<>& build, BinaryOperator& operation) {
    const auto opcode = operation.getOpcode();
    const bool is_signed =
        opcode == Instruction::SDiv || opcode == Instruction::SRem || opcode == Instruction::AShr;
    Value* a = is_signed ? wide_signed(build, operation.getOperand(0)) : wide(build, operation.getOperand(0));
    Value* b = is_signed && opcode != Instruction::AShr ? wide_signed(build, operation.getOperand(1))
                                                        : wide(build, operation.getOperand(1));
    set(operation, low_bits(build, build.CreateBinOp(opcode, a, b), operation.getType()));
  }

  /// Rewrites reversals and counts of bits, which LLVM makes of loops. lower_intrinsics has replaced all
  /// others.
  void rewrite_call(IRBuilder<>& build, IntrinsicInst& call) {
    Value* const value = call.arg_empty() || !is_odd(call.getArgOperand(0)->getType())
                             ? nullptr
                             : wide(build, call.getArgOperand(0));
    if (value == nullptr || !is_odd(call.getType())) return; // stays odd: refused later
    Type* const whole = value->getType();
    const unsigned width = call.getType()->getIntegerBitWidth(), gap = whole->getIntegerBitWidth() - width;
    const Intrinsic::ID id = call.getIntrinsicID();
    switch (id) {
      case Intrinsic::bitreverse:
      case Intrinsic::bswap: return set(call, build.CreateLShr(build.CreateUnaryIntrinsic(id, value), gap));
      case Intrinsic::ctpop: return set(call, build.CreateUnaryIntrinsic(id, value));
      case Intrinsic::ctlz:
        return set(call, build.CreateSub(build.CreateBinaryIntrinsic(id, value, build.getFalse()),
                                         ConstantInt::get(whole, gap)));
      case Intrinsic::cttz: { // the bit above the width ends the search in a zero
        Value* const ended = build.CreateOr(
            value, ConstantInt::get(whole, APInt::getOneBitSet(whole->getIntegerBitWidth(), width)));
        return set(call, build.CreateBinaryIntrinsic(id, ended, build.getTrue()));
      }
      default: return;
    }
  }

  void rewrite(Instruction& instruction) {
    if (auto* phi = dyn_cast<PHINode>(&instruction)) {
      PHINode* fresh =
          PHINode::Create(container(phi->getType()), phi->getNumIncomingValues(), "", phi->getIterator());
      m_phis.push_back({phi, fresh});
      return set(instruction, fresh);
    }
    IRBuilder<> build(&instruction);
    if (auto* cast = dyn_cast<CastInst>(&instruction); cast && !isa<BitCastInst>(cast))
      return rewrite_cast(build, *cast);
    if (auto* operation = dyn_cast<BinaryOperator>(&instruction)) return rewrite_binary(build, *operation);
    if (auto* call = dyn_cast<IntrinsicInst>(&instruction)) return rewrite_call(build, *call);
    if (auto* choice = dyn_cast<SelectInst>(&instruction))
      return set(instruction, build.CreateSelect(choice->getCondition(), wide(build, choice->getTrueValue()),
                                                 wide(build, choice->getFalseValue())));
    if (auto* freeze = dyn_cast<FreezeInst>(&instruction))
      return set(instruction, build.CreateFreeze(wide(build, freeze->getOperand(0))));
    if (auto* compare = dyn_cast<ICmpInst>(&instruction)) {
      const bool is_signed = compare->isSigned();
      Value* a = is_signed ? wide_signed(build, compare->getOperand(0)) : wide(build, compare->getOperand(0));
      Value* b = is_signed ? wide_signed(build, compare->getOperand(1)) : wide(build, compare->getOperand(1));
      return replace(instruction, build.CreateICmp(compare->getPredicate(), a, b));
    }
  }

  Function& m_kernel;
  DenseMap<Value*, Value*> m_wide;
  SmallVector<std::pair<PHINode*, PHINode*>> m_phis;
  SmallVector<Instruction*> m_dead;
};

} // namespace

void widen_odd_integers(Function& kernel) { widener(kernel).run(); }

} // namespace prism::compiler
