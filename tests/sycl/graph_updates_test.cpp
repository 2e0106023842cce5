// Command graphs: updates, errors and what is reported.
#include "tests/sycl/graphs.hpp"

#include <cstdio>
#include <fstream>

using namespace prism_test;
using prism::command_graph;
using prism::graph_state;
using sycl::errc;

namespace {

namespace property = prism::property;

TEST(graphs, ranges_and_arguments_are_updated_without_finalizing) {
  SKIP_UNLESS_COMPILED("what a kernel captures");
  sycl::queue q;
  SKIP_WITHOUT_USM(q);
  array a(q, std::vector<int>(64, 0)), b(q, std::vector<int>(64, 0));
  command_graph graph(q);
  const auto set = [](int* to, int value) {
    return [=](sycl::handler& h) { h.parallel_for(32, [=](sycl::id<1> i) { to[i] = value; }); };
  };
  auto writes = graph.add(set(a.data, 1));
  auto ready = graph.finalize({property::graph::updatable()});
  prism::execute_graph(q, ready).wait();
  std::vector<int> expected(64, 0);
  std::fill_n(expected.begin(), 32, 1);
  EXPECT_EQ(a.values(), expected);

  writes.update_range(
      sycl::range<1>(48)); // not a multiple of any work-group size: the guard must have the new range
  writes.update(set(b.data, 6));
  writes.update_range(sycl::range<1>(50));
  prism::execute_graph(q, ready).wait();
  EXPECT_EQ(b.values(), std::vector<int>(64, 0))
      << "an update has no effect before update() of the executable graph";
  ready.update(writes);
  prism::execute_graph(q, ready).wait();
  std::vector<int> wider(64, 0);
  std::fill_n(wider.begin(), 50, 6);
  EXPECT_EQ(b.values(), wider);
  EXPECT_EQ(a.values(), expected);
}

TEST(graphs, nd_ranges_are_updated) {
  SKIP_UNLESS_COMPILED("what a kernel captures");
  sycl::queue q;
  SKIP_WITHOUT_USM(q);
  array a(q, std::vector<int>(256, -1));
  command_graph graph(q);
  int* const x = a.data;
  auto node = graph.add([&](sycl::handler& h) {
    h.parallel_for(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> it) {
      x[it.get_global_id(0)] = int(it.get_local_range(0) * 1000 + it.get_group(0));
    });
  });
  auto ready = graph.finalize({property::graph::updatable()});
  node.update_nd_range(sycl::nd_range<1>(128, 32));
  ready.update(node);
  prism::execute_graph(q, ready).wait();
  const std::vector<int> result = a.values();
  for (int i = 0; i < 256; ++i) ASSERT_EQ(result[std::size_t(i)], i < 128 ? 32000 + i / 32 : -1) << i;
}

TEST(graphs, a_whole_graph_takes_the_values_of_another_of_its_shape) {
  sycl::queue q;
  SKIP_WITHOUT_USM(q);
  array a(q, std::vector<int>(20, 1)), b(q, std::vector<int>(20, 1));
  const auto record = [&](command_graph<>& into, int* data, int value) {
    into.begin_recording(q);
    const sycl::event first = add_to(q, data, 20, value);
    multiply(q, data, 20, value, {first});
    into.end_recording();
  };
  command_graph one(q), two(q);
  record(one, a.data, 3);
  record(two, b.data, 10);
  auto ready = one.finalize({property::graph::updatable()});
  prism::execute_graph(q, ready);
  ready.update(two);
  prism::execute_graph(q, ready).wait();
  EXPECT_EQ(a.values(), std::vector<int>(20, 12));
  EXPECT_EQ(b.values(), std::vector<int>(20, 110));

  add_to(q, a.data, 20, 0).wait();
  command_graph longer(q);
  longer.begin_recording(q);
  add_to(q, a.data, 20, 1);
  longer.end_recording();
  EXPECT_EQ(error_of([&] { ready.update(longer); }), errc::invalid);
}

TEST(graphs, dynamic_command_groups_run_their_active_group) {
  sycl::queue q;
  SKIP_WITHOUT_USM(q);
  array a(q, std::vector<int>(20, 2));
  int* const x = a.data;
  command_graph graph(q);
  prism::dynamic_command_group choice(graph, {[=](sycl::handler& h) {
    h.parallel_for(20, [=](sycl::id<1> i) { x[i] += 5; });
  }, [=](sycl::handler& h) { h.parallel_for(20, [=](sycl::id<1> i) { x[i] *= 5; }); }});
  auto node = graph.add(choice);
  auto ready = graph.finalize({property::graph::updatable()});
  prism::execute_graph(q, ready);
  EXPECT_EQ(choice.get_active_index(), 0u);
  choice.set_active_index(1);
  prism::execute_graph(q, ready);
  ready.update(node);
  prism::execute_graph(q, ready).wait();
  EXPECT_EQ(a.values(), std::vector<int>(20, 60));
  EXPECT_EQ(error_of([&] { choice.set_active_index(2); }), errc::invalid);
}

