// Task batches: thousands of small tasks with their own bodies, arguments and dependencies in one launch.
//
//   struct scale { float* x; float by; void operator()(std::size_t i) const { x[i] *= by; } };
//   struct add { float *x, *y; void operator()(std::size_t i) const { x[i] += y[i]; } };
//
//   prism::task_batch<scale, add> batch(queue);
//   auto a = batch.add(scale{x, 2}, 16), b = batch.add(scale{y, 3}, 16);
//   batch.add(add{x, y}, 16, {a, b});      // 16 items, after a and b
//   batch.submit().wait();                 // as often as needed
//
// On processors whose groups pass messages to each other (a probe finds out) the tasks run in one launch: its
// groups take ready tasks from a queue in device memory, and the group that completes a task takes the first
// of its successors. A group never waits for another one: one without a task leaves, and the last one to
// leave completes what is left. So no progress guarantee is needed for a right result. On other devices the
// tasks run level by level, as launches of one graph in one submission. See docs/task-batches.md. One thread
// at a time may use a batch.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <prism/graph.hpp>
#include <sycl/atomic_ref.hpp>
#include <sycl/queue.hpp>
#include <sycl/usm.hpp>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace prism {

/// How the tasks of a batch are executed. `automatic` is one launch where the device's probe permits it.
enum class batch_method { automatic, one_launch, levels };

struct task_batch_options {
  std::size_t most_tasks = std::size_t{1} << 20; // add() beyond it throws; at most 2^24
  batch_method method =
      batch_method::automatic; // one_launch throws errc::feature_not_supported where refused
};

/// A task of a batch. Valid as long as its batch.
class batched_task {
public:
  batched_task() = default;
  std::uint32_t index() const noexcept { return m_index; } // in the order of add(), from 0

private:
  template <typename... Bodies>
  friend class task_batch;
  batched_task(std::uint32_t index, const void* batch) : m_index(index), m_batch(batch) {}
  std::uint32_t m_index = 0;
  const void* m_batch = nullptr;
};

namespace detail {

struct batch_record {
  std::uint32_t kind, items, body; // index among the types, calls, offset of the function object
  std::uint32_t successors, successor_count;
};

/// What the groups of a launch share, each number in a cache line of its own.
struct batch_control {
  alignas(64) std::uint32_t head;      // the next place of `ready` to take from
  alignas(64) std::uint32_t tail;      // the next place to write to
  alignas(64) std::uint32_t remaining; // tasks that are not complete
  alignas(64) std::uint32_t exited;    // groups that left
};

/// A batch in device memory.
struct batch_view {
  const batch_record* records;
  const std::byte* bodies;
  const std::uint32_t* successors;
  const std::uint32_t* order;   // task indices, level by level; the roots are first
  const std::uint32_t* initial; // for each task, the tasks it waits for
  std::uint32_t* waits;         // of these, those that are not complete
  std::uint32_t* ready;         // 1 + a ready task; 0: not written yet. The first `roots` places never change
  batch_control* control;
  std::uint32_t tasks, roots;
};

/// A launch of the levels: groups take `per_group` tasks each, one after the other.
struct batch_step {
  std::uint32_t first, groups, per_group;
};

struct batch_launch {
  std::uint32_t groups, budget; // a group leaves after so many tasks
  std::uint32_t idle_limit;     // or after so many looks at an empty queue
};

/// The part of a batch that does not depend on the types of the bodies.
class batch_plan {
public:
  batch_plan(const sycl::queue& queue, const task_batch_options& options);
  ~batch_plan();
  batch_plan(const batch_plan&) = delete;
  batch_plan& operator=(const batch_plan&) = delete;

  std::uint32_t add(std::uint32_t kind, std::size_t items, const void* body, std::size_t bytes);
  void depend(std::uint32_t later, const void* batch_of_later, std::uint32_t earlier,
              const void* batch_of_earlier, const void* self);
  /// Orders the tasks and copies them to the device, if tasks were added since the last call. Throws
  /// errc::invalid if the tasks wait for each other in a cycle.
  bool prepare(bool one_launch);
  void require_queue(const sycl::queue& other) const;

