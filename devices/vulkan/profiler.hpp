// Execution times of a queue's points: device timestamps or, for what the host did, the host's clock. Kept for the
// queue's life; the queries behind them are reused once read.
#pragma once

#include "devices/vulkan/device.hpp"

#include <mutex>
#include <vector>

namespace prism::devices::vulkan {

class profiler {
public:
  explicit profiler(device& owner) : m_device(owner) {}
  ~profiler();

  /// A new submission; points come in order. `completed`: all up to it may be read back now.
  void begin(std::uint64_t point, std::uint64_t completed);
  void write_start(VkCommandBuffer into, std::uint64_t point);
  void write_end(VkCommandBuffer into, std::uint64_t point);
  void host_started(std::uint64_t point) noexcept;
  void host_ended(std::uint64_t point) noexcept;

  profile times(std::uint64_t point); // of a completed point
  std::uint64_t end_ticks(std::uint64_t point);

private:
  static constexpr std::uint32_t pairs_per_pool = 256;
  static constexpr std::uint32_t none = ~0u;
  struct entry {
    profile known;
    std::uint32_t pair = none;
    bool device_start = false, device_end = false;
  };
  entry& at(std::uint64_t point) { return m_entries[point - 1]; }
  VkQueryPool pool(std::uint32_t pair) const { return m_pools[pair / pairs_per_pool]; }
  std::uint32_t take_pair(std::uint64_t completed);
  std::uint64_t read(std::uint32_t query_pair, std::uint32_t which);
  void resolve(entry& what);

  device& m_device;
  std::mutex m_mutex;
  std::vector<VkQueryPool> m_pools;
  std::vector<std::uint32_t> m_free;
  std::vector<entry> m_entries; // by point - 1
  std::uint64_t m_resolved = 0; // all up to this point are
};

} // namespace prism::devices::vulkan
