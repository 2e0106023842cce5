// enum class aspect and the compile-time aspect traits. PRISM's images run on many devices. Therefore
// any_device_has is true for every aspect that a device of some backend may have, also on request, and
// all_devices_have only for the aspects that the runtime provides.
#pragma once

#include <type_traits>

#include <sycl/detail/same.hpp>

namespace sycl {
inline namespace _V1 {

enum class aspect {
#define __SYCL_ASPECT(name, number) name = number,
#include <sycl/info/aspects.def>
#undef __SYCL_ASPECT
};

template <aspect Aspect>
        struct any_device_has : std::bool_constant < !detail::same<Aspect, aspect::custom> &&
    !detail::same<Aspect, aspect::emulated> &&
    Aspect<aspect::ext_intel_gpu_eu_count> {}; // the last ones are an Intel GPU's units
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
