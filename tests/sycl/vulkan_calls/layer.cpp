// A Vulkan layer that counts calls (calls.hpp) and adds VK_EXT_memory_budget to each device, for version 2 of
// the loader's layer interface:
// https://github.com/KhronosGroup/Vulkan-Loader/blob/main/docs/LoaderLayerInterface.md. Supports one instance
// at a time.
#include "tests/sycl/vulkan_calls/calls.hpp"

#include <vulkan/vulkan.h>
#include <vulkan/vk_layer.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

extern "C" {
__attribute__((visibility("default"))) prism_test::vulkan_calls prism_test_vulkan_calls;
}

namespace {

prism_test::vulkan_calls& counted = prism_test_vulkan_calls;

/// The functions below this layer for a device. The handles of a device, its queues and its command buffers
/// begin with the same word.
struct next_functions {
  PFN_vkGetDeviceProcAddr get = nullptr;
  PFN_vkQueueSubmit QueueSubmit = nullptr;
  PFN_vkCmdPipelineBarrier CmdPipelineBarrier = nullptr;
  PFN_vkCmdDispatch CmdDispatch = nullptr;
  PFN_vkBeginCommandBuffer BeginCommandBuffer = nullptr;
  PFN_vkAllocateCommandBuffers AllocateCommandBuffers = nullptr;
  PFN_vkFreeCommandBuffers FreeCommandBuffers = nullptr;
  PFN_vkCreateCommandPool CreateCommandPool = nullptr;
  PFN_vkCreateSemaphore CreateSemaphore = nullptr;
  PFN_vkCreateFence CreateFence = nullptr;
  PFN_vkAllocateMemory AllocateMemory = nullptr;
  PFN_vkFreeMemory FreeMemory = nullptr;
};

PFN_vkGetInstanceProcAddr next_of_instance = nullptr;
/// The functions below this layer for the instance. Later the loader would return this layer's own.
struct {
  PFN_vkGetPhysicalDeviceMemoryProperties2 read_memory = nullptr;
  PFN_vkEnumerateDeviceExtensionProperties list_extensions = nullptr;
} instance_below;
std::mutex devices_mutex;
std::map<void*, next_functions> devices; // never erased: references stay valid
std::map<VkDeviceMemory, VkDeviceSize> sizes;

template <typename Handle>
void* key_of(Handle handle) {
  return *reinterpret_cast<void**>(handle);
}

template <typename Handle>
const next_functions& next_of(Handle handle) {
  const std::lock_guard lock(devices_mutex);
  return devices.at(key_of(handle));
}

/// Whether the memory is the program's own, which takes none of the heap.
bool imports(const VkMemoryAllocateInfo& info) {
  for (auto* more = static_cast<const VkBaseInStructure*>(info.pNext); more != nullptr; more = more->pNext)
    if (more->sType == VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT) return true;
  return false;
}

VKAPI_ATTR VkResult VKAPI_CALL allocate_memory(VkDevice device, const VkMemoryAllocateInfo* info,
                                               const VkAllocationCallbacks* callbacks, VkDeviceMemory* made) {
  counted.allocated_bytes += info->allocationSize;
  const VkResult result = next_of(device).AllocateMemory(device, info, callbacks, made);
  if (result != VK_SUCCESS || imports(*info)) return result;
  const std::lock_guard lock(devices_mutex);
  sizes[*made] = info->allocationSize;
  counted.used_bytes += info->allocationSize;
  counted.most_used_bytes = std::max<std::uint64_t>(counted.most_used_bytes, counted.used_bytes);
  return result;
}

VKAPI_ATTR void VKAPI_CALL free_memory(VkDevice device, VkDeviceMemory memory,
                                       const VkAllocationCallbacks* callbacks) {
  {
    const std::lock_guard lock(devices_mutex);
    if (const auto found = sizes.find(memory); found != sizes.end()) {
      counted.used_bytes -= found->second;
      sizes.erase(found);
    }
  }
  next_of(device).FreeMemory(device, memory, callbacks);
}

constexpr const char* memory_budget = VK_EXT_MEMORY_BUDGET_EXTENSION_NAME; // no driver for processors has it

VKAPI_ATTR void VKAPI_CALL read_memory(VkPhysicalDevice physical, VkPhysicalDeviceMemoryProperties2* into) {
  instance_below.read_memory(physical, into);
  for (auto* more = static_cast<VkBaseOutStructure*>(into->pNext); more != nullptr; more = more->pNext) {
    if (more->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT) continue;
    auto& budget = *reinterpret_cast<VkPhysicalDeviceMemoryBudgetPropertiesEXT*>(more);
    const auto& memory = into->memoryProperties;
    for (std::uint32_t heap = 0; heap < memory.memoryHeapCount; ++heap) {
      budget.heapBudget[heap] =
          counted.budget_bytes != 0 ? counted.budget_bytes.load() : memory.memoryHeaps[heap].size;
      budget.heapUsage[heap] = counted.used_bytes;
    }
  }
}

VKAPI_ATTR VkResult VKAPI_CALL list_extensions(VkPhysicalDevice physical, const char* layer,
                                               std::uint32_t* count, VkExtensionProperties* into) {
  const auto next = instance_below.list_extensions;
  if (layer != nullptr) return next(physical, layer, count, into);
  std::uint32_t below = 0;
  if (const VkResult result = next(physical, nullptr, &below, nullptr); result != VK_SUCCESS) return result;
  std::vector<VkExtensionProperties> all(below);
  if (const VkResult result = next(physical, nullptr, &below, all.data()); result != VK_SUCCESS)
    return result;
  if (std::none_of(all.begin(), all.end(),
                   [](const auto& each) { return each.extensionName == std::string_view(memory_budget); })) {
    all.push_back({"", VK_EXT_MEMORY_BUDGET_SPEC_VERSION});
    std::strcpy(all.back().extensionName, memory_budget);
  }
  const std::uint32_t room = into != nullptr ? *count : 0;
  *count = into != nullptr ? std::min<std::uint32_t>(room, all.size()) : all.size();
  if (into != nullptr) std::copy_n(all.begin(), *count, into);
  return into != nullptr && room < all.size() ? VK_INCOMPLETE : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, std::uint32_t count, const VkSubmitInfo* infos,
                                      VkFence fence) {
  ++counted.submits;
  for (std::uint32_t i = 0; i < count; ++i) counted.submitted_buffers += infos[i].commandBufferCount;
  return next_of(queue).QueueSubmit(queue, count, infos, fence);
}

VKAPI_ATTR void VKAPI_CALL barrier(VkCommandBuffer into, VkPipelineStageFlags before,
                                   VkPipelineStageFlags after, VkDependencyFlags flags,
                                   std::uint32_t memories, const VkMemoryBarrier* memory,
                                   std::uint32_t buffers, const VkBufferMemoryBarrier* buffer,
                                   std::uint32_t images, const VkImageMemoryBarrier* image) {
  ++counted.barriers;
  next_of(into).CmdPipelineBarrier(into, before, after, flags, memories, memory, buffers, buffer, images,
                                   image);
}

VKAPI_ATTR void VKAPI_CALL dispatch(VkCommandBuffer into, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  ++counted.dispatches;
  next_of(into).CmdDispatch(into, x, y, z);
}

VKAPI_ATTR VkResult VKAPI_CALL begin(VkCommandBuffer buffer, const VkCommandBufferBeginInfo* info) {
  ++counted.begun_buffers;
  return next_of(buffer).BeginCommandBuffer(buffer, info);
}

VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice device, const VkCommandBufferAllocateInfo* info,
                                        VkCommandBuffer* made) {
  counted.new_buffers += info->commandBufferCount;
  return next_of(device).AllocateCommandBuffers(device, info, made);
}

