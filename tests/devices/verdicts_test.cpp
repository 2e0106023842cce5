// Files with verdicts on drivers: damaged, created by other users, left by killed processes. A verdict names
// libraries that PRISM then loads. If the file may not be this user's own, the drivers are probed again.
#include "devices/probe.hpp"
#include "tests/other_users.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

namespace prism::devices {
namespace {

namespace fs = std::filesystem;

class verdicts : public testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "prism-verdicts-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    home = name;
    settings.cache_folder = home / "cache";
    settings.program = home / "probe.sh";
    b.name = "imagined";
    script("echo prism-probe 1 usable 2 a remark");
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(home, ignored);
  }
  void script(const std::string& does) {
    std::ofstream(settings.program) << "#!/bin/sh\necho run >> " << (home / "count").native() << '\n'
                                    << does << '\n';
    chmod(settings.program.c_str(), 0755);
  }
  /// The number of probes.
  int tries() const {
    std::ifstream in(home / "count");
    return int(std::count(std::istreambuf_iterator<char>(in), {}, '\n'));
  }
  void expect_right() {
    const auto found = probe_backend(b, settings);
    EXPECT_TRUE(found.usable);
    EXPECT_EQ(found.device_count, 2u);
    EXPECT_EQ(found.reason, "a remark");
    EXPECT_TRUE(found.drivers.empty());
  }
  /// The only file of the folder.
  fs::path file() const { return fs::directory_iterator(settings.cache_folder)->path(); }

  fs::path home;
  probe_settings settings;
  backend b;
};

