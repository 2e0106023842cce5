#include "devices/vulkan/physical.hpp"

#include "devices/vulkan/compute_units.hpp"
#include "devices/vulkan/convert.hpp"
#include "devices/vulkan/device_report.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string_view>

namespace prism::devices::vulkan {

bool physical::has(const char* extension) const {
  return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

void physical::read_budget(std::uint32_t heap, heap_use& into) const noexcept {
  if (read_memory == nullptr) return;
  VkPhysicalDeviceMemoryBudgetPropertiesEXT now{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
  VkPhysicalDeviceMemoryProperties2 root{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
  root.pNext = &now;
  read_memory(handle, &root);
  into.budget = now.heapBudget[heap];
  into.usage = now.heapUsage[heap];
}

VkBufferUsageFlags physical::buffer_usage() const noexcept {
  constexpr VkBufferUsageFlags always = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                        VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                                        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                        VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
  return lacks().addresses ? always : always | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
}

bool physical::unified() const noexcept {
  return properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU ||
         properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
}

namespace {

/// The widths of which a device keeps subnormal numbers on request. Vulkan lets a device require that some
/// widths are treated alike: those are asked for together or not at all.
unsigned preserved_subnormals(const VkPhysicalDeviceFloatControlsProperties& from) noexcept {
  const bool half = from.shaderDenormPreserveFloat16, single = from.shaderDenormPreserveFloat32,
             wide = from.shaderDenormPreserveFloat64;
  switch (from.denormBehaviorIndependence) {
    case VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL:
      return (half ? 16 : 0) | (single ? 32 : 0) | (wide ? 64 : 0);
    case VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY:
      return (half && wide ? 16 | 64 : 0) | (single ? 32 : 0);
    default: return half && single && wide ? 16 | 32 | 64 : 0;
  }
}

} // namespace

lower::lacks physical::lacks() const noexcept {
  const auto& f = features;
  lower::lacks what;
  what.int64 = !f.root.features.shaderInt64;
  what.int16 = !f.root.features.shaderInt16 || !f.storage16.storageBuffer16BitAccess;
  what.int8 = !f.small.shaderInt8 || !f.storage8.storageBuffer8BitAccess;
  what.memory_model = !f.model.vulkanMemoryModel;
  what.addresses = !f.address.bufferDeviceAddress;
  what.exact_floats = !exact_floats;
  what.phis = !phis;
  what.sub_groups = !has_sub_groups();
  what.sub_group_arithmetic = (sub_group_operations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT) == 0;
  what.sub_group_scans = !sub_group_scans;
  what.dot_products = !f.dot_product.shaderIntegerDotProduct;
  what.wide_sub_groups = !f.subgroup_types.shaderSubgroupExtendedTypes;
  if (const auto sizes = sub_group_sizes(); !sizes.empty())
    what.largest_sub_group = *std::max_element(sizes.begin(), sizes.end());
  what.subnormals = preserved_subnormals(float_controls);
  return what;
}

std::uint64_t physical::arena_bytes() const noexcept {
  constexpr std::uint64_t page = 4096, most = (std::uint64_t{1} << 32) - page; // offsets have 32 bits
  std::uint64_t heap = 0;
  for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i)
    heap = std::max<std::uint64_t>(heap, memory.memoryHeaps[i].size);
  const std::uint64_t range = properties.limits.maxStorageBufferRange;
  return std::min({range, most, heap / 2, max_allocation}) / page * page;
}

bool physical::has_matrices() const noexcept {
  const auto what = lacks();
  return features.matrices.cooperativeMatrix && features.subgroup_size.computeFullSubgroups &&
         !matrix_products.empty() && !what.int64 && !what.int16 && !what.int8 && !what.memory_model &&
         !what.addresses && !what.sub_groups; // lower::lower_module does not know these instructions
}

bool physical::has_sub_groups() const noexcept {
  constexpr VkSubgroupFeatureFlags needed =
      VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  return (sub_group_operations & needed) == needed && !sub_group_sizes().empty();
}

bool physical::takes_sub_group_size(std::uint32_t size, const extent3& local) const noexcept {
  return size >= min_sub_group && size <= max_sub_group &&
         local[0] * local[1] * local[2] <= std::uint64_t{size} * max_sub_groups;
}

std::vector<std::uint32_t> physical::sub_group_sizes() const {
  constexpr std::uint32_t largest = 64; // a ballot has 64 bits
  constexpr std::uint32_t most = 256;   // sub-groups of a work-group: __prism_sub_group_is_vector
  const std::uint32_t smallest = (properties.limits.maxComputeWorkGroupInvocations + most - 1) / most;
  std::vector<std::uint32_t> sizes;
  if (smallest <= sub_group_size && sub_group_size <= largest) sizes.push_back(sub_group_size);
  if (max_sub_group)
    for (std::uint32_t size = min_sub_group; size <= std::min(max_sub_group, largest); size *= 2)
      if (size != sub_group_size && smallest <= size) sizes.push_back(size);
  return sizes;
}

namespace {

/// Whether the device has this function in its version of Vulkan or as an extension (which this then
/// enables).
bool offers(physical& device, std::uint32_t since, const char* extension) {
  if (device.properties.apiVersion >= since) return true;
  if (!device.has(extension)) return false;
  device.enabled_extensions.push_back(extension);
  return true;
}

template <class Head, class Structure>
void link(Head& head, Structure& structure) {
  structure.pNext = head.pNext;
  head.pNext = &structure;
}

void gather_extensions(const instance& from, physical& into) {
  std::uint32_t count = 0;
  check(from.vk().EnumerateDeviceExtensionProperties(into.handle, nullptr, &count, nullptr),
        "listing extensions");
  std::vector<VkExtensionProperties> found(count);
  check(from.vk().EnumerateDeviceExtensionProperties(into.handle, nullptr, &count, found.data()),
        "listing extensions");
  for (const auto& extension : found) into.extensions.emplace_back(extension.extensionName);
}

/// PRISM_JOINT_MATRIX=emulate: kernels compute without the device's matrices.
bool emulates_matrices() {
  const char* const text = std::getenv("PRISM_JOINT_MATRIX");
  constexpr std::string_view wanted = "emulate";
  return text != nullptr && std::ranges::equal(std::string_view(text), wanted, {}, [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
}

void gather_features(const instance& from, physical& into) {
  auto& f = into.features;
  constexpr auto v11 = VK_API_VERSION_1_1, v12 = VK_API_VERSION_1_2, v13 = VK_API_VERSION_1_3;
  if (offers(into, v12, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME)) link(f.root, f.timeline);
  if (offers(into, v12, VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME)) link(f.root, f.address);
  if (offers(into, v12, VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME)) link(f.root, f.model);
  if (offers(into, v11, VK_KHR_16BIT_STORAGE_EXTENSION_NAME)) link(f.root, f.storage16);
  if (offers(into, v12, VK_KHR_8BIT_STORAGE_EXTENSION_NAME)) link(f.root, f.storage8);
  if (offers(into, v12, VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME)) link(f.root, f.small);
  if (offers(into, v12, VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME)) link(f.root, f.atomic64);
  if (offers(into, v12, VK_EXT_SCALAR_BLOCK_LAYOUT_EXTENSION_NAME)) link(f.root, f.scalar);
  if (offers(into, v12, VK_KHR_SHADER_SUBGROUP_EXTENDED_TYPES_EXTENSION_NAME)) link(f.root, f.subgroup_types);
  if (offers(into, v13, VK_KHR_MAINTENANCE_4_EXTENSION_NAME)) link(f.root, f.maintenance4);
  if (offers(into, v13, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME)) link(f.root, f.subgroup_size);
  if (offers(into, v13, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME)) link(f.root, f.dot_product);
  if (into.has(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME)) {
    into.enabled_extensions.push_back(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
    link(f.root, f.atomic_float);
  }
  if (into.has(VK_KHR_SHADER_CLOCK_EXTENSION_NAME)) {
    into.enabled_extensions.push_back(VK_KHR_SHADER_CLOCK_EXTENSION_NAME);
    link(f.root, f.clock);
  }
  if (into.has(khr::cooperative_matrix_extension) && !emulates_matrices() &&
      from.vk().GetPhysicalDeviceCooperativeMatrixPropertiesKHR != nullptr) {
    into.enabled_extensions.push_back(khr::cooperative_matrix_extension);
    link(f.root, f.matrices);
    if (into.has(khr::bfloat16_extension)) {
      into.enabled_extensions.push_back(khr::bfloat16_extension);
      link(f.root, f.bfloat16);
    }
  }
  from.vk().GetPhysicalDeviceFeatures2(into.handle, &f.root);

  // Enables only features that kernels can use: robust access and capture-replay cost speed or addresses.
  const VkPhysicalDeviceFeatures offered = f.root.features;
  f.root.features = {};
  f.root.features.shaderInt64 = offered.shaderInt64;
  f.root.features.shaderInt16 = offered.shaderInt16;
  f.root.features.shaderFloat64 = offered.shaderFloat64;
  f.matrices.cooperativeMatrixRobustBufferAccess = VK_FALSE;
  f.bfloat16.shaderBFloat16DotProduct = VK_FALSE;
  f.address.bufferDeviceAddressCaptureReplay = VK_FALSE;
  f.address.bufferDeviceAddressMultiDevice = VK_FALSE;
}

void gather_properties(const instance& from, physical& into) {
  VkPhysicalDeviceProperties2 root{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  VkPhysicalDeviceMaintenance3Properties maintenance3{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
  VkPhysicalDeviceMaintenance4Properties maintenance4{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES};
  VkPhysicalDeviceSubgroupProperties subgroup{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
  VkPhysicalDeviceSubgroupSizeControlProperties sizes{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT import{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
  VkPhysicalDevicePCIBusInfoPropertiesEXT pci{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT};
  into.id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
  into.driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
  into.float_controls.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES;
  link(root, maintenance3);
  link(root, subgroup);
  link(root, into.id);
  if (offers(into, VK_API_VERSION_1_2, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME)) link(root, into.driver);
  if (offers(into, VK_API_VERSION_1_2, VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME))
    link(root, into.float_controls);
  if (into.properties.apiVersion >= VK_API_VERSION_1_3 || into.has(VK_KHR_MAINTENANCE_4_EXTENSION_NAME))
    link(root, maintenance4);
  if (into.features.subgroup_size.subgroupSizeControl) link(root, sizes);
  if (into.has(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)) {
    into.enabled_extensions.push_back(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
    link(root, import);
  }
  unit_properties units;
  if (into.has(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME)) link(root, units.nvidia);
  if (into.has(VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME)) link(root, units.amd);
  if (into.has(VK_AMD_SHADER_CORE_PROPERTIES_2_EXTENSION_NAME)) link(root, units.active_amd);
  if (into.has(VK_ARM_SHADER_CORE_BUILTINS_EXTENSION_NAME)) link(root, units.arm);
  const bool has_pci = into.has(VK_EXT_PCI_BUS_INFO_EXTENSION_NAME);
  if (has_pci) link(root, pci);
  from.vk().GetPhysicalDeviceProperties2(into.handle, &root);

  into.compute_units = compute_units_of(units);
  into.max_allocation = maintenance3.maxMemoryAllocationSize;
  if (maintenance4.maxBufferSize)
    into.max_allocation = std::min(into.max_allocation, maintenance4.maxBufferSize);
  into.sub_group_size = std::max(1u, subgroup.subgroupSize);
  if (subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT)
    into.sub_group_operations = subgroup.supportedOperations;
  if (sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) {
    into.min_sub_group = sizes.minSubgroupSize;
    into.max_sub_group = sizes.maxSubgroupSize;
    into.max_sub_groups = sizes.maxComputeWorkgroupSubgroups;
  }
  into.import_alignment = import.minImportedHostPointerAlignment;
  if (has_pci) {
    char text[32];
    std::snprintf(text, sizeof text, "pci:%04x:%02x:%02x.%x", pci.pciDomain, pci.pciBus, pci.pciDevice,
                  pci.pciFunction);
    into.pci = text;
  }
}

/// The element that PRISM has for a VkComponentTypeKHR.
std::optional<matrix_component> component_of(std::uint32_t type) {
  switch (type) {
    case 0: return matrix_component::float16;
    case 1: return matrix_component::float32;
    case 2: return matrix_component::float64;
    case 3: return matrix_component::sint8;
    case 5: return matrix_component::sint32;
    case 7: return matrix_component::uint8;
    case 9: return matrix_component::uint32;
    case khr::component_bfloat16: return matrix_component::bfloat16;
    default: return std::nullopt;
  }
}

void gather_matrices(const instance& from, physical& into) {
  if (!into.features.matrices.cooperativeMatrix) return;
  khr::cooperative_matrix_stages stages;
  VkPhysicalDeviceProperties2 root{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  root.pNext = &stages;
  from.vk().GetPhysicalDeviceProperties2(into.handle, &root);
  if ((stages.cooperativeMatrixSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) == 0) return;
  const auto get = from.vk().GetPhysicalDeviceCooperativeMatrixPropertiesKHR;
  std::uint32_t count = 0;
  check(get(into.handle, &count, nullptr), "listing products of matrices");
  std::vector<khr::cooperative_matrix_properties> found(count);
  check(get(into.handle, &count, found.data()), "listing products of matrices");
  for (const khr::cooperative_matrix_properties& each : found) {
    const auto a = component_of(each.AType), b = component_of(each.BType), c = component_of(each.CType),
               result = component_of(each.ResultType);
    if (a && b && c && result && !each.saturatingAccumulation && each.scope == khr::scope_subgroup)
      into.matrix_products.push_back({each.MSize, each.NSize, each.KSize, *a, *b, *c, *result});
  }
}

void choose_queues(const instance& from, physical& into) {
  std::uint32_t count = 0;
  from.vk().GetPhysicalDeviceQueueFamilyProperties(into.handle, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  from.vk().GetPhysicalDeviceQueueFamilyProperties(into.handle, &count, families.data());
  into.queues = plan_queues(families);
}

void choose_clock(const instance& from, physical& into) {
  if (!into.has(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME) ||
      !from.vk().GetPhysicalDeviceCalibrateableTimeDomainsEXT)
    return;
  std::uint32_t count = 0;
  from.vk().GetPhysicalDeviceCalibrateableTimeDomainsEXT(into.handle, &count, nullptr);
  std::vector<VkTimeDomainEXT> domains(count);
  from.vk().GetPhysicalDeviceCalibrateableTimeDomainsEXT(into.handle, &count, domains.data());
  const auto offered = [&](VkTimeDomainEXT domain) {
    return std::find(domains.begin(), domains.end(), domain) != domains.end();
  };
  into.calibrated_timestamps =
      offered(VK_TIME_DOMAIN_DEVICE_EXT) && offered(VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT);
  if (into.calibrated_timestamps)
    into.enabled_extensions.push_back(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME);
}

void choose_budget(const instance& from, physical& into) {
  if (!into.has(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME) || !from.vk().GetPhysicalDeviceMemoryProperties2) return;
  into.enabled_extensions.push_back(VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  into.read_memory = from.vk().GetPhysicalDeviceMemoryProperties2;
}

/// Why the device's memory cannot be shared by file descriptors; empty if it can, and then the extension is
/// enabled.
std::string reason_not_shared(const instance& from, physical& device) {
  if (!device.has(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME) ||
      !from.vk().GetPhysicalDeviceExternalBufferProperties)
    return "the driver has no VK_KHR_external_memory_fd";
  if (device.lacks().addresses)
    return "the driver has no bufferDeviceAddress, so kernels reach one buffer only";
  VkPhysicalDeviceExternalBufferInfo asked{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO};
  asked.usage = device.buffer_usage();
  asked.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkExternalBufferProperties found{VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
  from.vk().GetPhysicalDeviceExternalBufferProperties(device.handle, &asked, &found);
  const VkExternalMemoryFeatureFlags has = found.externalMemoryProperties.externalMemoryFeatures;
  if (!(has & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT) ||
      !(has & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) ||
      (has & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT))
    return "the driver's VK_KHR_external_memory_fd does not export and import such buffers";
  device.enabled_extensions.push_back(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  return "";
}

/// Whether semaphores of the type can be exported and imported by file descriptors.
bool shares_semaphores(const instance& from, const physical& device, VkSemaphoreType type) {
  VkSemaphoreTypeCreateInfo of{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  of.semaphoreType = type;
  VkPhysicalDeviceExternalSemaphoreInfo asked{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO};
  asked.pNext = &of;
  asked.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkExternalSemaphoreProperties found{VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
  from.vk().GetPhysicalDeviceExternalSemaphoreProperties(device.handle, &asked, &found);
  constexpr VkExternalSemaphoreFeatureFlags both =
      VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT;
  return (found.externalSemaphoreFeatures & both) == both;
}

/// llvmpipe stores a vector of 64-bit addresses and loads each again. Intel's processors wait for that, AMD's
/// do not. Other processors were not measured (docs/performance-reasons.md).
bool descriptors_are_faster(const physical& on) {
#if defined(__x86_64__)
  return on.driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE && __builtin_cpu_is("intel");
#else
  return false;
#endif
}

void choose_argument_buffers(physical& into) {
  const auto what = into.lacks();
  if (!into.has(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME) || what.addresses || what.int64 || what.int16 ||
      what.int8)
    into.argument_buffers = VK_FALSE;
  if (into.argument_buffers) into.enabled_extensions.push_back(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME);
}

void choose_semaphores(const instance& from, physical& into) {
  if (!into.has(VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME) ||
      !from.vk().GetPhysicalDeviceExternalSemaphoreProperties || !into.not_shared.empty())
    return;
  into.shares_binary_semaphores = shares_semaphores(from, into, VK_SEMAPHORE_TYPE_BINARY);
  into.shares_timelines = shares_semaphores(from, into, VK_SEMAPHORE_TYPE_TIMELINE);
  if (into.shares_binary_semaphores || into.shares_timelines)
    into.enabled_extensions.push_back(VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME);
}

std::string reason_not_usable(const physical& device) {
  std::string lacks;
  const auto need = [&](bool there, const char* what) {
    if (!there) lacks += (lacks.empty() ? "" : ", ") + std::string(what);
  };
  need(device.features.timeline.timelineSemaphore, "timelineSemaphore");
  need(device.queues.compute_count > 0, "a compute queue");
  return lacks.empty() ? "" : "lacks " + lacks;
}

} // namespace

void gather(const instance& from, VkPhysicalDevice handle, physical& into) {
  into.handle = handle;
  from.vk().GetPhysicalDeviceProperties(handle, &into.properties);
  if (into.properties.apiVersion < VK_API_VERSION_1_1) {
    into.unusable = "has Vulkan " + version_text(into.properties.apiVersion) + "; 1.1 or later is needed";
    return;
  }
  // A device newer than the instance's version is used as one of that version.
  into.properties.apiVersion = std::min(into.properties.apiVersion, from.version());
  from.vk().GetPhysicalDeviceMemoryProperties(handle, &into.memory);
  gather_extensions(from, into);
  gather_features(from, into);
  gather_properties(from, into);
  gather_matrices(from, into);
  choose_queues(from, into);
  choose_clock(from, into);
  choose_budget(from, into);
  into.phis = into.driver.driverID != VK_DRIVER_ID_NVIDIA_PROPRIETARY;
  into.sub_group_scans = into.driver.driverID != VK_DRIVER_ID_MESA_LLVMPIPE;
  into.exact_floats = into.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  into.argument_buffers = descriptors_are_faster(into);
  into.unusable = apply_report_of_environment(into);
  choose_argument_buffers(into);
  if (into.lacks().addresses) into.import_alignment = 0; // kernels reach one buffer only
  into.not_shared = reason_not_shared(from, into);
  choose_semaphores(from, into);
  if (into.unusable.empty()) into.unusable = reason_not_usable(into);
}

namespace {

std::uint64_t feature_bits(const physical& from) {
  const auto& f = from.features;
  const auto& core = f.root.features;
  std::uint64_t bits = image::addresses;
  const auto add = [&](image::feature bit, bool there) {
    if (there) bits |= bit;
  };
  add(image::fp16, f.small.shaderFloat16);
  // lower::lower_module computes without 8-, 16- and 64-bit integers, the memory model and sub-groups.
  add(image::fp64, core.shaderFloat64);
  const bool reaches_all = f.address.bufferDeviceAddress;
  bits |= image::int8 | image::int16 | image::int64 | image::fp16_storage | image::memory_model |
          image::sub_groups;
  add(image::int64_atomics, core.shaderInt64 && f.atomic64.shaderBufferInt64Atomics && reaches_all);
  add(image::float_atomic_add, f.atomic_float.shaderBufferFloat32AtomicAdd && reaches_all);
  add(image::clock_sub_group, core.shaderInt64 && f.clock.shaderSubgroupClock);
  add(image::clock_device, core.shaderInt64 && f.clock.shaderDeviceClock);
  add(image::signed_zero_inf_nan, from.float_controls.shaderSignedZeroInfNanPreserveFloat32);
  add(image::fused_multiply_add, from.fuses_multiply_add());
  add(image::cooperative_matrix, from.has_matrices());
  return bits;
}

void describe_memory(const physical& from, capabilities& to) {
  for (std::uint32_t i = 0; i < from.memory.memoryHeapCount; ++i)
    if (from.memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      to.global_memory = std::max<std::uint64_t>(to.global_memory, from.memory.memoryHeaps[i].size);
  if (from.lacks().addresses) to.global_memory = std::min(to.global_memory, from.arena_bytes());
  to.max_allocation = std::min(from.max_allocation, to.global_memory);
  to.local_memory = from.properties.limits.maxComputeSharedMemorySize;
  to.host_visible = from.unified();
  to.copies_beside_kernels = from.queues.has_copy_queue() ? copy_overlap::all
                             : to.host_visible            ? copy_overlap::host_memory // made by the host
                                                          : copy_overlap::none;
  to.addresses = true;
  to.usm_device = true;
  to.adopt_host_memory = from.import_alignment != 0 && from.unified();
  to.shares_memory = from.not_shared.empty();
  to.adopt_alignment = static_cast<std::uint32_t>(std::max<std::uint64_t>(from.import_alignment, 64));
}

} // namespace

capabilities describe(const physical& from) {
  capabilities to;
  const auto& limits = from.properties.limits;
  to.name = from.properties.deviceName;
  if (!from.stands_for.empty()) to.name += " as " + from.stands_for;
  to.vendor_id = from.properties.vendorID;
  to.vendor = vendor_name(from.properties.vendorID);
  to.version = "Vulkan " + version_text(from.properties.apiVersion);
  to.driver_version = from.driver.driverInfo[0] ? std::string(from.driver.driverInfo)
                                                : version_text(from.properties.driverVersion);
  to.platform_name = std::string("Vulkan") +
                     (from.driver.driverName[0] ? " (" + std::string(from.driver.driverName) + ")" : "");
  to.platform_vendor = to.vendor;
  to.platform_version = to.version;
  to.extensions = from.extensions;
  to.type = type_of(from.properties.deviceType);
  to.software = to.type == device_type::cpu;
  std::copy_n(from.id.deviceUUID, to.uuid.size(), to.uuid.begin());
  to.physical_id = to.software ? "cpu" : from.pci;
  if (to.software) to.architecture = processor_architecture;
  if (to.physical_id.empty()) {
    to.physical_id = "uuid:"; // as the OpenCL backend has it
    for (const auto byte : from.id.deviceUUID) {
      char text[3];
      std::snprintf(text, sizeof text, "%02x", byte);
      to.physical_id += text;
    }
  }
  to.max_argument_bytes = 1u << 20;
  to.base_alignment = 64;
  to.cache_line = 64;
  to.compute_units = from.compute_units;
  to.max_group_size = limits.maxComputeWorkGroupInvocations;
  if (!from.has_sub_groups())
    to.max_group_size = std::min<std::uint64_t>(to.max_group_size, lower::most_single_sub_groups);
  for (std::size_t i = 0; i < 3; ++i)
    to.max_local_size[i] = std::min<std::uint64_t>(limits.maxComputeWorkGroupSize[i], to.max_group_size);
  to.features = feature_bits(from);
  if (to.features & image::cooperative_matrix)
    std::ranges::copy_if(from.matrix_products, std::back_inserter(to.matrix_products),
                         [&](const matrix_product& each) {
      return !each.has(matrix_component::bfloat16) || from.features.bfloat16.shaderBFloat16CooperativeMatrix;
    });
  to.image_kinds = {image::kind::vulkan_spirv};
  to.sub_group_sizes = from.has_sub_groups() ? from.sub_group_sizes() : std::vector<std::uint32_t>{1};
  to.profiling = from.queues.timestamp_bits != 0;
  to.exact_constants =
      true; // constants that could become other numbers are hidden: compiler/device_ir/constants.hpp
  to.timer_resolution_ns = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(limits.timestampPeriod));
  describe_memory(from, to);
  // As numbered by __prism_fence: relaxed .. seq_cst; work_item .. device. System scope does not exist here.
  to.atomic_orders = to.fence_orders = {0};
  to.atomic_scopes = to.fence_scopes = {0, 1, 2};
  if (to.features & image::memory_model) {
    to.atomic_orders = to.fence_orders = {0, 1, 2, 3, 4};
    to.atomic_scopes = to.fence_scopes = {0, 1, 2, 3};
  }
  if (to.features & image::fp64) to.vector_widths_native[5] = to.vector_widths_preferred[5] = 1;
  else to.vector_widths_native[5] = to.vector_widths_preferred[5] = 0;
  if (to.features & image::fp16) to.vector_widths_native[6] = to.vector_widths_preferred[6] = 1;
  return to;
}

} // namespace prism::devices::vulkan
