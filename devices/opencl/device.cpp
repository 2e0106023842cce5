#include "devices/opencl/device.hpp"

#include "devices/opencl/command_buffer.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <sys/mman.h>

namespace prism::devices::opencl {
namespace {

command_buffer_calls command_buffers_of(const platform_context& context, cl_device_id device,
                                        const device_traits& traits) {
  if (traits.usm_device == 0) return find_command_buffers(context.api, context.platform, device);
  command_buffer_calls none;
  none.refusal =
      device_text(context.api, device, CL_DEVICE_NAME) +
      " has unified shared memory in place of shared virtual memory, whose copies cannot be recorded";
  return none;
}

/// PRISM_OPENCL_QUEUES; other values than numbers of queues are 1 (environment_check.hpp reports them).
std::size_t asked_driver_queues() {
  const char* const text = std::getenv("PRISM_OPENCL_QUEUES");
  const unsigned long asked = text ? std::strtoul(text, nullptr, 10) : 1;
  return std::clamp<std::size_t>(asked, 1, most_driver_queues);
}

/// A driver may list an earlier version of cl_ext_buffer_device_address, whose values differ.
device_traits tried_traits(const platform_context& context, cl_device_id device) {
  device_traits traits = read_traits(context.api, context.platform, device);
  cl_int code = CL_SUCCESS;
  if (traits.has_device_addresses)
    create_addressed_buffer(context.api, context.context.get(), context.devices, device, 64, code);
  traits.has_device_addresses = traits.has_device_addresses && code == CL_SUCCESS;
  if (!context.is_simulator && !traits.cuts_loops_short) // whose launches share a word for their failures
    traits.driver_queues = asked_driver_queues();
  return traits;
}

} // namespace

opencl_device::opencl_device(context_ptr context, cl_device_id device)
    : m_context(std::move(context)), m_device(device), m_traits(tried_traits(*m_context, device)),
      m_info(read_capabilities(m_context->api, m_context->platform, device, m_traits)),
      m_interop(m_context, m_device, m_traits),
      m_command_buffers(command_buffers_of(*m_context, device, m_traits)) {
  make_pools();
  m_info.exact_constants =
      !m_traits.cuts_loops_short; // llvmpipe folds x + 0 to x: compiler/passes/zero_operands.cpp
  m_info.copies_beside_kernels =
      m_context->is_simulator ? copy_overlap::none : copy_overlap::all; // any number of command queues
  m_info.host_visible = m_info.adopt_host_memory = m_traits.is_cpu && adopted_memory_is_coherent();
}

opencl_device::opencl_device(context_ptr context, device_handle part)
    : opencl_device(std::move(context), part.get()) {
  m_part = std::move(part);
}

std::vector<std::unique_ptr<device>> opencl_device::create_sub_devices(const partition& how) {
  const auto& api = m_context->api;
  const std::vector<cl_device_partition_property> properties = partition_of(how);
  const std::string asked = "partition " + m_info.name;
  std::vector<cl_device_id> parts(m_info.partitions.max_sub_devices);
  cl_uint count = 0;
  if (const cl_int code =
          api.clCreateSubDevices(m_device, properties.data(), cl_uint(parts.size()), parts.data(), &count);
      code != CL_SUCCESS)
    throw make_error(code, asked);
  std::vector<device_handle> held;
  for (cl_uint i = 0; i < count; ++i) held.emplace_back(api, parts[i]);
  std::vector<std::unique_ptr<device>> out;
  try { // not every driver lets a sub-device work in the context of its parent, without which they would
        // share no memory
    for (device_handle& part : held)
      out.push_back(std::make_unique<opencl_device>(m_context, std::move(part)));
    for (const auto& part : out) part->create_queue({});
  } catch (const device_error& refused) {
    throw device_error(error_category::unsupported, refused.driver_code(),
                       asked + ": its sub-devices do not work in its context: " + refused.what());
  }
  return out;
}

/// The standard requires map and unmap around host accesses of use-host-pointer memory. On CPUs most drivers
/// work in the host's bytes directly. This tests whether the driver does, in both directions, with an address
/// that is only aligned to adopt_alignment and an odd size.
bool opencl_device::adopted_memory_is_coherent() {
  constexpr std::size_t bytes = 12289;
  std::vector<std::byte> trial(8192 + bytes);
  const auto start = reinterpret_cast<std::uint64_t>(trial.data());
  std::byte* host = trial.data() + (4096 - start % 4096) + m_info.adopt_alignment;
  std::memset(host, 1, bytes);
  std::vector<std::byte> seen(bytes);
  const opencl_memory adopted(m_context, bytes, memory_kind::buffer, host);
  const opencl_memory other(m_context, bytes, memory_kind::buffer, nullptr);
  opencl_queue queue(m_context, m_device, m_traits, {});
  const auto run = [&](std::initializer_list<command> commands) {
    const std::uint64_t point = queue.submit({commands.begin(), commands.size()}, {});
    queue.points().wait(point, std::nullopt);
    if (auto failure = queue.points().failure(point)) throw *failure;
  };
  const auto all = [&](const std::byte* data, int value) {
    return std::all_of(data, data + bytes, [value](std::byte each) { return each == std::byte(value); });
  };
  auto* object = const_cast<opencl_memory*>(&adopted);
  auto* copy = const_cast<opencl_memory*>(&other);
  run({fill_command{object, 0, bytes, {std::byte{2}}}});
  if (!all(host, 2)) return false;
  std::memset(host, 3, bytes); // the driver must not have its own copy
  copy_command out, back;
  out.from.object = object;
  out.to.object = copy;
  back.from.object = copy;
  back.to.host = seen.data();
  out.row_bytes = back.row_bytes = bytes;
  run({out, back});
  return all(seen.data(), 3);
}

namespace {

/// Large memory of a driver that runs on this processor is ordinary memory of the process. The system decides
/// whether it uses large pages, and the driver where its allocation begins.
void ask_for_large_pages(std::byte* begin, std::uint64_t bytes) {
  constexpr std::uintptr_t page = 2u << 20;
  const auto from = (reinterpret_cast<std::uintptr_t>(begin) + page - 1) / page * page,
             to = (reinterpret_cast<std::uintptr_t>(begin) + bytes) / page * page;
  if (from < to) madvise(reinterpret_cast<void*>(from), to - from, MADV_HUGEPAGE);
}

/// For the driver's own memory: rusticl (Mesa 22.3) claims 512 but was seen to give 64.
std::uint64_t believed_alignment(const capabilities& info) { return std::min(info.base_alignment, 64u); }

} // namespace

void opencl_device::make_pools() {
  const auto make = [this](block_kind kind) {
    m_pools[static_cast<std::size_t>(kind)] = std::make_shared<svm_pool>(m_context, m_device, kind);
  };
  if (m_traits.coarse_svm()) make(block_kind::coarse);
  if (m_traits.fine_svm()) make(block_kind::fine);
  if (m_traits.usm_device) make(block_kind::usm_device);
  if (m_traits.usm_host) make(block_kind::usm_host);
  if (m_traits.usm_shared & usm_concurrent_access) make(block_kind::usm_shared);
  if (m_traits.has_device_addresses) make(block_kind::memory_object);
}

std::optional<block_kind> opencl_device::block_for(memory_kind kind) const {
  const bool host_side = kind == memory_kind::host || kind == memory_kind::shared;
  // On a CPU fine grain costs nothing and lets the host access the memory; elsewhere coarse-grain memory is
  // faster.
  if (m_traits.fine_svm() && (host_side || m_traits.is_cpu)) return block_kind::fine;
  if (kind == memory_kind::host && m_traits.usm_host) return block_kind::usm_host;
  if (kind == memory_kind::shared && m_traits.usm_shared) return block_kind::usm_shared;
  if (host_side)
    throw device_error(error_category::unsupported, "",
                       "allocate memory that host and kernels share on " + m_info.name +
                           ": it has neither fine-grain shared virtual memory nor such memory of "
                           "cl_intel_unified_shared_memory; use device allocations or buffers");
  if (m_traits.coarse_svm()) return block_kind::coarse;
  if (m_traits.usm_device) return block_kind::usm_device;
  if (m_traits.has_device_addresses) return block_kind::memory_object;
  return std::nullopt;
}

std::unique_ptr<memory> opencl_device::create_memory(std::uint64_t bytes, memory_kind kind,
                                                     std::uint64_t alignment) {
  m_context->check_not_lost("allocate memory");
  const std::optional<block_kind> block = block_for(kind);
  if (bytes > m_info.max_allocation)
    throw device_error(error_category::out_of_memory, "",
                       "allocate " + std::to_string(bytes) + " bytes on " + m_info.name +
                           ": its largest allocation is " + std::to_string(m_info.max_allocation));
  if (!block)
    return std::make_unique<opencl_memory>(m_context, bytes, kind, nullptr, believed_alignment(m_info));
  const auto& pool = m_pools[static_cast<std::size_t>(*block)];
  if (pool && kind != memory_kind::buffer && bytes <= svm_pool::largest && alignment <= svm_pool::largest)
    return std::make_unique<opencl_memory>(m_context, bytes, kind, alignment, pool);
  auto made = std::make_unique<opencl_memory>(m_context, m_device, bytes, kind, alignment, *block);
  if (m_traits.is_cpu && made->svm() != nullptr) ask_for_large_pages(made->svm(), bytes);
  return made;
}

std::unique_ptr<memory> opencl_device::adopt(void* host, std::uint64_t bytes) {
  if (!m_info.adopt_host_memory || !host || bytes == 0 || bytes > m_info.max_allocation) return nullptr;
  if (reinterpret_cast<std::uint64_t>(host) % m_info.adopt_alignment != 0) return nullptr;
  return std::make_unique<opencl_memory>(m_context, bytes, memory_kind::buffer, host,
                                         believed_alignment(m_info));
}

std::unique_ptr<program> opencl_device::create_program(const program_source& source) {
  if (!image::is_opencl_c(source.kind) || !source.data)
    throw device_error(error_category::unsupported, "",
                       "build a program for " + m_info.name + ": OpenCL devices accept only OpenCL C text");
  m_context->check_not_lost("build a program");
  return build_from_source(m_context, m_device, m_traits, source);
}

std::unique_ptr<program> opencl_device::create_program_from_binary(std::span<const std::byte> binary,
                                                                   const program_source& source) {
  if (!image::is_opencl_c(source.kind)) return nullptr;
  return build_from_binary(m_context, m_device, m_traits, binary, source);
}

std::unique_ptr<queue> opencl_device::create_queue(const queue_options& options) {
  m_context->check_not_lost("create a queue");
  return std::make_unique<opencl_queue>(m_context, m_device, m_traits, options);
}

std::unique_ptr<command_buffer>
opencl_device::create_command_buffer(std::span<const command_buffer_step> steps) {
  if (!m_command_buffers.refusal.empty()) return nullptr;
  {
    const std::lock_guard lock(m_recording_mutex);
    if (!m_recording) m_recording = make_queue(*m_context, m_device, {});
  }
  return opencl_command_buffer::make(m_context, m_command_buffers, m_recording.get(), m_traits.fine_svm(),
                                     steps);
}

bool opencl_device::can_wait_for(const timeline& other) const noexcept {
  const auto* ours = dynamic_cast<const opencl_timeline*>(&other);
  return ours && &ours->shared() == m_context.get();
}

std::string opencl_device::fingerprint() const { return binary_fingerprint(*m_context, m_device); }

void* opencl_device::native(std::string_view what) const noexcept {
  if (what == "cl_platform_id") return m_context->platform;
  if (what == "cl_device_id") return m_device;
  if (what == "cl_context") return m_context->context.get();
  return nullptr;
}

} // namespace prism::devices::opencl
