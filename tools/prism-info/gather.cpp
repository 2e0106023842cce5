// The child opens one backend and prints its devices; the parent collects. See gather.hpp.
#include "tools/prism-info/gather.hpp"

#include "devices/api/private_folder.hpp"
#include "devices/readings.hpp"
#include "devices/registry.hpp"
#include "extras/policy/describe.hpp"
#include "extras/policy/description_file.hpp"
#include "extras/policy/measured.hpp"
#include "extras/policy/simulated.hpp"
#include "runtime/select/selector.hpp"
#include "tools/prism-info/child.hpp"
#include "tools/prism-info/driver_facts.hpp"

#include <fmt/format.h>

namespace prism::info {
namespace {

/// The description that policies use, in the schema of docs/describing-devices.md: with the device's
/// measurements, or the one that a described device simulates.
json description(const devices::device& device, const std::string& backend, std::size_t index) {
  const devices::capabilities& c = device.info();
  const bool by_name_only =
      select::default_score({backend, index, c.platform_name, c.name, c.type, c.software}, 0) < 0;
  device_description d = policy::describe(c, {backend, index, by_name_only});
  policy::apply_measured(d, policy::measured_file(user_cache_folder(), backend, c.name, c.driver_version));
  if (auto stands_for = policy::simulated_description(device)) {
    stands_for->backend = d.backend;
    stands_for->executes_on = d.executes_on;
    stands_for->limits.insert(d.limits.begin(), d.limits.end());
    d = std::move(*stands_for);
  }
  return json::parse(policy::write_json({d}))["devices"][0];
}

/// How many values of a type the device computes at once; 0: it has no such type.
json vector_widths(const devices::capabilities& c) {
  constexpr const char* types[] = {"char", "short", "int", "long", "float", "double", "half"};
  json widths = json::object();
  for (std::size_t i = 0; i < std::size(types); ++i) widths[types[i]] = c.vector_widths_native[i];
  return widths;
}

json driver_facts(const std::string& backend, const devices::device& device) {
#if PRISM_HAVE_OPENCL
  if (backend == "opencl") return opencl_facts(device);
#endif
#if PRISM_HAVE_VULKAN
  if (backend == "vulkan") return vulkan_facts(device);
#endif
  (void)device;
  (void)backend;
  return json::object();
}

json sensors(const std::string& physical_id) {
  const devices::readings now = devices::readings_of(physical_id);
  json out = json::object();
  const auto add = [&](const char* name, const auto& value) {
    if (value) out[name] = *value;
  };
  add("celsius", now.celsius);
  add("watts", now.watts);
  add("joules", now.joules);
  add("power_limit_watts", now.power_limit);
  add("fan_percent", now.fan_percent);
  add("free_memory_bytes", now.free_bytes);
  if (now.throttled) out["throttled"] = !now.throttled->empty();
  return out;
}

json describe(const devices::capabilities& c, std::size_t index) {
  json features = json::array();
  for (unsigned bit = 0; bit < 64; ++bit)
    if (c.features >> bit & 1)
      features.push_back(image::feature_name(image::feature(std::uint64_t(1) << bit)));
  return {
      {"index", index},
      {"name", c.name},
      {"vendor", c.vendor},
      {"vendor_id", c.vendor_id},
      {"type", select::type_name(c.type)},
      {"software", c.software},
      {"physical_id", c.physical_id},
      {"platform",
       {{"name", c.platform_name}, {"vendor", c.platform_vendor}, {"version", c.platform_version}}},
      {"version", c.version},
      {"driver_version", c.driver_version},
      {"cache_line_bytes", c.cache_line},
      {"native_vector_widths", vector_widths(c)},
      {"compute_units", c.compute_units},
      {"max_clock_mhz", c.max_clock_mhz},
      {"global_memory_bytes", c.global_memory},
      {"max_allocation_bytes", c.max_allocation},
      {"local_memory_bytes", c.local_memory},
      {"max_group_size", c.max_group_size},
      {"max_local_size", c.max_local_size},
      {"sub_group_sizes", c.sub_group_sizes},
      {"features", features},
      {"usm",
       {{"device", c.usm_device}, {"host", c.usm_host}, {"shared", c.usm_shared}, {"system", c.usm_system}}},
      {"adopts_host_memory", c.adopt_host_memory},
      {"profiling", c.profiling},
      {"architecture", c.architecture},
      {"sensors", sensors(c.physical_id)},
      {"extensions", c.extensions}};
}

} // namespace

std::string uuid_text(const unsigned char* bytes) {
  std::string text;
  for (int i = 0; i < 16; ++i)
    text += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
  return text;
}

void gather_child(const std::string& backend) {
  std::string text;
  int status = 0;
  try {
    json devices = json::array();
    auto opened = devices::open_devices(backend);
    for (std::size_t i = 0; i < opened.size(); ++i) {
      devices.push_back(describe(opened[i]->info(), i));
      devices.back()["driver"] = driver_facts(backend, *opened[i]);
      devices.back()["description"] = description(*opened[i], backend, i);
    }
    text = devices.dump(-1, ' ', false, json::error_handler_t::replace);
    for (auto& d : opened)
      d.release(); // no destructor runs, so a driver that crashes at shutdown does not spoil the report
  } catch (const std::exception& e) {
    text = e.what();
    status = 1;
  }
  end_child(text, status);
}

json gather(std::chrono::seconds limit) {
  json report{{"schema", "prism-info"}, {"schema_version", schema_version}, {"prism_version", PRISM_VERSION}};
  report["backends"] = json::array();
  for (const devices::backend_state& state : devices::backends()) {
    if (state.name == "record") continue; // a device for tests
    const auto text = [](const char* of_the_module) { return of_the_module != nullptr ? of_the_module : ""; };
    json entry{{"name", state.name},
               {"display_name", state.display_name},
               {"priority", state.priority},
               {"version", state.version},
               {"type", text(state.b->type)},
               {"required_libraries", text(state.b->required_libraries)},
               {"optional_libraries", text(state.b->optional_libraries)},
               {"architectures", text(state.b->architectures)},
               {"needs_gpu", state.b->needs_gpu}};
    json found = json::array();
    std::string status = "usable", reason = state.reason;
    if (!state.available) {
      // A crash or a hang is a broken driver; a missing library is an absent one.
      status = state.broken ? "broken" : "absent";
    } else {
      const child_output out = run_child("--gather", state.name, "opening its devices", limit);
      found = out.fault.empty() ? json::parse(out.text, nullptr, false) : json::array();
      if (!out.fault.empty() || found.is_discarded()) {
        status = "broken";
        reason = out.fault.empty() ? "its description is not valid JSON" : out.fault;
        found = json::array();
      } else if (found.empty()) {
        status = "absent";
        if (reason.empty()) reason = "no device";
      }
    }
    entry["status"] = status;
    entry["reason"] = reason;
    entry["broken_driver"] = state.broken;
    entry["devices"] = found;
    report["backends"].push_back(entry);
  }
  report["refused"] = json::array();
  for (const auto& r : devices::refused_backends())
    report["refused"].push_back({{"name", r.name}, {"reason", r.reason}});
  return report;
}

} // namespace prism::info
