// What every public class needs: reference semantics by one shared pointer, and its hash.
//
// A class with reference semantics derives from detail::shared_object<Impl>; equality and hash are those of the
// implementation object. `detail::access::impl(x)` is how runtime/api reaches it; users never need it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace sycl { inline namespace _V1 { namespace detail {

struct access_impl {
  template <typename Object>
  static const auto& get(const Object& object) noexcept { return object.m_impl; }
  template <typename Object, typename Impl, typename... Rest>
  static Object make(std::shared_ptr<Impl> impl, const Rest&... rest) { return Object(std::move(impl), rest...); }
};

template <typename Impl>
class shared_object {
public:
  friend bool operator==(const shared_object& lhs, const shared_object& rhs) noexcept { return lhs.m_impl == rhs.m_impl; }
  friend bool operator!=(const shared_object& lhs, const shared_object& rhs) noexcept { return lhs.m_impl != rhs.m_impl; }
  std::size_t prism_hash() const noexcept { return std::hash<const void*>()(m_impl.get()); }

protected:
  friend struct access_impl;
  shared_object() = default;
  explicit shared_object(std::shared_ptr<Impl> impl) noexcept : m_impl(std::move(impl)) {}
  std::shared_ptr<Impl> m_impl;
};

struct hash_by_impl {
  template <typename Object>
  std::size_t operator()(const Object& object) const noexcept { return object.prism_hash(); }
};

}}} // namespace sycl::_V1::detail
