// What a physical device supports, gathered once: properties, enabled features, the queues that PRISM uses,
// or why the device cannot be used. Plain data after `gather`.
#pragma once

#include "devices/vulkan/heap_room.hpp"
#include "devices/vulkan/loader.hpp"
#include "devices/vulkan/lower/lower.hpp"

#include "devices/vulkan/queue_plan.hpp"

#include "devices/api/types.hpp"

#include <string>
#include <vector>

namespace prism::devices::vulkan {

/// The feature structures that PRISM knows; `root` links those that the device also knows.
struct feature_chain {
  VkPhysicalDeviceFeatures2 root{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
  VkPhysicalDeviceBufferDeviceAddressFeatures address{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES};
  VkPhysicalDeviceVulkanMemoryModelFeatures model{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES};
  VkPhysicalDevice16BitStorageFeatures storage16{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES};
  VkPhysicalDevice8BitStorageFeatures storage8{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES};
  VkPhysicalDeviceShaderFloat16Int8Features small{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES};
  VkPhysicalDeviceShaderAtomicInt64Features atomic64{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES};
  VkPhysicalDeviceScalarBlockLayoutFeatures scalar{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES};
  VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures subgroup_types{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES};
  VkPhysicalDeviceMaintenance4Features maintenance4{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES};
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroup_size{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES};
  VkPhysicalDeviceShaderIntegerDotProductFeatures dot_product{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES};
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT};
  VkPhysicalDeviceShaderClockFeaturesKHR clock{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR};
  khr::cooperative_matrix_features matrices;
  khr::bfloat16_features bfloat16; // of matrices

  feature_chain() = default;
  feature_chain(const feature_chain&) = delete; // the structures point to each other
  feature_chain& operator=(const feature_chain&) = delete;
};

struct physical {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  std::string
      stands_for;       // the device whose report lowered the features, see device_report.hpp; usually empty
  std::string unusable; // why PRISM cannot use the device; empty if it can
  bool shares_binary_semaphores = false, shares_timelines = false; // by VK_KHR_external_semaphore_fd
  std::string not_shared; // why its memory cannot be shared by file descriptors; empty if it can
  VkPhysicalDeviceProperties properties{};
  VkPhysicalDeviceIDProperties id{};
  VkPhysicalDeviceDriverProperties driver{};
  VkPhysicalDeviceFloatControlsProperties float_controls{};
  VkPhysicalDeviceMemoryProperties memory{};
  std::vector<std::string> extensions;         // all that the device has
  std::vector<const char*> enabled_extensions; // those that PRISM enables
  feature_chain features;                      // those that PRISM enables
  std::uint64_t max_allocation = 0;
  std::uint32_t compute_units = 1;
  std::uint32_t sub_group_size = 1;                // the hardware's own
  VkSubgroupFeatureFlags sub_group_operations = 0; // in compute shaders
  /// Sizes that a pipeline may require; all 0 if it cannot require one.
  std::uint32_t min_sub_group = 0, max_sub_group = 0, max_sub_groups = 0;
  /// Whether divisions and square roots of floats round to the nearest. Vulkan promises less, and only
  /// processors do it.
  VkBool32 exact_floats = VK_FALSE;
  /// Whether kernels reach the memory behind the pointers of their arguments through descriptors:
  /// lower/argument_buffers.hpp.
  VkBool32 argument_buffers = VK_FALSE;
  /// Whether scans of sub-groups by one instruction are no slower than steps of shuffles. llvmpipe's take a
  /// step for each work-item: lower/sub_group_steps.hpp.
  VkBool32 sub_group_scans = VK_TRUE;
  VkBool32 phis = VK_TRUE; // whether the driver translates them rightly: lower/phis.hpp
  std::uint32_t max_private_bytes =
      UINT32_MAX; // of a work-item; less only in a report, Vulkan has no such limit
  std::vector<matrix_product> matrix_products; // of matrices that a sub-group holds
  std::uint64_t import_alignment = 0;          // of host memory; 0: import is not supported
  std::string pci;
  queue_plan queues;
  bool calibrated_timestamps = false;                             // against CLOCK_MONOTONIC
  PFN_vkGetPhysicalDeviceMemoryProperties2 read_memory = nullptr; // null: without VK_EXT_memory_budget

  /// What kernels use or compute, and the device does not have or only on request.
  lower::lacks lacks() const noexcept;
  /// The size of the storage buffer that is all memory of kernels on devices without buffer device addresses.
  std::uint64_t arena_bytes() const noexcept;
  /// Whether kernels compute with matrices that a sub-group holds.
  bool has_matrices() const noexcept;
  /// Ballots and shuffles in compute shaders.
  bool has_sub_groups() const noexcept;
  /// Whether there are several sizes. A pipeline whose kernel depends on its size must then require it.
  bool chooses_sub_group_size() const noexcept { return min_sub_group != max_sub_group; }
  /// Whether a pipeline may require this size. If not, the device has only one size.
  bool takes_sub_group_size(std::uint32_t size, const extent3& local) const noexcept;
  /// The sizes that kernels may run with, at most 64.
  std::vector<std::uint32_t> sub_group_sizes() const;
  bool has(const char* extension) const;
  /// Of every buffer that PRISM makes.
  VkBufferUsageFlags buffer_usage() const noexcept;
  /// Fills in what the driver says about the heap now; without VK_EXT_memory_budget nothing. Costs a call of
  /// the driver; an allocation makes one.
  void read_budget(std::uint32_t heap, heap_use& into) const noexcept;
  bool unified() const noexcept; // device memory is host memory
  /// Whether fma rounds once: Vulkan lets a driver multiply, round, add. NVIDIA's did on an H200, for 64
  /// floats and 64 doubles; tests/sycl/lowering_test.cpp asks on every device.
  bool fuses_multiply_add() const noexcept { return driver.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY; }
  /// llvmpipe ends all loops of a vector of work-items after 65,535 iterations in total.
  bool cuts_loops_short() const noexcept { return driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE; }
  /// llvmpipe: a timestamp waits until its threads have finished a (nonexistent) picture.
  bool waits_at_timestamps() const noexcept { return driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE; }
  /// llvmpipe starts a new vector at each row of a work-group, and the unused elements also run loops.
  bool fills_vectors_by_rows() const noexcept { return driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE; }
};

void gather(const instance& instance, VkPhysicalDevice handle, physical& into);
capabilities describe(const physical& from);

} // namespace prism::devices::vulkan