  sycl::queue& queue();
  const task_batch_options& options() const;
  std::size_t size() const;
  const batch_view& view() const;
  const batch_launch& launch() const;
  const std::vector<batch_step>& steps() const;
  std::uint32_t group_size() const; // of a step
  sycl::event last() const;
  void set_last(const sycl::event& event);
  std::string describe(bool one_launch, bool together) const;

private:
  struct state;
  std::unique_ptr<state> m_state;
};

/// What a device's probe found.
struct batch_ability {
  bool one_launch = false; // groups see each other's results, and long loops end when they should
  bool together = false;   // two groups were seen to run at the same time
  std::string reason;      // why not one launch
};
/// Empty if the device was not probed in this process.
std::optional<batch_ability> known_batch_ability(const sycl::device& device);
void set_batch_ability(const sycl::device& device, const batch_ability& ability);
/// Whether a probe is worth it: a processor with acquire-release atomics between groups; else the reason.
std::string reason_against_one_launch(const sycl::device& device);
/// Waits for the command, until `end` at most, and returns whether it is complete.
bool batch_completes(const sycl::event& event, std::chrono::steady_clock::time_point end);

template <sycl::memory_order Order>
using batch_atomic = sycl::atomic_ref<std::uint32_t, Order, sycl::memory_scope::device,
                                      sycl::access::address_space::global_space>;
using batch_relaxed = batch_atomic<sycl::memory_order::relaxed>;
using batch_ordered = batch_atomic<sycl::memory_order::acq_rel>;

template <typename Body>
inline void call_batched(const Body& body, std::uint32_t i) {
  if constexpr (std::is_invocable_v<const Body&, std::size_t>) body(std::size_t{i});
  else body();
}

template <typename Body>
inline void run_batched_body(const std::byte* stored, std::uint32_t first, std::uint32_t items,
                             std::uint32_t step) {
  const Body body = *reinterpret_cast<const Body*>(stored);
  for (std::uint32_t i = first; i < items; i += step) call_batched(body, i);
}

template <typename... Bodies>
inline void run_batched(const batch_view& v, const batch_record& task, std::uint32_t first,
                        std::uint32_t step) {
  std::uint32_t kind = 0;
  ((task.kind == kind++ ? run_batched_body<Bodies>(v.bodies + task.body, first, task.items, step) : void()),
   ...);
}

inline constexpr std::uint32_t no_batched_task = 0xffffffffu;

/// The operations of one group on the queue of ready tasks.
struct batch_worker {
  const batch_view& v;

  std::uint32_t take() const {
    batch_relaxed head(v.control->head);
    std::uint32_t at = head.load();
    while (at < v.tasks) {
      const std::uint32_t found = batch_ordered(v.ready[at]).load(sycl::memory_order::acquire);
      if (found == 0) return no_batched_task;
      if (head.compare_exchange_strong(at, at + 1)) {
        if (at >= v.roots) batch_relaxed(v.ready[at]).store(0); // for the next launch
        return found - 1;
      }
    }
    return no_batched_task;
  }
  void give(std::uint32_t task) const {
    const std::uint32_t at = batch_relaxed(v.control->tail).fetch_add(1);
    batch_ordered(v.ready[at]).store(task + 1, sycl::memory_order::release);
  }
  /// Returns the first successor that became ready; the others go to the queue.
  std::uint32_t complete(std::uint32_t task) const {
    const batch_record& r = v.records[task];
    std::uint32_t next = no_batched_task;
    for (std::uint32_t k = 0; k < r.successor_count; ++k) {
      const std::uint32_t later = v.successors[r.successors + k];
      if (batch_ordered(v.waits[later]).fetch_sub(1) != 1) continue;
      v.waits[later] = v.initial[later]; // for the next launch; in this one its last access
      if (next == no_batched_task) next = later;
      else give(later);
    }
    return next;
  }
  /// The last group prepares the next launch.
  void reset() const {
    v.control->head = 0;
    v.control->tail = v.roots;
    v.control->remaining = v.tasks;
    v.control->exited = 0;
  }
};

/// One launch: work-groups of one work-item.
template <typename... Bodies>
struct batch_kernel {
  batch_view view;
  batch_launch limits;

