// A part of sycl_ext_oneapi_kernel_properties: kernel attributes as compile-time properties. A member
// get(properties_tag) of the kernel's class returns them, or they are an argument of the launch.
// SYCL_EXT_ONEAPI_FUNCTION_PROPERTY does not take them, so the extension's macro is not defined.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

#include <sycl/aspects.hpp>
#include <sycl/detail/kernel_abi.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>

namespace sycl {
inline namespace _V1 {

namespace ext {
namespace oneapi {
namespace experimental {

struct properties_tag {};

struct work_group_size_key {
  template <std::size_t... Sizes>
  using value_t = property_value<work_group_size_key, std::integral_constant<std::size_t, Sizes>...>;
};
struct work_group_size_hint_key {
  template <std::size_t... Sizes>
  using value_t = property_value<work_group_size_hint_key, std::integral_constant<std::size_t, Sizes>...>;
};
struct sub_group_size_key {
  template <std::uint32_t Size>
  using value_t = property_value<sub_group_size_key, std::integral_constant<std::uint32_t, Size>>;
};
/// Of sycl_ext_oneapi_root_group: the kernel synchronises all of its work-items.
struct use_root_sync_key {
  using value_t = property_value<use_root_sync_key>;
};
struct device_has_key {
  template <aspect... Aspects>
  using value_t = property_value<device_has_key, std::integral_constant<aspect, Aspects>...>;
};

template <std::size_t... Sizes>
struct property_value<work_group_size_key, std::integral_constant<std::size_t, Sizes>...> {
  using key_t = work_group_size_key;
  constexpr std::size_t operator[](int dimension) const {
    return std::array<std::size_t, sizeof...(Sizes)>{Sizes...}[dimension];
  }
};
template <std::size_t... Sizes>
struct property_value<work_group_size_hint_key, std::integral_constant<std::size_t, Sizes>...> {
  using key_t = work_group_size_hint_key;
  constexpr std::size_t operator[](int dimension) const {
    return std::array<std::size_t, sizeof...(Sizes)>{Sizes...}[dimension];
  }
};
template <aspect... Aspects>
struct property_value<device_has_key, std::integral_constant<aspect, Aspects>...> {
  using key_t = device_has_key;
  static constexpr std::array<aspect, sizeof...(Aspects)> value{Aspects...};
};

template <std::size_t... Sizes>
inline constexpr work_group_size_key::value_t<Sizes...> work_group_size;
template <std::size_t... Sizes>
inline constexpr work_group_size_hint_key::value_t<Sizes...> work_group_size_hint;
template <std::uint32_t Size>
inline constexpr sub_group_size_key::value_t<Size> sub_group_size;
template <aspect... Aspects>
inline constexpr device_has_key::value_t<Aspects...> device_has;
inline constexpr use_root_sync_key::value_t use_root_sync;

template <>
struct is_property_key<work_group_size_key> : std::true_type {};
template <>
struct is_property_key<work_group_size_hint_key> : std::true_type {};
template <>
struct is_property_key<sub_group_size_key> : std::true_type {};
template <>
struct is_property_key<device_has_key> : std::true_type {};
template <>
struct is_property_key<use_root_sync_key> : std::true_type {};

template <typename>
struct has_compile_time_kernel_effect : std::false_type {};
template <std::size_t... Sizes>
struct has_compile_time_kernel_effect<work_group_size_key::value_t<Sizes...>> : std::true_type {};
template <std::size_t... Sizes>
struct has_compile_time_kernel_effect<work_group_size_hint_key::value_t<Sizes...>> : std::true_type {};
template <std::uint32_t Size>
struct has_compile_time_kernel_effect<sub_group_size_key::value_t<Size>> : std::true_type {};
template <aspect... Aspects>
struct has_compile_time_kernel_effect<device_has_key::value_t<Aspects...>> : std::true_type {};
template <>
struct has_compile_time_kernel_effect<use_root_sync_key::value_t> : std::true_type {};
template <typename Property>
static constexpr bool has_compile_time_kernel_effect_v = has_compile_time_kernel_effect<Property>::value;

}
}
} // namespace ext::oneapi::experimental

namespace detail {

/// A kernel that is launched with a list of properties.
template <typename F, typename Properties>
struct kernel_with_properties : F {
  explicit kernel_with_properties(const F& kernel) : F(kernel) {}
};

/// Applies a property to the kernel that calls it; other properties have no effect. `Dimensions`: of the
/// launch; 0 if PRISM chooses the work-group size.
template <int Dimensions, typename Value>
struct kernel_property {
  static void apply() noexcept {}
};
template <int Dimensions, std::size_t... Sizes>
struct kernel_property<Dimensions, ext::oneapi::experimental::work_group_size_key::value_t<Sizes...>> {
  static_assert(Dimensions == sizeof...(Sizes),
                "the property work_group_size needs one size for each of the launch's dimensions (and a "
                "range with reductions cannot have it: PRISM chooses its groups)");
  static void apply() noexcept { __prism_reqd_work_group_size(Sizes...); }
};
template <int Dimensions, std::uint32_t Size>
struct kernel_property<Dimensions, ext::oneapi::experimental::sub_group_size_key::value_t<Size>> {
  static void apply() noexcept { __prism_reqd_sub_group_size(Size); }
};
template <int Dimensions, aspect... Aspects>
struct kernel_property<Dimensions, ext::oneapi::experimental::device_has_key::value_t<Aspects...>> {
  static void apply() noexcept { (__prism_device_has(static_cast<int>(Aspects)), ...); }
};

template <int Dimensions, typename Properties>
struct kernel_property_list;
template <int Dimensions, typename... Values>
struct kernel_property_list<Dimensions, ext::oneapi::experimental::properties<property_types<Values...>>> {
  static void apply() noexcept { (kernel_property<Dimensions, Values>::apply(), ...); }
  static constexpr bool synchronises_all =
      is_one_of<ext::oneapi::experimental::use_root_sync_key::value_t, Values...>;
  static constexpr bool is_known_when_compiling =
      (ext::oneapi::experimental::has_compile_time_kernel_effect_v<Values> || ...);
};

template <typename F, typename = void>
struct embedded_kernel_properties {
  static constexpr bool synchronises_all = false;
  template <int Dimensions>
  static void apply() noexcept {}
};
template <typename F>
struct embedded_kernel_properties<
    F, std::void_t<decltype(std::declval<F&>().get(ext::oneapi::experimental::properties_tag()))>> {
  template <int Dimensions>
  using list = kernel_property_list<Dimensions, std::decay_t<decltype(std::declval<F&>().get(
                                                    ext::oneapi::experimental::properties_tag()))>>;
  static constexpr bool synchronises_all = list<0>::synchronises_all;
  template <int Dimensions>
  static void apply() noexcept {
    list<Dimensions>::apply();
  }
};
template <typename F, typename Properties>
struct embedded_kernel_properties<kernel_with_properties<F, Properties>, void> {
  static constexpr bool synchronises_all = embedded_kernel_properties<F>::synchronises_all ||
                                           kernel_property_list<0, Properties>::synchronises_all;
  template <int Dimensions>
  static void apply() noexcept {
    embedded_kernel_properties<F>::template apply<Dimensions>();
    kernel_property_list<Dimensions, Properties>::apply();
  }
};

/// Called at the start of a kernel: applies the functor's properties as attributes of the kernel.
template <typename F, int Dimensions>
inline void apply_kernel_properties() noexcept {
  embedded_kernel_properties<F>::template apply<Dimensions>();
}

} // namespace detail

template <typename F, typename Properties>
struct is_device_copyable<detail::kernel_with_properties<F, Properties>> : is_device_copyable<F> {};

}
} // namespace sycl::_V1

#include <sycl/detail/user_macros_restore.hpp>
