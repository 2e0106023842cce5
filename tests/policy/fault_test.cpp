// The fault wrapper on every driver: each fault reports its own error; commands that depend on a failed
// command fail with its cause and no others do; delays and wrong bytes have the requested effect. Wrappers
// are set before the first device is opened, so every case runs in a child process.
#include "tests/policy/child_process.hpp"
#include "tests/sycl/common.hpp"

#include <prism/prism.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace {

constexpr std::size_t n = 1000;
/// All, or the one that PRISM_TEST_BACKEND names.
const std::vector<std::string> backends = [] {
  const char* one = std::getenv("PRISM_TEST_BACKEND");
  return one != nullptr ? std::vector<std::string>{one}
                        : std::vector<std::string>{"host", "opencl", "vulkan"};
}();

/// Runs the test in a child process with this fault on the first device of each present backend.
template <typename Test>
void on_each_device(const std::string& faults, const Test& test) {
  for (const std::string& backend : backends)
    in_a_child_process(backend + " with " + faults, [&] {
      prism::set_wrappers("fault(" + faults + ")");
      if (prism::is_available(backend)) test(prism::by_name(backend + ":0").device());
    });
}

void rethrow_first(sycl::exception_list list) {
  for (const std::exception_ptr& each : list) std::rethrow_exception(each);
}

sycl::event add_number(sycl::queue& q, int* to, int number, const std::vector<sycl::event>& after = {}) {
  return q.parallel_for<class adds_number>(sycl::range<1>(n), after, [=](sycl::id<1> i) { to[i] += number; });
}

/// Device memory whose elements are zero.
int* zeros(sycl::queue& q) {
  int* const made = sycl::malloc_device<int>(n, q);
  if (made == nullptr)
    throw sycl::exception(sycl::make_error_code(sycl::errc::memory_allocation), "malloc_device gave nothing");
  const std::vector<int> zero(n);
  q.copy(zero.data(), made, n).wait_and_throw();
  return made;
}

} // namespace

TEST(faults, of_each_kind_report_their_own_error) {
  const struct {
    const char *fault, *words;
    sycl::errc code;
  } rows[] = {
      {"memory=1+", "malloc_device gave nothing", sycl::errc::memory_allocation},
      {"build=1+", "it does not build (an injected fault)", sycl::errc::build},
      {"refuse=1+", "the driver refuses it (an injected fault)", sycl::errc::runtime},
      {"fail=1+", "it failed (an injected fault)", sycl::errc::runtime},
      {"timeout=1+", "the device timed out (an injected fault)", sycl::errc::runtime},
      {"copy=1+", "copy 4000 bytes: the copy failed (an injected fault)", sycl::errc::runtime},
      {"lost=1", "the device is lost (an injected fault)", sycl::errc::runtime},
  };
  for (const auto& row : rows)
    on_each_device(row.fault, [&](const sycl::device& d) {
      sycl::queue q(d, rethrow_first);
      try {
        int* const x = zeros(q);
        add_number(q, x, 1);
        q.wait_and_throw();
        ADD_FAILURE() << "nothing failed";
      } catch (const sycl::exception& failed) {
        EXPECT_EQ(failed.code(), row.code) << failed.what();
        EXPECT_NE(std::string(failed.what()).find(row.words), std::string::npos) << failed.what();
      }
    });
}

