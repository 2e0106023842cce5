#include "runtime/specialise/build_rules.hpp"

#include "devices/api/kernel_constants.hpp"

#include <optional>

namespace prism::runtime {

bool takes_values(const image::kernel_record& record, image::kind kind, const devices::capabilities& info) {
  const std::optional<image::kernel_constants> found = image::constants_of(record);
  return found && found->serves(kind) &&
         ((found->flags & image::has_float_arithmetic) == 0 || info.exact_constants);
}

std::string refusal_of(const image::kernel_record& record, const images::built_kernel& built,
                       device_state& device) {
  const devices::capabilities& info = device.info();
  if (device.is_host()) return "the host device has no compiler while a program runs";
  if (!built.refusal.empty()) return built.refusal;
  if (!info.profiling) return "the driver measures no times";
  const std::optional<image::kernel_constants> found = image::constants_of(record);
  if (!found || (found->count == 0 && !found->serves(built.image_kind)))
    return "it captures no values that its image can be specialised for";
  if (!found->serves(built.image_kind)) {
    if ((found->flags & image::folds_functions) != 0 && built.image_kind != image::kind::vulkan_spirv)
      return "it calls functions that the driver's compiler may evaluate differently from the device";
    if ((found->flags & image::may_contract) != 0)
      return "it has x * y + z, which the driver may round once or twice and differently in each build; "
             "compile it with -ffp-contract=off";
    return "its image cannot be specialised";
  }
  if ((found->flags & image::has_float_arithmetic) != 0 && !info.exact_constants)
    return "it computes with floating-point numbers, and the driver's compiler may evaluate constants "
           "differently from the device";
  return {};
}

bool may_be_plain(const image::kernel_record& record, const images::built_kernel& built,
                  const devices::capabilities& info) {
  if (built.image_kind != image::kind::opencl_c_group || !built.refusal.empty() || !info.profiling)
    return false;
  if ((record.flags & image::uses_sub_group) != 0 || record.required_sub_group_size != 0) return false;
  const std::optional<image::kernel_constants> found = image::constants_of(record);
  return found && (found->flags & image::may_contract) == 0;
}

} // namespace prism::runtime
