// is_device_copyable (SYCL 2020, "Device copyable"): the types that a kernel may capture. Programs may
// specialise it.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sycl {
inline namespace _V1 {

template <typename T, std::size_t Extent>
class span;

template <typename T>
struct is_device_copyable;

namespace detail {
/// Detects std::variant by its members, because including <variant> would add 1 % to the compile time of
/// sycl.hpp.
template <typename T, typename = void>
struct is_copyable_variant : std::false_type {};
template <template <typename...> class Variant, typename... Ts>
struct is_copyable_variant<
    Variant<Ts...>, std::enable_if_t<std::is_same_v<
                        decltype(std::declval<const Variant<Ts...>&>().valueless_by_exception()), bool>>>
    : std::bool_constant<(is_device_copyable<Ts>::value && ...)> {};
} // namespace detail

template <typename T>
struct is_device_copyable
    : std::bool_constant<std::is_trivially_copyable_v<T> || detail::is_copyable_variant<T>::value> {};
template <typename T>
struct is_device_copyable<const T> : is_device_copyable<T> {};
template <typename T>
struct is_device_copyable<volatile T> : is_device_copyable<T> {};
template <typename T>
struct is_device_copyable<const volatile T> : is_device_copyable<T> {};
template <typename T, std::size_t N>
struct is_device_copyable<T[N]> : is_device_copyable<T> {};
template <typename T, std::size_t N>
struct is_device_copyable<const T[N]> : is_device_copyable<T> {};
template <typename T, std::size_t N>
struct is_device_copyable<volatile T[N]> : is_device_copyable<T> {};
template <typename T, std::size_t N>
struct is_device_copyable<const volatile T[N]> : is_device_copyable<T> {};
template <typename T, std::size_t N>
struct is_device_copyable<std::array<T, N>> : is_device_copyable<T> {};
template <typename T>
struct is_device_copyable<std::optional<T>> : is_device_copyable<T> {};
template <typename T1, typename T2>
struct is_device_copyable<std::pair<T1, T2>>
    : std::bool_constant<is_device_copyable<T1>::value && is_device_copyable<T2>::value> {};
template <typename... Ts>
struct is_device_copyable<std::tuple<Ts...>> : std::bool_constant<(is_device_copyable<Ts>::value && ...)> {};
template <typename C, typename Traits>
struct is_device_copyable<std::basic_string_view<C, Traits>> : std::true_type {};
template <typename T, std::size_t Extent>
struct is_device_copyable<span<T, Extent>> : std::true_type {};

template <typename T>
inline constexpr bool is_device_copyable_v = is_device_copyable<T>::value;

}
} // namespace sycl::_V1
