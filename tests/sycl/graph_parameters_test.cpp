// Command graphs: dynamic parameters, memory that a graph owns, and the times of nodes.
#include "tests/sycl/graphs.hpp"

#include <random>

using namespace prism_test;
using prism::command_graph;
using prism::dynamic_parameter;
using sycl::errc;

namespace {

namespace property = prism::property;

std::vector<int> values_of(sycl::buffer<int>& from) {
  sycl::host_accessor a(from, sycl::read_only);
  return {a.begin(), a.end()};
}

TEST(graph_parameters, a_value_and_a_pointer_change_in_every_kernel_that_captures_them) {
  sycl::queue q;
  SKIP_WITHOUT_USM(q);
  array a(q, counted(100)), b(q, counted(100, 1000));
  command_graph graph(q);
  dynamic_parameter<int*> target(graph, a.data);
  dynamic_parameter factor(3);
  const auto first = graph.add([&](sycl::handler& h) {
    h.parallel_for(100, [=, to = target.in(h), by = factor.in(h)](sycl::id<1> i) { to[i] *= by; });
  });
  graph.add([&](sycl::handler& h) {
    h.parallel_for(100,
                   [=, by = factor.in(h), to = target.in(h), one = 1](sycl::id<1> i) { to[i] += by + one; });
  }, {property::node::depends_on(first)});
  auto ready = graph.finalize({property::graph::updatable()});
  const auto model = [](std::vector<int> values, int by) {
    for (int& v : values) v = v * by + by + 1;
    return values;
  };
  prism::execute_graph(q, ready).wait();
  const std::vector<int> once = model(counted(100), 3);
  EXPECT_EQ(a.values(), once);

  factor.update(10);
  target.update(b.data);
  prism::execute_graph(q, ready).wait(); // unchanged until it is updated
  EXPECT_EQ(b.values(), counted(100, 1000));
  EXPECT_EQ(a.values(), model(once, 3));
  ready.update(graph.get_nodes());
  prism::execute_graph(q, ready).wait();
  EXPECT_EQ(b.values(), model(counted(100, 1000), 10));
  auto later = graph.finalize(); // has the current values too
  prism::execute_graph(q, later).wait();
  EXPECT_EQ(b.values(), model(model(counted(100, 1000), 10), 10));
}

TEST(graph_parameters, an_accessor_moves_kernels_to_another_buffer_and_range) {
  sycl::queue q;
  auto first = std::make_unique<sycl::buffer<int>>(sycl::range<1>(64));
  sycl::buffer<int> second{sycl::range<1>(300)};
  using place = sycl::accessor<int, 1, sycl::access_mode::read_write, sycl::target::device>;
  dynamic_parameter<place> target{place(*first)};
  {
    sycl::host_accessor one(*first, sycl::write_only), two(second, sycl::write_only);
    std::fill(one.begin(), one.end(), 1);
    std::fill(two.begin(), two.end(), 2);
  }
  command_graph graph(q);
  for (int k = 0; k < 2; ++k)
    graph.add([&](sycl::handler& h) {
      h.parallel_for(50,
                     [=, to = target.in(h)](sycl::id<1> i) { to[i] = to[i] * 10 + int(to.get().size()); });
    });
  auto ready = graph.finalize({property::graph::updatable()});
  prism::execute_graph(q, ready);
  std::vector<int> want(64, 1);
  std::fill_n(want.begin(), 50, (10 + 64) * 10 + 64);
  EXPECT_EQ(values_of(*first), want);

  target.update(place(second, sycl::range<1>(200), sycl::id<1>(100)));
  ready.update(graph);
  first.reset(); // no longer used
  prism::execute_graph(q, ready);
  std::vector<int> moved(300, 2);
  std::fill_n(moved.begin() + 100, 50, (20 + 200) * 10 + 200);
  EXPECT_EQ(values_of(second), moved);
}

TEST(graph_parameters, a_range_changes_every_kernel_that_runs_over_it) {
  sycl::queue q;
  SKIP_WITHOUT_USM(q);
  array a(q, std::vector<int>(600, 0));
  int* const x = a.data;
  command_graph graph(q);
  dynamic_parameter items(sycl::range<2>(3, 100));
  dynamic_parameter groups(sycl::nd_range<1>(64, 16));
  const auto plain = graph.add([&](sycl::handler& h) {
    h.parallel_for(items.as_range(h), [=, n = items.in(h)](sycl::item<2> i) {
      x[i.get_linear_id()] = int(i.get_range(1) * 10 + n.get()[0]);
    });
  });
  graph.add([&](sycl::handler& h) {
    h.parallel_for(groups.as_range(h),
                   [=](sycl::nd_item<1> i) { x[500 + i.get_global_id(0)] = int(i.get_local_range(0)); });
  }, {property::node::depends_on(plain)});
  auto ready = graph.finalize({property::graph::updatable()});
  const auto want = [](int rows, int columns, int global, int local) {
    std::vector<int> out(600, 0);
    std::fill_n(out.begin(), rows * columns, columns * 10 + rows);
    std::fill_n(out.begin() + 500, global, local);
    return out;
  };
  prism::execute_graph(q, ready).wait();
  EXPECT_EQ(a.values(), want(3, 100, 64, 16));
  items.update(sycl::range<2>(4, 77)); // more work-items, and no multiple of a work-group's size
  groups.update(sycl::nd_range<1>(96, 8));
  ready.update(graph);
  prism::execute_graph(q, ready).wait();
  EXPECT_EQ(a.values(), want(4, 77, 96, 8));
}

TEST(graph_parameters, kernels_that_are_recorded_or_alternatives_have_them_too) {
  sycl::queue q{sycl::property::queue::in_order()};
  SKIP_WITHOUT_USM(q);
  array a(q, std::vector<int>(10, 1));
  int* const x = a.data;
  command_graph graph(q);
  dynamic_parameter added(5);
  const auto adds = [=](sycl::handler& h) {
    h.parallel_for(10, [=, n = added.in(h)](sycl::id<1> i) { x[i] += n; });
  };
  const auto takes = [=](sycl::handler& h) {
    h.parallel_for(10, [=, n = added.in(h)](sycl::id<1> i) { x[i] -= n; });
  };
  graph.begin_recording(q);
  q.submit(adds);
  q.submit([&](sycl::handler& h) { // a reduction: several commands
    auto sum = sycl::reduction(x, sycl::plus<int>());
    h.parallel_for(sycl::range<1>(10), sum, [=, n = added.in(h)](sycl::id<1>, auto& s) { s += n; });
  });
  graph.end_recording();
  prism::dynamic_command_group choice(graph, {adds, takes});
  auto last = graph.add(choice, {property::node::depends_on_all_leaves()});
  auto ready = graph.finalize({property::graph::updatable()});
  prism::execute_graph(q, ready).wait();
  std::vector<int> want(10, 11);
  want[0] += 50;
  EXPECT_EQ(a.values(), want);
  added.update(7); // also in the group that is not active
  choice.set_active_index(1);
  ready.update(graph.get_nodes());
  prism::execute_graph(q, ready).wait();
  want[0] += 70;
  EXPECT_EQ(a.values(), want);
}

/// Chains of kernels with random parameters, changed and executed in random order, with those of a model.
TEST(graph_parameters, random_changes_give_the_results_of_a_model) {
  sycl::queue q;
  SKIP_WITHOUT_USM(q);
  constexpr std::size_t count = 64;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return std::size_t(random() % n); };
    array memory[2] = {{q, counted(count)}, {q, counted(count, 50)}};
    std::vector<unsigned> model[2];
    for (unsigned m = 0; m < 2; ++m)
      for (std::size_t i = 0; i < count; ++i) model[m].push_back(unsigned(i + 50 * m));
    struct known {
      std::size_t target, value, items;
    };
    std::vector<dynamic_parameter<int*>> targets(2, dynamic_parameter<int*>(nullptr));
    std::vector<dynamic_parameter<unsigned>> values;
    std::vector<dynamic_parameter<sycl::range<1>>> ranges;
    std::size_t at[2] = {0, 1}, items[2] = {10, 33}; // the values of the parameters
    unsigned value[3] = {3, 5, 7};
    for (std::size_t p = 0; p < 2; ++p) targets[p] = dynamic_parameter<int*>(memory[at[p]].data);
    for (const unsigned v : value) values.emplace_back(v);
    for (const std::size_t n : items) ranges.emplace_back(sycl::range<1>(n));
    command_graph graph(q);
    std::vector<known> kernels;
    for (std::size_t k = 0; k < 8; ++k) {
      kernels.push_back({below(2), below(3), below(2)});
      const known use = kernels.back();
      graph.add([&](sycl::handler& h) {
        h.parallel_for(ranges[use.items].as_range(h),
                       [to = targets[use.target].in(h), v = values[use.value].in(h)](sycl::id<1> i) {
          to[i] = int(unsigned(to[i]) * 3 + v);
        });
      }, {property::node::depends_on_all_leaves()});
    }
    auto ready = graph.finalize({property::graph::updatable()});
    for (int run = 0; run < 12; ++run) {
      const std::size_t p = below(7);
      if (p < 2) targets[p].update(memory[at[p] = below(2)].data);
      else if (p < 5) values[p - 2].update(value[p - 2] = unsigned(below(1000)));
      else ranges[p - 5].update(sycl::range<1>(items[p - 5] = 1 + below(count)));
      if (below(2) == 0) ready.update(graph);
      else ready.update(graph.get_nodes());
      prism::execute_graph(q, ready);
      for (const known& use : kernels)
        for (std::size_t i = 0; i < items[use.items]; ++i) {
          unsigned& element = model[at[use.target]][i];
          element = element * 3 + value[use.value];
        }
    }
    q.wait();
    for (unsigned m = 0; m < 2; ++m)
      ASSERT_EQ(memory[m].values(), std::vector<int>(model[m].begin(), model[m].end())) << "seed " << seed;
  }
}

