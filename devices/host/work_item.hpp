// Which work-item this thread runs, for the reserved functions of sycl/detail/kernel_abi.hpp. Costs one thread-local
// pointer; each query is two loads.
#pragma once

#include <cstdint>

namespace prism::devices::host {

class group_runner;

struct work_item_context {
  std::uint64_t local_id[3] = {0, 0, 0};
  std::uint64_t group_id[3] = {0, 0, 0};
  std::uint64_t local_size[3] = {1, 1, 1};
  std::uint64_t group_count[3] = {1, 1, 1};
  void* arena = nullptr;
  group_runner* runner = nullptr; // null: no barrier needed, the item is alone
};

/// Makes `context` this thread's current one and returns the one before, to be restored.
const work_item_context* exchange_context(const work_item_context* context) noexcept;

} // namespace prism::devices::host
