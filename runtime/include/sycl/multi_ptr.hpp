// sycl::multi_ptr (SYCL 2020, "Multi-pointer class"): a pointer with its address space in its type. PRISM
// infers address spaces during compilation, so the decorated pointer type is the undecorated one, and
// conversions cost nothing.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include <sycl/access_spaces.hpp>
#include <sycl/detail/same.hpp>

// Deprecated names cause warnings in programs, not in this header.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
namespace sycl {
inline namespace _V1 {

namespace detail {

/// Whether Space is a possible address space of an accessor's pointer.
template <access::address_space Space>
inline constexpr bool is_global_or_generic = detail::same<Space, access::address_space::global_space> ||
                                             detail::same<Space, access::address_space::generic_space>;
template <access::address_space Space>
inline constexpr bool is_local_or_generic = detail::same<Space, access::address_space::local_space> ||
                                            detail::same<Space, access::address_space::generic_space>;

/// Whether From converts implicitly to To: the same space, or any space except constant to generic.
template <access::address_space From, access::address_space To>
inline constexpr bool converts_space =
    detail::same<From, To> || (detail::same<To, access::address_space::generic_space> &&
                               !detail::same<From, access::address_space::constant_space>);

/// Whether Space is a part of global memory, by sycl_ext_intel_usm_address_spaces.
template <access::address_space Space>
inline constexpr bool is_part_of_global =
    detail::same<Space, access::address_space::ext_intel_global_device_space> ||
    detail::same<Space, access::address_space::ext_intel_global_host_space>;

/// Whether From converts to To by an explicit conversion only: generic to another space except constant, and
/// a part of global memory to global.
template <access::address_space From, access::address_space To>
inline constexpr bool casts_space =
    (detail::same<From, access::address_space::generic_space> && !detail::same<To, From> &&
     !detail::same<To, access::address_space::constant_space>) ||
    (is_part_of_global<From> && detail::same<To, access::address_space::global_space>);

/// Whether T* converts to U* by adding const or by changing the element to void.
template <typename T, typename U>
inline constexpr bool converts_element =
    (std::is_same_v<std::remove_const_t<T>, std::remove_const_t<U>> || std::is_void_v<U>) &&
    (std::is_const_v<U> || !std::is_const_v<T>);

/// Whether an accessor's pointer converts to a pointer to To in Space; false for other types.
template <typename Accessor, typename To, access::address_space Space, typename = void>
inline constexpr bool converts_accessor = false;
template <typename Accessor, typename To, access::address_space Space>
inline constexpr bool converts_accessor<
    Accessor, To, Space,
    std::enable_if_t<std::is_same_v<
        decltype(std::declval<const Accessor&>().template get_multi_ptr<access::decorated::no>()),
        typename Accessor::template accessor_ptr<access::decorated::no>>>> =
    (converts_space<Accessor::template accessor_ptr<access::decorated::no>::address_space, Space> ||
     (detail::same<Accessor::template accessor_ptr<access::decorated::no>::address_space,
                   access::address_space::global_space> &&
      detail::same<Space, access::address_space::ext_intel_global_device_space>)) &&
    converts_element<typename Accessor::template accessor_ptr<access::decorated::no>::value_type, To>;

/// The conversion to a raw pointer, implicit only in the legacy form. It is not a template, which would
/// prevent a further standard conversion to bool, void* or a pointer to const.
template <typename MultiPtr, typename Pointer, bool IsLegacy>
class pointer_conversion {
public:
  explicit operator Pointer() const noexcept { return static_cast<const MultiPtr*>(this)->get(); }
};
template <typename MultiPtr, typename Pointer>
class pointer_conversion<MultiPtr, Pointer, true> {
public:
  [[deprecated("use get()")]] operator Pointer() const noexcept {
    return static_cast<const MultiPtr*>(this)->get();
  }
};

} // namespace detail

template <typename ElementType, access::address_space Space, access::decorated DecorateAddress>
class multi_ptr
    : public detail::pointer_conversion<multi_ptr<ElementType, Space, DecorateAddress>, ElementType*,
                                        detail::same<DecorateAddress, access::decorated::legacy>> {
  static constexpr bool is_void = std::is_void_v<ElementType>,
                        is_legacy = detail::same<DecorateAddress, access::decorated::legacy>;
  template <typename T>
  static constexpr bool is_object = !std::is_void_v<T>;
  template <typename T, access::address_space From>
  static constexpr bool takes =
      detail::converts_space<From, Space> && detail::converts_element<T, ElementType>;

public:
  static constexpr bool is_decorated = detail::same<DecorateAddress, access::decorated::yes>;
  static constexpr access::address_space address_space = Space;

  using value_type = ElementType;
  using element_type = ElementType; // legacy
  using pointer = ElementType*;
  using reference = std::add_lvalue_reference_t<ElementType>;
  using pointer_t = pointer;                                                // legacy
  using const_pointer_t = const ElementType*;                               // legacy
  using reference_t = reference;                                            // legacy
  using const_reference_t = std::add_lvalue_reference_t<const ElementType>; // legacy
  using iterator_category = std::random_access_iterator_tag;
  using difference_type = std::ptrdiff_t;

  multi_ptr() noexcept = default;
  multi_ptr(std::nullptr_t) noexcept {}
  /// From the decorated pointer of this space. Implicit only in the legacy form, as in SYCL 1.2.1.
  template <access::decorated D = DecorateAddress,
            std::enable_if_t<!detail::same<D, access::decorated::legacy>, int> = 0>
  explicit multi_ptr(pointer ptr) noexcept : m_pointer(ptr) {}
  template <access::decorated D = DecorateAddress,
            std::enable_if_t<detail::same<D, access::decorated::legacy>, int> = 0, int = 0>
  [[deprecated("the interface of SYCL 1.2.1: use access::decorated::yes or no")]]
  multi_ptr(pointer ptr) noexcept
      : m_pointer(ptr) {}

  /// From an accessor (global, generic) or local_accessor (local, generic) of the same element type; const
  /// may be added.
  template <typename Accessor,
            std::enable_if_t<!is_legacy && detail::converts_accessor<Accessor, ElementType, Space>, int> = 0>
  multi_ptr(const Accessor& accessor) noexcept
      : m_pointer(accessor.template get_multi_ptr<access::decorated::no>().get_raw()) {}
  template <typename Accessor,
            std::enable_if_t<is_legacy && detail::converts_accessor<Accessor, ElementType, Space>, int> = 0,
            int = 0>
  [[deprecated("the interface of SYCL 1.2.1: use access::decorated::yes or no")]] multi_ptr(
      const Accessor& accessor) noexcept
      : m_pointer(accessor.template get_multi_ptr<access::decorated::no>().get_raw()) {}

  /// Implicit conversions: to another decoration, to const elements, to void, and from any space except
  /// constant to generic.
  template <typename T, access::address_space From, access::decorated D,
            std::enable_if_t<!is_legacy && takes<T, From> &&
                                 !(std::is_same_v<T, ElementType> && detail::same<From, Space> &&
                                   detail::same<D, DecorateAddress>),
                             int> = 0>
  multi_ptr(const multi_ptr<T, From, D>& other) noexcept : m_pointer(other.get_raw()) {}
  template <typename T, access::address_space From, access::decorated D,
            std::enable_if_t<is_legacy && takes<T, From> &&
                                 !(std::is_same_v<T, ElementType> && detail::same<From, Space> &&
                                   detail::same<D, DecorateAddress>),
                             int> = 0,
            int = 0>
  [[deprecated("the interface of SYCL 1.2.1: use access::decorated::yes or no")]]
  multi_ptr(const multi_ptr<T, From, D>& other) noexcept
      : m_pointer(other.get_raw()) {}
  /// Explicit conversions: from generic to a specific space, from a part of global memory to global, and from
  /// void to an object type.
  template <typename T, access::address_space From, access::decorated D,
            std::enable_if_t<(detail::casts_space<From, Space> && detail::converts_element<T, ElementType>) ||
                                 (detail::same<From, Space> && std::is_void_v<T> && is_object<ElementType> &&
                                  (std::is_const_v<ElementType> || !std::is_const_v<T>)),
                             int> = 0>
  explicit multi_ptr(const multi_ptr<T, From, D>& other) noexcept
      : m_pointer(static_cast<pointer>(other.get_raw())) {}

  multi_ptr& operator=(std::nullptr_t) noexcept {
    m_pointer = nullptr;
    return *this;
  }

  pointer get() const noexcept { return m_pointer; }
  pointer get_raw() const noexcept { return m_pointer; }
  pointer get_decorated() const noexcept { return m_pointer; }

  template <typename T = ElementType, std::enable_if_t<is_object<T>, int> = 0>
  T& operator*() const noexcept {
    return *m_pointer;
  }
  pointer operator->() const noexcept { return m_pointer; }
  template <typename T = ElementType, std::enable_if_t<is_object<T>, int> = 0>
  T& operator[](difference_type index) const noexcept {
    return m_pointer[index];
  }

  /// A hint that has no effect on PRISM's devices.
  template <access::address_space S = Space,
            std::enable_if_t<detail::same<S, access::address_space::global_space>, int> = 0>
  void prefetch(std::size_t) const noexcept {}

  friend bool operator==(const multi_ptr& l, const multi_ptr& r) noexcept {
    return l.m_pointer == r.m_pointer;
  }
  friend bool operator!=(const multi_ptr& l, const multi_ptr& r) noexcept {
    return l.m_pointer != r.m_pointer;
  }
  friend bool operator<(const multi_ptr& l, const multi_ptr& r) noexcept { return l.m_pointer < r.m_pointer; }
  friend bool operator>(const multi_ptr& l, const multi_ptr& r) noexcept { return l.m_pointer > r.m_pointer; }
  friend bool operator<=(const multi_ptr& l, const multi_ptr& r) noexcept {
    return l.m_pointer <= r.m_pointer;
  }
  friend bool operator>=(const multi_ptr& l, const multi_ptr& r) noexcept {
    return l.m_pointer >= r.m_pointer;
  }
  // A null pointer compares less than all others.
  friend bool operator==(const multi_ptr& l, std::nullptr_t) noexcept { return l.m_pointer == nullptr; }
  friend bool operator!=(const multi_ptr& l, std::nullptr_t) noexcept { return l.m_pointer != nullptr; }
  friend bool operator<(const multi_ptr&, std::nullptr_t) noexcept { return false; }
  friend bool operator>(const multi_ptr& l, std::nullptr_t) noexcept { return l.m_pointer != nullptr; }
  friend bool operator<=(const multi_ptr& l, std::nullptr_t) noexcept { return l.m_pointer == nullptr; }
  friend bool operator>=(const multi_ptr&, std::nullptr_t) noexcept { return true; }
  friend bool operator==(std::nullptr_t, const multi_ptr& r) noexcept { return r.m_pointer == nullptr; }
  friend bool operator!=(std::nullptr_t, const multi_ptr& r) noexcept { return r.m_pointer != nullptr; }
  friend bool operator<(std::nullptr_t, const multi_ptr& r) noexcept { return r.m_pointer != nullptr; }
  friend bool operator>(std::nullptr_t, const multi_ptr&) noexcept { return false; }
  friend bool operator<=(std::nullptr_t, const multi_ptr&) noexcept { return true; }
  friend bool operator>=(std::nullptr_t, const multi_ptr& r) noexcept { return r.m_pointer == nullptr; }

  template <typename T = ElementType, std::enable_if_t<is_object<T>, int> = 0>
  friend multi_ptr& operator++(multi_ptr& p) noexcept {
    ++p.m_pointer;
    return p;
  }
  template <typename T = ElementType, std::enable_if_t<is_object<T>, int> = 0>
  friend multi_ptr operator++(multi_ptr& p, int) noexcept {
    return multi_ptr(p.m_pointer++);
  }
  template <typename T = ElementType, std::enable_if_t<is_object<T>, int> = 0>
  friend multi_ptr& operator--(multi_ptr& p) noexcept {
    --p.m_pointer;
    return p;
  }
  template <typename T = ElementType, std::enable_if_t<is_object<T>, int> = 0>
  friend multi_ptr operator--(multi_ptr& p, int) noexcept {
    return multi_ptr(p.m_pointer--);
  }
  template <typename T = ElementType, std::enable_if_t<is_object<T>, int> = 0>
  friend multi_ptr& operator+=(multi_ptr& p, difference_type n) noexcept {
    p.m_pointer += n;
    return p;
  }
  template <typename T = ElementType, std::enable_if_t<is_object<T>, int> = 0>
  friend multi_ptr& operator-=(multi_ptr& p, difference_type n) noexcept {
    p.m_pointer -= n;
    return p;
  }
  // Accept any integer and types that convert to one (id<1>, item<1>). With a parameter of type
  // difference_type, the legacy conversion to a raw pointer would make `p + 1` ambiguous.
  template <typename Integer, typename T = ElementType,
            std::enable_if_t<is_object<T> && std::is_convertible_v<const Integer&, difference_type>, int> = 0>
  friend multi_ptr operator+(const multi_ptr& p, const Integer& n) noexcept {
    return multi_ptr(p.m_pointer + static_cast<difference_type>(n));
  }
  template <typename Integer, typename T = ElementType,
            std::enable_if_t<is_object<T> && std::is_convertible_v<const Integer&, difference_type>, int> = 0>
  friend multi_ptr operator-(const multi_ptr& p, const Integer& n) noexcept {
    return multi_ptr(p.m_pointer - static_cast<difference_type>(n));
  }
  template <typename T = ElementType, std::enable_if_t<is_object<T>, int> = 0>
  friend difference_type operator-(const multi_ptr& l, const multi_ptr& r) noexcept {
    return l.m_pointer - r.m_pointer;
  }

  // Needed because the legacy form and a raw pointer convert to each other, so a comparison would be
  // ambiguous.
#define PRISM_LEGACY_OPERATOR(RESULT, OP)                                                                    \
  template <access::decorated D = DecorateAddress,                                                           \
            std::enable_if_t<detail::same<D, access::decorated::legacy>, int> = 0>                           \
  friend RESULT operator OP(const multi_ptr& l, pointer r) noexcept {                                        \
    return l.m_pointer OP r;                                                                                 \
  }                                                                                                          \
  template <access::decorated D = DecorateAddress,                                                           \
            std::enable_if_t<detail::same<D, access::decorated::legacy>, int> = 0>                           \
  friend RESULT operator OP(pointer l, const multi_ptr& r) noexcept {                                        \
    return l OP r.m_pointer;                                                                                 \
  }
  PRISM_LEGACY_OPERATOR(bool, ==)
  PRISM_LEGACY_OPERATOR(bool, !=)
  PRISM_LEGACY_OPERATOR(bool, <)
  PRISM_LEGACY_OPERATOR(bool, >)
  PRISM_LEGACY_OPERATOR(bool, <=)
  PRISM_LEGACY_OPERATOR(bool, >=)
  PRISM_LEGACY_OPERATOR(difference_type, -)
#undef PRISM_LEGACY_OPERATOR

private:
  pointer m_pointer = nullptr;
};

/// Converts a pointer without a check; it must point into Space.
template <access::address_space Space, access::decorated DecorateAddress, typename ElementType>
multi_ptr<ElementType, Space, DecorateAddress> address_space_cast(ElementType* pointer) {
  return multi_ptr<ElementType, Space, DecorateAddress>(pointer);
}
template <typename ElementType, access::address_space Space,
          access::decorated DecorateAddress = access::decorated::legacy>
[[deprecated("use sycl::address_space_cast")]]
multi_ptr<ElementType, Space, DecorateAddress> make_ptr(ElementType* pointer) noexcept {
  return multi_ptr<ElementType, Space, DecorateAddress>(pointer);
}

#define PRISM_POINTER_ALIASES(NAME, SPACE)                                                                   \
  template <typename T, access::decorated DecorateAddress = access::decorated::legacy>                       \
  using NAME##_ptr = multi_ptr<T, access::address_space::SPACE, DecorateAddress>;                            \
  template <typename T>                                                                                      \
  using raw_##NAME##_ptr = multi_ptr<T, access::address_space::SPACE, access::decorated::no>;                \
  template <typename T>                                                                                      \
  using decorated_##NAME##_ptr = multi_ptr<T, access::address_space::SPACE, access::decorated::yes>;
PRISM_POINTER_ALIASES(global, global_space)
PRISM_POINTER_ALIASES(local, local_space)
PRISM_POINTER_ALIASES(private, private_space)
PRISM_POINTER_ALIASES(generic, generic_space)
#undef PRISM_POINTER_ALIASES
template <typename T>
using constant_ptr [[deprecated("use sycl::global_ptr")]] =
    multi_ptr<T, access::address_space::constant_space, access::decorated::legacy>;

/// Returns the type unchanged: PRISM's decorated types are the undecorated ones.
template <typename T>
struct remove_decoration {
  using type = T;
};
template <typename T>
using remove_decoration_t = typename remove_decoration<T>::type;

}
} // namespace sycl::_V1
#pragma GCC diagnostic pop
