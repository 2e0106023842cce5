// Command graphs: recording and explicit construction, the same results as plain submission, updates, and
// errors.
#include "tests/sycl/common.hpp"

#include <prism/graph.hpp>

#include <cstdio>
#include <fstream>
#include <thread>

using namespace prism_test;
using prism::command_graph;
using prism::graph_state;
using sycl::errc;

namespace {

namespace property = prism::property;

/// Device memory and a copy of it on the host.
struct array {
  sycl::queue queue;
  std::size_t count;
  int* data;
  array(sycl::queue q, std::vector<int> values)
      : queue(q), count(values.size()), data(sycl::malloc_device<int>(count, q)) {
    queue.copy(values.data(), data, count).wait();
  }
  ~array() { sycl::free(data, queue); }
  std::vector<int> values() {
    std::vector<int> out(count);
    queue.copy(data, out.data(), count).wait();
    return out;
  }
};

#define SKIP_WITHOUT_USM(queue) SKIP_WITHOUT(queue, usm_device_allocations)

sycl::event add_to(sycl::queue& q, int* data, std::size_t n, int what,
                   const std::vector<sycl::event>& after = {}) {
  return q.parallel_for(sycl::range<1>(n), after,
                        [=](sycl::id<1> i) { data[i] = int(unsigned(data[i]) + unsigned(what)); });
}
sycl::event multiply(sycl::queue& q, int* data, std::size_t n, int by,
                     const std::vector<sycl::event>& after = {}) {
  return q.parallel_for(sycl::range<1>(n), after,
                        [=](sycl::id<1> i) { data[i] = int(unsigned(data[i]) * unsigned(by)); }); // may wrap
}

TEST(graphs, a_recorded_queue_runs_nothing_until_the_graph_does) {
  sycl::queue q;
  SKIP_WITHOUT_USM(q);
  array a(q, counted(100));
  command_graph graph(q);
  EXPECT_TRUE(graph.empty());
  EXPECT_EQ(prism::state_of(q), prism::queue_state::executing);
  graph.begin_recording(q);
  EXPECT_EQ(prism::state_of(q), prism::queue_state::recording);
  EXPECT_TRUE(prism::graph_of(q) == graph);
  const sycl::event first = add_to(q, a.data, 100, 5);
  multiply(q, a.data, 100, 3, {first});
  graph.end_recording(q);
  EXPECT_EQ(prism::state_of(q), prism::queue_state::executing);
  EXPECT_EQ(a.values(), counted(100));
  EXPECT_EQ(graph.get_nodes().size(), 2u);

  auto ready = graph.finalize();
  EXPECT_EQ(a.values(), counted(100));
  prism::execute_graph(q, ready).wait();
  prism::execute_graph(q, ready).wait();
  std::vector<int> expected = counted(100);
  for (int& x : expected) x = ((x + 5) * 3 + 5) * 3;
  EXPECT_EQ(a.values(), expected);
}

TEST(graphs, an_in_order_queue_records_a_chain_of_nodes) {
  sycl::queue q{sycl::property::queue::in_order()};
  SKIP_WITHOUT_USM(q);
  array a(q, std::vector<int>(64, 1));
  command_graph graph(q);
  graph.begin_recording(q);
  for (int i = 1; i <= 10; ++i) {
    add_to(q, a.data, 64, i);
    multiply(q, a.data, 64, 3);
  }
  graph.end_recording();
  const auto nodes = graph.get_nodes();
  ASSERT_EQ(nodes.size(), 20u);
  EXPECT_EQ(graph.get_root_nodes().size(), 1u);
  for (std::size_t n = 1; n < nodes.size(); ++n) {
    ASSERT_EQ(nodes[n].get_predecessors().size(), 1u);
    EXPECT_TRUE(nodes[n].get_predecessors()[0] == nodes[n - 1]);
    EXPECT_TRUE(nodes[n - 1].get_successors()[0] == nodes[n]);
    EXPECT_EQ(nodes[n].get_type(), prism::node_type::kernel);
  }
  auto ready = graph.finalize();
  unsigned expected = 1;
  for (int run = 0; run < 3; ++run) {
    prism::execute_graph(q, ready);
    for (unsigned i = 1; i <= 10; ++i) expected = (expected + i) * 3;
  }
  q.wait();
  for (const int each : a.values()) ASSERT_EQ(unsigned(each), expected);
}

TEST(graphs, buffers_create_edges_and_are_copied_as_needed) {
  sycl::queue q;
  std::vector<int> input = counted(200), output(200);
  sycl::buffer<int> in(input), middle(sycl::range<1>(200)), out(sycl::range<1>(200));
  command_graph graph(q, {property::graph::assume_buffer_outlives_graph()});
  graph.begin_recording(q);
  q.submit([&](sycl::handler& h) {
    sycl::accessor from(in, h, sycl::read_only);
    sycl::accessor to(middle, h, sycl::write_only, sycl::no_init);
    h.parallel_for(200, [=](sycl::id<1> i) { to[i] = from[i] * 2; });
  });
  q.submit([&](sycl::handler& h) {
    sycl::accessor from(middle, h, sycl::read_only);
    sycl::accessor to(out, h, sycl::write_only, sycl::no_init);
    h.parallel_for(200, [=](sycl::id<1> i) { to[i] = from[199 - i] + 1; });
  });
  q.submit([&](sycl::handler& h) {
    sycl::accessor more(in, h, sycl::read_write);
    h.parallel_for(200, [=](sycl::id<1> i) { more[i] += 10; });
  });
  graph.end_recording();
  const auto nodes = graph.get_nodes();
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes[1].get_predecessors().size(), 1u);
  ASSERT_EQ(nodes[2].get_predecessors().size(), 1u); // reads of `in` precede its overwriting
  EXPECT_TRUE(nodes[2].get_predecessors()[0] == nodes[0]);
  auto ready = graph.finalize();
  for (int run = 0; run < 3; ++run) {
    prism::execute_graph(q, ready);
    const sycl::host_accessor result(out, sycl::read_only);
    for (int i = 0; i < 200; ++i) ASSERT_EQ(result[i], (199 - i + 10 * run) * 2 + 1) << run << " at " << i;
  }
  {
    sycl::host_accessor change(in); // the next execution must read the host's writes
    for (int i = 0; i < 200; ++i) change[i] = 7 * i;
  }
  prism::execute_graph(q, ready);
  const sycl::host_accessor result(out, sycl::read_only);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(result[i], 7 * (199 - i) * 2 + 1) << i;
}

