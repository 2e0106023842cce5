// Graphs of prism.h: what a queue records and executes.
#include "bindings/c/objects.hpp"

namespace prism::c_interface {

graph_object::~graph_object() {
  try {
    if (!ready) recorded.end_recording(queue); // the queue runs its work again
  } catch (...) {                              // it records no longer
  }
}

} // namespace prism::c_interface

using namespace prism::c_interface;

extern "C" {

prism_status prism_graph_begin(const prism_queue* queue, prism_graph** graph, prism_error** error) {
  return guarded("prism_graph_begin", error, [&] {
    const auto on = find<queue_object>(queue, "queue");
    required(graph, "graph");
    const std::lock_guard lock(on->mutex);
    if (prism::state_of(on->queue) == prism::queue_state::recording)
      throw failure(PRISM_INVALID, "the queue is recording a graph already");
    auto made = std::make_shared<graph_object>(on->queue);
    made->recorded.begin_recording(made->queue);
    on->recording = made;
    store(graph, made);
  });
}

prism_status prism_graph_end(const prism_graph* graph, prism_error** error) {
  return guarded("prism_graph_end", error, [&] {
    const auto what = find<graph_object>(graph, "graph");
    const std::lock_guard lock(what->mutex);
    if (what->ready) throw failure(PRISM_INVALID, "the graph was ended before");
    what->recorded.end_recording(what->queue);
    what->ready.emplace(what->recorded.finalize());
  });
}

prism_status prism_graph_run(const prism_queue* queue, const prism_graph* graph, prism_event* const* waits,
                             size_t wait_count, prism_event** event, prism_error** error) {
  return guarded("prism_graph_run", error, [&] {
    const auto on = find<queue_object>(queue, "queue");
    const auto what = find<graph_object>(graph, "graph");
    optional(event, "event");
    const std::vector<sycl::event> before = events_of(waits, wait_count);
    std::optional<sycl::event> done;
    std::vector<allocation_ref> memory;
    {
      const std::lock_guard lock(what->mutex);
      if (!what->ready) throw failure(PRISM_INVALID, "the graph is still recorded; call prism_graph_end");
      done = prism::execute_graph(on->queue, *what->ready, before);
      memory = what->memory;
    }
    on->submitted(*done, memory);
    give_event(event, *on, *done);
  });
}

prism_status prism_graph_text(const prism_graph* graph, char* text, size_t capacity, size_t* needed,
                              prism_error** error) {
  return guarded("prism_graph_text", error, [&] {
    const auto what = find<graph_object>(graph, "graph");
    const std::lock_guard lock(what->mutex);
    if (!what->ready) throw failure(PRISM_INVALID, "the graph is still recorded; call prism_graph_end");
    give_text(what->ready->describe(), text, capacity, needed);
  });
}
}
