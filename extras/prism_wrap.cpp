// <prism/wrap.hpp>: returns the usage of described devices. The wrapper itself is in devices/wrap, its
// descriptions in extras/policy/simulated.
#include "devices/registry.hpp"
#include "devices/wrap/described.hpp"
#include "extras/described.hpp"
#include "extras/policy/simulated.hpp"
#include "runtime/api/impl.hpp"

#include <prism/wrap.hpp>

namespace prism {

namespace {

const devices::wrap::simulation* simulation_of(const device_node& node) {
  return static_cast<const devices::wrap::simulation*>(node.raw().native(devices::wrap::simulation_name));
}

} // namespace

namespace runtime_api {

std::optional<device_description> description_of(const device_node& node) {
  return policy::simulated_description(node.raw());
}

} // namespace runtime_api

void set_wrappers(const std::string& text) {
  sycl::detail::guarded([&] {
    if (is_in_use())
      throw error(error_code::invalid,
                  "set_wrappers: the devices are open already; call it before the first use of one");
    devices::set_wrappers(text);
  });
}

std::optional<simulated_usage> usage_of(const sycl::device& device) {
  const devices::wrap::simulation* simulation = simulation_of(sycl::detail::access_impl::get(device)->node());
  if (simulation == nullptr) return std::nullopt;
  const devices::wrap::usage u = simulation->used();
  return simulated_usage{u.kernels, u.moved_bytes, seconds(u.busy_seconds), u.cost, u.joules};
}

seconds simulated_now() { return seconds(devices::wrap::simulated_now()); }

} // namespace prism
