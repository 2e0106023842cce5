// The reserved functions of sycl/detail/kernel_abi.hpp for kernels that run as ordinary C++. Visible to user programs.
// Outside any kernel they describe a single item: id 0, size 1, barriers do nothing.
#include "devices/host/work_item.hpp"

#include "devices/host/group_runner.hpp"
#include "sycl/detail/kernel_abi.hpp"

#include <atomic>

namespace prism::devices::host {
namespace {

constexpr work_item_context alone{};

// initial-exec: one load instead of a call for each query; eight bytes always fit the static block, even after dlopen.
[[gnu::tls_model("initial-exec")]] constinit thread_local const work_item_context* current = &alone;

} // namespace

const work_item_context* exchange_context(const work_item_context* context) noexcept {
  const auto* before = current;
  current = context;
  return before;
}

} // namespace prism::devices::host

using prism::devices::host::current;

#define PRISM_VISIBLE __attribute__((visibility("default")))

extern "C" {

PRISM_VISIBLE std::uint64_t __prism_local_id(std::uint32_t d) noexcept { return current->local_id[d]; }
PRISM_VISIBLE std::uint64_t __prism_group_id(std::uint32_t d) noexcept { return current->group_id[d]; }
PRISM_VISIBLE std::uint64_t __prism_local_size(std::uint32_t d) noexcept { return current->local_size[d]; }
PRISM_VISIBLE std::uint64_t __prism_group_count(std::uint32_t d) noexcept { return current->group_count[d]; }
PRISM_VISIBLE void* __prism_local_arena() noexcept { return current->arena; }

// Not from the context: group algorithms of a group of one ask too, and there is no runner in theirs.
PRISM_VISIBLE void* __prism_group_scratch(std::uint64_t bytes) noexcept {
  return prism::devices::host::group_runner::of_this_thread().scratch(bytes);
}

PRISM_VISIBLE void __prism_barrier(std::uint32_t) noexcept {
  if (auto* runner = current->runner)
    runner->barrier(); // all items of a group are on one thread: reaching it orders memory by itself
}

PRISM_VISIBLE void __prism_fence(std::uint32_t order, std::uint32_t) noexcept {
  switch (order) {
  case 0: break;
  case 1: std::atomic_thread_fence(std::memory_order_acquire); break;
  case 2: std::atomic_thread_fence(std::memory_order_release); break;
  case 3: std::atomic_thread_fence(std::memory_order_acq_rel); break;
  default: std::atomic_thread_fence(std::memory_order_seq_cst); break;
  }
}
}
