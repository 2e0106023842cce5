// Sums and comparisons of the low halves of 64-bit numbers, as in `int k = y * 1024 + x; if (k < 65536u)
// ...`.
//
// LLVM computes such a sum in 64 bits, as `(y << 10) | x` if the low halves of the two have no common bits.
// Of the wide values it no longer knows that, so neither scalar evolution here nor the compilers behind
// OpenCL C recognise adjacent elements, and they gather and scatter. In the low half a sum is the same. A
// comparison with a power of two becomes a test of the bits from there to bit 31, and one for equality a test
// of all low bits; guards and strided loops are recognised by their comparisons.
#include "compiler/passes/passes.hpp"
#include "llvm/Analysis/DomConditionCache.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

namespace prism::compiler {
using namespace llvm;
using namespace PatternMatch;

namespace {

constexpr unsigned half = 32;

bool uses_low_half(const User* user) {
  const APInt* mask = nullptr;
  if (match(user, m_And(m_Value(), m_LowBitMask(mask)))) return mask->getActiveBits() <= half;
  return isa<TruncInst>(user) && user->getType()->getIntegerBitWidth() <= half;
}

class low_halves {
public:
  explicit low_halves(Function& kernel) : m_tree(kernel), m_layout(kernel.getParent()->getDataLayout()) {
    for (BasicBlock& block : kernel)
      if (auto* branch = dyn_cast<BranchInst>(block.getTerminator()); branch && branch->isConditional())
        m_conditions.registerBranch(branch);
  }

  /// Whether the low halves of both operands never have the same bit set.
  bool are_apart(const BinaryOperator& combined) const {
    const APInt left = zeros(combined.getOperand(0), combined),
                right = zeros(combined.getOperand(1), combined);
    return (left | right).isAllOnes();
  }

private:
  /// The bits of a value's low half that are zero at `at`. The branches before it compare the truncated
  /// value.
  APInt zeros(const Value* value, const Instruction& at) const {
    APInt found = known(value, at).Zero.trunc(half);
    for (const User* user : value->users())
      if (isa<TruncInst>(user) && user->getType()->isIntegerTy(half)) found |= known(user, at).Zero;
    return found;
  }
  KnownBits known(const Value* value, const Instruction& at) const {
    const SimplifyQuery query(m_layout, nullptr, &m_tree, nullptr, &at, true, true, &m_conditions);
#if LLVM_VERSION_MAJOR >= 21
    return computeKnownBits(value, query);
#else
    return computeKnownBits(value, 0, query);
#endif
  }

