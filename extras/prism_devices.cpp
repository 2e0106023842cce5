// <prism/devices.hpp>: backends, descriptions of real devices, capabilities and facts about the host.
#include "devices/api/private_folder.hpp"
#include "devices/host_limits.hpp"
#include "devices/readings.hpp"
#include "devices/registry.hpp"
#include "extras/described.hpp"
#include "runtime/api/impl.hpp"
#include "extras/policy/describe.hpp"
#include "extras/policy/measured.hpp"
#include "extras/policy/problem.hpp"
#include "extras/policy/requirement.hpp"
#include "extras/policy/vocabulary.hpp"
#include "runtime/support/environment.hpp"

#include <prism/backend.hpp>
#include <prism/devices.hpp>
#include <prism/readings.hpp>

#include <algorithm>
#include <mutex>
#include <sys/utsname.h>
#include <unistd.h>

namespace prism {

namespace {

std::vector<std::string> listed(const char* commas) {
  std::vector<std::string> out;
  for (std::string_view rest = commas != nullptr ? commas : ""; !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    out.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

std::filesystem::path measured_file_of(const device_node& node) {
  return policy::measured_file(user_cache_folder(), node.backend_name(), node.info().name,
                               node.info().driver_version);
}

/// Cache of descriptions: reading a file for each description would take longer than a decision. A file is
/// read once per device, and again after it was written.
struct known_descriptions {
  std::mutex mutex;
  std::map<const device_node*, device_description> by_node;
};
known_descriptions& known() {
  static auto* all = new known_descriptions;
  return *all;
}
void forget_description(const device_node& node) {
  const std::lock_guard lock(known().mutex);
  known().by_node.erase(&node);
}

device_description real_description(const device_node& node) {
  const std::lock_guard lock(known().mutex);
  const auto [entry, fresh] = known().by_node.try_emplace(&node);
  if (fresh) {
    entry->second = policy::describe(
        node.info(), {node.backend_name(), node.index_in_backend(), node.default_score() < 0});
    if (const auto limit = devices::readings_of(node.info().physical_id).power_limit) {
      entry->second.watts = *limit;
      entry->second.estimated.push_back("watts"); // the most that it may draw
    }
    policy::apply_measured(entry->second, measured_file_of(node));
  }
  return entry->second;
}

} // namespace

std::vector<backend_info> backends() {
  return sycl::detail::guarded([] {
    std::vector<backend_info> out;
    for (const devices::backend_state& s : devices::backends())
      out.push_back({s.name, s.b->type != nullptr ? s.b->type : "", s.display_name, s.version, s.priority,
                     s.available, s.reason, listed(s.b->required_libraries), listed(s.b->optional_libraries),
                     listed(s.b->architectures), s.b->needs_gpu});
    for (const devices::refused_backend& r : devices::refused_backends()) {
      backend_info refused;
      refused.name = refused.display_name = r.name;
      refused.reason = r.reason;
      out.push_back(std::move(refused));
    }
    return out;
  });
}

std::vector<backend_info> find_backends(const std::string& name_or_type) {
  std::vector<backend_info> out;
  for (backend_info& b : backends())
    if (b.name == name_or_type || b.type == name_or_type) out.push_back(std::move(b));
  return out;
}

bool is_available(const std::string& backend) {
  const auto found = find_backends(backend);
  return std::any_of(found.begin(), found.end(), [](const backend_info& b) { return b.available; });
}

void set_backend_priority(const std::string& backend, int priority) {
  sycl::detail::guarded([&] { devices::set_priority(backend, priority); });
}

namespace {

/// Throws if devices are open: they stay with the backend that opened them.
void only_before_devices_are_open(const char* what) {
  if (is_in_use())
    throw error(error_code::invalid,
                std::string(what) + ": the devices are open already; do it before the first use of one");
}

} // namespace

void register_backend(const devices::backend& b) {
  sycl::detail::guarded([&] {
    only_before_devices_are_open("register_backend");
    devices::register_backend(b);
  });
}

void unregister_backend(const std::string& name) {
  sycl::detail::guarded([&] {
    only_before_devices_are_open("unregister_backend");
    devices::unregister_backend(name);
  });
}

device_description describe(const sycl::device& device) {
  const auto& impl = sycl::detail::access_impl::get(device);
  const device_node& node = impl->node();
  device_description real = real_description(node);
  if (impl->origin()) real.physical_id.clear(); // sub-devices of one device share no hardware
  std::optional<device_description> stands_for = runtime_api::description_of(node);
  if (!stands_for) return real;
  stands_for->backend = real.backend;
  stands_for->executes_on = real.executes_on;
  stands_for->physical_id.clear(); // it runs in simulated time
  stands_for->limits.insert(real.limits.begin(),
                            real.limits.end()); // the description's limits take precedence
  stands_for->limits["index"] = real.limits["index"];
  return *stands_for;
}

void keep_measurements(const sycl::device& device, const device_description& measured) {
  const device_node& node = sycl::detail::access_impl::get(device)->node();
  try {
    device_description stored = measured;
    stored.name = node.info().name;
    policy::write_measured(stored, measured_file_of(node));
  } catch (const policy::problem& wrong) {
    throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), wrong.what());
  }
  forget_description(node);
}

void forget_measurements(const sycl::device& device) {
  const device_node& node = sycl::detail::access_impl::get(device)->node();
  std::error_code absent;
  std::filesystem::remove(measured_file_of(node), absent);
  forget_description(node);
}

std::vector<device_description> describe(const std::vector<sycl::device>& devices) {
  std::vector<device_description> out;
  for (const sycl::device& d : devices) out.push_back(describe(d));
  return out;
}

std::vector<device_description> describe_for(const execution_policy& policy,
                                             const std::vector<sycl::device>& devices) {
  std::vector<device_description> out = describe(devices);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].is_lost = sycl::detail::access_impl::get(devices[i])->node().is_lost();
    if (policy.max_temperature) out[i].celsius = readings(devices[i]).celsius;
  }
  return out;
}