TEST(graph_parameters, misuse_is_refused_and_names_the_line) {
  SKIP_UNLESS_COMPILED("the line of a kernel");
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(10)};
  command_graph graph(q);
  dynamic_parameter value(1);
  dynamic_parameter items(sycl::range<1>(10));
  const auto invalid = [](auto&& call) {
    std::string text;
    EXPECT_EQ(error_of(call, &text), errc::invalid) << text;
    return text;
  };
  invalid([&] { q.submit([&](sycl::handler& h) { (void)value.in(h); }); });
  std::string text = invalid([&] {
    graph.add([&](sycl::handler& h) {
      sycl::accessor a(b, h);
      const int copy = value.in(h);
      h.parallel_for(10, [=](sycl::id<1> i) { a[i] = copy; });
    });
  });
  EXPECT_NE(text.find("graph_parameters_test.cpp:"), std::string::npos) << text;
  invalid([&] {
    graph.add([&](sycl::handler& h) {
      sycl::accessor a(b, h);
      (void)items.as_range(h);
      h.parallel_for(9, [=](sycl::id<1> i) { a[i] = 1; });
    });
  });
  invalid([&] { graph.add([&](sycl::handler& h) { h.host_task([n = value.in(h)] { (void)n; }); }); });
  using place = sycl::accessor<int>;
  invalid([&] { dynamic_parameter<place> nowhere((place())); });
  dynamic_parameter<place> target((place(b)));
  auto node = graph.add(
      [&](sycl::handler& h) { h.parallel_for(10, [=, to = target.in(h)](sycl::id<1> i) { to[i] = 4; }); });
  std::unique_ptr<place> lost;
  {
    sycl::buffer<int> short_lived{sycl::range<1>(10)};
    lost = std::make_unique<place>(short_lived);
  }
  invalid([&] { target.update(*lost); });
  auto ready = graph.finalize({property::graph::updatable()});
  ready.update(node); // unchanged
  prism::execute_graph(q, ready);
  EXPECT_EQ(values_of(b), std::vector<int>(10, 4));
}

