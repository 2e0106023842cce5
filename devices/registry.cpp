#include "devices/registry.hpp"

#include "devices/driver_fault.hpp"
#include "devices/module_loader.hpp"
#include "devices/probe.hpp"
#include "devices/wrap/stack.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <unistd.h>

namespace prism::image {

const char* feature_name(feature f) {
  switch (f) {
    case fp16: return "fp16";
    case fp64: return "fp64";
    case int8: return "int8";
    case int16: return "int16";
    case int64: return "int64";
    case int64_atomics: return "int64_atomics";
    case float_atomic_add: return "float_atomic_add";
    case addresses: return "addresses";
    case memory_model: return "memory_model";
    case sub_groups: return "sub_groups";
    case signed_zero_inf_nan: return "signed_zero_inf_nan";
    case fp16_storage: return "fp16_storage";
    case fused_multiply_add: return "fused_multiply_add";
    case clock_sub_group: return "clock_sub_group";
    case clock_device: return "clock_device";
    case sub_group_arrays: return "sub_group_arrays";
    case cooperative_matrix: return "cooperative_matrix";
  }
  return "unknown feature";
}

} // namespace prism::image

namespace prism::devices {

const backend& host_backend();
const backend& opencl_backend();
const backend& vulkan_backend();
const backend& record_backend();

namespace {

struct entry {
  backend_state state;
  bool probed = false;
  bool registered =
      false; // by the program itself: prism-probe does not know it, so it is probed in this process
  bool built_in = false;
};

struct registry {
  std::mutex mutex;
  bool loaded = false;
  std::vector<entry> entries;
  std::vector<refused_backend> refused;
  std::vector<wrap::wrapper> wrappers;
};

/// Created at first use and never destroyed: backends are used until the very end of the process.
registry& the_registry() {
  static auto* instance = new registry;
  return *instance;
}

std::string add(registry& r, const backend& b, bool registered = false) {
  if (auto reason = mismatch_of(b); !reason.empty()) return reason;
  for (const auto& other : r.entries)
    if (other.state.name == b.name) return "the name is taken by another backend";
  r.entries.push_back({{&b, b.name, b.display_name ? b.display_name : b.name, b.priority, false, "", false,
                        b.own_version ? b.own_version : ""},
                       false,
                       registered});
  return {};
}

void add_built_in([[maybe_unused]] registry& r) {
#if defined(PRISM_HAVE_HOST)
  add(r, host_backend());
#endif
#if defined(PRISM_HAVE_OPENCL)
  add(r, opencl_backend());
#endif
#if defined(PRISM_HAVE_VULKAN)
  add(r, vulkan_backend());
#endif
#if defined(PRISM_HAVE_RECORD)
  if (std::getenv("PRISM_RECORD_DEVICES") != nullptr) // a test device, listed only on request
    add(r, record_backend());
#endif
  for (auto& e : r.entries) e.state.version = PRISM_VERSION, e.built_in = true;
}

/// Ignores unknown names: such a backend may not be built here. Reports a malformed text like a refused
/// module.
void apply_priorities(registry& r) {
  const char* text = std::getenv("PRISM_BACKEND_PRIORITY");
  std::vector<std::pair<std::string, int>> wanted;
  if (const auto wrong = read_priorities(text ? text : "", wanted); !wrong.empty())
    r.refused.push_back({"PRISM_BACKEND_PRIORITY", wrong});
  for (const auto& [name, priority] : wanted)
    for (auto& e : r.entries)
      if (e.state.name == name) e.state.priority = priority;
}

void load(registry& r) {
  if (r.loaded) return;
  r.loaded = true;
  add_built_in(r);
  const char* path = std::getenv("PRISM_BACKEND_PATH");
  for (auto& found : find_modules(path ? path : "")) {
    if (found.b) found.reason = add(r, *found.b);
    if (!found.reason.empty()) r.refused.push_back({found.file, found.reason});
  }
  apply_priorities(r);
  if (const auto wrong = wrong_probe_limit(); !wrong.empty())
    r.refused.push_back({"PRISM_PROBE_TIMEOUT_MS", wrong});
  const char* const probe = std::getenv("PRISM_PROBE");
  if (probe != nullptr && *probe != '\0' && access(probe, X_OK) != 0)
    r.refused.push_back(
        {"PRISM_PROBE", "\"" + std::string(probe) + "\" is no program; drivers are probed in this process"});
}

void probe_all(registry& r) {
  for (auto& e : r.entries) {
    if (e.probed) continue;
    e.probed = true;
    const auto& b = *e.state.b;
    const auto result = b.probe && !e.registered ? probe_backend(b, default_probe_settings())
                                                 : verdict{probe_here(b), false, {}, {}};
    for (const auto& [name, value] : result.environment) setenv(name.c_str(), value.c_str(), 1);
    e.state.available = result.usable;
    e.state.reason = result.reason;
    e.state.broken = result.broken;
  }
}

std::vector<wrap::wrapper> wrappers_in_force() {
  auto& r = the_registry();
  const char* text = std::getenv("PRISM_WRAP");
  std::vector<wrap::wrapper> all;
  try {
    all = wrap::read_wrappers(text ? text : "");
  } catch (const device_error& wrong) {
    throw device_error(wrong.category(), "", std::string("PRISM_WRAP: ") + wrong.what());
  }
  std::lock_guard lock(r.mutex);
  all.insert(all.end(), r.wrappers.begin(), r.wrappers.end());
  return all;
}

const backend* find(registry& r, const std::string& name) {
  for (const auto& e : r.entries)
    if (e.state.name == name) return e.state.b;
  return nullptr;
}

} // namespace

std::string mismatch_of(const backend& b) {
  if (b.struct_size != sizeof(backend))
    return "its backend record has " + std::to_string(b.struct_size) + " bytes, this PRISM expects " +
           std::to_string(sizeof(backend)) + "; rebuild it against this PRISM";
  if (b.version != interface_version)
    return "it implements version " + std::to_string(b.version) +
           " of the device interface, this PRISM has version " + std::to_string(interface_version) +
           "; rebuild it against this PRISM";
  if (b.library == nullptr || std::string_view(b.library) != standard_library)
    return "it was built with the standard library \"" + std::string(b.library ? b.library : "(none)") +
           "\", this PRISM with \"" + standard_library + "\"; rebuild it with the same one";
  if (b.name == nullptr || *b.name == '\0') return "it has no name";
  if (std::string_view(b.name).find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") !=
      std::string_view::npos)
    return "its name \"" + std::string(b.name) + "\" has characters other than a-z, 0-9, _ and -";
  if (b.open == nullptr) return "it has no function to open devices";
  return {};
}

std::vector<backend_state> backends() {
  auto& r = the_registry();
  std::vector<backend_state> states;
  {
    std::lock_guard lock(r.mutex);
    load(r);
    probe_all(r);
    for (const auto& e : r.entries) states.push_back(e.state);
  }
  std::sort(states.begin(), states.end(), [](const backend_state& a, const backend_state& b) {
    return a.priority != b.priority ? a.priority > b.priority : a.name < b.name;
  });
  return states;
}

std::string read_priorities(const std::string& text, std::vector<std::pair<std::string, int>>& into) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string term = text.substr(begin, end - begin);
    const std::size_t equals = term.find('=');
    int value = 0;
    const char* last = term.data() + term.size();
    const bool named = equals != 0 && equals != term.npos;
    const auto read = named ? std::from_chars(term.data() + equals + 1, last, value)
                            : std::from_chars_result{last, std::errc::invalid_argument};
    if (read.ptr != last || read.ec != std::errc())
      return "\"" + term + "\" is not name=number, as in \"opencl=90,host=5\"";
    into.emplace_back(term.substr(0, equals), value);
    begin = end + 1;
  }
  return {};
}

