// Extension points of the SYCL classes for the library above them (extras). Functions are registered while
// that library is loaded; the classes do not depend on it. Thread-safe.
#pragma once

#include <memory>

namespace sycl {
inline namespace _V1 {
namespace detail {

class device_impl;

/// Returns the default device, or null if the device with the highest score is to be used. If it throws a
/// sycl::exception, the program gets it from the call that requested a device.
using default_device_provider = std::shared_ptr<device_impl> (*)();
void set_default_device_provider(default_device_provider provider) noexcept;
/// Returns the result of the provider; null without a provider.
std::shared_ptr<device_impl> asked_default();

/// Sets a function that is called before each queue is created, so that the queue can enable profiling.
void set_before_queue(void (*call)()) noexcept;
void before_queue();

}
}
} // namespace sycl::_V1::detail
