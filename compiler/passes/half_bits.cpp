// half for devices without it: 16 bits in memory and registers, float in arithmetic, rounded after each
// operation. For + - * / and sqrt the double rounding gives the same results as half arithmetic, because
// float has more than twice half's digits.
#include "compiler/passes/passes.hpp"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace prism::compiler {
using namespace llvm;

namespace {

class half_remover {
public:
  explicit half_remover(Function& kernel)
      : m_kernel(kernel), m_module(*kernel.getParent()), m_bits(Type::getInt16Ty(kernel.getContext())),
        m_float(Type::getFloatTy(kernel.getContext())) {}

  bool run() {
    SmallVector<Instruction*> all;
    for (Instruction& instruction : instructions(m_kernel)) {
      if (!touches_half(instruction)) continue;
      if (!isa<PHINode, LoadInst, StoreInst, FCmpInst, SelectInst, BinaryOperator, UnaryOperator, FreezeInst,
               CastInst, IntrinsicInst>(instruction))
        return false;
      all.push_back(&instruction);
    }
    for (Instruction* one : all) // before their users: loops refer to them
      if (auto* phi = dyn_cast<PHINode>(one))
        define(*phi, PHINode::Create(m_bits, phi->getNumIncomingValues(), "", phi->getIterator()));
    for (BasicBlock* block : depth_first(&m_kernel.getEntryBlock())) replace_in(*block);
    for (Instruction* one : all)
      if (auto* phi = dyn_cast<PHINode>(one))
        for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
          cast<PHINode>(m_replaced[phi])
              ->addIncoming(bits_of(phi->getIncomingValue(i)), phi->getIncomingBlock(i));
    for (Instruction* one : all) {
      if (!one->getType()->isVoidTy()) one->replaceAllUsesWith(PoisonValue::get(one->getType()));
      one->eraseFromParent();
    }
    return !all.empty();
  }

private:
  static bool is_half(const Value* value) { return value->getType()->isHalfTy(); }
  static bool touches_half(const Instruction& instruction) {
    if (is_half(&instruction)) return true;
    for (const Value* operand : instruction.operands())
      if (is_half(operand)) return true;
    return false;
  }

  /// In depth-first order dominators come first, so all operands except those of phis have been replaced.
  void replace_in(BasicBlock& block) {
    for (Instruction& instruction : make_early_inc_range(block)) {
      if (isa<PHINode>(instruction) || !touches_half(instruction)) continue;
      IRBuilder<> at(&instruction);
      at.setFastMathFlags(isa<FPMathOperator>(instruction) ? instruction.getFastMathFlags()
                                                           : FastMathFlags());
      define(instruction, replacement(instruction, at));
    }
  }

  void define(Instruction& old, Value* fresh) {
    if (is_half(&old)) m_replaced[&old] = fresh;
    else if (fresh) old.replaceAllUsesWith(fresh);
  }

  Value* bits_of(Value* half) {
    if (auto* number = dyn_cast<ConstantFP>(half))
      return ConstantInt::get(m_bits, number->getValueAPF().bitcastToAPInt());
    if (isa<Constant>(half)) return ConstantInt::get(m_bits, 0); // undefined values are zero
    return m_replaced.lookup(half);
  }
  CallInst* call(IRBuilder<>& at, const char* name, Type* result, Value* argument) {
    FunctionCallee callee =
        m_module.getOrInsertFunction(name, FunctionType::get(result, {argument->getType()}, false));
    if (auto* function = dyn_cast<Function>(callee.getCallee())) {
      function->setDoesNotThrow();
      function->setDoesNotAccessMemory();
      function->setWillReturn();
    }
    return at.CreateCall(callee, {argument});
  }
  Value* widened(IRBuilder<>& at, Value* half) {
    return call(at, "__prism_half_to_float", m_float, bits_of(half));
  }
  Value* rounded(IRBuilder<>& at, Value* number) { return call(at, "__prism_float_to_half", m_bits, number); }

