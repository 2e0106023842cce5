// Repeated graph executions: by command buffers of Vulkan and OpenCL, or by submitting the commands again.
// The results are the same. ctest also runs this with the values of PRISM_GRAPH_REPLAY.
#include "tests/sycl/graphs.hpp"
#include "tests/wait.hpp"

#include <prism/graph.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>

using namespace prism_test;
using prism::command_graph;

namespace {

constexpr std::size_t items = 64;

std::string requested_method() {
  const char* const text = std::getenv("PRISM_GRAPH_REPLAY");
  return text == nullptr ? "measure" : text;
}

// SYCL 2020 deprecates the list of extensions in favour of aspects; no aspect exists for this one.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
bool has_command_buffers(const sycl::queue& q) {
  // Intel's driver for processors has a version of the extension after 0.9.4, which PRISM does not use.
  const auto platform = q.get_device().get_platform().get_info<sycl::info::platform::name>();
  if (platform.find("Intel") != platform.npos) return false;
  const auto all = q.get_device().get_info<sycl::info::device::extensions>();
  return std::find(all.begin(), all.end(), "cl_khr_command_buffer") != all.end();
}
#pragma clang diagnostic pop

/// The method in describe() of a submission that was not executed yet, or whose method is set.
std::string method_of(const sycl::queue& q) {
  const bool opencl = has_command_buffers(q), vulkan = q.get_backend() == sycl::backend::ext_prism_vulkan;
  if (requested_method() == "resubmission" || (!opencl && !vulkan)) return "";
  return vulkan || requested_method() == "command_buffer" ? " (stored by the device)"
                                                          : " (measured in its first runs)";
}

#define SKIP_WITHOUT_COMMAND_BUFFERS(q)                                                                      \
  if (!has_command_buffers(q)) GTEST_SKIP() << name_of((q).get_device()) << " has no cl_khr_command_buffer"

/// Memory of one type on the device.
template <typename T>
class array {
public:
  array(sycl::queue q, std::vector<T> values)
      : m_queue(q), m_count(values.size()), m_data(sycl::malloc_device<T>(m_count, q)) {
    q.copy(values.data(), m_data, m_count).wait();
  }
  ~array() { sycl::free(m_data, m_queue); }
  array(const array&) = delete;
  T* data() const { return m_data; }
  std::vector<T> values() {
    std::vector<T> out(m_count);
    m_queue.copy(m_data, out.data(), m_count).wait();
    return out;
  }

private:
  sycl::queue m_queue;
  std::size_t m_count;
  T* m_data;
};

/// x = 3 x + value, for each value in order.
void add_steps(sycl::queue& q, unsigned* x, unsigned first, unsigned count) {
  for (unsigned value = first; value < first + count; ++value)
    q.parallel_for(items, [=](sycl::id<1> i) { x[i] = x[i] * 3 + value; });
}
unsigned stepped(unsigned x, unsigned first, unsigned count, int runs) {
  for (int run = 0; run < runs; ++run)
    for (unsigned value = first; value < first + count; ++value) x = x * 3 + value;
  return x;
}

template <typename Record>
command_graph<prism::graph_state::executable> recorded(sycl::queue& q, const Record& record,
                                                       const sycl::property_list& how = {}) {
  command_graph graph(q);
  graph.begin_recording(q);
  record();
  graph.end_recording();
  return graph.finalize(how);
}

TEST(graph_execution, a_graph_of_kernels_is_one_submission_and_reports_its_method) {
  SKIP_UNLESS_COMPILED("which memory a kernel uses");
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  array<unsigned> a(q, std::vector<unsigned>(items)), b(q, std::vector<unsigned>(items));
  const auto ready = recorded(q, [&] {
    for (unsigned i = 0; i < 50; ++i) {
      add_steps(q, a.data(), i, 1);
      add_steps(q, b.data(), i, 1);
      q.ext_oneapi_submit_barrier();
    }
  });
  if (prism_test::splits_launches()) {
    EXPECT_EQ(ready.describe(), "100 commands, 100 submissions, 0 barriers, 100 commands one by one, because "
                                "PRISM_SLICE splits launches");
    return;
  }
  EXPECT_EQ(ready.describe(), "100 commands, 1 submission" + method_of(q) + ", 49 barriers");
}

/// 7 executions with each method, and some more. A thread of the driver delivers the measurements.
TEST(graph_execution, the_first_executions_select_and_report_the_faster_method) {
  sycl::queue q{sycl::property::queue::in_order()};
  SKIP_WITHOUT_COMMAND_BUFFERS(q);
  SKIP_WITHOUT(q, usm_device_allocations);
  if (splits_launches()) GTEST_SKIP() << "PRISM_SLICE submits the commands one by one";
  if (requested_method() != "measure")
    GTEST_SKIP() << "PRISM_GRAPH_REPLAY=" << requested_method() << " leaves nothing to measure";
  array<unsigned> a(q, std::vector<unsigned>(items, 1));
  auto ready = recorded(q, [&] { add_steps(q, a.data(), 5, 30); });
  int runs = 0;
  const auto run = [&](int more) {
    for (int i = 0; i < more; ++i, ++runs) prism::execute_graph(q, ready);
    q.wait();
    const auto result = a.values();
    EXPECT_EQ(std::count(result.begin(), result.end(), stepped(1, 5, 30, runs)), std::ptrdiff_t(items))
        << "after " << runs << " runs";
  };
  run(5);
  EXPECT_NE(ready.describe().find("measured in its first runs"), std::string::npos) << ready.describe();
  run(9);
  std::string description;
  prism_test::eventually([&] {
    description = ready.describe();
    return description.find("submitting thread") != std::string::npos;
  });
  EXPECT_NE(description.find(" us of the submitting thread and "), std::string::npos) << description;
  EXPECT_EQ(description.find("measured in its first runs"), std::string::npos) << description;
  const bool is_recorded = description.find("(stored by the device)") != std::string::npos;
  EXPECT_NE(description.find(is_recorded ? ", recorded (command buffer" : ", resubmitted (command buffer"),
            std::string::npos)
      << description;
  run(20);
  EXPECT_EQ(ready.describe(), description);
}

TEST(graph_execution, launches_of_one_kernel_have_their_own_arguments) {
  sycl::queue q{sycl::property::queue::in_order()};
  SKIP_WITHOUT(q, usm_device_allocations);
  array<unsigned> a(q, std::vector<unsigned>(items, 1)), b(q, std::vector<unsigned>(items, 2));
  auto ready = recorded(q, [&] {
    add_steps(q, a.data(), 1, 20);
    add_steps(q, b.data(), 100, 20);
  });
  for (int run = 0; run < 40; ++run) prism::execute_graph(q, ready); // without waiting in between
  q.wait();
  EXPECT_EQ(a.values(), std::vector<unsigned>(items, stepped(1, 1, 20, 40)));
  EXPECT_EQ(b.values(), std::vector<unsigned>(items, stepped(2, 100, 20, 40)));
}

TEST(graph_execution, large_captures_and_local_memory_are_recorded) {
  SKIP_UNLESS_COMPILED("how large captured blocks are passed");
  sycl::queue q{sycl::property::queue::in_order()};
  SKIP_WITHOUT(q, usm_device_allocations);
  struct table {
    unsigned values[400];
  };
  array<unsigned> a(q, std::vector<unsigned>(items));
  unsigned* const x = a.data();
  auto ready = recorded(q, [&] {
    for (unsigned k = 1; k <= 3; ++k) {
      table t;
      for (unsigned i = 0; i < 400; ++i) t.values[i] = i * k;
      q.parallel_for(items, [=](sycl::id<1> i) { x[i] += t.values[i * 6]; });
      q.submit([&](sycl::handler& h) {
        const sycl::local_accessor<unsigned> turned(16 + k, h);
        h.parallel_for(sycl::nd_range<1>(items, 16), [=](sycl::nd_item<1> it) {
          turned[15 - it.get_local_id(0)] = x[it.get_global_id(0)];
          sycl::group_barrier(it.get_group());
          x[it.get_global_id(0)] = turned[it.get_local_id(0)];
        });
      });
    }
  });
  constexpr int runs = 20;
  for (int run = 0; run < runs; ++run) prism::execute_graph(q, ready);
  q.wait();
  std::vector<unsigned> expected(items);
  for (int run = 0; run < runs; ++run)
    for (unsigned k = 1; k <= 3; ++k) {
      for (unsigned i = 0; i < items; ++i) expected[i] += i * 6 * k;
      for (unsigned g = 0; g < items; g += 16) std::reverse(expected.begin() + g, expected.begin() + g + 16);
    }
  EXPECT_EQ(a.values(), expected);
}

TEST(graph_execution, copies_and_fills_are_recorded_in_order) {
  sycl::queue q{sycl::property::queue::in_order()};
  SKIP_WITHOUT(q, usm_device_allocations);
  array<unsigned> a(q, std::vector<unsigned>(items, 1)), b(q, std::vector<unsigned>(items)),
      c(q, std::vector<unsigned>(items));
  auto ready = recorded(q, [&] {
    add_steps(q, a.data(), 7, 2);
    q.copy(a.data(), b.data(), items);
    add_steps(q, a.data(), 9, 1);
    q.fill(c.data() + 8, 5u, 16);
    add_steps(q, c.data(), 3, 1);
    q.copy(b.data() + 4, c.data() + 40, 10);
  });
  unsigned x = 1;
  std::vector<unsigned> last(items);
  for (int run = 0; run < 20; ++run) {
    prism::execute_graph(q, ready);
    x = stepped(x, 7, 2, 1);
    std::fill(last.begin() + 8, last.begin() + 24, 5);
    for (unsigned& each : last) each = each * 3 + 3;
    std::fill(last.begin() + 40, last.begin() + 50, x);
    x = x * 3 + 9;
  }
  q.wait();
  EXPECT_EQ(a.values(), std::vector<unsigned>(items, x));
  EXPECT_EQ(c.values(), last);
}

TEST(graph_execution, copies_of_buffer_boxes_are_recorded) {
  sycl::queue q;
  sycl::buffer<int, 2> from(sycl::range<2>(12, 10)), to(sycl::range<2>(12, 20));
  {
    sycl::host_accessor f(from), t(to);
    for (int i = 0; i < 12; ++i)
      for (int j = 0; j < 20; ++j) {
        if (j < 10) f[i][j] = 100 * i + j;
        t[i][j] = -1;
      }
  }
  auto ready = recorded(q, [&] {
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(from, h, sycl::range<2>(5, 4), sycl::id<2>(3, 2), sycl::read_only);
      sycl::accessor y(to, h, sycl::range<2>(5, 4), sycl::id<2>(6, 11), sycl::write_only);
      h.copy(x, y);
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(from, h, sycl::read_write);
      h.parallel_for(from.get_range(), [=](sycl::id<2> i) { x[i] += 1; });
    });
  });
  for (int run = 0; run < 20; ++run) {
    prism::execute_graph(q, ready);
    if (run == 10) sycl::host_accessor(from)[3][2] += 1000; // the next execution must read the host's writes
  }
  const sycl::host_accessor result(to, sycl::read_only);
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 20; ++j) {
      const bool inside = i >= 6 && i < 11 && j >= 11 && j < 15;
      const int expected = inside ? 100 * (i - 3) + (j - 9) + 19 + (i == 6 && j == 11 ? 1000 : 0) : -1;
      ASSERT_EQ(result[i][j], expected) << i << ", " << j;
    }
}

