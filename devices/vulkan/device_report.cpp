#include "devices/vulkan/device_report.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace prism::devices::vulkan {

namespace {

/// The feature of that name, or null.
VkBool32* feature_of(std::string_view name, physical& of) {
  auto& f = of.features;
  auto& core = f.root.features;
  struct row {
    std::string_view name;
    VkBool32* feature;
  };
  const row rows[] = {
      {"shaderInt64", &core.shaderInt64},
      {"shaderInt16", &core.shaderInt16},
      {"shaderFloat64", &core.shaderFloat64},
      {"timelineSemaphore", &f.timeline.timelineSemaphore},
      {"bufferDeviceAddress", &f.address.bufferDeviceAddress},
      {"vulkanMemoryModel", &f.model.vulkanMemoryModel},
      {"vulkanMemoryModelDeviceScope", &f.model.vulkanMemoryModelDeviceScope},
      {"storageBuffer16BitAccess", &f.storage16.storageBuffer16BitAccess},
      {"storageBuffer8BitAccess", &f.storage8.storageBuffer8BitAccess},
      {"shaderFloat16", &f.small.shaderFloat16},
      {"shaderInt8", &f.small.shaderInt8},
      {"shaderBufferInt64Atomics", &f.atomic64.shaderBufferInt64Atomics},
      {"shaderSharedInt64Atomics", &f.atomic64.shaderSharedInt64Atomics},
      {"scalarBlockLayout", &f.scalar.scalarBlockLayout},
      {"shaderSubgroupExtendedTypes", &f.subgroup_types.shaderSubgroupExtendedTypes},
      {"shaderIntegerDotProduct", &f.dot_product.shaderIntegerDotProduct},
      {"maintenance4", &f.maintenance4.maintenance4},
      {"subgroupSizeControl", &f.subgroup_size.subgroupSizeControl},
      {"computeFullSubgroups", &f.subgroup_size.computeFullSubgroups},
      {"shaderBufferFloat32AtomicAdd", &f.atomic_float.shaderBufferFloat32AtomicAdd},
      {"cooperativeMatrix", &f.matrices.cooperativeMatrix},
      {"shaderBFloat16CooperativeMatrix", &f.bfloat16.shaderBFloat16CooperativeMatrix},
      {"shaderSubgroupClock", &f.clock.shaderSubgroupClock},
      {"shaderDeviceClock", &f.clock.shaderDeviceClock},
      {"argumentBuffers", &of.argument_buffers},
      {"exactFloats", &of.exact_floats},
      {"phis", &of.phis},
      {"subgroupScans", &of.sub_group_scans},
      {"shaderSignedZeroInfNanPreserveFloat16", &of.float_controls.shaderSignedZeroInfNanPreserveFloat16},
      {"shaderSignedZeroInfNanPreserveFloat32", &of.float_controls.shaderSignedZeroInfNanPreserveFloat32},
      {"shaderSignedZeroInfNanPreserveFloat64", &of.float_controls.shaderSignedZeroInfNanPreserveFloat64},
  };
  const auto found =
      std::find_if(std::begin(rows), std::end(rows), [&](const row& r) { return r.name == name; });
  return found == std::end(rows) ? nullptr : found->feature;
}

/// The limit of that name, or null.
std::uint32_t* limit_of(std::string_view name, physical& of) {
  auto& l = of.properties.limits;
  struct row {
    std::string_view name;
    std::uint32_t* limit;
  };
  const row rows[] = {
      {"apiVersion", &of.properties.apiVersion}, // as Vulkan encodes it
      {"maxComputeSharedMemorySize", &l.maxComputeSharedMemorySize},
      {"maxComputeWorkGroupInvocations", &l.maxComputeWorkGroupInvocations},
      {"maxComputeWorkGroupSizeX", &l.maxComputeWorkGroupSize[0]},
      {"maxComputeWorkGroupSizeY", &l.maxComputeWorkGroupSize[1]},
      {"maxComputeWorkGroupSizeZ", &l.maxComputeWorkGroupSize[2]},
      {"maxComputeWorkGroupCountX", &l.maxComputeWorkGroupCount[0]},
      {"maxComputeWorkGroupCountY", &l.maxComputeWorkGroupCount[1]},
      {"maxComputeWorkGroupCountZ", &l.maxComputeWorkGroupCount[2]},
      {"maxPushConstantsSize", &l.maxPushConstantsSize},
      {"maxPrivateBytes", &of.max_private_bytes},
      {"maxStorageBufferRange", &l.maxStorageBufferRange},
      {"subgroupSupportedOperations", &of.sub_group_operations},
      {"maxSubgroupSize", &of.max_sub_group},
  };
  const auto found =
      std::find_if(std::begin(rows), std::end(rows), [&](const row& r) { return r.name == name; });
  return found == std::end(rows) ? nullptr : found->limit;
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::string apply_line(std::string_view line, physical& into) {
  line = trimmed(line.substr(0, line.find('#')));
  const auto colon = line.find(':');
  if (line.empty()) return {};
  if (colon == line.npos) return "has a line without a colon: " + std::string(line);
  const auto name = trimmed(line.substr(0, colon)), value = trimmed(line.substr(colon + 1));
  if (value.empty()) return {}; // the start of a section
  if (name == "deviceName") {
    into.stands_for = std::string(value);
    return {};
  }
  if (VkBool32* const feature = feature_of(name, into)) {
    if (value == "false") *feature = VK_FALSE;
    else if (value == "true" && feature == &into.argument_buffers)
      *feature = VK_TRUE; // a choice of PRISM, which the report makes instead
    else if (value != "true")
      return "has " + std::string(name) + ": " + std::string(value) + ", not true or false";
    return {};
  }
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size())
    return "has " + std::string(name) + ": " + std::string(value) + ", not a number";
  if (name == "minImportedHostPointerAlignment") {
    if (number == 0) into.import_alignment = 0; // the device imports no host memory
    return {};
  }
  std::uint32_t* const limit = limit_of(name, into);
  if (limit == nullptr) return "names " + std::string(name) + ", which PRISM does not know";
  const auto given = static_cast<std::uint32_t>(std::min<std::uint64_t>(number, UINT32_MAX));
  *limit = name == "subgroupSupportedOperations" ? *limit & given : std::min(*limit, given);
  return {};
}

} // namespace

std::string apply_report(std::string_view report, physical& into) {
  while (!report.empty()) {
    const auto end = std::min(report.find('\n'), report.size());
    if (std::string wrong = apply_line(report.substr(0, end), into); !wrong.empty()) return wrong;
    report.remove_prefix(std::min(end + 1, report.size()));
  }
  if (!into.features.subgroup_size.subgroupSizeControl)
    into.min_sub_group = into.max_sub_group = into.max_sub_groups = 0;
  return {};
}

std::string apply_report_of_environment(physical& into) {
  const char* const path = std::getenv("PRISM_VULKAN_REPORT");
  if (path == nullptr || *path == '\0') return {};
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  into.stands_for = "a reported device"; // unless the report has its name
  const std::string wrong = file ? apply_report(text, into) : "cannot be read";
  return wrong.empty() ? "" : "PRISM_VULKAN_REPORT=" + std::string(path) + " " + wrong;
}

} // namespace prism::devices::vulkan
