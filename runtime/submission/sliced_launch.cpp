#include "runtime/submission/sliced_launch.hpp"

#include "runtime/device/device_state.hpp"
#include "runtime/execution/driver_queue.hpp"
#include "runtime/execution/wait_limit.hpp"

namespace prism::runtime {

std::uint64_t sliced_launch::submit(driver_queue& on, std::span<const devices::command> commands,
                                    std::span<const devices::timeline_point> waits) {
  devices::queue& queue = on.queue();
  m_points = &queue.points();
  const auto& launch = std::get<devices::dispatch_command>(commands.back());
  slice_sizes sizes(m_limit, launch, m_units);
  const devices::command nothing = devices::barrier_command();
  std::uint64_t point = 0;
  if (commands.size() > 1 || sizes.measures()) {
    point = queue.submit(commands.size() > 1 ? commands.first(commands.size() - 1)
                                             : std::span<const devices::command>(&nothing, 1),
                         waits);
    waits = {};
  }
  bool goes_on = !sizes.measures() || wait_for(on, point);
  std::uint64_t done = 0;
  for (std::uint64_t layers = sizes.next(); layers != 0 && goes_on; layers = sizes.next()) {
    const devices::command slice = slice_of(launch, done, layers);
    const auto start = std::chrono::steady_clock::now();
    try {
      point = queue.submit({&slice, 1}, waits);
      waits = {};
      queue.flush();
    } catch (const devices::device_error& failed) {
      if (point == 0) throw;
      m_refused = failed; // the commands before are in the queue already
      break;
    }
    if (m_first == 0) m_first = point;
    m_last = point;
    done += layers;
    const bool is_last = done == launch.groups[launch.part.dimension];
    if (sizes.measures() && !is_last) goes_on = wait_for(on, point);
    sizes.took(std::chrono::steady_clock::now() - start);
  }
  return point;
}

/// Returns false if the work failed, or lasts longer than PRISM_TIMEOUT: then the rest is not submitted.
bool sliced_launch::wait_for(driver_queue& on, std::uint64_t point) {
  devices::queue& queue = on.queue();
  queue.flush();
  if (const auto limit = wait_limit()) queue.points().wait(point, *limit);
  else queue.points().wait(point);
  if (queue.points().completed() < point) {
    m_refused = devices::device_error(devices::error_category::lost, "",
                                      "run a kernel in slices: one lasts longer than PRISM_TIMEOUT, so for "
                                      "this process the device is lost");
    on.device().lose(*m_refused); // the wait for the command completes it
    return false;
  }
  return !queue.points().failure(point);
}

std::optional<devices::device_error> sliced_launch::failure() const {
  if (m_refused) return m_refused;
  for (std::uint64_t point = m_first; point != 0 && point < m_last; ++point)
    if (auto failed = m_points->failure(point)) return failed;
  return std::nullopt;
}

std::unique_ptr<submission_method> slices_for(const devices::dispatch_command& launch, std::uint64_t units) {
  const support::slice_limit& limit = asked_slices();
  if (!limit.is_on() || !launch.part.is_part) return nullptr;
  if (slice_sizes(limit, launch, units).next() == launch.groups[launch.part.dimension]) return nullptr;
  return std::make_unique<sliced_launch>(limit, units);
}

} // namespace prism::runtime
