// Every way in which a process can end with live SYCL objects and work in flight. Each case starts this
// program again.
#include "tests/sycl/common.hpp"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

constexpr int n = 1000;

void work(sycl::queue& q, sycl::buffer<int>& b, int times = 100) {
  for (int i = 0; i < times; ++i)
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h);
      h.parallel_for(n, [=](sycl::id<1> k) {
        unsigned odd = 0;
        for (unsigned j = 0; j < 4000; ++j)
          odd = (odd * 5 + unsigned(a[k]) + j) ^ (odd >> 3); // long enough to be in flight at the end
        a[k] += 1 + (odd == 0x7ffffff1u);
      });
    });
}

/// The last command in flight.
void submit_last(sycl::queue& q, sycl::buffer<int>& b) {
  q.submit([&](sycl::handler& h) {
    const sycl::accessor a(b, h, sycl::read_only_host_task);
    h.host_task([=] {
      std::printf("all done, %d\n", int(a[0] == a[n - 1]));
      std::fflush(stdout);
    });
  });
}

// ---- the child processes

TEST(child, DISABLED_returns_with_work_in_flight) {
  sycl::queue q;
  const std::vector<int> data(n, 1);
  sycl::buffer<int> b(data);
  work(q, b);
  submit_last(q, b);
  new sycl::buffer<int>(b); // so that no destructor waits
  new sycl::queue(q);
}

TEST(child, DISABLED_calls_exit_with_work_in_flight) {
  sycl::queue q;
  const std::vector<int> data(n, 1);
  sycl::buffer<int> b(data);
  work(q, b);
  submit_last(q, b);
  std::exit(0);
}

TEST(child, DISABLED_calls_quick_exit_with_work_in_flight) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(n)};
  work(q, b);
  std::_Exit(0);
}

TEST(child, DISABLED_calls_exit_in_a_host_task) {
  sycl::queue q;
  q.submit([&](sycl::handler& h) { h.host_task([] { std::exit(0); }); });
  q.wait(); // does not return: the process ends
  std::abort();
}

void leave_a_failure(bool asked_for) {
  auto& q = *new sycl::queue(
      sycl::async_handler([](const sycl::exception_list&) { std::puts("handled"); })); // never destroyed
  for (int i = 0; i < 3; ++i)
    q.submit([](sycl::handler& h) {
      h.host_task([] { throw std::runtime_error("the disk is full"); });
    }).wait();
  if (asked_for) q.wait_and_throw();
  std::exit(0);
}
TEST(child, DISABLED_never_asks_for_an_asynchronous_error) { leave_a_failure(false); }
TEST(child, DISABLED_asks_for_an_asynchronous_error) { leave_a_failure(true); }

// A copy fails that the engine makes, in a queue of its own; the program receives the failure.
bool is_handled(const std::string& text) {
  return text.find("the copy failed (an injected fault)") != std::string::npos;
}
TEST(child, DISABLED_reads_a_buffer_whose_copy_to_the_host_fails) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(n)};
  work(q, b, 1);
  q.wait_and_throw();
  std::string text;
  prism_test::error_of([&] { const sycl::host_accessor a(b, sycl::read_only); }, &text);
  if (is_handled(text)) std::puts("handled");
  std::exit(0);
}
TEST(child, DISABLED_uses_a_buffer_whose_copy_to_another_device_fails) {
  const std::vector<sycl::device> devices = sycl::device::get_devices();
  prism_test::error_log errors;
  sycl::queue first(devices.front(), errors.handler()), next(devices.back(), errors.handler());
  auto& b = *new sycl::buffer<int>{sycl::range<1>(n)}; // never written back
  work(first, b, 1);
  first.wait_and_throw();
  work(next, b, 1);
  next.wait_and_throw();
  if (errors.texts.size() == 1 && is_handled(errors.texts.front())) std::puts("handled");
  std::exit(0);
}

TEST(child, DISABLED_has_static_objects) {
  static sycl::queue q;
  static std::vector<int> data = prism_test::counted(n);
  static struct check {
    ~check() { std::printf(data[n - 1] == n - 1 + 100 ? "written back\n" : "not written back\n"); }
  } after; // destroyed after the buffer
  static sycl::buffer<int> b(data);
  static std::vector<sycl::event> events;
  work(q, b);
  events.push_back(q.submit([](sycl::handler& h) { h.single_task([] {}); }));
}

TEST(child, DISABLED_has_static_objects_that_are_older_than_the_runtime) {
  static struct holder {
    std::unique_ptr<sycl::queue> q;
    std::unique_ptr<sycl::buffer<int>> b;
    sycl::event e;
  } objects;
  objects.q = std::make_unique<sycl::queue>();
  objects.b = std::make_unique<sycl::buffer<int>>(sycl::range<1>(n));
  work(*objects.q, *objects.b);
  objects.e = objects.q->submit([](sycl::handler& h) { h.single_task([] {}); });
}

TEST(child, DISABLED_ends_while_another_thread_submits) {
  std::thread([] {
    sycl::queue q;
    sycl::buffer<int> b{sycl::range<1>(n)};
    for (;;) work(q, b, 10);
  }).detach();
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(n)};
  work(q, b);
  q.wait();
  std::_Exit(0);
}

