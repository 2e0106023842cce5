// The form of the OpenCL C texts of kernel images: what compiler/opencl writes and what readers of such texts
// (fuse_opencl) rely on, stated once. A text has one kernel; every name of PRISM's own begins with
// `own_names`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace prism::image_format {

/// Bytes of arguments of a kernel: every OpenCL device takes 1024, and what is left is for rounding by
/// drivers.
inline constexpr std::size_t opencl_argument_bytes = 960;
/// Pointers that a kernel captures: OpenCL takes at least 128 arguments on GPUs' and CPUs' drivers.
inline constexpr std::size_t opencl_pointer_slots = 60;

/// Whether the captured block is an argument by value (image::arguments_by_value), else a pointer to global
/// memory.
constexpr bool passes_by_value(std::uint64_t captured_bytes, std::size_t slots) {
  return (captured_bytes + 7) / 8 * 8 + slots * 16 + 8 <= opencl_argument_bytes;
}

inline constexpr std::string_view own_names = "prism_";
/// What stands in front of a kernel without attributes.
inline constexpr std::string_view kernel_words = "__kernel void ";
/// Behind the last parameter.
inline constexpr std::string_view end_of_head = ") {\n";
/// Macros of kernels that check their loops (devices/api/image.hpp): parameters, and the arguments that pass
/// them on.
inline constexpr std::string_view fault_parameters = "prism_fault_parameters";
inline constexpr std::string_view fault_parameters_text = ", __global uint* fault, uint fault_mark";
inline constexpr std::string_view fault_arguments_text = ", fault, fault_mark";
/// In front of the type that a pointer to global memory points to.
inline constexpr std::string_view global_space = "__global ";

/// The captured block's type and its parameter.
inline std::string block_type(std::uint64_t captured_bytes) {
  return "typedef struct { ulong w[" + std::to_string(std::max<std::uint64_t>((captured_bytes + 7) / 8, 1)) +
         "]; } prism_block;\n";
}
inline std::string block_parameter(bool by_value) {
  return by_value ? "prism_block block" : "__global const uchar* block";
}
/// The parameters of one pointer slot: memory and an offset into it.
inline std::string slot_parameters(std::size_t slot) {
  return ", __global uchar* base" + std::to_string(slot) + ", ulong offset" + std::to_string(slot);
}

} // namespace prism::image_format
