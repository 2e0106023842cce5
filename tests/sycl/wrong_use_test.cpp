// What programs do wrong on any device: sizes that no memory has, objects that were moved from, waits in a
// child made by fork. Each is an exception that names the mistake; none is a crash, a hang or a wrong result.
#include "tests/sycl/common.hpp"
#include "tests/wait.hpp"

#include <atomic>
#include <csignal>
#include <future>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

using prism_test::error_of;
using sycl::errc;

constexpr std::size_t too_many_ints = (std::size_t(1) << 62) + 4; // their bytes wrap around to 16

/// 64 zeros in shared memory or, where there is none, device memory; freed at the end.
class numbers {
public:
  explicit numbers(const sycl::queue& q) : m_queue(q), m_first(sycl::malloc_device<int>(64, q)) {
    m_queue.fill(m_first, 0, 64).wait();
  }
  ~numbers() { sycl::free(m_first, m_queue); }
  int* get() const { return m_first; }
  std::vector<int> values() {
    std::vector<int> out(64);
    m_queue.memcpy(out.data(), m_first, 64 * sizeof(int)).wait();
    return out;
  }

private:
  sycl::queue m_queue;
  int* m_first;
};

/// Skips where there is no device memory by pointers.
#define NEEDS_USM(queue)                                                                                     \
  if (!(queue).get_device().has(sycl::aspect::usm_device_allocations))                                       \
  GTEST_SKIP() << prism_test::name_of((queue).get_device()) << " has no USM"

TEST(sizes_that_no_memory_has, are_refused_by_copies_and_leave_the_memory_as_it_was) {
  sycl::queue q;
  NEEDS_USM(q);
  numbers target(q);
  int* const p = target.get();
  const std::vector<int> source(64, 5);
  std::string text;
  EXPECT_EQ(error_of([&] { q.copy(source.data(), p, too_many_ints).wait(); }, &text), errc::invalid);
  EXPECT_NE(text.find("more bytes than can be counted"), std::string::npos) << text;
  EXPECT_EQ(
      error_of([&] { q.submit([&](sycl::handler& h) { h.copy(source.data(), p, too_many_ints); }).wait(); }),
      errc::invalid);
  EXPECT_EQ(error_of([&] { q.fill(p, 5, too_many_ints).wait(); }), errc::invalid);
  EXPECT_EQ(target.values(), std::vector<int>(64, 0));
}

TEST(sizes_that_no_memory_has, are_refused_for_a_buffer_over_the_programs_memory) {
  int value = 1;
  std::string text;
  EXPECT_EQ(error_of([&] { sycl::buffer<int> b(&value, sycl::range<1>((std::size_t(1) << 62) - 1)); }, &text),
            errc::invalid);
  EXPECT_NE(text.find("cannot have the 18446744073709551612 bytes"), std::string::npos) << text;
}

TEST(pointers_near_null, are_refused_by_copies_and_fills) {
  sycl::queue q;
  NEEDS_USM(q);
  numbers target(q);
  int* const p = target.get();
  const auto near_null = reinterpret_cast<int*>(std::uintptr_t(16));
  EXPECT_EQ(error_of([&] { q.memcpy(p, near_null, 16).wait(); }), errc::invalid);
  EXPECT_EQ(error_of([&] { q.copy(p, near_null, 4).wait(); }), errc::invalid);
  EXPECT_EQ(error_of([&] { q.fill(near_null, 1, 4).wait(); }), errc::invalid);
  EXPECT_EQ(error_of([&] { q.ext_oneapi_copy2d(near_null, 8, p, 8, 4, 2).wait(); }), errc::invalid);
  EXPECT_EQ(target.values(), std::vector<int>(64, 0));
}