device_readings readings(const sycl::device& device) {
  const auto& impl = sycl::detail::access_impl::get(device);
  return sycl::detail::guarded([&] {
    const devices::readings now = devices::readings_of(impl->info().physical_id);
    device_readings out{now.celsius,       now.watts,       now.joules,     now.power_limit, now.least_limit,
                        now.largest_limit, now.fan_percent, now.free_bytes, std::nullopt};
    if (now.throttled) {
      out.throttled.emplace();
      for (const devices::throttle each : *now.throttled) // the same order
        out.throttled->push_back(static_cast<sycl::ext::intel::throttle_reason>(each));
    }
    return out;
  });
}

capabilities::capabilities(const sycl::device& device) : m_description(describe(device)) {}

std::optional<feature_version> capabilities::version_of(const std::string& feature) const {
  return policy::version_of(m_description, feature);
}

bool capabilities::has_feature(const std::string& name, feature_version minimum) const {
  const auto version = version_of(name);
  return version && *version >= minimum;
}

std::optional<double> capabilities::limit(const std::string& name) const {
  return policy::quantity_of(m_description, policy::canonical_feature(name));
}

std::vector<std::string> capabilities::data_types(const std::string& operation) const {
  std::vector<std::string> out;
  if (operation.empty()) {
    for (const auto& [type, rate] : m_description.peak_gflops)
      if (rate > 0) out.push_back(type);
    return out;
  }
  bool known = false;
  for (const feature_description& f : m_description.features)
    for (const operation_description& o : f.operations)
      if (o.name == operation) {
        known = true;
        for (const std::string& t : o.data_types) out.push_back(policy::canonical_data_type(t));
      }
  return known ? out : data_types();
}

bool capabilities::supports(const std::string& data_type) const {
  const auto types = data_types();
  return std::find(types.begin(), types.end(), policy::canonical_data_type(data_type)) != types.end();
}

bool capabilities::meets(const std::string& requirement) const {
  try {
    return policy::meets(m_description, policy::parse_requirement(requirement));
  } catch (const policy::problem& wrong) {
    throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), wrong.what());
  }
}

namespace {

/// The backend of all devices that PRISM_DEVICE_SELECTOR leaves; empty if it is not set or leaves several.
std::string forced_backend() {
  if (support::value_of(support::variables::device_selector).empty()) return "";
  std::string found;
  for (const sycl::device& d : sycl::device::get_devices()) {
    const std::string backend = real_description(sycl::detail::access_impl::get(d)->node()).backend;
    if (!found.empty() && found != backend) return "";
    found = backend;
  }
  return found;
}

} // namespace

host_facts host_info() {
  host_facts facts;
  utsname system{};
  if (uname(&system) == 0) facts.platform = std::string(system.sysname) + " " + system.machine;
  facts.processors = static_cast<std::uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  const devices::host_limits limits = devices::limits_of_this_process();
  facts.processor = limits.processor;
  facts.cores = limits.cores;
  facts.memory_bytes = limits.memory_bytes;
#if defined(__x86_64__)
  facts.avx = __builtin_cpu_supports("avx");
  facts.avx2 = __builtin_cpu_supports("avx2");
  facts.avx512 = __builtin_cpu_supports("avx512f");
#elif defined(__aarch64__)
  facts.neon = true; // part of the architecture
  facts.sve = limits.sve;
#endif
  for (const sycl::device& d : sycl::device::get_devices()) {
    const auto& info = sycl::detail::access_impl::get(d)->info();
    facts.gpu_count += info.type == devices::device_type::gpu && !info.software;
    facts.device_names.push_back(info.name);
  }
  facts.forced_backend = forced_backend();
  return facts;
}

} // namespace prism
