// Where the elements of a group's private arrays lie in the sequence that they form: the properties of
// sycl_ext_oneapi_group_sort and sycl_ext_oneapi_group_load_store.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <cstddef>
#include <cstdint>

#include <sycl/ext/oneapi/properties/properties.hpp>

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {
namespace experimental {

/// blocked: element k of work-item i is number i * elements + k; striped: number k * work-items + i.
enum class group_algorithm_data_placement { blocked, striped };
using data_placement_enum = group_algorithm_data_placement;

#define PRISM_PLACEMENT_PROPERTY(name)                                                                       \
  struct name##_key {                                                                                        \
    template <group_algorithm_data_placement Placement>                                                      \
    using value_t =                                                                                          \
        property_value<name##_key, std::integral_constant<group_algorithm_data_placement, Placement>>;       \
  };                                                                                                         \
  template <group_algorithm_data_placement Placement>                                                        \
  inline constexpr name##_key::value_t<Placement> name;                                                      \
  template <>                                                                                                \
  struct is_property_key<name##_key> : std::true_type {}
PRISM_PLACEMENT_PROPERTY(input_data_placement);
PRISM_PLACEMENT_PROPERTY(output_data_placement);
PRISM_PLACEMENT_PROPERTY(data_placement);
#undef PRISM_PLACEMENT_PROPERTY

inline constexpr data_placement_key::value_t<group_algorithm_data_placement::blocked> data_placement_blocked;
inline constexpr data_placement_key::value_t<group_algorithm_data_placement::striped> data_placement_striped;

namespace detail {
/// Whether the properties ask for the striped placement by this key; blocked without the property.
template <typename Key, typename Properties>
constexpr bool is_striped() {
  if constexpr (Properties::template has_property<Key>())
    return Properties::template get_property<Key>() ==
           typename Key::template value_t<group_algorithm_data_placement::striped>();
  else return false;
}
/// The number of a private element in the group's sequence.
template <bool Striped>
constexpr std::size_t place_of(std::size_t item, std::size_t k, std::size_t items, std::size_t elements) {
  return Striped ? k * items + item : item * elements + k;
}
} // namespace detail

}
}
}
}
} // namespace sycl::_V1::ext::oneapi::experimental

#include <sycl/detail/user_macros_restore.hpp>
