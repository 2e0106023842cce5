// <prism/task_batch.hpp>: the order of the tasks, their layout in device memory, and how they are launched.
#include "extras/invalid.hpp"

#include <prism/task_batch.hpp>

#include <algorithm>
#include <mutex>
#include <thread>

namespace prism::detail {

namespace {

constexpr std::size_t most_batch_tasks = std::size_t{1} << 24, most_batch_bytes = std::size_t{1} << 31;
constexpr std::size_t batch_alignment = 64;
constexpr std::uint32_t step_group_size = 64;
/// llvmpipe stops a work-item after 65,535 iterations of all its loops.
constexpr std::uint64_t most_step_iterations = 30'000;

std::size_t batch_aligned(std::size_t bytes) {
  return (bytes + batch_alignment - 1) / batch_alignment * batch_alignment;
}

struct batch_edge {
  std::uint32_t earlier, later;
};

/// The tasks in an order in which none stands before one that it waits for.
struct batch_order {
  std::vector<std::uint32_t> initial, first, successors; // successors of t: [first[t], first[t + 1])
  std::vector<std::uint32_t> order, level_begins;        // level k: [level_begins[k], level_begins[k + 1])
};

/// Tasks that wait for each other: "task 3 -> task 5 -> task 3".
std::string batch_cycle(const batch_order& o, const std::vector<std::uint32_t>& waits) {
  std::vector<std::uint32_t> before(waits.size(), no_batched_task);
  for (std::uint32_t t = 0; t < waits.size(); ++t)
    if (waits[t] != 0)
      for (std::uint32_t k = o.first[t]; k < o.first[t + 1]; ++k)
        if (waits[o.successors[k]] != 0) before[o.successors[k]] = t;
  std::uint32_t at = 0;
  while (waits[at] == 0) ++at;
  for (std::size_t steps = 0; steps < waits.size(); ++steps) at = before[at]; // now on the cycle
  std::string text = "task " + std::to_string(at);
  std::uint32_t next = before[at];
  for (int shown = 0; next != at && shown < 8; ++shown, next = before[next])
    text = "task " + std::to_string(next) + " -> " + text;
  return "task " + std::to_string(at) + (next == at ? " -> " : " -> ... -> ") + text;
}

batch_order order_batch(std::size_t tasks, const std::vector<batch_edge>& edges) {
  batch_order o;
  o.initial.assign(tasks, 0);
  o.first.assign(tasks + 1, 0);
  o.successors.resize(edges.size());
  for (const batch_edge& e : edges) {
    ++o.initial[e.later];
    ++o.first[e.earlier + 1];
  }
  for (std::size_t t = 0; t < tasks; ++t) o.first[t + 1] += o.first[t];
  std::vector<std::uint32_t> next(o.first.begin(), o.first.end() - 1), waits = o.initial;
  for (const batch_edge& e : edges) o.successors[next[e.earlier]++] = e.later;
  o.order.reserve(tasks);
  for (std::uint32_t t = 0; t < tasks; ++t)
    if (waits[t] == 0) o.order.push_back(t);
  o.level_begins.push_back(0);
  for (std::size_t begin = 0; begin < o.order.size(); begin = o.level_begins.back()) {
    const std::size_t end = o.order.size();
    o.level_begins.push_back(static_cast<std::uint32_t>(end));
    for (std::size_t k = begin; k < end; ++k)
      for (std::uint32_t s = o.first[o.order[k]]; s < o.first[o.order[k] + 1]; ++s)
        if (--waits[o.successors[s]] == 0) o.order.push_back(o.successors[s]);
  }
  if (o.order.size() != tasks)
    invalid("prism::task_batch: tasks wait for each other in a cycle: " + batch_cycle(o, waits));
  return o;
}

/// A level is a launch; consecutive levels of one task are one launch of one group.
std::vector<batch_step> batch_steps(const batch_order& o, const std::vector<batch_record>& records) {
  std::vector<batch_step> steps;
  std::uint64_t iterations = 0; // of the chain that the last step is
  for (std::size_t level = 0; level + 1 < o.level_begins.size(); ++level) {
    const std::uint32_t begin = o.level_begins[level], count = o.level_begins[level + 1] - begin;
    const std::uint64_t own = records[o.order[begin]].items / step_group_size + 2;
    const bool extends = count == 1 && iterations != 0 && iterations + own <= most_step_iterations;
    if (extends) ++steps.back().per_group;
    else steps.push_back({begin, count, 1});
    iterations = count != 1 ? 0 : extends ? iterations + own : own;
  }
  return steps;
}

batch_launch launch_of(const std::vector<batch_record>& records, std::uint32_t units) {
  constexpr std::uint64_t a_task = 32, a_group = 4096; // in calls of bodies: what they should be worth
  std::uint64_t calls = 0;
  for (const batch_record& r : records) calls += a_task + r.items;
  const std::uint64_t tasks = records.size();
  const auto budget = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(tasks * a_group / calls, 1, 64));
  // Twice as many as needed, because groups that find no task leave.
  const std::uint64_t groups = std::min<std::uint64_t>(8 + 2 * tasks / budget + 4 * units, 1u << 20);
  return {units < 2 ? 1 : static_cast<std::uint32_t>(groups), units < 2 ? no_batched_task : budget, 4096};
}

std::mutex ability_mutex;
std::vector<std::pair<sycl::device, batch_ability>>& abilities() {
  static auto* const all = new std::vector<std::pair<sycl::device, batch_ability>>; // as long as the process
  return *all;
}

} // namespace

