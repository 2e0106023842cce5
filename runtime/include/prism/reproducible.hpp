// The same bits on every device: a queue whose kernels sum floating-point numbers in a fixed order and
// contract nothing. See docs/reproducible.md.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/queue.hpp>

namespace prism::property::queue {

/// A property of a queue: reductions, scans and group algorithms of its kernels combine floating-point
/// numbers in an order that does not depend on the device, and x * y + z is rounded twice. A kernel whose
/// order cannot be fixed throws errc::kernel_not_supported when it is submitted, with the reason.
/// `PRISM_REPRODUCIBLE=1` gives the property to every queue.
class reproducible {};

} // namespace prism::property::queue

namespace sycl {
inline namespace _V1 {
template <>
struct is_property<prism::property::queue::reproducible> : std::true_type {};
template <>
struct is_property_of<prism::property::queue::reproducible, queue> : std::true_type {};
}
} // namespace sycl::_V1

#include <sycl/detail/user_macros_restore.hpp>
