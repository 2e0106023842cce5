#include "runtime/launch/prepare_kernel.hpp"

#include "runtime/images/fixed_order.hpp"
#include "runtime/images/modules.hpp"
#include "runtime/launch/launch_slices.hpp"
#include "runtime/launch/retired_programs.hpp"

#include <algorithm>
#include <limits>

namespace prism {

namespace runtime {

namespace {

using devices::extent3;

std::string text(const extent3& e) { // SYCL's order, slowest first, without leading ones
  std::string out = std::to_string(e[0]);
  if (e[1] != 1 || e[2] != 1) out = std::to_string(e[1]) + " x " + out;
  if (e[2] != 1) out = std::to_string(e[2]) + " x " + out;
  return out;
}

/// Device and kernel, for messages.
struct subject {
  const device_state& device;
  const char* kernel;
  std::string asked() const {
    return std::string("kernel \"") + kernel + "\" on " + device.label() + " (" + device.info().name + "): ";
  }
};

[[noreturn]] void refuse_nd_range(const subject& s, const std::string& what) {
  throw error(error_code::nd_range, s.asked() + what);
}

bool empty(const extent3& e) { return e[0] == 0 || e[1] == 0 || e[2] == 0; }

void check_nd_range(const subject& s, const kernel_command& k, const local_size_limits& limits) {
  const devices::capabilities& info = s.device.info();
  if (empty(k.local))
    refuse_nd_range(s, "the local range " + text(k.local) + " has a zero dimension; use at least 1");
  for (int d = 0; d < 3; ++d)
    if (k.global[d] % k.local[d] != 0)
      refuse_nd_range(s, "the global range " + text(k.global) + " is not a multiple of the local range " +
                             text(k.local) + "; round the global range up and guard in the kernel");
  std::uint64_t items = 0;
  const bool too_many = __builtin_mul_overflow(k.local[0], k.local[1], &items) ||
                        __builtin_mul_overflow(items, k.local[2], &items) || items > limits.max_items;
  if (too_many)
    refuse_nd_range(s, "the local range " + text(k.local) +
                           " has more work-items than this kernel can have in a group, " +
                           std::to_string(limits.max_items) + "; use a smaller local range");
  for (int d = 0; d < 3; ++d)
    if (k.local[d] > info.max_local_size[d])
      refuse_nd_range(s, "the local range " + text(k.local) +
                             " is larger than the device allows in one dimension, " +
                             text(info.max_local_size));
  if (limits.required[0] != 0 && limits.required != k.local)
    refuse_nd_range(s, "the kernel has the attribute reqd_work_group_size " + text(limits.required) +
                           ", the local range is " + text(k.local));
}

void check_group_count(const subject& s, const extent3& groups) {
  std::uint64_t all = 0;
  if (__builtin_mul_overflow(groups[0], groups[1], &all) || __builtin_mul_overflow(all, groups[2], &all))
    refuse_nd_range(s, "the range has more work-groups than 64 bits can count");
}

/// Returns the built image; null if the host device runs the compiled body instead.
const images::built_kernel* find_image(const subject& s, device_state& device,
                                       const image::kernel_record* record, const kernel_command& k,
                                       bool in_parts) {
  const bool has_body = device.is_host() && (k.body.work_item != nullptr || k.body.range != nullptr);
  if (record == nullptr) {
    if (has_body) return nullptr;
    const bool other_version = images::refused_modules() != 0;
    throw error(error_code::kernel_not_supported,
                s.asked() +
                    (other_version
                         ? "its file was compiled with a prism++ of another version; compile it again"
                         : "its file was compiled without prism++, so it runs on the host device only; "
                           "compile it with prism++ or select the host device"));
  }
  if (record->flags & image::calls_elements)
    throw error(error_code::kernel_not_supported,
                s.asked() +
                    "it computes elements of other kernels, and runs only in a graph that is fused with "
                    "these (property::graph::perform_fusion)");
  const images::built_kernel& built =
      in_parts ? device.programs().get_for_parts(*record) : program_of(device, *record);
  if (built.refusal.empty()) return &built;
  if (has_body && (record->flags & image::leaves_out_host) == 0) return nullptr;
  throw error(error_code::kernel_not_supported, s.asked() + built.refusal);
}

/// Lays out dynamic local memory after the static part; returns the total in bytes.
std::uint64_t lay_out_locals(const subject& s, std::uint64_t static_bytes,
                             const std::vector<local_memory>& locals, std::uint64_t available,
                             token_list& out) {
  constexpr std::uint64_t arena_alignment = 128;
  if (locals.empty()) return static_bytes;
  const auto too_much = [&](std::uint64_t bytes) {
    throw error(error_code::nd_range, s.asked() + "its work-groups need " + std::to_string(bytes) +
                                          " bytes of local memory, the device has " +
                                          std::to_string(available));
  };
  std::uint64_t end = (static_bytes + arena_alignment - 1) / arena_alignment * arena_alignment;
  for (const local_memory& l : locals) {
    const std::uint64_t alignment = std::max<std::uint64_t>(l.alignment, 1);
    const std::uint64_t at = (end + alignment - 1) / alignment * alignment;
    if (l.bytes > available || at > available) too_much(l.bytes);
    out.push_back({l.token, nullptr, at});
    end = at + l.bytes;
  }
  if (end > available) too_much(end);
  return end;
}

} // namespace

std::uint64_t items_that_fit(const images::built_kernel& built, std::uint64_t local_bytes,
                             std::uint64_t available) {
  if (local_bytes > available) return 0;
  if (built.image_kind != image::kind::opencl_c_group || built.spill_bytes == 0)
    return std::numeric_limits<std::uint64_t>::max();
  return (available - local_bytes) / built.spill_bytes;
}

namespace {

/// A work-group function stores values in local memory across barriers. If a launch leaves too little of it,
/// uses the plain image instead.
const images::built_kernel* fitting_image(const subject& s, device_state& device,
                                          const images::built_kernel* built,
                                          const image::kernel_record& record,
                                          const devices::dispatch_command& d) {
  const std::uint64_t items = d.local[0] * d.local[1] * d.local[2], available = device.info().local_memory;
  if (items <= items_that_fit(*built, d.local_bytes, available)) return built;
  const std::string why = "its work-group function uses " + std::to_string(built->spill_bytes) +
                          " bytes for each of " + std::to_string(items) + " work-items, too much for " +
                          std::to_string(available) + " bytes of local memory";
  const images::built_kernel& plain = d.part.is_part
                                          ? device.programs().get_for_parts_without_group(record, why)
                                          : device.programs().get_without_group(record, why);
  if (!plain.refusal.empty())
    throw error(error_code::nd_range, s.asked() + plain.refusal + "; use smaller work-groups");
  if (items > plain.limits.max_group_size)
    refuse_nd_range(s, why + ", and its plain image takes at most " +
                           std::to_string(plain.limits.max_group_size) +
                           " work-items in a group; use smaller work-groups");
  return &plain;
}

/// Builds a kernel with much private memory now, because drivers refuse such kernels without stating a limit
/// (NVIDIA's for Vulkan): the submission can still name the reason.
void build_large(const subject& s, const images::built_kernel& built, const devices::dispatch_command& d) {
  constexpr std::uint64_t large = 16u << 10;
  if (built.object == nullptr || built.limits.private_bytes < large) return;
  try {
    built.object->prepare({d.local, d.local_bytes, {}});
  } catch (const devices::device_error& failure) {
    if (failure.category() != devices::error_category::build) throw;
    throw error(error_code::kernel_not_supported,
                s.asked() + "it needs " + std::to_string(built.limits.private_bytes) +
                    " bytes of private memory for each work-item, and the driver does not build it; put "
                    "large arrays into a buffer or USM allocation (" +
                    failure.what() + ")");
  }
}

void check_features(const subject& s, const image::kernel_record& record) {
  const devices::capabilities& info = s.device.info();
  if (record.required_sub_group_size != 0 &&
      std::find(info.sub_group_sizes.begin(), info.sub_group_sizes.end(), record.required_sub_group_size) ==
          info.sub_group_sizes.end())
    throw error(error_code::kernel_not_supported, s.asked() + "it has the attribute reqd_sub_group_size(" +
                                                      std::to_string(record.required_sub_group_size) +
                                                      "), which the device does not offer");
}

/// The target includes both the host body and the compiled kernel: the device chooses one.
devices::host_kernel host_kernel_of(const image::kernel_record* record, kernel_command& k) {
  devices::host_kernel made{k.body, std::move(k.hidden), 0, k.order, k.fixes_order, 0, k.name, k.functor};
  if (record != nullptr) {
    if (made.hidden.empty()) made.hidden.assign(record->hidden, record->hidden + record->hidden_count);
    made.sub_group_size = static_cast<std::uint16_t>(record->required_sub_group_size);
    if (k.name == nullptr || *k.name == '\0') made.name = record->display_name;
  }
  std::copy(k.global.begin(), k.global.end(), made.body.items);
  return made;
}

const image::kernel_record* record_of(const kernel_command& k) {
  const image::kernel_record* record = k.slot != nullptr ? k.slot->record : nullptr;
  return record != nullptr && k.fixes_order ? &images::fixed_order_of(*record) : record;
}

subject subject_of(const device_state& device, const kernel_command& k) {
  const image::kernel_record* record = record_of(k);
  const bool named = k.name != nullptr && *k.name != '\0';
  return {device, named || record == nullptr ? (named ? k.name : "?") : record->display_name};
}

prepared_kernel prepare_one(device_state& device, kernel_command&& k) {
  prepared_kernel out;
  const image::kernel_record* record = record_of(k);
  const subject s = subject_of(device, k);
  const images::built_kernel* built =
      find_image(s, device, record, k, k.part.has_value() || asked_slices().is_on());
  const devices::capabilities& info = device.info();
  if (record != nullptr) check_features(s, *record);
  if (built != nullptr && k.captured.size() < record->argument_bytes)
    throw error(error_code::kernel_argument,
                s.asked() + "its captured values have " + std::to_string(k.captured.size()) +
                    " bytes, its image expects " + std::to_string(record->argument_bytes) +
                    ": two different kernels have the same name");
  const bool by_value = built != nullptr && image::is_opencl_c(built->image_kind) &&
                        (record->flags & image::arguments_by_value) != 0;
  if (by_value && k.captured.size() > info.max_argument_bytes)
    throw error(error_code::kernel_argument, s.asked() + "it captures " + std::to_string(k.captured.size()) +
                                                 " bytes by value, the device takes " +
                                                 std::to_string(info.max_argument_bytes) +
                                                 "; put large data into a buffer or USM allocation");
  local_size_limits limits = limits_of(info, built != nullptr ? &built->limits : nullptr, record);
  limits.compiles_for_sizes =
      !device.is_host() && (built == nullptr || built->image_kind != image::kind::opencl_c_group);
  if (k.fits_group) {
    const extent3 local = fit_group(k.local, limits.max_items);
    for (int i = 0; i < 3; ++i) k.global[i] = k.global[i] / k.local[i] * local[i];
    k.local = local;
  }
  if (!k.is_range) check_nd_range(s, k, limits);
  if (empty(k.global)) {
    out.runs = false;
    return out;
  }
  devices::dispatch_command& d = out.dispatch;
  d.local = k.part ? k.part->local : k.is_range ? choose_local_size(k.global, limits) : k.local;
  // The host device may run a hierarchical kernel's body, which counts logical groups, instead of its image.
  const bool counts_groups = k.is_hierarchical && device.is_host();
  if (!k.is_range && built != nullptr && (record->flags & image::any_group_size) != 0 && k.locals.empty() &&
      !counts_groups)
    d.local = regroup(k.global, k.local, limits);
  for (int i = 0; i < 3; ++i)
    d.groups[i] = d.local[i] == 1 ? k.global[i] : k.global[i] / d.local[i] + (k.global[i] % d.local[i] != 0);
  if (k.part) {
    d.part = {1, k.part->dimension & 3u, static_cast<std::uint32_t>(k.part->first) & 0x1fffffffu,
              static_cast<std::uint32_t>(d.groups[k.part->dimension])};
    d.groups[k.part->dimension] = k.part->groups;
  }
  check_group_count(s, d.groups);
  if (asked_slices().is_on()) {
    if (*std::max_element(d.groups.begin(), d.groups.end()) > devices::group_part::most_groups)
      refuse_nd_range(s, "with PRISM_SLICE a launch has at most " +
                             std::to_string(devices::group_part::most_groups) +
                             " work-groups in one dimension, the range has " + text(d.groups));
    make_part(d);
  }
  const std::uint64_t static_local = built != nullptr ? record->static_local_bytes : 0;
  d.local_bytes = lay_out_locals(s, static_local, k.locals, info.local_memory, out.locals);
  if (built != nullptr) {
    built = fitting_image(s, device, built, *record, d);
    build_large(s, *built, d);
  }
  d.object = built != nullptr ? built->object : nullptr;
  d.arguments = std::move(k.captured);
  d.arguments.resize((d.arguments.size() + 15) / 16 * 16);
  if (device.is_host()) d.target = host_kernel_of(record, k);
  out.record = record;
  out.name = s.kernel;
  out.fills_slots = built != nullptr && image::is_opencl_c(built->image_kind);
  // Without slots every pointer is an address. With slots an address is needed only if the kernel obtains
  // pointers in other ways.
  out.needs_address = !out.fills_slots || (built->features & image::addresses) != 0;
  return out;
}

} // namespace

local_size_limits limits_of_parts(device_state& device, const kernel_command& k) {
  const image::kernel_record* record = record_of(k);
  const images::built_kernel* built = find_image(subject_of(device, k), device, record, k, true);
  return limits_of(device.info(), built != nullptr ? &built->limits : nullptr, record);
}

prepared_kernel prepare_kernel(device_state& device, kernel_command&& k) {
  return k.fused != nullptr ? prepare_fused(device, std::move(k)) : prepare_one(device, std::move(k));
}

} // namespace runtime
} // namespace prism
