// The same bits on every device: a queue that takes only kernels compiled with `prism++ --reproducible`.
// See docs/reproducible.md.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/queue.hpp>

namespace prism::property::queue {

/// A property of a queue: a kernel that was not compiled with `prism++ --reproducible` throws
/// errc::kernel_not_supported when it is submitted. `PRISM_REPRODUCIBLE=1` gives it to every queue.
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