  void operator()(sycl::nd_item<1> it) const {
    const batch_worker worker{view};
    batch_ordered remaining(view.control->remaining);
    // The first groups take little, so that a runtime that begins with one thread soon starts the others.
    const auto group = static_cast<std::uint32_t>(it.get_group(0));
    std::uint32_t budget = group < 8 && (1u << group) < limits.budget ? 1u << group : limits.budget;
    std::uint32_t idle = 0, done = 0, task = no_batched_task;
    bool alone = false;
    for (;;) {
      if (task == no_batched_task && (alone || budget != 0)) task = worker.take();
      if (task != no_batched_task && (alone || budget != 0)) {
        budget -= !alone;
        idle = 0;
        run_batched<Bodies...>(view, view.records[task], 0, 1);
        ++done;
        task = worker.complete(task);
        continue;
      }
      if (task != no_batched_task) { // nothing of the budget is left
        worker.give(task);
        task = no_batched_task;
      }
      if (done != 0) {
        remaining.fetch_sub(done);
        done = 0;
      }
      const bool is_over = remaining.load(sycl::memory_order::acquire) == 0;
      if (alone && is_over) return worker.reset();
      if (alone || (!is_over && budget != 0 && ++idle < limits.idle_limit)) continue;
      if (batch_ordered(view.control->exited).fetch_add(1) + 1 != limits.groups) return;
      alone = true; // all others have left
    }
  }
};

/// One step of the levels.
template <typename... Bodies>
struct batch_step_kernel {
  batch_view view;
  batch_step step;

  void operator()(sycl::nd_item<1> it) const {
    const std::uint32_t first = step.first + static_cast<std::uint32_t>(it.get_group(0)) * step.per_group;
    for (std::uint32_t k = 0; k < step.per_group; ++k) {
      run_batched<Bodies...>(view, view.records[view.order[first + k]],
                             static_cast<std::uint32_t>(it.get_local_id(0)),
                             static_cast<std::uint32_t>(it.get_local_range(0)));
      sycl::group_barrier(it.get_group());
    }
  }
};

/// The shared memory of a probe.
struct batch_probe_memory {
  static constexpr std::uint32_t pairs = 32, groups = 2 * pairs + 1, long_loop = 200'000;
  std::uint32_t arrivals, together, wrong, loop;
  std::uint32_t flags[pairs], first[pairs], second[pairs];
};

/// Group 2k leaves a message for the group that arrives after it, and waits for the answer for a limited
/// time. The last group runs a loop that is longer than some drivers permit.
template <int>
struct batch_probe_kernel {
  batch_probe_memory* memory;
  std::uint32_t spins;

