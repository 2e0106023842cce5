// Device selectors: any callable int(const device&), of the standard or of the program.
#pragma once

#include <functional>
#include <type_traits>

namespace sycl {
inline namespace _V1 {
class device;
class device_selector;
namespace detail {

/// The type through which a selector is called. For a class derived from SYCL 1.2.1's base it is the base,
/// because its own operator() may be private.
template <typename Selector>
using called_as = std::conditional_t<std::is_convertible_v<const Selector*, const device_selector*>,
                                     const device_selector, const Selector>;

template <typename F>
inline constexpr bool ranks_devices = std::is_invocable_r_v<int, F&, const device&>;

/// A selector with a non-const call operator is called through a copy: constructors take selectors by const
/// reference, but the standard does not require a const operator, and other implementations accept such
/// selectors.
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