TEST_F(verdicts, files_have_private_permissions) {
  const mode_t before = ::umask(0);
  settings.cache_folder = home / "above" / "cache";
  expect_right();
  ::umask(before);
  struct stat info{};
  for (const fs::path& made : {home / "above", settings.cache_folder}) {
    ASSERT_EQ(::stat(made.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u) << made;
  }
  ASSERT_EQ(::stat(file().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  expect_right();
  EXPECT_EQ(tries(), 1);
}

TEST_F(verdicts, a_damaged_byte_causes_a_new_probe) {
  expect_right();
  std::string whole;
  {
    std::ifstream in(file());
    whole.assign(std::istreambuf_iterator<char>(in), {});
  }
  ASSERT_GT(whole.size(), 20u);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    std::ofstream(file(), std::ios::trunc) << damaged;
    const int before = tries();
    expect_right();
    ASSERT_EQ(tries(), before + 1) << "byte " << at;
  }
  std::ofstream(file(), std::ios::trunc) << whole.substr(0, whole.size() - 1);
  expect_right();
  EXPECT_EQ(tries(), int(whole.size()) + 2);
  expect_right();
  EXPECT_EQ(tries(), int(whole.size()) + 2);
}

/// As if the stored verdict had been written that long ago.
void make_older(const fs::path& file, std::chrono::seconds age) {
  fs::last_write_time(file, fs::file_time_type::clock::now() - age);
}

TEST_F(verdicts, of_a_time_out_hold_a_minute_and_longer_each_time) {
  settings.limit = std::chrono::milliseconds(100);
  script("sleep 5");
  int probes = 0;
  for (const auto minutes : {1, 4, 16, 60, 60}) {
    EXPECT_FALSE(probe_backend(b, settings).usable);
    EXPECT_EQ(tries(), ++probes) << "the verdict before has expired";
    make_older(file(), std::chrono::minutes(minutes) - std::chrono::seconds(20));
    EXPECT_FALSE(probe_backend(b, settings).usable);
    EXPECT_EQ(tries(), probes) << minutes << " minutes: the verdict holds";
    make_older(file(), std::chrono::minutes(minutes) + std::chrono::seconds(20));
  }
}

TEST_F(verdicts, of_a_time_out_say_nothing_about_a_longer_limit) {
  settings.limit = std::chrono::milliseconds(100);
  script("sleep 0.5; echo prism-probe 1 usable 2 a remark");
  EXPECT_FALSE(probe_backend(b, settings).usable);
  settings.limit = std::chrono::seconds(20);
  expect_right();
  expect_right();
  EXPECT_EQ(tries(), 2) << "the new verdict is stored";
}

TEST_F(verdicts, without_devices_hold_a_minute) {
  const fs::path answer = home / "answer";
  std::ofstream(answer) << "prism-probe 1 usable 0 none found\n";
  script("cat " + answer.native());
  EXPECT_EQ(probe_backend(b, settings).device_count, 0u);
  std::ofstream(answer) << "prism-probe 1 usable 2 a remark\n";
  EXPECT_EQ(probe_backend(b, settings).device_count, 0u);
  EXPECT_EQ(tries(), 1);
  make_older(file(), std::chrono::minutes(2)); // a library that the driver lacked may be installed now
  expect_right();
}

TEST_F(verdicts, of_a_probe_that_could_not_be_started_are_not_stored) {
  chmod(settings.program.c_str(), 0600);
  EXPECT_FALSE(probe_backend(b, settings).usable);
  EXPECT_TRUE(fs::is_empty(settings.cache_folder));
}

TEST_F(verdicts, in_a_file_of_gigabytes_are_not_read) {
  expect_right();
  fs::resize_file(file(), std::uintmax_t(3) << 30); // sparse
  const auto begin = std::chrono::steady_clock::now();
  expect_right();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_EQ(tries(), 2);
}

TEST_F(verdicts, depend_on_whether_the_home_folder_can_be_written) {
  const char* const before = std::getenv("HOME");
  const std::string old = before != nullptr ? before : "";
  ASSERT_EQ(::setenv("HOME", (home / "not there").c_str(), 1), 0);
  const std::string without = driver_fingerprint();
  fs::create_directory(home / "not there");
  EXPECT_NE(driver_fingerprint(), without);
  before != nullptr ? ::setenv("HOME", old.c_str(), 1) : ::unsetenv("HOME");
}

TEST_F(verdicts, a_folder_that_other_users_can_write_is_ignored) {
  expect_right();
  chmod(settings.cache_folder.c_str(), 0777);
  expect_right();
  expect_right();
  EXPECT_EQ(tries(), 3);
  chmod(settings.cache_folder.c_str(), 0700);
  expect_right();
  EXPECT_EQ(tries(), 3);
  chmod(file().c_str(), 0666); // other users could write the file before
  expect_right();
  EXPECT_EQ(tries(), 4);
  const fs::path link = home / "link";
  fs::create_directory_symlink(settings.cache_folder, link);
  settings.cache_folder = link;
  expect_right();
  EXPECT_EQ(tries(), 5);
}

TEST_F(verdicts, files_of_another_user_are_ignored) {
  expect_right();
  if (!prism_test::can_be_another_user()) GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(::chown(file().c_str(), prism_test::nobody, prism_test::nobody), 0);
  expect_right();
  EXPECT_EQ(tries(), 2);
  ASSERT_EQ(::chown(settings.cache_folder.c_str(), prism_test::nobody, prism_test::nobody), 0);
  expect_right();
  expect_right();
  EXPECT_EQ(tries(), 4);
}

TEST_F(verdicts, a_pipe_in_place_of_the_file_does_not_block) {
  expect_right();
  const fs::path place = file();
  fs::remove(place);
  ASSERT_EQ(::mkfifo(place.c_str(), 0600), 0);
  ::alarm(20);
  expect_right();
  ::alarm(0);
  EXPECT_TRUE(fs::is_regular_file(place));
}

TEST_F(verdicts, the_list_of_drivers_that_work_is_private) {
  const fs::path vendors = home / "vendors";
  fs::create_directory(vendors);
  std::ofstream(vendors / "a.icd") << "libgood.so\n";
  std::ofstream(vendors / "b.icd") << "libbad.so\n";
  ::setenv("OCL_ICD_VENDORS", vendors.c_str(), 1);
  script("grep -q libbad $OCL_ICD_VENDORS/*.icd && kill -SEGV $$\necho prism-probe 1 usable 1");
  b.name = "opencl";
  const mode_t before = ::umask(0);
  const auto found = probe_backend(b, settings);
  ::umask(before);
  ASSERT_FALSE(found.environment.empty());
  const fs::path folder = found.environment.front().second;
  struct stat info{};
  ASSERT_EQ(::stat(folder.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  chmod(folder.c_str(), 0777); // other users may have added a driver
  EXPECT_FALSE(probe_backend(b, settings).usable);
  ::unsetenv("OCL_ICD_VENDORS");
}

TEST_F(verdicts, name_drivers_that_cannot_be_loaded) {
  const fs::path vendors = home / "vendors";
  fs::create_directory(vendors);
  std::ofstream(vendors / "a.icd") << "/nowhere/libnone.so\n";
  std::ofstream(vendors / "b.icd") << "libc.so.6\n";
  ::setenv("OCL_ICD_VENDORS", vendors.c_str(), 1);
  b.name = "opencl";
  b.probe = [] { return probe_result{false, "no OpenCL driver is installed", 0}; };
  const std::string reason = probe_here(b).reason;
  ::unsetenv("OCL_ICD_VENDORS");
  EXPECT_EQ(
      reason.find("no OpenCL driver is installed; " + (vendors / "a.icd").native() + " cannot be loaded: "),
      0u)
      << reason;
  EXPECT_NE(reason.find("/nowhere/libnone.so"), std::string::npos) << reason;
  EXPECT_EQ(reason.find("b.icd"), std::string::npos) << reason;
}

TEST_F(verdicts, folders_left_by_killed_processes_are_removed) {
  expect_right();
  const fs::path old[] = {settings.cache_folder / "probe-opencl-0.drivers.123.0",
                          settings.cache_folder / "probe-opencl-0.drivers"};
  const fs::path in_use = settings.cache_folder / "probe-opencl-1.drivers",
                 fresh = settings.cache_folder / "probe-opencl-2.drivers.123.0";
  for (const fs::path& folder : {old[0], old[1], in_use, fresh}) {
    fs::create_directory(folder);
    std::ofstream(folder / "0.icd") << "libgood.so\n";
    if (folder != fresh)
      fs::last_write_time(folder, fs::file_time_type::clock::now() - std::chrono::hours(2));
  }
  std::ofstream(settings.cache_folder / "probe-opencl-1") << "a verdict";
  b.name = "another";
  expect_right();
  for (const fs::path& folder : old) EXPECT_FALSE(fs::exists(folder)) << folder;
  EXPECT_TRUE(fs::exists(in_use));
  EXPECT_TRUE(fs::exists(fresh));
}

} // namespace
} // namespace prism::devices
