// An OpenCL queue, whose submissions are in order unless submit_after() lets them overlap and the device has
// several driver queues for it (PRISM_OPENCL_QUEUES). One thread at a time, but any thread may use points().
//
// submit() costs the driver's own functions plus some hundred nanoseconds: no allocation when warm, arguments
// set only if they changed, one event for each driver command.
#pragma once

#include "devices/opencl/arguments.hpp"
#include "devices/opencl/timeline.hpp"

#include <unordered_map>

namespace prism::devices::opencl {

/// An in-order command queue. Throws device_error.
queue_handle make_queue(platform_context& context, cl_device_id device, const queue_options& options);

class opencl_queue final : public queue {
public:
  opencl_queue(context_ptr context, cl_device_id device, const device_traits& traits,
               const queue_options& options);
  /// For a command queue that the program made.
  opencl_queue(context_ptr context, cl_device_id device, const device_traits& traits, queue_handle made,
               bool in_order, bool profiling);
  ~opencl_queue() override;

  std::uint64_t submit(std::span<const command> commands, std::span<const timeline_point> waits) override;
  std::uint64_t submit_after(command_list& commands, std::span<const timeline_point> waits,
                             std::uint64_t after) override;
  std::uint64_t execute(command_buffer& what, std::span<const timeline_point> waits) override;
  void flush() override { m_timeline->flush(); }
  timeline& points() noexcept override { return *m_timeline; }
  /// "cl_command_queue".
  void* native(std::string_view what) const noexcept override;
  /// The possible error of profile times.

private:
  /// Host or device bytes that a submission needs until its point completes.
  struct staging {
    std::unique_ptr<opencl_memory> memory; // null: host bytes only
    std::vector<std::byte> host;
    std::uint64_t busy_until = 0;
  };
  std::uint64_t submit_in_order(std::span<const command> commands, std::span<const timeline_point> waits,
                                std::uint64_t after);
  void choose_driver_queue(std::uint64_t after);
  /// The submission waits for points of that timeline, except those of one driver queue.
  void add_waits(const opencl_timeline& of, std::uint64_t up_to, std::size_t except);
  std::uint64_t record(std::uint64_t submitted, std::optional<device_error> failed);
  void collect_waits(std::span<const timeline_point> waits);
  void enqueue(const copy_command& command);
  void enqueue(const fill_command& command);
  void enqueue(const dispatch_command& command);
  void enqueue(const barrier_command&) {} // the driver's queue is in order
  void enqueue_native(const dispatch_command& command, const native_launch& launch);
  void enqueue_function(const native_launch& launch);
  void enqueue_linear(const copy_command& command, std::uint64_t bytes);
  void enqueue_rectangle(const copy_command& command, const box_copy& shape, std::uint64_t part);
  void enqueue_without_last_row(const copy_command& command);
  void copy_through_staging(const copy_command& command, std::uint64_t bytes);
  void fill_by_copies(const opencl_memory& target, const fill_command& command);
  void enqueue_usm_copy(const copy_command& command, const box_copy& shape);
  void copy_usm_through_host(const copy_command& command, std::uint64_t bytes);
  void enqueue_usm_bytes(std::byte* to, const std::byte* from, std::uint64_t bytes);
  void fill_usm(const opencl_memory& target, const fill_command& command);
  void enqueue_marker();
  const opencl_memory* stage_captured(const dispatch_command& command);
  staging& take_staging(std::uint64_t bytes, bool with_memory);
  /// Where watched kernels of this queue store their marks.
  const opencl_memory& fault_word();
  void read_fault_word();
  bound_kernel& bound(opencl_kernel& kernel);
  device_error error_of_call(cl_int code, const std::string& asked);
  /// Calls one clEnqueue… function with this submission's waits and stores its event. Throws device_error.
  template <typename Call>
  void enqueue_call(const char* asked, Call&& call);

  context_ptr m_context;
  cl_device_id m_device;
  device_traits m_traits;
  // Each is in order. The first takes all submissions unless some of them may overlap (queue_choice.hpp).
  std::vector<queue_handle> m_queues;
  std::vector<std::uint64_t> m_tails{0}; // the last point of each
  std::size_t m_number = 0, m_most_queues = 1;
  cl_command_queue m_on = nullptr;              // m_queues[m_number], which takes the current submission
  mutable std::atomic<bool> m_is_shared{false}; // the program has the first one
  clock_calibration m_calibration;
  bool m_profiling;
  bool m_in_order = true; // false: made by the program, needs barriers between commands
  std::shared_ptr<opencl_timeline> m_timeline;
  std::vector<event_handle> m_waits; // of the current submission, until its first driver command takes them
  std::vector<cl_event> m_wait_list;
  std::vector<event_handle> m_events;                                       // of the current submission
  std::unordered_map<std::uint64_t, std::shared_ptr<bound_kernel>> m_bound; // by opencl_kernel::id()
  std::uint64_t m_last_kernel = 0;
  bound_kernel* m_last_bound = nullptr;
  std::vector<std::unique_ptr<staging>> m_staging;
  std::unique_ptr<opencl_memory> m_fault_word; // null until needed
  cl_uint m_mark = 0;                          // of the last watched launch
  std::unique_ptr<loop_check> m_check;         // of the current submission
};

/// The address at which copies and kernels find the bytes; null if `side` is a plain cl_mem.
inline std::byte* pointer_of(const location& side) {
  if (!side.object) return static_cast<std::byte*>(side.host) + side.offset;
  std::byte* svm = static_cast<const opencl_memory&>(*side.object).svm();
  return svm ? svm + side.offset : nullptr;
}

/// Whether a side of the copy is of cl_intel_unified_shared_memory.
inline bool copies_usm(const copy_command& command) {
  const auto is_usm = [](const location& side) {
    return side.object && static_cast<const opencl_memory&>(*side.object).is_usm();
  };
  return is_usm(command.from) || is_usm(command.to);
}

template <typename Call>
void opencl_queue::enqueue_call(const char* asked, Call&& call) {
  m_events.reserve(m_events.size() + 1); // so that storing the event cannot fail
  if (!m_in_order)
    m_context->check(m_context->api.clEnqueueBarrierWithWaitList(m_on, 0, nullptr, nullptr),
                     "put commands in order");
  cl_event event = nullptr;
  const auto count = static_cast<cl_uint>(m_wait_list.size());
  const cl_int code = call(count, count ? m_wait_list.data() : nullptr, &event);
  if (code != CL_SUCCESS) throw error_of_call(code, asked);
  m_events.emplace_back(m_context->api, event);
  m_wait_list.clear(); // the queue is in order: later commands wait too
}

} // namespace prism::devices::opencl
