// A backend: a record with a name, a priority and the functions that probe and open its devices.
// devices/registry.cpp lists the built-in ones. Others are shared libraries that export
// `prism_backend_entry`; the registry refuses a module whose struct size, interface version or standard
// library differs before it calls any C++ of it.
#pragma once

#include "devices/api/device.hpp"

namespace prism::devices {

inline constexpr std::uint32_t interface_version = 21;
#if defined(_LIBCPP_VERSION)
inline constexpr const char* standard_library = "libc++";
#elif defined(_GLIBCXX_USE_CXX11_ABI) && _GLIBCXX_USE_CXX11_ABI
inline constexpr const char* standard_library = "libstdc++-cxx11";
#else
inline constexpr const char* standard_library = "other";
#endif

/// What prism-probe found out, without opening a device for use.
struct probe_result {
  bool usable = false;
  std::string reason; // why not; or a remark
  std::uint32_t device_count = 0;
};

struct backend {
  std::uint32_t struct_size = sizeof(backend);
  std::uint32_t version = interface_version;
  const char* library = standard_library;
  const char* name = nullptr; // "host", "opencl", "vulkan", "record": lower case, unique
  const char* display_name = nullptr;
  const char* type = ""; // the driver interface it uses: "native", "opencl", "vulkan", "remote", ...
  const char* required_libraries = ""; // ","-separated, for display
  const char* optional_libraries = ""; // ","-separated; the backend works without them
  const char* architectures = "";      // ","-separated: "x86_64,aarch64"; empty: any
  const char* own_version = "";        // of the backend itself
  bool needs_gpu = false;
  int priority = 0; // higher is preferred
  /// Runs in a child process, since it may crash or hang if a driver is broken. Null: the backend is always
  /// usable.
  probe_result (*probe)() = nullptr;
  /// Opens all devices in a fixed order. Throws device_error.
  std::vector<std::unique_ptr<device>> (*open)() = nullptr;
};

using backend_entry = const backend* (*)(); // extern "C" const prism::devices::backend* prism_backend_entry()

} // namespace prism::devices
