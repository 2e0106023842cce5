// enum class aspect and the compile-time aspect traits. PRISM's images run on many devices. Therefore
// any_device_has is true for every aspect that a device of some backend may have, and all_devices_have only
// for the aspects that the runtime provides.
#pragma once

#include <type_traits>

#include <sycl/detail/same.hpp>

namespace sycl {
inline namespace _V1 {

enum class aspect {
  cpu,
  gpu,
  accelerator,
  custom,
  emulated,
  host_debuggable,
  fp16,
  fp64,
  atomic64,
  image,
  online_compiler,
  online_linker,
  queue_profiling,
  usm_device_allocations,
  usm_host_allocations,
  usm_atomic_host_allocations,
  usm_shared_allocations,
  usm_atomic_shared_allocations,
  usm_system_allocations,
  ext_oneapi_device_wait,
  ext_oneapi_clock_sub_group,
  ext_oneapi_clock_work_group,
  ext_oneapi_clock_device,
  ext_oneapi_external_memory_import,
  ext_oneapi_exportable_device_mem,
  ext_oneapi_external_semaphore_import,
  ext_oneapi_graph,
  ext_oneapi_limited_graph
};

template <aspect Aspect>
struct any_device_has
    : std::bool_constant<!detail::same<Aspect, aspect::custom> && !detail::same<Aspect, aspect::emulated>> {};
template <aspect Aspect>
struct all_devices_have
    : std::bool_constant<
          detail::same<Aspect, aspect::image> || detail::same<Aspect, aspect::online_compiler> ||
          detail::same<Aspect, aspect::online_linker> || detail::same<Aspect, aspect::ext_oneapi_graph> ||
          detail::same<Aspect, aspect::ext_oneapi_limited_graph> ||
          detail::same<Aspect, aspect::ext_oneapi_device_wait>> {};
template <aspect Aspect>
inline constexpr bool any_device_has_v = any_device_has<Aspect>::value;
template <aspect Aspect>
inline constexpr bool all_devices_have_v = all_devices_have<Aspect>::value;

}
} // namespace sycl::_V1
