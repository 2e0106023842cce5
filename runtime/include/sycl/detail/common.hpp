// The base of the public classes: reference semantics by a shared pointer, and the hash.
//
// A class with reference semantics derives from detail::shared_object<Impl>. Equality and hash are those of
// the implementation object. runtime/api accesses it by `detail::access::impl(x)`; programs do not need it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// Throws errc::invalid: the object of the class that `function` (__PRETTY_FUNCTION__ of a member of
/// impl_ptr) names was moved from.
[[noreturn]] void throw_moved_from(const char* function);

/// Converts from and to std::shared_ptr<Impl>, but all classes store it as the same std::shared_ptr<void>: a
/// compiler declares the members of std::shared_ptr anew for every type, which took 3 % of the compile time
/// of sycl.hpp.
template <typename Impl>
class impl_ptr {
public:
  impl_ptr() noexcept = default;
  // Templates, so that overload resolution does not instantiate std::shared_ptr<Impl>.
  template <typename T, std::enable_if_t<std::is_same_v<T, Impl>, int> = 0>
  impl_ptr(std::shared_ptr<T> object) noexcept : m_object(std::move(object)) {}
  template <typename T, std::enable_if_t<std::is_same_v<T, Impl>, int> = 0>
  operator std::shared_ptr<T>() const {
    static_cast<void>(checked());
    return std::static_pointer_cast<T>(m_object);
  }

  Impl* get() const noexcept { return static_cast<Impl*>(m_object.get()); }
  Impl& operator*() const { return *checked(); }
  Impl* operator->() const { return checked(); }
  explicit operator bool() const noexcept { return get() != nullptr; }
  friend bool operator==(const impl_ptr& lhs, const impl_ptr& rhs) noexcept { return lhs.get() == rhs.get(); }
  friend bool operator!=(const impl_ptr& lhs, const impl_ptr& rhs) noexcept { return lhs.get() != rhs.get(); }

private:
  Impl* checked() const {
    if (__builtin_expect(m_object == nullptr, 0)) throw_moved_from(__PRETTY_FUNCTION__);
    return get();
  }
  std::shared_ptr<void> m_object;
};

struct access_impl {
  template <typename Object>
  static const auto& get(const Object& object) noexcept {
    return object.m_impl;
  }
  template <typename Object, typename Pointer, typename... Rest>
  static Object make(Pointer impl, const Rest&... rest) {
    return Object(std::move(impl), rest...);
  }
};

template <typename Impl>
class shared_object {
public:
  friend bool operator==(const shared_object& lhs, const shared_object& rhs) noexcept {
    return lhs.m_impl == rhs.m_impl;
  }
  friend bool operator!=(const shared_object& lhs, const shared_object& rhs) noexcept {
    return lhs.m_impl != rhs.m_impl;
  }
  std::size_t prism_hash() const noexcept { return std::hash<const void*>()(m_impl.get()); }

protected:
  friend struct access_impl;
  shared_object() = default;
  explicit shared_object(impl_ptr<Impl> impl) noexcept : m_impl(std::move(impl)) {}
  impl_ptr<Impl> m_impl;
};

struct hash_by_impl {
  template <typename Object>
  std::size_t operator()(const Object& object) const noexcept {
    return object.prism_hash();
  }
};

}
}
} // namespace sycl::_V1::detail
