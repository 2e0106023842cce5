#include "runtime/execution/device_queue.hpp"

#include "runtime/device/device_state.hpp"
#include "runtime/observe/observer.hpp"
#include "runtime/observe/trace.hpp"
#include "runtime/support/forked.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace prism::runtime {

namespace {

/// Command objects are scattered in memory and, if there are many, not cached. So this many are prefetched
/// while earlier ones are processed.
constexpr std::size_t ahead = 4;

void finalize_all(pool::vector<command_ref>& done) {
  for (std::size_t i = 0; i < done.size(); ++i) {
    if (i + ahead < done.size()) pool::prefetch(done[i + ahead].get(), sizeof(scheduled_command));
    scheduled_command::finalize(std::move(done[i]));
  }
}

std::unique_ptr<devices::queue> queue_of(device_state& device, bool measures, bool measures_each,
                                         bool for_copies = false) {
  return device.raw().create_queue(
      {.profiling = measures, .for_copies = for_copies, .for_trace = !measures_each});
}

} // namespace

device_queue::device_queue(const environment& at, bool profiling)
    : device_queue(at, profiling, profiling || observe::wants(observe::launch_times)) {}

device_queue::device_queue(const environment& at, bool profiling, bool measures_each)
    : device_queue(at, profiling, measures_each, measures_each || observe::wants(observe::spans)) {}

device_queue::device_queue(const environment& at, bool profiling, bool measures_each, bool measures)
    : driver_queue(at.device, at.threads, queue_of(at.device, measures, measures_each),
                   {at.number, profiling, measures_each, measures}),
      m_maker(at.maker) {}

device_queue::device_queue(const environment& at, std::unique_ptr<devices::queue> native_queue,
                           bool profiling)
    : driver_queue(at.device, at.threads, std::move(native_queue),
                   {at.number, profiling, profiling, profiling, true}),
      m_maker(at.maker) {}

device_queue::device_queue(const environment& at, device_queue& kernels)
    : driver_queue(
          at.device, at.threads, queue_of(at.device, kernels.m_measures, kernels.m_measures_each, true),
          {at.number, kernels.m_profiling, kernels.m_measures_each, kernels.m_measures, false, &kernels}),
      m_maker(at.maker), m_kernel_queue(&kernels) {}

void* device_queue::native(std::string_view what) {
  m_is_alone.store(true, std::memory_order_release);
  return m_queue->native(what);
}

device_queue_ref device_queue::copies() {
  if (m_is_native || m_is_alone.load(std::memory_order_acquire)) return nullptr;
  if (made_copies() != nullptr) return m_copies;
  device_queue_ref made;
  try {
    made = m_maker.make_copies(*this);
  } catch (const devices::device_error&) { // the driver has no further queue: copies run in this one
    m_is_alone.store(true, std::memory_order_release);
    return nullptr;
  }
  const std::lock_guard lock(m_mutex);
  if (m_copies == nullptr) m_copies = std::move(made);
  m_made_copies.store(m_copies.get(), std::memory_order_release);
  return m_copies;
}

bool device_queue::has_kernel_in_the_way_of(const scheduled_command& c) {
  const std::lock_guard lock(m_mutex);
  if (m_last_kernel_point <= m_points->completed()) return false;
  // If it depends on the last command, the order of the device queue puts all earlier commands before it
  // anyway.
  return std::none_of(c.waits_for().begin(), c.waits_for().end(),
                      [&](const dependency& d) { return d.on == m_last; });
}

command_ref device_queue::last_barrier() {
  const std::lock_guard lock(m_mutex);
  return m_barrier;
}

void device_queue::add_order(scheduled_command& c, order o) {
  if (m_has_gap.exchange(false, std::memory_order_acquire)) m_holds_up_to = m_last_point;
  // In an in-order queue too, commands that share no memory may overlap if the program cannot observe it: it
  // neither submits its own work to the driver's queue nor reads the times of each command.
  const bool may_overlap = o.in_order && !o.barrier && c.uses_known() && !m_profiling && !m_is_native &&
                           !m_is_alone.load(std::memory_order_acquire);
  if (may_overlap) c.follow(std::max(m_holds_up_to, m_last_unknown_point));
  else c.follow(o.in_order || o.barrier ? m_last_point : m_holds_up_to);
  // True for device work that is already submitted to this device queue: its point orders it within the
  // driver's queue.
  const auto behind = [&](const command_ref& other) {
    if (!c.is_device_work() || !other->is_device_work() ||
        other->current() != scheduled_command::phase::submitted)
      return false;
    if (!may_overlap || other == m_barrier) c.follow(*other);
    return true;
  };
  if (o.in_order && m_last != nullptr && !behind(m_last) && !m_last->finished()) c.depend_on(m_last, false);
  if (m_barrier != nullptr && !o.is_copy && !behind(m_barrier) && !m_barrier->finished())
    c.depend_on(m_barrier, false);
  if (!o.barrier) return;
  for (const command_ref& other : m_in_flight)
    if (!behind(other) && !other->finished()) c.depend_on(other, false);
}

