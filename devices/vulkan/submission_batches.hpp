// What a queue has recorded and not yet given to its VkQueue, in order.
//
// While the device has enough to do, submissions that are command buffers only are kept, and many go to the
// VkQueue in one call behind one signal: that call costs more than recording a kernel. What is kept is sent
// when somebody waits for it, asks for a flush or depends on it, when there is much of it, and before the
// device runs dry, which a callback tells: so nothing that was submitted stays behind for good. Nothing is
// kept any more once the program has the VkQueue itself, since it could not know when to keep away from it.
//
// Any thread may send; the queue's puts.
#pragma once

#include "devices/vulkan/device.hpp"
#include "devices/vulkan/fifo.hpp"
#include "devices/vulkan/host_worker.hpp"

#include <span>
#include <vector>

namespace prism::devices::vulkan {

class profiler;
class timeline;

/// A part of a submission that enters the VkQueue as one.
struct batch {
  VkCommandBuffer commands = VK_NULL_HANDLE; // null: only waits and signals
  std::size_t first_wait = 0, wait_count = 0;
  semaphore_value signal; // none: one more batch follows at once
  bool is_own = true;     // false: a command buffer's commands
  bool is_closed = true;  // false: the commands do not end with a barrier
};

class submission_batches {
public:
  submission_batches(device& owner, shared_queue& shared, timeline& points);
  ~submission_batches();

  /// Commands that are a barrier, for what is sent without one at its end.
  void close_with(VkCommandBuffer barrier) noexcept { m_barrier = barrier; }
  /// Is told when points are sent; null: nobody.
  void set_profiler(profiler* times) noexcept { m_times = times; }
  /// Whether something is kept: what is put next follows command buffers of this queue, or the barrier behind
  /// them.
  bool keeps() const noexcept { return m_keeps.load(std::memory_order_relaxed); }
  /// Whether the VkQueue has work of this queue only.
  bool is_alone() const;
  /// Whether one more command buffer would be kept now.
  bool would_keep();
  /// Takes over the submission `point`. `keep`: would_keep() said so, and it is one command buffer that waits
  /// for nothing. Throws device_error when it was to be sent and cannot be; it was not taken then.
  void put(std::span<const batch> batches, std::span<const semaphore_value> waits, std::uint64_t point,
           bool keep);
  /// Gives the VkQueue all there is. Where the driver refuses that, the device is lost.
  void send() noexcept;
  /// Sends the point if it is not, and gives the value that the semaphore takes when it is reached: that of
  /// the last of those sent together. (Any up to it would do, but the validation layer loses track of waits
  /// for values that nothing signals.)
  std::uint64_t signal_of(std::uint64_t point) noexcept;
  /// The program is about to have the VkQueue: sends everything of all its queues, and nothing is kept from
  /// now on.
  static void hand_out(shared_queue& shared);

private:
  struct entry { // one VkSubmitInfo
    std::size_t first_command = 0, command_count = 0, first_wait = 0, wait_count = 0;
    semaphore_value signal;
    bool is_closed = true;
  };
  void close(entry& last);
  void append(const batch& what, std::span<const semaphore_value> waits, bool is_first);
  bool has_enough_to_do();
  VkResult give();
  void send_kept() noexcept;
  void forget_kept() noexcept;
  void guard(std::uint64_t point);
  void running_dry() noexcept;

  device& m_device;
  shared_queue& m_shared;
  timeline& m_points;
  VkCommandBuffer m_barrier = VK_NULL_HANDLE;
  profiler* m_times = nullptr;
  std::atomic<bool> m_keeps{false};
  std::mutex m_mutex;         // guards all below
  fifo<std::uint64_t> m_sent; // last points of the sends in flight
  std::uint64_t m_last_put = 0;
  bool m_guarded = false;
  std::vector<entry> m_entries;
  std::vector<VkCommandBuffer> m_commands;
  std::vector<VkSemaphore> m_wait_semaphores;
  std::vector<std::uint64_t> m_wait_values;
  std::vector<VkPipelineStageFlags> m_wait_stages;
  std::vector<VkSubmitInfo> m_infos; // of the call being made, as the next
  std::vector<VkTimelineSemaphoreSubmitInfo> m_timeline_infos;
};

} // namespace prism::devices::vulkan
