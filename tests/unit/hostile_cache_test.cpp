// The disk cache in folders that contain files of other programs or that other users can write, and with
// failing system calls: it never crashes, throws or blocks, and never returns data that were not stored. A
// damaged cache that can be repaired is used again.
#include "runtime/images/disk_cache.hpp"
#include "tests/other_users.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;
using prism::images::disk_cache;

namespace {

constexpr std::uint64_t plenty = 1 << 20;
const std::string other_name = "0123456789abcdef0123456789abcdef";

std::vector<std::byte> some_bytes(std::size_t bytes, int seed) {
  std::vector<std::byte> out(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    out[i] = static_cast<std::byte>(i * 31 + static_cast<std::size_t>(seed));
  return out;
}

struct hostile_cache : testing::Test {
  fs::path home, folder;
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "prism-hostile-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    home = name;
    folder = home / "programs";
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(home, ignored);
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> out;
    for (const auto& e : fs::directory_iterator(folder)) out.push_back(e.path());
    return out;
  }
  /// The file of "key".
  fs::path entry() const {
    disk_cache(folder, plenty).store("key", some_bytes(100, 1));
    return files().at(0);
  }
  static void set_time(const fs::path& file, std::time_t seconds) {
    const timespec both[2] = {{seconds, 0}, {seconds, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), both, 0), 0);
  }
};

constexpr int cannot_test = 77;

/// Runs the work in a child process and returns its result; ends the process if it blocks.
int in_a_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    ::_exit(work());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Makes the system call fail in this process from now on; unless `bytes` is -1, only with this third
/// argument.
bool let_fail(long call, int error, int bytes = -1) {
  const auto number = static_cast<std::uint32_t>(call);
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])), // little endian: its lower half
      BPF_JUMP(BPF_JMP | (bytes < 0 ? BPF_JGE : BPF_JEQ) | BPF_K,
               static_cast<std::uint32_t>(bytes < 0 ? 0 : bytes), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog whole{std::size(program), program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole) == 0;
}
#if defined(SYS_rename)
constexpr long rename_call = SYS_rename;
#elif defined(SYS_renameat)
constexpr long rename_call = SYS_renameat;
#else // RISC-V
constexpr long rename_call = SYS_renameat2;
#endif

TEST_F(hostile_cache, an_entry_that_is_no_regular_file_is_ignored) {
  const fs::path file = entry();
  const std::vector<std::pair<const char*, std::function<bool()>>> kinds{
      {"pipe", [&] { return ::mkfifo(file.c_str(), 0600) == 0; }},
      {"link to nothing", [&] { return ::symlink("nothing", file.c_str()) == 0; }},
      {"link to an entry", [&] { return ::symlink((home / "real").c_str(), file.c_str()) == 0; }},
      {"socket",
       [&] {
    const int s = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::strncpy(at.sun_path, file.c_str(), sizeof at.sun_path - 1);
    const bool made = ::bind(s, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
    ::close(s);
    return made;
  }},
      {"device",
       [&] { return ::mknod(file.c_str(), S_IFCHR | 0600, makedev(1, 5)) == 0; }}}; // /dev/zero, for root
  fs::copy_file(file, home / "real");
  for (const auto& [name, make] : kinds) {
    SCOPED_TRACE(name);
    fs::remove(file);
    if (!make()) continue;
    EXPECT_EQ(in_a_child([&] {
      disk_cache cache(folder, plenty);
      if (cache.load("key") || disk_cache::read(file)) return 1;
      cache.store("key", some_bytes(200, 2));
      return cache.load("key") == some_bytes(200, 2) ? 0 : 2;
    }),
              0);
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(file))) << "the next store must replace it";
  }
}

TEST_F(hostile_cache, a_folder_in_place_of_an_entry_costs_that_entry_only) {
  const fs::path file = entry();
  fs::remove(file);
  fs::create_directories(file / "below");
  disk_cache cache(folder, plenty);
  EXPECT_FALSE(cache.load("key"));
  EXPECT_FALSE(disk_cache::read(file));
  cache.store("key", some_bytes(100, 1));
  EXPECT_FALSE(cache.load("key"));
  cache.store("other", some_bytes(100, 2));
  EXPECT_EQ(cache.load("other"), some_bytes(100, 2));
  EXPECT_EQ(files().size(), 2u) << "a temporary file is left";
}

