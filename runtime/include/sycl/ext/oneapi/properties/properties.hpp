// Lists of properties known when compiling, as the extensions of oneAPI take them (sycl_ext_oneapi_properties): what
// device_global needs of it. A property is a value of a type that names its key as key_t.
#pragma once

#include <type_traits>

namespace sycl { inline namespace _V1 { namespace ext { namespace oneapi { namespace experimental {

/// The value of a key with compile-time parameters.
template <typename Key, typename... Params>
struct property_value {
  using key_t = Key;
  friend constexpr bool operator==(const property_value&, const property_value&) { return true; }
};
template <typename Key, typename Param>
struct property_value<Key, Param> {
  using key_t = Key;
  using value_t = Param;
  static constexpr auto value = Param::value;
  friend constexpr bool operator==(const property_value&, const property_value&) { return true; }
};

template <typename... Values>
class properties {
public:
  constexpr properties(Values...) {}

  template <typename Key>
  static constexpr bool has_property() {
    return (std::is_same_v<typename Values::key_t, Key> || ...);
  }
  /// Only where the list has one of that key.
  template <typename Key>
  static constexpr auto get_property() {
    static_assert(has_property<Key>(), "the list has no property of this key");
    return find<Key, Values...>();
  }

private:
  template <typename Key, typename First, typename... Rest>
  static constexpr auto find() {
    if constexpr (std::is_same_v<typename First::key_t, Key>) return First{};
    else return find<Key, Rest...>();
  }
};
template <>
class properties<> {
public:
  template <typename Key>
  static constexpr bool has_property() {
    return false;
  }
};
template <typename... Values>
properties(Values...) -> properties<Values...>;

using empty_properties_t = properties<>;

}}}}} // namespace sycl::_V1::ext::oneapi::experimental
