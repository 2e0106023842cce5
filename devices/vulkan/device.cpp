#include "devices/vulkan/device.hpp"

#include "devices/vulkan/convert.hpp"
#include "devices/vulkan/program.hpp"
#include "devices/vulkan/queue.hpp"
#include "devices/vulkan/command_buffer.hpp"
#include "devices/vulkan/timeline.hpp"
#include "devices/vulkan/usm_window.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace prism::devices::vulkan {

namespace {

std::uint64_t steady_now() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

} // namespace

device::device(std::shared_ptr<const instance> instance, std::unique_ptr<physical> physical,
               const device_options& options, const vulkan_device_handles* program)
    : m_instance(std::move(instance)), m_physical(std::move(physical)), m_info(describe(*m_physical)),
      m_is_adopted(program != nullptr), m_options(options) {
  if (program != nullptr) take_device(*program);
  else create_device();
  try {
    create_layout();
    m_allocator = std::make_unique<allocator>(*this);
    measure_usm();
    if (!options.host_reaches_device_memory) {
      m_info.host_visible = false;
      if (m_info.copies_beside_kernels == copy_overlap::host_memory)
        m_info.copies_beside_kernels = copy_overlap::none;
    }
  } catch (...) {
    destroy_all();
    throw;
  }
}

device::~device() {
  if (!m_is_adopted) m_functions.DeviceWaitIdle(m_handle); // else its queues have waited at their end
  destroy_all();
}

/// The second call does nothing.
void device::destroy_all() noexcept {
  if (m_given_back.exchange(true)) return;
  m_window.reset();
  if (m_allocator) m_allocator->clear();
  destroy_layout();
  if (!m_is_adopted) m_functions.DestroyDevice(m_handle, nullptr);
}

void device::give_back() {
  constexpr const char* asked = "giving a VkDevice back: ";
  if (!m_is_adopted)
    throw device_error(error_category::invalid, "", std::string(asked) + "it is PRISM's own");
  refuse_when_given_back(asked);
  std::string live;
  const auto count = [&](const std::atomic<unsigned>& of, const char* name) {
    const unsigned n = of.load();
    if (n != 0) live += (live.empty() ? "" : ", ") + std::to_string(n) + ' ' + name;
  };
  count(m_objects.memories, "allocations");
  count(m_objects.queues, "queues");
  count(m_objects.programs, "programs");
  count(m_objects.command_buffers, "command buffers");
  count(m_objects.semaphores, "semaphores");
  if (!live.empty())
    throw device_error(error_category::invalid, "",
                       asked + m_info.name + " still has " + live +
                           "; destroy its buffers, USM, queues, events, graphs and semaphores first");
  destroy_all();
}

void device::refuse_when_given_back(const char* asked) const {
  if (m_given_back.load(std::memory_order_acquire))
    throw device_error(error_category::invalid, "",
                       asked + m_info.name + " was given back to the program that it belongs to");
}

void device::take_device(const vulkan_device_handles& program) {
  m_handle = static_cast<VkDevice>(program.device);
  m_functions = m_instance->load(m_handle);
  if (m_functions.WaitSemaphores == nullptr || m_functions.QueueSubmit == nullptr)
    throw device_error(error_category::unsupported, "",
                       "using a program's VkDevice: it has no function vkWaitSemaphores; enable "
                       "VK_KHR_timeline_semaphore, or Vulkan 1.2");
  for (std::uint32_t i = 0; i < program.queue_count; ++i) {
    shared_queue& made = m_queues.emplace_back();
    made.family = program.queue_family;
    m_functions.GetDeviceQueue(m_handle, made.family, program.first_queue + i, &made.handle);
    made.mutex.share_with(program.lock, program.unlock);
    made.handed_out = true;
  }
}

