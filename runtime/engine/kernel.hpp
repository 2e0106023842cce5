// Kernels on devices: queries, builds before the first launch, specialised builds, and execution times.
#pragma once

#include "devices/api/kernel_counts.hpp"
#include "runtime/engine/device.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace prism {

/// The reason why the device cannot run the kernel, without building it; empty when it can. `record` is null
/// for a kernel compiled without the plugin.
std::string kernel_refusal(device_node& device, const image::kernel_record* record);
/// Why the order of the kernel's sums cannot be fixed on the device; empty if it can (docs/reproducible.md).
std::string fixed_order_refusal(const device_node& device, const image::kernel_record* record);
/// The same as kernel_refusal, but only for reqd_sub_group_size and reqd_work_group_size of the kernel.
std::string group_size_refusal(device_node& device, const image::kernel_record& record);
/// Why a kernel with a joint_matrix does not run on a device with matrix units; empty: it does, or the device
/// has none.
std::string matrix_refusal(device_node& device, const image::kernel_record& record);
/// Kernels that are being built in the background.
class preparation_node {
public:
  virtual ~preparation_node() = default;
  virtual std::size_t asked() const = 0;
  virtual std::size_t done() const = 0;
  virtual void wait() const = 0;
  /// Failures so far, each with kernel, device and the driver's message.
  virtual std::vector<std::string> failures() const = 0;
};
/// Builds the kernels on several threads, in this order. Kernels that are built already count as done. Builds
/// that have not started at the end of the process are dropped. The libraries that contain the kernels stay
/// loaded.
struct wanted_build {
  device_node* device;
  const image::kernel_record* record;
};
std::shared_ptr<preparation_node> prepare_kernels(std::vector<wanted_build> kernels);

/// Specialisation: kernels are rebuilt for the values they are launched with (specialise.hpp), after this
/// many launches with the same values. 0: only kernels named by specialise_kernel.
void specialise_after(unsigned launches);
void specialise_kernel(device_node& device, const image::kernel_record& record);
struct specialised_kernel {
  enum class state { building, measuring, kept, rejected, refused }; // words: quoted (the public name)
  std::string kernel, device;
  state what;
  std::string values; // "24:4=5": the integer of 4 bytes at offset 24 of the captured block
  std::string reason; // if rejected or refused
  double ratio;       // specialised time divided by general time; 0 if not measured
};
std::vector<specialised_kernel> specialised_kernels();

/// The driver's limits for the kernel; builds it. Throws prism::error when the device cannot run it.
devices::kernel_limits kernel_limits_on(device_node& device, const image::kernel_record* record);

/// Execution times of a kernel on a device, summed over its completed, successful launches.
struct kernel_time {
  std::string kernel;
  device_node* device = nullptr;
  // timed: launches on queues that measure; the members below count only these
  std::uint64_t calls = 0, timed = 0;
  double seconds = 0, shortest = 0, longest = 0, items = 0;
  std::optional<image::kernel_counts> counts; // of one work-item
};
/// Starts or stops the measurement; calls nest, so it stops after as many stops as starts. The first start
/// resets the sums. Only queues made after it measure.
void time_kernels(bool on);
std::vector<kernel_time> kernel_times();

} // namespace prism