VKAPI_ATTR void VKAPI_CALL free_buffers(VkDevice device, VkCommandPool pool, std::uint32_t count,
                                        const VkCommandBuffer* buffers) {
  counted.freed_buffers += count;
  next_of(device).FreeCommandBuffers(device, pool, count, buffers);
}

VKAPI_ATTR VkResult VKAPI_CALL create_pool(VkDevice device, const VkCommandPoolCreateInfo* info,
                                           const VkAllocationCallbacks* by, VkCommandPool* made) {
  ++counted.new_pools;
  return next_of(device).CreateCommandPool(device, info, by, made);
}

VKAPI_ATTR VkResult VKAPI_CALL create_semaphore(VkDevice device, const VkSemaphoreCreateInfo* info,
                                                const VkAllocationCallbacks* by, VkSemaphore* made) {
  bool is_timeline = false;
  for (auto* more = static_cast<const VkBaseInStructure*>(info->pNext); more != nullptr; more = more->pNext)
    if (more->sType == VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO)
      is_timeline = reinterpret_cast<const VkSemaphoreTypeCreateInfo*>(more)->semaphoreType ==
                    VK_SEMAPHORE_TYPE_TIMELINE;
  ++(is_timeline ? counted.new_timelines : counted.new_semaphores);
  return next_of(device).CreateSemaphore(device, info, by, made);
}

VKAPI_ATTR VkResult VKAPI_CALL create_fence(VkDevice device, const VkFenceCreateInfo* info,
                                            const VkAllocationCallbacks* by, VkFence* made) {
  ++counted.new_fences;
  return next_of(device).CreateFence(device, info, by, made);
}

