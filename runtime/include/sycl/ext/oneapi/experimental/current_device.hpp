// The extension sycl_ext_oneapi_current_device: a device for each thread of the program, by default the one
// of the default selector.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/device.hpp>

#define SYCL_EXT_ONEAPI_CURRENT_DEVICE 1

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {
namespace experimental {
namespace this_thread {

device get_current_device();
void set_current_device(device dev);

}
}
}
}
}
} // namespace sycl::_V1::ext::oneapi::experimental::this_thread

#include <sycl/detail/user_macros_restore.hpp>
