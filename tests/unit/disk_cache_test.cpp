// The disk cache with damaged entries, other processes, and folders that are full or another user's.
#include "runtime/images/disk_cache.hpp"
#include "tests/other_users.hpp"

#include <atomic>
#include <cstdio>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace fs = std::filesystem;
using prism::images::disk_cache;

namespace {

std::vector<std::byte> content(std::size_t bytes, int seed) {
  std::vector<std::byte> out(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    out[i] = static_cast<std::byte>(i * 31 + static_cast<std::size_t>(seed));
  return out;
}

struct cache : testing::Test {
  fs::path folder;
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "prism-cache-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = fs::path(name) / "programs";
  }
  void TearDown() override {
    std::error_code ignored;
    fs::permissions(folder, fs::perms::owner_all, ignored);
    fs::remove_all(folder.parent_path(), ignored);
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> out;
    for (const auto& e : fs::directory_iterator(folder)) out.push_back(e.path());
    return out;
  }
  /// Sets the time of all files back by an hour.
  void age() const {
    for (const fs::path& file : files())
      fs::last_write_time(file, fs::last_write_time(file) - std::chrono::hours(1));
  }
};

TEST_F(cache, stores_entries_for_the_next_process) {
  const auto data = content(5000, 1);
  disk_cache(folder, 1 << 20).store("key", data);
  disk_cache again(folder, 1 << 20);
  EXPECT_EQ(again.load("key"), data);
  EXPECT_FALSE(again.load("another key"));
}

TEST_F(cache, is_private) {
  disk_cache c(folder, 1 << 20);
  c.store("key", content(10, 1));
  struct stat info{};
  ASSERT_EQ(::stat(folder.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  ASSERT_EQ(::stat(files().at(0).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(cache, removes_an_entry_with_any_flipped_bit) {
  const auto data = content(64, 1);
  disk_cache c(folder, 1 << 20);
  c.store("key", data);
  const fs::path file = files().at(0);
  const auto bits = fs::file_size(file) * 8;
  for (std::uintmax_t at = 0; at < bits; ++at) {
    {
      std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
      f.seekg(static_cast<std::streamoff>(at / 8));
      const char flipped = static_cast<char>(f.get() ^ (1 << (at % 8)));
      f.seekp(static_cast<std::streamoff>(at / 8));
      f.put(flipped);
    }
    ASSERT_FALSE(c.load("key")) << "bit " << at;
    ASSERT_FALSE(fs::exists(file));
    c.store("key", data);
  }
  EXPECT_EQ(c.load("key"), data);
}

TEST_F(cache, removes_truncated_and_empty_entries) {
  disk_cache c(folder, 1 << 20);
  for (std::uintmax_t keep : {0u, 7u, 31u, 40u}) {
    c.store("key", content(100, 1));
    fs::resize_file(files().at(0), keep);
    EXPECT_FALSE(c.load("key"));
    EXPECT_TRUE(files().empty());
  }
}

TEST_F(cache, refuses_a_folder_that_others_can_write_to) {
  fs::create_directories(folder);
  fs::permissions(folder, fs::perms::all);
  disk_cache c(folder, 1 << 20);
  EXPECT_FALSE(c.enabled());
  c.store("key", content(10, 1));
  EXPECT_FALSE(c.load("key"));
}

TEST_F(cache, refuses_a_folder_of_another_user) {
  if (::geteuid() == 0) {
    if (!prism_test::can_be_another_user()) GTEST_SKIP() << "root of this user namespace knows no other user";
    fs::create_directories(folder);
    ASSERT_EQ(::chown(folder.c_str(), prism_test::nobody, prism_test::nobody), 0);
    EXPECT_FALSE(disk_cache(folder, 1 << 20).enabled());
  } else {
    EXPECT_FALSE(disk_cache("/", 1 << 20).enabled());
  }
}

TEST_F(cache, refuses_a_symbolic_link_as_folder) {
  fs::create_directories(folder.parent_path() / "elsewhere");
  fs::create_directory_symlink(folder.parent_path() / "elsewhere", folder);
  EXPECT_FALSE(disk_cache(folder, 1 << 20).enabled());
}

TEST_F(cache, works_without_a_folder) {
  disk_cache none({}, 1 << 20);
  EXPECT_FALSE(none.enabled());
  std::ofstream(folder.parent_path() / "file") << "x";
  disk_cache c(folder.parent_path() / "file" / "below", 1 << 20);
  EXPECT_FALSE(c.enabled());
  c.store("key", content(10, 1));
  EXPECT_FALSE(c.load("key"));
}

TEST_F(cache, reads_on_when_the_folder_is_read_only) {
  const auto check = [&] {
    disk_cache c(folder, 1 << 20);
    c.store("key", content(10, 1));
    fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
    c.store("other", content(10, 2));
    return !c.load("other") && c.load("key") == content(10, 1);
  };
  if (::geteuid() != 0) {
    EXPECT_TRUE(check());
    return;
  }
  if (!prism_test::can_be_another_user()) GTEST_SKIP() << "root of this user namespace knows no other user";
  using prism_test::nobody; // root can write to read-only folders
  ASSERT_EQ(::chown(folder.parent_path().c_str(), nobody, static_cast<gid_t>(-1)), 0);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(::setuid(nobody) == 0 && check() ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(cache, a_write_that_fails_leaves_no_entry_and_stops_further_ones) {
  const pid_t child = ::fork();
  if (child == 0) { // the limit has the effect of a full disk
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    disk_cache c(folder, 1 << 20);
    c.store("key", content(5000, 1));
    const bool empty = !c.load("key") && fs::is_empty(folder);
    ::_exit(empty ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(cache, a_limit_of_the_process_on_files_does_not_end_it) {
  const pid_t child = ::fork();
  if (child == 0) { // writing beyond the limit raises SIGXFSZ
    std::freopen("/dev/null", "w",
                 stderr); // the test's own output may be a file that is longer than the limit
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    disk_cache c(folder, 1 << 20);
    c.store("key", content(5000, 1));
    ::_exit(c.load("key") ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(cache, evicts_the_least_recently_used) {
  disk_cache c(folder, 10'000);
  for (int i = 0; i < 3; ++i) {
    c.store("key" + std::to_string(i), content(3000, i));
    age();
  }
  EXPECT_TRUE(c.load("key0")); // used now
  age();
  c.store("key3", content(3000, 3));
  EXPECT_TRUE(c.load("key0"));
  EXPECT_FALSE(c.load("key1"));
  EXPECT_TRUE(c.load("key3"));
}

TEST_F(cache, does_not_store_entries_larger_than_its_limit) {
  disk_cache c(folder, 1000);
  c.store("key", content(2000, 1));
  EXPECT_FALSE(c.load("key"));
}

TEST_F(cache, two_processes_write_and_read_the_same_entries) {
  const auto work = [&](int) {
    disk_cache c(folder, 1 << 20);
    for (int i = 0; i < 300; ++i) {
      const std::string key = "key" + std::to_string(i % 7);
      if (const auto got = c.load(key); got && *got != content(3000, i % 7)) ::_exit(1);
      c.store(key, content(3000, i % 7));
    }
  };
  const pid_t child = ::fork();
  if (child == 0) {
    work(1);
    ::_exit(0);
  }
  work(2);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  disk_cache c(folder, 1 << 20);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(c.load("key" + std::to_string(i)), content(3000, i));
}

TEST_F(cache, threads_write_read_and_evict_in_one_process) {
  disk_cache c(folder, 20'000); // less than the 30,000 bytes that are stored
  std::atomic<int> wrong{0}, hits{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 150; ++i) {
        const int number = (i * 7 + t) % 10;
        const std::string key = "key" + std::to_string(number);
        if (const auto got = c.load(key)) ++(*got == content(3000, number) ? hits : wrong);
        c.store(key, content(3000, number));
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(hits, 0);
  c.store("last", content(3000, 42));
  EXPECT_EQ(c.load("last"), content(3000, 42)) << "the cache must still store";
  std::uintmax_t bytes = 0;
  for (const fs::path& file : files()) bytes += fs::file_size(file);
  EXPECT_LE(bytes, 20'000u);
}

} // namespace
