// sycl_ext_oneapi_properties: lists of properties whose types are known at compile time. A compile-time
// property is a value of property_value<Key, Params...>; a run-time property is its own key. The order of the
// properties does not change a list's type.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <string_view>
#include <type_traits>
#include <utility>

#include <sycl/device_copyable.hpp>

#define SYCL_EXT_ONEAPI_PROPERTIES 1

namespace sycl {
inline namespace _V1 {

namespace ext {
namespace oneapi {
namespace experimental {
template <typename... KeyAndParams>
struct property_value;
template <typename PropertyValues>
class properties;
}
}
} // namespace ext::oneapi::experimental

namespace detail {

template <typename... Values>
struct property_types {};

template <typename Value>
struct property_key_of {
  using type = Value;
  static constexpr bool at_run_time = true;
};
template <typename Key, typename... Params>
struct property_key_of<ext::oneapi::experimental::property_value<Key, Params...>> {
  using type = Key;
  static constexpr bool at_run_time = false;
};

template <typename Value>
constexpr std::string_view property_name() {
  return __PRETTY_FUNCTION__;
}

// Sorts the types by name, by inserting one after the other.
template <typename Left, typename Value, typename Right>
struct insert_property;
template <typename... Left, typename Value>
struct insert_property<property_types<Left...>, Value, property_types<>> {
  using type = property_types<Left..., Value>;
};
template <typename... Left, typename Value, typename Next, typename... Right>
struct insert_property<property_types<Left...>, Value, property_types<Next, Right...>> {
  static_assert(!std::is_same_v<typename property_key_of<Value>::type, typename property_key_of<Next>::type>,
                "a property is in the list twice");
  static auto where() {
    if constexpr (property_name<Value>() < property_name<Next>())
      return property_types<Left..., Value, Next, Right...>();
    else
      return typename insert_property<property_types<Left..., Next>, Value, property_types<Right...>>::type();
  }
  using type = decltype(where());
};
template <typename Sorted, typename... Values>
struct sort_properties {
  using type = Sorted;
};
template <typename Sorted, typename First, typename... Rest>
struct sort_properties<Sorted, First, Rest...>
    : sort_properties<typename insert_property<property_types<>, First, Sorted>::type, Rest...> {};

template <typename T, typename... Others>
inline constexpr bool is_one_of = (std::is_same_v<T, Others> || ...);

template <typename Value, bool AtRunTime = property_key_of<Value>::at_run_time>
struct held_property {
  explicit constexpr held_property(Value) {}
};
template <typename Value>
struct held_property<Value, true> {
  explicit constexpr held_property(Value given) : value(std::move(given)) {}
  Value value;
};

/// Returns the given property of that type, else a default-constructed one.
template <typename Value>
constexpr Value pick_property() {
  return Value{};
}
template <typename Value, typename First, typename... Rest>
constexpr Value pick_property(const First& first, const Rest&... rest) {
  if constexpr (std::is_same_v<Value, First>) return first;
  else return pick_property<Value>(rest...);
}

template <typename Key>
constexpr void find_property() {}
template <typename Key, typename First, typename... Rest>
constexpr auto find_property() {
  if constexpr (!property_key_of<First>::at_run_time &&
                std::is_same_v<typename property_key_of<First>::type, Key>)
    return First{};
  else return find_property<Key, Rest...>();
}

template <typename... Params>
struct property_parameter {};
template <typename Param, typename = void>
struct one_property_parameter {
  using value_t = Param;
};
template <typename Param>
struct one_property_parameter<Param, std::void_t<decltype(Param::value)>> {
  using value_t = Param;
  static constexpr auto value = Param::value;
};
template <typename Param>
struct property_parameter<Param> : one_property_parameter<Param> {};

} // namespace detail

namespace ext {
namespace oneapi {
namespace experimental {

/// Has value_t if there is one parameter, and value if that parameter represents a value.
template <typename Key, typename... Params>
struct property_value<Key, Params...> : sycl::detail::property_parameter<Params...> {
  using key_t = Key;
};

template <typename Key, typename... A, typename... B>
constexpr bool operator==(property_value<Key, A...>, property_value<Key, B...>) {
  return std::is_same_v<property_value<Key, A...>, property_value<Key, B...>>;
}
template <typename Key, typename... A, typename... B>
constexpr bool operator!=(property_value<Key, A...> lhs, property_value<Key, B...> rhs) {
  return !(lhs == rhs);
}

// Specialised for each property key.
template <typename Key>
struct is_property_key : std::false_type {};
template <typename Key, typename Object>
struct is_property_key_of : std::false_type {};
template <typename Value, typename Object>
struct is_property_value_of : is_property_key_of<Value, Object> {};
template <typename Key, typename Object, typename... Params>
struct is_property_value_of<property_value<Key, Params...>, Object> : is_property_key_of<Key, Object> {};

template <typename... Values>
class properties<sycl::detail::property_types<Values...>> : private sycl::detail::held_property<Values>... {
public:
  /// Takes properties in any order. Properties that are left out are default-constructed.
  template <typename... Given>
  constexpr properties([[maybe_unused]] Given... given)
      : sycl::detail::held_property<Values>(sycl::detail::pick_property<Values>(given...))... {
    static_assert((sycl::detail::is_one_of<Given, Values...> && ...), "a property that is not of this list");
  }

  template <typename Key>
  static constexpr bool has_property() {
    return (std::is_same_v<typename sycl::detail::property_key_of<Values>::type, Key> || ...);
  }
  // Only if the list has the property. For a compile-time property no object is needed, for a run-time
  // property it is.
  template <typename Key, typename Found = decltype(sycl::detail::find_property<Key, Values...>()),
            std::enable_if_t<!std::is_void_v<Found>, int> = 0>
  static constexpr Found get_property() {
    return Found{};
  }
  template <typename Property, std::enable_if_t<sycl::detail::is_one_of<Property, Values...>, int> = 0>
  constexpr Property get_property() const {
    return static_cast<const sycl::detail::held_property<Property>&>(*this).value;
  }
};
template <typename... Values>
properties(Values...)
    -> properties<typename sycl::detail::sort_properties<sycl::detail::property_types<>, Values...>::type>;

using empty_properties_t = decltype(properties{});

template <typename T>
struct is_property_list : std::false_type {};
template <typename Values>
struct is_property_list<properties<Values>> : std::true_type {};
template <typename T>
inline constexpr bool is_property_list_v = is_property_list<T>::value;

}
}
} // namespace ext::oneapi::experimental

template <typename... Values>
struct is_device_copyable<ext::oneapi::experimental::properties<detail::property_types<Values...>>>
    : std::bool_constant<(is_device_copyable_v<Values> && ...)> {};

}
} // namespace sycl::_V1

#include <sycl/detail/user_macros_restore.hpp>