TEST(sizes_that_no_memory_has, are_refused_by_pitched_copies_whether_width_pitch_or_height) {
  sycl::queue q;
  NEEDS_USM(q);
  numbers target(q);
  int* const p = target.get();
  const std::vector<int> source(64, 5);
  EXPECT_EQ(error_of([&] { q.ext_oneapi_copy2d(source.data(), 8, p, 8, too_many_ints, 2).wait(); }),
            errc::invalid);
  EXPECT_EQ(
      error_of([&] { q.ext_oneapi_copy2d(source.data(), too_many_ints, p, too_many_ints, 4, 2).wait(); }),
      errc::invalid);
  EXPECT_EQ(error_of([&] { q.ext_oneapi_copy2d(source.data(), 8, p, 8, 4, too_many_ints).wait(); }),
            errc::invalid);
  EXPECT_EQ(error_of([&] { q.ext_oneapi_fill2d(p, 8, 7, too_many_ints, 2).wait(); }), errc::invalid);
  EXPECT_EQ(error_of([&] { q.ext_oneapi_fill2d(p, too_many_ints, 7, 4, 2).wait(); }), errc::invalid);
  EXPECT_EQ(target.values(), std::vector<int>(64, 0));
}

TEST(sizes_that_no_memory_has, are_refused_as_local_memory_in_one_dimension_and_in_three) {
  sycl::queue q;
  NEEDS_USM(q);
  numbers target(q);
  int* const p = target.get();
  std::string text;
  EXPECT_EQ(error_of(
                [&] {
    q.submit([&](sycl::handler& h) {
      sycl::local_accessor<int, 1> local(sycl::range<1>(too_many_ints), h);
      h.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> i) {
        local[i.get_local_id(0)] = 1;
        p[i.get_global_id(0)] = local[i.get_local_id(0)];
      });
    }).wait();
  }, &text),
            errc::memory_allocation);
  EXPECT_NE(text.find("local memory"), std::string::npos) << text;
  EXPECT_EQ(error_of([&] {
    q.submit([&](sycl::handler& h) {
      constexpr std::size_t side = std::size_t(1) << 31;
      sycl::local_accessor<int, 3> local(sycl::range<3>(side, side, 4), h);
      h.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> i) {
        local[0][0][i.get_local_id(0)] = 1;
        p[i.get_global_id(0)] = local[0][0][i.get_local_id(0)];
      });
    }).wait();
  }),
            errc::memory_allocation);
  EXPECT_EQ(target.values(), std::vector<int>(64, 0));
}

TEST(sizes_that_no_memory_has, are_refused_when_a_buffer_is_seen_as_another_type) {
  const sycl::buffer<int> b{sycl::range<1>(64)};
  EXPECT_EQ(error_of([&] { b.reinterpret<long, 1>(sycl::range<1>((std::size_t(1) << 61) + 32)); }),
            errc::invalid);
  EXPECT_EQ(
      error_of([&] { b.reinterpret<long, 2>(sycl::range<2>(std::size_t(1) << 32, std::size_t(1) << 32)); }),
      errc::invalid);
  EXPECT_EQ((b.reinterpret<short, 2>(sycl::range<2>(8, 16)).size()), 128u);
}

/// The use is refused with errc::invalid, and the text names the class.
template <typename Use>
void expect_moved_from(const char* name, Use&& use) {
  std::string text;
  EXPECT_EQ(error_of(use, &text), errc::invalid);
  EXPECT_EQ(text.find(std::string("this sycl::") + name + " has no state: it was moved from"), 0u) << text;
}

TEST(objects_that_were_moved_from, are_named_when_a_queue_is_used) {
  sycl::queue q;
  const sycl::queue taken(std::move(q));
  expect_moved_from("queue", [&] { q.single_task([=] {}); });
  expect_moved_from("queue", [&] { q.wait(); });
  expect_moved_from("queue", [&] { q.get_device(); });
  expect_moved_from("queue", [&] { sycl::malloc_device<int>(4, q); });
  expect_moved_from("queue", [&] { static_cast<void>(q.get_info<sycl::info::queue::device>()); });
}

TEST(objects_that_were_moved_from, are_named_when_a_buffer_is_used) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(4)};
  const sycl::buffer<int> taken(std::move(b));
  expect_moved_from("buffer", [&] { sycl::host_accessor read(b); });
  expect_moved_from("buffer", [&] { q.submit([&](sycl::handler& h) { sycl::accessor write(b, h); }); });
  expect_moved_from("buffer", [&] { b.set_write_back(false); });
  expect_moved_from("buffer", [&] { static_cast<void>(b.reinterpret<char>(sycl::range<1>(16))); });
}

