// prism::task_graph next to tbb::flow::graph, made, run and waited for: the cost of tasks that do nothing,
// and how much faster tasks that compute are on all cores than on one.
#include "bench/rows.hpp"

#include <prism/task_graph.hpp>

#include <deque>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/info.h>

namespace bench {

namespace {

namespace flow = tbb::flow;
using flow_node = flow::continue_node<flow::continue_msg>;

constexpr int tasks = 20'000, computing_tasks = 2'000;

/// The inputs of task i: none, the one before, or both halves of a tree with the root last.
struct shape {
  const char *name, *text;
  std::vector<int> (*inputs)(int i);
};
constexpr shape shapes[] = {
    {"tasks, independent", "20,000 tasks without inputs", [](int) { return std::vector<int>{}; }},
    {"tasks, a chain", "a chain of 20,000 tasks",
     [](int i) { return i == 0 ? std::vector<int>{} : std::vector<int>{i - 1}; }},
    {"tasks, a grid", "20,000 tasks that each depend on two of the 100 before",
     [](int i) {
  return i < 100 ? std::vector<int>{} : std::vector<int>{i - 100, i - 100 + (i % 100 == 99 ? -1 : 1)};
}},
};

void do_nothing() {}

/// About 30 microseconds.
void compute() {
  float x = 0;
  for (int i = 0; i < 16'000; ++i) x = x * 0.5f + 1;
  volatile float kept = x;
  (void)kept;
}

void run_ours(const shape& of, int count, void (*body)()) {
  prism::task_graph graph;
  std::vector<prism::task<void>> made;
  made.reserve(count);
  for (int i = 0; i < count; ++i) {
    const std::vector<int> in = of.inputs(i);
    if (in.empty()) made.push_back(graph.add("", body));
    else if (in.size() == 1) made.push_back(graph.add("", body, made[in[0]]));
    else made.push_back(graph.add("", body, made[in[0]], made[in[1]]));
  }
  graph.wait();
}

void run_theirs(const shape& of, int count, void (*body)()) {
  flow::graph graph;
  std::deque<flow_node> made;
  std::vector<flow_node*> first;
  for (int i = 0; i < count; ++i) {
    made.emplace_back(graph, [body](const flow::continue_msg&) {
      body();
      return flow::continue_msg();
    });
    const std::vector<int> in = of.inputs(i);
    for (const int before : in) flow::make_edge(made[before], made[i]);
    if (in.empty()) first.push_back(&made.back());
  }
  for (flow_node* node : first) node->try_put(flow::continue_msg());
  graph.wait_for_all();
}

using run_function = void (*)(const shape&, int, void (*)());

/// Computing tasks on all cores against a loop over their bodies on one. TBB's limits of a process do not
/// hold for tasks that are enqueued, so they cannot give the second time.
void measure_scaling(report& out, const options& how, const char* name, const char* library,
                     run_function run) {
  const auto all_cores = [&] { return timed([&] { run(shapes[2], computing_tasks, compute); }); };
  const auto one_core = [&] {
    return timed([&] {
      for (int i = 0; i < computing_tasks; ++i) compute();
    });
  };
  out.add(
      {"submission",
       name,
       "host threads",
       std::string("2,000 tasks of 30 us that each depend on two before, in ") + library + ", on all cores",
       "their bodies in a loop on one core",
       alternate(how.rounds, all_cores, one_core),
       {goal::kind::ratio, 1 / (0.9 * tbb::info::default_concurrency())}});
}

} // namespace

void measure_task_graph(report& out, const options& how) {
  for (const shape& of : shapes)
    out.add({"submission",
             of.name,
             "host threads",
             std::string(of.text) + " in prism::task_graph",
             "the same in tbb::flow::graph",
             alternate(how.rounds, [&] { return timed([&] { run_ours(of, tasks, do_nothing); }); },
                       [&] { return timed([&] { run_theirs(of, tasks, do_nothing); }); }),
             {goal::kind::ratio, 1}});
  measure_scaling(out, how, "tasks, all cores", "prism::task_graph", run_ours);
  measure_scaling(out, how, "flow nodes, all cores", "tbb::flow::graph", run_theirs);
}

} // namespace bench