void device_queue::enqueue(const command_ref& c, order o) {
  pool::vector<command_ref> done; // destroyed after the lock is released
  command_ref previous, previous_barrier;
  const deferred_release later;
  // Order with respect to the other device queue of the SYCL queue.
  if (const command_ref barrier_before = m_kernel_queue != nullptr ? m_kernel_queue->last_barrier() : nullptr;
      barrier_before != nullptr && !barrier_before->finished())
    c->depend_on(barrier_before, false);
  if (device_queue* const copy_queue = o.barrier ? made_copies() : nullptr)
    for (const command_ref& other : copy_queue->own_in_flight())
      if (!other->finished()) c->depend_on(other, false);
  bool started = false;
  {
    const std::lock_guard lock(m_mutex);
    if (m_in_flight.size() >= m_retire_at) take_finished(done);
    add_order(*c, o);
    m_in_flight.push_back(c);
    previous = std::exchange(m_last, c);
    if (o.barrier || o.holds_later) previous_barrier = std::exchange(m_barrier, c);
    started = c->start_if_ready();
  }
  if (!started) {
    try {
      m_services.submit_when_ready(c);
    } catch (...) { // no thread would ever submit it
      c->fail(std::current_exception());
    }
  }
  finalize_all(done);
}

void device_queue::take_finished(pool::vector<command_ref>& out) {
  const std::uint64_t completed = m_points->completed();
  auto remaining = m_in_flight.begin();
  for (std::size_t i = 0, n = m_in_flight.size(); i < n; ++i) {
    command_ref& c = m_in_flight[i];
    if (i + 2 * ahead < n) m_in_flight[i + 2 * ahead]->prefetch_state();
    if (c->finished_at(completed)) out.push_back(std::move(c));
    else if (command_ref& slot = *remaining++; &slot != &c) slot = std::move(c);
  }
  m_in_flight.erase(remaining, m_in_flight.end());
  m_retire_at = std::max<std::size_t>(16, m_in_flight.size() * 2);
}

void device_queue::retire_completed() {
  if (support::is_forked_child.load(std::memory_order_relaxed)) return; // nothing completes there
  pool::vector<command_ref> done;
  {
    const std::lock_guard lock(m_mutex);
    take_finished(done);
    if (m_last != nullptr && m_last->finished()) done.push_back(std::move(m_last));
    if (m_barrier != nullptr && m_barrier->finished()) done.push_back(std::move(m_barrier));
  }
  finalize_all(done);
  if (device_queue* const copy_queue = made_copies()) copy_queue->retire_completed();
}

pool::vector<command_ref> device_queue::own_in_flight() {
  const std::lock_guard lock(m_mutex);
  return {m_in_flight.begin(), m_in_flight.end()};
}

pool::vector<command_ref> device_queue::in_flight() {
  pool::vector<command_ref> all;
  if (device_queue* const copy_queue = made_copies()) all = copy_queue->own_in_flight();
  const pool::vector<command_ref> own = own_in_flight();
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

pool::vector<command_ref> device_queue::in_flight_if_free() {
  std::unique_lock lock(m_mutex, std::try_to_lock);
  for (int tries = 100; tries > 0 && !lock.owns_lock(); --tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    lock.try_lock();
  }
  if (!lock.owns_lock()) return {};
  return {m_in_flight.begin(), m_in_flight.end()};
}

void device_queue::wait() {
  const support::trace::scope traced("wait", "wait for a queue");
  // before this thread helps to execute the rest
  if (device_queue* const copy_queue = made_copies()) copy_queue->flush();
  command_ref last;
  {
    const std::lock_guard lock(m_mutex);
    if (!m_in_flight.empty()) last = m_in_flight.back();
  }
  if (last != nullptr) { // usually the others are complete then
    last->wait();
    retire_completed();
  }
  for (const command_ref& c : in_flight()) c->wait();
  retire_completed();
  if (observe::wants(observe::waits)) observe::waited({.queue = identity()});
}

void device_queue::wait_for_submitted() {
  if (device_queue* const copy_queue = made_copies()) copy_queue->wait_for_submitted();
  {
    const std::lock_guard lock(m_mutex);
    if (m_points->completed() >= m_last_point) return;
  }
  const pool::vector<command_ref> all = own_in_flight();
  // usually only the first call waits
  for (auto c = all.rbegin(); c != all.rend(); ++c) (*c)->wait_if_submitted();
}

bool device_queue::empty() {
  if (support::is_forked_child.load(std::memory_order_relaxed)) return true; // its work is the parent's
  flush();
  retire_completed();
  if (device_queue* const copy_queue = made_copies(); copy_queue != nullptr && !copy_queue->empty())
    return false;
  {
    const std::lock_guard lock(m_mutex);
    if (!m_in_flight.empty()) return false;
  }
  // the caller now knows that the queue is empty
  if (observe::wants(observe::waits)) observe::waited({.queue = identity()});
  return true;
}

void device_queue::flush() {
  if (device_queue* const copy_queue = made_copies()) copy_queue->flush();
  driver_queue::flush();
}

std::shared_ptr<const scheduled_command> device_queue::oldest_incomplete() {
  const std::unique_lock lock(m_mutex, std::try_to_lock);
  if (!lock) return nullptr;
  const std::uint64_t completed = m_points->completed();
  for (const command_ref& c : m_in_flight)
    if (c->current() == scheduled_command::phase::submitted && !c->finished_at(completed)) return c;
  return nullptr;
}

std::vector<std::exception_ptr> device_queue::take_failures() {
  retire_completed();
  return take_stored_failures();
}

} // namespace prism::runtime
