// Files that are no ordinary files, or far too large, are refused at once and by name.
#include "runtime/support/read_file.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace {

namespace fs = std::filesystem;
using prism::support::read_file;

class files : public testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "prism-files-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { fs::remove_all(folder); }
  fs::path folder;
};

TEST_F(files, are_read_whole) {
  std::ofstream(folder / "a") << "one\ntwo\0three";
  EXPECT_EQ(read_file(folder / "a", 100).bytes, "one\ntwo");
  std::ofstream(folder / "empty");
  EXPECT_EQ(read_file(folder / "empty", 100).problem, "");
  EXPECT_EQ(read_file(folder / "empty", 100).bytes, "");
}

TEST_F(files, of_gigabytes_are_refused_with_both_sizes) {
  std::ofstream(folder / "a") << "text";
  fs::resize_file(folder / "a", std::uintmax_t(3) << 30); // sparse
  EXPECT_EQ(read_file(folder / "a", 1000).problem, "has 3221225472 bytes, at most 1000 are read");
}

TEST_F(files, that_are_pipes_devices_or_folders_are_refused_without_waiting) {
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_file(folder / "pipe", 1000).problem, "is no regular file");
  EXPECT_EQ(read_file("/dev/zero", 1000).problem, "is no regular file");
  EXPECT_EQ(read_file(folder, 1000).problem, "is a folder");
  EXPECT_EQ(read_file(folder / "none", 1000).problem, "cannot be read: No such file or directory");
}

} // namespace
