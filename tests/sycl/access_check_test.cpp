// PRISM_CHECK=access: planted mistakes are named, programs without them are not.
#include "tests/sycl/common.hpp"

#include <prism/graph.hpp>

#include <cstdlib>

namespace {

const int check_is_on = ::setenv("PRISM_CHECK", "access", 1); // read at the first submission

using said = prism_test::logged_text;

class access_check : public testing::Test {
protected:
  void SetUp() override {
    SKIP_UNLESS_COMPILED("which memory a kernel uses");
    ASSERT_EQ(check_is_on, 0);
    SKIP_WITHOUT(q, usm_device_allocations);
    a = sycl::malloc_device<int>(100, q);
    b = sycl::malloc_device<int>(100, q);
  }
  void TearDown() override {
    q.wait();
    other.wait();
    if (a != nullptr) sycl::free(a, q);
    if (b != nullptr) sycl::free(b, q);
  }
  template <typename Name>
  sycl::event write(sycl::queue& on, int* to, const std::vector<sycl::event>& after = {}, std::size_t count = 100) {
    return on.parallel_for<Name>(sycl::range<1>(count), after, [=](sycl::id<1> i) { to[i] = int(i); });
  }
  template <typename Name>
  sycl::event move(sycl::queue& on, const int* from, int* to, const std::vector<sycl::event>& after = {}) {
    return on.parallel_for<Name>(sycl::range<1>(100), after, [=](sycl::id<1> i) { to[i] = from[i]; });
  }
  void expect(said& heard, std::initializer_list<const char*> parts) {
    const std::string text = heard.take();
    for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << "\"" << part << "\" is not in: " << text;
  }
  void expect_nothing(said& heard) {
    const std::string text = heard.take();
    EXPECT_EQ(text.find("PRISM_CHECK"), std::string::npos) << text;
  }

  sycl::queue q, other{q.get_context(), q.get_device()};
  int *a = nullptr, *b = nullptr;
};

// ---- mistakes

TEST_F(access_check, two_kernels_that_write_the_same) {
  said heard;
  write<class first_writer>(q, a);
  write<class second_writer>(q, a);
  expect(heard, {"second_writer writes USM that ", "first_writer writes", "depend on the event"});
}
TEST_F(access_check, a_kernel_that_reads_what_another_queue_writes) {
  said heard;
  write<class elsewhere_writer>(other, a);
  move<class here_reader>(q, a, b);
  expect(heard, {"here_reader reads USM that ", "elsewhere_writer writes"});
}
TEST_F(access_check, a_copy_beside_a_kernel) {
  said heard;
  write<class copied_writer>(q, a);
  q.copy(a, b, 100);
  expect(heard, {"copy 400 B reads USM that ", "copied_writer writes"});
}
TEST_F(access_check, fills_that_overlap) {
  said heard;
  q.fill(a, 1, 60);
  q.fill(a + 59, 2, 20);
  expect(heard, {"fill writes USM that fill writes"});
}
TEST_F(access_check, an_event_of_another_command) {
  said heard;
  const sycl::event unrelated = write<class unrelated_writer>(q, b);
  write<class wanted_writer>(q, a);
  move<class late_reader>(q, a, b, {unrelated});
  expect(heard, {"late_reader reads USM that ", "wanted_writer writes"});
}
TEST_F(access_check, memory_that_is_freed_too_early) {
  said heard;
  int* const short_lived = sycl::malloc_device<int>(100, q);
  write<class freed_writer>(q, short_lived);
  sycl::free(short_lived, q);
  q.wait();
  expect(heard, {"400 bytes is freed while ", "freed_writer"});
}
TEST_F(access_check, a_graph_beside_a_kernel) {
  prism::command_graph graph(q);
  int* const to = a;
  graph.add([&](sycl::handler& h) { h.parallel_for<class graph_writer>(100, [=](sycl::id<1> i) { to[i] = 1; }); });
  auto ready = graph.finalize();
  said heard;
  prism::execute_graph(q, ready);
  move<class beside_reader>(other, a, b);
  expect(heard, {"beside_reader reads USM that a graph"});
}

// ---- no mistakes

TEST_F(access_check, order_by_queue_events_barriers_and_waits_is_enough) {
  sycl::queue row(q.get_context(), q.get_device(), sycl::property::queue::in_order());
  said heard;
  write<class row_a>(row, a);
  move<class row_b>(row, a, b);
  row.wait();
  const sycl::event first = write<class event_a>(q, a);
  const sycl::event second = move<class event_b>(other, a, b, {first});
  const sycl::event last = write<class event_c>(q, a, {second}); // by way of the second
  write<class event_d>(other, b, {last});
  other.wait();
  write<class barrier_a>(q, a);
  q.ext_oneapi_submit_barrier();
  move<class barrier_b>(q, a, b);
  q.wait();
  write<class wait_a>(q, a).wait();
  write<class wait_b>(other, a).wait();
  expect_nothing(heard);
}
TEST_F(access_check, a_wait_counts_for_all_that_came_before) {
  said heard;
  const sycl::event first = write<class before_a>(q, a);
  sycl::event second = move<class before_b>(other, a, b, {first});
  second.wait();
  write<class before_c>(q, a);
  int* const short_lived = sycl::malloc_device<int>(100, q);
  write<class before_d>(q, short_lived).wait();
  sycl::free(short_lived, q);
  expect_nothing(heard);
}
TEST_F(access_check, buffers_order_what_uses_them) {
  sycl::buffer<int> order(sycl::range<1>(1));
  int* const to = a;
  said heard;
  for (int i = 0; i < 3; ++i)
    q.submit([&](sycl::handler& h) {
      const sycl::accessor held(order, h, sycl::read_write);
      h.single_task<class held_writer>([=] { to[0] = held[0] = 1; });
    });
  { const sycl::host_accessor done(order); }
  write<class after_buffers>(other, a);
  expect_nothing(heard);
}
TEST_F(access_check, readers_and_parts_that_do_not_overlap_need_no_order) {
  int* const c = sycl::malloc_device<int>(100, q);
  write<class shared_writer>(q, a).wait();
  said heard;
  move<class one_reader>(q, a, b);
  move<class other_reader>(other, a, c);
  q.wait();
  other.wait();
  q.fill(a, 1, 50);
  q.fill(a + 50, 2, 50);
  write<class half_one>(q, b + 50, {}, 50); // how far they go is not known
  write<class half_two>(q, b, {}, 50);
  q.wait();
  sycl::free(c, q);
  expect_nothing(heard);
}
TEST_F(access_check, runs_of_one_graph_are_ordered) {
  prism::command_graph graph(q);
  int* const to = a;
  graph.add([&](sycl::handler& h) { h.parallel_for<class run_writer>(100, [=](sycl::id<1> i) { to[i] += 1; }); });
  auto ready = graph.finalize();
  said heard;
  prism::execute_graph(q, ready);
  const sycl::event run = prism::execute_graph(other, ready);
  move<class run_reader>(q, a, b, {run});
  expect_nothing(heard);
}

} // namespace