TEST(graphs, executions_are_ordered_with_commands_on_the_same_buffers) {
  sycl::queue q;
  sycl::buffer<int> b(sycl::range<1>(64));
  const auto plain = [&](int factor) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(b, h, sycl::read_write);
      h.parallel_for(64, [=](sycl::id<1> i) { x[i] = x[i] * factor + 1; });
    });
  };
  command_graph graph(q);
  graph.begin_recording(q);
  plain(3);
  plain(2);
  graph.end_recording();
  auto ready = graph.finalize();
  {
    sycl::host_accessor first(b, sycl::write_only);
    for (int i = 0; i < 64; ++i) first[i] = i;
  }
  for (int round = 0; round < 4; ++round) {
    plain(1);
    prism::execute_graph(q, ready);
    plain(-1);
  }
  const sycl::host_accessor result(b, sycl::read_only);
  for (int i = 0; i < 64; ++i) {
    int expected = i;
    for (int round = 0; round < 4; ++round) expected = -(((expected + 1) * 3 + 1) * 2 + 1) + 1;
    ASSERT_EQ(result[i], expected) << i;
  }
}

TEST(graphs, nodes_and_edges_can_be_made_by_hand) {
  sycl::queue q;
  SKIP_WITHOUT_USM(q);
  array a(q, std::vector<int>(50, 1)), b(q, std::vector<int>(50, 2)), c(q, std::vector<int>(50, 0));
  command_graph graph(q);
  int *const x = a.data, *const y = b.data, *const z = c.data;
  auto sum = graph.add(
      [&](sycl::handler& h) { h.parallel_for(50, [=](sycl::id<1> i) { z[i] = x[i] * 100 + y[i]; }); });
  auto start = graph.add();
  auto left = graph.add([&](sycl::handler& h) { h.parallel_for(50, [=](sycl::id<1> i) { x[i] += 3; }); },
                        {property::node::depends_on(start)});
  auto right = graph.add([&](sycl::handler& h) { h.parallel_for(50, [=](sycl::id<1> i) { y[i] += 4; }); },
                         {property::node::depends_on(start)});
  graph.make_edge(left, sum);
  graph.make_edge(right, sum);
  auto end = graph.add({property::node::depends_on_all_leaves()});
  EXPECT_EQ(start.get_type(), prism::node_type::empty);
  EXPECT_EQ(sum.get_predecessors().size(), 2u);
  ASSERT_EQ(end.get_predecessors().size(), 1u);
  EXPECT_TRUE(end.get_predecessors()[0] == sum);
  ASSERT_EQ(graph.get_root_nodes().size(), 1u);
  EXPECT_TRUE(graph.get_root_nodes()[0] == start);
  auto ready = graph.finalize();
  prism::execute_graph(q, ready).wait();
  EXPECT_EQ(c.values(), std::vector<int>(50, 406));
  prism::execute_graph(q, ready).wait();
  EXPECT_EQ(c.values(), std::vector<int>(50, 710));
}

