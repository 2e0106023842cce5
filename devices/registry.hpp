// The registry: which backends there are, in which order, and why one is missing. Built-in ones come first,
// then modules found on PRISM_BACKEND_PATH, then what a program registered itself.
//
// Guarantees: thread-safe; no exception of a backend passes (a reason is kept instead); a driver that crashes
// or hangs while it is probed does so in a child process; the loader is then limited to the other drivers by
// its environment variables, which this process sets. Costs: the first call of backends() probes, which after
// the first start on a machine is one read of a small file (see probe.hpp). A module is code: folders and
// files that other users can write to are refused.
#pragma once

#include "devices/api/backend.hpp"

namespace prism::devices {

struct backend_state {
  const backend* b = nullptr;
  std::string name, display_name;
  int priority = 0;
  bool available = false;
  std::string reason; // why it is not available; else a remark, often empty
  bool broken =
      false; // a driver of it crashed or hung when it was probed; available: it goes on with the others
  std::string version; // the module's own; of those built into PRISM, PRISM's
};

/// A module or backend that was not taken: a file or backend name, and why.
struct refused_backend {
  std::string name, reason;
};

/// All backends, highest priority first; equal ones by name. The first call loads and probes.
std::vector<backend_state> backends();

/// What was refused, in the order in which it was found.
std::vector<refused_backend> refused_backends();

/// Around the devices that are opened: what PRISM_WRAP and set_wrappers say, or none.
enum class wrapping { in_force, none };
/// Opens all devices of a backend. Never throws what a driver throws unnamed: device_error{invalid} for an
/// unknown name, else device_error with the backend's name and its reason.
std::vector<std::unique_ptr<device>> open_devices(const std::string& name,
                                                  wrapping around = wrapping::in_force);

/// Adds a backend of this process; `b` must live until it is unregistered or the process ends. Throws
/// device_error{invalid} when it does not fit this interface or its name is taken.
void register_backend(const backend& b);
/// Takes out what was registered, or came from a module, whose code stays loaded; its name is free then.
/// Throws device_error{invalid} for another name and for what is built in.
void unregister_backend(const std::string& name);

/// Whether `text` ("opencl=90,host=5") names priorities; the reason when not. Pure.
std::string read_priorities(const std::string& text, std::vector<std::pair<std::string, int>>& into);
/// From now on this priority instead of the backend's own; stronger than PRISM_BACKEND_PRIORITY.
void set_priority(const std::string& name, int priority);

/// Wrappers around every device opened from now on, outside of those of PRISM_WRAP; the text is that of
/// wrap/stack.hpp. Throws device_error{invalid}.
void set_wrappers(const std::string& text);

/// Runs the probe of a backend in this process: what prism-probe does. Exceptions become reasons.
probe_result probe_in_process(const std::string& name);

/// Why `b` does not fit this interface, empty when it does. Reads struct_size and version before anything
/// else.
std::string mismatch_of(const backend& b);

} // namespace prism::devices
