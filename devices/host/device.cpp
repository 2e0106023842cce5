#include "devices/host/device.hpp"

#include "devices/host/capabilities.hpp"
#include "devices/host/isa.hpp"
#include "devices/host/parallel.hpp"
#include "devices/host/program.hpp"
#include "devices/host/queue.hpp"

#include <algorithm>
#include <oneapi/tbb/info.h>

namespace prism::devices::host {

host_device::host_device()
    : m_info(gather_capabilities()), m_budget(std::make_shared<memory_budget>()),
      m_workers(std::max(2u, m_info.compute_units)) {
  check_isa();
  m_info.partitions = partition_support_of(m_info.compute_units, numa_nodes().size());
  m_budget->limit = m_info.global_memory;
  if (int(m_info.compute_units) < tbb::info::default_concurrency())
    m_thread_limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                           m_info.compute_units);
}

host_device::host_device(const host_device& whole, unsigned threads, std::unique_ptr<thread_share> share)
    : m_info(whole.m_info), m_budget(whole.m_budget), m_share(std::move(share)),
      m_workers(std::max(2u, threads)) {
  m_info.compute_units = threads;
  if (threads < 2) m_info.copies_beside_kernels = copy_overlap::none;
  m_info.partitions = partition_support_of(threads, 1);
}

host_device::host_device(const host_device& whole, unsigned threads)
    : host_device(whole, threads, std::make_unique<thread_share>(threads)) {}

host_device::host_device(const host_device& whole, const numa_node& node)
    : host_device(whole, std::min(node.threads, whole.m_info.compute_units),
                  std::make_unique<thread_share>(node)) {}

std::vector<std::unique_ptr<device>> host_device::create_sub_devices(const partition& how) {
  if (const auto* domain = std::get_if<affinity_domain>(&how);
      domain && std::ranges::count(m_info.partitions.domains, *domain) != 0)
    return on_nodes();
  std::vector<std::uint32_t> units;
  if (const auto* equal = std::get_if<partition_equally>(&how))
    units.assign(m_info.compute_units / equal->units, equal->units);
  else if (const auto* counted = std::get_if<partition_by_counts>(&how)) units = counted->units;
  else return device::create_sub_devices(how);
  std::vector<std::unique_ptr<device>> parts;
  for (const std::uint32_t threads : units) parts.push_back(std::make_unique<host_device>(*this, threads));
  return parts;
}

std::vector<std::unique_ptr<device>> host_device::on_nodes() const {
  std::vector<std::unique_ptr<device>> parts;
  for (const numa_node& node : numa_nodes()) parts.push_back(std::make_unique<host_device>(*this, node));
  return parts;
}

std::unique_ptr<memory> host_device::create_memory(std::uint64_t bytes, memory_kind kind,
                                                   std::uint64_t alignment) {
  return std::make_unique<host_memory>(*m_budget, bytes, kind, alignment);
}

std::unique_ptr<memory> host_device::adopt(void* host, std::uint64_t bytes) {
  return std::make_unique<host_memory>(host, bytes);
}

std::unique_ptr<program> host_device::create_program(const program_source& source) {
  if (source.kind != image::kind::host_group || source.data == nullptr)
    throw device_error(
        error_category::unsupported, "",
        "create a program on the host device: the image is not a native work-group function; compile "
        "for the host target, or dispatch the kernel's body");
  return std::make_unique<host_program>(source, m_info);
}

std::unique_ptr<program> host_device::create_program_from_binary(std::span<const std::byte>,
                                                                 const program_source&) {
  return nullptr; // programs are functions of the executable: there is nothing to cache
}

std::unique_ptr<queue> host_device::create_queue(const queue_options& options) {
  prepare_parallel();
  return std::make_unique<host_queue>(m_workers, m_info.compute_units, m_share.get(), options);
}

bool host_device::can_wait_for(const timeline& other) const noexcept {
  return dynamic_cast<const strand*>(&other) != nullptr;
}

std::string host_device::fingerprint() const { return "host " + m_info.driver_version + " " + m_info.name; }

void* host_device::native(std::string_view what) const noexcept {
  if (what != direct_runner_name) return nullptr;
  return static_cast<direct_runner*>(const_cast<host_device*>(this));
}

void host_device::run_directly(std::uint64_t units, void (*part)(const void*, std::uint64_t, std::uint64_t),
                               const void* owner) {
  const auto run = [&] {
    // Callers have 20 us of work or more, so that waking all threads pays.
    if (units > 1 && m_info.compute_units > 1) return run_parallel(0, units, part, owner);
    release_threads(); // for those of the unit
    part(owner, 0, units);
  };
  if (m_share) m_share->run(run);
  else run();
}

} // namespace prism::devices::host