struct batch_plan::state {
  state(const sycl::queue& q, const task_batch_options& o) : queue(q), options(o) {}
  sycl::queue queue;
  task_batch_options options;
  std::vector<batch_record> records;
  std::vector<std::byte> bodies;
  std::vector<batch_edge> edges;

  bool prepared = false;
  std::byte* memory = nullptr;
  batch_view view{};
  batch_launch launch{};
  std::vector<batch_step> steps;
  std::size_t levels = 0;
  sycl::event last;

  void release() noexcept {
    if (memory == nullptr) return;
    try {
      last.wait();
    } catch (...) { // reported by the event and its queue
    }
    sycl::free(memory, queue);
    memory = nullptr;
  }
  void upload(const batch_order& o);
};

batch_plan::batch_plan(const sycl::queue& queue, const task_batch_options& options)
    : m_state(std::make_unique<state>(queue, options)) {
  if (options.most_tasks == 0 || options.most_tasks > most_batch_tasks)
    invalid("prism::task_batch: most_tasks is " + std::to_string(options.most_tasks) +
            "; it must be from 1 to " + std::to_string(most_batch_tasks));
  if (!queue.get_device().has(sycl::aspect::usm_device_allocations))
    throw sycl::exception(sycl::make_error_code(sycl::errc::feature_not_supported),
                          "prism::task_batch needs USM device allocations, which " +
                              queue.get_device().get_info<sycl::info::device::name>() + " does not have");
}

batch_plan::~batch_plan() { m_state->release(); }

std::uint32_t batch_plan::add(std::uint32_t kind, std::size_t items, const void* body, std::size_t bytes) {
  state& s = *m_state;
  constexpr std::size_t body_alignment = 16;
  if (s.records.size() == s.options.most_tasks)
    invalid("prism::task_batch: the batch is full: it has " + std::to_string(s.records.size()) +
            " tasks, as many as task_batch_options::most_tasks permits");
  if (items >= no_batched_task)
    invalid("prism::task_batch: a task of " + std::to_string(items) +
            " items; the limit is 2^32 - 2, and a parallel_for suits such a task better");
  const std::size_t at = s.bodies.size(),
                    padded = (bytes + body_alignment - 1) / body_alignment * body_alignment;
  if (at + padded > most_batch_bytes)
    invalid("prism::task_batch: the bodies take more than " + std::to_string(most_batch_bytes) +
            " bytes; let them share their arguments by a pointer");
  s.bodies.resize(at + padded);
  std::memcpy(s.bodies.data() + at, body, bytes);
  s.records.push_back({kind, static_cast<std::uint32_t>(items), static_cast<std::uint32_t>(at), 0, 0});
  s.prepared = false;
  return static_cast<std::uint32_t>(s.records.size() - 1);
}

void batch_plan::depend(std::uint32_t later, const void* batch_of_later, std::uint32_t earlier,
                        const void* batch_of_earlier, const void* self) {
  if (batch_of_earlier != self || batch_of_later != self)
    invalid("prism::task_batch: a dependency names a task of another batch, or an empty one");
  if (later == no_batched_task) return; // only the check
  m_state->edges.push_back({earlier, later});
  m_state->prepared = false;
}

void batch_plan::require_queue(const sycl::queue& other) const {
  const sycl::queue& own = m_state->queue;
  if (other.get_context() != own.get_context() || other.get_device() != own.get_device())
    invalid("prism::task_batch: submit() got a queue of another context or device than the batch's; make a "
            "batch for each device");
}

bool batch_plan::prepare(bool one_launch) {
  state& s = *m_state;
  if (s.prepared || s.records.empty()) return false;
  const batch_order o = order_batch(s.records.size(), s.edges);
  for (std::size_t t = 0; t < s.records.size(); ++t) {
    s.records[t].successors = o.first[t];
    s.records[t].successor_count = o.first[t + 1] - o.first[t];
  }
  s.levels = o.level_begins.size() - 1;
  s.steps.clear();
  if (one_launch)
    s.launch = launch_of(s.records, s.queue.get_device().get_info<sycl::info::device::max_compute_units>());
  else s.steps = batch_steps(o, s.records);
  s.upload(o);
  s.prepared = true;
  return true;
}

