#include "runtime/api/interop_handles.hpp"

namespace sycl {
inline namespace _V1 {
namespace detail {

void check_backend(const device_impl& device, backend asked) {
  if (device.where() != asked) {
    throw_error(errc::backend_mismatch, "interoperability: " + describe(device) +
                                            " does not belong to the requested backend; "
                                            "compare get_backend() first");
  }
}

const char* handle_text(const handle_name& name, backend asked) {
  if (asked == backend::ext_prism_host)
    throw_error(errc::feature_not_supported, "the host backend has no native handles");
  return asked == backend::opencl ? name.opencl : name.vulkan;
}

prism::devices::interop& interop_of(backend from) {
  for (const auto& platform : all_platforms()) {
    for (const auto& device : platform->devices()) {
      if (device->where() != from) continue;
      if (auto* const found = device->node().raw().interop()) return *found;
    }
  }
  throw_error(errc::feature_not_supported,
              "interoperability: no device of the requested backend accepts native handles");
}

std::shared_ptr<void> hold_handle(void* handle, const handle_name& name, backend from) {
  if (!handle)
    throw_error(errc::invalid, std::string("interoperability: the ") + handle_text(name, from) + " is null");
  prism::devices::interop& owner = interop_of(from);
  guarded([&] { owner.retain(name.opencl, handle); });
  return std::shared_ptr<void>(handle, [&owner, name](void* last) { owner.release(name.opencl, last); });
}

const std::shared_ptr<device_impl>& first_working(const context_impl& in) {
  return in.working(in.devices().front());
}

}
}
} // namespace sycl::_V1::detail
