// Memory orders and scopes (SYCL 2020, "Memory ordering", "Memory scope"), and atomic_fence. The numeric
// values are those of detail/kernel_abi.hpp.
#pragma once

#include <sycl/detail/kernel_abi.hpp>

namespace sycl {
inline namespace _V1 {

enum class memory_order : int { relaxed = 0, acquire = 1, release = 2, acq_rel = 3, seq_cst = 4 };
inline constexpr auto memory_order_relaxed = memory_order::relaxed;
inline constexpr auto memory_order_acquire = memory_order::acquire;
inline constexpr auto memory_order_release = memory_order::release;
inline constexpr auto memory_order_acq_rel = memory_order::acq_rel;
inline constexpr auto memory_order_seq_cst = memory_order::seq_cst;

enum class memory_scope : int { work_item = 0, sub_group = 1, work_group = 2, device = 3, system = 4 };
inline constexpr auto memory_scope_work_item = memory_scope::work_item;
inline constexpr auto memory_scope_sub_group = memory_scope::sub_group;
inline constexpr auto memory_scope_work_group = memory_scope::work_group;
inline constexpr auto memory_scope_device = memory_scope::device;
inline constexpr auto memory_scope_system = memory_scope::system;

/// Orders accesses to global and local memory. memory_order::relaxed has no effect. An order that is not a
/// compile-time constant becomes the strongest order of the device.
inline void atomic_fence(memory_order order, memory_scope scope) noexcept {
  if (order != memory_order::relaxed) {
    __prism_fence(static_cast<std::uint32_t>(order), static_cast<std::uint32_t>(scope));
  }
}

}
} // namespace sycl::_V1
