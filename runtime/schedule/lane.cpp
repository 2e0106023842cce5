#include "runtime/schedule/lane.hpp"

#include "runtime/schedule/access_check.hpp"
#include "runtime/schedule/kernel_times.hpp"
#include "runtime/support/trace.hpp"

#include <algorithm>
#include <utility>

namespace prism::schedule {

lane::lane(device_entry& device, bool profiling)
    : m_device(device), m_number(unsigned(device.lanes().size())), m_profiling(profiling),
      m_measures(profiling || support::trace::on() || times_kernels()), m_queue(device.raw().create_queue({m_measures})),
      m_points(&m_queue->points()) {}

lane::lane(device_entry& device, std::unique_ptr<devices::queue> foreign, bool profiling, unsigned number)
    : m_device(device), m_number(number), m_profiling(profiling), m_measures(profiling), m_foreign(true), m_queue(std::move(foreign)),
      m_points(&m_queue->points()) {}

void lane::add_order(command& c, order o) {
  // Device work of this lane that is submitted already comes first by itself.
  const auto behind = [&](const command_ref& other) {
    return c.is_device_work() && other->is_device_work() && other->current() == command::phase::submitted;
  };
  if (o.in_order && m_last != nullptr && !behind(m_last) && !m_last->finished()) c.depend_on(m_last, false);
  if (m_barrier != nullptr && !o.is_copy && !behind(m_barrier) && !m_barrier->finished()) c.depend_on(m_barrier, false);
  if (!o.barrier) return;
  for (const command_ref& other : m_in_flight)
    if (!behind(other) && !other->finished()) c.depend_on(other, false);
}

void lane::enqueue(const command_ref& c, order o) {
  pool::vector<command_ref> done; // destroyed after the lock
  command_ref previous, previous_barrier;
  const deferred_release later;
  bool started = false;
  {
    const std::lock_guard lock(m_mutex);
    if (m_in_flight.size() >= m_reap_at) {
      take_finished(done);
      m_reap_at = std::max<std::size_t>(16, m_in_flight.size() * 2);
    }
    add_order(*c, o);
    m_in_flight.push_back(c);
    previous = std::exchange(m_last, c);
    if (o.barrier || o.holds_later) previous_barrier = std::exchange(m_barrier, c);
    started = c->start_if_ready();
  }
  if (!started) context::get().held_work().post(c);
  for (command_ref& d : done) command::settle(std::move(d));
}

void lane::take_finished(pool::vector<command_ref>& out) {
  const std::uint64_t completed = m_points->completed();
  auto kept = m_in_flight.begin();
  for (command_ref& c : m_in_flight) {
    if (c->finished_at(completed)) out.push_back(std::move(c));
    else if (command_ref& place = *kept++; &place != &c) place = std::move(c);
  }
  m_in_flight.erase(kept, m_in_flight.end());
}

void lane::reap() {
  pool::vector<command_ref> done;
  {
    const std::lock_guard lock(m_mutex);
    take_finished(done);
    if (m_last != nullptr && m_last->finished()) done.push_back(std::move(m_last));
    if (m_barrier != nullptr && m_barrier->finished()) done.push_back(std::move(m_barrier));
  }
  for (command_ref& d : done) command::settle(std::move(d));
}

pool::vector<command_ref> lane::in_flight() {
  const std::lock_guard lock(m_mutex);
  return {m_in_flight.begin(), m_in_flight.end()};
}

void lane::wait() {
  const support::trace::scope traced("wait", "wait for a queue");
  const pool::vector<command_ref> all = in_flight();
  for (auto it = all.rbegin(); it != all.rend(); ++it) (*it)->wait(); // the last first: the others are done then
  reap();
  if (access_check* const check = access_check::active()) check->waited(*this);
}

bool lane::empty() {
  flush();
  reap();
  const std::lock_guard lock(m_mutex);
  return m_in_flight.empty();
}

void lane::flush() {
  const std::lock_guard lock(m_mutex);
  m_queue->flush();
}

bool lane::start_noted(std::uint64_t& point) noexcept {
  const std::lock_guard lock(m_mutex);
  try {
    const std::uint64_t completed = m_points->completed();
    if (completed >= point && completed < m_last_point) { // newer work, which somebody may wait for yet
      point = m_last_point;
      return true;
    }
    if (completed < point) m_queue->flush(); // all there is
  } catch (const devices::device_error&) { // a lost device says so to those that wait
  }
  m_is_noted = false;
  return false;
}

void lane::add_failure(std::exception_ptr failure) {
  const std::lock_guard lock(m_failure_mutex);
  m_failures.push_back(std::move(failure));
}

std::vector<std::exception_ptr> lane::take_failures() {
  reap();
  const std::lock_guard lock(m_failure_mutex);
  return std::exchange(m_failures, {});
}

} // namespace prism::schedule