void set_priority(const std::string& name, int priority) {
  auto& r = the_registry();
  std::lock_guard lock(r.mutex);
  load(r);
  for (auto& e : r.entries)
    if (e.state.name == name) {
      e.state.priority = priority;
      return;
    }
  std::string known;
  for (const auto& e : r.entries) known += (known.empty() ? "" : ", ") + e.state.name;
  throw device_error(error_category::invalid, "",
                     "set the priority of backend \"" + name +
                         "\": there is none of that name; there are: " + known);
}

std::vector<refused_backend> refused_backends() {
  auto& r = the_registry();
  std::lock_guard lock(r.mutex);
  load(r);
  return r.refused;
}

std::vector<std::unique_ptr<device>> open_devices(const std::string& name, wrapping around) {
  const backend* b = nullptr;
  std::string known;
  for (const auto& state : backends()) {
    known += (known.empty() ? "" : ", ") + state.name;
    if (state.name != name) continue;
    if (!state.available)
      throw device_error(error_category::unsupported, "",
                         "open the devices of backend \"" + name +
                             "\": it is not available: " + state.reason);
    b = state.b;
  }
  if (b == nullptr)
    throw device_error(error_category::invalid, "",
                       "open the devices of backend \"" + name +
                           "\": there is none of that name; there are: " + known);
  const std::vector<wrap::wrapper> wrappers =
      around == wrapping::in_force ? wrappers_in_force() : std::vector<wrap::wrapper>();
  try {
    const driver_opening marks_libraries(name);
    auto opened = b->open();
    for (auto& device : opened) device = wrap::wrapped(std::move(device), name, wrappers);
    return opened;
  } catch (const device_error&) {
    throw;
  } catch (const std::exception& error) {
    throw device_error(error_category::other, "",
                       "open the devices of backend \"" + name + "\": " + error.what());
  } catch (...) {
    throw device_error(error_category::other, "",
                       "open the devices of backend \"" + name +
                           "\": it threw an exception that is not a std::exception");
  }
}

void set_wrappers(const std::string& text) {
  auto wrappers = wrap::read_wrappers(text);
  auto& r = the_registry();
  std::lock_guard lock(r.mutex);
  r.wrappers = std::move(wrappers);
}

void register_backend(const backend& b) {
  auto& r = the_registry();
  std::lock_guard lock(r.mutex);
  load(r);
  if (const auto reason = add(r, b, true); !reason.empty()) {
    // If the size is wrong, no other member may be read.
    const std::string name = b.struct_size == sizeof(backend) && b.name ? b.name : "(unnamed)";
    r.refused.push_back({name, reason});
    throw device_error(error_category::invalid, "", "register backend \"" + name + "\": " + reason);
  }
}

void unregister_backend(const std::string& name) {
  auto& r = the_registry();
  std::lock_guard lock(r.mutex);
  load(r);
  const auto found =
      std::find_if(r.entries.begin(), r.entries.end(), [&](const entry& e) { return e.state.name == name; });
  const auto refuse = [&](const char* reason) {
    throw device_error(error_category::invalid, "", "unregister backend \"" + name + "\": " + reason);
  };
  if (found == r.entries.end()) refuse("there is none of this name");
  if (found->built_in) refuse("it is a part of PRISM; PRISM_DEVICE_SELECTOR can leave its devices out");
  r.entries.erase(found);
}

probe_result probe_in_process(const std::string& name) {
  auto& r = the_registry();
  const backend* b = nullptr;
  {
    std::lock_guard lock(r.mutex);
    load(r);
    b = find(r, name);
  }
  if (b == nullptr) return {false, "there is no backend of that name", 0};
  return probe_here(*b);
}

} // namespace prism::devices
