#include "runtime/api/extension_points.hpp"

#include <atomic>

namespace sycl {
inline namespace _V1 {
namespace detail {

namespace {
constinit std::atomic<default_device_provider> provider_of_default{nullptr};
constinit std::atomic<void (*)()> call_before_queue{nullptr};
} // namespace

void set_default_device_provider(default_device_provider provider) noexcept {
  provider_of_default.store(provider, std::memory_order_release);
}

std::shared_ptr<device_impl> asked_default() {
  const default_device_provider provider = provider_of_default.load(std::memory_order_acquire);
  return provider != nullptr ? provider() : nullptr;
}

void set_before_queue(void (*call)()) noexcept { call_before_queue.store(call, std::memory_order_release); }

void before_queue() {
  if (const auto call = call_before_queue.load(std::memory_order_acquire)) call();
}

}
}
} // namespace sycl::_V1::detail
