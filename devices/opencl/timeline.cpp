#include "devices/opencl/timeline.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace prism::devices::opencl {
namespace {

// A driver's thread calls post, perhaps with the driver's locks held, so post only hands over to the callback
// thread.
struct completion_notice {
  context_ptr context;
  void (*then)(void*);
  void* argument;
  static void CL_CALLBACK post(cl_event, cl_int, void* data) {
    std::unique_ptr<completion_notice> notice(static_cast<completion_notice*>(data));
    notice->context->notices.post(notice->then, notice->argument);
  }
};

/// Also passes the time at which the driver called.
struct timed_notice {
  context_ptr context;
  void (*then)(void*, std::uint64_t);
  void* argument;
  std::uint64_t at_ns = 0;
  static void CL_CALLBACK post(cl_event, cl_int, void* data) {
    auto* const notice = static_cast<timed_notice*>(data);
    notice->at_ns = now_ns();
    const context_ptr context = notice->context;
    context->notices.post([](void* self) {
      const std::unique_ptr<timed_notice> mine(static_cast<timed_notice*>(self));
      mine->then(mine->argument, mine->at_ns);
    }, notice);
  }
};

struct waiter {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
};

void CL_CALLBACK wake_waiter(cl_event, cl_int, void* data) {
  std::unique_ptr<std::shared_ptr<waiter>> held(static_cast<std::shared_ptr<waiter>*>(data));
  waiter& target = **held;
  std::lock_guard lock(target.mutex);
  target.done = true;
  target.changed.notify_all();
}

std::optional<device_error> cut_short(const loop_check& check) {
  for (const auto& [mark, kernel] : check.launches)
    if (mark == check.found)
      return device_error(
          error_category::other, "",
          "running commands on rusticl's llvmpipe: kernel " + *kernel +
              " ran more than 65,535 loop iterations in one work-item or vector of work-items, where this "
              "driver stops; its results are incomplete. Give each work-item less work or use another "
              "device");
  return std::nullopt;
}

} // namespace

opencl_timeline::opencl_timeline(context_ptr context, cl_command_queue queue,
                                 std::optional<clock_calibration> profiling)
    : m_context(std::move(context)), m_profiling(profiling), m_ring(64) {
  m_queues[0] = queue;
}

opencl_timeline::~opencl_timeline() = default;

std::uint64_t opencl_timeline::record(std::vector<event_handle>& events, std::size_t number,
                                      std::uint64_t submitted_ns, std::optional<device_error> failed,
                                      std::unique_ptr<loop_check> check) {
  std::lock_guard lock(m_mutex);
  const std::uint64_t point = m_last.load(std::memory_order_relaxed) + 1;
  retire_some(point);
  if (point - m_completed > m_ring.size()) {
    std::vector<entry> larger(m_ring.size() * 2);
    for (std::uint64_t moved = m_completed + 1; moved < point; ++moved)
      larger[moved & (larger.size() - 1)] = std::move(at(moved));
    m_ring = std::move(larger);
  }
  entry& made = at(point);
  if (!made.more && (events.size() > 1 || failed || check)) made.more = std::make_unique<rest>();
  made.last = std::move(events.back());
  events.pop_back();
  if (made.more) {
    made.more->earlier.assign(std::make_move_iterator(events.begin()), std::make_move_iterator(events.end()));
    made.more->failed = std::move(failed);
    made.more->check = std::move(check);
  }
  events.clear();
  made.submitted_ns = m_profiling ? submitted_ns : number;
  m_last.store(point, std::memory_order_release);
  if (m_early_waiters) m_submitted.notify_all();
  return point;
}

std::size_t opencl_timeline::capacity() const {
  std::lock_guard lock(m_mutex);
  return m_ring.size();
}

event_handle opencl_timeline::event_of(std::uint64_t point) const {
  cl_event event = at(point).last.get();
  check(m_context->api.clRetainEvent(event), "retain an event");
  return event_handle(m_context->api, event);
}

event_handle opencl_timeline::pending_event(std::uint64_t point) const {
  std::lock_guard lock(m_mutex);
  assert(point <= last());
  if (point <= m_completed) return {};
  return event_of(point);
}

void opencl_timeline::pending_events(std::uint64_t point, std::size_t except,
                                     std::vector<event_handle>& out) const {
  std::lock_guard lock(m_mutex);
  assert(point <= last());
  const std::size_t count = m_queue_count.load(std::memory_order_relaxed);
  std::array<bool, most_driver_queues + 1> has{};
  has[except] = true;
  std::size_t left = count - (except < count);
  for (; left != 0 && point > m_completed; --point) {
    const std::size_t number = count == 1 ? 0 : at(point).submitted_ns;
    if (std::exchange(has[number], true)) continue;
    out.push_back(event_of(point));
    --left;
  }
}

