// The implementation of kernel_id, kernel, device_image and kernel_bundle, and the list of the program's
// kernels.
#pragma once

#include "runtime/api/impl.hpp"

#include <map>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// Extracts the kernel's name from the compiler's name of a function: "... [Name = app::kernel]" (clang),
/// "... [with Name = app::kernel]" (gcc).
std::string kernel_name_in(const char* pretty);

/// Returns why the device cannot meet the kernel's attributes; empty if it can.
std::string attribute_refusal(const device_impl& on, const prism::image::kernel_record& record);

class kernel_id_impl {
public:
  explicit kernel_id_impl(const kernel_node& node);
  const std::string& name() const noexcept { return m_name; }
  const kernel_slot* slot() const noexcept { return m_slot; }
  /// Null: not a free function kernel.
  const kernel_function* function() const noexcept { return m_function; }
  /// Null: compiled without the plugin.
  const prism::image::kernel_record* record() const noexcept;
  /// Returns why the device cannot run the kernel; empty if it can.
  std::string refusal(const device_impl& on) const;

private:
  std::string m_name;
  const kernel_slot* m_slot;
  const kernel_function* m_function;
};

/// Values of specialisation constants by the address of their specialization_id.
using constant_values = std::map<const void*, std::vector<std::byte>>;

/// PRISM's images hold one kernel each.
class device_image_impl;
using image_list = std::vector<std::shared_ptr<device_image_impl>>;

class device_image_impl {
public:
  device_image_impl(std::shared_ptr<kernel_id_impl> kernel, std::vector<std::shared_ptr<device_impl>> devices)
      : m_kernel(std::move(kernel)), m_devices(std::move(devices)) {}
  const std::shared_ptr<kernel_id_impl>& kernel() const noexcept { return m_kernel; }
  const std::vector<std::shared_ptr<device_impl>>& devices() const noexcept { return m_devices; }
  bool reads_constant(const void* id) const; // null: any constant

private:
  std::shared_ptr<kernel_id_impl> m_kernel;
  std::vector<std::shared_ptr<device_impl>> m_devices; // those of the bundle that can run it
};

class kernel_bundle_impl {
public:
  kernel_bundle_impl(std::shared_ptr<context_impl> in, std::vector<std::shared_ptr<device_impl>> devices,
                     bundle_state state, image_list images, constant_values values = {})
      : m_context(std::move(in)), m_devices(std::move(devices)), m_state(state), m_images(std::move(images)),
        m_values(std::move(values)) {}
  const std::shared_ptr<context_impl>& context() const noexcept { return m_context; }
  const std::vector<std::shared_ptr<device_impl>>& devices() const noexcept { return m_devices; }
  bundle_state state() const noexcept { return m_state; }
  const image_list& images() const noexcept { return m_images; }
  /// Returns the image of the kernel for the device (null: for any device); null if there is none.
  std::shared_ptr<device_image_impl> find(const kernel_slot* slot, const device_impl* on) const;
  /// Sets the native programs (interoperability) of the bundle. Such a bundle has no SYCL kernels.
  void stand_on(std::vector<std::shared_ptr<void>> programs) { m_native = std::move(programs); }
  const std::vector<std::shared_ptr<void>>& native() const noexcept { return m_native; }
  constant_values values() const;
  void set_value(const void* id, const void* value, std::size_t bytes);
  /// Returns the value of the constant, or its default if none was set.
  void get_value(const void* id, void* value, std::size_t bytes) const;

private:
  std::shared_ptr<context_impl> m_context;
  std::vector<std::shared_ptr<device_impl>> m_devices;
  bundle_state m_state;
  image_list m_images;
  std::vector<std::shared_ptr<void>> m_native;
  mutable std::mutex m_mutex; // protects m_values
  constant_values m_values;
};

class kernel_impl {
public:
  /// A kernel that the program created with a driver (interoperability).
  struct native_kernel {
    std::shared_ptr<void> handle; // null: a SYCL kernel
    std::string name;
    std::uint32_t arguments = 0;
  };
  kernel_impl(std::shared_ptr<kernel_bundle_impl> bundle, std::shared_ptr<kernel_id_impl> id)
      : m_bundle(std::move(bundle)), m_id(std::move(id)) {}
  kernel_impl(std::shared_ptr<kernel_bundle_impl> bundle, native_kernel native)
      : m_bundle(std::move(bundle)), m_native(std::move(native)) {}
  const std::shared_ptr<kernel_bundle_impl>& bundle() const noexcept { return m_bundle; }
  bool is_native() const noexcept { return m_native.handle != nullptr; }
  const native_kernel& native() const noexcept { return m_native; }
  const kernel_id_impl& id() const noexcept { return *m_id; } // only for a SYCL kernel

private:
  std::shared_ptr<kernel_bundle_impl> m_bundle;
  std::shared_ptr<kernel_id_impl> m_id;
  native_kernel m_native;
};

/// Returns the limits that the device reports for a native kernel.
prism::devices::kernel_limits native_kernel_limits(const kernel_impl& kernel, const device_impl& on);

}
}
} // namespace sycl::_V1::detail
