// The registry: which backends there are, in which order, and why one is missing. Built-in backends come
// first, then modules found on PRISM_BACKEND_PATH, then those that the program registered.
//
// Guarantees: thread-safe. No exception of a backend escapes; its text is stored as the reason. Drivers are
// probed in a child process, so one that crashes or hangs does no harm: the registry then limits the loader
// to the other drivers by environment variables, which it sets in this process. Costs: the first call of
// backends() probes; after the first start on a machine that is one read of a small file (see probe.hpp). A
// module is code, so folders and files that other users can write to are refused.
#pragma once

#include "devices/api/backend.hpp"

namespace prism::devices {

struct backend_state {
  const backend* b = nullptr;
  std::string name, display_name;
  int priority = 0;
  bool available = false;
  std::string reason;  // why it is not available; else a remark, often empty
  bool broken = false; // one of its drivers crashed or hung when probed; if available, it uses the others
  std::string version; // the module's own; PRISM's for a built-in one
};

/// A module or backend that was refused: a file or backend name, and the reason.
struct refused_backend {
  std::string name, reason;
};

/// All backends, highest priority first; those of equal priority by name. The first call loads and probes.
std::vector<backend_state> backends();

/// What was refused, in the order of discovery.
std::vector<refused_backend> refused_backends();

/// Which wrappers to put around opened devices: those of PRISM_WRAP and set_wrappers, or none.
enum class wrapping { in_force, none };
/// Opens all devices of a backend. Throws device_error{invalid} for an unknown name. For every failure of the
/// driver throws device_error with the backend's name and the reason.
std::vector<std::unique_ptr<device>> open_devices(const std::string& name,
                                                  wrapping around = wrapping::in_force);

/// Adds a backend of this process; `b` must live until it is unregistered or the process ends. Throws
/// device_error{invalid} if it does not match this interface or its name is taken.
void register_backend(const backend& b);
/// Removes a backend that was registered or came from a module (whose code stays loaded); its name can be
/// used again. Throws device_error{invalid} for an unknown name and for a built-in backend.
void unregister_backend(const std::string& name);

/// Parses priorities ("opencl=90,host=5"); returns the reason if `text` is malformed. Pure.
std::string read_priorities(const std::string& text, std::vector<std::pair<std::string, int>>& into);
/// Sets a priority from now on, in place of the backend's own; overrides PRISM_BACKEND_PRIORITY.
void set_priority(const std::string& name, int priority);

/// Wrappers for every device opened from now on, outside of those of PRISM_WRAP; wrap/stack.hpp describes the
/// text. Throws device_error{invalid}.
void set_wrappers(const std::string& text);

/// Runs the probe of a backend in this process, as prism-probe does. Turns exceptions into reasons.
probe_result probe_in_process(const std::string& name);

/// Why `b` does not match this interface; empty if it does. Reads struct_size and version before anything
/// else.
std::string mismatch_of(const backend& b);

} // namespace prism::devices