void device::create_device() {
  const queue_plan& plan = m_physical->queues;
  const std::vector<float> priorities(plan.compute_count + 1, 1.0f);
  VkDeviceQueueCreateInfo queues[2] = {{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO},
                                       {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO}};
  queues[0].queueFamilyIndex = plan.compute_family;
  queues[0].queueCount = plan.compute_count + (plan.has_copy_queue() && !plan.copy_family_differs() ? 1 : 0);
  queues[1].queueFamilyIndex = plan.copy_family;
  queues[1].queueCount = 1;
  for (auto& each : queues) each.pQueuePriorities = priorities.data();
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  info.pNext = &m_physical->features.root;
  info.queueCreateInfoCount = plan.copy_family_differs() ? 2 : 1;
  info.pQueueCreateInfos = queues;
  info.enabledExtensionCount = static_cast<std::uint32_t>(m_physical->enabled_extensions.size());
  info.ppEnabledExtensionNames = m_physical->enabled_extensions.data();
  vulkan::check(m_instance->vk().CreateDevice(m_physical->handle, &info, nullptr, &m_handle),
                "opening " + m_info.name);
  m_functions = m_instance->load(m_handle);
  const auto add = [&](std::deque<shared_queue>& to, std::uint32_t family, std::uint32_t index) {
    to.emplace_back().family = family;
    m_functions.GetDeviceQueue(m_handle, family, index, &to.back().handle);
  };
  for (std::uint32_t i = 0; i < plan.compute_count; ++i) add(m_queues, plan.compute_family, i);
  if (plan.has_copy_queue()) add(m_copy_queue, plan.copy_family, plan.copy_index);
}

void device::create_layout() {
  const bool by_buffers = m_physical->argument_buffers;
  const std::uint32_t bytes = by_buffers ? lower::bases_offset + 4 * lower::most_argument_buffers
                                         : static_cast<std::uint32_t>(sizeof(image::push_constants));
  const VkPushConstantRange constants{VK_SHADER_STAGE_COMPUTE_BIT, 0, bytes};
  VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  if (by_buffers || m_physical->lacks().addresses) {
    create_set_layout(by_buffers ? lower::most_argument_buffers : 1,
                      by_buffers ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR : 0);
    if (!by_buffers) create_descriptors();
    info.setLayoutCount = 1;
    info.pSetLayouts = &m_set_layout;
  }
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &constants;
  check(m_functions.CreatePipelineLayout(m_handle, &info, nullptr, &m_pipeline_layout),
        "creating a pipeline layout");
}

