// SPIR-V as words: reading the instructions of a module one by one, and writing them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#define SPV_ENABLE_UTILITY_CODE // for spv::HasResultAndType
#include <spirv/unified1/spirv.hpp>

namespace prism::devices::vulkan::lower {

using word = std::uint32_t;
using id = std::uint32_t; // 0 is not an id
using words = std::vector<word>;

struct refused {
  std::string text;
};

struct instruction {
  spv::Op code;
  std::span<const word> operands; // with type and result, if it has them
};

inline constexpr std::size_t header_words = 5;

/// Throws `refused` if the module ends within an instruction.
template <class Take>
void for_each(std::span<const word> module, const Take& take) {
  for (std::size_t at = header_words; at < module.size();) {
    const std::size_t length = module[at] >> 16;
    if (length == 0 || length > module.size() - at) throw refused{"the module is damaged"};
    take(instruction{static_cast<spv::Op>(module[at] & 0xffff), module.subspan(at + 1, length - 1)});
    at += length;
  }
}

inline void append(words& to, spv::Op code, std::span<const word> operands) {
  to.push_back(static_cast<word>((operands.size() + 1) << 16) | static_cast<word>(code));
  to.insert(to.end(), operands.begin(), operands.end());
}

// Kinds of instructions.

inline bool is_debug(spv::Op code) {
  switch (code) {
    case spv::OpString:
    case spv::OpSource:
    case spv::OpSourceContinued:
    case spv::OpSourceExtension:
    case spv::OpName:
    case spv::OpMemberName:
    case spv::OpModuleProcessed: return true;
    default: return false;
  }
}

/// Of integers.
inline bool is_comparison(spv::Op code) {
  switch (code) {
    case spv::OpIEqual:
    case spv::OpINotEqual:
    case spv::OpULessThan:
    case spv::OpULessThanEqual:
    case spv::OpUGreaterThan:
    case spv::OpUGreaterThanEqual:
    case spv::OpSLessThan:
    case spv::OpSLessThanEqual:
    case spv::OpSGreaterThan:
    case spv::OpSGreaterThanEqual: return true;
    default: return false;
  }
}

inline bool is_annotation(spv::Op code) {
  return code == spv::OpDecorate || code == spv::OpMemberDecorate || code == spv::OpDecorateId ||
         code == spv::OpDecorateString || code == spv::OpMemberDecorateString;
}

inline bool is_atomic(spv::Op code) {
  return (code >= spv::OpAtomicLoad && code <= spv::OpAtomicXor) || code == spv::OpAtomicFAddEXT ||
         code == spv::OpAtomicFMinEXT || code == spv::OpAtomicFMaxEXT;
}

} // namespace prism::devices::vulkan::lower
