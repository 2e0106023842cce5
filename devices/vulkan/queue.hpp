// An in-order queue on a VkQueue, which it may share with others.
//
// A submission becomes a chain of stages: batches of device commands and groups of host copies, each after
// the one before. Only in staged copies of several pieces the host's part of one piece overlaps the device's
// part of the next. All batches of a submission are submitted to the VkQueue at once; a batch after a host
// group waits for a semaphore that the host worker signals. The last stage signals the queue's point.
// submission_batches decides when, and in how many calls. Barriers are where the plan requires them
// (barrier_plan.hpp), and before each signal, since others may then read the results; submission_batches adds
// the barrier after batched commands. When warm, the queue allocates nothing: it reuses command buffers,
// query pairs, ring memory and arrays.
#pragma once

#include "devices/vulkan/barrier_plan.hpp"
#include "devices/vulkan/device.hpp"
#include "devices/vulkan/host_worker.hpp"
#include "devices/vulkan/submission_batches.hpp"
#include "devices/vulkan/profiler.hpp"
#include "devices/vulkan/staging_ring.hpp"
#include "devices/vulkan/timeline.hpp"

namespace prism::devices {
struct native_launch;
}

namespace prism::devices::vulkan {

class semaphore_use;

class queue final : public devices::queue {
public:
  queue(device& owner, shared_queue& shared, const queue_options& options);
  ~queue() override;

  std::uint64_t submit(std::span<const command> commands, std::span<const timeline_point> waits) override {
    return submit_behind(commands, waits, all_before);
  }
  std::uint64_t submit_after(command_list& commands, std::span<const timeline_point> waits,
                             std::uint64_t after) override {
    return submit_behind(commands, waits, after);
  }
  std::uint64_t execute(devices::command_buffer& what, std::span<const timeline_point> waits) override;
  void flush() override { m_unsubmitted.send(); }
  devices::timeline& points() noexcept override { return m_points; }
  void* native(std::string_view what) const noexcept override;

  /// Runs a timestamp now and returns its device ticks; waits for the queue. Only on queues made with
  /// profiling.
  std::uint64_t timestamp_now();

private:
  enum class stage { none, device, host };
  struct copy_side {                  // one side of a copy
    VkBuffer buffer = VK_NULL_HANDLE; // null: host memory
    std::uint64_t buffer_offset = 0;
    std::byte* host = nullptr; // null: not accessible to the host
  };
  struct in_flight {
    std::uint64_t point = 0;
    VkCommandBuffer commands = VK_NULL_HANDLE;
  };

  // record.cpp: records commands into stages
  void record(const copy_command& copy);
  void record(const fill_command& fill);
  void record(const dispatch_command& dispatch);
  void record(const barrier_command&);
  void record_use(const semaphore_use& what);
  void record_native(const native_launch& launch, const devices::kernel& what);
  void copy_on_device(const box& shape, VkBuffer from, std::uint64_t from_offset, VkBuffer to,
                      std::uint64_t to_offset);
  void copy_by_host(const host_copy& copy);
  void copy_staged(const box& shape, const copy_side& from, const copy_side& to);
  void let_host_go_ahead(bool has_two_before);
  void let_device_go_ahead(bool has_two_before);
  void fill_words(VkBuffer buffer, std::uint64_t begin, std::uint64_t end,
                  std::span<const std::byte> pattern);
  void fill_tiled(VkBuffer buffer, std::uint64_t begin, std::uint64_t end,
                  std::span<const std::byte> pattern);
  static copy_side copy_side_of(const location& where);

  void refuse_when_lost() const;

  // queue.cpp: submits stages to the VkQueue
  static constexpr std::uint64_t all_before = UINT64_MAX;
  std::uint64_t submit_behind(std::span<const command> commands, std::span<const timeline_point> waits,
                              std::uint64_t after);
  void begin(std::span<const timeline_point> waits, std::uint64_t after);
  void collect_waits(std::span<const timeline_point> waits);
  VkCommandBuffer device_stage(); // the open batch's commands, ordered after everything recorded
  host_group& host_stage();
  batch& add_batch();
  void close_batch();
  void end_commands();
  void make_closing_commands();
  void destroy_semaphores() noexcept;
  semaphore_value next(semaphore_value& steps);
  /// device_stage() for the next command with these memory uses (empty: it may use everything), after a
  /// barrier if it needs one.
  VkCommandBuffer device_command(std::span<const memory_use> uses = {});
  bool starts_at_end_before(std::span<const command> commands) const;
  void close_timing();
  void run_all_on_host();
  void finish();
  void send();
  void abandon() noexcept;
  void release_batches() noexcept;
  VkCommandBuffer take_commands();
  void give_back_two() noexcept;
  bool idle() const;
  bool computes() const noexcept { return m_shared.family == m_device.hardware().queues.compute_family; }

  device& m_device;
  counted_object m_counted;
  shared_queue& m_shared;
  std::unique_ptr<profiler> m_profiler; // null without profiling
  const bool m_shares_times;            // of adjacent points, in traces
  timeline m_points;
  submission_batches m_unsubmitted;
  semaphore_value m_device_steps, m_host_steps; // order the stages of a submission: the last values of
                                                // batches and of groups; created when first needed
  VkCommandPool m_pool = VK_NULL_HANDLE;
  static constexpr std::size_t most_free = 4096,
                               trimmed_after = 1024; // a command buffer of lavapipe has some 7 kB
  fifo<VkCommandBuffer>
      m_free; // used from its end, so that command buffers of a past burst collect at its start
  std::size_t m_given_back = 0; // since the pool was last trimmed
  fifo<in_flight> m_in_flight;
  staging_ring m_ring;
  host_worker m_worker;
  barrier_plan m_barriers;
  std::uint64_t m_last_point = 0;
  bool m_last_stage_is_host = false; // of the last submission

  // The submission being built.
  std::uint64_t m_point = 0;
  stage m_stage = stage::none;
  bool m_open = false;    // a batch is being recorded
  bool m_batched = false; // submission_batches will retain it in its batch
  bool m_leading = false; // the first host group runs on the caller's thread
  bool m_timing = false, m_timed = false;
  bool m_goes_on = false; // for profiling: it starts where the point before ends
  VkPipeline m_bound = VK_NULL_HANDLE;
  pointer_cache m_pointers;
  std::vector<semaphore_value> m_incomplete_waits; // points of other queues that are not complete yet
  std::vector<batch> m_batches;
  std::vector<host_group> m_groups;
  std::vector<semaphore_value> m_waits; // of the batches
  std::vector<VkBufferCopy> m_regions;
};

} // namespace prism::devices::vulkan
