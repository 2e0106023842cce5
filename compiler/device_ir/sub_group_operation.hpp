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
};

} // namespace prism::compiler
