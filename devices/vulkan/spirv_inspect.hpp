// What PRISM must know about a SPIR-V module before it passes it to a driver: compute entry points and
// capabilities. Drivers may crash on damaged modules, so this walks the instruction stream and checks bounds.
// Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace prism::devices::vulkan {

struct spirv_summary {
  std::string damage; // why this is not valid SPIR-V; empty if it is
  std::vector<std::string> compute_entries;
  std::vector<std::uint32_t> capabilities; // SPIR-V numbers
  bool uses_sub_groups = false;
  bool uses_matrices = false;      // that a sub-group holds
  bool is_flat = false;            // has specialisation constant image::flat_size_spec_id
  bool orders_all = false;         // has image::push_constants::order
  std::vector<std::uint8_t> data;  // constant data, see devices/api/spirv_data.hpp
  std::uint64_t private_bytes = 0; // of variables of functions, for each work-item
  bool checks_loops = false;       // has specialisation constant 4, see devices/api/image.hpp
};

spirv_summary inspect_spirv(std::span<const std::uint32_t> words);

/// Names of the image::feature bits that the module needs and `offered` lacks, separated by ", ".
std::string missing_features(const spirv_summary& module, std::uint64_t offered);

} // namespace prism::devices::vulkan