  void operator()(sycl::nd_item<1>) const {
    const std::uint32_t arrival = batch_relaxed(memory->arrivals).fetch_add(1);
    if (arrival < 2 * batch_probe_memory::pairs) return exchange(arrival / 2, arrival % 2 == 0);
    std::uint32_t n = 0;
    while (n < batch_probe_memory::long_loop && batch_relaxed(memory->wrong).load() == 0) ++n;
    memory->loop = n;
  }
  void exchange(std::uint32_t pair, bool asks) const {
    batch_probe_memory& m = *memory;
    batch_ordered flag(m.flags[pair]);
    if (asks) {
      m.first[pair] = pair + 77;
      flag.store(1, sycl::memory_order::release);
    }
    for (std::uint32_t n = 0; n < spins; ++n) {
      if (flag.load(sycl::memory_order::acquire) != (asks ? 2u : 1u)) continue;
      if (asks) {
        batch_relaxed(m.second[pair] == pair + 99 ? m.together : m.wrong).fetch_add(1);
      } else {
        if (m.first[pair] != pair + 77) batch_relaxed(m.wrong).fetch_add(1);
        m.second[pair] = pair + 99;
        flag.store(2, sycl::memory_order::release);
      }
      return;
    }
  }
};

/// The longest that a round of the probe may take: some milliseconds, and the driver's compiler on a machine
/// with much other work.
inline constexpr std::chrono::seconds longest_batch_probe{5};

/// Runs the probe for about 50 ms, unless the device was probed before. A round that does not end leaves its
/// memory to the device, which may still use it.
template <int Once = 0>
batch_ability probe_batches(const sycl::queue& like) {
  const sycl::device device = like.get_device();
  if (const auto known = known_batch_ability(device)) return *known;
  batch_ability found;
  found.reason = reason_against_one_launch(device);
  if (found.reason.empty()) {
    const auto thrown_by_wait = [](const sycl::exception_list& errors) {
      std::rethrow_exception(*errors.begin());
    };
    sycl::queue queue(like.get_context(), device, thrown_by_wait, sycl::property::queue::in_order());
    auto seen = std::make_unique<batch_probe_memory>();
    auto* const memory = sycl::malloc_device<batch_probe_memory>(1, queue);
    if (memory == nullptr)
      throw sycl::exception(sycl::make_error_code(sycl::errc::memory_allocation),
                            "prism::task_batch: the device has no memory for its probe");
    try {
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
      std::uint32_t spins = 1u << 13;
      while (!found.together && found.reason.empty()) {
        queue.memset(memory, 0, sizeof *memory);
        queue.parallel_for(sycl::nd_range<1>(batch_probe_memory::groups, 1),
                           batch_probe_kernel<Once>{memory, spins});
        const sycl::event last = queue.memcpy(seen.get(), memory, sizeof *memory);
        if (!batch_completes(last, std::chrono::steady_clock::now() + longest_batch_probe)) {
          found.reason =
              "its probe did not end within " + std::to_string(longest_batch_probe.count()) + " seconds";
          seen.release();
          break;
        }
        queue.wait_and_throw();
        if (seen->wrong == 0 && seen->loop != batch_probe_memory::long_loop)
          found.reason = "its driver ends long loops early";
        if (seen->wrong != 0) found.reason = "its groups do not see each other's results";
        found.together = seen->together != 0;
        if (std::chrono::steady_clock::now() > end) break;
        if (spins < 1u << 18) spins *= 2;
      }
    } catch (const sycl::exception& e) {
      const std::string text = e.what();
      found.reason = "its probe failed (" + text.substr(0, text.find(';')) + ")";
    }
    if (seen != nullptr) sycl::free(memory, queue);
    found.one_launch = found.reason.empty();
  }
  set_batch_ability(device, found);
  return found;
}

template <typename Body, typename... Bodies>
inline constexpr std::uint32_t batch_kind = [] {
  std::uint32_t kind = 0;
  bool found = false;
  ((found = found || std::is_same_v<Body, Bodies>, kind += !found), ...);
  return kind;
}();

} // namespace detail

/// Tasks whose bodies are function objects of the types `Bodies`. A body is called as body(i) with i from 0
/// to the task's items - 1, in any order, or as body(). It is trivially copyable and reaches memory by USM
/// pointers. What a task writes is visible to the tasks after it.
template <typename... Bodies>
class task_batch {
  static_assert(sizeof...(Bodies) > 0, "prism::task_batch needs the types of its tasks' bodies");
  static_assert((std::is_trivially_copyable_v<Bodies> && ...),
                "a body of prism::task_batch must be trivially copyable: its bytes are copied to the device");
  static_assert(((std::is_invocable_v<const Bodies&, std::size_t> || std::is_invocable_v<const Bodies&>) &&
                 ...),
                "a body of prism::task_batch must be callable as body(std::size_t) const or body() const");

public:
  /// Throws errc::feature_not_supported if the device has no USM device allocations, or for
  /// batch_method::one_launch if the device's probe refuses it; errc::invalid for wrong options.
  explicit task_batch(const sycl::queue& queue, const task_batch_options& options = {})
      : m_plan(std::make_unique<detail::batch_plan>(queue, options)) {
    if (options.method == batch_method::levels) return;
    m_ability = detail::probe_batches(queue);
    if (!m_ability.one_launch && options.method == batch_method::one_launch)
      throw sycl::exception(sycl::make_error_code(sycl::errc::feature_not_supported),
                            "prism::task_batch: one launch was requested, but this device cannot: " +
                                m_ability.reason + "; use batch_method::automatic");
  }
  task_batch(task_batch&&) noexcept = default;
  task_batch& operator=(task_batch&&) noexcept = default;