TEST(graph_execution, an_updated_graph_runs_with_its_new_values) {
  sycl::queue q{sycl::property::queue::in_order()};
  SKIP_WITHOUT(q, usm_device_allocations);
  array<unsigned> a(q, std::vector<unsigned>(items, 1));
  auto ready = recorded(q, [&] { add_steps(q, a.data(), 1, 10); }, {prism::property::graph::updatable()});
  unsigned expected = 1;
  for (unsigned first = 1; first < 6; ++first) {
    if (first > 1) {
      command_graph other(q);
      other.begin_recording(q);
      add_steps(q, a.data(), first, 10);
      other.end_recording();
      ready.update(other);
    }
    for (int run = 0; run < 6; ++run) prism::execute_graph(q, ready);
    expected = stepped(expected, first, 10, 6);
  }
  q.wait();
  EXPECT_EQ(a.values(), std::vector<unsigned>(items, expected));
}

TEST(graph_execution, queues_with_any_properties_run_one_graph) {
  sycl::queue q{sycl::property::queue::in_order()}, other{sycl::property::queue::in_order()};
  SKIP_WITHOUT(q, usm_device_allocations);
  std::vector<sycl::queue> queues{q, other};
  if (q.get_device().has(sycl::aspect::queue_profiling))
    queues.emplace_back(sycl::property_list{sycl::property::queue::enable_profiling()});
  array<unsigned> a(q, std::vector<unsigned>(items, 1));
  auto ready = recorded(q, [&] { add_steps(q, a.data(), 3, 10); });
  for (int run = 0; run < 30; ++run) prism::execute_graph(queues[std::size_t(run) % queues.size()], ready);
  for (sycl::queue& each : queues) each.wait();
  EXPECT_EQ(a.values(), std::vector<unsigned>(items, stepped(1, 3, 10, 30)));
}

