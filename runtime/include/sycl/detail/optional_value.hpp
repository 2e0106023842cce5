// An optional value, for operations without a known identity. It is trivially copyable, so that work-items
// can exchange it like the value.
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

/// Returns a op b; if only one operand has a value, that operand.
template <typename T, typename Op>
inline optional_value<T> join(const optional_value<T>& a, const optional_value<T>& b, const Op& op) {
  if (!a.filled) return b;
  if (!b.filled) return a;
  return optional_value<T>(static_cast<T>(op(a.some, b.some)));
}

}
}
} // namespace sycl::_V1::detail
