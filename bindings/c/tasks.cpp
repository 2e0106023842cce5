// Tasks of prism.h: batches of launches of a library's kernels.
#include "bindings/c/objects.hpp"

#include <sstream>

namespace prism::c_interface {
namespace {

std::vector<std::string> kernels_of(const exported::task_set& set) {
  std::vector<std::string> out;
  std::istringstream all(set.kernels);
  for (std::string each; std::getline(all >> std::ws, each, ',');) out.push_back(each);
  return out;
}

struct tasks_object : object {
  static constexpr handle_kind kind = handle_kind::tasks;
  std::shared_ptr<library_object> library;
  std::shared_ptr<queue_object> queue;
  std::string set;
  std::vector<std::string> kernels;
  std::mutex mutex; // for what follows
  std::unique_ptr<exported::tasks> batch;
  std::vector<batched_task> added;
  std::vector<allocation_ref> memory;
};

std::size_t number_of(const tasks_object& tasks, const kernel_object& kernel) {
  if (kernel.library == tasks.library)
    for (std::size_t i = 0; i < tasks.kernels.size(); ++i)
      if (tasks.kernels[i] == kernel.what->name) return i;
  std::string all;
  for (const std::string& each : tasks.kernels) all += (all.empty() ? "" : ", ") + each;
  throw failure(PRISM_INVALID, std::string("\"") + kernel.what->name + "\" is no kernel of the tasks \"" +
                                   tasks.set + "\" of " + tasks.library->file + ", which are of " + all);
}

} // namespace
} // namespace prism::c_interface

using namespace prism::c_interface;

extern "C" {

prism_status prism_library_tasks(const prism_library* library, char* text, size_t capacity, size_t* needed,
                                 prism_error** error) {
  return guarded("prism_library_tasks", error, [&] {
    std::string out;
    const auto from = find<library_object>(library, "library");
    for (const auto* set = from->first_tasks; set != nullptr; set = set->next) {
      std::string line = set->name + std::string(":");
      for (const std::string& each : kernels_of(*set)) line += " " + each;
      out = line + "\n" + out;
    }
    give_text(out, text, capacity, needed);
  });
}

prism_status prism_tasks_create(const prism_queue* queue, const prism_library* library, const char* set,
                                prism_tasks** tasks, prism_error** error) {
  return guarded("prism_tasks_create", error, [&] {
    auto made = std::make_shared<tasks_object>();
    made->queue = find<queue_object>(queue, "queue");
    made->library = find<library_object>(library, "library");
    made->set = required(set, "set"), required(tasks, "tasks");
    const auto* found = made->library->first_tasks;
    while (found != nullptr && made->set != found->name) found = found->next;
    if (found == nullptr)
      throw failure(PRISM_NOT_FOUND, made->library->file + " has no tasks \"" + made->set +
                                         "\"; PRISM_EXPORT_TASKS(" + made->set + ", kernels...) makes them");
    made->kernels = kernels_of(*found);
    made->batch = found->make(made->queue->queue);
    store(tasks, made);
  });
}

prism_status prism_tasks_add(const prism_tasks* tasks, const prism_kernel* kernel, size_t items,
                             const prism_argument* arguments, size_t argument_count, const size_t* after,
                             size_t after_count, size_t* number, prism_error** error) {
  return guarded("prism_tasks_add", error, [&] {
    const auto to = find<tasks_object>(tasks, "tasks");
    const auto what = find<kernel_object>(kernel, "kernel");
    optional(number, "number");
    if (after_count != 0) required(after, "after");
    const std::size_t which = number_of(*to, *what);
    std::vector<allocation_ref> memory;
    const auto values = checked_arguments(*to->queue, *what, arguments, argument_count, memory);
    const std::lock_guard lock(to->mutex);
    std::vector<prism::batched_task> before;
    for (std::size_t i = 0; i < after_count; ++i) {
      if (after[i] >= to->added.size())
        throw failure(PRISM_INVALID, "after[" + std::to_string(i) + "] is " + std::to_string(after[i]) +
                                         "; there are " + std::to_string(to->added.size()) + " tasks");
      before.push_back(to->added[after[i]]);
    }
    to->batch->add(which, items, values.data(), before);
    to->added.push_back(to->batch->last());
    to->memory.insert(to->memory.end(), memory.begin(), memory.end());
    if (number != nullptr) *number = to->added.size() - 1;
  });
}

prism_status prism_tasks_run(const prism_tasks* tasks, prism_event* const* waits, size_t wait_count,
                             prism_event** event, prism_error** error) {
  return guarded("prism_tasks_run", error, [&] {
    const auto what = find<tasks_object>(tasks, "tasks");
    queue_object& on = *what->queue;
    optional(event, "event");
    if (prism::state_of(on.queue) == prism::queue_state::recording)
      throw failure(PRISM_INVALID, "the queue is recording a graph; tasks run on a queue that does not");
    const std::vector<sycl::event> before = events_of(waits, wait_count);
    const std::lock_guard lock(what->mutex);
    if (!before.empty()) on.queue.ext_oneapi_submit_barrier(before);
    const sycl::event done = what->batch->run(on.queue);
    on.submitted(done, what->memory);
    give_event(event, on, done);
  });
}

prism_status prism_tasks_text(const prism_tasks* tasks, char* text, size_t capacity, size_t* needed,
                              prism_error** error) {
  return guarded("prism_tasks_text", error, [&] {
    const auto what = find<tasks_object>(tasks, "tasks");
    const std::lock_guard lock(what->mutex);
    give_text(what->batch->describe(), text, capacity, needed);
  });
}
}
