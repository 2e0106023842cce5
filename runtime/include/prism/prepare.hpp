// Builds kernels before they are launched, in the background and several at a time. See docs/start.md.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/device.hpp>
#include <sycl/kernel_bundle.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace prism {

class preparation_node;

/// A set of kernels that is being built. Copies share their state. Destroying it does not stop the builds.
/// Thread-safe.
class preparation {
public:
  /// Returns the number of kernels to build. Kernels that the device cannot run are not counted, nor, on the
  /// host device, kernels that prism++ did not compile.
  std::size_t kernels() const noexcept;
  /// Returns how many of them are built or were rejected by the driver.
  std::size_t done() const;
  /// Blocks until all are built or rejected.
  void wait() const;
  /// Returns the kernels that the driver rejected, with its messages. Rejected kernels cause an error only
  /// when they are launched.
  std::vector<std::string> failures() const;

  explicit preparation(std::shared_ptr<preparation_node> node) : m_node(std::move(node)) {}

private:
  std::shared_ptr<preparation_node> m_node;
};

/// Starts to build all kernels of the program, or the named ones, for a device, and returns immediately. A
/// kernel that is launched meanwhile waits only for its own build. Builds that have not begun when the
/// process ends are skipped. Throws sycl::exception with errc::kernel_not_supported if the device cannot run
/// a kernel of `kernels`.
preparation prepare(const sycl::device& device);
preparation prepare(const sycl::device& device, const std::vector<sycl::kernel_id>& kernels);

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
