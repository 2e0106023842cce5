// Devices, policies and scopes of prism.h.
#include "bindings/c/objects.hpp"

#include <prism/devices.hpp>
#include <prism/scope.hpp>

#include <atomic>

namespace prism::c_interface {
namespace {

thread_local std::vector<std::unique_ptr<scoped_device>> scopes;
std::atomic<int> open_scopes{0};

std::string device_text(const sycl::device& device, const std::string& what) {
  namespace info = sycl::info::device;
  if (what == "name") return device.get_info<info::name>();
  if (what == "vendor") return device.get_info<info::vendor>();
  if (what == "version") return device.get_info<info::version>();
  if (what == "driver") return device.get_info<info::driver_version>();
  if (what == "backend") return describe(device).backend;
  if (what == "type") return describe(device).device_type;
  throw failure(PRISM_NOT_FOUND,
                "a device has no text \"" + what + "\"; it has name, vendor, version, driver, backend, type");
}

/// The names of the limits that the device reports, for a message.
std::string limits_of(const capabilities& device) {
  std::string out;
  for (const char* name : {"memory", "compute_units", "bandwidth_gbps", "launch_latency_us", "transfer_gbps",
                           "price_per_hour", "watts"})
    if (device.limit(name)) out += std::string(out.empty() ? "" : ", ") + name;
  for (const auto& [name, value] : device.description().limits) out += ", " + name;
  return out;
}

/// Bodies that look for a device: a device that does not exist is PRISM_NOT_FOUND.
template <typename Body>
auto finding(const Body& body) {
  try {
    return body();
  } catch (const no_candidate& e) {
    throw failure(PRISM_NOT_FOUND, e.what());
  } catch (const sycl::exception& e) {
    if (e.code() == sycl::errc::runtime) throw failure(PRISM_NOT_FOUND, e.what());
    throw;
  }
}

} // namespace

sycl::device device_of(const prism_device* device) {
  if (device == nullptr) return finding([] { return sycl::device(sycl::default_selector_v); });
  return find<device_object>(device, "device")->device;
}

} // namespace prism::c_interface

using namespace prism::c_interface;

extern "C" {

prism_status prism_devices(prism_device** devices, size_t capacity, size_t* count, prism_error** error) {
  return guarded("prism_devices", error, [&] {
    required(count, "count");
    if (capacity != 0) required(devices, "devices");
    const std::vector<sycl::device> found = sycl::device::get_devices();
    for (std::size_t i = 0; i < capacity && i < found.size(); ++i)
      store(&devices[i], std::make_shared<device_object>(found[i]));
    *count = found.size();
  });
}

prism_status prism_device_select(const char* name, prism_device** device, prism_error** error) {
  return guarded("prism_device_select", error, [&] {
    required(device, "device");
    const sycl::device found =
        name == nullptr ? device_of(nullptr) : finding([&] { return prism::by_name(name).device(); });
    store(device, std::make_shared<device_object>(found));
  });
}

prism_status prism_device_by_policy(const char* policy, prism_device** device, prism_error** error) {
  return guarded("prism_device_by_policy", error, [&] {
    required(policy, "policy"), required(device, "device");
    store(device, std::make_shared<device_object>(
                      finding([&] { return prism::selector(prism::parse_policy(policy)).device(); })));
  });
}

prism_status prism_explain_policy(const char* policy, char* text, size_t capacity, size_t* needed,
                                  prism_error** error) {
  return guarded("prism_explain_policy", error, [&] {
    required(policy, "policy");
    give_text(prism::explain(prism::parse_policy(policy), prism::typical_workload(),
                             prism::describe(sycl::device::get_devices())),
              text, capacity, needed);
  });
}

prism_status prism_device_text(const prism_device* device, const char* what, char* text, size_t capacity,
                               size_t* needed, prism_error** error) {
  return guarded("prism_device_text", error, [&] {
    required(what, "what");
    give_text(device_text(device_of(device), what), text, capacity, needed);
  });
}

prism_status prism_device_number(const prism_device* device, const char* what, double* value,
                                 prism_error** error) {
  return guarded("prism_device_number", error, [&] {
    required(what, "what"), required(value, "value");
    const prism::capabilities known(device_of(device));
    const std::optional<double> found = known.limit(what);
    if (!found)
      throw failure(PRISM_NOT_FOUND, known.description().name + " reports no limit \"" + what +
                                         "\"; it reports " + limits_of(known));
    *value = *found;
  });
}

prism_status prism_device_has(const prism_device* device, const char* feature, int32_t* has,
                              prism_error** error) {
  return guarded("prism_device_has", error, [&] {
    required(feature, "feature"), required(has, "has");
    *has = prism::capabilities(device_of(device)).has_feature(feature) ? 1 : 0;
  });
}

prism_status prism_backends(char* text, size_t capacity, size_t* needed, prism_error** error) {
  return guarded("prism_backends", error, [&] {
    std::string out;
    for (const prism::backend_info& b : prism::backends())
      out += b.name + "\t" + (b.available ? "available\t" + b.version : "missing\t" + b.reason) + "\n";
    give_text(out, text, capacity, needed);
  });
}

prism_status prism_scope_begin(const prism_device* device, prism_error** error) {
  return guarded("prism_scope_begin", error, [&] {
    scopes.push_back(std::make_unique<prism::scoped_device>(find<device_object>(device, "device")->device));
    ++open_scopes;
  });
}

prism_status prism_scope_end(prism_error** error) {
  return guarded("prism_scope_end", error, [&] {
    if (scopes.empty())
      throw open_scopes != 0
          ? failure(PRISM_WRONG_THREAD, "this thread has no open scope, but another thread has one; "
                                        "the thread that began a scope ends it")
          : failure(PRISM_INVALID, "no scope is open; call prism_scope_begin before");
    scopes.pop_back();
    --open_scopes;
  });
}

prism_status prism_default_set(const prism_device* device, prism_error** error) {
  return guarded("prism_default_set", error, [&] {
    if (device == nullptr) prism::clear_default();
    else prism::set_default(find<device_object>(device, "device")->device);
  });
}
}
