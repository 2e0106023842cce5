// <prism/pipeline.hpp>: runs the stages as nodes of a oneTBB flow graph. A queue and a limiter are between
// two stages. An item occupies a slot of its stage's limiter until all of its results have entered the next
// stage, so no channel exceeds its capacity.
#include <prism/pipeline.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <thread>

namespace prism {

namespace {

using detail::pipeline_item;
namespace flow = tbb::flow;
using steady = std::chrono::steady_clock;

using gate = flow::limiter_node<struct travelling, int>;

/// A slot in a stage's limiter, shared by the results of the item that occupied it. It is released when the
/// last of them has entered the next stage.
class slot {
public:
  slot(gate& of, std::size_t items) : m_gate(of), m_open(items) {
    if (items == 0) m_gate.decrementer().try_put(1);
  }
  void leave() {
    if (--m_open == 0) m_gate.decrementer().try_put(1);
  }

private:
  gate& m_gate;
  std::atomic<std::size_t> m_open;
};

struct travelling {
  pipeline_item item;
  std::uint64_t number = 0;   // index in its channel
  std::uint64_t origin = 0;   // index at the source
  std::shared_ptr<slot> held; // slot of the previous stage; null after the source
};

class run_state;

/// One stage in a run.
class running_stage {
public:
  running_stage(flow::graph& graph, const detail::pipeline_stage& stage, run_state& run,
                std::vector<sycl::queue> queues)
      : m_stage(stage), m_run(run), m_queues(std::move(queues)), m_waiting(graph),
        m_gate(graph, stage.options.capacity + stage.options.replicas),
        m_node(graph, stage.options.replicas, [this](const travelling& t) {
          process(t);
          return flow::continue_msg();
        }) {
    flow::make_edge(m_waiting, m_gate);
    flow::make_edge(m_gate, m_node);
    for (sycl::queue& q : m_queues) m_idle.push_back(&q);
  }
  void leads_to(running_stage& next) { m_next = &next; }
  /// Makes this stage the first one. The source is called whenever a slot is free.
  template <typename Next>
  void drive(flow::graph& graph, Next next) {
    m_source = std::make_unique<flow::input_node<travelling>>(graph, next);
    flow::make_edge(*m_source, m_gate);
    m_source->activate();
  }
  void put(const travelling& t) { m_waiting.try_put(t); }
  void finish(); // called at the end of the stream, when no item is in a stage
  stage_report report() const {
    const std::lock_guard lock(m_mutex);
    return m_report;
  }
  void name_device() {
    m_report.name = m_stage.name;
    if (!m_queues.empty())
      m_report.device = m_queues.front().get_device().get_info<sycl::info::device::name>();
  }

private:
  struct result {
    std::vector<pipeline_item> items;
    std::uint64_t origin;
    bool has_slot;
  };
  void process(const travelling& t);
  void deliver(std::uint64_t number, result done);
  void hand_on(result& done);
  sycl::queue* take_queue() {
    const std::lock_guard lock(m_mutex);
    if (m_idle.empty()) return nullptr;
    sycl::queue* q = m_idle.back();
    m_idle.pop_back();
    return q;
  }

  const detail::pipeline_stage& m_stage;
  run_state& m_run;
  running_stage* m_next = nullptr;
  std::vector<sycl::queue> m_queues;
  std::unique_ptr<flow::input_node<travelling>> m_source; // only in the first stage
  flow::queue_node<travelling> m_waiting;
  gate m_gate;
  flow::function_node<travelling, flow::continue_msg> m_node;

  mutable std::mutex m_mutex; // protects the members below
  std::vector<sycl::queue*> m_idle;
  std::map<std::uint64_t, result> m_early; // ordered stages: results that wait for earlier ones
  std::uint64_t m_turn = 0, m_given = 0;
  stage_report m_report;
};

class run_state {
public:
  run_state(const detail::pipeline_plan& plan, const pipeline_options& how) : m_plan(plan), m_how(how) {}

  bool stopped() const { return m_failed || m_how.cancellation.requested(); }

  /// Reports the failure of an item to pipeline_options::skip. Unless it skips the item, the run ends.
  void failed(const std::string& stage, std::uint64_t item, std::exception_ptr cause) {
    std::string words = "an exception that is not a std::exception";
    try {
      std::rethrow_exception(cause);
    } catch (const std::exception& e) {
      words = e.what();
    } catch (...) {}
    const pipeline_error error(stage, item, words, std::move(cause));
    const std::lock_guard lock(m_mutex);
    if (!m_failed && m_how.skip && m_how.skip(error)) {
      ++m_skipped;
      return;
    }
    if (!m_failed) m_error = std::make_exception_ptr(error);
    m_failed = true;
  }

