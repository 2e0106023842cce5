// The cost of tasks that do nothing, in prism::task_graph and in tbb::flow::graph: made, run and waited for.
#include "bench/rows.hpp"

#include <prism/task_graph.hpp>

#include <deque>
#include <oneapi/tbb/flow_graph.h>

namespace bench {

namespace {

namespace flow = tbb::flow;
using flow_node = flow::continue_node<flow::continue_msg>;

constexpr int tasks = 20'000;

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

void run_ours(const shape& of) {
  prism::task_graph graph;
  std::vector<prism::task<void>> made;
  made.reserve(tasks);
  const auto nothing = [] {};
  for (int i = 0; i < tasks; ++i) {
    const std::vector<int> in = of.inputs(i);
    if (in.empty()) made.push_back(graph.add("", nothing));
    else if (in.size() == 1) made.push_back(graph.add("", nothing, made[in[0]]));
    else made.push_back(graph.add("", nothing, made[in[0]], made[in[1]]));
  }
  graph.wait();
}

void run_theirs(const shape& of) {
  flow::graph graph;
  std::deque<flow_node> made;
  std::vector<flow_node*> first;
  for (int i = 0; i < tasks; ++i) {
    made.emplace_back(graph, [](const flow::continue_msg&) { return flow::continue_msg(); });
    const std::vector<int> in = of.inputs(i);
    for (const int before : in) flow::make_edge(made[before], made[i]);
    if (in.empty()) first.push_back(&made.back());
  }
  for (flow_node* node : first) node->try_put(flow::continue_msg());
  graph.wait_for_all();
}

} // namespace

void measure_task_graph(report& out, const options& how) {
  for (const shape& of : shapes)
    out.add({"submission",
             of.name,
             "host threads",
             std::string(of.text) + " in prism::task_graph",
             "the same in tbb::flow::graph",
             alternate(how.rounds, [&] { return timed([&] { run_ours(of); }); },
                       [&] { return timed([&] { run_theirs(of); }); }),
             {goal::kind::ratio, 1}});
}

} // namespace bench
