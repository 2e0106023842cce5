// How long each kernel took on each device, from the moment somebody asks: for prism::profile and PRISM_PROFILE. A queue that
// was made before measures nothing; its launches are counted.
//
// Any thread. When nobody asks everything here is one load and a branch.
#pragma once

#include "devices/api/image.hpp"
#include "runtime/engine/engine.hpp"

#include <mutex>

namespace prism::schedule {

/// Of one kernel on one device.
class kernel_sum {
public:
  explicit kernel_sum(kernel_time start) : m_sum(std::move(start)) {}
  void add(double items, std::optional<double> seconds);
  kernel_time now() const;

private:
  mutable std::mutex m_mutex;
  kernel_time m_sum;
};

bool times_kernels() noexcept;
/// The sum that a launch is added to once it is complete.
std::shared_ptr<kernel_sum> sum_of(device_node& device, const std::string& kernel, const image::kernel_record* record);
/// Of the launches whose ends are known by now.
std::vector<kernel_time> summed_times();

} // namespace prism::schedule
