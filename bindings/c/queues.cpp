// Queues and events of prism.h.
#include "bindings/c/objects.hpp"

#include <algorithm>

namespace prism::c_interface {

void late_failures::throw_first() {
  const std::lock_guard lock(mutex);
  if (all.empty()) return;
  const auto [status, message] = all.front();
  all.clear();
  throw failure(status, message);
}

queue_object::queue_object(const sycl::device& on, const sycl::property_list& properties)
    : queue(on, [to = failures](const sycl::exception_list& errors) {
        const std::lock_guard lock(to->mutex);
        for (const std::exception_ptr& each : errors) try {
            std::rethrow_exception(each);
          } catch (...) {
            to->all.push_back(current_failure());
          }
      }, properties) {}

void queue_object::submitted(const sycl::event& event, const std::vector<allocation_ref>& memory) {
  const std::lock_guard lock(mutex);
  if (const std::shared_ptr<graph_object> graph = recording.lock()) {
    const std::lock_guard graph_lock(graph->mutex);
    if (!graph->ready) {
      graph->memory.insert(graph->memory.end(), memory.begin(), memory.end());
      return;
    }
  }
  for (const allocation_ref& each : memory) each->used_by(event);
}

std::vector<sycl::event> events_of(prism_event* const* waits, std::size_t count) {
  std::vector<sycl::event> out;
  if (count == 0) return out;
  required(waits, "waits");
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(find<event_object>(waits[i], ("waits[" + std::to_string(i) + "]").c_str())->event);
  return out;
}

void give_event(prism_event** to, const queue_object& queue, const sycl::event& event) {
  if (to != nullptr) store(to, std::make_shared<event_object>(event, queue.failures));
}

} // namespace prism::c_interface

using namespace prism::c_interface;

extern "C" {

prism_status prism_queue_create(const prism_device* device, uint32_t flags, prism_queue** queue,
                                prism_error** error) {
  return guarded("prism_queue_create", error, [&] {
    required(queue, "queue");
    if ((flags & ~(std::uint32_t{PRISM_IN_ORDER} | PRISM_PROFILING)) != 0)
      throw failure(PRISM_INVALID, "flags have bits that are not PRISM_IN_ORDER or PRISM_PROFILING");
    using sycl::property::queue::enable_profiling;
    using sycl::property::queue::in_order;
    const bool ordered = (flags & PRISM_IN_ORDER) != 0, timed = (flags & PRISM_PROFILING) != 0;
    const sycl::property_list properties = ordered && timed
                                               ? sycl::property_list{in_order(), enable_profiling()}
                                           : ordered ? sycl::property_list{in_order()}
                                           : timed   ? sycl::property_list{enable_profiling()}
                                                     : sycl::property_list{};
    store(queue, std::make_shared<queue_object>(device_of(device), properties));
  });
}

prism_status prism_queue_device(const prism_queue* queue, prism_device** device, prism_error** error) {
  return guarded("prism_queue_device", error, [&] {
    required(device, "device");
    store(device, std::make_shared<device_object>(find<queue_object>(queue, "queue")->queue.get_device()));
  });
}

prism_status prism_queue_wait(const prism_queue* queue, prism_error** error) {
  return guarded("prism_queue_wait", error, [&] {
    const auto on = find<queue_object>(queue, "queue");
    on->queue.wait_and_throw();
    on->failures->throw_first();
  });
}

prism_status prism_queue_call(const prism_queue* queue, void (*function)(void* data), void* data,
                              prism_event* const* waits, size_t wait_count, prism_event** event,
                              prism_error** error) {
  return guarded("prism_queue_call", error, [&] {
    const auto on = find<queue_object>(queue, "queue");
    if (function == nullptr) throw failure(PRISM_BAD_POINTER, "function is NULL");
    optional(event, "event");
    const std::vector<sycl::event> before = events_of(waits, wait_count);
    const sycl::event done = on->queue.submit([&](sycl::handler& h) {
      h.depends_on(before);
      h.host_task([function, data] { function(data); });
    });
    give_event(event, *on, done);
  });
}

prism_status prism_event_wait(const prism_event* event, prism_error** error) {
  return guarded("prism_event_wait", error, [&] {
    const auto what = find<event_object>(event, "event");
    what->event.wait_and_throw();
    what->failures->throw_first();
  });
}

prism_status prism_event_status(const prism_event* event, int32_t* status, prism_error** error) {
  return guarded("prism_event_status", error, [&] {
    using sycl::info::event_command_status;
    const auto what = find<event_object>(event, "event");
    required(status, "status");
    switch (what->event.get_info<sycl::info::event::command_execution_status>()) {
      case event_command_status::complete: *status = PRISM_COMPLETE; break;
      case event_command_status::running: *status = PRISM_RUNNING; break;
      default: *status = PRISM_SUBMITTED;
    }
  });
}

prism_status prism_event_times(const prism_event* event, uint64_t* submitted, uint64_t* started,
                               uint64_t* ended, prism_error** error) {
  return guarded("prism_event_times", error, [&] {
    namespace times = sycl::info::event_profiling;
    const auto what = find<event_object>(event, "event");
    optional(submitted, "submitted"), optional(started, "started"), optional(ended, "ended");
    const std::uint64_t all[] = {what->event.get_profiling_info<times::command_submit>(),
                                 what->event.get_profiling_info<times::command_start>(),
                                 what->event.get_profiling_info<times::command_end>()};
    if (submitted != nullptr) *submitted = all[0];
    if (started != nullptr) *started = all[1];
    if (ended != nullptr) *ended = all[2];
  });
}
}
