// Interoperability with Vulkan: <sycl/backend/ext_prism_vulkan.hpp>.
#include "runtime/api/command_group.hpp"
#include "runtime/api/external_semaphore.hpp"
#include "runtime/api/interop_handles.hpp"
#include "runtime/api/interop_vulkan.hpp"
#include "runtime/engine/close_device.hpp"
#include "runtime/engine/external.hpp"

#include <sycl/backend/ext_prism_vulkan.hpp>

#include <algorithm>
#include <atomic>
#include <map>

namespace sycl {
inline namespace _V1 {
namespace detail {

namespace {

using prism::devices::vulkan_interop;

vulkan_interop* interop_in(const prism::devices::device& device) {
  return static_cast<vulkan_interop*>(device.native(prism::devices::vulkan_interop_name));
}

/// The interface of any Vulkan device.
vulkan_interop& any_interop() {
  for (const auto& platform : all_platforms())
    for (const auto& device : platform->devices())
      if (auto* const found =
              device->where() == backend::ext_prism_vulkan ? interop_in(device->node().raw()) : nullptr)
        return *found;
  throw_error(errc::feature_not_supported, "interoperability: PRISM lists no Vulkan device "
                                           "(PRISM_DEVICE_SELECTOR may hide them; see prism-info)");
}

prism::devices::vulkan_device_handles plain_handles(const prism::vulkan::device_handles& from) {
  return {from.instance,
          from.api_version,
          from.physical_device,
          from.device,
          from.created,
          from.queue_family,
          from.first_queue,
          from.queue_count,
          from.lock,
          from.unlock,
          reinterpret_cast<void*>(from.get_instance_proc_addr)};
}

/// The devices of programs, by their VkDevice.
struct adopted_devices {
  struct entry {
    std::shared_ptr<device_impl> device;
    std::shared_ptr<context_impl> context;
  };
  std::mutex mutex;
  std::map<void*, entry> devices;
  std::atomic<std::size_t> count{0}; // of `devices`
  static adopted_devices& get() {
    static auto& all = *new adopted_devices; // never destroyed: objects of other files may outlive it
    return all;
  }
};

/// A listed device of the same driver: the new device belongs to its platform.
const std::shared_ptr<device_impl>& listed_like(const prism::devices::device& made) {
  for (const auto& platform : all_platforms())
    if (platform->devices().front()->where() == backend::ext_prism_vulkan &&
        platform->node().name == made.info().platform_name)
      return platform->devices().front();
  throw_error(errc::feature_not_supported, "make_device: PRISM lists no platform " +
                                               made.info().platform_name +
                                               " (PRISM_DEVICE_SELECTOR may hide it)");
}

} // namespace

vulkan_interop& vulkan_interop_of(const device_impl& device) {
  check_backend(device, backend::ext_prism_vulkan);
  const prism::devices::device& raw = device.node().raw();
  auto* const found = interop_in(raw);
  if (found == nullptr || &found->owner() != &raw)
    throw_error(errc::feature_not_supported,
                "interoperability: " + describe(device) + " is under PRISM_WRAP");
  return *found;
}

device device_of_vulkan(const ::prism::vulkan::device_handles& from) {
  adopted_devices& all = adopted_devices::get();
  const std::lock_guard lock(all.mutex);
  if (const auto known = all.devices.find(from.device); known != all.devices.end())
    return access_impl::make<device>(known->second.device);
  auto made = guarded([&] { return any_interop().adopt_device(plain_handles(from)); });
  const std::shared_ptr<device_impl>& listed = listed_like(*made);
  prism::device_node& node =
      guarded([&]() -> prism::device_node& { return prism::adopt_device(std::move(made), listed->node()); });
  auto one = std::make_shared<device_impl>(node, listed->platform());
  auto own = std::make_shared<context_impl>(std::vector{one}, async_handler(), property_list());
  all.devices.emplace(from.device, adopted_devices::entry{one, std::move(own)});
  all.count = all.devices.size();
  return access_impl::make<device>(one);
}

std::shared_ptr<context_impl> default_context_of(const device_impl& device) {
  adopted_devices& all = adopted_devices::get();
  if (all.count != 0) {
    const std::lock_guard lock(all.mutex);
    for (const auto& [handle, each] : all.devices)
      if (each.device.get() == &device) return each.context;
  }
  return device.platform()->default_context();
}

context context_of_vulkan(VkDevice_T* from, async_handler handler) {
  adopted_devices& all = adopted_devices::get();
  const std::lock_guard lock(all.mutex);
  const auto known = all.devices.find(from);
  if (known == all.devices.end())
    throw_error(errc::invalid, "make_context: the VkDevice is of no device that make_device made");
  return access_impl::make<context>(
      std::make_shared<context_impl>(std::vector{known->second.device}, std::move(handler), property_list()));
}

queue queue_of_vulkan(VkQueue_T* from, const context& in, async_handler handler) {
  const auto& where = access_impl::get(in);
  const std::shared_ptr<device_impl> device = where->devices().front();
  vulkan_interop& interop = vulkan_interop_of(*device);
  prism::queue_ptr node = guarded(
      [&] { return prism::adopt_queue(device->node(), interop.adopt_queue(from), {true, false}); }, where);
  return access_impl::make<queue>(queue_impl::make(
      where, device, std::move(handler), property_list{property::queue::in_order()}, std::move(node)));
}

native_buffer buffer_of_vulkan(const ::prism::vulkan::buffer_range& from, const context& in,
                               const event& available, std::size_t element_bytes) {
  const auto& where = access_impl::get(in);
  vulkan_interop& interop = vulkan_interop_of(*where->devices().front());
  auto memory = guarded(
      [&] { return interop.adopt_buffer({from.buffer, from.offset, from.bytes, from.usage}); }, where);
  return buffer_over(std::move(memory), in, available, element_bytes);
}

::prism::vulkan::semaphore_value vulkan_of(const event& object) {
  const auto& impl = access_impl::get(object);
  impl->refuse_recorded("get_native");
  impl->refuse_discarded("get_native");
  if (!impl->device() || !impl->command()) return {}; // complete from the start
  vulkan_interop& interop = vulkan_interop_of(*impl->device());
  return guarded([&]() -> ::prism::vulkan::semaphore_value {
    const prism::devices::timeline_point at = prism::point_of(*impl->command());
    if (at.owner == nullptr)
      throw_error(errc::invalid, "get_native: the event is not that of a command of the device");
    const auto found = interop.handles_of(at);
    return {static_cast<VkSemaphore_T*>(found.semaphore), found.value};
  });
}

std::vector<::prism::vulkan::buffer_range> vulkan_of(const impl_ptr<buffer_impl>& object) {
  std::vector<::prism::vulkan::buffer_range> out;
  for (const auto& [device, memory] : prism::allocations_of(*object->node()))
    if (void* const native = memory ? memory->native(prism::devices::vulkan_memory_name) : nullptr)
      out.push_back(backend_traits<backend::ext_prism_vulkan>::memory(native));
  return out;
}

} // namespace detail

backend_traits<backend::ext_prism_vulkan>::memory::memory(void* native) {
  const auto& from = *static_cast<const prism::devices::memory*>(native);
  buffer = static_cast<VkBuffer_T*>(from.native("VkBuffer"));
  offset = reinterpret_cast<std::uintptr_t>(from.native("VkBuffer offset"));
  bytes = from.size();
  usage = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(from.native("VkBufferUsageFlags")));
}

}
} // namespace sycl::_V1

