// Memory shared by file descriptors: within one process, with another process, and what is refused.
#include "common.hpp"

#include <prism/export_memory.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace {

namespace syclexp = sycl::ext::oneapi::experimental;
using prism_test::error_of;

constexpr std::size_t n = 5000;

bool imports(const sycl::queue& q) {
  return q.get_device().has(sycl::aspect::ext_oneapi_external_memory_import);
}
#define SKIP_WHERE_NOTHING_IS_SHARED(q)                                                                      \
  if (!imports(q)) GTEST_SKIP() << prism_test::name_of((q).get_device()) << " shares no memory"

syclexp::external_mem_descriptor<syclexp::resource_fd> described(int descriptor, std::size_t bytes) {
  return {{descriptor}, syclexp::external_mem_handle_type::opaque_fd, bytes};
}

void fill_from(int first, int* to, sycl::queue& q) {
  q.parallel_for(n, [=](sycl::id<1> i) { to[i] = first + int(i[0]); }).wait();
}
/// The first element that does not count up from `first`, found by a copy; n if all do.
std::size_t first_wrong(const int* from, int first, sycl::queue& q) {
  std::vector<int> found(n);
  q.memcpy(found.data(), from, n * sizeof(int)).wait();
  for (std::size_t i = 0; i < n; ++i)
    if (found[i] != first + int(i)) return i;
  return n;
}

std::size_t open_files() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

TEST(external_memory, is_the_same_memory_under_another_pointer) {
  sycl::queue q{sycl::property::queue::in_order()};
  SKIP_WHERE_NOTHING_IS_SHARED(q);
  int* const mine = static_cast<int*>(prism::malloc_exportable(n * sizeof(int), q));
  ASSERT_NE(mine, nullptr);
  EXPECT_EQ(sycl::get_pointer_type(mine, q.get_context()), sycl::usm::alloc::device);
  fill_from(7, mine, q);
  const prism::exported_memory shared = prism::export_memory(mine, q);
  EXPECT_GE(shared.bytes, n * sizeof(int));
  const auto memory = syclexp::import_external_memory(described(shared.descriptor, shared.bytes), q);
  EXPECT_EQ(fcntl(shared.descriptor, F_GETFD), -1) << "the import must have taken over the descriptor";
  int* const again = static_cast<int*>(syclexp::map_external_linear_memory(memory, 0, n * sizeof(int), q));
  EXPECT_NE(again, mine);
  EXPECT_EQ(sycl::get_pointer_type(again, q.get_context()), sycl::usm::alloc::device);
  EXPECT_EQ(first_wrong(again, 7, q), n);
  fill_from(-3, again, q);
  EXPECT_EQ(first_wrong(mine, -3, q), n);
  int* const part = static_cast<int*>(syclexp::map_external_linear_memory(memory, 400, 4, q));
  q.single_task([=] { *part += 1000; }).wait();
  int found = 0;
  q.memcpy(&found, mine + 100, sizeof found).wait();
  EXPECT_EQ(found, -3 + 100 + 1000);
  syclexp::unmap_external_linear_memory(part, q);
  syclexp::unmap_external_linear_memory(again, q);
  syclexp::release_external_memory(memory, q);
  EXPECT_EQ(sycl::get_pointer_type(again, q.get_context()), sycl::usm::alloc::unknown);
  q.memcpy(&found, mine, sizeof found).wait();
  EXPECT_EQ(found, -3) << "the release of an import must leave the allocation alone";
  sycl::free(mine, q);
}

TEST(external_memory, outlives_the_allocation_that_was_exported) {
  sycl::queue q{sycl::property::queue::in_order()};
  SKIP_WHERE_NOTHING_IS_SHARED(q);
  int* const mine = static_cast<int*>(prism::malloc_exportable(n * sizeof(int), q));
  fill_from(11, mine, q);
  const prism::exported_memory shared = prism::export_memory(mine, q);
  sycl::free(mine, q);
  int* const other = static_cast<int*>(prism::malloc_exportable(n * sizeof(int), q));
  fill_from(500, other, q); // would show in memory that was reused
  const auto memory = syclexp::import_external_memory(described(shared.descriptor, shared.bytes), q);
  const void* const at = syclexp::map_external_linear_memory(memory, 0, n * sizeof(int), q);
  EXPECT_EQ(first_wrong(static_cast<const int*>(at), 11, q), n);
  syclexp::release_external_memory(memory, q);
  sycl::free(other, q);
}

/// The other process of the next test: imports, checks, and answers in the same memory.
TEST(other_process, answers) {
  const char* const file = std::getenv("TEST_SHARED_FILE");
  if (!file) GTEST_SKIP() << "started by external_memory.is_shared_with_another_process";
  sycl::queue q{sycl::property::queue::in_order()};
  const std::size_t bytes = std::stoul(std::getenv("TEST_SHARED_BYTES"));
  const auto memory = syclexp::import_external_memory(described(std::stoi(file), bytes), q);
  int* const at = static_cast<int*>(syclexp::map_external_linear_memory(memory, 0, n * sizeof(int), q));
  ASSERT_EQ(first_wrong(at, 21, q), n);
  fill_from(90, at, q);
  syclexp::release_external_memory(memory, q);
}

