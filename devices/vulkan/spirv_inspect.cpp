#include "devices/vulkan/spirv_inspect.hpp"

#include "devices/api/image.hpp"
#include "devices/api/spirv_data.hpp"

#include <bit>
#include <cstddef>
#include <cstring>
#include <unordered_map>

namespace prism::devices::vulkan {

namespace {

// Numbers of the SPIR-V specification, sections 2.3 and 3.
constexpr std::uint32_t magic = 0x07230203, op_string = 7, op_entry_point = 15, op_capability = 17,
                        op_decorate = 71, op_member_decorate = 72, decoration_spec_id = 1,
                        decoration_offset = 35, model_gl_compute = 5, capability_group_non_uniform = 61,
                        capability_matrices = 6022;

constexpr std::uint32_t order_member = 11; // of image::push_constants

struct need {
  std::uint32_t capability;
  std::uint64_t feature;
};
constexpr need needs[] = {
    {9, image::fp16},                   // Float16
    {10, image::fp64},                  // Float64
    {11, image::int64},                 // Int64
    {12, image::int64_atomics},         // Int64Atomics
    {22, image::int16},                 // Int16
    {39, image::int8},                  // Int8
    {61, image::sub_groups},            // GroupNonUniform
    {63, image::sub_groups},            // GroupNonUniformArithmetic
    {64, image::sub_groups},            // GroupNonUniformBallot
    {65, image::sub_groups},            // GroupNonUniformShuffle
    {4433, image::fp16_storage},        // StorageBuffer16BitAccess
    {4448, image::int8},                // StorageBuffer8BitAccess
    {4466, image::signed_zero_inf_nan}, // SignedZeroInfNanPreserve
    {5345, image::memory_model},        // VulkanMemoryModel
    {5346, image::memory_model},        // VulkanMemoryModelDeviceScope
    {6022, image::cooperative_matrix},  // CooperativeMatrixKHR
    {6033, image::float_atomic_add},    // AtomicFloat32AddEXT
};

std::string literal_string(std::span<const std::uint32_t> words) {
  std::string text;
  for (const auto word : words)
    for (int shift = 0; shift < 32; shift += 8) {
      const char letter = static_cast<char>(word >> shift & 0xff);
      if (!letter) return text;
      text += letter;
    }
  return text;
}

} // namespace

namespace {

/// The sizes of the types of a module, as far as variables of functions need them.
class type_sizes {
public:
  void add(std::uint32_t operation, std::span<const std::uint32_t> o) {
    constexpr std::uint32_t type_bool = 20, type_int = 21, type_float = 22, type_vector = 23, type_array = 28,
                            type_pointer = 32, constant = 43;
    if (o.size() < (operation == type_bool ? 1u : 2u)) return;
    switch (operation) {
      case type_bool: m_bytes[o[0]] = 4; break;
      case type_int:
      case type_float: m_bytes[o[0]] = o[1] / 8; break;
      case type_vector:
        if (o.size() > 2) m_bytes[o[0]] = m_bytes[o[1]] * o[2];
        break;
      case type_array:
        if (o.size() > 2) m_bytes[o[0]] = m_bytes[o[1]] * m_constants[o[2]];
        break;
      case type_pointer:
        if (o.size() > 2) m_bytes[o[0]] = m_bytes[o[2]];
        break; // of what it points to
      case constant:
        if (o.size() > 2) m_constants[o[1]] = o[2];
        break;
      default: break;
    }
  }
  /// Of a variable whose pointer has that type.
  std::uint64_t of_variable(std::uint32_t pointer_type) { return m_bytes[pointer_type]; }

private:
  std::unordered_map<std::uint32_t, std::uint64_t> m_bytes, m_constants;
};

} // namespace

spirv_summary inspect_spirv(std::span<const std::uint32_t> words) {
  constexpr std::uint32_t op_variable = 59, storage_function = 7;
  spirv_summary found;
  type_sizes sizes;
  if (words.size() < 5 || words[0] != magic) {
    found.damage = "it does not start with the SPIR-V header";
    return found;
  }
  for (std::size_t at = 5; at < words.size();) {
    const std::uint32_t length = words[at] >> 16, operation = words[at] & 0xffff;
    if (length == 0 || length > words.size() - at) {
      found.damage = "the instruction at word " + std::to_string(at) + " runs past the end";
      return found;
    }
    const auto operands = words.subspan(at + 1, length - 1);
    sizes.add(operation, operands);
    if (operation == op_variable && operands.size() > 2 && operands[2] == storage_function)
      found.private_bytes += sizes.of_variable(operands[0]);
    if (operation == op_capability && !operands.empty()) found.capabilities.push_back(operands[0]);
    if (operation == op_capability && !operands.empty() && operands[0] == capability_group_non_uniform)
      found.uses_sub_groups = true;
    if (operation == op_capability && !operands.empty() && operands[0] == capability_matrices)
      found.uses_sub_groups = found.uses_matrices = true;
    if (operation == op_entry_point && operands.size() > 2 && operands[0] == model_gl_compute)
      found.compute_entries.push_back(literal_string(operands.subspan(2)));
    if (operation == op_decorate && operands.size() == 3 && operands[1] == decoration_spec_id) {
      found.checks_loops |= operands[2] == 4;
      found.is_flat |= operands[2] == image::flat_size_spec_id;
    }
    if (operation == op_member_decorate && operands.size() == 4 && operands[1] == order_member &&
        operands[2] == decoration_offset)
      found.orders_all |= operands[3] == offsetof(image::push_constants, order);
    if (operation == op_string && operands.size() > 1)
      image::spirv_data::add_bytes(literal_string(operands.subspan(1)), found.data);
    at += length;
  }
  if (found.compute_entries.empty()) found.damage = "it has no compute entry point";
  return found;
}

std::string missing_features(const spirv_summary& module, std::uint64_t offered) {
  constexpr std::uint32_t shader_clock = 5055; // of either scope, which the module's code says
  std::uint64_t missing = 0;
  for (const auto capability : module.capabilities) {
    for (const auto& entry : needs)
      if (entry.capability == capability) missing |= entry.feature & ~offered;
    if (capability == shader_clock && (offered & (image::clock_sub_group | image::clock_device)) == 0)
      missing |= image::clock_device;
  }
  std::string names;
  for (; missing; missing &= missing - 1)
    names += (names.empty() ? "" : ", ") +
             std::string(image::feature_name(static_cast<image::feature>(1ull << std::countr_zero(missing))));
  return names;
}

} // namespace prism::devices::vulkan
