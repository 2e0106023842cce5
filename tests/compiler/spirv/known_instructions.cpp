#include "known_instructions.hpp"

#include <spirv-tools/libspirv.h>
#include <spirv/unified1/spirv.hpp>

#include "image_format/spirv_words.hpp"

namespace prism::test {

namespace {

/// Kernels with these are never fused: compiler/device_ir/element_wise refuses them, or fuse_spirv does.
bool is_never_fused(std::uint32_t code) {
  if (code >= spv::OpAtomicLoad && code <= spv::OpAtomicXor) return true;
  if (code >= spv::OpGroupNonUniformIAdd && code <= spv::OpGroupNonUniformBitwiseXor) return true;
  switch (code) {
    case spv::OpAtomicFAddEXT:
    case spv::OpControlBarrier:
    case spv::OpMemoryBarrier:
    case spv::OpGroupNonUniformBallot:
    case spv::OpGroupNonUniformShuffle:
    case spv::OpReadClockKHR: return true;
    default: return false;
  }
}

bool is_id(spv_operand_type_t type) {
  return type == SPV_OPERAND_TYPE_ID || type == SPV_OPERAND_TYPE_TYPE_ID ||
         type == SPV_OPERAND_TYPE_RESULT_ID || type == SPV_OPERAND_TYPE_SCOPE_ID ||
         type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID;
}

struct reading {
  bool is_in_function = false;
  std::string wrong;
};

std::string difference(const spv_parsed_instruction_t& i) {
  image_format::shape form;
  if (!image_format::shape_of(i.opcode, form)) return is_never_fused(i.opcode) ? "" : " is unknown";
  if (form.type != (i.type_id != 0)) return ": its type";
  if (form.result != (i.result_id != 0)) return ": its result";
  for (std::uint16_t n = 0; n < i.num_operands; ++n) {
    const std::size_t at = i.operands[n].offset - 1u;
    if (is_id(i.operands[n].type) != (at < form.ids_end && at != form.literal))
      return ": its operand " + std::to_string(at);
  }
  return "";
}

spv_result_t take(void* to, const spv_parsed_instruction_t* i) {
  reading& all = *static_cast<reading*>(to);
  all.is_in_function = all.is_in_function || i->opcode == spv::OpFunction;
  if (!all.is_in_function) return SPV_SUCCESS;
  if (const std::string what = difference(*i); !what.empty())
    all.wrong += "image_format::shape_of: instruction " + std::to_string(i->opcode) + what + "\n";
  all.is_in_function = i->opcode != spv::OpFunctionEnd;
  return SPV_SUCCESS;
}

} // namespace

std::string unknown_instructions(const std::vector<std::uint32_t>& module) {
  const spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_2);
  reading all;
  const spv_result_t result =
      spvBinaryParse(context, &all, module.data(), module.size(), nullptr, take, nullptr);
  spvContextDestroy(context);
  return result == SPV_SUCCESS ? all.wrong : "the module cannot be read";
}

} // namespace prism::test
