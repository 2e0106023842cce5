// Defines the form of the OpenCL C texts of kernel images, which compiler/opencl writes and fuse_opencl
// reads. A text has one kernel. Every name of PRISM's begins with `own_names`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace prism::image_format {

/// The largest size of a kernel's arguments in bytes. Every OpenCL device accepts 1024; the difference is for
/// padding by drivers.
inline constexpr std::size_t opencl_argument_bytes = 960;
/// The largest number of pointers that a kernel captures. OpenCL drivers of GPUs and CPUs accept at least 128
/// arguments; a pointer takes two.
inline constexpr std::size_t opencl_pointer_slots = 60;

/// Whether the captured block is passed by value (image::arguments_by_value). If not, the argument is a
/// pointer to global memory.
constexpr bool passes_by_value(std::uint64_t captured_bytes, std::size_t slots) {
  return (captured_bytes + 7) / 8 * 8 + slots * 16 + 8 <= opencl_argument_bytes;
}

inline constexpr std::string_view own_names = "prism_";
/// The text before the name of a kernel without attributes.
inline constexpr std::string_view kernel_words = "__kernel void ";
/// Attributes are between these two.
inline constexpr std::string_view kernel_word = "__kernel ", void_word = "void ";
/// The text after the last parameter.
inline constexpr std::string_view end_of_head = ") {\n";
/// Macros of kernels that check their loops (devices/api/image.hpp): the additional parameters, and the
/// arguments for them.
inline constexpr std::string_view fault_parameters = "prism_fault_parameters";
inline constexpr std::string_view fault_parameters_text = ", __global uint* fault, uint fault_mark";
inline constexpr std::string_view fault_arguments_text = ", fault, fault_mark";
/// Macros with defaults in the text, which a device's build options may define: the global id in a dimension,
/// and whether the driver gains if a group asks first whether all of its work-items pass a guard.
inline constexpr std::string_view global_id_macro = "PRISM_GLOBAL_ID", asks_group_macro = "PRISM_ASKS_GROUP";
/// The text before the element type of a pointer to global memory.
inline constexpr std::string_view global_space = "__global ";

/// The definition of the captured block's type, and below its parameter.
inline std::string block_type(std::uint64_t captured_bytes) {
  return "typedef struct { ulong w[" + std::to_string(std::max<std::uint64_t>((captured_bytes + 7) / 8, 1)) +
         "]; } prism_block;\n";
}
inline std::string block_parameter(bool by_value) {
  return by_value ? "prism_block block" : "__global const uchar* block";
}
/// The parameters of one pointer slot: the memory object and a byte offset.
inline std::string slot_parameters(std::size_t slot) {
  return ", __global uchar* base" + std::to_string(slot) + ", ulong offset" + std::to_string(slot);
}

} // namespace prism::image_format
