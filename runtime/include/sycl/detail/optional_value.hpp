// A value or nothing, for combining values without a known identity. Trivially copyable, so that it passes
// between work-items like the value.
#pragma once

#include <type_traits>

namespace sycl {
inline namespace _V1 {
namespace detail {

template <typename T>
struct optional_value {
  static_assert(std::is_trivially_copyable_v<T>, "values that are combined must be trivially copyable");

  union {
    char none;
    T some;
  };
  bool filled;

  optional_value() noexcept : none(), filled(false) {}
  explicit optional_value(const T& value) noexcept : some(value), filled(true) {}
  const T& value() const noexcept { return some; }
};

/// a op b, or that of the two which is there.
template <typename T, typename Op>
inline optional_value<T> join(const optional_value<T>& a, const optional_value<T>& b, const Op& op) {
  if (!a.filled) return b;
  if (!b.filled) return a;
  return optional_value<T>(static_cast<T>(op(a.some, b.some)));
}

}
}
} // namespace sycl::_V1::detail
