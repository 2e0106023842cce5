// Programs written for DPC++'s sycl_ext_oneapi_graph.
#include <sycl/sycl.hpp>

#if !defined(SYCL_EXT_ONEAPI_GRAPH) || SYCL_EXT_ONEAPI_GRAPH != 1
#error "<sycl/sycl.hpp> alone must define SYCL_EXT_ONEAPI_GRAPH, by which programs recognise the extension"
#endif

#include "tests/sycl/common.hpp"

#include <sycl/ext/oneapi/experimental/graph.hpp>

using namespace prism_test;

namespace {

TEST(graph_extension, a_finalized_graph_that_has_no_name_becomes_a_node) {
  namespace sycl_ext = sycl::ext::oneapi::experimental;
  sycl::queue q{sycl::property::queue::in_order{}};
  SKIP_WITHOUT(q, usm_shared_allocations);
  int* const x = sycl::malloc_shared<int>(1, q);
  *x = 0;
  sycl_ext::command_graph<sycl_ext::graph_state::modifiable> outer(q.get_context(), q.get_device());
  sycl_ext::command_graph<sycl_ext::graph_state::modifiable> inner(q.get_context(), q.get_device());
  inner.add([&](sycl::handler& h) { h.single_task([=] { *x += 1; }); });
  outer.add([&](sycl::handler& h) { h.ext_oneapi_graph(inner.finalize()); });
  const auto ready = outer.finalize();
  q.ext_oneapi_graph(ready).wait();
  q.ext_oneapi_graph(outer.finalize()).wait();
  EXPECT_EQ(*x, 2);
  sycl::free(x, q);
}

TEST(graph_extension, devices_have_its_aspects) {
  const sycl::device d = sycl::queue().get_device();
  EXPECT_TRUE(d.has(sycl::aspect::ext_oneapi_graph));
  EXPECT_TRUE(d.has(sycl::aspect::ext_oneapi_limited_graph));
  const auto listed = d.get_info<sycl::info::device::aspects>();
  EXPECT_EQ(std::count(listed.begin(), listed.end(), sycl::aspect::ext_oneapi_graph), 1);
}

TEST(graph_extension, examples_compile_and_run) {
  namespace sycl_ext = sycl::ext::oneapi::experimental;
  sycl::queue q{sycl::property::queue::in_order{}};
  SKIP_WITHOUT(q, usm_device_allocations);
  constexpr int n = 100;
  int* x = sycl::malloc_device<int>(n, q);
  int* dot = sycl::malloc_device<int>(1, q);

  sycl_ext::command_graph g{q.get_context(), q.get_device(), {sycl_ext::property::graph::no_cycle_check{}}};
  EXPECT_EQ(q.ext_oneapi_get_state(), sycl_ext::queue_state::executing);
  g.begin_recording(q);
  EXPECT_EQ(q.ext_oneapi_get_state(), sycl_ext::queue_state::recording);
  EXPECT_EQ(q.ext_oneapi_get_graph(), g);
  q.submit([&](sycl::handler& h) { h.parallel_for(n, [=](sycl::id<1> i) { x[i] = int(i[0]) + 1; }); });
  g.end_recording(q);
  sycl_ext::node last = g.add([&](sycl::handler& h) {
    h.single_task([=] {
      dot[0] = 0;
      for (int i = 0; i < n; ++i) dot[0] += x[i] * x[i];
    });
  }, {sycl_ext::property::node::depends_on_all_leaves()});
  EXPECT_EQ(last.get_type(), sycl_ext::node_type::kernel);
  sycl_ext::command_graph<sycl_ext::graph_state::executable> exec = g.finalize();

  int result = 0;
  const sycl::event first = q.ext_oneapi_graph(exec);
  const sycl::event second = q.ext_oneapi_graph(exec, first);
  q.ext_oneapi_graph(exec, std::vector<sycl::event>{first, second});
  q.submit([&](sycl::handler& h) { h.ext_oneapi_graph(exec); });
  sycl_ext::execute_graph(q, exec);
  q.memcpy(&result, dot, sizeof(int)).wait();
  EXPECT_EQ(result, n * (n + 1) * (2 * n + 1) / 6);
  sycl::free(x, q);
  sycl::free(dot, q);
}

TEST(graph_extension, a_graph_finalized_in_the_call_is_a_node_or_a_command) {
  namespace sycl_ext = sycl::ext::oneapi::experimental;
  sycl::queue q{sycl::property::queue::in_order()};
  SKIP_WITHOUT(q, usm_shared_allocations);
  sycl_ext::command_graph<sycl_ext::graph_state::modifiable> whole(q.get_context(), q.get_device()),
      step(q.get_context(), q.get_device());
  int* count = sycl::malloc_shared<int>(1, q);
  *count = 0;
  step.begin_recording(q);
  q.single_task([=] { ++*count; });
  step.end_recording(q);
  const auto last = whole.add([&](sycl::handler& h) { h.ext_oneapi_graph(step.finalize()); });
  whole.add([&](sycl::handler& h) { h.ext_oneapi_graph(step.finalize()); },
            {sycl_ext::property::node::depends_on(last)});
  q.ext_oneapi_graph(whole.finalize());
  q.submit([&](sycl::handler& h) { h.ext_oneapi_graph(step.finalize()); });
  const auto once = step.finalize();
  q.ext_oneapi_graph(once).wait(); // it is const
  EXPECT_EQ(*count, 4);
  sycl::free(count, q);
}

} // namespace
