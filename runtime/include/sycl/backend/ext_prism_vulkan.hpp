// Interoperability with programs that call Vulkan themselves (docs/vulkan-programs.md). Includes Vulkan's
// header if it is installed; declares the handle types as it does.
//
//   const auto needs = prism::vulkan::requirements_of(instance, VK_API_VERSION_1_2, physical_device);
//   ... vkCreateDevice with needs.extensions and needs.features ...
//   sycl::device d = sycl::make_device<sycl::backend::ext_prism_vulkan>(
//       {instance, VK_API_VERSION_1_2, physical_device, vk_device, &create_info, family});
//   sycl::queue q(d);
//   ... kernels, buffers and USM as on every device ...
//   prism::vulkan::give_back(d); // before vkDestroyDevice
//
// Handles stay the program's, and must live as long as PRISM uses them. Errors are sycl::exception. Any
// thread.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#if __has_include(<vulkan/vulkan.h>)
#include <vulkan/vulkan.h>
#endif

#include <sycl/sycl.hpp>

#include <sycl/ext/oneapi/experimental/external_semaphore.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

struct VkInstance_T;
struct VkPhysicalDevice_T;
struct VkDevice_T;
struct VkQueue_T;
struct VkBuffer_T;
struct VkSemaphore_T;
struct VkImage_T;
struct VkDeviceCreateInfo;
struct VkImageCreateInfo;
struct VkBufferImageCopy;
struct VkPhysicalDeviceFeatures2;