void batch_plan::state::upload(const batch_order& o) {
  release();
  const auto tasks = static_cast<std::uint32_t>(records.size());
  const std::uint32_t roots = o.level_begins[1];
  std::vector<std::uint32_t> ready(tasks, 0);
  for (std::uint32_t k = 0; k < roots; ++k) ready[k] = o.order[k] + 1;
  batch_control control{};
  control.tail = roots;
  control.remaining = tasks;
  std::vector<std::byte> all;
  const auto put = [&](const void* from, std::size_t bytes) {
    const std::size_t at = all.size();
    all.resize(at + batch_aligned(std::max<std::size_t>(bytes, 1)));
    if (bytes != 0) std::memcpy(all.data() + at, from, bytes);
    return at;
  };
  const auto put_all = [&](const auto& v) { return put(v.data(), v.size() * sizeof v[0]); };
  const std::size_t at_records = put_all(records), at_bodies = put_all(bodies),
                    at_successors = put_all(o.successors), at_order = put_all(o.order),
                    at_initial = put_all(o.initial), at_waits = put_all(o.initial), at_ready = put_all(ready),
                    at_control = put(&control, sizeof control);
  memory = static_cast<std::byte*>(sycl::aligned_alloc_device(batch_alignment, all.size(), queue));
  if (memory == nullptr)
    throw sycl::exception(sycl::make_error_code(sycl::errc::memory_allocation),
                          "prism::task_batch: " + std::to_string(tasks) + " tasks need " +
                              std::to_string(all.size()) + " bytes, which the device does not have");
  queue.memcpy(memory, all.data(), all.size()).wait();
  const auto words = [&](std::size_t at) { return reinterpret_cast<std::uint32_t*>(memory + at); };
  view = {reinterpret_cast<const batch_record*>(memory + at_records),
          memory + at_bodies,
          words(at_successors),
          words(at_order),
          words(at_initial),
          words(at_waits),
          words(at_ready),
          reinterpret_cast<batch_control*>(memory + at_control),
          tasks,
          roots};
}

sycl::queue& batch_plan::queue() { return m_state->queue; }
const task_batch_options& batch_plan::options() const { return m_state->options; }
std::size_t batch_plan::size() const { return m_state->records.size(); }
const batch_view& batch_plan::view() const { return m_state->view; }
const batch_launch& batch_plan::launch() const { return m_state->launch; }
const std::vector<batch_step>& batch_plan::steps() const { return m_state->steps; }
std::uint32_t batch_plan::group_size() const {
  const std::size_t most = m_state->queue.get_device().get_info<sycl::info::device::max_work_group_size>();
  return static_cast<std::uint32_t>(std::min<std::size_t>(most, step_group_size));
}
sycl::event batch_plan::last() const { return m_state->last; }
void batch_plan::set_last(const sycl::event& event) { m_state->last = event; }

std::string batch_plan::describe(bool one_launch, bool together) const {
  const state& s = *m_state;
  const std::string tasks = std::to_string(s.records.size()) + " tasks ";
  if (one_launch)
    return tasks + "in 1 launch of " + std::to_string(s.launch.groups) + " groups, which " +
           (together ? "run together" : "were not seen to run together");
  return tasks + "on " + std::to_string(s.levels) + " levels: " + std::to_string(s.steps.size()) +
         (s.steps.size() == 1 ? " launch" : " launches") + " in one submission";
}

std::optional<batch_ability> known_batch_ability(const sycl::device& device) {
  const std::lock_guard lock(ability_mutex);
  for (const auto& [known, ability] : abilities())
    if (known == device) return ability;
  return std::nullopt;
}

void set_batch_ability(const sycl::device& device, const batch_ability& ability) {
  const std::lock_guard lock(ability_mutex);
  abilities().emplace_back(device, ability);
}

std::string reason_against_one_launch(const sycl::device& device) {
  namespace info = sycl::info::device;
  if (!device.is_cpu()) return "it is not a processor, and only there one work-item is a good group";
  const auto has = [](const auto& list, auto what) {
    return std::find(list.begin(), list.end(), what) != list.end();
  };
  if (!has(device.get_info<info::atomic_memory_order_capabilities>(), sycl::memory_order::acq_rel) ||
      !has(device.get_info<info::atomic_memory_scope_capabilities>(), sycl::memory_scope::device))
    return "it has no acquire-release atomics between groups";
  return "";
}

bool batch_completes(const sycl::event& event, std::chrono::steady_clock::time_point end) {
  namespace info = sycl::info;
  while (event.get_info<info::event::command_execution_status>() != info::event_command_status::complete) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return true;
}

} // namespace prism::detail