// ---- memory of a graph

TEST(graph_memory, is_given_out_again_behind_the_node_that_freed_it) {
  sycl::queue q;
  SKIP_WITHOUT_USM(q);
  array out(q, std::vector<int>(200, 0));
  int* const to = out.data;
  command_graph graph(q);
  int* memory[3] = {};
  const auto alloc = [&](int n, std::size_t count, const sycl::property_list& after) {
    return graph.add([&](sycl::handler& h) {
      memory[n] = static_cast<int*>(prism::async_malloc(h, sycl::usm::alloc::device, count * sizeof(int)));
    }, after);
  };
  const auto use = [&](int n, std::size_t at, const sycl::property_list& after) {
    int* const scratch = memory[n];
    const auto writes = graph.add([&](sycl::handler& h) {
      h.parallel_for(100, [=](sycl::id<1> i) { scratch[i] = int(i[0]) + n; });
    }, after);
    return graph.add([&](sycl::handler& h) {
      h.parallel_for(100, [=](sycl::id<1> i) { to[at + i[0]] += scratch[99 - i[0]]; });
    }, {property::node::depends_on(writes)});
  };
  const auto free = [&](int n, const prism::node& after) {
    return graph.add([&](sycl::handler& h) { prism::async_free(h, memory[n]); },
                     {property::node::depends_on(after)});
  };
  const auto first = alloc(0, 100, {});
  const auto freed = free(0, use(0, 0, {property::node::depends_on(first)}));
  const auto second = alloc(1, 100, {property::node::depends_on(freed)});
  const auto third = alloc(2, 100, {}); // not ordered behind anything
  EXPECT_EQ(memory[0], memory[1]);
  EXPECT_NE(memory[1], memory[2]);
  use(1, 100, {property::node::depends_on(second)});
  EXPECT_EQ(third.get_type(), prism::node_type::async_malloc);
  EXPECT_EQ(freed.get_type(), prism::node_type::async_free);
  EXPECT_EQ(error_of([&] {
    free(0, third);
    free(1, third);
  }),
            errc::invalid)
      << "freed twice";

  {
    auto ready = graph.finalize({property::graph::updatable()});
    EXPECT_EQ(ready.get_required_mem_size(), 2 * 100 * sizeof(int));
    prism::execute_graph(q, ready);
    prism::execute_graph(q, ready).wait();
    std::vector<int> want(200);
    for (int i = 0; i < 200; ++i) want[std::size_t(i)] = 2 * (99 - i % 100 + i / 100);
    EXPECT_EQ(out.values(), want);
    EXPECT_EQ(error_of([&] { graph.finalize(); }), errc::invalid) << "two executable graphs";
    EXPECT_EQ(error_of([&] { ready.update(graph); }), errc::invalid);
    command_graph outer(q);
    EXPECT_EQ(error_of([&] { outer.add([&](sycl::handler& h) { prism::execute_graph(h, ready); }); }),
              errc::invalid);
  }
  graph.finalize();
}

