// The part of a queue's work that the host does: copies between memory that the host can access. Each group
// waits for its semaphores, copies, and signals. One thread, created when first needed.
//
// No deadlock, although device batches inside a shared VkQueue wait for these signals: a group waits only for
// work that was submitted before it, and the VkQueue and the workers see submissions in the same order.
#pragma once

#include "devices/vulkan/box.hpp"
#include "devices/vulkan/device.hpp"
#include "devices/vulkan/fifo.hpp"

#include <condition_variable>
#include <thread>

namespace prism::devices::vulkan {

class profiler;

struct semaphore_value {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  std::uint64_t value = 0;
};

struct host_copy {
  box shape;
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
};

struct host_group {
  std::vector<semaphore_value> waits;
  std::vector<host_copy> copies;
  semaphore_value signal;
  std::uint64_t point = 0; // of the submission, for the profiler
  bool first_timed = false, last_timed = false;
};

class host_worker {
public:
  explicit host_worker(device& owner) : m_device(owner) {}
  ~host_worker() { stop(); }
  void stop() noexcept; // runs the remaining groups, then ends the thread

  void set_profiler(profiler* times) noexcept { m_times = times; }
  /// Creates the thread and reserves memory for `count` more groups, so that push cannot fail.
  void prepare(std::size_t count);
  void push(host_group&& group) noexcept;
  void run(host_group& group) noexcept; // makes the copies now, on the caller's thread

private:
  void serve();
  bool wait_for(const host_group& group) noexcept;

  device& m_device;
  profiler* m_times = nullptr;
  std::mutex m_mutex;
  std::condition_variable m_changed;
  fifo<host_group> m_groups;
  std::thread m_thread;
  bool m_stopping = false;
};

} // namespace prism::devices::vulkan
