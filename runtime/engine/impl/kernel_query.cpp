// Queries about a kernel on a device, before anything is submitted.
#include "runtime/device/device_failure.hpp"
#include "runtime/images/fixed_order.hpp"
#include "runtime/images/image_choice.hpp"
#include "runtime/launch/prepare_kernel.hpp"

#include <algorithm>
#include <bit>

namespace prism {

std::string group_size_refusal(device_node& device, const image::kernel_record& record) {
  const devices::capabilities& info = device.info();
  const std::vector<std::uint32_t>& sizes = info.sub_group_sizes;
  if (record.required_sub_group_size != 0 &&
      std::find(sizes.begin(), sizes.end(), record.required_sub_group_size) == sizes.end())
    return "it has the attribute reqd_sub_group_size(" + std::to_string(record.required_sub_group_size) +
           "), which the device does not offer";
  std::uint64_t items = 1;
  for (int d = 0; d < 3; ++d) {
    const std::uint64_t size = std::max<std::uint64_t>(record.required_local_size[d], 1);
    items = size > info.max_group_size ? size : items * size;
    if (items > info.max_group_size)
      return "it has the attribute reqd_work_group_size with at least " + std::to_string(items) +
             " work-items, the device allows " + std::to_string(info.max_group_size);
  }
  return {};
}

std::string fixed_order_refusal(const device_node& device, const image::kernel_record* record) {
  return images::why_no_fixed_order(record, static_cast<const runtime::device_state&>(device).is_host());
}

std::string kernel_refusal(device_node& device, const image::kernel_record* record) {
  const auto& entry = static_cast<runtime::device_state&>(device);
  if (record == nullptr)
    return entry.is_host() ? "" : "its file was compiled without prism++, so it runs on the host device only";
  if (std::string why = group_size_refusal(device, *record); !why.empty()) return why;
  const bool has_body = entry.is_host() && (record->flags & image::leaves_out_host) == 0;
  return has_body ? "" : images::choose_image(*record, device.info()).refusal;
}

std::string matrix_refusal(device_node& device, const image::kernel_record& record) {
  if ((device.info().features & image::cooperative_matrix) == 0) return {};
  const images::image_choice choice = images::choose_image(record, device.info());
  if (choice.image == nullptr || (choice.image->features & image::cooperative_matrix) != 0) return {};
  const std::string why =
      choice.reason.empty() ? "it has an operation that matrix units lack" : choice.reason;
  return "it uses a joint_matrix in a way that the device's matrices do not have: " + why;
}

devices::kernel& built_kernel_on(device_node& device, const image::kernel_record* record) {
  auto& entry = static_cast<runtime::device_state&>(device);
  (void)kernel_limits_on(device, record); // throws an error that names the kernel
  devices::kernel* const object = record != nullptr ? entry.programs().get(*record).object : nullptr;
  if (object == nullptr)
    throw error(error_code::feature_not_supported,
                std::string("kernel \"") + (record != nullptr ? record->display_name : "?") + "\" on " +
                    entry.label() + " is a function of this program, not an object of a driver");
  return *object;
}

namespace {

/// The largest power of two that a launch accepts as group size, by the same rules as a launch. The sizes of
/// local accessors are only known at launch, so half of the local memory is reserved for them; larger groups
/// are still accepted at launch if they fit.
std::uint64_t largest_group(runtime::device_state& entry, const image::kernel_record& record,
                            const images::built_kernel& built, std::uint64_t most) {
  const std::uint64_t available = entry.info().local_memory;
  const bool has_local = (record.flags & image::uses_local_memory) != 0;
  const std::uint64_t local =
      std::max<std::uint64_t>(record.static_local_bytes, has_local ? available / 2 : 0);
  const std::uint64_t fit = runtime::items_that_fit(built, local, available);
  if (fit >= most) return most;
  const std::string why =
      "its work-group function uses " + std::to_string(built.spill_bytes) + " bytes for each work-item";
  const images::built_kernel& plain = entry.programs().get_without_group(record, why);
  const std::uint64_t without = plain.refusal.empty() ? std::min(most, plain.limits.max_group_size) : 0;
  return std::max(std::bit_floor(fit), without);
}

} // namespace

devices::kernel_limits kernel_limits_on(device_node& device, const image::kernel_record* record) {
  auto& entry = static_cast<runtime::device_state&>(device);
  const std::string why_not = kernel_refusal(device, record);
  if (!why_not.empty())
    throw error(error_code::invalid, std::string("kernel \"") +
                                         (record != nullptr ? record->display_name : "?") + "\" on " +
                                         entry.label() + ": " + why_not);
  devices::kernel_limits limits;
  limits.max_group_size = device.info().max_group_size;
  if (record == nullptr) return limits;
  try {
    const images::built_kernel& built = entry.programs().get(*record);
    if (built.object != nullptr) {
      limits = built.limits;
      limits.max_group_size =
          largest_group(entry, *record, built, std::min(limits.max_group_size, device.info().max_group_size));
    }
  } catch (const devices::device_error& failed) {
    runtime::rethrow(failed);
  }
  limits.max_group_size = std::clamp<std::uint64_t>(limits.max_group_size, 1, device.info().max_group_size);
  limits.preferred_multiple = std::max<std::uint64_t>(limits.preferred_multiple, 1);
  return limits;
}

} // namespace prism
