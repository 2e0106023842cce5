// What may select a device: any callable int(const device&), of the standard's selectors and the user's own.
#pragma once

#include <functional>
#include <type_traits>

namespace sycl {
inline namespace _V1 {
class device;
class device_selector;
namespace detail {

/// A class derived from SYCL 1.2.1's base is called through it: its own operator() may be private.
template <typename Selector>
using called_as = std::conditional_t<std::is_convertible_v<const Selector*, const device_selector*>,
                                     const device_selector, const Selector>;

template <typename F>
inline constexpr bool ranks_devices = std::is_invocable_r_v<int, F&, const device&>;

/// A selector whose call operator is not const is called through a copy: constructors take selectors by const
/// reference, the standard does not ask for a const operator, and other implementations take such ones.
template <typename Selector>
inline constexpr bool is_selector = ranks_devices<called_as<Selector>> || ranks_devices<Selector>;

template <typename Selector>
std::function<int(const device&)> ranking_of(const Selector& selector) {
  if constexpr (ranks_devices<called_as<Selector>>)
    return [&called = static_cast<called_as<Selector>&>(selector)](const device& candidate) {
      return called(candidate);
    };
  else return selector;
}

} // namespace detail
}
} // namespace sycl::_V1