// A device with one driver queue orders what was submitted to it, but not work that is still deferred.
TEST(graph_execution, an_execution_waits_for_a_deferred_one_on_another_queue) {
  sycl::queue q{sycl::property::queue::in_order()}, other{sycl::property::queue::in_order()};
  SKIP_WITHOUT(q, usm_device_allocations);
  array<unsigned> a(q, std::vector<unsigned>(items, 1));
  auto ready = recorded(q, [&] { add_steps(q, a.data(), 3, 10); });
  prism_test::gate gate;
  const sycl::event opened = q.submit([&](sycl::handler& h) { h.host_task([&] { gate.wait(); }); });
  prism::execute_graph(q, ready, {opened});
  const sycl::event second = prism::execute_graph(other, ready);
  const auto is_complete = [&] {
    return second.get_info<sycl::info::event::command_execution_status>() ==
           sycl::info::event_command_status::complete;
  };
  EXPECT_TRUE(prism_test::never_within(std::chrono::milliseconds(100), is_complete))
      << "the execution before it has not started";
  gate.open();
  q.wait();
  other.wait();
  EXPECT_EQ(a.values(), std::vector<unsigned>(items, stepped(1, 3, 10, 2)));
}

TEST(graph_execution, a_graph_can_be_destroyed_while_it_runs) {
  sycl::queue q{sycl::property::queue::in_order()};
  SKIP_WITHOUT(q, usm_device_allocations);
  array<unsigned> a(q, std::vector<unsigned>(items, 1));
  unsigned expected = 1;
  for (unsigned first = 0; first < 10; ++first) {
    auto ready = recorded(q, [&] { add_steps(q, a.data(), first, 20); });
    for (int run = 0; run < 3; ++run) prism::execute_graph(q, ready);
    expected = stepped(expected, first, 20, 3);
  }
  q.wait();
  EXPECT_EQ(a.values(), std::vector<unsigned>(items, expected));
}

} // namespace
