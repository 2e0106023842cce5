// Command graphs: recording and explicit construction, the same results as plain submission.
// graph_updates_test.cpp has updates and errors.
#include "tests/sycl/graphs.hpp"

#include <cstdio>
#include <thread>

using namespace prism_test;
using prism::command_graph;

namespace {

namespace property = prism::property;

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

} // namespace
