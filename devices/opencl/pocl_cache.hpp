// PoCL's cache folder. PoCL writes every program into it before it builds it, so without a folder, or on a
// full disk, it has no devices or builds nothing, and does not say why. Reads the environment and the file
// system.
#pragma once

#include <string>

namespace prism::devices::opencl {

/// What a user can do if PoCL has no cache folder.
inline constexpr char pocl_needs_a_cache[] =
    "PoCL needs a cache folder that it can write: POCL_CACHE_DIR, else "
    "in XDG_CACHE_HOME or HOME";

/// Why PoCL may have failed to build a program: its cache folder's disk is full. Empty if that is not so.
std::string full_pocl_cache();

/// Lives while PoCL builds a program. If PoCL calls exit() in that time, as LLVM does on a full disk, one
/// line on standard error reports it.
class pocl_building {
public:
  pocl_building();
  ~pocl_building();
  pocl_building(const pocl_building&) = delete;
  pocl_building& operator=(const pocl_building&) = delete;
};

} // namespace prism::devices::opencl