void opencl_timeline::add_queue(cl_command_queue made) {
  const std::size_t count = m_queue_count.load(std::memory_order_relaxed);
  m_queues[count] = made;
  m_queue_count.store(count + 1, std::memory_order_release);
}

void opencl_timeline::flush() const {
  const std::uint64_t submitted = last();
  if (m_flushed.load(std::memory_order_relaxed) >= submitted) return;
  if (m_context->is_simulator) {
    const auto simulation = m_context->lock_simulation();
    check(m_context->api.clFinish(m_queues[0]), "simulate a command queue");
  } else {
    for (std::size_t i = 0; i < m_queue_count.load(std::memory_order_acquire); ++i)
      if (const cl_int code = m_context->api.clFlush(m_queues[i]); code != CL_SUCCESS) {
        const device_error failed = m_context->error(code, "flush a command queue");
        // a lost device's points fail by status_of()
        if (failed.category() != error_category::lost) throw failed;
      }
  }
  // Another thread may have flushed more meanwhile; a smaller value only costs one more flush.
  m_flushed.store(submitted, std::memory_order_relaxed);
}

cl_int opencl_timeline::status_of(cl_event event) const {
  cl_int status = CL_QUEUED;
  const cl_int code = m_context->api.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                                    &status, nullptr);
  if (code != CL_SUCCESS) return code;
  return status > CL_COMPLETE && m_context->is_lost() ? stopped_command : status; // it never completes
}

void opencl_timeline::retire(std::uint64_t most) const {
  const std::uint64_t end = last();
  for (; most != 0 && m_completed < end; --most) {
    entry& oldest = at(m_completed + 1);
    cl_int status = status_of(oldest.last.get());
    if (status > CL_COMPLETE) return;
    for (const event_handle& event : steps_of(oldest)) {
      const cl_int before = status_of(event.get());
      if (before > CL_COMPLETE) return; // drivers may report the steps of one submission late
      if (before < 0 && status == CL_COMPLETE) status = before;
    }
    ++m_completed;
    store_outcome(oldest, m_completed, status);
    oldest.last.reset();
    if (!oldest.more) continue;
    oldest.more->earlier.clear();
    oldest.more->check.reset();
  }
  if (m_completed == end && m_ring.size() > most_idle)
    m_ring = std::vector<entry>(most_idle); // a long burst had enlarged it
}

void opencl_timeline::retire_some(std::uint64_t point) const {
  if (point % retire_every != 0 || point - m_completed <= 2 * retire_every) return;
  // If the event in the middle is complete, so are all before it. Querying a running event contends with the
  // driver's threads.
  const std::uint64_t half = (point - m_completed) / 2;
  if (status_of(at(m_completed + half).last.get()) <= CL_COMPLETE) retire(half);
}

void opencl_timeline::store_outcome(entry& done, std::uint64_t point, cl_int status) const {
  if (done.more && done.more->failed) {
    m_failures.emplace(point, std::move(*done.more->failed));
    done.more->failed.reset();
  } else if (status < 0) {
    m_failures.emplace(point, m_context->error(status, "run a submission on an OpenCL queue"));
  } else if (done.more && done.more->check) {
    if (auto error = cut_short(*done.more->check)) m_failures.emplace(point, std::move(*error));
  }
  if (m_profiling) store_times(done);
}

void opencl_timeline::store_times(const entry& done) const {
  const auto& api = m_context->api;
  const cl_event timed = (done.more && done.more->check ? done.more->earlier.back() : done.last).get();
  cl_ulong started = 0, ended = 0;
  times_row row{done.submitted_ns, 0, 0};
  if (api.clGetEventProfilingInfo(timed, CL_PROFILING_COMMAND_START, sizeof started, &started, nullptr) ==
          CL_SUCCESS &&
      api.clGetEventProfilingInfo(timed, CL_PROFILING_COMMAND_END, sizeof ended, &ended, nullptr) ==
          CL_SUCCESS) {
    // Nothing starts before it is submitted. If it seems so, the calibration was off, on a busy machine by
    // more than a kernel takes. Correcting only the start would shorten the measured duration, so correct the
    // offset.
    const auto early = static_cast<std::int64_t>(row.submitted_ns) -
                       (static_cast<std::int64_t>(started) + m_profiling->offset_ns);
    m_profiling->offset_ns += std::max<std::int64_t>(early, 0);
    row.started_ns = static_cast<std::uint64_t>(static_cast<std::int64_t>(started) + m_profiling->offset_ns);
    row.ended_ns = static_cast<std::uint64_t>(static_cast<std::int64_t>(ended) + m_profiling->offset_ns);
  } else {
    row.started_ns = row.ended_ns =
        now_ns(); // failed commands have no times: use the time at which the end was seen
  }
  row.started_ns = std::max(row.started_ns, row.submitted_ns);
  row.ended_ns = std::max(row.ended_ns, row.started_ns);
  m_times.push_back(row);
}

