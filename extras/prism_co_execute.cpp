// prism::co_execute: executes one range on several queues at the same time. Each queue has a thread that
// keeps the device busy: it submits the next chunk while one runs.
#include "extras/invalid.hpp"
#include "runtime/api/command_group.hpp"
#include "extras/shares.hpp"

#include <prism/devices.hpp>
#include <prism/strategy.hpp>
#include <prism/wrap.hpp>
#include <sycl/info.hpp>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace prism {

namespace {

using clock = std::chrono::steady_clock;

/// The chunk scheduler that the queues share. Thread-safe.
class source {
public:
  source(std::size_t items, std::size_t queues, const strategy& how, prior_estimate known)
      : m_scheduler(items, queues, how, std::move(known)) {}

  /// Returns the next items for the queue. Count 0: none are left.
  share next(std::size_t queue) {
    const std::lock_guard lock(m_mutex);
    return m_scheduler.next(queue, now());
  }
  void finished(const share& what, seconds took, seconds launching) {
    const std::lock_guard lock(m_mutex);
    m_scheduler.finished(what, took.count(), launching.count(), now());
  }
  void stop() {
    const std::lock_guard lock(m_mutex);
    m_scheduler.stop();
  }
  std::size_t held_back() const noexcept { return m_scheduler.held_back(); }

private:
  double now() const { return seconds(clock::now() - m_begin).count(); }

  std::mutex m_mutex;
  chunk_scheduler m_scheduler;
  clock::time_point m_begin = clock::now();
};

/// The worker of one queue. Only its own thread uses it.
class worker {
public:
  using part_function = std::function<void(sycl::handler&, std::size_t, std::size_t)>;
  worker(sycl::queue queue, std::size_t number, source& from, const part_function& part,
         co_report::part& report)
      : m_queue(std::move(queue)), m_number(number), m_from(from), m_part(part), m_report(report),
        m_profiles(m_queue.has_property<sycl::property::queue::enable_profiling>()) {}

  void run() {
    std::optional<flight> before;
    for (;;) {
      const share what = m_from.next(m_number);
      std::optional<flight> now;
      if (what.count != 0) now = submitted(what);
      if (before) finish(*before);
      else if (!now) return;
      before = std::move(now);
    }
  }
  /// After an error: waits until the queue is idle.
  void rest() { m_queue.wait_and_throw(); }

private:
  struct flight {
    share what;
    clock::time_point begin;
    seconds launching;
    sycl::event event;
  };

  flight submitted(const share& what) {
    const auto begin = clock::now();
    sycl::detail::handler_impl group(sycl::detail::access_impl::get(m_queue));
    group.claim_regions(); // ranges do not wait for each other
    m_part(group.facade(), what.first, what.count);
    sycl::event event = group.submit();
    return {what, begin, clock::now() - begin, std::move(event)};
  }

  void finish(const flight& done) {
    sycl::event event = done.event;
    event.wait_and_throw();
    const auto now = clock::now();
    seconds took = now - std::max(done.begin, m_last);
    if (m_profiles) {
      namespace profiling = sycl::info::event_profiling;
      took = std::chrono::nanoseconds(event.get_profiling_info<profiling::command_end>() -
                                      event.get_profiling_info<profiling::command_start>());
    }
    m_last = now;
    m_from.finished(done.what, took, done.launching);
    m_report.busy += took;
    m_report.items += done.what.count;
    ++m_report.chunks;
  }

  sycl::queue m_queue;
  std::size_t m_number;
  source& m_from;
  const part_function& m_part;
  co_report::part& m_report;
  bool m_profiles;
  clock::time_point m_last{};
};

std::vector<device_description> devices_of(const std::vector<sycl::queue>& queues) {
  std::vector<device_description> out;
  for (const sycl::queue& q : queues) out.push_back(describe(q.get_device()));
  return out;
}

/// Returns a queue with the same context and device. Errors reach `handler` instead of the program's
/// handlers, which may end the process. Profiling is off for a described device, because its times are
/// simulated.
sycl::queue own_queue(const sycl::queue& like, const sycl::async_handler& handler) {
  const sycl::device device = like.get_device();
  sycl::property_list how{sycl::property::queue::in_order()};
  if (device.has(sycl::aspect::queue_profiling) && !usage_of(device))
    how = {sycl::property::queue::in_order(), sycl::property::queue::enable_profiling()};
  return sycl::queue(like.get_context(), device, handler, how);
}

} // namespace

co_report co_execute(std::vector<sycl::queue> queues, std::size_t items, const strategy& how,
                     const std::function<void(sycl::handler&, std::size_t, std::size_t)>& part,
                     const workload& whole) {
  if (queues.empty()) invalid("co_execute: give at least one queue");
  const std::vector<device_description> devices = devices_of(queues);
  source from(items, queues.size(), how, prior_estimate_of(how, items, whole, devices));
  co_report report;
  report.held_back = from.held_back();
  for (const sycl::queue& q : queues)
    report.parts.push_back({q.get_device().get_info<sycl::info::device::name>(), 0, 0, seconds(0)});
  std::mutex error_mutex;
  std::exception_ptr error;
  const auto keep = [&](std::exception_ptr e) {
    from.stop();
    const std::lock_guard lock(error_mutex);
    if (!error) error = std::move(e);
  };
  std::vector<worker> workers;
  for (std::size_t i = 0; i < queues.size(); ++i)
    workers.emplace_back(own_queue(queues[i],
                                   [&](sycl::exception_list list) {
      for (const std::exception_ptr& e : list) keep(e);
    }),
                         i, from, part, report.parts[i]);
  const auto work = [&](std::size_t i) {
    try {
      workers[i].run();
    } catch (...) {
      keep(std::current_exception());
    }
    try {
      workers[i].rest();
    } catch (...) {
      keep(std::current_exception());
    }
  };
  const auto begin = clock::now();
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < queues.size(); ++i) threads.emplace_back(work, i);
  work(0);
  for (std::thread& t : threads) t.join();
  report.wall = clock::now() - begin;
  if (error) std::rethrow_exception(error);
  update_model(how, items, whole, devices, report);
  return report;
}

} // namespace prism
