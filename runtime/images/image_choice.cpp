#include "runtime/images/image_choice.hpp"

#include <bit>

namespace prism::images {

const char* kind_name(image::kind kind) {
  switch (kind) {
  case image::kind::opencl_c: return "OpenCL C";
  case image::kind::vulkan_spirv: return "Vulkan SPIR-V";
  case image::kind::host_group: return "host work-group function";
  case image::kind::opencl_c_group: return "OpenCL C work-group function";
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

image_choice choose_image(const image::kernel_record& record, const devices::capabilities& device) {
  std::string reasons;
  const auto because = [&](const std::string& why) { reasons += (reasons.empty() ? "" : "; ") + why; };
  for (image::kind kind : device.image_kinds) {
    bool present = false;
    for (std::uint32_t i = 0; i < record.image_count; ++i) {
      const image::kernel_image& candidate = record.images[i];
      if (candidate.image_kind != kind) continue;
      present = true;
      if (candidate.data == nullptr) {
        because(std::string(kind_name(kind)) + " cannot express it: " +
                (candidate.refusal != nullptr ? candidate.refusal : "no reason was recorded"));
        continue;
      }
      const std::uint64_t missing = candidate.features & ~device.features;
      if (missing == 0) return {&candidate, {}};
      because("it needs " + feature_names(missing) + ", which the device lacks");
    }
    if (!present) because(std::string("it was compiled without the target ") + kind_name(kind));
  }
  if (reasons.empty()) because("the device accepts no kernel images");
  return {nullptr, reasons};
}

} // namespace prism::images
