// sycl::kernel_id and sycl::kernel: the identity of a kernel, and a kernel in a bundle with its properties on
// devices (SYCL 2020, "Kernel identifiers", "The kernel class").
#pragma once

#include <sycl/context.hpp>
#include <sycl/detail/kernel_wrap.hpp>

namespace sycl {
inline namespace _V1 {

enum class bundle_state : char { input, object, executable };

template <bundle_state State>
class kernel_bundle;

class queue;

namespace detail {
template <typename Descriptor>
struct kernel_queue_specific_descriptor; // not defined, as in info.hpp
class kernel_id_impl;
class kernel_impl;
class kernel_bundle_impl;
class device_image_impl;
} // namespace detail

class kernel_id : public detail::shared_object<detail::kernel_id_impl> {
public:
  kernel_id() = delete;
  /// Returns the kernel's name as the compiler spells it. The pointer stays valid until the process ends.
  const char* get_name() const noexcept;

private:
  friend struct detail::access_impl;
  explicit kernel_id(detail::impl_ptr<detail::kernel_id_impl> impl) : shared_object(std::move(impl)) {}
};

namespace detail {
/// Throws errc::invalid if the program has no kernel of that name.
kernel_id find_kernel_id(const void* tag, const char* pretty);
} // namespace detail

template <typename KernelName>
kernel_id get_kernel_id() {
  return detail::find_kernel_id(&detail::kernel_tag<KernelName>::value,
                                detail::pretty_kernel_name<KernelName>());
}
/// Returns all kernels of the program and its libraries, without built-in kernels.
std::vector<kernel_id> get_kernel_ids();

/// A kernel in executable state.
class kernel : public detail::shared_object<detail::kernel_impl> {
public:
  kernel() = delete;
  backend get_backend() const noexcept;
  context get_context() const;
  kernel_bundle<bundle_state::executable> get_kernel_bundle() const;
  /// info::kernel::num_args throws errc::invalid for kernels whose arguments are captured: only native and
  /// free function kernels have numbered arguments.
  template <typename Param>
  typename detail::kernel_descriptor<Param>::return_type get_info() const;
  /// Throws errc::invalid if the device cannot run the kernel.
  template <typename Param>
  typename detail::kernel_device_specific_descriptor<Param>::return_type get_info(const device& on) const;
  /// The launch queries of sycl_ext_oneapi_root_group.
  template <typename Param>
  typename detail::kernel_queue_specific_descriptor<Param>::return_type
  ext_oneapi_get_info(const queue& on) const {
    return detail::kernel_queue_specific_descriptor<Param>::of(*this, on);
  }

private:
  friend struct detail::access_impl;
  explicit kernel(detail::impl_ptr<detail::kernel_impl> impl) : shared_object(std::move(impl)) {}
};

}
} // namespace sycl::_V1

template <>
struct std::hash<sycl::kernel_id> : sycl::detail::hash_by_impl {};
template <>
struct std::hash<sycl::kernel> : sycl::detail::hash_by_impl {};