std::uint64_t opencl_timeline::completed() const {
  flush(); // a caller that polls wants progress
  std::lock_guard lock(m_mutex);
  retire(std::numeric_limits<std::uint64_t>::max());
  return m_completed;
}

bool opencl_timeline::wait_for_event(cl_event event, std::optional<std::chrono::nanoseconds> limit) {
  if (!limit) {
    // A failed command makes this call fail; retiring the point stores the failure.
    if (const cl_int code = m_context->api.clWaitForEvents(1, &event);
        category_of(code) == error_category::lost)
      m_context->error(code, "wait for an event"); // from now on is_lost()
    return true;
  }
  if (status_of(event) <= CL_COMPLETE) return true;
  if (limit->count() <= 0) return false;
  auto target = std::make_shared<waiter>();
  auto held = std::make_unique<std::shared_ptr<waiter>>(target);
  m_context->check(m_context->api.clSetEventCallback(event, CL_COMPLETE, wake_waiter, held.get()),
                   "set an event's callback");
  held.release(); // belongs to wake_waiter now
  std::unique_lock lock(target->mutex);
  return target->changed.wait_for(lock, *limit, [&] { return target->done; });
}

bool opencl_timeline::wait_until_submitted(std::uint64_t point,
                                           std::optional<std::chrono::nanoseconds> limit) {
  std::unique_lock lock(m_mutex);
  const auto there = [&] { return last() >= point; };
  ++m_early_waiters;
  bool submitted = true;
  if (limit) submitted = m_submitted.wait_for(lock, *limit, there);
  else m_submitted.wait(lock, there);
  --m_early_waiters;
  return submitted;
}

bool opencl_timeline::wait(std::uint64_t point, std::optional<std::chrono::nanoseconds> limit) {
  const auto begin = std::chrono::steady_clock::now();
  if (point > last() && !wait_until_submitted(point, limit)) return false;
  flush();
  event_handle event = pending_event(point);
  while (event) {
    std::optional<std::chrono::nanoseconds> left;
    if (limit)
      left = std::max(std::chrono::nanoseconds(0), *limit - (std::chrono::steady_clock::now() - begin));
    if (!wait_for_event(event.get(), left)) return false;
    std::lock_guard lock(m_mutex);
    retire(std::numeric_limits<std::uint64_t>::max());
    if (m_completed >= point) return true;
    // The driver reports an earlier event of this in-order queue later: wait for it, then check again.
    entry& oldest = at(m_completed + 1);
    cl_event next = oldest.last.get();
    for (const event_handle& step : steps_of(oldest))
      if (status_of(step.get()) > CL_COMPLETE) next = step.get();
    check(m_context->api.clRetainEvent(next), "retain an event");
    event = event_handle(m_context->api, next);
  }
  return true;
}

std::optional<device_error> opencl_timeline::failure(std::uint64_t point) const {
  std::lock_guard lock(m_mutex);
  retire(std::numeric_limits<std::uint64_t>::max());
  const auto found = m_failures.find(point);
  if (found == m_failures.end()) return std::nullopt;
  return found->second;
}

profile opencl_timeline::times(std::uint64_t point) const {
  std::lock_guard lock(m_mutex);
  retire(std::numeric_limits<std::uint64_t>::max());
  if (!m_profiling)
    throw device_error(error_category::unsupported, "",
                       "execution times: the queue was made without profiling");
  if (point == 0 || point > m_times.size())
    throw device_error(error_category::invalid, "",
                       "execution times of point " + std::to_string(point) + ": it is not complete yet");
  const times_row& row = m_times[point - 1];
  return {row.submitted_ns, row.started_ns, row.ended_ns};
}

template <typename Notice, typename Then>
bool opencl_timeline::ask_for_notice(std::uint64_t point, Then then, void* context) {
  flush();
  event_handle event = pending_event(point);
  if (!event || m_context->is_simulator) return false; // flush() of a simulator has run everything
  if (m_context->is_lost()) return false;
  auto notice = std::make_unique<Notice>(Notice{m_context, then, context});
  m_context->check(m_context->api.clSetEventCallback(event.get(), CL_COMPLETE, Notice::post, notice.get()),
                   "set an event's callback");
  notice.release(); // belongs to post now
  return true;
}

void opencl_timeline::on_completion(std::uint64_t point, void (*then)(void*), void* context) {
  if (!ask_for_notice<completion_notice>(point, then, context)) then(context);
}

void opencl_timeline::on_completion_at(std::uint64_t point, void (*then)(void*, std::uint64_t),
                                       void* context) {
  if (!ask_for_notice<timed_notice>(point, then, context)) then(context, now_ns());
}

} // namespace prism::devices::opencl
