// A Vulkan device: one VkDevice, the queues of one compute family, and a queue for copies if there is one,
// shared by any number of devices::queue objects.
//
// The VkDevice is PRISM's, or a program's (interop.hpp), which then also has its queues and is given back.
//
// Needs Vulkan 1.1 with timelineSemaphore. Loss is sticky: once the driver reports
// it, every point that is not complete has failed, and every later call throws error_category::lost.
#pragma once

#include "devices/vulkan/external_memory.hpp"
#include "devices/vulkan/interop.hpp"
#include "devices/vulkan/memory.hpp"
#include "devices/vulkan/physical.hpp"

#include "devices/api/device.hpp"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace prism::devices::vulkan {

class submission_batches;

/// The lock of a VkQueue; of a queue that the program uses too, the program's lock as well.
class queue_mutex final : public vulkan_queue_lock {
public:
  void lock() override {
    m_own.lock();
    if (m_lock) m_lock();
  }
  void unlock() override {
    if (m_unlock) m_unlock();
    m_own.unlock();
  }
  void share_with(std::function<void()> lock, std::function<void()> unlock) {
    m_lock = std::move(lock);
    m_unlock = std::move(unlock);
  }

private:
  std::mutex m_own;
  std::function<void()> m_lock, m_unlock;
};

/// A VkQueue is externally synchronised: hold the lock to submit.
struct shared_queue {
  VkQueue handle = VK_NULL_HANDLE;
  std::uint32_t family = 0;
  queue_mutex mutex;
  std::atomic<bool> handed_out{false}; // the program has the VkQueue and submits to it too
  std::mutex batches_mutex;
  std::vector<submission_batches*> batches; // of the queues that share it
};

struct device_options {
  /// False: device memory is treated as inaccessible to the host, as on a discrete GPU (tests of staged
  /// copies).
  bool host_reaches_device_memory = true;
  /// Where to allocate host and shared USM; automatic uses the window only if addresses differ.
  enum class usm_location { automatic, window, split_window } usm = usm_location::automatic;
  std::uint64_t usm_bytes = std::uint64_t{4} << 30; // of the window; at most a quarter of the host's memory
};

/// Device ticks at a time of steady_clock.
struct clock_relation {
  std::uint64_t ticks = 0, host_ns = 0;
};

class device final : public devices::device {
public:
  /// `program`: whose VkDevice this is; null: PRISM opens one.
  device(std::shared_ptr<const instance> instance, std::unique_ptr<physical> physical,
         const device_options& options, const vulkan_device_handles* program = nullptr);
  ~device() override;

  const capabilities& info() const noexcept override { return m_info; }
  std::unique_ptr<devices::memory> create_memory(std::uint64_t bytes, memory_kind kind,
                                                 std::uint64_t alignment) override;
  std::unique_ptr<devices::memory> adopt(void* host, std::uint64_t bytes) override;
  std::unique_ptr<devices::program> create_program(const program_source& source) override;
  std::unique_ptr<devices::program> create_program_from_binary(std::span<const std::byte> binary,
                                                               const program_source& source) override;
  std::unique_ptr<devices::queue> create_queue(const queue_options& options) override;
  std::unique_ptr<devices::command_buffer>
  create_command_buffer(std::span<const command_buffer_step> steps) override;
  std::string no_command_buffer_reason() const override { return {}; }
  devices::external_memory* external() noexcept override {
    return m_info.shares_memory && !m_given_back ? &m_external : nullptr;
  }
  std::string no_external_memory_reason() const override;
  bool can_wait_for(const devices::timeline& other) const noexcept override;
  std::string fingerprint() const override;
  void* native(std::string_view what) const noexcept override;