namespace prism {
namespace vulkan {

using get_proc_function = void (*(*)(VkInstance_T*, const char*))(); // PFN_vkGetInstanceProcAddr

/// A program's VkDevice and the queues of it that PRISM may use.
struct device_handles {
  VkInstance_T* instance = nullptr;
  std::uint32_t api_version = 0; // that the instance was made for (VkApplicationInfo::apiVersion)
  VkPhysicalDevice_T* physical_device = nullptr;
  VkDevice_T* device = nullptr;
  /// What vkCreateDevice got: PRISM uses the extensions and features that it enables. Read by make_device
  /// only.
  const VkDeviceCreateInfo* created = nullptr;
  std::uint32_t queue_family = 0, first_queue = 0, queue_count = 1;
  /// The program's lock, if it uses these queues too: PRISM holds it around its own calls that use them. Do
  /// not call PRISM while you hold it.
  std::function<void()> lock{}, unlock{};
  get_proc_function get_instance_proc_addr = nullptr; // null: that of libvulkan.so.1
};

/// What PRISM uses of a physical device. A device without a part of it lacks the aspects that need it; only
/// timelineSemaphore is necessary.
struct requirements {
  std::vector<std::string> extensions; // for VkDeviceCreateInfo::ppEnabledExtensionNames
  std::shared_ptr<const void> owner;   // of the features
  /// A chain of structures, for VkDeviceCreateInfo::pNext; pEnabledFeatures must be null then.
  const VkPhysicalDeviceFeatures2* features = nullptr;
  std::uint32_t queue_family = 0; // that PRISM would take
};
/// Throws errc::feature_not_supported, with the reason, for a device that PRISM cannot use, and if PRISM has
/// no Vulkan device at all.
requirements requirements_of(VkInstance_T* instance, std::uint32_t api_version,
                             VkPhysicalDevice_T* physical_device,
                             get_proc_function get_instance_proc_addr = nullptr);

/// Waits for PRISM's work on a device of make_device and destroys all that PRISM made on the VkDevice; call
/// it before vkDestroyDevice. Throws errc::invalid, with their kinds and numbers, while the program has
/// buffers, USM, queues, events, executable graphs or semaphores of the device; then the device works on, and
/// its device_globals start anew.
void give_back(const sycl::device& device);

/// Holds the lock of the VkQueue behind a queue: use it for each call of the program that uses the VkQueue of
/// get_native. Do not call PRISM meanwhile.
class queue_guard {
public:
  explicit queue_guard(const sycl::queue& of);
  ~queue_guard();
  queue_guard(const queue_guard&) = delete;
  queue_guard& operator=(const queue_guard&) = delete;
  VkQueue_T* queue() const noexcept { return m_queue; }

private:
  VkQueue_T* m_queue = nullptr;
  void* m_lock = nullptr;
};

/// A range of a VkBuffer. PRISM needs the usages STORAGE_BUFFER, TRANSFER_SRC, TRANSFER_DST and
/// SHADER_DEVICE_ADDRESS, and memory with VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT.
struct buffer_range {
  VkBuffer_T* buffer = nullptr;
  std::uint64_t offset = 0, bytes = 0;
  std::uint32_t usage = 0; // VkBufferUsageFlags that the buffer was made with
};
/// The range as USM of kind device; sycl::free ends PRISM's use of it.
void* map_buffer(const buffer_range& what, const sycl::queue& on);

/// A region of an image of the program, in Vulkan's words. Of depth and stencil, one aspect.
struct image_part {
  VkImage_T* image = nullptr;
  const VkImageCreateInfo* created = nullptr; // what vkCreateImage got; read during the call only
  const VkBufferImageCopy* region = nullptr;  // its bufferOffset counts from the memory; read likewise
  std::uint32_t before = 0, after = 0;        // VkImageLayout that the image has before and after the copy
};

namespace detail {
/// The other side of a copy: a USM pointer, or an accessor with its bytes.
struct image_memory {
  const void* pointer = nullptr;
  std::uint64_t token = 0, bytes = 0;
};
void copy_image(sycl::handler& group, const image_part& image, const image_memory& memory, bool into_image);

template <typename T, int D, sycl::access_mode M, sycl::target P, sycl::access::placeholder Placeholder>
image_memory memory_of(sycl::handler& group, const sycl::accessor<T, D, M, P, Placeholder>& what) {
  if (what.is_placeholder()) group.require(what);
  return {nullptr, what.prism_token(), what.byte_size()};
}
} // namespace detail

// Copies between an image and memory, as the command of a group: between an accessor of a whole buffer, or a
// USM pointer, and the image's region. They run on the device, after what the program submitted to the
// VkQueue before, and bring the image from the layout `before` to the layout `after`. The image belongs to
// the queue family of the device, and lives until the command is complete. Throws errc::invalid, with the
// reason, for what does not fit; errc::feature_not_supported for compressed formats and those with several
// planes; errc::backend_mismatch on other backends.

/// Needs VK_IMAGE_USAGE_TRANSFER_DST_BIT.
inline void copy_to_image(sycl::handler& group, const image_part& to, const void* from) {
  detail::copy_image(group, to, {from}, true);
}
template <typename T, int D, sycl::access_mode M, sycl::target P, sycl::access::placeholder Placeholder>
void copy_to_image(sycl::handler& group, const image_part& to,
                   const sycl::accessor<T, D, M, P, Placeholder>& from) {
  static_assert(M != sycl::access_mode::write, "the copy reads the buffer");
  detail::copy_image(group, to, detail::memory_of(group, from), true);
}
/// Needs VK_IMAGE_USAGE_TRANSFER_SRC_BIT, and a layout `before` other than VK_IMAGE_LAYOUT_UNDEFINED.
inline void copy_from_image(sycl::handler& group, const image_part& from, void* to) {
  detail::copy_image(group, from, {to}, false);
}
template <typename T, int D, sycl::access_mode M, sycl::target P, sycl::access::placeholder Placeholder>
void copy_from_image(sycl::handler& group, const image_part& from,
                     const sycl::accessor<T, D, M, P, Placeholder>& to) {
  static_assert(M != sycl::access_mode::read, "the copy writes to the buffer");
  detail::copy_image(group, from, detail::memory_of(group, to), false);
}
inline sycl::event copy_to_image(sycl::queue on, const image_part& to, const void* from,
                                 const std::vector<sycl::event>& after = {}) {
  return on.submit([&](sycl::handler& group) {
    group.depends_on(after);
    copy_to_image(group, to, from);
  });
}
inline sycl::event copy_from_image(sycl::queue on, const image_part& from, void* to,
                                   const std::vector<sycl::event>& after = {}) {
  return on.submit([&](sycl::handler& group) {
    group.depends_on(after);
    copy_from_image(group, from, to);
  });
}

/// A point that a command reaches: the semaphore is a timeline, and has this value or more when the command
/// is complete. It lives as long as the command's queue. A null semaphore: the command is complete.
struct semaphore_value {
  VkSemaphore_T* semaphore = nullptr;
  std::uint64_t value = 0;
};

/// What waits for a timeline. host: a thread of PRISM, then the command is submitted. device: the VkQueue,
/// without a round trip to the host; all that PRISM submits to the VkQueue later waits too, so the signal
/// must not depend on it.
enum class timeline_wait { host, device };

/// For queue::ext_oneapi_wait_external_semaphore and ..._signal_...; release it by
/// release_external_semaphore. `waits`: of a timeline; the device always waits for a binary semaphore.
sycl::ext::oneapi::experimental::external_semaphore
use_semaphore(VkSemaphore_T* semaphore, sycl::ext::oneapi::experimental::external_semaphore_handle_type type,
              const sycl::queue& on, timeline_wait waits = timeline_wait::host);

} // namespace vulkan
} // namespace prism

