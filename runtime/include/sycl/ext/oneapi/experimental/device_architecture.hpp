// The extension sycl_ext_oneapi_device_architecture, for host code: info::device::architecture and
// device::ext_oneapi_architecture_is. PRISM has none of its queries in device code (if_architecture_is),
// because one image runs on many devices; so its feature test macro is not defined.
//
// Numbers are made of the family and of what drivers report: an Intel GPU's IP version, an NVIDIA GPU's
// compute capability, the number in an AMD GPU's name. In a family, newer architectures mostly have larger
// ones.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/info.hpp>

#include <cstdint>

namespace sycl {
inline namespace _V1 {

namespace detail {
enum class architecture_family : std::uint64_t { unknown, cpu, intel_gpu, nvidia_gpu, amd_gpu };

constexpr std::uint64_t architecture_number(architecture_family family, std::uint32_t number) noexcept {
  return static_cast<std::uint64_t>(family) << 32 | number;
}
/// As CL_DEVICE_IP_VERSION_INTEL packs it.
constexpr std::uint64_t intel_gpu(std::uint32_t major, std::uint32_t minor, std::uint32_t revision) noexcept {
  return architecture_number(architecture_family::intel_gpu, major << 22 | minor << 14 | revision);
}
/// `capability`: 90 for compute capability 9.0. `variant`: the letter of 9.0a.
constexpr std::uint64_t nvidia_gpu(std::uint32_t capability, bool variant = false) noexcept {
  return architecture_number(architecture_family::nvidia_gpu, capability << 4 | variant);
}
/// `gfx`: the digits of the name, hexadecimal.
constexpr std::uint64_t amd_gpu(std::uint32_t gfx) noexcept {
  return architecture_number(architecture_family::amd_gpu, gfx);
}
} // namespace detail

namespace ext {
namespace oneapi {
namespace experimental {

enum class architecture : std::uint64_t {
#define PRISM_ARCHITECTURE(name, number) name = sycl::detail::number,
#define PRISM_ARCHITECTURE_ALIAS(name, other) name = other,
#include <sycl/detail/architecture_table.hpp>
#undef PRISM_ARCHITECTURE
#undef PRISM_ARCHITECTURE_ALIAS
};

enum class arch_category { intel_gpu, nvidia_gpu, amd_gpu };

namespace info {
namespace device {
/// architecture::unknown if the driver does not report it.
struct architecture {
  using return_type = experimental::architecture;
};
}
} // namespace info::device

}
}
} // namespace ext::oneapi::experimental

namespace detail {
template <>
struct device_descriptor<ext::oneapi::experimental::info::device::architecture> {
  using return_type = ext::oneapi::experimental::architecture;
};
} // namespace detail

}
} // namespace sycl::_V1

#include <sycl/detail/user_macros_restore.hpp>
