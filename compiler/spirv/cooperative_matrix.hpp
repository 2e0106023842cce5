// SPV_KHR_cooperative_matrix and SPV_KHR_bfloat16, which headers of SPIR-V before 1.3.255 and 1.4.311 lack.
#pragma once

#include <spirv/unified1/spirv.hpp>

namespace prism::compiler::spirv::khr {

inline constexpr const char* cooperative_matrix_extension = "SPV_KHR_cooperative_matrix";
inline constexpr auto capability_cooperative_matrix = static_cast<spv::Capability>(6022);
inline constexpr const char* bfloat16_extension = "SPV_KHR_bfloat16";
inline constexpr auto capability_bfloat16_type = static_cast<spv::Capability>(5116);
inline constexpr auto capability_bfloat16_cooperative_matrix = static_cast<spv::Capability>(5118);
inline constexpr std::uint32_t bfloat16_encoding = 0; // of OpTypeFloat
inline constexpr auto op_type_cooperative_matrix = static_cast<spv::Op>(4456);
inline constexpr auto op_cooperative_matrix_load = static_cast<spv::Op>(4457);
inline constexpr auto op_cooperative_matrix_store = static_cast<spv::Op>(4458);
inline constexpr auto op_cooperative_matrix_mul_add = static_cast<spv::Op>(4459);
inline constexpr auto op_cooperative_matrix_length = static_cast<spv::Op>(4460);

// operands of the multiplication
inline constexpr std::uint32_t a_is_signed = 1, b_is_signed = 2, c_is_signed = 4, result_is_signed = 8;

} // namespace prism::compiler::spirv::khr
