// Execution times of a queue's points: device timestamps or, for work of the host, the host's clock.
// Available until the queue is destroyed; queries are reused once read. Reads all complete queries in order
// in few calls, because a read is expensive if the driver first waits for the device (lavapipe).
#pragma once

#include "devices/vulkan/device.hpp"
#include "devices/vulkan/fifo.hpp"

#include <mutex>
#include <vector>

namespace prism::devices::vulkan {

class profiler {
public:
  explicit profiler(device& owner) : m_device(owner) {}
  ~profiler();
  static std::uint64_t now() noexcept; // the host's clock

  /// Begins a submission; points come in order. `completed`: queries of points up to it may be read now.
  void begin(std::uint64_t point, std::uint64_t completed);
  void write_start(VkCommandBuffer into, std::uint64_t point);
  void write_end(VkCommandBuffer into, std::uint64_t point);
  /// Called instead of write_start if the device continues from the point before without a pause: the start
  /// is the end of that point, but not before this one was sent. Only for traces.
  void start_at_end_before(std::uint64_t point);
  /// Whether a device timestamp marks the end of this point.
  bool ends_on_device(std::uint64_t point);
  /// A call that began at `ns` submitted the points up to `last` to the VkQueue.
  void record_sent(std::uint64_t last, std::uint64_t ns) noexcept;
  void host_started(std::uint64_t point) noexcept;
  void host_ended(std::uint64_t point) noexcept;

  /// Times of a completed point. `completed`: the last point known to be complete.
  profile times(std::uint64_t point, std::uint64_t completed);
  std::uint64_t end_ticks(std::uint64_t point);

private:
  static constexpr std::uint32_t pairs_per_pool = 256;
  static constexpr std::uint32_t none = ~0u;
  struct entry {
    profile known;
    std::uint32_t pair = none;
    bool device_start = false, device_end = false;
    bool on_device() const { return device_start || device_end; }
  };
  struct query_result { // layout written by the driver
    std::uint64_t ticks, is_available;
  };
  entry& at(std::uint64_t point) { return m_entries[point - 1]; }
  VkQueryPool pool(std::uint32_t pair) const { return m_pools[pair / pairs_per_pool]; }
  std::uint32_t take_pair(std::uint64_t completed);
  std::uint64_t read(std::uint32_t query_pair, std::uint32_t which);
  std::size_t read_pairs(std::uint64_t last);
  void resolve_next();
  void resolve_up_to(std::uint64_t last);

  device& m_device;
  std::mutex m_mutex;
  std::vector<VkQueryPool> m_pools;
  fifo<std::uint32_t> m_free; // used in turn, so that consecutive points have adjacent queries in a pool
  std::vector<query_result> m_results;
  std::vector<entry> m_entries; // index: point - 1
  std::uint64_t m_resolved = 0; // all up to this point have been read
  std::uint64_t m_sent = 0;
};

} // namespace prism::devices::vulkan