TEST(graph_memory, is_allocated_by_recorded_queues_and_freed_with_the_graph) {
  sycl::queue q{sycl::property::queue::in_order()};
  SKIP_WITHOUT_USM(q);
  array out(q, std::vector<int>(50, 0));
  int* const to = out.data;
  void *first = nullptr, *next = nullptr;
  {
    command_graph graph(q);
    graph.begin_recording(q);
    for (void** each : {&first, &next}) {
      int* const scratch = static_cast<int*>(*each = prism::async_malloc(q, sycl::usm::alloc::device, 200));
      q.parallel_for(50, [=](sycl::id<1> i) { scratch[i] = int(i[0]); });
      q.parallel_for(50, [=](sycl::id<1> i) { to[i] += scratch[i]; });
      prism::async_free(q, scratch);
    }
    EXPECT_EQ(error_of([&] { (void)prism::async_malloc(q, sycl::usm::alloc::shared, 8); }), errc::invalid);
    EXPECT_EQ(error_of([&] { prism::async_free(q, to); }), errc::invalid);
    graph.end_recording();
    EXPECT_EQ(first, next);
    auto ready = graph.finalize();
    graph = command_graph(q); // the executable graph keeps the memory
    prism::execute_graph(q, ready).wait();
    EXPECT_EQ(sycl::get_pointer_type(first, q.get_context()), sycl::usm::alloc::device);
  }
  std::vector<int> want = counted(50);
  for (int& v : want) v *= 2;
  EXPECT_EQ(out.values(), want);
  EXPECT_EQ(sycl::get_pointer_type(first, q.get_context()), sycl::usm::alloc::unknown);
}

