// The disk cache while its processes are killed: many processes of one folder at random moments, and one at
// every system call of a store; and while they are stopped there. A load then returns the complete contents
// of its own key or nothing, the folder stays within its limit, and the next process works. Verdicts on
// drivers and measurements are single files, which one function writes.
#include "devices/api/private_folder.hpp"
#include "runtime/images/disk_cache.hpp"
#include "tests/wait.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <new>
#include <random>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;
using prism::images::disk_cache;

namespace {

/// The contents of a key: one of many versions, each of which determines every byte.
constexpr std::size_t sizes[] = {24, 100, 900, 4'000, 20'000, 65'000, 200'000, 300'000};
constexpr int number_of_keys = 40;
std::string key_of(int number) { return "a kernel, or a record of one, number " + std::to_string(number); }
std::size_t bytes_of(int number) {
  return sizes[static_cast<std::size_t>(number) % std::size(sizes)] + static_cast<std::size_t>(number);
}
std::uint64_t word(int number, std::uint32_t version, std::size_t at) {
  return (std::uint64_t(version) << 32 | static_cast<std::uint64_t>(number) << 24) +
         at; // quick, so that the processes are killed in the cache
}
std::vector<std::byte> content_of_key(int number, std::uint32_t version) {
  std::vector<std::byte> out(bytes_of(number));
  for (std::size_t i = 0; i < out.size() / 8; ++i) {
    const std::uint64_t here = word(number, version, i);
    std::memcpy(out.data() + i * 8, &here, 8);
  }
  return out;
}
bool is_whole(int number, const std::vector<std::byte>& got) {
  if (got.size() != bytes_of(number)) return false;
  std::uint64_t first = 0;
  std::memcpy(&first, got.data(), sizeof first);
  return got == content_of_key(number, static_cast<std::uint32_t>(first >> 32));
}

/// The contents of a folder that others may change.
struct contents {
  std::uintmax_t bytes = 0;
  std::size_t entries = 0, temporary = 0;
};
contents look_at(const fs::path& folder) {
  contents out;
  std::error_code failure;
  for (fs::directory_iterator it(folder, failure), end; !failure && it != end; it.increment(failure)) {
    struct stat info{};
    if (::lstat(it->path().c_str(), &info) != 0) continue;
    out.bytes += static_cast<std::uintmax_t>(info.st_size);
    ++(it->path().extension() == ".tmp" ? out.temporary : out.entries);
  }
  return out;
}

struct killed_cache : testing::Test {
  fs::path folder;
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "prism-killed-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = fs::path(name) / "programs";
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder.parent_path(), ignored);
  }
};

/// Counters of all processes together.
struct counts {
  std::atomic<unsigned> stores{0}, hits{0}, misses{0}, wrong{0};
};