  void report_progress(bool at_end = false) {
    if (!m_how.progress) return;
    std::unique_lock lock(m_progress_mutex, std::try_to_lock);
    if (at_end && !lock.owns_lock()) lock.lock();
    if (!lock.owns_lock() || (!at_end && seconds(steady::now() - m_reported) < m_how.progress_interval))
      return;
    m_reported = steady::now();
    m_how.progress(report());
  }

  pipeline_report report() const {
    pipeline_report out;
    out.stages.push_back(source_report());
    out.replicas.push_back(1);
    for (std::size_t i = 0; i < m_stages.size(); ++i) {
      out.stages.push_back(m_stages[i]->report());
      out.replicas.push_back(m_plan.stages[i].options.replicas);
    }
    out.wall = seconds(steady::now() - m_begin);
    out.cancelled = m_how.cancellation.requested();
    out.skipped = m_skipped;
    return out;
  }

  pipeline_report go();

private:
  std::vector<sycl::queue> queues_of(const detail::pipeline_stage& stage) const {
    if (!stage.wants_queue) return {};
    const auto assigned = m_how.targets.find(stage.name);
    const std::vector<std::string>& names =
        assigned != m_how.targets.end() ? assigned->second : stage.options.prefer;
    const sycl::device device = names.empty() ? selector(stage.options.policy, stage.options.work).device()
                                              : prism::prefer(names).device();
    std::vector<sycl::queue> out;
    for (std::size_t i = 0; i < stage.options.replicas; ++i) out.emplace_back(device);
    return out;
  }
  stage_report source_report() const {
    const std::lock_guard lock(m_mutex);
    return m_source;
  }
  std::optional<travelling> next();

