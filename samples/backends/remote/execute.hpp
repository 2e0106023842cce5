// Runs one dispatch: work-groups in pieces over all cores.
#pragma once

#include "devices/api/host_group.hpp"

#include <cstdint>
#include <span>

namespace remote {

struct dispatch {
  prism::image::host_group_function function = nullptr;
  std::uint64_t groups[3] = {1, 1, 1}, local[3] = {1, 1, 1};
  std::uint64_t local_bytes = 0, kept_bytes = 0; // of a group
  std::span<const std::byte> arguments;
};

/// False when work-items of a group did not agree on a barrier.
bool execute(const dispatch& what);

} // namespace remote