/// Memory that the processes share.
class shared_counts {
public:
  shared_counts()
      : m_memory(::mmap(nullptr, sizeof(counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (m_memory == MAP_FAILED) throw std::bad_alloc();
    new (m_memory) counts;
  }
  shared_counts(const shared_counts&) = delete;
  ~shared_counts() { ::munmap(m_memory, sizeof(counts)); }
  counts* operator->() const { return static_cast<counts*>(m_memory); }

private:
  void* m_memory;
};

/// Works until it is killed.
[[noreturn]] void work(const fs::path& folder, std::uint64_t limit, unsigned seed,
                       const shared_counts& counted) {
  std::mt19937 random(seed);
  while (true) {
    disk_cache cache(folder, limit); // like a new process
    for (int i = 0; i < 50; ++i) {
      const int number = static_cast<int>(random() % number_of_keys);
      const unsigned what = random() % 16;
      if (what == 0) {
        cache.remove(key_of(number));
      } else if (what < 9) {
        cache.store(key_of(number), content_of_key(number, random()));
        ++counted->stores;
      } else if (const auto got = cache.load(key_of(number))) {
        ++(is_whole(number, *got) ? counted->hits : counted->wrong);
      } else {
        ++counted->misses;
      }
    }
  }
}

/// Like a new process: every entry must be complete, and a store must succeed, unless other processes evict
/// the entry.
void expect_to_go_on(const fs::path& folder, std::uint64_t limit, bool alone) {
  disk_cache cache(folder, limit);
  ASSERT_TRUE(cache.enabled());
  for (int number = 0; number < number_of_keys; ++number) {
    if (const auto got = cache.load(key_of(number))) {
      ASSERT_TRUE(is_whole(number, *got)) << "key " << number;
    }
  }
  const auto data = content_of_key(1, 12345);
  cache.store(key_of(1), data);
  const auto got = cache.load(key_of(1));
  if (alone) {
    ASSERT_TRUE(got == data);
  } else if (got) {
    ASSERT_TRUE(is_whole(1, *got));
  }
}

TEST_F(killed_cache, killed_writers_damage_nothing_and_leave_no_files) {
  constexpr std::uint64_t limit = 700'000; // less than the three million bytes that are stored
  constexpr int kills = 200;
  constexpr std::size_t processes = 4;
  const shared_counts counted;
  std::mt19937 random(20'240'611);
  std::vector<pid_t> workers(processes, -1);
  unsigned seed = 1;
  const auto start = [&](pid_t& worker) {
    worker = ::fork();
    if (worker == 0) work(folder, limit, seed, counted);
    ++seed;
    ASSERT_GT(worker, 0);
  };
  for (pid_t& worker : workers) start(worker);
  std::uintmax_t most = 0;
  for (int kill = 0; kill < kills && !HasFatalFailure(); ++kill) {
    const unsigned before = counted->stores;
    prism_test::spend(std::chrono::microseconds(random() % 6000)); // kills at a random moment
    prism_test::eventually([&] { return counted->stores != before; });
    pid_t& victim = workers[random() % processes];
    ::kill(victim, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(victim, &status, 0), victim);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        << "it ended by itself before kill " << kill << ", status " << status;
    most = std::max(most, look_at(folder).bytes);
    if (kill % 10 == 9) expect_to_go_on(folder, limit, false);
    start(victim);
  }
  for (const pid_t worker : workers) {
    ::kill(worker, SIGKILL);
    ::waitpid(worker, nullptr, 0);
  }
  EXPECT_EQ(counted->wrong, 0u);
  EXPECT_GE(counted->stores, unsigned(kills));
  EXPECT_GT(counted->hits, 0u);
  EXPECT_GT(counted->misses, 0u) << "nothing was evicted";
  std::printf("%u stores, %u hits, %u misses\n", counted->stores.load(), counted->hits.load(),
              counted->misses.load());
  // The limit may be exceeded by the files that each process is writing, and by those of processes killed
  // since another one's last store.
  EXPECT_LE(most, limit + 2 * processes * 310'000);
  expect_to_go_on(folder, limit, true);
  const contents left = look_at(folder);
  EXPECT_EQ(left.temporary, 0u) << "files of killed processes";
  EXPECT_LE(left.bytes, limit);
}

/// Runs `what` in a process that is stopped before its system call number `call`, calls `meanwhile` with the
/// process, and returns whether the process made so many calls. The process must succeed, unless `meanwhile`
/// killed it.
template <typename F, typename G>
bool stopped_at(int call, F what, G meanwhile, bool& refused) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(77);
    ::raise(SIGSTOP);
    what();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  refused = !WIFSTOPPED(status);
  if (refused) return false;
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  bool reached = false, killed = false;
  for (int stops = 0;;) {
    ::ptrace(reached ? PTRACE_CONT : PTRACE_SYSCALL, child, nullptr, 0);
    ::waitpid(child, &status, 0);
    if (!WIFSTOPPED(status)) break;
    if (WSTOPSIG(status) == (SIGTRAP | 0x80) &&
        ++stops == 2 * call + 1) { // each call stops at its start and at its end
      reached = true;
      killed = meanwhile(child);
    }
  }
  EXPECT_TRUE(killed ? WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL
                     : WIFEXITED(status) && WEXITSTATUS(status) == 0)
      << "status " << status;
  return reached;
}
bool kill_it(pid_t child) { return ::kill(child, SIGKILL) == 0; }

TEST_F(killed_cache, a_store_can_be_killed_at_each_of_its_system_calls) {
  constexpr std::uint64_t limit = 50'000;
  int call = 0;
  bool old_seen = false, new_seen = false, refused = false;
  for (bool ended = true; ended; ++call) {
    SCOPED_TRACE("killed before system call " + std::to_string(call));
    fs::remove_all(folder);
    {
      disk_cache before(folder, limit);
      before.store(key_of(4), content_of_key(4, 1)); // 20,000 bytes
      before.store(key_of(12), content_of_key(12, 1));
      before.store(key_of(2), content_of_key(2, 1));
    }
    disk_cache child_side(folder, limit);
    ended = stopped_at(call, [&] {
      child_side.store(key_of(2), content_of_key(2, 2));   // replaces
      child_side.store(key_of(20), content_of_key(20, 2)); // replaces another entry
    }, kill_it, refused);
    if (refused) GTEST_SKIP() << "the system does not allow ptrace";
    disk_cache after(folder, limit);
    const auto got = after.load(key_of(2));
    ASSERT_TRUE(got && (*got == content_of_key(2, 1) || *got == content_of_key(2, 2)));
    (*got == content_of_key(2, 1) ? old_seen : new_seen) = true;
    expect_to_go_on(folder, limit, true);
    const contents left = look_at(folder);
    ASSERT_EQ(left.temporary, 0u);
    ASSERT_LE(left.bytes, limit);
  }
  EXPECT_TRUE(old_seen && new_seen);
  EXPECT_GT(call, 10);
  std::printf("%d system calls\n", call - 1);
}

TEST_F(killed_cache, a_store_succeeds_while_another_process_evicts) {
  constexpr std::uint64_t limit = 200'000;
  int call = 0;
  bool refused = false;
  for (bool ended = true; ended; ++call) {
    SCOPED_TRACE("stopped before system call " + std::to_string(call));
    fs::remove_all(folder);
    disk_cache child_side(folder, limit), other(folder, limit);
    ended = stopped_at(call, [&] {
      child_side.store(key_of(5), content_of_key(5, 1));
      child_side.store(key_of(2), content_of_key(2, 2));
    }, [&](pid_t) {
      other.store(key_of(13), content_of_key(13, 1));
      return false;
    }, refused);
    if (refused) GTEST_SKIP() << "the system does not allow ptrace";
    ASSERT_TRUE(other.load(key_of(5)) == content_of_key(5, 1));
    ASSERT_TRUE(other.load(key_of(2)) == content_of_key(2, 2));
    ASSERT_EQ(look_at(folder).temporary, 0u);
  }
  EXPECT_GT(call, 10);
}

TEST_F(killed_cache, a_store_costs_the_same_with_many_entries) {
  disk_cache cache(folder, 100 << 20);
  for (int i = 0; i < 300; ++i)
    cache.store("another " + std::to_string(i), content_of_key(0, 1)); // the first one scans the folder
  bool refused = false;
  const bool reached =
      stopped_at(40, [&] { cache.store(key_of(1), content_of_key(1, 1)); }, kill_it, refused);
  if (refused) GTEST_SKIP() << "the system does not allow ptrace";
  EXPECT_FALSE(reached) << "it makes more than 40 system calls";
  EXPECT_TRUE(cache.load(key_of(1)) == content_of_key(1, 1));
}

TEST_F(killed_cache, a_private_file_is_replaced_atomically) {
  const fs::path file = folder / "verdict";
  const std::string before(3'000, 'a'), fresh(5'000, 'b');
  const auto text = [&] {
    std::ifstream in(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  ASSERT_TRUE(prism::make_private_folder(folder));
  int call = 0;
  bool before_seen = false, fresh_seen = false, refused = false;
  for (bool ended = true; ended; ++call) {
    SCOPED_TRACE("killed before system call " + std::to_string(call));
    ASSERT_TRUE(prism::write_private_file(file, before));
    ended = stopped_at(call, [&] { prism::write_private_file(file, fresh); }, kill_it, refused);
    if (refused) GTEST_SKIP() << "the system does not allow ptrace";
    const std::string got = text();
    ASSERT_TRUE(got == before || got == fresh) << got.size() << " bytes";
    (got == before ? before_seen : fresh_seen) = true;
    ASSERT_TRUE(prism::write_private_file(file, "next"));
    ASSERT_EQ(text(), "next");
  }
  EXPECT_TRUE(before_seen && fresh_seen);
  EXPECT_GE(call, 4); // it opens, writes, closes and renames a file
}

} // namespace
