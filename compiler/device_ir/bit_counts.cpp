// Counts and permutes bits by plain arithmetic. Population count and reversal use the usual parallel sums and
// swaps (H. S. Warren, Hacker's Delight, 2nd edition, 5-1, 7-1). Leading zeros: copies the highest set bit
// into all lower bits, then counts.
#include "compiler/device_ir/intrinsics.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

namespace prism::compiler {
using namespace llvm;

namespace {

Constant* repeated(Type* type, std::uint64_t byte_pattern, unsigned period) {
  const unsigned bits = type->getIntegerBitWidth();
  APInt value(bits, 0);
  for (unsigned at = 0; at < bits; at += period) value |= APInt(64, byte_pattern).zextOrTrunc(bits).shl(at);
  return ConstantInt::get(type, value);
}

Value* population(IRBuilder<>& build, Value* x) {
  Type* type = x->getType();
  const unsigned bits = type->getIntegerBitWidth();
  x = build.CreateSub(x, build.CreateAnd(build.CreateLShr(x, 1), repeated(type, 1, 2)));
  x = build.CreateAdd(build.CreateAnd(x, repeated(type, 3, 4)),
                      build.CreateAnd(build.CreateLShr(x, 2), repeated(type, 3, 4)));
  x = build.CreateAnd(build.CreateAdd(x, build.CreateLShr(x, 4)), repeated(type, 15, 8));
  for (unsigned shift = 8; shift < bits; shift *= 2) x = build.CreateAdd(x, build.CreateLShr(x, shift));
  return build.CreateAnd(x, ConstantInt::get(type, 0x7f));
}

Value* leading_zeros(IRBuilder<>& build, Value* x) {
  const unsigned bits = x->getType()->getIntegerBitWidth();
  for (unsigned shift = 1; shift < bits; shift *= 2) x = build.CreateOr(x, build.CreateLShr(x, shift));
  return population(build, build.CreateNot(x));
}

Value* trailing_zeros(IRBuilder<>& build, Value* x) {
  Value* below = build.CreateAnd(build.CreateNot(x), build.CreateSub(x, ConstantInt::get(x->getType(), 1)));
  return population(build, below);
}

Value* swap_groups(IRBuilder<>& build, Value* x, unsigned from) {
  Type* type = x->getType();
  for (unsigned group = from; group < type->getIntegerBitWidth(); group *= 2) {
    Constant* low = repeated(type, group == 32 ? 0xffffffffull : (1ull << group) - 1, group * 2);
    x = build.CreateOr(build.CreateShl(build.CreateAnd(x, low), group),
                       build.CreateAnd(build.CreateLShr(x, group), low));
  }
  return x;
}

} // namespace

Value* lower_bit_operation(CallInst& call, bool keep_native) {
  IRBuilder<> build(&call);
  Value* value = call.getArgOperand(0);
  Type* type = value->getType();
  const unsigned bits = type->getIntegerBitWidth();
  const Intrinsic::ID id = call.getIntrinsicID();
  if (bits == 1) {
    const bool counts_zeros = id == Intrinsic::ctlz || id == Intrinsic::cttz;
    return counts_zeros ? build.CreateNot(value) : value;
  }
  if (!isPowerOf2_32(bits) || bits < 8 || bits > 64)
    return nullptr; // the legaliser widens odd widths and comes back
  const bool native = keep_native && bits >= 32;
  switch (id) {
    case Intrinsic::ctpop: return native ? nullptr : population(build, value);
    case Intrinsic::ctlz: return native ? nullptr : leading_zeros(build, value);
    case Intrinsic::cttz: {
      if (!native) return trailing_zeros(build, value);
      Value* below =
          build.CreateAnd(build.CreateNot(value), build.CreateSub(value, ConstantInt::get(type, 1)));
      return build.CreateUnaryIntrinsic(Intrinsic::ctpop, below);
    }
    case Intrinsic::bswap: return swap_groups(build, value, 8);
    case Intrinsic::bitreverse: return swap_groups(build, value, 1);
    default: return nullptr;
  }
}

} // namespace prism::compiler
