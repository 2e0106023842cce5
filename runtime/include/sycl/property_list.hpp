// property_list, the property traits, and the standard properties that hold no SYCL object. A property is
// found by the address of a tag of its type. An empty list allocates no memory. Copies share the properties.
#pragma once

#include <sycl/exception.hpp>

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace sycl {
inline namespace _V1 {

template <typename Property>
struct is_property : std::false_type {};
template <typename Property>
inline constexpr bool is_property_v = is_property<Property>::value;
template <typename Property, typename SyclObject>
struct is_property_of : std::false_type {};
template <typename Property, typename SyclObject>
inline constexpr bool is_property_of_v = is_property_of<Property, SyclObject>::value;

namespace detail {
template <typename Property>
struct property_tag {
  inline static const char value = 0;
};
} // namespace detail

class property_list {
public:
  property_list() = default;
  template <typename... Properties,
            std::enable_if_t<(sizeof...(Properties) > 0) && (is_property_v<std::decay_t<Properties>> && ...),
                             int> = 0>
  property_list(Properties... properties) {
    m_entries.reserve(sizeof...(Properties));
    (m_entries.push_back(
         {&detail::property_tag<Properties>::value, std::make_shared<Properties>(properties)}),
     ...);
  }

  template <typename Property>
  bool has_property() const noexcept {
    return find(&detail::property_tag<Property>::value) != nullptr;
  }
  template <typename Property>
  Property get_property() const {
    const void* found = find(&detail::property_tag<Property>::value);
    if (!found) {
      detail::throw_error(errc::invalid,
                          "get_property: the object was made without this property; call has_property first");
    }
    return *static_cast<const Property*>(found);
  }

private:
  struct entry {
    const char* tag;
    std::shared_ptr<void> value;
  };
  const void* find(const char* tag) const noexcept {
    for (const entry& e : m_entries) {
      if (e.tag == tag) return e.value.get();
    }
    return nullptr;
  }
  std::vector<entry> m_entries;
};

namespace detail {
/// Implements has_property and get_property for a class with a member `prism_properties()`.
template <typename Derived>
class property_holder {
public:
  template <typename Property>
  bool has_property() const noexcept {
    return static_cast<const Derived*>(this)->prism_properties().template has_property<Property>();
  }
  template <typename Property>
  Property get_property() const {
    return static_cast<const Derived*>(this)->prism_properties().template get_property<Property>();
  }
};
} // namespace detail

namespace property {
namespace queue {
class enable_profiling {};
class in_order {};
} // namespace queue
struct no_init {};
} // namespace property
inline constexpr property::no_init no_init;
namespace property {
using noinit [[deprecated("use sycl::property::no_init")]] = no_init;
}
[[deprecated("use sycl::no_init")]] inline constexpr property::no_init noinit;

// discard_events: the queue's events cannot be waited for and have no state
// (sycl_ext_oneapi_discard_queue_events). The others are hints that do not change results.
namespace ext {
namespace oneapi {
namespace property {
namespace queue {
class discard_events {};
class priority_low {};
class priority_normal {};
class priority_high {};
}
}
}
} // namespace ext::oneapi::property::queue

class queue;

template <>
struct is_property<property::queue::enable_profiling> : std::true_type {};
template <>
struct is_property<property::queue::in_order> : std::true_type {};
template <>
struct is_property<property::no_init> : std::true_type {};
#define PRISM_QUEUE_PROPERTY(name)                                                                           \
  template <>                                                                                                \
  struct is_property<ext::oneapi::property::queue::name> : std::true_type {};                                \
  template <>                                                                                                \
  struct is_property_of<ext::oneapi::property::queue::name, queue> : std::true_type {};
PRISM_QUEUE_PROPERTY(discard_events)
PRISM_QUEUE_PROPERTY(priority_low)
PRISM_QUEUE_PROPERTY(priority_normal)
PRISM_QUEUE_PROPERTY(priority_high)
#undef PRISM_QUEUE_PROPERTY
template <>
struct is_property_of<property::queue::enable_profiling, queue> : std::true_type {};
template <>
struct is_property_of<property::queue::in_order, queue> : std::true_type {};

}
} // namespace sycl::_V1
