#include "devices/wrap/delayed_points.hpp"

#include <algorithm>

namespace prism::devices::wrap {

delayed_points::~delayed_points() {
  {
    const std::lock_guard lock(m_mutex);
    m_stopping = true;
    m_until.clear();
  }
  m_changed.notify_all();
  if (m_server.joinable()) m_server.join();
}

std::uint64_t delayed_points::delay(time until, const std::function<std::uint64_t()>& make) {
  const std::lock_guard lock(m_mutex);
  m_any.store(true, std::memory_order_release);
  const time now = std::chrono::steady_clock::now();
  std::erase_if(m_until, [&](const auto& each) { return each.second <= now; });
  const std::uint64_t point = make();
  m_until.emplace(point, until);
  return point;
}

delayed_points::time delayed_points::delayed_until_locked(std::uint64_t point) const {
  time latest{};
  for (auto delayed = m_until.begin(); delayed != m_until.end() && delayed->first <= point; ++delayed)
    latest = std::max(latest, delayed->second);
  return latest;
}

delayed_points::time delayed_points::delayed_until(std::uint64_t point) const {
  if (!m_any.load(std::memory_order_acquire)) return {};
  const std::lock_guard lock(m_mutex);
  return delayed_until_locked(point);
}

std::uint64_t delayed_points::completed() const {
  if (!m_any.load(std::memory_order_acquire)) return m_device.completed();
  const std::lock_guard lock(m_mutex);
  const std::uint64_t reached = m_device.completed();
  const time now = std::chrono::steady_clock::now();
  const auto delayed =
      std::find_if(m_until.begin(), m_until.end(), [&](const auto& each) { return each.second > now; });
  return delayed == m_until.end() ? reached : std::min(reached, delayed->first - 1);
}

bool delayed_points::wait(std::uint64_t point, std::optional<std::chrono::nanoseconds> limit) {
  if (!m_any.load(std::memory_order_acquire)) return m_device.wait(point, limit);
  const time end =
      limit ? std::chrono::steady_clock::now() + std::chrono::duration_cast<time::duration>(*limit) : never;
  {
    std::unique_lock lock(m_mutex);
    while (true) {
      const time until = delayed_until_locked(point), now = std::chrono::steady_clock::now();
      if (until <= now) break;
      if (end <= now) return false;
      const time next = std::min(until, end);
      if (next == never) m_changed.wait(lock);
      else m_changed.wait_until(lock, next);
    }
  }
  if (!limit) return m_device.wait(point, std::nullopt);
  return m_device.wait(point, std::max(end - std::chrono::steady_clock::now(), time::duration::zero()));
}

void delayed_points::on_completion(std::uint64_t point, void (*then)(void*), void* context) {
  if (delayed_until(point) > std::chrono::steady_clock::now()) {
    const std::lock_guard lock(m_mutex);
    m_callbacks.push_back({point, then, context});
    if (!m_server.joinable()) m_server = std::thread([this] { serve_callbacks(); });
    m_changed.notify_all();
    return;
  }
  m_device.on_completion(point, then, context);
}

/// Passes each callback to the device's timeline when its point is released.
void delayed_points::serve_callbacks() {
  std::unique_lock lock(m_mutex);
  while (true) {
    const time now = std::chrono::steady_clock::now();
    time next = never;
    std::vector<callback> ready;
    std::erase_if(m_callbacks, [&](const callback& each) {
      const time until = delayed_until_locked(each.point);
      if (until > now) {
        next = std::min(next, until);
        return false;
      }
      ready.push_back(each);
      return true;
    });
    if (!ready.empty()) {
      lock.unlock();
      for (const callback& each : ready) m_device.on_completion(each.point, each.then, each.context);
      lock.lock();
      continue;
    }
    if (m_stopping) return;
    if (next == never) m_changed.wait(lock);
    else m_changed.wait_until(lock, next);
  }
}

} // namespace prism::devices::wrap
