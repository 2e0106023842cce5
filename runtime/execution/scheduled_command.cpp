#include "runtime/execution/scheduled_command.hpp"

#include "runtime/device/device_failure.hpp"
#include "runtime/device/device_list.hpp"
#include "runtime/observe/trace.hpp"
#include "runtime/support/text.hpp"

#include <algorithm>
#include <utility>

namespace prism::runtime {

using support::trace::now_ns;

scheduled_command::scheduled_command(driver_queue_ref where, work what)
    : m_device_queue(std::move(where)), m_work(std::move(what)) {
  if (m_device_queue != nullptr && m_device_queue->profiling()) m_made_ns = now_ns();
}

scheduled_command::~scheduled_command() {
  // A long chain of commands that were not finalized would recurse once for each link; this loop destroys it
  // without recursion.
  dependency_list pending = std::move(m_dependencies);
  while (!pending.empty()) {
    const command_ref last = std::move(pending.back().on);
    pending.pop_back();
    if (last.use_count() == 1)
      for (dependency& d : last->m_dependencies) pending.push_back(std::move(d));
    if (last.use_count() == 1) last->m_dependencies.clear();
  }
}

void scheduled_command::depend_on(command_ref on, bool data) {
  if (on.get() == this) return;
  for (dependency& d : m_dependencies)
    if (d.on == on) {
      d.data |= data;
      return;
    }
  m_dependencies.push_back({std::move(on), data});
}

bool scheduled_command::finished() const {
  switch (current()) {
    case phase::complete: return true;
    case phase::submitted: return m_device_queue->points().completed() >= m_point;
    case phase::queued:
    case phase::running: return false;
  }
  return false;
}

scheduled_command::readiness scheduled_command::check(const dependency& d) {
  const phase other = d.on->current();
  if (other == phase::submitted && is_device_work() && !will_fail()) {
    if (d.on->m_device_queue == m_device_queue) {
      follow(d.on->m_point);
      return readiness::ready;
    }
    if (!d.on->finished() && m_device_queue->device().raw().can_wait_for(d.on->m_device_queue->points())) {
      m_waits.push_back({&d.on->m_device_queue->points(), d.on->m_point});
      return readiness::ready;
    }
  }
  if (!d.on->finished()) return readiness::waits;
  finalize(d.on);
  return d.data && d.on->m_failure != nullptr ? readiness::failed : readiness::ready;
}

/// Commands that depend on a failing command are ordered after all of its dependencies too. No device waits
/// for these any more, so the failing command completes when all of them have.
void scheduled_command::record_failed(const dependency& d) {
  if (will_fail()) return;
  m_failed_first = d.on.get();
  m_checked = 0;
}

void scheduled_command::refuse(std::exception_ptr why) {
  const std::lock_guard lock(m_mutex);
  m_failure = std::move(why);
  m_checked = 0;
}

void scheduled_command::end_failed() {
  if (m_failed_first == nullptr) return finish(m_failure);
  if (m_device_queue != nullptr) m_failed_first->pass_on_failure(); // others have no queue that reports it
  finish(std::make_exception_ptr(
      error(error_code::runtime, described() + " did not run: a command it depends on failed: " +
                                     support::text_of(m_failed_first->m_failure))));
}

bool scheduled_command::start_if_ready() {
  while (m_checked < m_dependencies.size()) {
    const std::size_t at = m_checked++;
    switch (check(m_dependencies[at])) {
      case readiness::ready: break;
      case readiness::waits: m_checked = at; return false;
      case readiness::failed: record_failed(m_dependencies[at]); break;
    }
  }
  if (will_fail()) {
    end_failed();
    return true;
  }
  if (is_host_access()) return true; // completed by release()
  return start(known_to::submitter) || start_if_ready();
}

void scheduled_command::advance() {
  const command_ref self = shared_from_this();
  while (m_checked < m_dependencies.size()) {
    const std::size_t at = m_checked++;
    const dependency& d = m_dependencies[at];
    phase seen = d.on->current();
    readiness r = check(d);
    while (r == readiness::waits) {
      m_checked = at; // set before add_waiter: afterwards another thread may continue here
      if (d.on->add_waiter(self, seen)) return;
      m_checked = at + 1;
      seen = d.on->current();
      r = check(d);
    }
    if (r == readiness::failed) record_failed(d);
  }
  if (will_fail()) return end_failed();
  if (is_host_access()) return;
  bool started = false;
  if (is_device_work()) {
    const deferred_release later;
    const std::lock_guard lock(m_device_queue->mutex());
    started = start(known_to::others);
  } else {
    started = start(known_to::others);
  }
  if (!started) advance();
}

/// Returns false if the phase is no longer `seen`; then the caller checks again.
bool scheduled_command::add_waiter(const command_ref& waiter, phase seen) {
  bool watch = false;
  {
    const std::lock_guard lock(m_mutex);
    if (current() != seen || seen == phase::complete) return false;
    m_waiters.push_back(waiter);
    if (seen == phase::submitted && !m_watched) watch = m_watched = true;
  }
  if (watch) watch_completion();
  return true;
}

void scheduled_command::watch_completion() {
  m_device_queue->flush();
  auto* self = new command_ref(shared_from_this());
  m_device_queue->points().on_completion(m_point, [](void* of) {
    const std::unique_ptr<command_ref> done(static_cast<command_ref*>(of));
    const driver_queue& queue = *(*done)->m_device_queue;
    if (queue.device().all().drivers_usable()) queue.threads().finalize_later(std::move(*done));
  }, self);
}

/// Commands that waited for a phase of this one are checked again. Only commands enqueued in a device queue
/// are waiters.
void scheduled_command::submit_again(small_vector<command_ref, 1>& waiters) {
  for (command_ref& w : waiters) {
    services& threads = w->m_device_queue->threads();
    threads.submit_when_ready(std::move(w));
  }
}

bool scheduled_command::start(known_to whom) {
  if (is_device_work()) return start_device(whom);
  if (std::holds_alternative<no_work>(m_work)) {
    m_started_ns = m_ended_ns = now_ns();
    finish(nullptr);
    return true;
  }
  m_phase.store(phase::running, std::memory_order_release);
  m_phase.notify_all();
  try {
    m_device_queue->threads().run_host_task([self = shared_from_this()] { self->run_host(); });
  } catch (const error& no_thread) {
    fail(std::make_exception_ptr(error(no_thread.code(), described() + " did not run: " + no_thread.what())));
  }
  return true;
}

namespace {
thread_local const scheduled_command* running_here = nullptr;
}

bool scheduled_command::runs_on_this_thread() const noexcept { return running_here == this; }
const scheduled_command* scheduled_command::running_task() noexcept { return running_here; }

void scheduled_command::run_host() {
  const scheduled_command* const outer = std::exchange(running_here, this);
  m_started_ns = now_ns();
  std::exception_ptr failed;
  try {
    std::get<host_work>(m_work).body();
  } catch (...) {
    failed = std::current_exception();
  }
  std::get<host_work>(m_work).body = nullptr; // destroy captured objects before waiters continue
  running_here = outer;
  m_ended_ns = now_ns();
  finish(std::move(failed));
}

std::uint64_t scheduled_command::hand_over(device_work& what) {
  const std::span<const devices::timeline_point> waits{m_waits.data(), m_waits.size()};
  if (m_details != nullptr && m_details->method != nullptr)
    return m_details->method->submit(*m_device_queue, what.commands, waits);
  if (what.ready == nullptr) return m_device_queue->queue().submit_after(what.commands, waits, m_after);
  return what.ready->submit(*m_device_queue, {}, waits);
}

bool scheduled_command::start_device(known_to whom) {
  device_work& given = std::get<device_work>(m_work);
  const bool ends_with_kernel =
      !given.commands.empty() && std::holds_alternative<devices::dispatch_command>(given.commands.back());
  try {
    if (const devices::device_error* const loss = m_device_queue->device().loss()) throw *loss;
    m_point = hand_over(given);
    m_device_queue->record_point(m_point, given.ready != nullptr || ends_with_kernel, m_uses_known);
    if (m_device_queue->take_record()) m_device_queue->threads().flush_if_stale(m_device_queue, m_point);
  } catch (const devices::device_error& failed) {
    refuse(failed_with(failed));
    return false;
  } catch (...) {
    refuse(std::current_exception());
    return false;
  }
  given.commands = {}; // the driver has its own copy; freeing it now leaves warm memory for the next command
  if (whom == known_to::submitter) {
    m_phase.store(phase::submitted, std::memory_order_release);
    return true;
  }
  small_vector<command_ref, 1> waiters;
  {
    const std::lock_guard lock(m_mutex);
    m_phase.store(phase::submitted, std::memory_order_release);
    waiters.swap(m_waiters);
  }
  m_phase.notify_all();
  submit_again(waiters);
  return true;
}

std::vector<command_ptr> scheduled_command::dependencies() const {
  std::vector<command_ptr> out;
  const std::lock_guard lock(m_mutex);
  for (const dependency& d : m_dependencies)
    if (!d.on->finished()) out.push_back(d.on);
  return out;
}

} // namespace prism::runtime
