// The extension sycl_ext_oneapi_auto_local_range: an nd_range whose work-group size PRISM chooses: a size
// that divides the global range, at most 256 work-items.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/nd_range.hpp>

#define SYCL_EXT_ONEAPI_AUTO_LOCAL_RANGE 1

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {
namespace experimental {

/// The local range of such an nd_range.
template <int Dimensions>
range<Dimensions> auto_range() noexcept {
  range<Dimensions> automatic;
  for (int d = 0; d < Dimensions; ++d) automatic[d] = sycl::detail::automatic_local_size;
  return automatic;
}

}
}
}
}
} // namespace sycl::_V1::ext::oneapi::experimental

#include <sycl/detail/user_macros_restore.hpp>
