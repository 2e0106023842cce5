// Semaphores shared by file descriptors: between queues, between processes, and what is refused. No driver of
// the tests shares timelines: those tests are skipped by name there.
#include "common.hpp"
#include "tests/wait.hpp"

#include <prism/export_memory.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace {

namespace syclexp = sycl::ext::oneapi::experimental;
using kind = syclexp::external_semaphore_handle_type;
using prism_test::error_of;

constexpr std::size_t n = 5000;

syclexp::external_semaphore_descriptor<syclexp::resource_fd> described(int descriptor, kind of) {
  return {{descriptor}, of};
}
syclexp::external_semaphore imported(int descriptor, kind of, const sycl::queue& q) {
  return syclexp::import_external_semaphore(described(descriptor, of), q);
}
sycl::event signal(sycl::queue& q, syclexp::external_semaphore what, std::uint64_t value) {
  return what.handle_type == kind::timeline_fd ? q.ext_oneapi_signal_external_semaphore(what, value)
                                               : q.ext_oneapi_signal_external_semaphore(what);
}
sycl::event wait(sycl::queue& q, syclexp::external_semaphore what, std::uint64_t value) {
  return what.handle_type == kind::timeline_fd ? q.ext_oneapi_wait_external_semaphore(what, value)
                                               : q.ext_oneapi_wait_external_semaphore(what);
}

