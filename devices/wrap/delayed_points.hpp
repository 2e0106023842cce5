// Points of a timeline that complete later than on the device, or never, as on a slow or hanging device. The
// commands themselves run at once. Points complete in order, so the points after a delayed one are delayed
// too.
#pragma once

#include "devices/api/device.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace prism::devices::wrap {

class delayed_points {
public:
  using time = std::chrono::steady_clock::time_point;
  static constexpr time never = time::max();

  /// `device` completes the points.
  explicit delayed_points(timeline& device) : m_device(device) {}
  /// Releases all points; no thread may wait for one any more.
  ~delayed_points();
  delayed_points(const delayed_points&) = delete;

  /// Calls `make` for a point and delays the point until then; no thread can see the point before it is
  /// delayed.
  std::uint64_t delay(time until, const std::function<std::uint64_t()>& make);
  /// When the last of the points up to this one is released; a time in the past if none is delayed.
  time delayed_until(std::uint64_t point) const;

  std::uint64_t completed() const;
  bool wait(std::uint64_t point, std::optional<std::chrono::nanoseconds> limit);
  void on_completion(std::uint64_t point, void (*then)(void*), void* context);

private:
  struct callback {
    std::uint64_t point;
    void (*then)(void*);
    void* context;
  };
  time delayed_until_locked(std::uint64_t point) const;
  void serve_callbacks();

  timeline& m_device;
  mutable std::mutex m_mutex;
  std::condition_variable m_changed;
  std::atomic<bool> m_any{false}; // some point was delayed; until then nothing takes a lock
  std::map<std::uint64_t, time> m_until;
  std::vector<callback> m_callbacks;
  std::thread m_server; // started by the first callback that has to wait
  bool m_stopping = false;
};

} // namespace prism::devices::wrap
