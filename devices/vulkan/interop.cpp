#include "devices/vulkan/interop.hpp"

#include "devices/vulkan/backend.hpp"
#include "devices/vulkan/convert.hpp"
#include "devices/vulkan/device.hpp"
#include "devices/vulkan/enabled_features.hpp"
#include "devices/vulkan/image_copy.hpp"
#include "devices/vulkan/queue.hpp"
#include "devices/vulkan/timeline.hpp"

namespace prism::devices::vulkan {

namespace {

constexpr const char* asked = "using a program's VkDevice: ";

[[noreturn]] void refuse(error_category category, const std::string& why) {
  throw device_error(category, "", asked + why);
}

void require_handle(const void* handle, const char* name) {
  if (handle == nullptr) refuse(error_category::invalid, std::string(name) + " is null");
}

std::shared_ptr<const instance> instance_of(const vulkan_device_handles& program) {
  require_handle(program.instance, "the VkInstance");
  require_handle(program.physical_device, "the VkPhysicalDevice");
  return std::make_shared<const instance>(
      static_cast<VkInstance>(program.instance), program.api_version,
      reinterpret_cast<PFN_vkGetInstanceProcAddr>(program.get_instance_proc_addr));
}

/// Throws device_error{invalid} unless the instance lists the device: drivers do not check
/// handles, and a handle of another instance may point to anything.
void require_listed(const instance& from, VkPhysicalDevice device) {
  std::uint32_t count = 0;
  check(from.vk().EnumeratePhysicalDevices(from.handle(), &count, nullptr), "listing Vulkan devices");
  std::vector<VkPhysicalDevice> all(count);
  check(from.vk().EnumeratePhysicalDevices(from.handle(), &count, all.data()), "listing Vulkan devices");
  for (const VkPhysicalDevice each : all)
    if (each == device) return;
  refuse(error_category::invalid, "the VkPhysicalDevice is none of the VkInstance");
}

std::unique_ptr<physical> described(const instance& from, void* handle) {
  const auto device = static_cast<VkPhysicalDevice>(handle);
  require_listed(from, device);
  auto found = std::make_unique<physical>();
  gather(from, device, *found);
  return found;
}

std::vector<VkQueueFamilyProperties> families_of(const instance& from, VkPhysicalDevice device) {
  std::uint32_t count = 0;
  from.vk().GetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  from.vk().GetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  return families;
}

/// Whether the queues of the device draw too.
bool draws(const device& what) {
  const physical& hardware = what.hardware();
  return families_of(what.from(), hardware.handle)[hardware.queues.compute_family].queueFlags &
         VK_QUEUE_GRAPHICS_BIT;
}

/// Replaces the queues that PRISM would open by the program's.
void take_queues(const instance& from, physical& into, const vulkan_device_handles& program) {
  const auto& created = *static_cast<const VkDeviceCreateInfo*>(program.created);
  if (const std::string wrong =
          wrong_queues(created, program.queue_family, program.first_queue, program.queue_count);
      !wrong.empty())
    refuse(error_category::invalid, wrong);
  const std::vector<VkQueueFamilyProperties> families = families_of(from, into.handle);
  if (program.queue_family >= families.size() ||
      !(families[program.queue_family].queueFlags & VK_QUEUE_COMPUTE_BIT))
    refuse(error_category::invalid,
           "queue family " + std::to_string(program.queue_family) + " runs no compute shaders");
  into.queues = {};
  into.queues.compute_family = program.queue_family;
  into.queues.compute_count = program.queue_count;
  into.queues.timestamp_bits = families[program.queue_family].timestampValidBits;
}

} // namespace

const devices::device& native_interop::owner() const noexcept { return m_device; }

vulkan_needs native_interop::needs_of(const vulkan_device_handles& program) const {
  const auto from = instance_of(program);
  const std::shared_ptr<const physical> found = described(*from, program.physical_device);
  vulkan_needs needs;
  if (!found->unusable.empty()) {
    needs.unusable = std::string(found->properties.deviceName) + " " + found->unusable;
    return needs;
  }
  needs.extensions.assign(found->enabled_extensions.begin(), found->enabled_extensions.end());
  needs.features = std::shared_ptr<const void>(found, &found->features.root);
  needs.queue_family = found->queues.compute_family;
  return needs;
}

std::unique_ptr<devices::device> native_interop::adopt_device(const vulkan_device_handles& program) const {
  const auto from = instance_of(program);
  require_handle(program.device, "the VkDevice");
  require_handle(program.created, "the VkDeviceCreateInfo");
  if (!program.lock != !program.unlock)
    refuse(error_category::invalid, "lock and unlock must be both there or both missing");
  auto hardware = described(*from, program.physical_device);
  take_queues(*from, *hardware, program);
  restrict_to(*hardware, *static_cast<const VkDeviceCreateInfo*>(program.created));
  if (!hardware->unusable.empty())
    refuse(error_category::unsupported,
           std::string(hardware->properties.deviceName) + ": " + hardware->unusable);
  return std::make_unique<device>(from, std::move(hardware), options_of_environment(), &program);
}

std::unique_ptr<devices::memory> native_interop::adopt_buffer(const vulkan_buffer& what) {
  m_device.refuse_when_given_back("using a VkBuffer: ");
  return std::make_unique<memory>(m_device, what);
}

vulkan_image_copy native_interop::copy_image(const vulkan_image_part& what, bool into_image) {
  m_device.refuse_when_given_back("copying a VkImage: ");
  const auto plan = plan_image_copy(what, into_image, draws(m_device));
  return {std::make_shared<image_copy>(plan), plan.region.bufferOffset, plan.end, plan.alignment};
}

std::unique_ptr<devices::queue> native_interop::adopt_queue(void* wanted) {
  for (shared_queue& each : m_device.compute_queues())
    if (each.handle == wanted) return std::make_unique<queue>(m_device, each, queue_options());
  throw device_error(error_category::invalid, "",
                     "using a VkQueue: " + m_device.info().name + " has no such queue for PRISM");
}

std::unique_ptr<devices::external_semaphore>
native_interop::adopt_semaphore(void* semaphore, semaphore_kind kind, bool device_waits) {
  if (semaphore == nullptr)
    throw device_error(error_category::invalid, "", "using a VkSemaphore: it is null");
  return use_semaphore(m_device, reinterpret_cast<VkSemaphore>(semaphore), kind, device_waits);
}

vulkan_point native_interop::handles_of(const timeline_point& what) const {
  auto& from = static_cast<timeline&>(*what.owner);
  return {reinterpret_cast<void*>(from.semaphore()), from.signal_of(what.value)};
}

bool native_interop::only_programs_live() const noexcept {
  const live_objects& of = m_device.objects();
  return of.memories == 0 && of.queues == 0 && of.command_buffers == 0 && of.semaphores == 0;
}

void native_interop::give_back() { m_device.give_back(); }

} // namespace prism::devices::vulkan