TEST(faults, reach_dependent_commands_with_the_cause_and_no_others) {
  for (const std::string fault : {"fail=3", "refuse=3", "timeout=3"})
    on_each_device(fault, [&](const sycl::device& d) {
      prism_test::error_log heard;
      sycl::queue q(d, heard.handler()), other(q.get_context(), d, heard.handler());
      int *const x = zeros(q), *const y = zeros(q);
      const sycl::event failed = add_number(q, x, 1); // the third submission
      const sycl::event dependent = add_number(other, x, 10, {failed});
      std::atomic<bool> task_ran{false};
      other.submit([&](sycl::handler& h) {
        h.depends_on(dependent);
        h.host_task([&] { task_ran = true; });
      });
      const sycl::event independent = add_number(other, y, 100);
      add_number(q, y, 1000, {independent});
      q.wait_and_throw();
      other.wait_and_throw();
      ASSERT_EQ(heard.texts.size(), 3u) << "the command, its dependent and the host task after it, each once";
      for (const std::string& text : heard.texts)
        EXPECT_NE(text.find("(an injected fault)"), std::string::npos) << "the cause: " << text;
      EXPECT_FALSE(task_ran);
      std::vector<int> got(n);
      q.copy(y, got.data(), n).wait_and_throw();
      EXPECT_EQ(got, std::vector<int>(n, 1100)) << "once each";
      q.copy(x, got.data(), n).wait_and_throw();
      EXPECT_EQ(got[0] / 10 % 10, got[n - 1] / 10 % 10);
      EXPECT_EQ(got[0] % 10, 0) << "the command that failed did not run";
    });
}

// A failed command leaves bytes that the program must not take for results, whether it failed long ago or
// just now.
TEST(faults, make_host_accessors_of_the_bytes_throw_until_they_are_written_again) {
  for (const bool waits : {false, true})
    on_each_device("fail=3", [&](const sycl::device& d) {
      prism_test::error_log heard;
      sycl::queue q(d, heard.handler());
      const std::vector<int> ones(n, 1);
      sycl::buffer<int> b(ones), other(ones);
      const auto add = [&] {
        q.submit([&](sycl::handler& h) {
          sycl::accessor a(b, h);
          h.parallel_for<class adds_in_place>(n, [=](sycl::id<1> i) { a[i] += 1; });
        });
        if (waits) q.wait();
      };
      for (int times = 0; times < 4; ++times) add(); // one of them fails, and those after it
      std::string text;
      const auto read = [&] { sycl::host_accessor a(b, sycl::read_only); };
      EXPECT_EQ(prism_test::error_of(read, &text), sycl::errc::runtime);
      EXPECT_NE(text.find("(an injected fault)"), std::string::npos) << text;
      EXPECT_NE(text.find("adds_in_place"), std::string::npos) << text;
      EXPECT_NE(text.find("fault_test.cpp:"), std::string::npos) << text;
      EXPECT_EQ(prism_test::error_of([&] { sycl::host_accessor a(b); }), sycl::errc::runtime);
      EXPECT_EQ(sycl::host_accessor(other, sycl::read_only)[0], 1) << "no command that failed wrote it";
      q.wait_and_throw();
      EXPECT_FALSE(heard.texts.empty());
      EXPECT_EQ(prism_test::error_of(read), sycl::errc::runtime)
          << "the program has the error, not the bytes";
      q.submit([&](sycl::handler& h) { h.fill(sycl::accessor(b, h, sycl::write_only, sycl::no_init), 7); });
      EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[n - 1], 7);
    });
}

TEST(faults, of_queues_say_which_queue_of_which_device_cannot_be_made) {
  on_each_device("queue=20+", [](const sycl::device& d) {
    std::vector<sycl::queue> queues;
    std::string text;
    const auto make_too_many = [&] {
      for (int i = 0; i < 30; ++i) queues.emplace_back(d);
    };
    EXPECT_EQ(prism_test::error_of(make_too_many, &text), sycl::errc::runtime);
    EXPECT_EQ(text.find("making queue 20 of "), 0u) << text;
    EXPECT_NE(text.find(d.get_info<sycl::info::device::name>()), std::string::npos) << text;
    int* const x = zeros(queues.front()); // the others work as before
    add_number(queues.back(), x, 1).wait_and_throw();
    sycl::free(x, queues.front());
  });
}

