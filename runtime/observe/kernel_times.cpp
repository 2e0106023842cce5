#include "runtime/observe/kernel_times.hpp"

#include "devices/api/image.hpp"
#include "runtime/observe/observer.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>

namespace prism {

namespace runtime {

namespace {

/// Sums for one kernel on one device.
class kernel_sum {
public:
  explicit kernel_sum(kernel_time start) : m_sum(std::move(start)) {}
  void add(double items, std::optional<double> seconds);
  kernel_time now() const;

private:
  mutable std::mutex m_mutex;
  kernel_time m_sum;
};

struct table {
  std::mutex mutex;
  int requests = 0;
  // Different kernels may have equal names: instantiations of a generic lambda, or kernels of two modules.
  std::map<std::tuple<device_node*, std::string, const image::kernel_record*>, std::shared_ptr<kernel_sum>>
      sums;
};
table& the_table() {
  static auto* made = new table; // never destroyed: commands may be in flight at the end of the process
  return *made;
}
constinit std::atomic<bool> is_requested{false};

std::optional<image::kernel_counts> counts_of(const image::kernel_record* record) {
  for (std::uint32_t i = 0; record != nullptr && i < record->image_count; ++i) {
    const image::kernel_image& entry = record->images[i];
    image::kernel_counts counts;
    if (entry.image_kind != image::kernel_counts_kind || entry.size != sizeof counts) continue;
    std::memcpy(&counts, entry.data, sizeof counts);
    if (counts.version == image::kernel_counts_version) return counts;
  }
  return std::nullopt;
}

void kernel_sum::add(double items, std::optional<double> seconds) {
  const std::lock_guard lock(m_mutex);
  ++m_sum.calls;
  if (!seconds) return;
  m_sum.shortest = m_sum.timed == 0 ? *seconds : std::min(m_sum.shortest, *seconds);
  m_sum.longest = std::max(m_sum.longest, *seconds);
  ++m_sum.timed;
  m_sum.seconds += *seconds;
  m_sum.items += items;
}

kernel_time kernel_sum::now() const {
  const std::lock_guard lock(m_mutex);
  return m_sum;
}

std::shared_ptr<kernel_sum> sum_of(device_node& device, const std::string& kernel,
                                   const image::kernel_record* record) {
  table& all = the_table();
  const std::lock_guard lock(all.mutex);
  std::shared_ptr<kernel_sum>& sum = all.sums[{&device, kernel, record}];
  if (sum == nullptr) {
    kernel_time start;
    start.kernel = kernel;
    start.device = &device;
    start.counts = counts_of(record);
    sum = std::make_shared<kernel_sum>(std::move(start));
  }
  return sum;
}

/// A launch that has not been added to the sums of its kernel.
class timed_launch final : public observe::follower {
public:
  timed_launch(std::shared_ptr<kernel_sum> sum, double items) : m_sum(std::move(sum)), m_items(items) {}
  void completed(const observe::completion_event& event) noexcept override {
    if (event.failed) return;
    std::optional<double> seconds;
    if (event.measured && event.on_device) {
      const devices::profile& p = *event.on_device;
      if (p.ended_ns > p.started_ns && !p.starts_at_end_before)
        seconds = double(p.ended_ns - p.started_ns) * 1e-9; // otherwise not measured (rusticl; a trace)
    }
    m_sum->add(m_items, seconds);
  }

private:
  std::shared_ptr<kernel_sum> m_sum;
  double m_items;
};

class launch_timer final : public observe::observer {
public:
  std::uint32_t interests() const noexcept override {
    return is_requested.load(std::memory_order_relaxed) ? std::uint32_t(observe::launch_times) : 0;
  }
  std::shared_ptr<observe::follower> submitting(const observe::submission_event& event) override {
    if (event.launch == nullptr) return nullptr;
    return std::make_shared<timed_launch>(sum_of(event.device, event.launch->kernel, event.launch->record),
                                          event.launch->work_items);
  }
};

} // namespace

std::vector<kernel_time> summed_times() {
  table& all = the_table();
  std::vector<kernel_time> out;
  const std::lock_guard lock(all.mutex);
  for (const auto& [key, sum] : all.sums)
    if (kernel_time now = sum->now(); now.calls != 0) out.push_back(std::move(now));
  return out;
}

} // namespace runtime

void time_kernels(bool on) {
  static const bool is_known = (observe::add(*new runtime::launch_timer), true);
  static_cast<void>(is_known);
  {
    runtime::table& all = runtime::the_table();
    const std::lock_guard lock(all.mutex);
    if (on && all.requests++ == 0) all.sums.clear();
    if (!on) --all.requests;
    runtime::is_requested.store(all.requests > 0, std::memory_order_relaxed);
  }
  observe::interests_changed();
}

} // namespace prism
