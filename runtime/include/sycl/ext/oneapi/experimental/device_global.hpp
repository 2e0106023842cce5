// sycl_ext_oneapi_device_global: variables of the program with one instance on each device. Kernels name the
// object and use its value; the host copies from and to it (queue::copy, queue::memcpy). Commands that use
// the same object on the same device are ordered by it, as by a buffer.
//
// The object's first bytes are its initial value, because compiler and runtime know it by its address.
// Kernels must name the object itself, at namespace scope or as a static member; the compiler rejects a
// kernel that accesses it through a pointer. In PRISM a device image has one kernel and a device has one
// instance, so device_image_scope has no effect.
#pragma once

#include <sycl/ext/oneapi/properties/properties.hpp>
#include <sycl/queue.hpp>

#define SYCL_EXT_ONEAPI_DEVICE_GLOBAL 1

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {
namespace experimental {

struct device_image_scope_key {
  using value_t = property_value<device_image_scope_key>;
};
inline constexpr device_image_scope_key::value_t device_image_scope;

enum class host_access_enum { read, write, read_write, none };
struct host_access_key {
  template <host_access_enum Access>
  using value_t = property_value<host_access_key, std::integral_constant<host_access_enum, Access>>;
};
template <host_access_enum Access>
inline constexpr host_access_key::value_t<Access> host_access;
inline constexpr host_access_key::value_t<host_access_enum::read> host_access_read;
inline constexpr host_access_key::value_t<host_access_enum::write> host_access_write;
inline constexpr host_access_key::value_t<host_access_enum::read_write> host_access_read_write;
inline constexpr host_access_key::value_t<host_access_enum::none> host_access_none;

enum class init_mode_enum { reprogram, reset };
struct init_mode_key {
  template <init_mode_enum Mode>
  using value_t = property_value<init_mode_key, std::integral_constant<init_mode_enum, Mode>>;
};
template <init_mode_enum Mode>
inline constexpr init_mode_key::value_t<Mode> init_mode;
inline constexpr init_mode_key::value_t<init_mode_enum::reprogram> init_mode_reprogram;
inline constexpr init_mode_key::value_t<init_mode_enum::reset> init_mode_reset;

struct implement_in_csr_key {
  template <bool Enable>
  using value_t = property_value<implement_in_csr_key, std::bool_constant<Enable>>;
};
template <bool Enable>
inline constexpr implement_in_csr_key::value_t<Enable> implement_in_csr;
inline constexpr implement_in_csr_key::value_t<true> implement_in_csr_on;
inline constexpr implement_in_csr_key::value_t<false> implement_in_csr_off;

template <typename T, typename PropertyListT>
class device_global;
template <typename T>
inline constexpr bool is_device_global = false;
template <typename T, typename P>
inline constexpr bool is_device_global<device_global<T, P>> = true;

template <>
struct is_property_key<device_image_scope_key> : std::true_type {};
template <>
struct is_property_key<host_access_key> : std::true_type {};
template <>
struct is_property_key<init_mode_key> : std::true_type {};
template <>
struct is_property_key<implement_in_csr_key> : std::true_type {};
template <typename T, typename P>
struct is_property_key_of<device_image_scope_key, device_global<T, P>> : std::true_type {};
template <typename T, typename P>
struct is_property_key_of<host_access_key, device_global<T, P>> : std::true_type {};
template <typename T, typename P>
struct is_property_key_of<init_mode_key, device_global<T, P>> : std::true_type {};
template <typename T, typename P>
struct is_property_key_of<implement_in_csr_key, device_global<T, P>> : std::true_type {};

template <typename T, typename PropertyListT = empty_properties_t>
class device_global {
  static_assert(std::is_trivially_destructible_v<T>, "a device_global's type is trivially destructible");
  static_assert(is_device_copyable_v<std::remove_all_extents_t<T>>,
                "a device_global's type is device-copyable");

public:
  using element_type = std::remove_extent_t<T>;

  constexpr device_global() = default;
  template <typename First, typename... Rest,
            std::enable_if_t<sizeof...(Rest) != 0 || !is_device_global<std::decay_t<First>>, int> = 0>
  explicit constexpr device_global(First&& first, Rest&&... rest)
      : m_initial{{std::forward<First>(first), std::forward<Rest>(rest)...}} {}
  /// Copies the initial value. Not for objects with device_image_scope.
  constexpr device_global(const device_global& other) : m_initial(other.m_initial) {
    static_assert(!PropertyListT::template has_property<device_image_scope_key>(),
                  "a device_global of an image's scope is not copied");
  }
  template <typename OtherT, typename OtherProps,
            std::enable_if_t<std::is_convertible_v<OtherT, T> &&
                                 !PropertyListT::template has_property<device_image_scope_key>(),
                             int> = 0>
  constexpr device_global(const device_global<OtherT, OtherProps>& other)
      : m_initial{static_cast<T>(other.m_initial.value)} {}
  device_global(device_global&&) = delete;
  device_global& operator=(const device_global&) = delete;
  device_global& operator=(device_global&&) = delete;

  // ---- in kernels

  template <access::decorated IsDecorated>
  multi_ptr<T, access::address_space::global_space, IsDecorated> get_multi_ptr() noexcept {
    return address_space_cast<access::address_space::global_space, IsDecorated>(place());
  }
  template <access::decorated IsDecorated>
  multi_ptr<const T, access::address_space::global_space, IsDecorated> get_multi_ptr() const noexcept {
    return address_space_cast<access::address_space::global_space, IsDecorated>(
        static_cast<const T*>(place()));
  }
  T& get() noexcept { return *place(); }
  const T& get() const noexcept { return *place(); }
  operator T&() noexcept { return *place(); }
  operator const T&() const noexcept { return *place(); }
  device_global& operator=(const T& value) noexcept {
    *place() = value;
    return *this;
  }
  template <typename Value = T>
  std::remove_reference_t<decltype(std::declval<Value&>()[std::declval<std::ptrdiff_t>()])>&
  operator[](std::ptrdiff_t index) noexcept {
    return (*place())[index];
  }
  template <typename Value = T>
  const std::remove_reference_t<decltype(std::declval<Value&>()[std::declval<std::ptrdiff_t>()])>&
  operator[](std::ptrdiff_t index) const noexcept {
    return (*place())[index];
  }
  /// For a pointer, accesses its target; for a class, calls the class's operator->.
  T& operator->() noexcept {
    static_assert(std::is_pointer_v<T> || std::is_class_v<T>,
                  "operator-> is for pointers and classes that have one");
    return *place();
  }
  const T& operator->() const noexcept {
    static_assert(std::is_pointer_v<T> || std::is_class_v<T>,
                  "operator-> is for pointers and classes that have one");
    return *place();
  }

  template <typename Key>
  static constexpr bool has_property() {
    return PropertyListT::template has_property<Key>();
  }
  template <typename Key>
  static constexpr auto get_property() {
    return PropertyListT::template get_property<Key>();
  }

private:
  T* place() const noexcept { return static_cast<T*>(__prism_device_global(this, sizeof(T))); }

  template <typename, typename>
  friend class device_global;
  struct initial {
    T value; // arrays too are copied as members
  };
  initial m_initial{};
};

}
}
}
}
} // namespace sycl::_V1::ext::oneapi::experimental