  DominatorTree m_tree;
  DomConditionCache m_conditions;
  const DataLayout& m_layout;
};

/// `(x & (2^32 - 2^n)) == 0`, or `!=`, as a comparison of the low half with 2^n.
bool restore_comparison(ICmpInst& test) {
  Value* wide = nullptr;
  const APInt* mask = nullptr;
  if (!test.isEquality() || !match(test.getOperand(1), m_Zero()) ||
      !test.getOperand(0)->getType()->isIntegerTy(64) ||
      !match(test.getOperand(0), m_And(m_Value(wide), m_APInt(mask))) || mask->getActiveBits() != half ||
      !mask->isShiftedMask() || mask->countr_zero() == 0)
    return false;
  IRBuilder<> build(&test);
  Value* low = build.CreateTrunc(wide, build.getInt32Ty());
  Value* bound = build.getInt32(1u << mask->countr_zero());
  test.replaceAllUsesWith(test.getPredicate() == CmpInst::ICMP_EQ ? build.CreateICmpULT(low, bound)
                                                                  : build.CreateICmpUGE(low, bound));
  test.eraseFromParent();
  return true;
}

/// `(x & (2^32 - 1)) == c`, or `!=`, as a comparison of the low half with c.
void restore_equality(ICmpInst& test) {
  Value* wide = nullptr;
  const APInt* with = nullptr;
  if (!test.isEquality() || !match(test.getOperand(1), m_APInt(with)) ||
      !test.getOperand(0)->getType()->isIntegerTy(64) ||
      !match(test.getOperand(0), m_And(m_Value(wide), m_SpecificInt(0xffffffff))) ||
      with->getActiveBits() > half)
    return;
  IRBuilder<> build(&test);
  Value* low = build.CreateTrunc(wide, build.getInt32Ty());
  Value* bound = build.getInt32(static_cast<std::uint32_t>(with->getZExtValue()));
  test.replaceAllUsesWith(build.CreateICmp(test.getPredicate(), low, bound));
  test.eraseFromParent();
}

/// `((x << 32) + (c << 32)) >> m` with its sign, the element `int(x) + c` of an array: the half plus c,
/// times the element's size: products are what emitters write best (device_ir/sign_extension.hpp).
void restore_sum_with_constant(BinaryOperator& shifted) {
  Value* wide = nullptr;
  const APInt *added = nullptr, *down = nullptr;
  if (!shifted.getType()->isIntegerTy(64) ||
      !match(&shifted,
             m_AShr(m_Add(m_Shl(m_Value(wide), m_SpecificInt(half)), m_APInt(added)), m_APInt(down))) ||
      added->countr_zero() < half || down->ugt(half))
    return;
  IRBuilder<> build(&shifted);
  Value* sum = build.CreateAdd(build.CreateTrunc(wide, build.getInt32Ty()),
                               build.getInt32(added->lshr(half).getZExtValue()));
  Value* element = build.CreateSExt(sum, shifted.getType());
  const std::uint64_t size = std::uint64_t(1) << (half - down->getZExtValue());
  shifted.replaceAllUsesWith(size == 1 ? element
                                       : build.CreateMul(element, build.getInt64(size), "", false, true));
  shifted.eraseFromParent();
}

/// Whether a number is part of the place of a memory access.
bool is_part_of_place(const Value& number, unsigned depth) {
  constexpr unsigned deepest = 6;
  return depth < deepest && any_of(number.users(), [&](const User* user) {
    if (isa<GetElementPtrInst>(user)) return true;
    const auto* operation = dyn_cast<BinaryOperator>(user);
    const bool passes = isa<ZExtInst, SExtInst, TruncInst>(user) ||
                        (operation && is_contained({Instruction::Add, Instruction::Sub, Instruction::Or,
                                                    Instruction::Shl, Instruction::Mul, Instruction::And},
                                                   operation->getOpcode()));
    return passes && is_part_of_place(*user, depth + 1);
  });
}

/// `|` of numbers without common bits is a sum without overflow. The text of OpenCL C cannot say that the
/// bits differ.
void restore_disjoint_sum(BinaryOperator& combined) {
  auto* bits = dyn_cast<PossiblyDisjointInst>(&combined);
  if (!bits || !bits->isDisjoint() || !is_part_of_place(combined, 0)) return;
  IRBuilder<> build(&combined);
  combined.replaceAllUsesWith(
      build.CreateAdd(combined.getOperand(0), combined.getOperand(1), "", true, true));
  combined.eraseFromParent();
}

void restore_sums(Function& kernel) {
  SmallVector<BinaryOperator*> combined;
  for (Instruction& instruction : instructions(kernel))
    if (instruction.getOpcode() == Instruction::Or && instruction.getType()->isIntegerTy(64) &&
        !instruction.use_empty() && all_of(instruction.users(), uses_low_half))
      combined.push_back(cast<BinaryOperator>(&instruction));
  if (combined.empty()) return;
  const low_halves halves(kernel);
  for (BinaryOperator* each : combined) {
    if (!halves.are_apart(*each)) continue;
    IRBuilder<> build(each);
    each->replaceAllUsesWith(build.CreateAdd(each->getOperand(0), each->getOperand(1)));
    each->eraseFromParent();
  }
}

} // namespace

void restore_low_halves(Function& kernel) {
  restore_sums(kernel);
  for (Instruction& instruction : make_early_inc_range(instructions(kernel))) {
    if (auto* test = dyn_cast<ICmpInst>(&instruction)) {
      if (!restore_comparison(*test)) restore_equality(*test);
    } else if (instruction.getOpcode() == Instruction::Or) {
      restore_disjoint_sum(cast<BinaryOperator>(instruction));
    } else if (instruction.getOpcode() == Instruction::AShr) {
      restore_sum_with_constant(cast<BinaryOperator>(instruction));
    }
  }
}

} // namespace prism::compiler