namespace prism {
namespace vulkan {

using sycl::detail::access_impl;
using sycl::detail::guarded;
namespace syclexp = sycl::ext::oneapi::experimental;

requirements requirements_of(VkInstance_T* instance, std::uint32_t api_version,
                             VkPhysicalDevice_T* physical_device, get_proc_function get_instance_proc_addr) {
  device_handles handles;
  handles.instance = instance;
  handles.api_version = api_version;
  handles.physical_device = physical_device;
  handles.get_instance_proc_addr = get_instance_proc_addr;
  devices::vulkan_needs found =
      guarded([&] { return sycl::detail::any_interop().needs_of(sycl::detail::plain_handles(handles)); });
  if (!found.unusable.empty())
    sycl::detail::throw_error(sycl::errc::feature_not_supported,
                              "requirements_of: PRISM cannot use the device: " + found.unusable);
  const auto* const features = static_cast<const VkPhysicalDeviceFeatures2*>(found.features.get());
  return {std::move(found.extensions), std::move(found.features), features, found.queue_family};
}

void give_back(const sycl::device& device) {
  const auto& impl = access_impl::get(device);
  auto& interop = sycl::detail::vulkan_interop_of(*impl);
  auto& all = sycl::detail::adopted_devices::get();
  const auto is_it = [&](const auto& each) { return each.second.device == impl; };
  {
    const std::lock_guard lock(all.mutex);
    if (std::none_of(all.devices.begin(), all.devices.end(), is_it))
      sycl::detail::throw_error(
          sycl::errc::invalid, "give_back: make_device did not make the device, or it was given back before");
  }
  const auto only_programs_live = [&] {
    sycl::detail::deliver_of_destroyed_queues();
    return interop.only_programs_live();
  };
  guarded([&] { close_device(impl->node(), {only_programs_live, [&] { interop.give_back(); }}); });
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.devices, is_it);
  all.count = all.devices.size();
}

queue_guard::queue_guard(const sycl::queue& of) {
  m_queue = sycl::get_native<sycl::backend::ext_prism_vulkan>(of);
  m_lock = access_impl::get(of)->node().native(devices::vulkan_queue_lock_name);
  static_cast<devices::vulkan_queue_lock*>(m_lock)->lock();
}
queue_guard::~queue_guard() { static_cast<devices::vulkan_queue_lock*>(m_lock)->unlock(); }

void* map_buffer(const buffer_range& what, const sycl::queue& on) {
  const auto& queue = access_impl::get(on);
  const auto& where = queue->context();
  auto& interop = sycl::detail::vulkan_interop_of(*queue->device());
  return guarded([&] {
    return adopt_usm(queue->device()->node(),
                     interop.adopt_buffer({what.buffer, what.offset, what.bytes, what.usage}), where.get());
  }, where);
}

syclexp::external_semaphore use_semaphore(VkSemaphore_T* semaphore,
                                          syclexp::external_semaphore_handle_type type, const sycl::queue& on,
                                          timeline_wait waits) {
  const auto& queue = access_impl::get(on);
  auto& interop = sycl::detail::vulkan_interop_of(*queue->device());
  const auto kind = type == syclexp::external_semaphore_handle_type::timeline_fd
                        ? devices::semaphore_kind::timeline
                        : devices::semaphore_kind::binary;
  return guarded([&] {
    return syclexp::prism_listed_semaphore(
        interop.adopt_semaphore(semaphore, kind, waits == timeline_wait::device), type);
  }, queue->context());
}

} // namespace vulkan
} // namespace prism
