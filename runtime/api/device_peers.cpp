// sycl_ext_oneapi_peer_access. Devices of one memory domain (a device and its sub-devices) share their USM;
// a kernel on any other device is refused such pointers, and copies between them go through the host.
#include "runtime/api/impl.hpp"

namespace sycl {
inline namespace _V1 {
namespace detail {

namespace {

const device_impl& root_of(const device_impl& one) {
  const device_impl* root = &one;
  while (root->origin() != nullptr) root = root->origin()->whole.get();
  return *root;
}

} // namespace

bool device_impl::can_access(const device_impl& peer) const { return &root_of(*this) == &root_of(peer); }

void device_impl::enable_peer(const device_impl& peer) {
  if (!can_access(peer))
    throw_error(errc::feature_not_supported, "ext_oneapi_enable_peer_access: kernels on " + describe(*this) +
                                                 " cannot use the memory of " + describe(peer) +
                                                 "; copy it, or ask ext_oneapi_can_access_peer first");
  const std::lock_guard lock(m_mutex);
  if (!m_peers.insert(&peer).second)
    throw_error(errc::invalid, "ext_oneapi_enable_peer_access: " + describe(*this) + " has access to " +
                                   describe(peer) + " already");
}

void device_impl::disable_peer(const device_impl& peer) {
  const std::lock_guard lock(m_mutex);
  if (m_peers.erase(&peer) == 0)
    throw_error(errc::invalid, "ext_oneapi_disable_peer_access: the access of " + describe(*this) + " to " +
                                   describe(peer) + " is not enabled");
}

} // namespace detail

bool device::ext_oneapi_can_access_peer(const device& peer, ext::oneapi::peer_access) const {
  return m_impl->can_access(*peer.m_impl); // atomics too: it is the same memory
}
void device::ext_oneapi_enable_peer_access(const device& peer) { m_impl->enable_peer(*peer.m_impl); }
void device::ext_oneapi_disable_peer_access(const device& peer) { m_impl->disable_peer(*peer.m_impl); }

}
} // namespace sycl::_V1