TEST(objects_that_were_moved_from, are_named_when_an_event_device_or_context_is_used) {
  sycl::queue q;
  sycl::event e = q.single_task([=] {});
  sycl::event kept(std::move(e));
  kept.wait();
  expect_moved_from("event", [&] { e.wait(); });
  expect_moved_from("event", [&] { q.single_task(e, [=] {}); });
  sycl::device d = q.get_device();
  const sycl::device other(std::move(d));
  expect_moved_from("device", [&] { static_cast<void>(d.get_info<sycl::info::device::name>()); });
  sycl::context c = q.get_context();
  const sycl::context second(std::move(c));
  expect_moved_from("context", [&] { static_cast<void>(c.get_devices()); });
}

TEST(objects_that_were_moved_from, work_again_after_an_assignment) {
  sycl::queue q;
  const sycl::queue taken(std::move(q));
  q = taken;
  q.single_task([=] {}).wait();
}

/// What the child's wait throws, as its exit status: 1 nothing, 2 the error about fork(), 3 another one, 4 no
/// sycl::exception.
template <typename Wait>
int in_child(Wait&& wait) {
  const pid_t child = fork();
  if (child == 0) {
    std::string text;
    try {
      error_of(wait, &text);
    } catch (...) { // not a sycl::exception: the child must not go on with the other tests
      _exit(4);
    }
    _exit(text.empty() ? 1 : text.find("used before fork()") != std::string::npos ? 2 : 3);
  }
  int status = 0;
  if (prism_test::eventually([&] { return waitpid(child, &status, WNOHANG) == child; }))
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return -2; // it hung
}

TEST(a_child_made_by_fork, is_refused_a_wait_for_work_of_its_parent) {
  sycl::queue q;
  std::atomic<bool> may_end{false};
  const sycl::event gate = q.submit([&](sycl::handler& h) {
    h.host_task([&] {
      while (!may_end) std::this_thread::yield();
    });
  });
  sycl::event after = q.submit([&](sycl::handler& h) {
    h.depends_on(gate);
    h.single_task([=] {});
  });
  EXPECT_EQ(in_child([&] { after.wait(); }), 2);
  EXPECT_EQ(in_child([&] { q.wait(); }), 2);
  EXPECT_EQ(in_child([&] { q.wait_and_throw(); }), 2);
  may_end = true;
  q.wait();
}

TEST(a_child_made_by_fork, is_refused_the_state_of_a_command_that_its_parent_submitted) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(64)};
  sycl::event last;
  for (int times = 0; times < 200; ++times)
    last = q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h);
      h.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) {
        unsigned x = unsigned(i);
        for (unsigned k = 0; k < 40'000; ++k) x = x * 5 + (x >> 3);
        a[i] = int(x);
      });
    });
  const auto query = [&] { static_cast<void>(last.get_info<sycl::info::event::command_execution_status>()); };
  const int found = in_child(query);
  EXPECT_TRUE(found == 2 || found == 1) << found; // 1: it was complete
  q.wait();
}

TEST(a_host_task, that_waits_for_itself_or_for_its_queue_gets_an_exception) {
  sycl::queue q;
  std::string of_queue, of_event;
  std::promise<sycl::event> itself;
  const std::shared_future<sycl::event> mine = itself.get_future().share();
  itself.set_value(q.submit([&](sycl::handler& h) {
    h.host_task([&, mine] {
      EXPECT_EQ(error_of([&] { q.wait(); }, &of_queue), errc::invalid);
      sycl::event e = mine.get();
      EXPECT_EQ(error_of([&] { e.wait(); }, &of_event), errc::invalid);
    });
  }));
  q.wait();
  EXPECT_NE(of_queue.find("never ends"), std::string::npos) << of_queue;
  EXPECT_NE(of_event.find("never ends"), std::string::npos) << of_event;
}

} // namespace
