// Platforms, devices and selectors.
#include "devices/api/external.hpp"
#include "runtime/api/extension_points.hpp"
#include "runtime/api/impl.hpp"
#include "runtime/api/joint_matrix.hpp"

#include <sycl/device_selector.hpp>
#include <sycl/ext/oneapi/experimental/current_device.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <ostream>

namespace sycl {
inline namespace _V1 {

namespace detail {

struct device_tables {
  std::vector<std::shared_ptr<platform_impl>> platforms;

  device_tables() {
    for (const prism::platform_node& node : prism::platforms()) {
      auto platform = std::make_shared<platform_impl>(node);
      for (prism::device_node* device : node.devices) {
        platform->m_devices.push_back(std::make_shared<device_impl>(*device, platform));
      }
      platforms.push_back(std::move(platform));
    }
  }
};

const std::vector<std::shared_ptr<platform_impl>>& all_platforms() {
  return guarded([]() -> const std::vector<std::shared_ptr<platform_impl>>& {
    static const auto& tables = *new device_tables; // never destroyed: objects of other files may outlive it
    return tables.platforms;
  });
}

std::string describe(const device_impl& device) {
  const std::string name = device.node().backend_name() + ": " + device.info().name;
  return device.origin() ? name + " (" + std::to_string(device.info().compute_units) + " compute units of it)"
                         : name;
}

backend device_impl::backend_of(const std::string& name) noexcept {
  if (name == "opencl") return backend::opencl;
  if (name == "vulkan") return backend::ext_prism_vulkan;
  return backend::ext_prism_host;
}

namespace {
bool shares_semaphores(prism::devices::device& device) {
  using prism::devices::semaphore_kind;
  auto* const by = device.external();
  return by != nullptr && (by->no_semaphore_reason(semaphore_kind::binary).empty() ||
                           by->no_semaphore_reason(semaphore_kind::timeline).empty());
}
} // namespace

bool device_impl::has(aspect what) const {
  using prism::devices::device_type;
  const auto& c = info();
  switch (what) {
    case aspect::cpu: return c.type == device_type::cpu;
    case aspect::gpu: return c.type == device_type::gpu;
    case aspect::accelerator: return c.type == device_type::accelerator;
    case aspect::custom: return c.type == device_type::custom;
    case aspect::host_debuggable: return m_backend == backend::ext_prism_host;
    case aspect::fp16:
      return (c.features & (prism::image::fp16 | prism::image::fp16_storage)) !=
             0; // without it, half is emulated by float with rounding
    case aspect::fp64: return (c.features & prism::image::fp64) != 0;
    case aspect::atomic64: return (c.features & prism::image::int64_atomics) != 0;
    case aspect::queue_profiling: return c.profiling;
    case aspect::usm_device_allocations: return c.usm_device;
    case aspect::usm_host_allocations: return c.usm_host;
    case aspect::usm_atomic_host_allocations: return c.usm_atomic_host;
    case aspect::usm_shared_allocations: return c.usm_shared;
    case aspect::usm_atomic_shared_allocations: return c.usm_atomic_shared;
    case aspect::usm_system_allocations: return c.usm_system;
    case aspect::ext_oneapi_clock_sub_group: return (c.features & prism::image::clock_sub_group) != 0;
    case aspect::ext_oneapi_clock_work_group: // read as the device's
    case aspect::ext_oneapi_clock_device: return (c.features & prism::image::clock_device) != 0;
    case aspect::ext_oneapi_external_memory_import:
    case aspect::ext_oneapi_exportable_device_mem: return c.shares_memory;
    case aspect::ext_oneapi_external_semaphore_import: return shares_semaphores(node().raw());
    case aspect::ext_oneapi_device_wait:
    case aspect::ext_oneapi_graph:
    case aspect::ext_oneapi_limited_graph:
    case aspect::online_compiler: // kernel bundles have every state; the driver compiles them
    case aspect::online_linker: return true;
    case aspect::emulated:
    case aspect::image: return true;
    case aspect::ext_intel_matrix:
      return emulates_joint_matrix() || (c.features & prism::image::cooperative_matrix) != 0;
    case aspect::ext_intel_device_id:
    case aspect::ext_intel_pci_address:
    case aspect::ext_intel_device_info_uuid:
    case aspect::ext_intel_free_memory:
    case aspect::ext_intel_memory_clock_rate:
    case aspect::ext_intel_memory_bus_width:
    case aspect::ext_intel_fan_speed:
    case aspect::ext_intel_power_limits:
    case aspect::ext_intel_current_clock_throttle_reasons: return has_reading(*this, what);
    case aspect::ext_intel_gpu_eu_count:
    case aspect::ext_intel_gpu_eu_simd_width:
    case aspect::ext_intel_gpu_slices:
    case aspect::ext_intel_gpu_subslices_per_slice:
    case aspect::ext_intel_gpu_eu_count_per_subslice:
    case aspect::ext_intel_gpu_hw_threads_per_eu:
    case aspect::ext_intel_max_mem_bandwidth: return false; // no backend reports them
  }
  return false;
}

void device_impl::add_queue(made_queue queue) {
  const std::lock_guard lock(m_mutex);
  if (m_queues.size() >= m_prune_at) {
    const auto is_gone = [](const made_queue& each) { return each.node.expired(); };
    m_queues.erase(std::remove_if(m_queues.begin(), m_queues.end(), is_gone), m_queues.end());
    m_prune_at = 16 + 2 * m_queues.size();
  }
  m_queues.push_back(std::move(queue));
}

std::vector<device_impl::made_queue> device_impl::queues() const {
  std::vector<made_queue> all;
  {
    const std::lock_guard lock(m_mutex);
    all = m_queues;
  }
  for (const auto& part : sub_devices()) {
    const std::lock_guard lock(part->m_mutex);
    all.insert(all.end(), part->m_queues.begin(), part->m_queues.end());
  }
  return all;
}

std::shared_ptr<context_impl> platform_impl::default_context() {
  const std::lock_guard lock(m_mutex);
  if (!m_default) m_default = std::make_shared<context_impl>(m_devices, async_handler(), property_list());
  return m_default;
}

namespace {

std::shared_ptr<device_impl> best_of(const std::vector<std::shared_ptr<device_impl>>& candidates,
                                     const std::function<int(const device&)>& selector) {
  std::shared_ptr<device_impl> best;
  int best_rank = -1;
  for (const auto& candidate : candidates) {
    const int rank = selector(access_impl::make<device>(candidate));
    if (rank > best_rank) {
      best = candidate;
      best_rank = rank;
    }
  }
  if (best) return best;
  std::string found;
  for (const auto& candidate : candidates) found += (found.empty() ? "" : ", ") + describe(*candidate);
  throw_error(errc::runtime,
              "the device selector accepts none of the devices (" + found +
                  "); use another selector, or permit more devices with PRISM_DEVICE_SELECTOR");
}

std::vector<std::shared_ptr<device_impl>> all_devices() {
  std::vector<std::shared_ptr<device_impl>> all;
  for (const auto& platform : all_platforms()) {
    all.insert(all.end(), platform->devices().begin(), platform->devices().end());
  }
  return all;
}

bool is_of_type(const device_impl& device, info::device_type type) {
  switch (type) {
    case info::device_type::all: return true;
    case info::device_type::cpu: return device.has(aspect::cpu);
    case info::device_type::gpu: return device.has(aspect::gpu);
    case info::device_type::accelerator: return device.has(aspect::accelerator);
    case info::device_type::custom: return device.has(aspect::custom);
    default: return false; // host: the standard requires an empty list
  }
}

std::vector<device> listed(const platform_impl& platform, info::device_type type) {
  std::vector<device> out;
  if (type == info::device_type::automatic) {
    if (!platform.devices().empty()) out.push_back(access_impl::make<device>(platform.devices().front()));
    return out;
  }
  for (const auto& device : platform.devices()) {
    if (is_of_type(*device, type)) out.push_back(access_impl::make<sycl::device>(device));
  }
  return out;
}

} // namespace

impl_ptr<device_impl> select_device(const std::function<int(const device&)>& selector) {
  return best_of(all_devices(), selector);
}

device select_device_in(const context& in, const std::function<int(const device&)>& selector) {
  return access_impl::make<device>(best_of(access_impl::get(in)->devices(), selector));
}

std::shared_ptr<device_impl> default_device() {
  if (auto asked = asked_default()) return asked;
  std::shared_ptr<device_impl> best;
  for (const auto& candidate : all_devices()) {
    if (!best || candidate->node().default_score() > best->node().default_score()) best = candidate;
  }
  return best;
}

int rank_default(const device& candidate) {
  if (access_impl::get(candidate) == asked_default()) return std::numeric_limits<int>::max();
  const double score = access_impl::get(candidate)->node().default_score();
  return score < 0 ? -1 : static_cast<int>(std::min(score, 1e8) * 16);
}

int rank_by_type(const device& candidate, aspect type) {
  return candidate.has(type) ? std::max(0, rank_default(candidate)) : -1;
}

int rank_by_aspects(const device& candidate, const std::vector<aspect>& wanted,
                    const std::vector<aspect>& denied) {
  const auto has = [&](aspect a) { return candidate.has(a); };
  if (!std::all_of(wanted.begin(), wanted.end(), has) || std::any_of(denied.begin(), denied.end(), has))
    return -1;
  return std::max(0, rank_default(candidate));
}

} // namespace detail

detail::aspect_ranking aspect_selector(const std::vector<aspect>& aspects, const std::vector<aspect>& deny) {
  return {aspects, deny};
}

platform::platform() : shared_object(detail::default_device()->platform()) {}
backend platform::get_backend() const noexcept {
  return detail::device_impl::backend_of(m_impl->node().backend_name);
}
std::vector<device> platform::get_devices(info::device_type type) const {
  return detail::listed(*m_impl, type);
}
bool platform::has(aspect what) const {
  const auto& devices = m_impl->devices();
  return !devices.empty() &&
         std::all_of(devices.begin(), devices.end(), [&](const auto& d) { return d->has(what); });
}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
bool platform::has_extension(const std::string& extension) const {
  const auto list = get_info<info::platform::extensions>();
  return std::find(list.begin(), list.end(), extension) != list.end();
}
#pragma GCC diagnostic pop
context platform::ext_prism_get_default_context() const {
  return detail::access_impl::make<context>(m_impl->default_context());
}
context platform::khr_get_default_context() const { return ext_prism_get_default_context(); }
context platform::ext_oneapi_get_default_context() const { return ext_prism_get_default_context(); }
std::vector<platform> platform::get_platforms() {
  std::vector<platform> out;
  for (const auto& impl : detail::all_platforms()) out.push_back(platform(impl));
  return out;
}

namespace ext::oneapi::experimental::this_thread {
namespace {
std::optional<device>& chosen() {
  static thread_local std::optional<device> device;
  return device;
}
} // namespace
device get_current_device() { return chosen() ? *chosen() : device(); }
void set_current_device(device dev) { chosen() = std::move(dev); }
} // namespace ext::oneapi::experimental::this_thread

device::device() : shared_object(detail::default_device()) {}
backend device::get_backend() const noexcept { return m_impl->where(); }
platform device::get_platform() const { return detail::access_impl::make<platform>(m_impl->platform()); }
bool device::has(aspect what) const { return m_impl->has(what); }
bool device::has_extension(const std::string& extension) const {
  const auto& list = m_impl->info().extensions;
  return std::find(list.begin(), list.end(), extension) != list.end();
}
std::vector<device> device::get_devices(info::device_type type) {
  std::vector<device> out;
  for (const auto& platform : detail::all_platforms()) {
    for (device& d : detail::listed(*platform, type)) out.push_back(std::move(d));
  }
  return out;
}
std::ostream& operator<<(std::ostream& out, backend which) {
  switch (which) {
    case backend::opencl: return out << "opencl";
    case backend::ext_prism_host: return out << "ext_prism_host";
    case backend::ext_prism_vulkan: return out << "ext_prism_vulkan";
    case backend::ext_oneapi_level_zero: return out << "ext_oneapi_level_zero";
    case backend::ext_oneapi_cuda: return out << "ext_oneapi_cuda";
    case backend::ext_oneapi_hip: return out << "ext_oneapi_hip";
  }
  return out << "backend " << static_cast<int>(which);
}
device device_selector::select_device() const {
  return device([this](const device& candidate) { return (*this)(candidate); });
}

}
} // namespace sycl::_V1
