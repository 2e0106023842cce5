// Points of a timeline that are complete later than the device completes them, or never: what a slow or
// hanging device looks like from outside. The commands themselves run at once. Points complete in order, so
// what comes behind a held one is held too.
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

  /// `device` is what completes the points.
  explicit delayed_points(timeline& device) : m_device(device) {}
  /// Lets all points go; nobody waits for one any more.
  ~delayed_points();
  delayed_points(const delayed_points&) = delete;

  /// Makes a point and holds it back until then; nobody sees it before it is held.
  std::uint64_t hold(time until, const std::function<std::uint64_t()>& make);
  /// When the last of the points up to this one goes; nothing is held: a time that is over.
  time held_until(std::uint64_t point) const;

  std::uint64_t completed() const;
  bool wait(std::uint64_t point, std::optional<std::chrono::nanoseconds> limit);
  void on_completion(std::uint64_t point, void (*then)(void*), void* context);

private:
  struct callback {
    std::uint64_t point;
    void (*then)(void*);
    void* context;
  };
  time held_until_locked(std::uint64_t point) const;
  void serve_callbacks();

  timeline& m_device;
  mutable std::mutex m_mutex;
  std::condition_variable m_changed;
  std::atomic<bool> m_any{false}; // was ever held: until then nothing costs a lock
  std::map<std::uint64_t, time> m_until;
  std::vector<callback> m_callbacks;
  std::thread m_server; // made at the first callback that has to wait
  bool m_stopping = false;
};

} // namespace prism::devices::wrap