/// This layer's link in the loader's chain; advances the chain for the next layer.
template <typename Link>
Link* link_of(const void* chain, VkStructureType type) {
  for (auto* at = static_cast<const Link*>(chain); at != nullptr; at = static_cast<const Link*>(at->pNext))
    if (at->sType == type && at->function == VK_LAYER_LINK_INFO) return const_cast<Link*>(at);
  return nullptr;
}

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info,
                                               const VkAllocationCallbacks* by, VkInstance* made) {
  auto* const link =
      link_of<VkLayerInstanceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
  if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  next_of_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const VkResult result = reinterpret_cast<PFN_vkCreateInstance>(
      next_of_instance(VK_NULL_HANDLE, "vkCreateInstance"))(info, by, made);
  if (result != VK_SUCCESS) return result;
  instance_below.read_memory = reinterpret_cast<PFN_vkGetPhysicalDeviceMemoryProperties2>(
      next_of_instance(*made, "vkGetPhysicalDeviceMemoryProperties2"));
  instance_below.list_extensions = reinterpret_cast<PFN_vkEnumerateDeviceExtensionProperties>(
      next_of_instance(*made, "vkEnumerateDeviceExtensionProperties"));
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                             const VkAllocationCallbacks* by, VkDevice* made) {
  auto* const link =
      link_of<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const auto get_of_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  const auto get = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const auto create = reinterpret_cast<PFN_vkCreateDevice>(get_of_instance(VK_NULL_HANDLE, "vkCreateDevice"));
  VkDeviceCreateInfo below = *info; // without the extension that is this layer's
  std::vector<const char*> names(info->ppEnabledExtensionNames,
                                 info->ppEnabledExtensionNames + info->enabledExtensionCount);
  std::erase_if(names, [](std::string_view name) { return name == memory_budget; });
  below.enabledExtensionCount = std::uint32_t(names.size());
  below.ppEnabledExtensionNames = names.data();
  const VkResult result = create(physical, &below, by, made);
  if (result != VK_SUCCESS) return result;
  next_functions next;
  next.get = get;
#define FIND(name) next.name = reinterpret_cast<PFN_vk##name>(get(*made, "vk" #name))
  FIND(QueueSubmit);
  FIND(CmdPipelineBarrier);
  FIND(CmdDispatch);
  FIND(BeginCommandBuffer);
  FIND(AllocateCommandBuffers);
  FIND(FreeCommandBuffers);
  FIND(CreateCommandPool);
  FIND(CreateSemaphore);
  FIND(CreateFence);
  FIND(AllocateMemory);
  FIND(FreeMemory);
#undef FIND
  const std::lock_guard lock(devices_mutex);
  devices.insert_or_assign(key_of(*made), next);
  return result;
}

PFN_vkVoidFunction VKAPI_CALL get_of_device(VkDevice device, const char* name);
PFN_vkVoidFunction VKAPI_CALL get_of_instance(VkInstance instance, const char* name);

PFN_vkVoidFunction own(std::string_view name) {
  struct entry {
    std::string_view name;
    PFN_vkVoidFunction function;
  };
#define ENTRY(name, function) {name, reinterpret_cast<PFN_vkVoidFunction>(function)}
  static const entry all[] = {ENTRY("vkGetInstanceProcAddr", get_of_instance),
                              ENTRY("vkGetDeviceProcAddr", get_of_device),
                              ENTRY("vkCreateInstance", create_instance),
                              ENTRY("vkCreateDevice", create_device),
                              ENTRY("vkQueueSubmit", submit),
                              ENTRY("vkCmdPipelineBarrier", barrier),
                              ENTRY("vkCmdDispatch", dispatch),
                              ENTRY("vkBeginCommandBuffer", begin),
                              ENTRY("vkAllocateCommandBuffers", allocate),
                              ENTRY("vkCreateCommandPool", create_pool),
                              ENTRY("vkCreateSemaphore", create_semaphore),
                              ENTRY("vkCreateFence", create_fence),
                              ENTRY("vkAllocateMemory", allocate_memory),
                              ENTRY("vkFreeMemory", free_memory),
                              ENTRY("vkGetPhysicalDeviceMemoryProperties2", read_memory),
                              ENTRY("vkEnumerateDeviceExtensionProperties", list_extensions),
                              ENTRY("vkFreeCommandBuffers", free_buffers)};
#undef ENTRY
  for (const entry& one : all)
    if (one.name == name) return one.function;
  return nullptr;
}

PFN_vkVoidFunction VKAPI_CALL get_of_device(VkDevice device, const char* name) {
  if (const auto found = own(name)) return found;
  return next_of(device).get(device, name);
}

PFN_vkVoidFunction VKAPI_CALL get_of_instance(VkInstance instance, const char* name) {
  if (const auto found = own(name)) return found;
  return next_of_instance != nullptr ? next_of_instance(instance, name) : nullptr;
}

} // namespace

extern "C" __attribute__((visibility("default"))) VkResult
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* with) {
  if (with->loaderLayerInterfaceVersion > 2) with->loaderLayerInterfaceVersion = 2;
  with->pfnGetInstanceProcAddr = get_of_instance;
  with->pfnGetDeviceProcAddr = get_of_device;
  with->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