  VkDevice handle() const noexcept { return m_handle; }
  const instance& from() const noexcept { return *m_instance; }
  live_objects& objects() noexcept { return m_objects; }
  std::deque<shared_queue>& compute_queues() noexcept { return m_queues; }
  /// vulkan_interop::give_back.
  void give_back();
  /// Throws device_error{invalid} after give_back.
  void refuse_when_given_back(const char* asked) const;
  const physical& hardware() const noexcept { return *m_physical; }
  device_functions& vk() noexcept { return m_functions; }
  const device_functions& vk() const noexcept { return m_functions; }
  VkPipelineLayout pipeline_layout() const noexcept { return m_pipeline_layout; }
  /// The set with the arena (memory.hpp), of a device without buffer device addresses; null otherwise. The
  /// first call writes it. Throws device_error.
  VkDescriptorSet descriptors();
  /// A queue of the compute family, for work that no devices::queue orders.
  shared_queue& any_queue() noexcept { return m_queues.front(); }
  allocator& memories() const noexcept { return *m_allocator; }

  bool has_window() const noexcept { return m_has_window; }
  /// Whether threads that wait read semaphores for a while before they sleep.
  bool waits_awake() const noexcept { return !m_info.software || !m_options.host_reaches_device_memory; }
  /// The first call makes it. Throws device_error.
  usm_window& window();
  /// Null before the first call of window().
  const usm_window* made_window() const noexcept { return m_made_window.load(std::memory_order_acquire); }

  /// Device address of the word that orders sequentially consistent operations (compiler/spirv/atomics.cpp);
  /// the first call allocates it. Throws device_error{out_of_memory}.
  std::uint64_t order_word();

  bool lost() const noexcept { return m_lost.load(std::memory_order_acquire); }
  void mark_lost() noexcept { m_lost.store(true, std::memory_order_release); }
  /// Like vulkan::check, but also records a loss of the device.
  void check(VkResult result, const char* asked);

  /// The current time on both clocks. `through`: where to run a timestamp if the driver does not relate the
  /// clocks.
  clock_relation relate_clocks();
  std::uint64_t host_time(std::uint64_t ticks, const clock_relation& relation) const noexcept;

private:
  void create_device();
  void take_device(const vulkan_device_handles& program);
  void destroy_all() noexcept;
  void create_layout();
  void create_set_layout(std::uint32_t count, VkDescriptorSetLayoutCreateFlags flags);
  void create_descriptors();
  void destroy_layout() noexcept;
  void measure_usm();
  bool can_import() noexcept;
  clock_relation bracket_clocks();

  std::shared_ptr<const instance> m_instance;
  std::unique_ptr<physical> m_physical;
  capabilities m_info;
  VkDevice m_handle = VK_NULL_HANDLE;
  const bool m_is_adopted;
  std::atomic<bool> m_given_back{false};
  live_objects m_objects;
  device_functions m_functions;
  VkPipelineLayout m_pipeline_layout = VK_NULL_HANDLE;
  VkDescriptorSetLayout m_set_layout = VK_NULL_HANDLE; // null if kernels use addresses only
  // These two: without buffer device addresses.
  VkDescriptorPool m_descriptor_pool = VK_NULL_HANDLE;
  VkDescriptorSet m_descriptors = VK_NULL_HANDLE;
  std::once_flag m_descriptors_written;
  std::unique_ptr<allocator> m_allocator;
  const device_options m_options;
  external_memory m_external{*this};
  native_interop m_interop{*this};
  bool m_has_window = false;
  std::mutex m_window_mutex;
  std::unique_ptr<usm_window> m_window;
  std::atomic<const usm_window*> m_made_window{nullptr};
  std::mutex m_order_mutex;
  std::atomic<std::uint64_t> m_order_word{0};
  std::deque<shared_queue> m_queues, m_copy_queue; // m_copy_queue: at most one
  std::atomic<std::uint32_t> m_next_queue{0};
  std::atomic<bool> m_lost{false};
  std::mutex m_clock_mutex;
  clock_relation m_bracketed; // ticks == 0 and host_ns == 0: not measured yet
};

} // namespace prism::devices::vulkan
