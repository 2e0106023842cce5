// Descriptions of devices, decisions over them, backends and the host of prism.h.
#include "bindings/c/descriptions.hpp"

#include <prism/devices.hpp>
#include <prism/scope.hpp>

#include <deque>

namespace prism::c_interface {
namespace {

std::string joined(const std::vector<std::string>& all) {
  std::string out;
  for (const std::string& each : all) out += each + "\n";
  return out;
}

std::string backend_text(const backend_info& b, const std::string& what) {
  if (what == "type") return b.type;
  if (what == "display_name") return b.display_name;
  if (what == "version") return b.version;
  if (what == "priority") return std::to_string(b.priority);
  if (what == "available") return b.available ? "1" : "0";
  if (what == "reason") return b.reason;
  if (what == "needs_gpu") return b.needs_gpu ? "1" : "0";
  if (what == "required_libraries") return joined(b.required_libraries);
  if (what == "optional_libraries") return joined(b.optional_libraries);
  if (what == "architectures") return joined(b.architectures);
  throw failure(PRISM_NOT_FOUND,
                "a backend has no text \"" + what +
                    "\"; it has type, display_name, version, priority, available, reason, needs_gpu, "
                    "required_libraries, optional_libraries, architectures");
}

std::string host_text(const host_facts& host, const std::string& what) {
  const auto flag = [](bool value) { return std::string(value ? "1" : "0"); };
  if (what == "platform") return host.platform;
  if (what == "processor") return host.processor;
  if (what == "cores") return std::to_string(host.cores);
  if (what == "processors") return std::to_string(host.processors);
  if (what == "memory_bytes") return std::to_string(host.memory_bytes);
  if (what == "avx") return flag(host.avx);
  if (what == "avx2") return flag(host.avx2);
  if (what == "avx512") return flag(host.avx512);
  if (what == "neon") return flag(host.neon);
  if (what == "sve") return flag(host.sve);
  if (what == "gpu_count") return std::to_string(host.gpu_count);
  if (what == "device_names") return joined(host.device_names);
  if (what == "forced_backend") return host.forced_backend;
  throw failure(PRISM_NOT_FOUND, "the host has no text \"" + what +
                                     "\"; it has platform, processor, cores, processors, memory_bytes, avx, "
                                     "avx2, avx512, neon, sve, gpu_count, device_names, forced_backend");
}

/// The devices of a text. Keeps the last texts, because a program decides often and describes rarely: reading
/// one takes a millisecond.
std::vector<device_description> parsed(const char* given, const char* name) {
  using entry = std::pair<std::string, std::vector<device_description>>;
  static auto& kept = *new std::deque<entry>; // never destroyed: calls may come while the process ends
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  for (const entry& each : kept)
    if (each.first == given) return each.second;
  std::vector<device_description> out = parse_devices(given, name);
  if (kept.size() == 16) kept.pop_front();
  kept.emplace_back(given, out);
  return out;
}

} // namespace

workload workload_of(const prism_workload* given, const char* name) {
  if (given == nullptr) return typical_workload();
  required(given, name);
  if (given->struct_size < sizeof(prism_workload))
    throw failure(PRISM_INVALID, std::string(name) + " has a struct_size of " +
                                     std::to_string(given->struct_size) +
                                     "; set it to sizeof(prism_workload)");
  if (given->access < 0 || given->access > PRISM_ACCESS_RANDOM)
    throw failure(PRISM_INVALID, std::string(name) + " has the access " + std::to_string(given->access) +
                                     ", which is no PRISM_ACCESS_*");
  workload out;
  if (given->operation != nullptr) out.operation = given->operation;
  if (given->data_type != nullptr) out.data_type = given->data_type;
  if (given->data_on != nullptr) out.data_on = given->data_on;
  out.flops = given->flops, out.bytes = given->bytes, out.bytes_to_move = given->bytes_to_move;
  out.items = given->items, out.footprint_bytes = given->footprint_bytes;
  out.access = static_cast<access_pattern>(given->access);
  out.divergence = given->divergence, out.builds = given->builds;
  return out;
}

std::vector<device_description> descriptions_of(const char* given) {
  return given == nullptr ? describe(sycl::device::get_devices()) : parsed(given, "descriptions");
}

device_description description_of(const char* given, const char* name) {
  std::vector<device_description> all = parsed(required(given, name), name);
  if (all.size() != 1)
    throw failure(PRISM_INVALID, std::string(name) + " has " + std::to_string(all.size()) +
                                     " devices; this function takes one");
  return std::move(all.front());
}

} // namespace prism::c_interface

using namespace prism::c_interface;

extern "C" {

prism_status prism_describe(const prism_device* device, char* text, size_t capacity, size_t* needed,
                            prism_error** error) {
  return guarded("prism_describe", error, [&] {
    give_text(prism::to_json(device == nullptr ? descriptions_of(nullptr)
                                               : std::vector{prism::describe(device_of(device))}),
              text, capacity, needed);
  });
}

prism_status prism_descriptions_read(const char* descriptions, char* text, size_t capacity, size_t* needed,
                                     prism_error** error) {
  return guarded("prism_descriptions_read", error, [&] {
    give_text(prism::to_json(descriptions_of(required(descriptions, "descriptions"))), text, capacity,
              needed);
  });
}

prism_status prism_description_meets(const char* description, const char* requirement, int32_t* meets,
                                     prism_error** error) {
  return guarded("prism_description_meets", error, [&] {
    required(requirement, "requirement"), required(meets, "meets");
    *meets = prism::capabilities(description_of(description, "description")).meets(requirement) ? 1 : 0;
  });
}

prism_status prism_decide(const char* policy, const prism_workload* work, const char* descriptions,
                          const char* form, char* text, size_t capacity, size_t* needed,
                          prism_error** error) {
  return guarded("prism_decide", error, [&] {
    const std::string wanted = required(form, "form");
    if (wanted != "table" && wanted != "json")
      throw failure(PRISM_NOT_FOUND, "a decision has no form \"" + wanted + "\"; it has table, json");
    const prism::execution_policy parsed = prism::parse_policy(required(policy, "policy"));
    const prism::workload job = workload_of(work, "work");
    const std::vector<prism::device_description> devices = descriptions_of(descriptions);
    give_text(wanted == "json" ? prism::explain_json(parsed, job, devices)
                               : prism::explain(parsed, job, devices),
              text, capacity, needed);
  });
}

prism_status prism_backend_text(const char* backend, const char* what, char* text, size_t capacity,
                                size_t* needed, prism_error** error) {
  return guarded("prism_backend_text", error, [&] {
    required(backend, "backend"), required(what, "what");
    std::string names;
    for (const prism::backend_info& b : prism::backends()) {
      if (b.name == backend) return give_text(backend_text(b, what), text, capacity, needed);
      names += (names.empty() ? "" : ", ") + b.name;
    }
    throw failure(PRISM_NOT_FOUND,
                  std::string("there is no backend \"") + backend + "\"; there are " + names);
  });
}

prism_status prism_backend_set_priority(const char* backend, int32_t priority, prism_error** error) {
  return guarded("prism_backend_set_priority", error,
                 [&] { prism::set_backend_priority(required(backend, "backend"), priority); });
}

prism_status prism_host_text(const char* what, char* text, size_t capacity, size_t* needed,
                             prism_error** error) {
  return guarded("prism_host_text", error, [&] {
    give_text(host_text(prism::host_info(), required(what, "what")), text, capacity, needed);
  });
}
}
