// Command buffers of one queue that have been recorded but not yet submitted to the VkQueue, in order.
//
// vkQueueSubmit costs more than recording a kernel. So while the device has enough to do, submissions that
// consist of command buffers only are batched: one vkQueueSubmit with one signal submits many. A batch is
// sent when a caller waits for it or asks for a flush, when other work depends on it, when it is long enough,
// and before the device runs out of work, which a completion callback reports: so every submission starts
// eventually. Once the program has the VkQueue itself, nothing is batched, since the program could not know
// when the queue is in use.
//
// A vkQueueSubmit makes visible what the host wrote before it (Vulkan, "Host Write Ordering Guarantees"). A
// batch that waits for host copies of its own submission is submitted before they run, and NVIDIA's driver
// (580) reads the host's memory anew only where a call begins: such a batch begins one.
//
// Any thread may send; only the queue's thread may put.
#pragma once

#include "devices/vulkan/device.hpp"
#include "devices/vulkan/fifo.hpp"
#include "devices/vulkan/host_worker.hpp"

#include <span>
#include <vector>

namespace prism::devices::vulkan {

class profiler;
class timeline;

/// A part of a submission: one VkSubmitInfo, or a part of one.
struct batch {
  VkCommandBuffer commands = VK_NULL_HANDLE; // null: only waits and signals
  std::size_t first_wait = 0, wait_count = 0;
  semaphore_value signal;  // none: the next batch follows immediately
  bool is_own = true;      // false: belongs to a command_buffer
  bool is_closed = true;   // false: the commands do not end with a barrier
  bool after_host = false; // follows a group of host copies of the same submission
};

class submission_batches {
public:
  submission_batches(device& owner, shared_queue& shared, timeline& points);
  ~submission_batches();

  /// Sets a command buffer with a barrier, appended to a batch that does not end with one.
  void close_with(VkCommandBuffer barrier) noexcept { m_barrier = barrier; }
  /// The profiler that records when points are sent; null: none.
  void set_profiler(profiler* times) noexcept { m_times = times; }
  /// Whether there is an unsent batch. If so, the next submission follows command buffers of this queue, or
  /// their closing barrier.
  bool has_batch() const noexcept { return m_has_batch.load(std::memory_order_relaxed); }
  /// Whether this queue is the only one on the VkQueue.
  bool is_alone() const;
  /// Whether one more command buffer would now be batched.
  bool would_batch();
  /// Takes over the submission `point`. `batched`: batch it (would_batch() returned true, and it is one
  /// command buffer that waits for nothing). Throws device_error if it must be sent and the driver refuses;
  /// it is not taken over then.
  void put(std::span<const batch> batches, std::span<const semaphore_value> waits, std::uint64_t point,
           bool batched);
  /// Sends the batch to the VkQueue. If the driver refuses it, the device is lost.
  void send() noexcept;
  /// Sends the point if it is unsent, and returns the value of the semaphore when the point is reached: that
  /// of the last point sent with it. (Any value up to it would do, but the validation layer loses track of
  /// waits for values that are never signalled.)
  std::uint64_t signal_of(std::uint64_t point) noexcept;
  /// Call before the program gets the VkQueue: sends the batches of all its queues, and from then on nothing
  /// is batched.
  static void hand_out(shared_queue& shared);

private:
  struct entry { // one VkSubmitInfo
    std::size_t first_command = 0, command_count = 0, first_wait = 0, wait_count = 0;
    semaphore_value signal;
    bool is_closed = true, after_host = false;
  };
  void close(entry& last);
  void append(const batch& what, std::span<const semaphore_value> waits, bool is_first);
  bool device_is_busy();
  VkResult give();
  VkResult call();
  void send_batch() noexcept;
  void clear_batch() noexcept;
  void guard(std::uint64_t point);
  void running_out_of_work() noexcept;

  device& m_device;
  shared_queue& m_shared;
  timeline& m_points;
  VkCommandBuffer m_barrier = VK_NULL_HANDLE;
  profiler* m_times = nullptr;
  std::atomic<bool> m_has_batch{false};
  std::mutex m_mutex;         // guards all below
  fifo<std::uint64_t> m_sent; // last points of the sends in flight
  std::uint64_t m_last_put = 0;
  bool m_guarded = false;
  std::vector<entry> m_entries;
  std::vector<VkCommandBuffer> m_commands;
  std::vector<VkSemaphore> m_wait_semaphores;
  std::vector<std::uint64_t> m_wait_values;
  std::vector<VkPipelineStageFlags> m_wait_stages;
  std::vector<VkSubmitInfo> m_infos; // of the current call, as the next
  std::vector<VkTimelineSemaphoreSubmitInfo> m_timeline_infos;
};

} // namespace prism::devices::vulkan