  const detail::pipeline_plan& m_plan;
  const pipeline_options& m_how;
  std::vector<std::unique_ptr<running_stage>> m_stages;
  steady::time_point m_begin = steady::now();
  std::atomic<bool> m_failed{false};
  std::atomic<std::uint64_t> m_skipped{0};
  mutable std::mutex m_mutex; // protects the members below
  std::exception_ptr m_error;
  stage_report m_source;
  std::mutex m_progress_mutex;
  steady::time_point m_reported = steady::now();
};

void running_stage::process(const travelling& t) {
  if (t.held != nullptr) t.held->leave();
  result done{{}, t.origin, true};
  const auto begin = steady::now();
  if (!m_run.stopped()) {
    sycl::queue* queue = take_queue();
    try {
      m_stage.run(queue, t.item, [&](pipeline_item item) { done.items.push_back(std::move(item)); });
    } catch (...) {
      done.items.clear();
      m_run.failed(m_stage.name, t.origin, std::current_exception());
    }
    const std::lock_guard lock(m_mutex);
    if (queue != nullptr) m_idle.push_back(queue);
    ++m_report.in;
    m_report.busy += seconds(steady::now() - begin);
  }
  deliver(t.number, std::move(done));
  m_run.report_progress();
}

void running_stage::deliver(std::uint64_t number, result done) {
  const std::lock_guard lock(m_mutex);
  if (!m_stage.options.ordered) return hand_on(done);
  m_early.emplace(number, std::move(done));
  for (auto next = m_early.find(m_turn); next != m_early.end(); next = m_early.find(m_turn)) {
    hand_on(next->second);
    m_early.erase(next);
    ++m_turn;
  }
}

void running_stage::hand_on(result& done) {
  m_report.out += done.items.size();
  if (m_next == nullptr) done.items.clear();
  const std::shared_ptr<slot> held =
      done.has_slot ? std::make_shared<slot>(m_gate, done.items.size()) : nullptr;
  for (pipeline_item& item : done.items) m_next->put({std::move(item), m_given++, done.origin, held});
}

void running_stage::finish() {
  if (!m_stage.finish || m_run.stopped()) return;
  result done{{}, 0, false};
  try {
    m_stage.finish([&](pipeline_item item) { done.items.push_back(std::move(item)); });
  } catch (...) {
    m_run.failed(m_stage.name, 0, std::current_exception());
    return;
  }
  const std::lock_guard lock(m_mutex);
  hand_on(done);
}

std::optional<travelling> run_state::next() {
  if (stopped()) return std::nullopt;
  const auto begin = steady::now();
  pipeline_item item;
  try {
    item = m_plan.source();
  } catch (...) {
    failed(m_plan.source_name, m_source.out, std::current_exception());
    return std::nullopt;
  }
  const std::lock_guard lock(m_mutex);
  m_source.busy += seconds(steady::now() - begin);
  if (item == nullptr) return std::nullopt;
  const std::uint64_t number = m_source.out++;
  return travelling{std::move(item), number, number, nullptr};
}

pipeline_report run_state::go() {
  std::size_t threads = 1;
  for (const detail::pipeline_stage& s : m_plan.stages) threads += s.options.replicas;
  std::vector<std::vector<sycl::queue>>
      queues; // made before any stage runs, so that a policy that no device fits throws first
  for (const detail::pipeline_stage& s : m_plan.stages) queues.push_back(queues_of(s));
  m_source.name = m_plan.source_name;
  // A stage may block on a file or a device, so each replica has a thread.
  tbb::global_control allowed(tbb::global_control::max_allowed_parallelism,
                              threads + std::max(1u, std::thread::hardware_concurrency()));
  tbb::task_arena arena(static_cast<int>(threads), 1);
  pipeline_report out;
  arena.execute([&] {
    flow::graph graph;
    struct nodes_first { // destroys the nodes before the graph, also after an exception
      std::vector<std::unique_ptr<running_stage>>& stages;
      ~nodes_first() { stages.clear(); }
    } const order{m_stages};
    for (std::size_t i = 0; i < m_plan.stages.size(); ++i) {
      m_stages.push_back(
          std::make_unique<running_stage>(graph, m_plan.stages[i], *this, std::move(queues[i])));
      m_stages.back()->name_device();
      if (i != 0) m_stages[i - 1]->leads_to(*m_stages[i]);
    }
    m_stages.front()->drive(graph, [this](tbb::flow_control& control) {
      std::optional<travelling> t = next();
      if (!t) control.stop();
      return t ? *t : travelling{};
    });
    graph.wait_for_all();
    for (auto& stage : m_stages) { // items that a stage still holds pass through the following stages
      stage->finish();
      graph.wait_for_all();
    }
    report_progress(true);
    out = report();
  });
  if (m_error) std::rethrow_exception(m_error);
  return out;
}

} // namespace

namespace detail {

pipeline_report run_pipeline(const pipeline_plan& plan, const pipeline_options& how) {
  for (const pipeline_stage& s : plan.stages)
    if (s.options.replicas == 0 || s.options.capacity == 0)
      throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                            "pipeline: stage \"" + s.name + "\" has " +
                                (s.options.replicas == 0 ? "no replicas" : "a channel without capacity"));
  for (const auto& [name, devices] : how.targets)
    if (std::none_of(plan.stages.begin(), plan.stages.end(),
                     [&n = name](const pipeline_stage& s) { return s.wants_queue && s.name == n; }))
      throw sycl::exception(sycl::make_error_code(sycl::errc::invalid),
                            "pipeline: targets name the stage \"" + name +
                                "\", but no stage of that name has a queue");
  return run_state(plan, how).go();
}

} // namespace detail

double pipeline_report::efficiency() const noexcept {
  double most = 0;
  for (std::size_t i = 0; i < stages.size() && i < replicas.size(); ++i)
    most = std::max(most, stages[i].busy.count() / static_cast<double>(replicas[i]));
  return wall.count() > 0 ? most / wall.count() : 0;
}

std::string pipeline_report::text() const {
  std::string out;
  char line[256];
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const stage_report& s = stages[i];
    std::snprintf(line, sizeof line, "%-24s %8llu in %8llu out  busy %8.1f ms  %5.1f %% of %zu  %s\n",
                  s.name.c_str(), static_cast<unsigned long long>(s.in),
                  static_cast<unsigned long long>(s.out), s.busy.count() * 1e3,
                  100 * s.busy.count() / std::max(1e-12, wall.count() * static_cast<double>(replicas[i])),
                  replicas[i], s.device.c_str());
    out += line;
  }
  std::snprintf(line, sizeof line, "wall %.1f ms, %.2f of what its slowest stage allows%s\n",
                wall.count() * 1e3, efficiency(), cancelled ? ", cancelled" : "");
  return out + line;
}

} // namespace prism
