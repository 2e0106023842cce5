#include "runtime/specialise/timed_launch.hpp"

#include "runtime/execution/driver_queue.hpp"

#include <utility>
#include <vector>

namespace prism::runtime {

timed_launch::timed_launch(devices::device& device, measuring_queue& measures,
                           std::shared_ptr<kernel_state> state, std::shared_ptr<variant> what,
                           build_side side)
    : m_device(device), m_measures(measures), m_state(std::move(state)), m_what(std::move(what)),
      m_side(side) {}

timed_launch::~timed_launch() {
  if (m_point.value != 0) return;
  const std::lock_guard lock(m_state->mutex); // the launch was never submitted
  m_what->trial.lost(m_side);
}

std::uint64_t timed_launch::submit(driver_queue& on, std::span<const devices::command> commands,
                                   std::span<const devices::timeline_point> waits) {
  std::uint64_t end = 0;
  if (on.measures()) {
    end = on.queue().submit(commands, waits);
    m_point = {&on.points(), end};
  } else {
    std::vector<devices::timeline_point> all(waits.begin(), waits.end());
    if (on.last_point() != 0) all.push_back({&on.points(), on.last_point()});
    const std::lock_guard lock(m_measures.mutex);
    if (m_measures.queue == nullptr) m_measures.queue = m_device.create_queue({true});
    m_point = {&m_measures.queue->points(), m_measures.queue->submit(commands, all)};
    const devices::command barrier = devices::barrier_command{};
    end = on.queue().submit({&barrier, 1}, {&m_point, 1});
  }
  const std::lock_guard lock(m_state->mutex);
  m_what->in_flight.push_back({m_point, m_side});
  return end;
}

std::optional<devices::device_error> timed_launch::failure() const {
  return m_point.value == 0 ? std::nullopt : m_point.owner->failure(m_point.value);
}

} // namespace prism::runtime