class external_semaphores : public testing::TestWithParam<kind> {
protected:
  /// Empty where the driver does not share the kind: `m_why` is the error's text.
  std::optional<syclexp::external_semaphore> made(const sycl::queue& q) {
    std::optional<syclexp::external_semaphore> out;
    const auto code = error_of([&] { out = prism::make_exportable_semaphore(GetParam(), q); }, &m_why);
    EXPECT_TRUE(out || code == sycl::errc::feature_not_supported) << m_why;
    return out;
  }
  std::string m_why;
};
#define MADE_OR_SKIP(name, q)                                                                                \
  const auto name##_or_none = made(q);                                                                       \
  if (!name##_or_none) GTEST_SKIP() << m_why;                                                                \
  const syclexp::external_semaphore name = *name##_or_none

TEST_P(external_semaphores, order_two_queues) {
  sycl::queue q{sycl::property::queue::in_order()}, other{sycl::property::queue::in_order()};
  MADE_OR_SKIP(mine, q);
  const int descriptor = prism::export_semaphore(mine, q);
  const auto again = imported(descriptor, GetParam(), other);
  EXPECT_EQ(fcntl(descriptor, F_GETFD), -1) << "the import must have taken over the descriptor";
  int* const data = sycl::malloc_device<int>(n, q);
  q.fill(data, 0, n).wait();
  for (int round = 1; round <= 10; ++round) {
    std::optional<sycl::event> passed;
    if (GetParam() == kind::timeline_fd) { // may wait before the signal is submitted
      passed = wait(other, again, std::uint64_t(round));
      EXPECT_TRUE(prism_test::never_within(std::chrono::milliseconds(5), [&] {
        return passed->get_info<sycl::info::event::command_execution_status>() ==
               sycl::info::event_command_status::complete;
      }));
    }
    q.parallel_for(n, [=](sycl::id<1> i) { data[i] = round + int(i[0]); });
    signal(q, mine, std::uint64_t(round)).wait();
    if (!passed) wait(other, again, 0);
    std::vector<int> found(n);
    other.memcpy(found.data(), data, n * sizeof(int)).wait();
    EXPECT_EQ(found[n - 1], round + int(n - 1));
  }
  sycl::free(data, q);
  syclexp::release_external_semaphore(again, other);
  syclexp::release_external_semaphore(mine, q);
}

std::string variable(const char* name, const std::string& value) { return std::string(name) + "=" + value; }
std::string inherited(int descriptor) {
  fcntl(descriptor, F_SETFD, fcntl(descriptor, F_GETFD) & ~FD_CLOEXEC);
  return std::to_string(descriptor);
}

/// The other process of the next test.
TEST(other_process, waits_answers_and_signals) {
  const char* const memory = std::getenv("TEST_SHARED_FILE");
  if (!memory) GTEST_SKIP() << "started by external_semaphores.order_two_processes";
  const auto number = [](const char* name) { return std::stoi(std::getenv(name)); };
  const kind of = kind(number("TEST_SHARED_KIND"));
  sycl::queue q{sycl::property::queue::in_order()};
  const auto there = imported(number("TEST_SHARED_THERE"), of, q),
             back = imported(number("TEST_SHARED_BACK"), of, q);
  const auto shared = syclexp::import_external_memory(
      syclexp::external_mem_descriptor<syclexp::resource_fd>{{std::stoi(memory)},
                                                             syclexp::external_mem_handle_type::opaque_fd,
                                                             std::size_t(number("TEST_SHARED_BYTES"))},
      q);
  int* const at = static_cast<int*>(syclexp::map_external_linear_memory(shared, 0, n * sizeof(int), q));
  wait(q, there, 7);
  const int waits = number("TEST_SHARED_PIPE");
  ASSERT_EQ(write(waits, "w", 1), 1);
  close(waits);
  q.parallel_for(n, [=](sycl::id<1> i) { at[i] = at[i] == int(i[0]) ? 2 * int(i[0]) : -1; });
  signal(q, back, 3).wait();
  q.wait();
  syclexp::release_external_memory(shared, q);
}

TEST_P(external_semaphores, order_two_processes) {
  sycl::queue q{sycl::property::queue::in_order()};
  MADE_OR_SKIP(there, q);
  MADE_OR_SKIP(back, q);
  int* const data = static_cast<int*>(prism::malloc_exportable(n * sizeof(int), q));
  const prism::exported_memory shared = prism::export_memory(data, q);
  int ends[2]; // the other process reports by a byte that its wait is submitted
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const std::string variables[] = {
      variable("TEST_SHARED_PIPE", inherited(ends[1])),
      variable("TEST_SHARED_FILE", inherited(shared.descriptor)),
      variable("TEST_SHARED_BYTES", std::to_string(shared.bytes)),
      variable("TEST_SHARED_KIND", std::to_string(int(GetParam()))),
      variable("TEST_SHARED_THERE", inherited(prism::export_semaphore(there, q))),
      variable("TEST_SHARED_BACK", inherited(prism::export_semaphore(back, q)))};
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  // Vulkan wants a binary semaphore's signal submitted before the wait; SwiftShader waits for a later one
  // too.
  const bool may_wait_first = GetParam() == kind::timeline_fd ||
                              prism_test::name_of(q.get_device()).find("SwiftShader") != std::string::npos;
  const auto write_and_signal = [&] {
    q.parallel_for(n, [=](sycl::id<1> i) { data[i] = int(i[0]); });
    signal(q, there, 7).wait();
  };
  q.fill(data, -5, n).wait();
  if (!may_wait_first) write_and_signal();
  const pid_t child = fork();
  if (child == 0) {
    execl("/usr/bin/env", "env", variables[0].c_str(), variables[1].c_str(), variables[2].c_str(),
          variables[3].c_str(), variables[4].c_str(), variables[5].c_str(), program.c_str(),
          "--gtest_filter=other_process.waits_answers_and_signals", nullptr);
    _exit(127);
  }
  ASSERT_GT(child, 0);
  close(ends[1]);
  if (may_wait_first) {
    char byte = 0;
    EXPECT_EQ(read(ends[0], &byte, 1), 1) << "the other process ended before its wait";
    write_and_signal();
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  wait(q, back, 3);
  std::vector<int> found(n);
  q.memcpy(found.data(), data, n * sizeof(int)).wait();
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(found[i], 2 * int(i)) << i;
  close(ends[0]);
  close(shared.descriptor);
  sycl::free(data, q);
  syclexp::release_external_semaphore(there, q);
  syclexp::release_external_semaphore(back, q);
}

TEST_P(external_semaphores, refuse_wrong_use) {
  sycl::queue q;
  MADE_OR_SKIP(mine, q);
  const auto import = [&](int descriptor) { return error_of([&] { imported(descriptor, GetParam(), q); }); };
  EXPECT_EQ(import(-1), sycl::errc::invalid);
  const int closed = open("/dev/null", O_RDWR | O_CLOEXEC);
  close(closed);
  EXPECT_EQ(import(closed), sycl::errc::invalid);
  const bool is_timeline = GetParam() == kind::timeline_fd;
  EXPECT_EQ(error_of([&] {
    if (is_timeline) q.ext_oneapi_wait_external_semaphore(mine);
    else q.ext_oneapi_wait_external_semaphore(mine, 1);
  }),
            sycl::errc::invalid);
  const auto again = imported(prism::export_semaphore(mine, q), GetParam(), q);
  EXPECT_EQ(error_of([&] { prism::export_semaphore(again, q); }), sycl::errc::invalid);
  syclexp::release_external_semaphore(again, q);
  EXPECT_EQ(error_of([&] { syclexp::release_external_semaphore(again, q); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { signal(q, again, 1); }), sycl::errc::invalid);
  syclexp::release_external_semaphore(mine, q);
}

TEST_P(external_semaphores, are_refused_with_the_name_of_what_the_driver_lacks) {
  sycl::queue q;
  const auto mine = made(q);
  if (mine) {
    EXPECT_TRUE(q.get_device().has(sycl::aspect::ext_oneapi_external_semaphore_import));
    syclexp::release_external_semaphore(*mine, q);
    GTEST_SKIP() << prism_test::name_of(q.get_device()) << " shares this kind: nothing is refused";
  }
  EXPECT_NE(m_why.find(prism_test::name_of(q.get_device())), std::string::npos) << m_why;
  if (q.get_device().has(sycl::aspect::ext_oneapi_external_memory_import))
    EXPECT_NE(m_why.find("VK_KHR_external_semaphore_fd"), std::string::npos) << m_why;
  EXPECT_EQ(error_of([&] { imported(0, GetParam(), q); }), sycl::errc::feature_not_supported);
  EXPECT_NE(fcntl(0, F_GETFD), -1) << "a refusal closes nothing";
}

INSTANTIATE_TEST_SUITE_P(kinds, external_semaphores, testing::Values(kind::opaque_fd, kind::timeline_fd),
                         [](const auto& each) {
                           return each.param == kind::timeline_fd ? "timeline" : "binary";
                         });

} // namespace
