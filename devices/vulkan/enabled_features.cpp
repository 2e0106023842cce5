#include "devices/vulkan/enabled_features.hpp"

#include <algorithm>
#include <cstring>

namespace prism::devices::vulkan {

namespace {

/// Copies the features of a structure, without its links.
template <class Structure>
void copy_features(Structure& to, const VkBaseInStructure& from) {
  constexpr std::size_t header = sizeof(VkBaseInStructure);
  std::memcpy(reinterpret_cast<std::byte*>(&to) + header, reinterpret_cast<const std::byte*>(&from) + header,
              sizeof(Structure) - header);
}

void copy_core_11(feature_chain& to, const VkPhysicalDeviceVulkan11Features& from) {
  to.storage16.storageBuffer16BitAccess = from.storageBuffer16BitAccess;
  to.storage16.uniformAndStorageBuffer16BitAccess = from.uniformAndStorageBuffer16BitAccess;
  to.storage16.storagePushConstant16 = from.storagePushConstant16;
  to.storage16.storageInputOutput16 = from.storageInputOutput16;
}

void copy_core_12(feature_chain& to, const VkPhysicalDeviceVulkan12Features& from) {
  to.timeline.timelineSemaphore = from.timelineSemaphore;
  to.address.bufferDeviceAddress = from.bufferDeviceAddress;
  to.model.vulkanMemoryModel = from.vulkanMemoryModel;
  to.model.vulkanMemoryModelDeviceScope = from.vulkanMemoryModelDeviceScope;
  to.model.vulkanMemoryModelAvailabilityVisibilityChains = from.vulkanMemoryModelAvailabilityVisibilityChains;
  to.storage8.storageBuffer8BitAccess = from.storageBuffer8BitAccess;
  to.storage8.uniformAndStorageBuffer8BitAccess = from.uniformAndStorageBuffer8BitAccess;
  to.storage8.storagePushConstant8 = from.storagePushConstant8;
  to.small.shaderFloat16 = from.shaderFloat16;
  to.small.shaderInt8 = from.shaderInt8;
  to.atomic64.shaderBufferInt64Atomics = from.shaderBufferInt64Atomics;
  to.atomic64.shaderSharedInt64Atomics = from.shaderSharedInt64Atomics;
  to.scalar.scalarBlockLayout = from.scalarBlockLayout;
  to.subgroup_types.shaderSubgroupExtendedTypes = from.shaderSubgroupExtendedTypes;
}

void copy_core_13(feature_chain& to, const VkPhysicalDeviceVulkan13Features& from) {
  to.dot_product.shaderIntegerDotProduct = from.shaderIntegerDotProduct;
  to.maintenance4.maintenance4 = from.maintenance4;
  to.subgroup_size.subgroupSizeControl = from.subgroupSizeControl;
  to.subgroup_size.computeFullSubgroups = from.computeFullSubgroups;
}

/// Calls each(a, b) for each structure of features of two chains.
template <class A, class B, class Each>
void for_each_structure(A& a, B& b, Each each) {
  each(a.root, b.root);
  each(a.timeline, b.timeline);
  each(a.address, b.address);
  each(a.model, b.model);
  each(a.storage16, b.storage16);
  each(a.storage8, b.storage8);
  each(a.small, b.small);
  each(a.atomic64, b.atomic64);
  each(a.scalar, b.scalar);
  each(a.subgroup_types, b.subgroup_types);
  each(a.dot_product, b.dot_product);
  each(a.maintenance4, b.maintenance4);
  each(a.subgroup_size, b.subgroup_size);
  each(a.atomic_float, b.atomic_float);
  each(a.clock, b.clock);
  each(a.matrices, b.matrices);
  each(a.bfloat16, b.bfloat16);
}

/// The features that the program asked vkCreateDevice for, as far as PRISM knows them.
void read_features(feature_chain& into, const VkDeviceCreateInfo& created) {
  if (created.pEnabledFeatures != nullptr) into.root.features = *created.pEnabledFeatures;
  for (auto* each = static_cast<const VkBaseInStructure*>(created.pNext); each != nullptr;
       each = each->pNext) {
    for_each_structure(into, into, [&](auto& to, auto&) {
      if (to.sType == each->sType) copy_features(to, *each);
    });
    switch (each->sType) {
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES:
        copy_core_11(into, *reinterpret_cast<const VkPhysicalDeviceVulkan11Features*>(each));
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES:
        copy_core_12(into, *reinterpret_cast<const VkPhysicalDeviceVulkan12Features*>(each));
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES:
        copy_core_13(into, *reinterpret_cast<const VkPhysicalDeviceVulkan13Features*>(each));
        break;
      default: break;
    }
  }
}

/// Clears each feature of `what` that `enabled` does not have.
template <class Structure>
void clear_missing(Structure& what, const Structure& enabled) {
  constexpr std::size_t header = sizeof(VkBaseInStructure);
  static_assert((sizeof(Structure) - header) % sizeof(VkBool32) == 0);
  for (std::size_t at = header; at + sizeof(VkBool32) <= sizeof(Structure); at += sizeof(VkBool32)) {
    VkBool32 is_enabled = VK_FALSE;
    std::memcpy(&is_enabled, reinterpret_cast<const std::byte*>(&enabled) + at, sizeof is_enabled);
    if (!is_enabled) std::memset(reinterpret_cast<std::byte*>(&what) + at, 0, sizeof is_enabled);
  }
}

void clear_what_depends(physical& what) {
  const bool is_1_2 = what.properties.apiVersion >= VK_API_VERSION_1_2;
  if (!what.features.subgroup_size.subgroupSizeControl)
    what.min_sub_group = what.max_sub_group = what.max_sub_groups = 0;
  if (!what.has(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME) || what.lacks().addresses)
    what.import_alignment = 0;
  if (!what.has(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME)) what.argument_buffers = VK_FALSE;
  if (!what.has(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME)) what.calibrated_timestamps = false;
  if (!is_1_2 && !what.has(VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME))
    what.float_controls = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES};
  if (what.not_shared.empty() && !what.has(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME))
    what.not_shared = "the program did not enable VK_KHR_external_memory_fd";
  if (what.not_shared.empty() && what.lacks().addresses)
    what.not_shared = "the program did not enable bufferDeviceAddress, so kernels reach one buffer only";
  if (!what.not_shared.empty() || !what.has(VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME))
    what.shares_binary_semaphores = what.shares_timelines = false;
}

} // namespace

