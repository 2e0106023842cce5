// What host code compiled with `--check=access` says before it reads or writes memory
// (compiler/host/host_accesses.cpp). May be called from any thread, before main and after it; takes a lock
// only while PRISM_CHECK=access knows commands that use memory near it.
#include "runtime/api/index_faults.hpp"
#include "runtime/engine/engine.hpp"

extern "C" {

/// `bytes` from `memory` on, at `place` of the source; null: in a library, at the user's call of it.
__attribute__((visibility("default"))) void __prism_host_access(const void* memory, std::uint64_t bytes,
                                                                std::uint32_t writes,
                                                                const char* place) noexcept;

void __prism_host_access(const void* memory, std::uint64_t bytes, std::uint32_t writes,
                         const char* place) noexcept {
  const auto begin = reinterpret_cast<std::uint64_t>(memory);
  prism::host_code_uses(
      {begin, begin + bytes, writes != 0, place != nullptr ? place : sycl::detail::current_place()});
}
}
