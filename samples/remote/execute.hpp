// Runs one dispatch: distributes chunks of work-groups over all cores.
#pragma once

#include "devices/api/host_group.hpp"

#include <cstdint>
#include <span>

namespace remote {

struct dispatch {
  prism::image::host_group_function function = nullptr;
  std::uint64_t groups[3] = {1, 1, 1}, first[3] = {0, 0, 0}, local[3] = {1, 1, 1};
  std::uint64_t counts[3] = {1, 1, 1};            // the group counts that the kernel sees
  std::uint64_t local_bytes = 0, spill_bytes = 0; // of a group
  std::uint64_t exact = 0;                        // prism::image::group_context::exact
  std::span<const std::byte> arguments;
};

/// False if not all work-items of a group reached the same barrier.
bool execute(const dispatch& what);

} // namespace remote