void restrict_to(physical& what, const VkDeviceCreateInfo& created) {
  if (!what.unusable.empty()) return;
  feature_chain enabled;
  read_features(enabled, created);
  for_each_structure(what.features, enabled, [](auto& from, auto& to) { clear_missing(from, to); });
  std::vector<std::string> extensions;
  for (std::uint32_t i = 0; i < created.enabledExtensionCount; ++i)
    if (what.has(created.ppEnabledExtensionNames[i]))
      extensions.emplace_back(created.ppEnabledExtensionNames[i]);
  what.extensions = std::move(extensions);
  what.enabled_extensions.clear(); // the program opened the device
  clear_what_depends(what);
  if (!what.features.timeline.timelineSemaphore)
    what.unusable = "the program did not enable timelineSemaphore on it";
}

std::string wrong_queues(const VkDeviceCreateInfo& created, std::uint32_t family, std::uint32_t first,
                         std::uint32_t count) {
  if (count == 0) return "queue_count is 0";
  for (std::uint32_t i = 0; i < created.queueCreateInfoCount; ++i) {
    const VkDeviceQueueCreateInfo& each = created.pQueueCreateInfos[i];
    if (each.queueFamilyIndex != family || each.flags != 0) continue;
    if (first < each.queueCount && count <= each.queueCount - first) return "";
    return "the VkDevice was created with " + std::to_string(each.queueCount) + " queues of family " +
           std::to_string(family) + ", not with queues " + std::to_string(first) + " to " +
           std::to_string(std::uint64_t{first} + count - 1);
  }
  return "the VkDevice was created without queues of family " + std::to_string(family);
}

} // namespace prism::devices::vulkan