void device::create_set_layout(std::uint32_t count, VkDescriptorSetLayoutCreateFlags flags) {
  VkDescriptorSetLayoutBinding bindings[lower::most_argument_buffers]{};
  for (std::uint32_t i = 0; i < count; ++i) {
    bindings[i].binding = i;
    bindings[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    bindings[i].descriptorCount = 1;
    bindings[i].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  }
  VkDescriptorSetLayoutCreateInfo layout{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  layout.flags = flags;
  layout.bindingCount = count;
  layout.pBindings = bindings;
  check(m_functions.CreateDescriptorSetLayout(m_handle, &layout, nullptr, &m_set_layout),
        "creating a descriptor set layout");
}

void device::create_descriptors() {
  const VkDescriptorPoolSize one{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
  VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  pool.maxSets = 1;
  pool.poolSizeCount = 1;
  pool.pPoolSizes = &one;
  check(m_functions.CreateDescriptorPool(m_handle, &pool, nullptr, &m_descriptor_pool),
        "creating a descriptor pool");
  VkDescriptorSetAllocateInfo set{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  set.descriptorPool = m_descriptor_pool;
  set.descriptorSetCount = 1;
  set.pSetLayouts = &m_set_layout;
  check(m_functions.AllocateDescriptorSets(m_handle, &set, &m_descriptors), "allocating a descriptor set");
}

void device::destroy_layout() noexcept {
  if (m_pipeline_layout) m_functions.DestroyPipelineLayout(m_handle, m_pipeline_layout, nullptr);
  if (m_descriptor_pool) m_functions.DestroyDescriptorPool(m_handle, m_descriptor_pool, nullptr);
  if (m_set_layout) m_functions.DestroyDescriptorSetLayout(m_handle, m_set_layout, nullptr);
}

VkDescriptorSet device::descriptors() {
  if (!m_descriptors) return VK_NULL_HANDLE;
  std::call_once(m_descriptors_written, [&] {
    const VkDescriptorBufferInfo arena{m_allocator->arena(), 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = m_descriptors;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &arena;
    m_functions.UpdateDescriptorSets(m_handle, 1, &write, 0, nullptr);
  });
  return m_descriptors;
}

/// Host and shared USM need a number that is both device address and host pointer, or a window. Vulkan has no
/// query for it, so this tries.
void device::measure_usm() {
  if (m_physical->lacks().addresses) return; // the arena's addresses are no host pointers
  const auto trial = m_allocator->allocate(1, placement::host_coherent, 64);
  const bool equal = trial.address() == reinterpret_cast<std::uint64_t>(trial.mapped());
  m_allocator->free(trial);
  m_has_window = (!equal || m_options.usm != device_options::usm_location::automatic) && can_import();
  m_info.usm_host = m_info.usm_shared = equal || m_has_window;
}

bool device::can_import() noexcept {
  if (m_physical->import_alignment == 0) return false;
  try {
    const usm_window trial(*this, m_physical->import_alignment,
                           m_options.usm == device_options::usm_location::split_window);
    return true;
  } catch (const std::exception&) { // the driver refuses: it does not support it
    return false;
  }
}

usm_window& device::window() {
  const std::lock_guard lock(m_window_mutex);
  if (!m_window) {
    const std::uint64_t host_bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                                     static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    m_window = std::make_unique<usm_window>(*this, std::min(m_options.usm_bytes, host_bytes / 4),
                                            m_options.usm == device_options::usm_location::split_window);
    m_made_window.store(m_window.get(), std::memory_order_release);
  }
  return *m_window;
}

std::uint64_t device::order_word() {
  if (const std::uint64_t made = m_order_word.load(std::memory_order_acquire)) return made;
  const std::lock_guard lock(m_order_mutex);
  if (m_order_word.load(std::memory_order_relaxed) == 0) // its value does not matter; the allocator frees it
    m_order_word.store(m_allocator->allocate(sizeof(std::uint32_t), placement::device_local, 64).address(),
                       std::memory_order_release);
  return m_order_word.load(std::memory_order_relaxed);
}

std::unique_ptr<devices::memory> device::create_memory(std::uint64_t bytes, memory_kind kind,
                                                       std::uint64_t alignment) {
  refuse_when_given_back("allocating memory: ");
  return std::make_unique<memory>(*this, bytes, kind, alignment);
}

std::unique_ptr<devices::memory> device::adopt(void* host, std::uint64_t bytes) {
  const std::uint64_t alignment = m_given_back ? 0 : m_physical->import_alignment;
  if (!alignment || !bytes || reinterpret_cast<std::uint64_t>(host) % alignment || bytes % alignment)
    return nullptr;
  if (!m_info.host_visible) return nullptr; // kernels would read over the bus, so the runtime copies instead
  try {
    return std::make_unique<memory>(*this, host, bytes);
  } catch (const device_error& error) {
    if (error.category() == error_category::lost) throw;
    return nullptr;
  }
}

std::unique_ptr<devices::program> device::create_program(const program_source& source) {
  refuse_when_given_back("building a program: ");
  return std::make_unique<program>(*this, source, std::span<const std::byte>());
}

std::unique_ptr<devices::program> device::create_program_from_binary(std::span<const std::byte> binary,
                                                                     const program_source& source) {
  refuse_when_given_back("building a program: ");
  return program::from_binary(*this, binary, source);
}

std::unique_ptr<devices::queue> device::create_queue(const queue_options& options) {
  refuse_when_given_back("creating a queue: ");
  if (options.profiling && !m_info.profiling)
    throw device_error(error_category::unsupported, "",
                       "creating a queue with profiling: " + m_info.name +
                           " has no timestamps on its compute queues");
  if (options.profiling) relate_clocks(); // before there is work to wait for
  if (options.for_copies && options.profiling && m_physical->queues.copy_family_differs())
    throw device_error(
        error_category::unsupported, "",
        "creating a queue for copies with profiling: Vulkan resets timestamps on compute queues only");
  // Without a separate VkQueue, a copy queue still has its own host worker.
  auto& shared = options.for_copies && !m_copy_queue.empty() ? m_copy_queue.front()
                                                             : m_queues[m_next_queue++ % m_queues.size()];
  return std::make_unique<queue>(*this, shared, options);
}

std::unique_ptr<devices::command_buffer>
device::create_command_buffer(std::span<const command_buffer_step> steps) {
  refuse_when_given_back("recording commands: ");
  return command_buffer::make(*this, steps);
}

bool device::can_wait_for(const devices::timeline& other) const noexcept {
  const auto* ours = dynamic_cast<const timeline*>(&other);
  return ours && &ours->owner() == this;
}

std::string device::fingerprint() const {
  const auto& properties = m_physical->properties;
  std::string text = "vulkan;" + m_info.name + ";" + std::to_string(properties.vendorID) + ";" +
                     std::to_string(properties.deviceID) + ";" + std::to_string(properties.driverVersion) +
                     ";" + m_info.driver_version + ";";
  for (const auto byte : properties.pipelineCacheUUID) {
    constexpr char digits[] = "0123456789abcdef";
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  if (!m_physical->stands_for.empty()) // its programs are others, and the cache must not mix them
    text += ";as " + m_physical->stands_for + ";" + std::to_string(m_info.features);
  return text;
}

void* device::native(std::string_view what) const noexcept {
  if (what == "VkDevice") return m_handle;
  if (what == "VkPhysicalDevice") return m_physical->handle;
  if (what == "VkInstance") return m_instance->handle();
  if (what == "VkPipelineLayout") return reinterpret_cast<void*>(m_pipeline_layout);
  if (what == vulkan_interop_name)
    return const_cast<vulkan_interop*>(static_cast<const vulkan_interop*>(&m_interop));
  return nullptr;
}

void device::check(VkResult result, const char* asked) {
  if (result == VK_ERROR_DEVICE_LOST) mark_lost();
  if (result < 0) vulkan::check(result, asked); // allocates a string
}

clock_relation device::relate_clocks() {
  if (m_physical->calibrated_timestamps && m_functions.GetCalibratedTimestampsEXT) {
    VkCalibratedTimestampInfoEXT wanted[2] = {{VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT},
                                              {VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT}};
    wanted[0].timeDomain = VK_TIME_DOMAIN_DEVICE_EXT;
    wanted[1].timeDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT; // the clock that steady_clock reads on Linux
    std::uint64_t values[2] = {}, deviation = 0;
    check(m_functions.GetCalibratedTimestampsEXT(m_handle, 2, wanted, values, &deviation), "relating clocks");
    return {values[0], values[1]};
  }
  std::lock_guard lock(m_clock_mutex);
  if (!m_bracketed.host_ns) m_bracketed = bracket_clocks();
  return m_bracketed;
}

std::uint64_t device::host_time(std::uint64_t ticks, const clock_relation& relation) const noexcept {
  const auto bits = m_physical->queues.timestamp_bits;
  const std::uint64_t mask = bits >= 64 ? ~0ull : (1ull << bits) - 1;
  std::uint64_t ahead = (ticks - relation.ticks) & mask;
  const bool before = ahead > mask / 2; // the counter wrapped around
  if (before) ahead = (relation.ticks - ticks) & mask;
  const auto distance =
      static_cast<std::uint64_t>(static_cast<double>(ahead) * m_physical->properties.limits.timestampPeriod);
  return before ? relation.host_ns - std::min(distance, relation.host_ns) : relation.host_ns + distance;
}

/// Runs one timestamp between two reads of the host's clock and takes the middle: exact to half of the
/// interval.
clock_relation device::bracket_clocks() {
  queue probe(*this, m_queues.front(), {.profiling = true});
  clock_relation best;
  std::uint64_t best_gap = ~0ull;
  for (int attempt = 0; attempt < 4; ++attempt) {
    const auto before = steady_now();
    const auto ticks = probe.timestamp_now();
    const auto gap = steady_now() - before;
    if (gap < best_gap) {
      best_gap = gap;
      best = {ticks, before + gap / 2};
    }
  }
  return best;
}

} // namespace prism::devices::vulkan