TEST(graph_memory, outside_of_a_graph_is_freed_behind_the_queues_commands) {
  for (const sycl::property_list& order : {sycl::property_list(), {sycl::property::queue::in_order()}}) {
    sycl::queue q(order);
    SKIP_WITHOUT_USM(q);
    std::vector<int> out(100);
    int* const x = static_cast<int*>(prism::async_malloc(q, sycl::usm::alloc::device, 400));
    q.parallel_for(100, [=](sycl::id<1> i) { x[i] = int(i[0]); }).wait();
    q.copy(x, out.data(), 100);
    prism::async_free(q, x);
    q.wait();
    EXPECT_EQ(out, counted(100));
    EXPECT_EQ(sycl::get_pointer_type(x, q.get_context()), sycl::usm::alloc::unknown);
  }
}

// ---- times of nodes

TEST(graph_times, each_node_has_its_own) {
  sycl::queue q{sycl::property::queue::enable_profiling()};
  SKIP_WITHOUT_USM(q);
  array a(q, std::vector<int>(1 << 16, 1));
  int* const x = a.data;
  const std::size_t n = a.count;
  command_graph graph(q);
  const auto slow = graph.add([&](sycl::handler& h) {
    h.parallel_for(n, [=](sycl::id<1> i) {
      unsigned v = unsigned(x[i]);
      for (int k = 0; k < 2000; ++k) v = v * 1664525u + (v >> 7); // no compiler knows the sum
      x[i] = int(v);
    });
  });
  const auto fast = graph.add([&](sycl::handler& h) { h.parallel_for(n, [=](sycl::id<1> i) { x[i] += 1; }); },
                              {property::node::depends_on(slow)});
  const auto nothing = graph.add();
  auto unmeasured = graph.finalize();
  auto ready = graph.finalize({property::graph::enable_profiling()});
  EXPECT_EQ(error_of([&] { (void)unmeasured.event_of(slow); }), errc::invalid);
  EXPECT_EQ(error_of([&] { (void)ready.event_of(slow); }), errc::invalid) << "not executed yet";
  prism::execute_graph(q, ready);
  const sycl::event whole = prism::execute_graph(q, ready);
  const auto begin = [](const sycl::event& e) {
    return e.get_profiling_info<sycl::info::event_profiling::command_start>();
  };
  const auto end = [](const sycl::event& e) {
    return e.get_profiling_info<sycl::info::event_profiling::command_end>();
  };
  const sycl::event first = ready.event_of(slow), second = ready.event_of(fast);
  EXPECT_LT(begin(first), end(first));
  EXPECT_LE(end(first), begin(second));
  EXPECT_LE(begin(whole), begin(first));
  EXPECT_GE(end(whole), end(second));
  EXPECT_GT(end(first) - begin(first), end(second) - begin(second)) << "2000 steps take longer than one";
  EXPECT_EQ(error_of([&] { (void)ready.event_of(nothing); }), errc::invalid);
}

} // namespace