// Each kind of command: the error names what failed, the program's line and the device.
TEST(faults, are_reported_with_the_command_its_line_and_the_device) {
  const auto expect_named = [](const sycl::device& d, const prism_test::error_log& heard,
                               const std::string& command) {
    ASSERT_FALSE(heard.texts.empty()) << command;
    EXPECT_NE(heard.texts.front().find(command), std::string::npos) << heard.texts.front();
    for (const std::string& text : heard.texts) {
      EXPECT_NE(text.find("fault_test.cpp:"), std::string::npos) << command << ": " << text;
      EXPECT_EQ(text.find(".hpp:"), std::string::npos) << "a header is not the program: " << text;
      EXPECT_NE(text.find(prism::describe(d).backend + ":0"), std::string::npos) << text;
    }
  };
  on_each_device("fail=2+", [&](const sycl::device& d) {
    prism_test::error_log heard;
    sycl::queue q(d, heard.handler());
    int* const x = sycl::malloc_device<int>(n, q);
    q.fill(x, 0, n).wait_and_throw(); // the first submission
    const auto expect = [&](const std::string& command) {
      q.wait_and_throw();
      expect_named(d, heard, command);
      heard.texts.clear();
    };
    q.fill(x, 1, n);
    expect("fill");
    add_number(q, x, 1);
    expect("adds_number");
    q.submit([&](sycl::handler& h) {
      h.parallel_for<class sums>(sycl::range<1>(n), sycl::reduction(x, sycl::plus<int>()),
                                 [=](sycl::id<1>, auto& sum) { sum += 1; });
    });
    expect("sums");
    q.parallel_for(sycl::range<1>(n), sycl::reduction(x, sycl::plus<int>()),
                   [=](sycl::id<1>, auto& sum) { sum += 1; });
    expect("fault_test.cpp:");
  });
}

TEST(faults, of_copies_leave_other_copies_right) {
  on_each_device("copy=3", [](const sycl::device& d) {
    sycl::queue q(d, rethrow_first);
    int *const x = zeros(q), *const y = zeros(q);
    const std::vector<int> ones(n, 1);
    EXPECT_THROW(q.copy(ones.data(), x, n).wait_and_throw(), sycl::exception);
    std::vector<int> got(n, 7);
    q.copy(x, got.data(), n).wait_and_throw();
    EXPECT_EQ(got, std::vector<int>(n, 0)) << "no copy arrived";
    q.copy(ones.data(), y, n).wait_and_throw();
    q.copy(y, got.data(), n).wait_and_throw();
    EXPECT_EQ(got, ones);
  });
}

TEST(faults, of_wrong_bytes_are_silent_and_change_one_copy) {
  on_each_device("wrong=3", [](const sycl::device& d) {
    sycl::queue q(d, rethrow_first);
    int *const x = zeros(q), *const y = zeros(q);
    const std::vector<int> ones(n, 1);
    q.copy(ones.data(), x, n).wait_and_throw(); // the third submission
    std::vector<int> got(n);
    q.copy(x, got.data(), n).wait_and_throw();
    EXPECT_NE(got[0], 1);
    EXPECT_EQ(std::vector<int>(got.begin() + 2, got.end()), std::vector<int>(n - 2, 1));
    q.copy(ones.data(), y, n).wait_and_throw();
    q.copy(y, got.data(), n).wait_and_throw();
    EXPECT_EQ(got, ones);
  });
}

/// Adds 1, then 10, then 100 to all elements of `to`.
prism::command_graph<prism::graph_state::executable> adding_graph(sycl::queue& q, int* to) {
  prism::command_graph graph(q);
  graph.begin_recording(q);
  const sycl::event first = add_number(q, to, 1), second = add_number(q, to, 10, {first});
  add_number(q, to, 100, {second});
  graph.end_recording(q);
  return graph.finalize();
}

