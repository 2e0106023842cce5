// Where what is built above the SYCL classes (extras) takes part in them. Those register functions while
// their library is loaded; the classes know nothing of who they are. Any thread.
#pragma once

#include <memory>

namespace sycl {
inline namespace _V1 {
namespace detail {

class device_impl;

/// The default device that something asks for in place of the one with the highest score; null: nothing does.
/// May throw sycl::exception, which the program gets where it asked for a device.
using default_device_provider = std::shared_ptr<device_impl> (*)();
void set_default_device_provider(default_device_provider provider) noexcept;
/// What the provider says; null without one.
std::shared_ptr<device_impl> asked_default();

/// Called before each queue is made, so that it can measure.
void set_before_queue(void (*call)()) noexcept;
void before_queue();

}
}
} // namespace sycl::_V1::detail
