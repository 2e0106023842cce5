// A program cache folder that is full, read-only, damaged or another user's: results stay right, and one line
// of the log names the reason. Each case starts this program again, because a process examines the folder
// once.
#include "tests/sycl/common.hpp"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace {

/// Runs in the child: a kernel whose program is built or loaded from the cache.
TEST(child, DISABLED_computes) {
  sycl::queue q;
  std::vector<int> data = prism_test::counted(1000);
  {
    sycl::buffer<int> b(data);
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h);
      h.parallel_for(1000, [=](sycl::id<1> i) { a[i] = 3 * a[i] + 1; });
    });
  }
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(data[std::size_t(i)], 3 * i + 1);
}

struct faulty_cache : testing::Test {
  fs::path home, folder;
  void SetUp() override {
    // The host device needs no built programs.
    if (sycl::device().get_backend() == sycl::backend::ext_prism_host)
      GTEST_SKIP() << "the host device builds no programs";
    std::string name = (fs::temp_directory_path() / "prism-faulty-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    home = name;
    folder = home / "programs";
  }
  void TearDown() override {
    std::error_code ignored;
    if (!folder.empty()) fs::permissions(folder, fs::perms::owner_all, ignored);
    if (!home.empty()) fs::remove_all(home, ignored);
  }

  struct outcome {
    int status;
    std::string text;
  };
  static std::string program() {
    char path[PATH_MAX] = {};
    const ssize_t n = ::readlink("/proc/self/exe", path, sizeof path - 1);
    return n > 0 ? path : "";
  }
  /// Runs the child after the shell command `before`.
  outcome run(const std::string& before = "", const std::string& wrap = "") const {
    const std::string line = before + " PRISM_LOG=info PRISM_CACHE=eager PRISM_CACHE_DIR='" +
                             folder.string() + "' " + wrap + " '" + program() +
                             "' --gtest_also_run_disabled_tests --gtest_filter='child.*' 2>&1";
    outcome out{-1, ""};
    std::FILE* pipe = ::popen(line.c_str(), "r");
    if (pipe == nullptr) return out;
    char part[4096];
    while (const std::size_t n = std::fread(part, 1, sizeof part, pipe)) out.text.append(part, n);
    out.status = ::pclose(pipe);
    return out;
  }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> out;
    if (fs::exists(folder))
      for (const auto& e : fs::directory_iterator(folder))
        if (e.path().extension() == ".bin") out.push_back(e.path());
    return out;
  }

  static void expect_right_and(const outcome& got, const char* words) {
    EXPECT_EQ(got.status, 0) << got.text;
    EXPECT_NE(got.text.find(words), std::string::npos) << got.text;
  }
};

TEST_F(faulty_cache, is_filled_by_a_healthy_run_and_read_by_the_next) {
  EXPECT_EQ(run().status, 0);
  const auto made = entries();
  ASSERT_FALSE(made.empty());
  const auto time = fs::last_write_time(made.front());
  const auto inode = [&] {
    struct stat info{};
    ::stat(made.front().c_str(), &info);
    return info.st_ino;
  };
  const auto file = inode();
  EXPECT_EQ(run().status, 0);
  EXPECT_EQ(inode(), file) << "the entry was written again";
  EXPECT_GE(fs::last_write_time(made.front()), time);
}

TEST_F(faulty_cache, that_is_full) {
  fs::create_directory(folder);
  const std::string mount = "mount -t tmpfs -o size=4k,mode=0700 none '" + folder.string() + "'";
  if (std::system(("unshare -rm sh -c \"" + mount + "\" 2>/dev/null").c_str()) != 0)
    GTEST_SKIP()
        << "no small file system can be made here (unshare, tmpfs); tests/unit has the case by a limit";
  const std::string after = "unshare -rm sh -c \"" + mount + " && head -c 4096 /dev/zero > '" +
                            folder.string() + "/filler' && exec \\\"\\$@\\\"\" sh";
  expect_right_and(run("", after), "program cache disabled: cannot write to");
  EXPECT_TRUE(entries().empty());
}

