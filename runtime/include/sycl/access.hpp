// Access modes, targets and deduction tags (SYCL 2020, "Access modes", "Deduction tags"), including the names
// of SYCL 1.2.1.
#pragma once

#include <sycl/access_spaces.hpp>
#include <sycl/detail/same.hpp>

#include <type_traits>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace sycl {
inline namespace _V1 {

enum class access_mode : int {
  read = 1024,
  write,
  read_write,
  discard_write [[deprecated("use write with sycl::no_init")]],
  discard_read_write [[deprecated("use read_write with sycl::no_init")]],
  atomic [[deprecated("use sycl::atomic_ref")]]
};

enum class target : int {
  device = 2014,
  host_task,
  constant_buffer [[deprecated("use target::device")]],
  local [[deprecated("use sycl::local_accessor")]],
  host_buffer [[deprecated("use sycl::host_accessor")]],
  image [[deprecated("use sycl::unsampled_image_accessor")]],
  host_image [[deprecated("use sycl::host_unsampled_image_accessor")]],
  image_array [[deprecated("use sycl::unsampled_image_accessor")]],
  global_buffer [[deprecated("use target::device")]] = device
};

namespace access {
using target [[deprecated("use sycl::target")]] = sycl::target;
using mode [[deprecated("use sycl::access_mode")]] = sycl::access_mode;
enum class placeholder : int {
  false_t [[deprecated("it has no effect: leave it out")]],
  true_t [[deprecated("it has no effect: leave it out")]]
};

} // namespace access

template <access_mode Mode>
struct mode_tag_t {
  explicit mode_tag_t() = default;
};
template <access_mode Mode, target Target>
struct mode_target_tag_t {
  explicit mode_target_tag_t() = default;
};

inline constexpr mode_tag_t<access_mode::read> read_only{};
inline constexpr mode_tag_t<access_mode::read_write> read_write{};
inline constexpr mode_tag_t<access_mode::write> write_only{};
inline constexpr mode_target_tag_t<access_mode::read, target::host_task> read_only_host_task{};
inline constexpr mode_target_tag_t<access_mode::read_write, target::host_task> read_write_host_task{};
inline constexpr mode_target_tag_t<access_mode::write, target::host_task> write_only_host_task{};
[[deprecated("use sycl::read_only")]]
inline constexpr mode_target_tag_t<access_mode::read, target::constant_buffer> read_constant{};

namespace detail {

template <typename DataT>
inline constexpr access_mode default_access_mode =
    std::is_const_v<DataT> ? access_mode::read : access_mode::read_write;

template <access_mode Mode>
inline constexpr bool is_atomic_mode = detail::same<Mode, access_mode::atomic>;

template <sycl::target Target>
inline constexpr bool is_buffer_target =
    detail::same<Target, sycl::target::device> || detail::same<Target, sycl::target::host_task> ||
    detail::same<Target, sycl::target::constant_buffer>;

// Deprecated enumerators, for use without warnings.
inline constexpr sycl::target host_buffer_target = sycl::target::host_buffer;
inline constexpr access::placeholder no_placeholder = access::placeholder::false_t;
template <sycl::target Target>
inline constexpr bool is_constant_target = detail::same<Target, sycl::target::constant_buffer>;

// The mode and target of a deduction tag.
template <typename Tag>
struct tag_traits {
  static constexpr bool is_tag = false;
};
template <access_mode Mode>
struct tag_traits<mode_tag_t<Mode>> {
  static constexpr bool is_tag = true;
  static constexpr access_mode mode = Mode;
  static constexpr sycl::target place = sycl::target::device;
};
template <access_mode Mode, sycl::target Target>
struct tag_traits<mode_target_tag_t<Mode, Target>> {
  static constexpr bool is_tag = true;
  static constexpr access_mode mode = Mode;
  static constexpr sycl::target place = Target;
};

} // namespace detail

}
} // namespace sycl::_V1

#pragma GCC diagnostic pop
