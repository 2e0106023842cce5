// Which work-item this thread runs, for the reserved functions of sycl/detail/kernel_abi.hpp. Costs one
// thread-local pointer; each query is two loads.
#pragma once

#include "devices/api/image.hpp"

#include <cstdint>
#include <span>

namespace prism::devices::host {

class group_runner;

struct work_item_context {
  std::uint64_t local_id[3] = {0, 0, 0};
  std::uint64_t group_id[3] = {0, 0, 0};
  std::uint64_t local_size[3] = {1, 1, 1};
  std::uint64_t group_count[3] = {1, 1, 1};
  std::uint64_t extent[3] = {1, 1, 1}; // of the whole launch
  std::uint32_t sub_group_size = 1;    // the maximum; the last of a group may be smaller
  bool fixed_order = false;            // of sums over the group
  void* arena = nullptr;
  const void* closure = nullptr;                  // the captured block
  std::span<const image::hidden_argument> hidden; // the hidden arguments in it
  group_runner* runner = nullptr;                 // null: the item is alone and needs no barrier
};

/// What runs on this thread: the work-item, and the end of the stack frames of its kernel.
struct running_item {
  const work_item_context* context;
  const void* frames_end;
};
/// Makes `item` current on this thread and returns the previous one, which the caller restores.
running_item exchange_context(const running_item& item) noexcept;

/// Sets the thread's context and restores it, also if a kernel throws.
class context_scope {
public:
  explicit context_scope(const work_item_context& context) : m_before(exchange_context({&context, this})) {}
  ~context_scope() { exchange_context(m_before); }
  context_scope(const context_scope&) = delete;
  context_scope& operator=(const context_scope&) = delete;

private:
  running_item m_before;
};

} // namespace prism::devices::host
