// Kernels on devices: what can be said of them, builds before their launch and for known values, how long
// they took.
#pragma once

#include "devices/api/kernel_counts.hpp"
#include "runtime/engine/device.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace prism {

/// Why the device cannot run the kernel, decided without building it; empty when it can. `record` null:
/// compiled without the plugin.
std::string kernel_refusal(device_node& device, const image::kernel_record* record);
/// The part of it that concerns the kernel's reqd_sub_group_size and reqd_work_group_size.
std::string group_size_refusal(device_node& device, const image::kernel_record& record);
/// Kernels that are being built in the background.
class preparation_node {
public:
  virtual ~preparation_node() = default;
  virtual std::size_t asked() const = 0;
  virtual std::size_t done() const = 0;
  virtual void wait() const = 0;
  /// So far: kernel, device and the driver's words.
  virtual std::vector<std::string> failures() const = 0;
};
/// Builds them on several threads, in this order; those that are built already count as done. What has not
/// begun at the end of the process is left. Keeps the libraries loaded that the kernels are in.
struct wanted_build {
  device_node* device;
  const image::kernel_record* record;
};
std::shared_ptr<preparation_node> prepare_kernels(std::vector<wanted_build> kernels);

/// Kernels built again for the values they are launched with (specialise.hpp). After so many launches with
/// the same; 0: only those that are asked for.
void specialise_after(unsigned launches);
void specialise_kernel(device_node& device, const image::kernel_record& record);
struct specialised_kernel {
  enum class state { building, measuring, kept, rejected, refused };
  std::string kernel, device;
  state what;
  std::string values; // "24:4=5": the integer of 4 bytes at offset 24 of the captured block
  std::string reason; // rejected, refused
  double ratio;       // of the general build's time; 0 where none was measured
};
std::vector<specialised_kernel> specialised_kernels();

/// What the device says about the kernel; builds it. Throws prism::error when the device cannot run it.
devices::kernel_limits kernel_limits_on(device_node& device, const image::kernel_record* record);

/// What a kernel took on a device: sums over its launches that are complete and succeeded.
struct kernel_time {
  std::string kernel;
  device_node* device = nullptr;
  std::uint64_t calls = 0, timed = 0; // timed: on queues that measure; what follows is of those
  double seconds = 0, shortest = 0, longest = 0, items = 0;
  std::optional<image::kernel_counts> counts; // of one work-item
};
/// From now on; as often off as on. With the first one that asks the sums begin anew. Queues measure that are
/// made after it.
void time_kernels(bool on);
std::vector<kernel_time> kernel_times();

} // namespace prism
