#include "runtime/images/image_choice.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

namespace prism::images {

const char* kind_name(image::kind kind) {
  switch (kind) {
    case image::kind::opencl_c: return "OpenCL C";
    case image::kind::vulkan_spirv: return "Vulkan SPIR-V";
    case image::kind::host_group: return "host work-group function";
    case image::kind::host_whole_groups: return "host function of whole work-groups";
    case image::kind::opencl_c_group: return "OpenCL C work-group function";
    case image::kind::opencl_c_sub_groups: return "OpenCL C with sub-groups";
  }
  return "unknown image kind";
}

std::string feature_names(std::uint64_t features) {
  std::string out;
  for (; features != 0; features &= features - 1) {
    if (!out.empty()) out += ", ";
    out += image::feature_name(image::feature(features & (~features + 1)));
  }
  return out;
}

namespace {

const char* target_name(image::kind kind) {
  switch (kind) {
    case image::kind::opencl_c:
    case image::kind::opencl_c_group:
    case image::kind::opencl_c_sub_groups: return "opencl";
    case image::kind::vulkan_spirv: return "vulkan";
    case image::kind::host_group:
    case image::kind::host_whole_groups: return "host";
  }
  return "unknown";
}

bool offers_sub_group_size(const devices::capabilities& device, std::uint32_t size) {
  return std::find(device.sub_group_sizes.begin(), device.sub_group_sizes.end(), size) !=
         device.sub_group_sizes.end();
}

/// Of an image with matrices that a sub-group holds.
std::string missing_product(const image::kernel_image& candidate, const devices::capabilities& device) {
  const std::span words(static_cast<const std::uint32_t*>(candidate.data),
                        candidate.size / sizeof(std::uint32_t));
  const std::string lacking = devices::module_matrices(words).missing_from(device.matrix_products);
  return lacking.empty() ? "" : "the device's matrix units do not have " + lacking;
}

/// The reason why an existing image cannot be used; empty when it can.
std::string obstacle(const image::kernel_image& candidate, const image::kernel_record& record,
                     const devices::capabilities& device) {
  if (candidate.data == nullptr && candidate.refusal != nullptr &&
      std::string_view(candidate.refusal) == image::left_out)
    return std::string("its file was compiled with --targets that leave out ") +
           target_name(candidate.image_kind) + "; add " + target_name(candidate.image_kind) +
           " to --targets, or select a device that is among them";
  if (candidate.data == nullptr)
    return std::string(kind_name(candidate.image_kind)) + " cannot express it: " +
           (candidate.refusal != nullptr ? candidate.refusal : "no reason was recorded");
  if (const std::uint64_t missing = candidate.features & ~device.features; missing != 0)
    return "it needs " + feature_names(missing) + ", which the device lacks";
  if ((candidate.features & image::cooperative_matrix) != 0)
    if (const std::string lacking = missing_product(candidate, device); !lacking.empty()) return lacking;
  const bool single = candidate.image_kind == image::kind::opencl_c; // its sub-groups have one work-item
  const bool needs_vectors = record.required_sub_group_size > 1;
  if (single && (record.flags & image::uses_sub_group) != 0 &&
      (needs_vectors || !offers_sub_group_size(device, 1)))
    return std::string("its plain OpenCL C has sub-groups of one work-item only, ") +
           (needs_vectors ? "and it requires another size" : "which the device does not offer");
  return {};
}

std::string reason_for(image::kind kind, const image::kernel_record& record) {
  if (kind == image::kind::opencl_c_sub_groups) return "the kernel has sub-groups, and so has the device";
  if (kind != image::kind::opencl_c_group) return {};
  const char* what = (record.flags & image::uses_sub_group) != 0 ? "sub-groups"
                     : (record.flags & image::uses_barrier) != 0 ? "barriers"
                     : (record.flags & image::uses_local_memory) != 0
                         ? "local memory"
                         : "loops in which adjacent work-items access adjacent memory, or halves";
  return std::string("the kernel has ") + what +
         ", and this CPU driver is faster when one OpenCL work-item executes a whole group";
}

} // namespace

image_choice choose_image(const image::kernel_record& record, const devices::capabilities& device,
                          const excluded_kind* without) {
  std::string reasons, last;
  const auto because = [&](const std::string& why) { // two images may lack the same
    if (why != last) reasons += (reasons.empty() ? "" : "; ") + why;
    last = why;
  };
  for (image::kind kind : device.image_kinds) {
    if (without != nullptr && without->kind == kind) {
      because(without->why);
      continue;
    }
    bool present = false;
    for (std::uint32_t i = 0; i < record.image_count; ++i) {
      const image::kernel_image& candidate = record.images[i];
      if (candidate.image_kind != kind) continue;
      present = true;
      const std::string why = obstacle(candidate, record, device);
      if (why.empty()) return {&candidate, {}, reasons.empty() ? reason_for(kind, record) : reasons};
      because(why);
    }
    // The compiler emits these two only where they are useful, so their absence is not an error.
    if (!present && kind != image::kind::opencl_c_group && kind != image::kind::opencl_c_sub_groups)
      because(std::string("it was compiled without the target ") + kind_name(kind));
  }
  if (reasons.empty()) because("the device accepts no kernel images");
  return {nullptr, reasons, {}};
}

} // namespace prism::images
