// The function that host code compiled with `--check=access` calls before it reads or writes memory
// (compiler/host/host_accesses.cpp). Thread-safe; may be called before main and after it. It takes a lock
// only while PRISM_CHECK=access has commands that use memory nearby.
#include "runtime/api/index_faults.hpp"
#include "runtime/engine/engine.hpp"

extern "C" {

/// Reports an access to `bytes` bytes at `memory`, at source location `place`. Null: the access is in a
/// library, at the location of the user's call.
__attribute__((visibility("default"))) void __prism_host_access(const void* memory, std::uint64_t bytes,
                                                                std::uint32_t writes,
                                                                const char* place) noexcept;

void __prism_host_access(const void* memory, std::uint64_t bytes, std::uint32_t writes,
                         const char* place) noexcept {
  const auto begin = reinterpret_cast<std::uint64_t>(memory);
  prism::host_code_uses(
      {begin, begin + bytes, writes != 0, place != nullptr ? place : sycl::detail::current_location()});
}
}