TEST(faults, of_a_graph_execution_reach_its_dependents_only) {
  for (const std::string fault : {"fail=5", "refuse=5", "timeout=5", "delay=5:20"})
    on_each_device(fault, [&](const sycl::device& d) {
      prism_test::error_log heard;
      sycl::queue q(d, heard.handler()), other(q.get_context(), d, heard.handler());
      int *const x = zeros(q), *const y = zeros(q);
      auto graph = adding_graph(q, x);
      int expected = 0, failed_runs = 0;
      for (int run = 0; run < 8; ++run) {
        const std::size_t before = heard.texts.size();
        std::atomic<bool> task_ran{false};
        try {
          const sycl::event done = prism::execute_graph(q, graph);
          other.submit([&](sycl::handler& h) {
            h.depends_on(done);
            h.host_task([&] { task_ran = true; });
          });
        } catch (const sycl::exception& refused) {
          heard.texts.push_back(refused.what());
        }
        q.wait_and_throw();
        other.wait_and_throw();
        const bool failed = heard.texts.size() > before;
        EXPECT_EQ(task_ran.load(), !failed) << run;
        std::vector<int> got(n);
        q.copy(x, got.data(), n).wait_and_throw();
        ASSERT_EQ(got, std::vector<int>(n, got[0]));
        // Commands after the failed one did not run; if the graph is one submission, no command ran.
        if (failed) {
          ++failed_runs;
          EXPECT_TRUE(got[0] == expected || got[0] == expected + 1 || got[0] == expected + 11)
              << got[0] - expected;
          if (d.get_backend() == sycl::backend::ext_prism_vulkan) EXPECT_EQ(got[0], expected);
          for (std::size_t i = before; i < heard.texts.size(); ++i)
            EXPECT_NE(heard.texts[i].find("(an injected fault)"), std::string::npos) << heard.texts[i];
        } else {
          EXPECT_EQ(got[0], expected + 111) << run;
        }
        expected = got[0];
      }
      EXPECT_EQ(failed_runs, fault.find("delay") == 0 ? 0 : 1);
      add_number(q, y, 1000).wait_and_throw();
      std::vector<int> got(n);
      q.copy(y, got.data(), n).wait_and_throw();
      EXPECT_EQ(got, std::vector<int>(n, 1000)) << "commands that are independent of the graph continue";
    });
}

TEST(faults, that_lose_the_device_end_all_work_and_graphs) {
  on_each_device("lost=9", [](const sycl::device& d) {
    prism_test::error_log heard;
    sycl::queue q(d, heard.handler());
    std::vector<int*> all{zeros(q)};
    if (d.has(sycl::aspect::usm_shared_allocations)) all.push_back(sycl::malloc_shared<int>(n, q));
    if (d.has(sycl::aspect::usm_host_allocations)) all.push_back(sycl::malloc_host<int>(n, q));
    for (std::size_t i = 1; i < all.size(); ++i) std::fill_n(all[i], n, 7);
    std::vector<prism::command_graph<prism::graph_state::executable>> graphs;
    for (int* const each : all) graphs.push_back(adding_graph(q, each));
    int runs_after = 0;
    for (int run = 0; run < 20; ++run) {
      const std::size_t before = heard.texts.size();
      for (std::size_t i = 0; i < all.size(); ++i) {
        try {
          prism::execute_graph(q, graphs[i]);
          add_number(q, all[i], 1000);
        } catch (const sycl::exception& refused) {
          heard.texts.push_back(refused.what());
        }
      }
      q.wait_and_throw(); // fails
      if (before == 0) continue;
      ++runs_after;
      EXPECT_GE(heard.texts.size(), before + all.size()) << "everything on a lost device fails";
    }
    EXPECT_GT(runs_after, 10);
    for (const std::string& text : heard.texts)
      ASSERT_NE(text.find("the device is lost"), std::string::npos) << text;
    for (std::size_t i = 1; i < all.size(); ++i) { // the host still has its side
      EXPECT_GE(all[i][0], 7);
      all[i][0] = 1;
      EXPECT_EQ(all[i][0], 1);
    }
    for (int* const each : all) sycl::free(each, q);
  });
}