TEST(graphs, misuse_is_refused_with_invalid) {
  sycl::queue q, other(q.get_context(), q.get_device());
  SKIP_WITHOUT_USM(q);
  array a(q, std::vector<int>(20, 2));
  int* const x = a.data;
  command_graph graph(q), second(q);
  const auto invalid = [](auto&& call) {
    std::string text;
    EXPECT_EQ(error_of(call, &text), errc::invalid) << text;
    EXPECT_FALSE(text.empty());
  };
  const auto kernel = [=](sycl::handler& h) { h.parallel_for(20, [=](sycl::id<1> i) { x[i] += 5; }); };
  graph.begin_recording(q);
  const sycl::event recorded = q.submit(kernel);
  invalid([&] { q.wait(); });
  invalid([&] { sycl::event(recorded).wait(); });
  invalid([&] { (void)recorded.get_info<sycl::info::event::command_execution_status>(); });
  invalid([&] { graph.begin_recording(q); });
  invalid([&] { second.begin_recording(q); });
  invalid([&] { second.end_recording(q); });
  invalid([&] { graph.add(); });
  invalid([&] { graph.add(kernel); });
  invalid([&] { add_to(q, x, 20, 1, {add_to(other, x, 20, 0)}); }); // an event from outside of the recording
  graph.end_recording();
  graph.end_recording(q);
  other.wait();
  invalid([&] { add_to(other, x, 20, 1, {recorded}); }); // an event from inside, after the recording
  invalid([&] { (void)prism::graph_of(q); });
  invalid([&] { (void)prism::node::get_node_from_event(sycl::event()); });

  auto first = graph.add(kernel), next = graph.add(kernel, {property::node::depends_on(first)}),
       last = graph.add({property::node::depends_on(next)});
  auto foreign = second.add(kernel);
  invalid([&] { graph.make_edge(first, first); });
  invalid([&] { graph.make_edge(last, first); });
  invalid([&] { graph.make_edge(first, foreign); });
  invalid([&] { graph.add(property::node::depends_on(foreign)); });
  auto ready = graph.finalize();
  invalid([&] { ready.update(first); });
  auto changing = graph.finalize({property::graph::updatable()});
  invalid([&] { changing.update(foreign); });
  invalid([&] { changing.update(last); });
  invalid([&] { last.update_range(sycl::range<1>(4)); });
  invalid([&] { first.update_range(sycl::range<2>(4, 4)); });
  invalid([&] { first.update_nd_range(sycl::nd_range<1>(4, 4)); });
  invalid([&] { first.update([&](sycl::handler& h) { h.host_task([] {}); }); });
  invalid([&] { graph.print_graph("picture.png"); });
  sycl::queue elsewhere(sycl::context(q.get_device()), q.get_device());
  invalid([&] { graph.begin_recording(elsewhere); });
  invalid([&] { prism::execute_graph(elsewhere, ready); });
  invalid([&] { prism::dynamic_command_group(graph, {}); });
}

TEST(graphs, circles_are_found_at_the_latest_by_finalize) {
  sycl::queue q;
  command_graph graph(q, {property::graph::no_cycle_check()});
  auto one = graph.add(), two = graph.add();
  graph.make_edge(one, two);
  graph.make_edge(two, one);
  EXPECT_EQ(error_of([&] { graph.finalize(); }), errc::invalid);
}

TEST(graphs, freed_memory_and_destroyed_buffers_are_refused_by_name) {
  SKIP_UNLESS_COMPILED("which memory a kernel uses");
  sycl::queue q;
  SKIP_WITHOUT_USM(q);
  int* const freed = sycl::malloc_device<int>(100, q);
  command_graph graph(q);
  graph.add([&](sycl::handler& h) { h.parallel_for(100, [=](sycl::id<1> i) { freed[i] = 1; }); });
  auto ready = graph.finalize();
  prism::execute_graph(q, ready).wait();
  sycl::free(freed, q);
  std::string text;
  EXPECT_EQ(error_of([&] { prism::execute_graph(q, ready).wait(); }, &text), errc::invalid);
  EXPECT_NE(text.find("freed"), std::string::npos) << text;

  command_graph second(q);
  auto short_lived = std::make_unique<sycl::buffer<int>>(sycl::range<1>(10));
  second.add([&](sycl::handler& h) {
    sycl::accessor x(*short_lived, h, sycl::read_write);
    h.parallel_for(10, [=](sycl::id<1> i) { x[i] = 1; });
  });
  auto fine = second.finalize();
  short_lived.reset();
  EXPECT_EQ(error_of([&] { second.finalize(); }, &text), errc::invalid);
  EXPECT_NE(text.find("destroyed"), std::string::npos) << text;
  EXPECT_EQ(error_of([&] { prism::execute_graph(q, fine); }, &text), errc::invalid);
}

