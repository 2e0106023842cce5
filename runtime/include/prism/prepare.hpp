// Kernels built before they are launched, in the background and several at a time. See docs/start.md.
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

/// What is being built. Copies share it; letting go of it stops nothing. Thread-safe.
class preparation {
public:
  /// Those that are built for the device: what it cannot run, and on the host device what prism++ did not
  /// compile, is left out.
  std::size_t kernels() const noexcept;
  /// Of them, those that are built, or whose driver has refused them.
  std::size_t done() const;
  /// Returns when all are.
  void wait() const;
  /// Those that the driver refused, with its words. They are no error before they are launched.
  std::vector<std::string> failures() const;

  explicit preparation(std::shared_ptr<preparation_node> node) : m_node(std::move(node)) {}

private:
  std::shared_ptr<preparation_node> m_node;
};

/// Starts building all kernels of the program for a device, or the named ones, and returns at once. Kernels
/// that are launched meanwhile wait for their own build only. What has not begun when the process ends is
/// left. Throws sycl::exception with errc::kernel_not_supported when the device cannot run one that was
/// named.
preparation prepare(const sycl::device& device);
preparation prepare(const sycl::device& device, const std::vector<sycl::kernel_id>& kernels);

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