TEST(faults, of_delay_are_seen_by_waits_polls_and_dependents) {
  on_each_device("delay=3:300", [](const sycl::device& d) {
    using clock = std::chrono::steady_clock;
    sycl::queue q(d, rethrow_first), other(q.get_context(), d, rethrow_first);
    int *const x = zeros(q), *const y = zeros(q);
    const auto begin = clock::now();
    const auto passed = [&] {
      return std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - begin).count();
    };
    const auto is_complete = [](const sycl::event& e) {
      return e.get_info<sycl::info::event::command_execution_status>() ==
             sycl::info::event_command_status::complete;
    };
    sycl::event slow = add_number(q, x, 1); // the third submission
    sycl::event after = add_number(other, x, 10, {slow});
    std::atomic<long> task_at{0};
    sycl::event task = other.submit([&](sycl::handler& h) {
      h.depends_on(slow);
      h.host_task([&] { task_at = passed(); });
    });
    const bool too_early = is_complete(slow) || is_complete(after);
    if (passed() < 300) {
      EXPECT_FALSE(too_early);
    }
    after.wait_and_throw();
    EXPECT_GE(passed(), 300);
    EXPECT_TRUE(is_complete(slow)) << "its dependency must be complete before it";
    task.wait();
    EXPECT_GE(task_at, 300);
    add_number(q, y, 5);
    q.wait_and_throw();
    EXPECT_LT(passed(), 60'000);
    std::vector<int> got(n);
    q.copy(x, got.data(), n).wait_and_throw();
    EXPECT_EQ(got, std::vector<int>(n, 11));
  });
}

TEST(faults, at_random_repeat_with_their_seed) {
  const std::string file = testing::TempDir() + "prism_faults_" + std::to_string(::getpid());
  const auto failures_of = [&](const std::string& faults) {
    in_a_child_process(faults, [&] {
      prism::set_wrappers("host:fault(" + faults + ")");
      sycl::queue q(prism::by_name("host").device(), rethrow_first);
      int* const x = sycl::malloc_device<int>(n, q);
      std::string out;
      for (int i = 0; i < 200; ++i) {
        try {
          add_number(q, x, 1).wait();
          q.wait_and_throw();
          out += '.';
        } catch (const sycl::exception&) {
          out += 'x';
        }
      }
      std::ofstream(file) << out;
    });
    std::ifstream in(file);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string once = failures_of("fail=4~, seed=3"), again = failures_of("fail=4~,seed=3"),
                    other = failures_of("fail=4~,seed=4");
  EXPECT_EQ(once, again);
  EXPECT_NE(once, other);
  for (const std::string& each : {once, other}) {
    EXPECT_EQ(each.size(), 200u);
    const auto failed = std::count(each.begin(), each.end(), 'x');
    EXPECT_GT(failed, 25) << each; // 50 are expected; six times the spread is 37
    EXPECT_LT(failed, 80) << each;
    EXPECT_NE(each.find("xx"), std::string::npos) << "faults must not be periodic: " << each;
  }
  std::remove(file.c_str());
}

TEST(faults, with_a_misspelt_name_are_rejected) {
  const auto error_of_setting = [](const std::string& faults) -> std::string {
    try {
      prism::set_wrappers("fault(" + faults + ")");
    } catch (const sycl::exception& failed) {
      return failed.what();
    }
    return "(taken)";
  };
  EXPECT_NE(error_of_setting("dealy=1").find("fault \"dealy=1\": there is no such fault"), std::string::npos)
      << error_of_setting("dealy=1");
  EXPECT_NE(error_of_setting("delay=1:").find("number from 1"), std::string::npos)
      << error_of_setting("delay=1:");
  EXPECT_NE(error_of_setting("fail=1:5").find("what follows the number"), std::string::npos)
      << error_of_setting("fail=1:5");
  EXPECT_NE(error_of_setting("fail=1*+").find("what follows the number"), std::string::npos);
  EXPECT_NE(error_of_setting("seed=0, fail=1").find("number from 1"), std::string::npos);
  EXPECT_NE(error_of_setting("seed=4").find("it names no fault"), std::string::npos)
      << error_of_setting("seed=4");
}