TEST(graphs, an_exception_ends_the_recording_with_the_graph) {
  sycl::queue q;
  try {
    command_graph graph(q);
    graph.begin_recording(q);
    throw std::runtime_error("of the program's own");
  } catch (const std::runtime_error&) {}
  EXPECT_EQ(prism::state_of(q), prism::queue_state::executing);
  q.wait();
}

TEST(graphs, a_failing_host_task_is_reported_and_the_graph_runs_again) {
  error_log errors;
  sycl::queue q(errors.handler());
  int runs = 0;
  command_graph graph(q);
  graph.add([&](sycl::handler& h) {
    h.host_task([&] {
      if (++runs == 1) throw std::runtime_error("the first run fails");
    });
  });
  auto ready = graph.finalize();
  prism::execute_graph(q, ready);
  q.wait_and_throw();
  EXPECT_EQ(errors.texts.size(), 1u);
  prism::execute_graph(q, ready);
  q.wait_and_throw();
  EXPECT_EQ(errors.texts.size(), 1u);
  EXPECT_EQ(runs, 2);
}

TEST(graphs, an_empty_graph_runs_and_completes) {
  sycl::queue q;
  command_graph graph(q);
  auto ready = graph.finalize();
  prism::execute_graph(q, ready).wait();
}

TEST(graphs, executions_are_profiled) {
  sycl::device d;
  if (!d.has(sycl::aspect::queue_profiling))
    GTEST_SKIP() << prism_test::name_of(d) << " has no aspect::queue_profiling";
  sycl::queue q(d, sycl::property::queue::enable_profiling());
  SKIP_WITHOUT_USM(q);
  array a(q, std::vector<int>(2000, 2));
  command_graph graph(q);
  graph.begin_recording(q);
  const sycl::event first = add_to(q, a.data, 2000, 1);
  multiply(q, a.data, 2000, 2, {first});
  graph.end_recording();
  auto ready = graph.finalize({property::graph::enable_profiling()});
  for (int run = 0; run < 3; ++run) {
    sycl::event done = prism::execute_graph(q, ready);
    done.wait();
    namespace times = sycl::info::event_profiling;
    EXPECT_LE(done.get_profiling_info<times::command_submit>(),
              done.get_profiling_info<times::command_start>());
    EXPECT_LE(done.get_profiling_info<times::command_start>(), done.get_profiling_info<times::command_end>());
  }
}

TEST(graphs, an_update_prepares_only_what_has_changed) {
  SKIP_UNLESS_COMPILED("how to change the range of a kernel");
  sycl::queue q;
  SKIP_WITHOUT_USM(q);
  array a(q, std::vector<int>(64, 0));
  command_graph graph(q);
  for (int i = 0; i < 20; ++i) // every fifth splits the graph into segments
    graph.add([i, x = a.data](sycl::handler& h) {
      i % 5 == 4 ? h.host_task([] {}) : h.parallel_for(64, [=](sycl::id<1> k) { x[k] += 1; });
    }, property::node::depends_on_all_leaves());
  auto ready = graph.finalize(property::graph::updatable());
  prism::execute_graph(q, ready); // runs while update() copies its segments
  for (const std::size_t n : {0, 7}) graph.get_nodes()[n].update_range(sycl::range<1>(10));
  ready.update(graph.get_nodes());
  const char* const prepared = splits_launches() ? ", 0 prepared" : ", 2 prepared by the last update";
  EXPECT_NE(ready.describe().find(prepared), std::string::npos) << ready.describe();
  prism::execute_graph(q, ready).wait();
  EXPECT_EQ(a.values()[9] * 100 + a.values()[10], (16 + 16) * 100 + 16 + 14);
}

TEST(graphs, a_printed_graph_names_nodes_and_edges) {
  sycl::queue q;
  command_graph graph(q);
  auto one = graph.add();
  graph.add(property::node::depends_on(one));
  const std::string file = testing::TempDir() + "prism_graph_" + std::to_string(graph.get_id()) + "_" +
                           std::to_string(::getpid()) + ".dot";
  graph.print_graph(file, true);
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::remove(file.c_str());
  EXPECT_NE(text.find("n0 -> n1"), std::string::npos) << text;
  EXPECT_NE(text.find("empty"), std::string::npos) << text;
}

TEST(graphs, a_picture_has_a_box_for_each_node_and_a_line_for_each_edge) {
  sycl::queue q;
  command_graph graph(q);
  auto one = graph.add(), two = graph.add(property::node::depends_on(one));
  graph.add(property::node::depends_on(one, two));
  const std::string file = testing::TempDir() + "prism_picture_" + std::to_string(::getpid()) + ".svg";
  const auto count_of = [&](const std::string& part) {
    std::ifstream in(file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::remove(file.c_str());
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  graph.print_graph(file);
  EXPECT_EQ(count_of("<rect class=\"node\""), 3u);
  graph.print_graph(file);
  EXPECT_EQ(count_of("<line class=\"edge\""), 3u);
  graph.finalize().print_graph(file, true);
  EXPECT_EQ(count_of("</svg>"), 1u);
}

} // namespace
