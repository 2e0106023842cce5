#include "runtime/execution/command.hpp"

#include "runtime/device/device_failure.hpp"
#include "runtime/device/device_list.hpp"
#include "runtime/execution/wait_watch.hpp"

#include "runtime/observe/trace.hpp"
#include "runtime/support/log.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace prism::schedule {

using support::trace::now_ns;

namespace {
// Read several times a submission; one word always finds a place in the static block of threads, after dlopen too.
[[gnu::tls_model("initial-exec")]] thread_local deferred_release* active_release = nullptr;
}

deferred_release::deferred_release() : m_outermost(active_release == nullptr) {
  if (m_outermost) active_release = this;
}

deferred_release::~deferred_release() {
  if (m_outermost) active_release = nullptr;
}

bool deferred_release::take(dependency_list& dependencies, kept_list& kept) {
  if (active_release == nullptr) return false;
  for (dependency& d : dependencies) active_release->m_dependencies.push_back(std::move(d));
  for (std::shared_ptr<void>& k : kept) active_release->m_kept.push_back(std::move(k));
  dependencies.clear();
  kept.clear();
  return true;
}

command::command(driver_queue_ref where, work what) : m_lane(std::move(where)), m_work(std::move(what)) {
  if (m_lane != nullptr && m_lane->profiling()) m_made_ns = now_ns();
}

command::~command() {
  // A chain of unsettled commands would recurse once a link: take it apart in a loop.
  dependency_list pending = std::move(m_dependencies);
  while (!pending.empty()) {
    const command_ref last = std::move(pending.back().on);
    pending.pop_back();
    if (last.use_count() == 1)
      for (dependency& d : last->m_dependencies) pending.push_back(std::move(d));
    if (last.use_count() == 1) last->m_dependencies.clear();
  }
}

void command::depend_on(command_ref on, bool data) {
  if (on.get() == this) return;
  for (dependency& d : m_dependencies)
    if (d.on == on) {
      d.data |= data;
      return;
    }
  m_dependencies.push_back({std::move(on), data});
}

bool command::finished() const {
  switch (current()) {
  case phase::complete: return true;
  case phase::submitted: return m_lane->points().completed() >= m_point;
  case phase::held:
  case phase::running: return false;
  }
  return false;
}

command::readiness command::check(const dependency& d) {
  const phase other = d.on->current();
  if (other == phase::submitted && is_device_work() && !will_fail()) {
    if (d.on->m_lane == m_lane) {
      follow(d.on->m_point);
      return readiness::ready;
    }
    if (!d.on->finished() && m_lane->device().raw().can_wait_for(d.on->m_lane->points())) {
      m_waits.push_back({&d.on->m_lane->points(), d.on->m_point});
      return readiness::ready;
    }
  }
  if (!d.on->finished()) return readiness::waits;
  settle(d.on);
  return d.data && d.on->m_failure != nullptr ? readiness::failed : readiness::ready;
}

std::exception_ptr dependency_failure(const std::exception_ptr& cause) {
  return std::make_exception_ptr(
      error(error_code::runtime, "the command did not run: a command it depends on failed: " + text_of(cause)));
}

/// What comes after a command that will fail comes after all that it depends on: no device waits for these now, so it ends when they have.
void command::note_failed(const dependency& d) {
  if (will_fail()) return;
  m_failed_first = d.on.get();
  m_checked = 0;
}

void command::refuse(std::exception_ptr why) {
  const std::lock_guard lock(m_mutex);
  m_failure = std::move(why);
  m_checked = 0;
}

void command::end_failed() { finish(m_failed_first != nullptr ? dependency_failure(m_failed_first->m_failure) : m_failure); }

bool command::start_if_ready() {
  while (m_checked < m_dependencies.size()) {
    const std::size_t at = m_checked++;
    switch (check(m_dependencies[at])) {
    case readiness::ready: break;
    case readiness::waits: m_checked = at; return false;
    case readiness::failed: note_failed(m_dependencies[at]); break;
    }
  }
  if (will_fail()) {
    end_failed();
    return true;
  }
  if (is_host_access()) return true; // ends by release()
  return start(known_to::submitter) || start_if_ready();
}