TEST(graphs, copies_fills_host_tasks_and_barriers_are_nodes_too) {
  sycl::queue q;
  SKIP_WITHOUT_USM(q);
  array a(q, std::vector<int>(40, 1)), b(q, std::vector<int>(40, 0));
  std::vector<int> host(40, 0), seen;
  int tasks = 0;
  command_graph graph(q);
  graph.begin_recording(q);
  q.memset(b.data, 0, 40 * sizeof(int));
  q.fill(a.data, 9, 40);
  q.ext_oneapi_submit_barrier();
  q.copy(a.data, b.data, 20);
  q.ext_oneapi_submit_barrier();
  add_to(q, b.data, 40, 1);
  q.ext_oneapi_submit_barrier();
  q.copy(b.data, host.data(), 40);
  q.ext_oneapi_submit_barrier();
  q.submit([&](sycl::handler& h) {
    h.host_task([&] {
      ++tasks;
      seen = host;
      for (int& each : host) each += 100;
    });
  });
  q.ext_oneapi_submit_barrier();
  q.copy(host.data(), b.data, 40);
  graph.end_recording();
  auto ready = graph.finalize();
  for (int run = 1; run <= 3; ++run) {
    prism::execute_graph(q, ready).wait();
    EXPECT_EQ(tasks, run);
    std::vector<int> expected(40, 1);
    std::fill_n(expected.begin(), 20, 10);
    EXPECT_EQ(seen, expected);
    for (int& each : expected) each += 100;
    EXPECT_EQ(b.values(), expected);
  }
  using prism::node_type;
  const auto nodes = graph.get_nodes();
  const node_type kinds[] = {node_type::memset,  node_type::memfill,   node_type::barrier, node_type::memcpy,
                             node_type::barrier, node_type::kernel,    node_type::barrier, node_type::memcpy,
                             node_type::barrier, node_type::host_task, node_type::barrier, node_type::memcpy};
  ASSERT_EQ(nodes.size(), std::size(kinds));
  for (std::size_t n = 0; n < nodes.size(); ++n) EXPECT_EQ(nodes[n].get_type(), kinds[n]) << n;
}

TEST(graphs, a_host_task_gets_the_addresses_of_its_execution) {
  sycl::queue q;
  sycl::buffer<int> b(sycl::range<1>(32));
  command_graph graph(q);
  graph.begin_recording(q);
  q.submit([&](sycl::handler& h) {
    sycl::accessor x(b, h, sycl::read_write);
    h.parallel_for(32, [=](sycl::id<1> i) { x[i] += 1; });
  });
  q.submit([&](sycl::handler& h) {
    sycl::accessor<int, 1, sycl::access_mode::read_write, sycl::target::host_task> x(b, h);
    h.host_task([=] {
      for (std::size_t i = 0; i < 32; ++i) x[i] *= 2;
    });
  });
  graph.end_recording();
  auto ready = graph.finalize();
  {
    sycl::host_accessor first(b, sycl::write_only);
    for (int i = 0; i < 32; ++i) first[i] = i;
  }
  for (int run = 0; run < 3; ++run) prism::execute_graph(q, ready);
  const sycl::host_accessor result(b, sycl::read_only);
  for (int i = 0; i < 32; ++i) ASSERT_EQ(result[i], ((((i + 1) * 2) + 1) * 2 + 1) * 2) << i;
}

TEST(graphs, reductions_work_in_every_execution) {
  sycl::queue q;
  SKIP_WITHOUT_USM(q);
  array values(q, counted(1000)), sum(q, {5});
  command_graph graph(q);
  graph.begin_recording(q);
  const int* from = values.data;
  q.parallel_for(sycl::range<1>(1000), sycl::reduction(sum.data, sycl::plus<int>()),
                 [=](sycl::id<1> i, auto& total) { total += from[i]; });
  graph.end_recording();
  auto ready = graph.finalize();
  for (int run = 1; run <= 3; ++run) {
    prism::execute_graph(q, ready).wait();
    EXPECT_EQ(sum.values()[0], 5 + run * 499500);
  }
}

TEST(graphs, kernels_print_in_every_execution) {
  sycl::queue q;
  command_graph graph(q);
  graph.begin_recording(q);
  q.submit([&](sycl::handler& h) {
    sycl::stream out(256, 64, h);
    h.single_task([=] { out << "printed " << 7 << sycl::endl; });
  });
  graph.end_recording();
  auto ready = graph.finalize();
  testing::internal::CaptureStdout();
  for (int run = 0; run < 3; ++run) prism::execute_graph(q, ready);
  q.wait();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "printed 7\nprinted 7\nprinted 7\n");
}