  /// Rounds to odd on the way to float, so that the second rounding takes account of the lost bits.
  Value* narrowed(IRBuilder<>& at, Value* number) {
    if (number->getType()->isFloatTy()) return rounded(at, number);
    Type* wide = number->getType();
    Type* word = at.getInt32Ty();
    Value* near = at.CreateFPTrunc(number, m_float);
    Value* back = at.CreateFPExt(near, wide);
    const auto magnitude = [&](Value* v) {
      Type* integer = at.getInt64Ty();
      return at.CreateAnd(at.CreateBitCast(v, integer), at.getInt64(~std::uint64_t{0} >> 1));
    };
    Value* inexact = at.CreateFCmpONE(back, number);
    Value* above = at.CreateICmpUGT(magnitude(back), magnitude(number));
    Value* raw = at.CreateBitCast(near, word);
    Value* towards_zero = at.CreateSub(raw, at.CreateZExt(above, word));
    Value* odd = at.CreateSelect(inexact, at.CreateOr(towards_zero, at.getInt32(1)), raw);
    return rounded(at, at.CreateBitCast(odd, m_float));
  }

  Value* replacement(Instruction& old, IRBuilder<>& at) {
    const auto operand = [&](unsigned i) { return old.getOperand(i); };
    if (auto* load = dyn_cast<LoadInst>(&old)) {
      LoadInst* fresh =
          at.CreateAlignedLoad(m_bits, load->getPointerOperand(), load->getAlign(), load->isVolatile());
      if (MDNode* invariant = load->getMetadata(LLVMContext::MD_invariant_load))
        fresh->setMetadata(LLVMContext::MD_invariant_load, invariant);
      return fresh;
    }
    if (auto* store = dyn_cast<StoreInst>(&old))
      return at.CreateAlignedStore(bits_of(store->getValueOperand()), store->getPointerOperand(),
                                   store->getAlign(), store->isVolatile());
    if (auto* compare = dyn_cast<FCmpInst>(&old))
      return at.CreateFCmp(compare->getPredicate(), widened(at, operand(0)), widened(at, operand(1)));
    if (isa<SelectInst>(old)) return at.CreateSelect(operand(0), bits_of(operand(1)), bits_of(operand(2)));
    if (auto* binary = dyn_cast<BinaryOperator>(&old))
      return rounded(at,
                     at.CreateBinOp(binary->getOpcode(), widened(at, operand(0)), widened(at, operand(1))));
    if (old.getOpcode() == Instruction::FNeg) return at.CreateXor(bits_of(operand(0)), 0x8000);
    if (isa<FreezeInst>(old)) return at.CreateFreeze(bits_of(operand(0)));
    if (auto* conversion = dyn_cast<CastInst>(&old)) return converted(*conversion, at);
    if (auto* intrinsic = dyn_cast<IntrinsicInst>(&old)) return called(*intrinsic, at);
    return nullptr;
  }

  Value* converted(CastInst& old, IRBuilder<>& at) {
    Value* from = old.getOperand(0);
    switch (old.getOpcode()) {
      case Instruction::FPTrunc: return narrowed(at, from);
      case Instruction::BitCast: return is_half(from) ? bits_of(from) : from;
      case Instruction::FPExt:
      case Instruction::FPToSI:
      case Instruction::FPToUI: return at.CreateCast(old.getOpcode(), widened(at, from), old.getType());
      default:
        return rounded(at, at.CreateCast(old.getOpcode(), from,
                                         m_float)); // integers that float would round are infinite in half
    }
  }

  Value* called(IntrinsicInst& old, IRBuilder<>& at) {
    if (old.getIntrinsicID() == Intrinsic::fabs) return at.CreateAnd(bits_of(old.getArgOperand(0)), 0x7fff);
    SmallVector<Value*, 3> arguments;
    for (Value* argument : old.args()) arguments.push_back(widened(at, argument));
    return rounded(at, at.CreateIntrinsic(old.getIntrinsicID(), {m_float}, arguments));
  }

  Function& m_kernel;
  Module& m_module;
  Type *m_bits, *m_float;
  DenseMap<const Value*, Value*> m_replaced;
};

} // namespace

bool make_half_bits(Function& kernel) { return half_remover(kernel).run(); }

} // namespace prism::compiler