TEST(child, DISABLED_forks) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(n)};
  work(q, b);
  const pid_t child = ::fork();
  if (child == 0) {
    std::string text;
    const bool refused =
        prism_test::error_of([&] { sycl::queue(sycl::device()).wait(); }, &text) == sycl::errc::runtime;
    std::_Exit(refused && text.find("fork") != std::string::npos ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << "the child must get an error, because it cannot use PRISM";
  work(q, b); // the parent continues
  q.wait_and_throw();
}

// ---- the tests

struct ending : testing::Test {
  struct outcome {
    int status;
    std::string text;
  };
  static outcome of(const std::string& child, const std::string& environment = "") {
    char path[PATH_MAX] = {};
    if (::readlink("/proc/self/exe", path, sizeof path - 1) <= 0) return {-1, "no /proc"};
    // With a sanitizer the work takes longer than PRISM's default limit at exit.
    const std::string line = environment + " PRISM_EXIT_LIMIT=60 timeout -k 5 120 '" + path +
                             "' --gtest_also_run_disabled_tests --gtest_filter=child.DISABLED_" + child +
                             " 2>&1";
    outcome out{-1, ""};
    std::FILE* pipe = ::popen(line.c_str(), "r");
    if (pipe == nullptr) return out;
    char part[4096];
    while (const std::size_t got = std::fread(part, 1, sizeof part, pipe)) out.text.append(part, got);
    out.status = ::pclose(pipe);
    return out;
  }
  static void expect_good(const std::string& child, const char* words = "") {
    const outcome got = of(child);
    EXPECT_NE(got.text.find(words), std::string::npos) << got.text;
    EXPECT_EQ(got.status, 0) << got.text;
    EXPECT_NE(got.text.find("child.DISABLED_" + child), std::string::npos) << got.text;
  }
};

TEST_F(ending, by_return_with_work_in_flight) { expect_good("returns_with_work_in_flight", "all done, 1"); }
TEST_F(ending, by_exit_with_work_in_flight) { expect_good("calls_exit_with_work_in_flight", "all done, 1"); }
TEST_F(ending, by_quick_exit_with_work_in_flight) { expect_good("calls_quick_exit_with_work_in_flight"); }
TEST_F(ending, by_exit_in_a_host_task_does_not_wait_for_that_task) {
  const outcome got = of("calls_exit_in_a_host_task");
  EXPECT_EQ(got.status, 0) << got.text;
  EXPECT_NE(got.text.find("calls_exit_in_a_host_task"), std::string::npos) << got.text;
  EXPECT_EQ(got.text.find("work in flight"), std::string::npos) << got.text;
}
TEST_F(ending, with_static_objects_younger_than_the_runtime) {
  const outcome got = of("has_static_objects");
  EXPECT_EQ(got.status, 0) << got.text;
  EXPECT_NE(got.text.find("written back"), std::string::npos) << got.text;
  EXPECT_EQ(got.text.find("not written back"), std::string::npos) << got.text;
}
TEST_F(ending, with_static_objects_older_than_the_runtime) {
  expect_good("has_static_objects_that_are_older_than_the_runtime");
}
TEST_F(ending, reports_unhandled_asynchronous_errors) {
  expect_good("never_asks_for_an_asynchronous_error",
              "prism: error: unhandled asynchronous error at program exit");
  expect_good("never_asks_for_an_asynchronous_error", "3 times: the disk is full");
  expect_good("asks_for_an_asynchronous_error", "handled");
  EXPECT_EQ(of("asks_for_an_asynchronous_error").text.find("the disk is full"), std::string::npos);
}
TEST_F(ending, reports_no_copy_whose_failure_the_program_received) {
  const std::string selector =
      std::getenv("PRISM_DEVICE_SELECTOR") ? std::getenv("PRISM_DEVICE_SELECTOR") : "*";
  if (sycl::device().get_platform().get_backend() == sycl::backend::ext_prism_host)
    GTEST_SKIP() << prism_test::name_of(sycl::device()) << " copies nothing to the host";
  const std::string faults = "PRISM_ADOPT_HOST_MEMORY=off PRISM_WRAP='fault(copy=1+)'";
  for (const auto& [child, more] : {std::pair("reads_a_buffer_whose_copy_to_the_host_fails", ""),
                                    std::pair("uses_a_buffer_whose_copy_to_another_device_fails", ";host")}) {
    const outcome got = of(child, faults + " PRISM_DEVICE_SELECTOR='" + selector + more + "'");
    EXPECT_NE(got.text.find("handled\n"), std::string::npos) << got.text;
    EXPECT_EQ(got.text.find("unhandled"), std::string::npos) << got.text;
  }
}
TEST_F(ending, while_another_thread_submits) {
  if (sycl::device().get_platform().get_info<sycl::info::platform::name>() == "Intel(R) OpenCL")
    GTEST_SKIP() << "a thread that waits runs commands of other queues of Intel's OpenCL driver for "
                    "processors, without end while these get new ones";
  expect_good("ends_while_another_thread_submits");
}
TEST_F(ending, of_a_process_that_forked) { expect_good("forks"); }

} // namespace
