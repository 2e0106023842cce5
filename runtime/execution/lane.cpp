#include "runtime/execution/lane.hpp"

#include "runtime/access_check/access_check.hpp"
#include "runtime/observe/kernel_times.hpp"
#include "runtime/observe/trace.hpp"

#include <algorithm>
#include <utility>

namespace prism::schedule {

namespace {

/// Commands lie far apart, and in no near cache if there are many: this many of them are fetched while others are looked at.
constexpr std::size_t ahead = 4;

void settle_all(pool::vector<command_ref>& done) {
  for (std::size_t i = 0; i < done.size(); ++i) {
    if (i + ahead < done.size()) pool::prefetch(done[i + ahead].get(), sizeof(command));
    command::settle(std::move(done[i]));
  }
}

support::trace::track track_of(const device_entry& device) {
  return support::trace::on() ? support::trace::device_track(device.name_in_traces()) : support::trace::track{};
}

} // namespace

lane::lane(device_entry& device, bool profiling)
    : m_device(device), m_number(unsigned(device.lanes().size())), m_profiling(profiling), m_measures_each(profiling || times_kernels()),
      m_measures(m_measures_each || support::trace::on()), m_track(track_of(device)), m_starts_at_once(device.info().starts_at_once),
      m_queue(device.raw().create_queue({.profiling = m_measures, .for_trace = !m_measures_each})), m_points(&m_queue->points()) {}

lane::lane(device_entry& device, std::unique_ptr<devices::queue> foreign, bool profiling, unsigned number)
    : m_device(device), m_number(number), m_profiling(profiling), m_measures_each(profiling), m_measures(profiling),
      m_track(track_of(device)), m_foreign(true), m_starts_at_once(device.info().starts_at_once), m_queue(std::move(foreign)),
      m_points(&m_queue->points()) {}

lane::lane(lane& kernels)
    : m_device(kernels.m_device), m_number(unsigned(m_device.lanes().size())), m_profiling(kernels.m_profiling),
      m_measures_each(kernels.m_measures_each), m_measures(kernels.m_measures), m_track(kernels.m_track), m_starts_at_once(kernels.m_starts_at_once), m_kernels(&kernels),
      m_queue(m_device.raw().create_queue({.profiling = m_measures, .for_copies = true, .for_trace = !m_measures_each})), m_points(&m_queue->points()) {}

void* lane::native(std::string_view what) {
  m_is_alone.store(true, std::memory_order_release);
  return m_queue->native(what);
}

lane_ref lane::copies() {
  if (m_foreign || m_is_alone.load(std::memory_order_acquire)) return nullptr;
  if (made_copies() != nullptr) return m_copies;
  lane_ref made;
  try {
    made = m_device.make_copy_lane(*this);
  } catch (const devices::device_error&) { // no queue to spare: the copies still have this one
    m_is_alone.store(true, std::memory_order_release);
    return nullptr;
  }
  const std::lock_guard lock(m_mutex);
  if (m_copies == nullptr) m_copies = std::move(made);
  m_made_copies.store(m_copies.get(), std::memory_order_release);
  return m_copies;
}

bool lane::has_kernel_in_the_way_of(const command& c) {
  const std::lock_guard lock(m_mutex);
  if (m_last_kernel_point <= m_points->completed()) return false;
  // Behind the last command all of the lane comes before it anyway.
  return std::none_of(c.waits_for().begin(), c.waits_for().end(), [&](const dependency& d) { return d.on == m_last; });
}

command_ref lane::last_barrier() {
  const std::lock_guard lock(m_mutex);
  return m_barrier;
}

void lane::add_order(command& c, order o) {
  if (m_has_gap.exchange(false, std::memory_order_acquire)) m_holds_up_to = m_last_point;
  // Commands that share nothing may overlap in an in-order queue too, where nobody sees it: the program neither gives the driver's
  // queue work of its own nor looks at each command's times.
  const bool may_overlap = o.in_order && !o.barrier && c.uses_known() && !m_profiling && !m_foreign && !m_is_alone.load(std::memory_order_acquire);
  if (may_overlap) c.follow(std::max(m_holds_up_to, m_last_unknown_point));
  else c.follow(o.in_order || o.barrier ? m_last_point : m_holds_up_to);
  // Device work of this lane that is submitted already: the driver's queue knows its point.
  const auto behind = [&](const command_ref& other) {
    if (!c.is_device_work() || !other->is_device_work() || other->current() != command::phase::submitted) return false;
    if (!may_overlap || other == m_barrier) c.follow(*other);
    return true;
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
  // The other lane's part of the order.
  if (const command_ref held_by = m_kernels != nullptr ? m_kernels->last_barrier() : nullptr; held_by != nullptr && !held_by->finished())
    c->depend_on(held_by, false);
  if (lane* const beside = o.barrier ? made_copies() : nullptr)
    for (const command_ref& other : beside->own_in_flight())
      if (!other->finished()) c->depend_on(other, false);
  bool started = false;
  {
    const std::lock_guard lock(m_mutex);
    if (m_in_flight.size() >= m_reap_at) take_finished(done);
    add_order(*c, o);
    m_in_flight.push_back(c);
    previous = std::exchange(m_last, c);
    if (o.barrier || o.holds_later) previous_barrier = std::exchange(m_barrier, c);
    started = c->start_if_ready();
  }
  if (!started) context::get().held_work().post(c);
  settle_all(done);
}

void lane::take_finished(pool::vector<command_ref>& out) {
  const std::uint64_t completed = m_points->completed();
  auto kept = m_in_flight.begin();
  for (std::size_t i = 0, n = m_in_flight.size(); i < n; ++i) {
    command_ref& c = m_in_flight[i];
    if (i + 2 * ahead < n) m_in_flight[i + 2 * ahead]->prefetch_state();
    if (c->finished_at(completed)) out.push_back(std::move(c));
    else if (command_ref& place = *kept++; &place != &c) place = std::move(c);
  }
  m_in_flight.erase(kept, m_in_flight.end());
  m_reap_at = std::max<std::size_t>(16, m_in_flight.size() * 2);
}

void lane::reap() {
  pool::vector<command_ref> done;
  {
    const std::lock_guard lock(m_mutex);
    take_finished(done);
    if (m_last != nullptr && m_last->finished()) done.push_back(std::move(m_last));
    if (m_barrier != nullptr && m_barrier->finished()) done.push_back(std::move(m_barrier));
  }
  settle_all(done);
  if (lane* const beside = made_copies()) beside->reap();
}

pool::vector<command_ref> lane::own_in_flight() {
  const std::lock_guard lock(m_mutex);
  return {m_in_flight.begin(), m_in_flight.end()};
}

pool::vector<command_ref> lane::in_flight() {
  pool::vector<command_ref> all;
  if (lane* const beside = made_copies()) all = beside->own_in_flight();
  const pool::vector<command_ref> own = own_in_flight();
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

void lane::wait() {
  const support::trace::scope traced("wait", "wait for a queue");
  if (lane* const beside = made_copies()) beside->flush(); // before this thread helps with the rest
  command_ref last;
  {
    const std::lock_guard lock(m_mutex);
    if (!m_in_flight.empty()) last = m_in_flight.back();
  }
  if (last != nullptr) { // as a rule the others are done then
    last->wait();
    reap();
  }
  for (const command_ref& c : in_flight()) c->wait();
  reap();
  if (access_check* const check = access_check::active()) check->waited(*this);
}

void lane::wait_for_given() {
  if (lane* const beside = made_copies()) beside->wait_for_given();
  {
    const std::lock_guard lock(m_mutex);
    if (m_points->completed() >= m_last_point) return;
  }
  const pool::vector<command_ref> all = own_in_flight();
  for (auto c = all.rbegin(); c != all.rend(); ++c) (*c)->wait_if_given(); // as a rule only the first has to
}

bool lane::empty() {
  flush();
  reap();
  if (lane* const beside = made_copies(); beside != nullptr && !beside->empty()) return false;
  {
    const std::lock_guard lock(m_mutex);
    if (!m_in_flight.empty()) return false;
  }
  if (access_check* const check = access_check::active()) check->waited(*this); // who asked knows
  return true;
}

void lane::flush() {
  if (lane* const beside = made_copies()) beside->flush();
  const std::lock_guard lock(m_mutex);
  m_queue->flush();
}

bool lane::start_noted(std::uint64_t& point) noexcept {
  const std::lock_guard lock(m_mutex);
  try {
    const std::uint64_t completed = m_points->completed();
    const bool in_vain = completed >= point || m_waiting.load(std::memory_order_relaxed) != 0;
    m_looked_in_vain.store(in_vain ? std::min(m_looked_in_vain.load(std::memory_order_relaxed) + 1, often) : 0, std::memory_order_relaxed);
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
  if (m_kernels != nullptr) return m_kernels->add_failure(std::move(failure));
  const std::lock_guard lock(m_failure_mutex);
  m_failures.push_back(std::move(failure));
}

std::vector<std::exception_ptr> lane::take_failures() {
  reap();
  const std::lock_guard lock(m_failure_mutex);
  return std::exchange(m_failures, {});
}

} // namespace prism::schedule