void command::advance() {
  const command_ref self = shared_from_this();
  while (m_checked < m_dependencies.size()) {
    const std::size_t at = m_checked++;
    const dependency& d = m_dependencies[at];
    phase seen = d.on->current();
    readiness r = check(d);
    while (r == readiness::waits) {
      m_checked = at; // before another thread may go on here
      if (d.on->add_waiter(self, seen)) return;
      m_checked = at + 1;
      seen = d.on->current();
      r = check(d);
    }
    if (r == readiness::failed) note_failed(d);
  }
  if (will_fail()) return end_failed();
  if (is_host_access()) return;
  bool started = false;
  if (is_device_work()) {
    const deferred_release later;
    const std::lock_guard lock(m_lane->mutex());
    started = start(known_to::others);
  } else {
    started = start(known_to::others);
  }
  if (!started) advance();
}

/// False when the phase is not the one that the waiter saw: it looks again.
bool command::add_waiter(const command_ref& waiter, phase seen) {
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

void command::watch_completion() {
  m_lane->flush();
  auto* self = new command_ref(shared_from_this());
  m_lane->points().on_completion(
      m_point,
      [](void* of) {
        const std::unique_ptr<command_ref> done(static_cast<command_ref*>(of));
        const driver_queue& queue = *(*done)->m_lane;
        if (queue.device().all().drivers_usable()) queue.threads().finalize_later(std::move(*done));
      },
      self);
}

/// Those that waited for a phase of this command look again. Only what was enqueued in a lane waits.
void command::submit_again(small_vector<command_ref, 1>& waiters) {
  for (command_ref& w : waiters) {
    services& threads = w->m_lane->threads();
    threads.submit_when_ready(std::move(w));
  }
}

bool command::start(known_to whom) {
  if (is_device_work()) return start_device(whom);
  if (std::holds_alternative<no_work>(m_work)) {
    m_started_ns = m_ended_ns = now_ns();
    finish(nullptr);
    return true;
  }
  m_phase.store(phase::running, std::memory_order_release);
  m_phase.notify_all();
  m_lane->threads().run_host_task([self = shared_from_this()] { self->run_host(); });
  return true;
}

namespace {
thread_local const command* running_here = nullptr;
}

bool command::runs_on_this_thread() const noexcept { return running_here == this; }
bool command::thread_runs_one() noexcept { return running_here != nullptr; }

void command::run_host() {
  const command* const outer = std::exchange(running_here, this);
  m_started_ns = now_ns();
  std::exception_ptr failed;
  try {
    std::get<host_work>(m_work).body();
  } catch (...) {
    failed = std::current_exception();
  }
  std::get<host_work>(m_work).body = nullptr; // what it captured dies before waiters go on
  running_here = outer;
  m_ended_ns = now_ns();
  finish(std::move(failed));
}

std::uint64_t command::hand_over(device_work& what) {
  const std::span<const devices::timeline_point> waits{m_waits.data(), m_waits.size()};
  if (m_details != nullptr && m_details->method != nullptr) return m_details->method->submit(*m_lane, what.commands, waits);
  if (what.ready == nullptr) return m_lane->queue().submit_given(what.commands, waits, m_after);
  return what.ready->submit(*m_lane, {}, waits);
}

bool command::start_device(known_to whom) {
  device_work& given = std::get<device_work>(m_work);
  const bool ends_with_kernel = !given.commands.empty() && std::holds_alternative<devices::dispatch_command>(given.commands.back());
  try {
    m_point = hand_over(given);
    m_lane->note_point(m_point, given.ready != nullptr || ends_with_kernel, m_uses_known);
    if (m_lane->take_note()) m_lane->threads().flush_if_stale(m_lane, m_point);
  } catch (const devices::device_error& failed) {
    refuse(failed_with(failed));
    return false;
  } catch (...) {
    refuse(std::current_exception());
    return false;
  }
  given.commands = {}; // the driver has what it needs; the memory is still near for the next command
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

/// When it ran, on the device's queue or on a thread of the runtime.
void command::tell_followers(bool failed) const {
  observe::completion_event event{.label = known_label(), .device = nullptr, .device_name = {}, .on_device = std::nullopt, .failed = failed};
  if (m_lane != nullptr) {
    event.device = &m_lane->device();
    event.device_name = m_lane->device().name_in_traces();
    event.queue = m_lane->number();
    event.measured = m_lane->measures();
  }
  if (m_point != 0) {
    try {
      event.on_device = m_lane->points().times(m_point);
    } catch (const devices::device_error&) { // the device did not run it, or lost it
    }
  } else {
    event.host_begin_ns = m_started_ns;
    event.host_end_ns = m_ended_ns;
  }
  for (const auto& each : m_details->followers) each->completed(event);
}

void command::finish(std::exception_ptr failure) {
  if (m_details != nullptr && !m_details->followers.empty()) {
    const std::lock_guard lock(m_mutex);
    if (current() == phase::complete) return;
    // Threads that finish it at one time tell it once, and each goes on when that is done.
    if (!std::exchange(m_details->is_told, true)) tell_followers(failure != nullptr);
  }
  small_vector<command_ref, 1> waiters;
  dependency_list dependencies; // destroyed last, without a lock
  kept_list kept;
  {
    const std::lock_guard lock(m_mutex);
    if (current() == phase::complete) return;
    m_failure = failure;
    waiters.swap(m_waiters);
    dependencies.swap(m_dependencies);
    kept.swap(m_kept);
    if (failure != nullptr && m_lane != nullptr && m_point == 0) m_lane->note_gap();
    // Before anybody who waits goes on and asks for it.
    if (failure != nullptr && m_lane != nullptr) m_lane->add_failure(std::move(failure));
    m_phase.store(phase::complete, std::memory_order_release);
  }
  m_phase.notify_all();
  deferred_release::take(dependencies, kept);
  submit_again(waiters);
}

/// As the API's error, with the program's line where somebody asked for lines when it was submitted.
std::exception_ptr command::failed_with(const devices::device_error& what) const {
  m_lane->device().note(what);
  const std::exception_ptr failed = as_error(what);
  if (line().empty()) return failed;
  try {
    std::rethrow_exception(failed);
  } catch (const error& e) {
    return std::make_exception_ptr(error(e.code(), std::string(e.what()) + " (submitted at " + known_label()->line + ')'));
  }
}

std::exception_ptr command::outcome() const {
  auto failed = m_lane->points().failure(m_point);
  if (!failed && m_details != nullptr && m_details->method != nullptr) failed = m_details->method->failure();
  if (failed) {
    return failed_with(*failed);
  }
  for (const dependency& d : m_dependencies)
    if (d.data && d.on->current() == phase::complete && d.on->m_failure != nullptr)
      return std::make_exception_ptr(
          error(error_code::runtime,
                "the command's results are not valid: a command it depends on failed: " + text_of(d.on->m_failure)));
  return nullptr;
}

void command::settle(command_ref finished_command) {
  small_vector<command_ref, 4> pending;
  pending.push_back(std::move(finished_command));
  while (!pending.empty()) {
    const command_ref c = pending.back();
    if (c->current() == phase::complete) {
      pending.pop_back();
      continue;
    }
    bool ready = true;
    std::exception_ptr failed;
    {
      const std::lock_guard lock(c->m_mutex); // against another thread's finish()
      for (const dependency& d : c->m_dependencies)
        if (d.on->current() != phase::complete && d.on->finished()) {
          pending.push_back(d.on);
          ready = false;
        }
      if (ready && c->current() != phase::complete) failed = c->outcome();
    }
    if (!ready) continue;
    pending.pop_back();
    c->finish(std::move(failed));
  }
}

command_node::status command::query() const {
  const status now = look();
  if (now == status::complete && observe::wants(observe::waits)) observe::waited({.command = this});
  return now;
}

command_node::status command::look() const {
  switch (current()) {
  case phase::complete: return status::complete;
  case phase::running: return status::running;
  case phase::held: return status::submitted;
  case phase::submitted: break;
  }
  const std::uint64_t completed = m_lane->points().completed();
  if (completed >= m_point) return status::complete;
  m_lane->flush();
  return completed + 1 == m_point ? status::running : status::submitted;
}

/// For messages about waits.
std::string command::what_it_is() const {
  const command_label* const known = known_label();
  if (known == nullptr) return "a command";
  return known->text + (known->line.empty() ? "" : " (" + known->line + ')');
}

/// Says so when it takes long, as often as PRISM_TIMEOUT asks.
void command::wait_watched(std::chrono::nanoseconds period) {
  const auto begin = std::chrono::steady_clock::now();
  while (true) {
    wait_for(period);
    if (finished()) return;
    const auto waited = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin).count();
    const char* what = current() == phase::submitted ? "given to the device" : current() == phase::running ? "running on the host" : "held back by what it depends on";
    support::log(support::level::error, "a wait has lasted " + std::to_string(waited) + " seconds for " +
                                            what_it_is() +
                                            (m_lane != nullptr ? " on " + m_lane->device().label() : std::string()) + ", which is " + what +
                                            " (PRISM_TIMEOUT)");
  }
}

void command::wait() {
  struct noted {
    const command& what;
    ~noted() {
      if (observe::wants(observe::waits)) observe::waited({.command = &what});
    }
  } const at_the_end{*this};
  std::optional<support::trace::scope> traced;
  if (observe::wants(observe::spans) && !finished()) known_label() != nullptr ? traced.emplace("wait", "wait for ", known_label()->text) : traced.emplace("wait", "wait");
  if (const auto period = wait_watch_period(); period && current() != phase::complete) wait_watched(*period);
  while (true) {
    const phase now = current();
    switch (now) {
    case phase::complete: return;
    case phase::held:
    case phase::running: m_phase.wait(now, std::memory_order_acquire); break;
    case phase::submitted:
      m_lane->wait_for(m_point);
      settle(shared_from_this());
      return;
    }
  }
}

void command::wait_if_given() {
  if (current() != phase::submitted) return;
  if (const auto period = wait_watch_period()) wait_watched(*period);
  else m_lane->wait_for(m_point);
}

devices::timeline_point command::point() {
  for (phase now = current(); now == phase::held || now == phase::running; now = current())
    m_phase.wait(now, std::memory_order_acquire);
  if (m_point == 0) return {};
  return {&m_lane->points(), m_point};
}

void command::wait_for(std::chrono::nanoseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (current() == phase::held || current() == phase::running) {
    if (std::chrono::steady_clock::now() >= deadline) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (current() == phase::submitted) m_lane->points().wait(m_point, limit);
}

devices::profile command::times() {
  if (m_lane == nullptr || !m_lane->profiling())
    throw error(error_code::invalid, "profiling information was asked of a command whose queue was made without "
                                     "property::queue::enable_profiling");
  wait();
  if (m_point == 0) return {m_made_ns, m_started_ns, m_ended_ns};
  try {
    devices::profile p = m_lane->points().times(m_point);
    p.submitted_ns = std::min(m_made_ns, p.started_ns);
    return p;
  } catch (const devices::device_error& failed) {
    rethrow(failed);
  }
}

std::vector<command_ptr> command::dependencies() const {
  std::vector<command_ptr> out;
  const std::lock_guard lock(m_mutex);
  for (const dependency& d : m_dependencies)
    if (!d.on->finished()) out.push_back(d.on);
  return out;
}

std::exception_ptr command::failure() const {
  if (!finished()) return nullptr;
  settle(std::const_pointer_cast<command>(shared_from_this()));
  return m_failure;
}

} // namespace prism::schedule
