#include "runtime/execution/driver_queue.hpp"

#include "runtime/device/device_state.hpp"
#include "runtime/support/forked.hpp"

#include <algorithm>

namespace prism::runtime {

namespace {

/// Counts a thread while it waits.
class counted_thread {
public:
  explicit counted_thread(std::atomic<unsigned>& all) : m_all(all) {
    m_all.fetch_add(1, std::memory_order_relaxed);
  }
  ~counted_thread() { m_all.fetch_sub(1, std::memory_order_relaxed); }
  counted_thread(const counted_thread&) = delete;

private:
  std::atomic<unsigned>& m_all;
};

} // namespace

driver_queue::driver_queue(device_state& device, services& threads, std::unique_ptr<devices::queue> queue,
                           const settings& how)
    : m_device(device), m_services(threads), m_number(how.number), m_profiling(how.profiling),
      m_measures_each(how.measures_each), m_measures(how.measures), m_is_native(how.native_queue),
      m_kernels(how.kernels), m_starts_at_once(device.info().starts_without_flush), m_queue(std::move(queue)),
      m_points(&m_queue->points()) {}

void driver_queue::wait_for(std::uint64_t point) {
  const counted_thread mine(m_waiting);
  m_points->wait(point);
}

void driver_queue::flush() {
  if (support::is_forked_child.load(std::memory_order_relaxed)) return; // a thread may have held the lock
  const std::lock_guard lock(m_mutex);
  m_queue->flush();
}

bool driver_queue::start_recorded(std::uint64_t& point) noexcept {
  const std::lock_guard lock(m_mutex);
  try {
    const std::uint64_t completed = m_points->completed();
    const bool idle = completed >= point || m_waiting.load(std::memory_order_relaxed) != 0;
    m_idle_checks.store(idle ? std::min(m_idle_checks.load(std::memory_order_relaxed) + 1, often) : 0,
                        std::memory_order_relaxed);
    if (completed >= point && completed < m_last_point) { // newer work, which a thread may still wait for
      point = m_last_point;
      return true;
    }
    if (completed < point) m_queue->flush(); // flushes all work
  } catch (const devices::device_error&) {   // a lost device reports its error to the threads that wait
  }
  m_is_recorded = false;
  return false;
}

std::uint64_t driver_queue::add_failure(std::exception_ptr failure) {
  if (m_kernels != nullptr) return m_kernels->add_failure(std::move(failure));
  const std::lock_guard lock(m_failure_mutex);
  m_failures.push_back(std::move(failure));
  return ++m_last_failure;
}

bool driver_queue::has_reported_failure(std::uint64_t number) const {
  const driver_queue& of = m_kernels != nullptr ? *m_kernels : *this;
  return of.m_last_reported.load(std::memory_order_acquire) >= number;
}

void driver_queue::drop_failure(const std::exception_ptr& thrown) {
  if (m_kernels != nullptr) return m_kernels->drop_failure(thrown);
  const std::lock_guard lock(m_failure_mutex);
  std::erase(m_failures, thrown);
}

std::vector<std::exception_ptr> driver_queue::take_stored_failures() {
  const std::lock_guard lock(m_failure_mutex);
  m_last_reported.store(m_last_failure, std::memory_order_release);
  return std::exchange(m_failures, {});
}

} // namespace prism::runtime