TEST_F(hostile_cache, a_file_of_a_million_megabytes_is_not_read) {
  const fs::path file = entry();
  std::error_code refused;
  fs::resize_file(file, std::uintmax_t(1) << 40, refused); // a sparse file; its header is that of the entry
  if (refused) GTEST_SKIP() << "this file system holds no files of a terabyte: " << refused.message();
  disk_cache cache(folder, plenty);
  EXPECT_FALSE(disk_cache::read(file));
  EXPECT_FALSE(cache.load("key"));
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(hostile_cache, entries_that_another_user_could_write_are_ignored) {
  const fs::path file = entry(); // they may be older than the private permissions of the folder
  ASSERT_EQ(::chmod(file.c_str(), 0620), 0);
  EXPECT_FALSE(disk_cache(folder, plenty).load("key"));
  EXPECT_FALSE(fs::exists(file));
  entry();
  ASSERT_EQ(::chmod(file.c_str(), 0602), 0);
  EXPECT_FALSE(disk_cache(folder, plenty).load("key"));
  entry();
  if (!prism_test::can_be_another_user()) GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(::chown(file.c_str(), prism_test::nobody, static_cast<gid_t>(-1)), 0);
  EXPECT_FALSE(disk_cache(folder, plenty).load("key"));
  disk_cache(folder, plenty).store("key", some_bytes(100, 2));
  EXPECT_EQ(disk_cache(folder, plenty).load("key"), some_bytes(100, 2));
}

TEST_F(hostile_cache, folders_above_are_made_private_too) {
  const mode_t before = ::umask(0);
  disk_cache cache(home / "a" / "b" / "programs", plenty);
  cache.store("key", some_bytes(10, 1));
  ::umask(before);
  struct stat info{};
  for (const char* made : {"a", "a/b", "a/b/programs"}) {
    ASSERT_EQ(::stat((home / made).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u) << made;
  }
}

TEST_F(hostile_cache, a_symbolic_link_is_refused_in_every_spelling) {
  fs::create_directory(home / "elsewhere");
  fs::permissions(home / "elsewhere", fs::perms::owner_all); // independent of the umask
  fs::create_directory_symlink(home / "elsewhere", folder);
  EXPECT_FALSE(disk_cache(folder / "", plenty).enabled());
  EXPECT_FALSE(disk_cache(folder.native() + "//", plenty).enabled());
  EXPECT_TRUE(disk_cache(home / "elsewhere" / "", plenty).enabled());
}

TEST_F(hostile_cache, a_folder_replaced_by_another_user_is_ignored) {
  if (!prism_test::can_be_another_user()) GTEST_SKIP() << "only root can give files away";
  entry();
  disk_cache cache(folder, plenty);
  fs::rename(folder, home / "aside"); // as a user who can write to the folder above can do
  fs::copy(home / "aside", folder);
  ASSERT_EQ(::chown(folder.c_str(), prism_test::nobody, prism_test::nobody), 0);
  for (const fs::path& file : files())
    ASSERT_EQ(::chown(file.c_str(), prism_test::nobody, prism_test::nobody), 0);
  EXPECT_FALSE(cache.load("key"));
}

TEST_F(hostile_cache, a_relative_folder_does_not_follow_chdir) {
  const fs::path before = fs::current_path();
  fs::current_path(home);
  disk_cache cache("programs", plenty);
  cache.store("key", some_bytes(100, 1));
  fs::current_path("/");
  EXPECT_EQ(cache.load("key"), some_bytes(100, 1));
  cache.store("other", some_bytes(100, 2));
  fs::current_path(before);
  EXPECT_EQ(disk_cache(folder, plenty).load("other"), some_bytes(100, 2));
}

TEST_F(hostile_cache, eviction_removes_no_files_of_other_names) {
  entry();
  for (const char* name : {"game.bin", "notes.tmp", "0123.bin", "x.XXXXXX.tmp"}) {
    std::ofstream(folder / name) << std::string(5000, 'x');
    set_time(folder / name, 1);
  }
  disk_cache cache(folder, 3000);
  for (int i = 0; i < 10; ++i) cache.store("key" + std::to_string(i), some_bytes(1000, i));
  for (const char* name : {"game.bin", "notes.tmp", "0123.bin", "x.XXXXXX.tmp"})
    EXPECT_TRUE(fs::exists(folder / name)) << name;
  EXPECT_LE(files().size(), 4u + 2u);
  EXPECT_EQ(cache.load("key9"), some_bytes(1000, 9));
}

TEST_F(hostile_cache, files_of_dead_writers_are_removed_at_the_next_store) {
  entry();
  const fs::path dead = folder / (other_name + ".bin.AAAAAA.tmp"),
                 alive = folder / (other_name + ".bin.BBBBBB.tmp");
  std::ofstream(dead) << std::string(5000, 'x');
  std::ofstream(alive) << std::string(5000, 'x');
  const int writer = ::open(alive.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(writer, LOCK_EX), 0);
  set_time(alive, 1);
  disk_cache cache(folder, 8000);
  cache.store("a", some_bytes(2000, 1));
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(alive)) << "a locked file must stay, however old it is";
  cache.store("b", some_bytes(2000, 2));
  EXPECT_EQ(cache.load("b"), some_bytes(2000, 2));
  EXPECT_FALSE(cache.load("a")) << "files being written count against the limit";
  ::close(writer);
  cache.store("c", some_bytes(2000, 3));
  EXPECT_FALSE(fs::exists(alive));
}

TEST_F(hostile_cache, old_entries_are_evicted_after_the_clock_was_set_back) {
  disk_cache cache(folder, 10'000);
  for (int i = 0; i < 3; ++i) cache.store("key" + std::to_string(i), some_bytes(3000, i));
  for (const fs::path& file : files()) set_time(file, 4'000'000'000); // used in the year 2096
  for (int i = 3; i < 9; ++i) {
    cache.store("key" + std::to_string(i), some_bytes(3000, i));
    EXPECT_EQ(cache.load("key" + std::to_string(i)), some_bytes(3000, i)) << i;
  }
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(cache.load("key" + std::to_string(i))) << i;
  for (int i = 7; i < 9; ++i) EXPECT_TRUE(cache.load("key" + std::to_string(i))) << i;
}

TEST_F(hostile_cache, a_new_entry_is_not_evicted_though_all_times_are_equal) {
  disk_cache cache(folder, 4000);
  for (int i = 0; i < 30; ++i) {
    for (const fs::path& file : files())
      set_time(file, std::time(nullptr) + 30); // as from a machine whose clock is ahead
    cache.store("key" + std::to_string(i), some_bytes(900, i));
    ASSERT_EQ(cache.load("key" + std::to_string(i)), some_bytes(900, i)) << i;
  }
}

struct failure {
  const char* name;
  long call;
  int error;
  int bytes;
};
struct failing_calls : hostile_cache, testing::WithParamInterface<failure> {};

TEST_P(failing_calls, stop_storing_but_not_the_program) {
  entry();
  const failure what = GetParam();
  const int outcome = in_a_child([&] {
    disk_cache cache(folder, plenty);
    if (!let_fail(what.call, what.error, what.bytes)) return cannot_test;
    cache.store("new", some_bytes(5000, 1));
    if (cache.load("new")) return 1;
    cache.store("key", some_bytes(5000, 1));
    if (cache.load("key") != some_bytes(100, 1)) return 2;
    return 0;
  });
  if (outcome == cannot_test) GTEST_SKIP() << "the system has no seccomp filters";
  EXPECT_EQ(outcome, 0);
  disk_cache cache(folder, plenty); // there is space again
  EXPECT_EQ(files().size(), 1u) << "a temporary file is left";
  cache.store("new", some_bytes(5000, 1));
  EXPECT_EQ(cache.load("new"), some_bytes(5000, 1));
}
INSTANTIATE_TEST_SUITE_P(every, failing_calls,
                         testing::Values(failure{"full_at_the_start", SYS_write, ENOSPC, -1},
                                         failure{"full_in_the_middle", SYS_write, ENOSPC, 5000},
                                         failure{"over_quota", SYS_write, EDQUOT, 5000},
                                         failure{"broken_disk", SYS_write, EIO, 5000},
                                         failure{"full_folder", rename_call, ENOSPC, -1},
                                         failure{"quota_reported_late", SYS_dup, EMFILE, -1}),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_F(hostile_cache, without_file_locks_only_old_temporary_files_are_removed) {
  entry();
  const fs::path old = folder / (other_name + ".bin.AAAAAA.tmp"),
                 fresh = folder / (other_name + ".bin.BBBBBB.tmp");
  const fs::path later = folder / (other_name + ".bin.CCCCCC.tmp");
  for (const fs::path& file : {old, fresh, later}) std::ofstream(file) << "x";
  set_time(old, std::time(nullptr) - 3600);
  set_time(later, std::time(nullptr) + 3600); // written before the clock was set back
  const int outcome = in_a_child([&] {
    if (!let_fail(SYS_flock, ENOLCK)) return cannot_test;
    disk_cache cache(folder, plenty);
    cache.store("new", some_bytes(5000, 1));
    return cache.load("new") == some_bytes(5000, 1) ? 0 : 1;
  });
  if (outcome == cannot_test) GTEST_SKIP() << "the system has no seccomp filters";
  EXPECT_EQ(outcome, 0);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_FALSE(fs::exists(later));
  EXPECT_TRUE(fs::exists(fresh));
}

TEST_F(hostile_cache, old_temporary_files_that_cannot_be_opened_are_removed) {
  entry();
  const fs::path old = folder / (other_name + ".bin.AAAAAA.tmp"),
                 fresh = folder / (other_name + ".bin.BBBBBB.tmp");
  for (const fs::path& file : {old, fresh}) {
    std::ofstream(file) << "x";
    fs::permissions(file, fs::perms::none);
  }
  set_time(old, std::time(nullptr) - 3600);
  const bool root = ::geteuid() == 0; // root can open every file
  if (root) {
    if (!prism_test::can_be_another_user()) GTEST_SKIP() << "root of this user namespace knows no other user";
    for (const fs::path& file : {home, folder, old, fresh})
      ASSERT_EQ(::chown(file.c_str(), prism_test::nobody, static_cast<gid_t>(-1)), 0);
  }
  EXPECT_EQ(in_a_child([&] {
    if (root && ::setuid(prism_test::nobody) != 0) return 1;
    disk_cache(folder, plenty).store("new", some_bytes(5000, 1));
    return disk_cache(folder, plenty).load("new") ? 0 : 2;
  }),
            0);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(fresh));
}

TEST_F(hostile_cache, a_full_file_system_keeps_the_stored_entries) {
  const int outcome = in_a_child([&] {
    fs::create_directory(folder);
    const uid_t user = ::geteuid();
    const gid_t group = ::getegid();
    if (::unshare(user == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0) return cannot_test;
    if (user != 0) { // the process is root in its user namespace now
      std::ofstream("/proc/self/setgroups") << "deny";
      std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
      std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
    }
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return cannot_test;
    if (::mount("none", folder.c_str(), "tmpfs", 0, "size=64k,mode=0700") != 0) return cannot_test;
    disk_cache first(folder, plenty);
    first.store("small", some_bytes(20'000, 1));
    if (first.load("small") != some_bytes(20'000, 1)) return 1;
    first.store("large", some_bytes(100'000, 2)); // written partially
    if (first.load("large") || first.load("small") != some_bytes(20'000, 1)) return 2;
    if (std::distance(fs::directory_iterator(folder), {}) != 1) return 3;
    disk_cache second(folder, plenty);
    second.store("other", some_bytes(20'000, 3));
    return second.load("other") == some_bytes(20'000, 3) ? 0 : 4;
  });
  if (outcome == cannot_test) GTEST_SKIP() << "this process cannot mount file systems";
  EXPECT_EQ(outcome, 0);
}

} // namespace
