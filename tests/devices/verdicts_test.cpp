// Files with verdicts on drivers: damaged, created by other users, left by killed processes. A verdict names
// libraries that PRISM then loads. If the file may not be this user's own, the drivers are probed again.
#include "devices/probe.hpp"

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
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(::chown(file().c_str(), 65534, 65534), 0);
  expect_right();
  EXPECT_EQ(tries(), 2);
  ASSERT_EQ(::chown(settings.cache_folder.c_str(), 65534, 65534), 0);
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