TEST(graphs, a_graph_in_a_graph_runs_between_its_neighbours) {
  sycl::queue q;
  SKIP_WITHOUT_USM(q);
  array a(q, std::vector<int>(30, 1));
  command_graph inner(q);
  inner.begin_recording(q);
  const sycl::event first = add_to(q, a.data, 30, 10);
  multiply(q, a.data, 30, 2, {first});
  inner.end_recording();
  auto part = inner.finalize();

  command_graph outer(q);
  int* const x = a.data;
  auto before = outer.add([&](sycl::handler& h) { h.parallel_for(30, [=](sycl::id<1> i) { x[i] *= 5; }); });
  auto nested = outer.add([&](sycl::handler& h) { prism::execute_graph(h, part); },
                          {property::node::depends_on(before)});
  outer.add([&](sycl::handler& h) { h.parallel_for(30, [=](sycl::id<1> i) { x[i] -= 1; }); },
            {property::node::depends_on(nested)});
  EXPECT_EQ(nested.get_type(), prism::node_type::subgraph);
  auto ready = outer.finalize();
  prism::execute_graph(q, ready).wait();
  EXPECT_EQ(a.values(), std::vector<int>(30, 29));
  prism::execute_graph(q, part).wait(); // alone, as before
  EXPECT_EQ(a.values(), std::vector<int>(30, 78));
}

TEST(graphs, dependent_events_make_other_queues_record) {
  sycl::queue one, two(one.get_context(), one.get_device());
  SKIP_WITHOUT_USM(one);
  array a(one, std::vector<int>(30, 1));
  command_graph graph(one);
  graph.begin_recording(one);
  const sycl::event first = add_to(one, a.data, 30, 10);
  const sycl::event second = multiply(two, a.data, 30, 2, {first});
  EXPECT_EQ(prism::state_of(two), prism::queue_state::recording);
  EXPECT_TRUE(prism::node::get_node_from_event(second).get_predecessors()[0] ==
              prism::node::get_node_from_event(first));
  graph.end_recording();
  EXPECT_EQ(prism::state_of(two), prism::queue_state::executing);
  auto ready = graph.finalize();
  prism::execute_graph(two, ready).wait();
  EXPECT_EQ(a.values(), std::vector<int>(30, 22));
}

TEST(graphs, executions_wait_for_events_and_return_events) {
  sycl::queue q, other(q.get_context(), q.get_device());
  SKIP_WITHOUT_USM(q);
  array a(q, std::vector<int>(1000, 1));
  command_graph graph(q);
  graph.begin_recording(q);
  multiply(q, a.data, 1000, 3);
  graph.end_recording();
  auto ready = graph.finalize();
  for (int round = 0; round < 20; ++round) {
    sycl::event before = add_to(other, a.data, 1000, 2);
    const sycl::event run = prism::execute_graph(q, ready, {before});
    add_to(other, a.data, 1000, -5, {run}).wait();
  }
  unsigned expected = 1;
  for (int round = 0; round < 20; ++round) expected = (expected + 2) * 3 - 5;
  for (const int each : a.values()) ASSERT_EQ(unsigned(each), expected);
}

TEST(graphs, executions_of_one_graph_on_two_queues_do_not_overlap) {
  sycl::queue one, two(one.get_context(), one.get_device());
  SKIP_WITHOUT_USM(one);
  array a(one, std::vector<int>(5000, 1));
  command_graph graph(one);
  graph.begin_recording(one);
  const sycl::event first = add_to(one, a.data, 5000, 1);
  multiply(one, a.data, 5000, 3, {first});
  graph.end_recording();
  auto ready = graph.finalize();
  unsigned expected = 1;
  for (int run = 0; run < 30; ++run) {
    prism::execute_graph(run % 2 == 0 ? one : two, ready);
    expected = (expected + 1) * 3;
  }
  one.wait();
  two.wait();
  for (const int each : a.values()) ASSERT_EQ(unsigned(each), expected);
}

TEST(graphs, several_threads_can_execute_one_graph) {
  sycl::queue q;
  SKIP_WITHOUT_USM(q);
  array a(q, std::vector<int>(500, 0));
  command_graph graph(q);
  graph.begin_recording(q);
  add_to(q, a.data, 500, 1);
  graph.end_recording();
  auto ready = graph.finalize();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      sycl::queue own(q.get_context(), q.get_device());
      for (int run = 0; run < 25; ++run) prism::execute_graph(own, ready);
      own.wait();
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(a.values(), std::vector<int>(500, 100));
}

// ---- updates

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

// ---- errors

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
  EXPECT_NE(ready.describe().find(", 2 prepared by the last update"), std::string::npos) << ready.describe();
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

} // namespace