TEST_F(faulty_cache, that_is_read_only) {
  fs::create_directory(folder);
  const bool root = ::geteuid() == 0; // root can write to read-only folders: another user is needed
  if (root) {
    ASSERT_EQ(::chown(home.c_str(), 65534, 65534), 0);
    ASSERT_EQ(::chown(folder.c_str(), 65534, 65534), 0);
  }
  ASSERT_EQ(::chmod(folder.c_str(), 0500), 0);
  const std::string as_nobody =
      "setpriv --reuid=65534 --clear-groups env -u XDG_CACHE_HOME -u POCL_CACHE_DIR HOME='" + home.string() +
      "'"; // drivers' caches
  if (root && std::system((as_nobody + " test -x '" + program() + "'").c_str()) != 0)
    GTEST_SKIP() << "root cannot become a user that reads this program";
  expect_right_and(run("", root ? as_nobody : ""), "program cache disabled: cannot write to");
  EXPECT_TRUE(entries().empty());
}

TEST_F(faulty_cache, that_others_can_write_to) {
  fs::create_directory(folder);
  ASSERT_EQ(::chmod(folder.c_str(), 0777), 0);
  expect_right_and(run(), "others can write to it");
  EXPECT_TRUE(entries().empty());
}

TEST_F(faulty_cache, that_belongs_to_another_user) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give folders away";
  fs::create_directory(folder);
  ASSERT_EQ(::chmod(folder.c_str(), 0700), 0);
  ASSERT_EQ(::chown(folder.c_str(), 65534, 65534), 0);
  expect_right_and(run(), "it belongs to another user");
  EXPECT_TRUE(entries().empty());
}

TEST_F(faulty_cache, that_holds_a_pipe_where_an_entry_should_be) {
  ASSERT_EQ(run().status, 0);
  ASSERT_FALSE(entries().empty());
  for (const fs::path& file : entries()) {
    fs::remove(file);
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  }
  expect_right_and(run("", "timeout 60"), "removed a damaged or unrecognised entry");
  for (const fs::path& file : entries()) EXPECT_TRUE(fs::is_regular_file(file)) << file;
}

TEST_F(faulty_cache, that_cannot_be_made) {
  std::ofstream(home / "file") << "x";
  folder = home / "file" / "programs";
  expect_right_and(run(), "program cache disabled");
}

TEST_F(faulty_cache, with_damaged_entries) {
  ASSERT_EQ(run().status, 0);
  for (int damage = 0; damage < 4; ++damage) {
    ASSERT_FALSE(entries().empty()); // damaged entries were built again and stored
    for (const fs::path& file : entries()) {
      const auto size = fs::file_size(file);
      if (damage == 0) fs::resize_file(file, size / 2);
      else if (damage == 1) fs::resize_file(file, 0);
      else {
        std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
        const auto at = static_cast<std::streamoff>(damage == 2 ? size - 9 : 17);
        f.seekg(at);
        const char flipped = static_cast<char>(f.get() ^ 0x20);
        f.seekp(at);
        f.put(flipped);
      }
    }
    expect_right_and(run(), "removed a damaged or unrecognised entry");
  }
}

TEST_F(faulty_cache, with_another_kernels_entry_under_its_name) {
  ASSERT_EQ(run().status, 0);
  ASSERT_FALSE(entries().empty());
  const fs::path real = entries().front();
  const fs::path other = folder / ("0123456789abcdef0123456789abcdef.bin");
  fs::rename(real, other);
  ASSERT_EQ(run().status, 0);
  std::error_code failed;
  fs::copy_file(real, other, fs::copy_options::overwrite_existing, failed);
  std::fstream f(real, std::ios::in | std::ios::out | std::ios::binary);
  f.seekp(40); // within the key
  f.put('?');
  f.close();
  expect_right_and(run(), "removed a damaged or unrecognised entry");
}

} // namespace