namespace sycl {
inline namespace _V1 {

template <>
class backend_traits<backend::ext_prism_vulkan> {
  template <typename SyclObject>
  struct handle;

public:
  template <typename SyclObject>
  using input_type = typename handle<SyclObject>::input;
  template <typename SyclObject>
  using return_type = typename handle<SyclObject>::output;
  /// What interop_handle makes a range of.
  struct memory : ::prism::vulkan::buffer_range {
    explicit memory(void* native);
  };
};
template <>
struct backend_traits<backend::ext_prism_vulkan>::handle<platform> {
  using output = VkInstance_T*;
};
template <>
struct backend_traits<backend::ext_prism_vulkan>::handle<device> {
  using input = ::prism::vulkan::device_handles;
  using output = VkPhysicalDevice_T*;
};
template <>
struct backend_traits<backend::ext_prism_vulkan>::handle<context> {
  using input = VkDevice_T*;
  using output = VkDevice_T*;
};
template <>
struct backend_traits<backend::ext_prism_vulkan>::handle<queue> {
  using input = VkQueue_T*;
  using output = VkQueue_T*;
};
template <>
struct backend_traits<backend::ext_prism_vulkan>::handle<event> {
  using output = ::prism::vulkan::semaphore_value;
};
template <typename T, int Dimensions, typename AllocatorT>
struct backend_traits<backend::ext_prism_vulkan>::handle<buffer<T, Dimensions, AllocatorT>> {
  using input = ::prism::vulkan::buffer_range;
  using output = std::vector<::prism::vulkan::buffer_range>;
};

namespace detail {
device device_of_vulkan(const ::prism::vulkan::device_handles& from);
context context_of_vulkan(VkDevice_T* from, async_handler handler);
queue queue_of_vulkan(VkQueue_T* from, const context& in, async_handler handler);
::prism::vulkan::semaphore_value vulkan_of(const event& object);
std::vector<::prism::vulkan::buffer_range> vulkan_of(const impl_ptr<buffer_impl>& object);
native_buffer buffer_of_vulkan(const ::prism::vulkan::buffer_range& from, const context& in,
                               const event& available, std::size_t element_bytes);

template <backend Backend>
using if_vulkan = std::enable_if_t<detail::same<Backend, backend::ext_prism_vulkan>, int>;
} // namespace detail

/// The point that the event's command reaches. Blocks until the command has been submitted to the driver.
/// Throws errc::invalid for the event of a host task.
template <backend Backend, detail::if_vulkan<Backend> = 0>
::prism::vulkan::semaphore_value get_native(const event& object) {
  return detail::vulkan_of(object);
}
/// The ranges that the buffer has on Vulkan devices so far.
template <backend Backend, typename T, int Dimensions, typename AllocatorT, detail::if_vulkan<Backend> = 0>
std::vector<::prism::vulkan::buffer_range> get_native(const buffer<T, Dimensions, AllocatorT>& object) {
  return detail::vulkan_of(detail::access_impl::get(object));
}

/// Creates the device of a program's VkDevice, with the aspects that its features allow. It is in no list of
/// devices; its platform is that of its driver. The same VkDevice returns the same device. Throws
/// errc::invalid for handles that are null or do not fit together, and errc::feature_not_supported for a
/// VkDevice without what is necessary, or if PRISM lists no device of its driver.
template <backend Backend, detail::if_vulkan<Backend> = 0>
device make_device(const backend_input_t<Backend, device>& handles) {
  return detail::device_of_vulkan(handles);
}
/// Returns a context of a device that make_device made. Throws errc::invalid for another VkDevice.
template <backend Backend, detail::if_vulkan<Backend> = 0>
context make_context(const backend_input_t<Backend, context>& handle, async_handler handler = {}) {
  return detail::context_of_vulkan(handle, std::move(handler));
}
/// Creates an in-order queue on this VkQueue. Throws errc::invalid unless it is one that the context's device
/// was made with.
template <backend Backend, detail::if_vulkan<Backend> = 0>
queue make_queue(const backend_input_t<Backend, queue>& handle, const context& in,
                 async_handler handler = {}) {
  return detail::queue_of_vulkan(handle, in, std::move(handler));
}
/// Creates a buffer with the contents of the range, which are valid when `available` is complete. The
/// buffer's destructor blocks and copies data that was written elsewhere back to the range. Meanwhile only
/// PRISM writes to it.
template <backend Backend, typename T, int Dimensions = 1,
          typename AllocatorT = buffer_allocator<std::remove_const_t<T>>, detail::if_vulkan<Backend> = 0>
buffer<T, Dimensions, AllocatorT>
make_buffer(const backend_input_t<Backend, buffer<T, Dimensions, AllocatorT>>& handle, const context& in,
            event available = {}) {
  static_assert(Dimensions == 1,
                "a VkBuffer has one dimension: make_buffer creates only 1-dimensional buffers");
  detail::native_buffer made = detail::buffer_of_vulkan(handle, in, available, sizeof(T));
  return detail::access_impl::make<buffer<T, Dimensions, AllocatorT>>(std::move(made.impl),
                                                                      range<1>(made.elements), AllocatorT());
}

}
} // namespace sycl::_V1

#include <sycl/detail/user_macros_restore.hpp>
