// Execution times of a queue's points: device timestamps or, for what the host did, the host's clock. Kept
// for the queue's life; the queries behind them are reused once read. They are read in order, all that are
// complete in few calls: to read is dear where the driver waits for the device first (lavapipe).
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
  static std::uint64_t now() noexcept; // on the host's clock

  /// A new submission; points come in order. `completed`: all up to it may be read back now.
  void begin(std::uint64_t point, std::uint64_t completed);
  void write_start(VkCommandBuffer into, std::uint64_t point);
  void write_end(VkCommandBuffer into, std::uint64_t point);
  /// Instead of write_start, where the device goes on from the point before without a pause: it starts where
  /// that ends, but not before it was sent. Only for traces.
  void start_at_end_before(std::uint64_t point);
  /// Whether a timestamp of the device ends it.
  bool ends_on_device(std::uint64_t point);
  /// The points up to `last` are in the VkQueue, by a call that began then.
  void record_sent(std::uint64_t last, std::uint64_t ns) noexcept;
  void host_started(std::uint64_t point) noexcept;
  void host_ended(std::uint64_t point) noexcept;

  /// Of a completed point. `completed`: the last that is known to be.
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
  struct query_result { // as the driver writes it
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
  fifo<std::uint32_t> m_free; // in turn, so that neighbours in time are neighbours in a pool
  std::vector<query_result> m_results;
  std::vector<entry> m_entries; // by point - 1
  std::uint64_t m_resolved = 0; // all up to this point are
  std::uint64_t m_sent = 0;
};

} // namespace prism::devices::vulkan
