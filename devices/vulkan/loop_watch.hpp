// Finds the dispatches whose loops the driver cut short (see compiler/device_ir/loop_limit.hpp), and those
// whose matrices are not aligned: each has a word of host-visible memory that its kernel sets to 1 or to 2.
//
// Words are read when a caller asks for a failure or when none are free, and then reused. Any thread may ask
// for failures; only the queue arms words.
#pragma once

#include "devices/vulkan/memory.hpp"

#include <atomic>
#include <deque>
#include <map>
#include <optional>
#include <string>

namespace prism::devices::vulkan {

class timeline;

class loop_watch {
public:
  explicit loop_watch(device& owner) : m_device(owner) {}
  ~loop_watch(); // the dispatches must be complete

  /// Clears a word for one dispatch of the submission that will be `point`; returns its device address.
  std::uint64_t arm(std::uint64_t point, const timeline& points, std::shared_ptr<const std::string> kernel);
  /// The submission `point` failed to be submitted.
  void disarm(std::uint64_t point) noexcept;
  /// False: no dispatch was ever armed.
  bool used() const noexcept { return m_used.load(std::memory_order_acquire); }
  /// The failure of `point`, if any. All points up to `completed` are complete.
  std::optional<device_error> failure(std::uint64_t point, std::uint64_t completed);

private:
  struct armed {
    std::uint64_t point = 0;
    std::uint32_t word = 0;
    std::shared_ptr<const std::string> kernel;
  };
  void collect(std::uint64_t completed); // call with m_mutex held, as for all below
  void add_words();
  std::uint32_t& at(std::uint32_t word) const;

  device& m_device;
  std::atomic<bool> m_used{false};
  std::mutex m_mutex;
  std::vector<range> m_chunks;
  std::vector<std::uint32_t> m_free;
  std::deque<armed> m_armed; // by rising point
  struct fault {
    std::shared_ptr<const std::string> kernel;
    bool is_misaligned;
  };
  std::map<std::uint64_t, fault> m_faults;
};

} // namespace prism::devices::vulkan
