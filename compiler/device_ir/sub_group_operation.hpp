// What __prism_sub_group_combine_* computes, as its first argument states it (kernel_abi.hpp).
#pragma once

#include <cstdint>
#include <optional>

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

namespace prism::compiler {

struct sub_group_operation {
  enum kind {
    add,
    multiply,
    minimum, // signed, or of floating-point numbers
    maximum,
    unsigned_minimum, // from here on of integers only
    unsigned_maximum,
    bit_and,
    bit_or,
    bit_xor
  };
  enum shape { reduction, inclusive_scan, exclusive_scan };

  kind combine;
  shape form;

  /// Of a call; nothing if its first argument is not a constant or names no operation for the type.
  static std::optional<sub_group_operation> of(const llvm::CallInst& call) {
    const auto* given = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
    if (given == nullptr) return std::nullopt;
    const std::uint64_t number = given->getZExtValue(), combine = number & 15, form = number >> 4;
    const std::uint64_t last = call.getType()->isFloatingPointTy() ? maximum : bit_xor;
    if (combine > last || form > exclusive_scan) return std::nullopt;
    return sub_group_operation{static_cast<kind>(combine), static_cast<shape>(form)};
  }

  /// The value that changes nothing: what an exclusive scan gives to the first work-item.
  llvm::Constant* identity(llvm::Type* type) const {
    const bool is_real = type->isFloatingPointTy();
    const auto integer = [&](const llvm::APInt& value) { return llvm::ConstantInt::get(type, value); };
    const unsigned bits = type->getScalarSizeInBits();
    switch (combine) {
      case multiply: return is_real ? llvm::ConstantFP::get(type, 1.0) : llvm::ConstantInt::get(type, 1);
      case minimum:
        return is_real ? llvm::ConstantFP::getInfinity(type) : integer(llvm::APInt::getSignedMaxValue(bits));
      case maximum:
        return is_real ? llvm::ConstantFP::getInfinity(type, true)
                       : integer(llvm::APInt::getSignedMinValue(bits));
      case unsigned_minimum:
      case bit_and: return integer(llvm::APInt::getMaxValue(bits));
      default: return llvm::Constant::getNullValue(type);
    }
  }
};

} // namespace prism::compiler
