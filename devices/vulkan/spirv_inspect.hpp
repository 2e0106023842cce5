// What PRISM must know of a SPIR-V module before it hands it to a driver: compute entry points and
// capabilities. Drivers may crash on damaged modules, so the instruction stream is walked and bounds are
// checked here. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace prism::devices::vulkan {

struct spirv_summary {
  std::string damage; // why this is no SPIR-V; empty when it is
  std::vector<std::string> compute_entries;
  std::vector<std::uint32_t> capabilities; // SPIR-V numbers
  bool uses_sub_groups = false;
  bool is_flat = false;           // has specialisation constant image::flat_size_spec_id
  bool orders_all = false;        // has image::push_constants::order
  std::vector<std::uint8_t> data; // constant data, see devices/api/spirv_data.hpp
  bool checks_loops = false;      // has specialisation constant 4, see devices/api/image.hpp
};

spirv_summary inspect_spirv(std::span<const std::uint32_t> words);

/// Names of the image::feature bits that the module's capabilities need and `offered` lacks, ", "-separated.
std::string missing_features(const spirv_summary& module, std::uint64_t offered);

} // namespace prism::devices::vulkan