  /// Adds a task of `items` calls that runs after the tasks `after`. Throws errc::invalid if the batch is
  /// full, for a task of another batch, and for 2^32 or more items.
  template <typename Body>
  batched_task add(const Body& body, std::size_t items, const std::vector<batched_task>& after) {
    return add_after(body, items, after);
  }
  template <typename Body>
  batched_task add(const Body& body, std::size_t items, std::initializer_list<batched_task> after = {}) {
    return add_after(body, items, after);
  }
  template <typename Body>
  batched_task add(const Body& body) {
    return add(body, 1);
  }
  /// `later` runs after `earlier`. Throws errc::invalid for a task of another batch. submit() finds cycles.
  void make_edge(batched_task earlier, batched_task later) {
    m_plan->depend(later.m_index, later.m_batch, earlier.m_index, earlier.m_batch, m_plan.get());
  }
  std::size_t size() const noexcept { return m_plan->size(); }

  /// Runs all tasks once. Runs of one batch never overlap. Throws errc::invalid if tasks wait for each other
  /// in a cycle, and errc::memory_allocation if the device has too little memory.
  sycl::event submit() { return submit(m_plan->queue()); }
  /// The same on another queue of the same context and device. Throws errc::invalid for other queues.
  sycl::event submit(sycl::queue& on) {
    m_plan->require_queue(on);
    if (m_plan->prepare(m_ability.one_launch)) m_graph.reset();
    const sycl::event before = m_plan->last();
    sycl::event done;
    if (m_plan->size() == 0) {
      done = before;
    } else if (m_ability.one_launch) {
      const detail::batch_launch& launch = m_plan->launch();
      done = on.submit([&](sycl::handler& h) {
        h.depends_on(before);
        h.parallel_for(sycl::nd_range<1>(launch.groups, 1),
                       detail::batch_kernel<Bodies...>{m_plan->view(), launch});
      });
    } else {
      if (!m_graph) m_graph = record();
      done = execute_graph(on, *m_graph, {before});
    }
    m_plan->set_last(done);
    return done;
  }

  /// The method of the next submit().
  batch_method method() const noexcept {
    return m_ability.one_launch ? batch_method::one_launch : batch_method::levels;
  }
  /// Such as "300 tasks in 1 launch of 24 groups, which run together" or "300 tasks on 3 levels: 3 launches
  /// in one submission, because ...". Prepares the batch.
  std::string describe() {
    if (m_plan->prepare(m_ability.one_launch)) m_graph.reset();
    std::string text = m_plan->describe(m_ability.one_launch, m_ability.together);
    return m_ability.reason.empty() ? text : text + ", because " + m_ability.reason;
  }

private:
  template <typename Body, typename Tasks>
  batched_task add_after(const Body& body, std::size_t items, const Tasks& after) {
    constexpr std::uint32_t kind = detail::batch_kind<Body, Bodies...>;
    static_assert(kind < sizeof...(Bodies), "the body's type is not among those of the prism::task_batch");
    for (const batched_task& earlier : after) // before the task exists, so that a failure changes nothing
      m_plan->depend(detail::no_batched_task, m_plan.get(), earlier.m_index, earlier.m_batch, m_plan.get());
    const std::uint32_t index = m_plan->add(kind, items, &body, sizeof body);
    for (const batched_task& earlier : after)
      m_plan->depend(index, m_plan.get(), earlier.m_index, earlier.m_batch, m_plan.get());
    return batched_task(index, m_plan.get());
  }
  command_graph<graph_state::executable> record() {
    command_graph<> graph(m_plan->queue());
    std::optional<node> before;
    for (const detail::batch_step& step : m_plan->steps()) {
      const std::size_t local = m_plan->group_size();
      const auto group = [&](sycl::handler& h) {
        h.parallel_for(sycl::nd_range<1>(step.groups * local, local),
                       detail::batch_step_kernel<Bodies...>{m_plan->view(), step});
      };
      before = before ? graph.add(group, property::node::depends_on(*before)) : graph.add(group);
    }
    return graph.finalize();
  }

  std::unique_ptr<detail::batch_plan> m_plan;
  detail::batch_ability m_ability;
  std::optional<command_graph<graph_state::executable>> m_graph;
};

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
