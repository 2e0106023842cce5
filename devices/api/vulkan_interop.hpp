// What a Vulkan device shares with programs that call Vulkan themselves: a program's VkDevice becomes a
// device, its buffers become memory, and it gets the handles behind PRISM's objects. Handles are pointers
// here, so that this file needs no header of Vulkan. Errors are device_error; the rules of device.hpp hold.
#pragma once

#include "devices/api/device.hpp"
#include "devices/api/external.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace prism::devices {

/// A program's VkDevice and the queues of it that PRISM may use.
struct vulkan_device_handles {
  void* instance = nullptr;        // VkInstance
  std::uint32_t api_version = 0;   // that the instance was made for (VkApplicationInfo::apiVersion)
  void* physical_device = nullptr; // VkPhysicalDevice
  void* device = nullptr;          // VkDevice
  const void* created = nullptr;   // the VkDeviceCreateInfo that made it; read during the call only
  std::uint32_t queue_family = 0, first_queue = 0, queue_count = 1;
  /// The program's lock of these queues, if it uses them too: held around every use of a VkQueue by PRISM.
  std::function<void()> lock, unlock;
  void* get_instance_proc_addr = nullptr; // PFN_vkGetInstanceProcAddr; null: that of libvulkan.so.1
};

/// What PRISM uses of a physical device, for the program's VkDeviceCreateInfo.
struct vulkan_needs {
  std::string unusable; // why PRISM cannot use the device; empty if it can
  std::vector<std::string> extensions;
  std::shared_ptr<const void> features; // a VkPhysicalDeviceFeatures2 and its chain
  std::uint32_t queue_family = 0;       // that PRISM would take
};

/// A range of a VkBuffer. Of memory PRISM made: memory::native() of "VkBuffer", "VkBuffer offset" and
/// "VkBufferUsageFlags" (the last two as numbers), and its size.
struct vulkan_buffer {
  void* buffer = nullptr;
  std::uint64_t offset = 0, bytes = 0;
  std::uint32_t usage = 0; // VkBufferUsageFlags that the buffer was made with
};

/// A region of an image of the program, to copy to it or from it. The structures are read during the call
/// only.
struct vulkan_image_part {
  void* image = nullptr;               // VkImage
  const void* created = nullptr;       // the VkImageCreateInfo that made it
  const void* region = nullptr;        // a VkBufferImageCopy
  std::uint32_t before = 0, after = 0; // VkImageLayout
};

/// The copy as a kernel for dispatches of a native_kernel, whose one argument is the memory.
struct vulkan_image_copy {
  std::shared_ptr<kernel> made;
  std::uint64_t begin = 0, end = 0; // bytes of the memory that it uses
  std::uint64_t alignment = 1;      // of `begin` in a VkBuffer; a launch at another place fails
};

/// A timeline semaphore, and its value when a command is complete.
struct vulkan_point {
  void* semaphore = nullptr;
  std::uint64_t value = 0;
};

/// The lock of a VkQueue, which Vulkan calls external synchronisation. queue::native(vulkan_queue_lock_name)
/// points to this.
inline constexpr const char* vulkan_queue_lock_name = "prism vulkan_queue_lock";
class vulkan_queue_lock {
public:
  virtual void lock() = 0;
  virtual void unlock() = 0;

protected:
  ~vulkan_queue_lock() = default;
};

/// memory::native(vulkan_memory_name) is the memory itself, as devices::memory.
inline constexpr const char* vulkan_memory_name = "prism vulkan memory";

/// device::native(vulkan_interop_name) points to this.
inline constexpr const char* vulkan_interop_name = "prism vulkan_interop";

class vulkan_interop {
public:
  virtual ~vulkan_interop() = default;
  /// The device whose native() this is. It differs from a device that wraps it.
  virtual const device& owner() const noexcept = 0;

  // Of any Vulkan device:
  /// Reads the instance, its version, the physical device and get_instance_proc_addr.
  virtual vulkan_needs needs_of(const vulkan_device_handles& program) const = 0;
  /// Uses what the program enabled; the rest is missing from the device's capabilities. Throws
  /// device_error{invalid} for handles that do not fit, {unsupported} if something necessary is not enabled.
  virtual std::unique_ptr<device> adopt_device(const vulkan_device_handles& program) const = 0;

  // Of this device:
  /// The buffer's memory stays the program's. Throws device_error{invalid} if the usage lacks something,
  /// {unsupported} if the device has no buffer device addresses.
  virtual std::unique_ptr<memory> adopt_buffer(const vulkan_buffer& what) = 0;
  /// Throws device_error{invalid} for a region or layouts that do not fit the image, {unsupported} for a
  /// format or an aspect that PRISM does not copy.
  virtual vulkan_image_copy copy_image(const vulkan_image_part& what, bool into_image) = 0;
  /// A queue on this VkQueue, one of those that the device has. Throws device_error{invalid} for another.
  virtual std::unique_ptr<queue> adopt_queue(void* queue) = 0;
  /// The semaphore stays the program's. `device_waits`: a wait for a timeline holds up the VkQueue, as one
  /// for a binary semaphore does.
  virtual std::unique_ptr<external_semaphore> adopt_semaphore(void* semaphore, semaphore_kind kind,
                                                              bool device_waits) = 0;
  /// `what`: a point of a queue of this device. Sends the point to the driver.
  virtual vulkan_point handles_of(const timeline_point& what) const = 0;

  /// Whether programs are the only objects of the device that are left.
  virtual bool only_programs_live() const noexcept = 0;
  /// Destroys what PRISM made on the program's VkDevice, which PRISM does not use any more. Throws
  /// device_error{invalid} if the device is not the program's, and if objects of it live, which it counts by
  /// kind.
  virtual void give_back() = 0;
};

} // namespace prism::devices