TEST(external_memory, is_shared_with_another_process) {
  sycl::queue q{sycl::property::queue::in_order()};
  SKIP_WHERE_NOTHING_IS_SHARED(q);
  int* const mine = static_cast<int*>(prism::malloc_exportable(n * sizeof(int), q));
  fill_from(21, mine, q);
  const prism::exported_memory shared = prism::export_memory(mine, q);
  const std::string file = "TEST_SHARED_FILE=" + std::to_string(shared.descriptor),
                    bytes = "TEST_SHARED_BYTES=" + std::to_string(shared.bytes),
                    program = std::filesystem::read_symlink("/proc/self/exe");
  const int flags = fcntl(shared.descriptor, F_GETFD);
  ASSERT_EQ(fcntl(shared.descriptor, F_SETFD, flags & ~FD_CLOEXEC), 0);
  const pid_t child = fork();
  if (child == 0) {
    execl("/usr/bin/env", "env", file.c_str(), bytes.c_str(), program.c_str(),
          "--gtest_filter=other_process.answers", nullptr);
    _exit(127);
  }
  ASSERT_GT(child, 0);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(first_wrong(mine, 90, q), n) << "what the other process wrote";
  close(shared.descriptor);
  sycl::free(mine, q);
}

TEST(external_memory, keeps_no_descriptors) {
  sycl::queue q{sycl::property::queue::in_order()};
  SKIP_WHERE_NOTHING_IS_SHARED(q);
  std::size_t before = 0;
  for (int round = 0; round < 40; ++round) {
    if (round == 2) before = open_files();
    void* const mine = prism::malloc_exportable(n, q);
    const prism::exported_memory shared = prism::export_memory(mine, q);
    syclexp::release_external_memory(
        syclexp::import_external_memory(described(shared.descriptor, shared.bytes), q), q);
    sycl::free(mine, q);
  }
  EXPECT_EQ(open_files(), before);
}

TEST(external_memory, refuses_descriptors_that_are_none_of_the_driver) {
  sycl::queue q;
  SKIP_WHERE_NOTHING_IS_SHARED(q);
  const auto import = [&](int descriptor, std::size_t bytes) {
    return error_of([&] { syclexp::import_external_memory(described(descriptor, bytes), q); });
  };
  EXPECT_EQ(import(-1, 4096), sycl::errc::invalid);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  const std::size_t before = open_files();
  EXPECT_NE(import(nothing, 4096), sycl::errc::success);
  EXPECT_EQ(open_files(), before);
  EXPECT_NE(fcntl(nothing, F_GETFD), -1) << "after a failure the descriptor is the caller's";
  close(nothing);
  EXPECT_EQ(import(nothing, 4096), sycl::errc::invalid) << "not open";
  void* const mine = prism::malloc_exportable(64, q);
  const prism::exported_memory shared = prism::export_memory(mine, q);
  EXPECT_EQ(import(shared.descriptor, 0), sycl::errc::invalid);
  EXPECT_NE(fcntl(shared.descriptor, F_GETFD), -1);
  close(shared.descriptor);
  sycl::free(mine, q);
}

TEST(external_memory, refuses_pointers_that_are_not_shared) {
  sycl::queue q;
  SKIP_WHERE_NOTHING_IS_SHARED(q);
  char* const plain = sycl::malloc_device<char>(64, q);
  std::string text;
  EXPECT_EQ(error_of([&] { prism::export_memory(plain, q); }, &text), sycl::errc::invalid);
  EXPECT_NE(text.find("not allocated for export"), std::string::npos) << text;
  sycl::free(plain, q);
  int local = 0;
  EXPECT_EQ(error_of([&] { prism::export_memory(&local, q); }), sycl::errc::invalid);
  char* const mine = static_cast<char*>(prism::malloc_exportable(64, q));
  EXPECT_EQ(error_of([&] { prism::export_memory(mine + 1, q); }), sycl::errc::invalid);
  const prism::exported_memory shared = prism::export_memory(mine, q);
  const auto memory = syclexp::import_external_memory(described(shared.descriptor, shared.bytes), q);
  EXPECT_EQ(error_of([&] { syclexp::map_external_linear_memory(memory, 0, shared.bytes + 1, q); }),
            sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { syclexp::map_external_linear_memory(memory, ~0ull, 2, q); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { syclexp::map_external_linear_memory(memory, 0, 0, q); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { syclexp::unmap_external_linear_memory(&local, q); }), sycl::errc::invalid);
  void* const imported = syclexp::map_external_linear_memory(memory, 0, 1, q);
  EXPECT_EQ(error_of([&] { prism::export_memory(imported, q); }), sycl::errc::invalid)
      << "only the program that made an allocation exports it";
  syclexp::release_external_memory(memory, q);
  EXPECT_EQ(error_of([&] { syclexp::release_external_memory(memory, q); }), sycl::errc::invalid);
  sycl::free(mine, q);
}

TEST(external_memory, names_what_a_device_lacks) {
  sycl::queue q;
  EXPECT_EQ(q.get_device().has(sycl::aspect::ext_oneapi_exportable_device_mem), imports(q));
  if (imports(q)) GTEST_SKIP() << prism_test::name_of(q.get_device()) << " shares memory: nothing is refused";
  for (const bool importing : {false, true}) {
    std::string text;
    EXPECT_EQ(error_of(
                  [&] {
      if (importing) syclexp::import_external_memory(described(0, 4096), q);
      else prism::malloc_exportable(64, q);
    }, &text),
              sycl::errc::feature_not_supported);
    EXPECT_NE(text.find(prism_test::name_of(q.get_device())), std::string::npos) << text;
    EXPECT_NE(
        text.find(q.get_backend() == sycl::backend::ext_prism_vulkan ? "the driver" : "file descriptors"),
        std::string::npos)
        << text;
  }
  EXPECT_NE(fcntl(0, F_GETFD), -1) << "a refusal closes nothing";
}

} // namespace
