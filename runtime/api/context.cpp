// sycl::context.
#include "runtime/api/impl.hpp"

#include <algorithm>

namespace sycl {
inline namespace _V1 {

namespace detail {

bool context_impl::holds(const std::shared_ptr<device_impl>& device) const noexcept {
  return first_around(as_listed(device), [&](const auto& d) {
    return std::find(m_devices.begin(), m_devices.end(), d) != m_devices.end();
  }) != nullptr;
}

void context_impl::require(const std::shared_ptr<device_impl>& device, const char* call) const {
  if (!holds(device))
    throw_error(errc::invalid,
                std::string(call) + ": " + describe(*device) + " is not a device of the given context");
}

const std::shared_ptr<device_impl>&
context_impl::working(const std::shared_ptr<device_impl>& device) const noexcept {
  for (std::size_t i = 0; i < m_working.size(); ++i) {
    if (m_devices[i] == device) return m_working[i];
  }
  return device;
}

namespace {

std::shared_ptr<context_impl> make_context(const std::vector<device>& devices, async_handler handler,
                                           const property_list& properties) {
  if (devices.empty()) {
    throw_error(errc::invalid, "context: the list of devices is empty; name at least one");
  }
  std::vector<std::shared_ptr<device_impl>> impls;
  for (const device& d : devices) {
    const auto& impl = access_impl::get(d);
    if (impl->platform() != access_impl::get(devices.front())->platform()) {
      throw_error(errc::invalid, "context: the devices " + describe(*access_impl::get(devices.front())) +
                                     " and " + describe(*impl) +
                                     " belong to different platforms; make one context for each");
    }
    if (std::find(impls.begin(), impls.end(), impl) == impls.end()) impls.push_back(impl);
  }
  return std::make_shared<context_impl>(std::move(impls), std::move(handler), properties);
}

} // namespace

} // namespace detail

context::context(const property_list& properties) : context(device(), properties) {}
context::context(async_handler handler, const property_list& properties)
    : context(device(), std::move(handler), properties) {}
context::context(const device& only, const property_list& properties)
    : context(std::vector<device>{only}, async_handler(), properties) {}
context::context(const device& only, async_handler handler, const property_list& properties)
    : context(std::vector<device>{only}, std::move(handler), properties) {}
context::context(const platform& all, const property_list& properties)
    : context(all.get_devices(), async_handler(), properties) {}
context::context(const platform& all, async_handler handler, const property_list& properties)
    : context(all.get_devices(), std::move(handler), properties) {}
context::context(const std::vector<device>& devices, const property_list& properties)
    : context(devices, async_handler(), properties) {}
context::context(const std::vector<device>& devices, async_handler handler, const property_list& properties)
    : shared_object(detail::make_context(devices, std::move(handler), properties)) {}

backend context::get_backend() const noexcept { return m_impl->devices().front()->where(); }
platform context::get_platform() const {
  return detail::access_impl::make<platform>(m_impl->devices().front()->platform());
}
std::vector<device> context::get_devices() const {
  std::vector<device> out;
  for (const auto& impl : m_impl->devices()) out.push_back(detail::access_impl::make<device>(impl));
  return out;
}
const property_list& context::prism_properties() const noexcept { return m_impl->properties(); }

}
} // namespace sycl::_V1
