// Threads that submit to queues of their own do not block each other: they share no lock of PRISM,
// independent of the driver's locks. The locks of each thread are recorded while it submits, or submits and
// waits, after a warm-up.
#include "tests/sycl/common.hpp"
#include "tests/sycl/taken_locks.hpp"

#include <prism/backend.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>
#include <vector>

extern "C" const prism::devices::backend* prism_backend_entry(); // of samples/backends/null/null_backend.cpp

namespace {

using namespace sycl;
using prism_test::lock_record;
using prism_test::taken_lock;

/// One device that does nothing with its commands, for PRISM_DEVICE_SELECTOR=null.
[[maybe_unused]] const bool has_null_device = (prism::register_backend(*prism_backend_entry()), true);

constexpr unsigned users = 2;
constexpr int warm = 30, recorded = 30; // iterations

/// Starts each iteration of all threads together.
class meeting_point {
public:
  void meet() {
    const unsigned round = m_arrived.fetch_add(1) / users;
    while (m_arrived.load() < (round + 1) * users) std::this_thread::yield();
  }

private:
  std::atomic<unsigned> m_arrived{0};
};

struct places {
  std::uint64_t times = 0;
  bool ours = false;        // a caller is PRISM's code or this program's, which contains PRISM's templates
  bool over_driver = false; // a driver took one of its own locks while this one was held
  std::map<std::string, std::uint64_t> callers;
};
using locks = std::map<const void*, places>;

bool is_ours(const void* caller) {
  static const std::string program = prism_test::file_of(reinterpret_cast<const void*>(&is_ours));
  const std::string file = prism_test::file_of(caller);
  return file == program || file.find("libprism") != std::string::npos;
}

locks by_lock(const lock_record& record) {
  EXPECT_EQ(record.missed(), 0u);
  locks out;
  for (const taken_lock& each : record.all()) {
    places& of = out[each.lock];
    of.callers[prism_test::place_of(each.caller)] += each.times;
    of.times += each.times;
    if (is_ours(each.caller)) of.ours = true;
    else if (each.under != nullptr) out[each.under].over_driver = true;
  }
  return out;
}

std::string text_of(const void* lock, const places& of) {
  std::ostringstream out;
  out << "  lock " << lock << (of.over_driver ? " (held over locks of a driver):\n" : ":\n");
  for (const auto& [where, times] : of.callers) out << "    " << times << " times by " << where << '\n';
  return out.str();
}

enum class part { submission, submission_and_wait };

/// Each thread makes a Work on a queue of its own and calls it `burst` times per iteration. Returns the locks
/// that both threads took in that section of the iterations.
template <typename Work>
locks shared_in(const property_list& properties, int burst, part what = part::submission) {
  const device where;
  lock_record records[users];
  meeting_point start;
  const auto use = [&](unsigned me) {
    queue q(where, properties);
    Work work(q);
    for (int round = 0; round < warm + recorded; ++round) {
      start.meet();
      if (round >= warm) records[me].begin();
      for (int i = 0; i < burst; ++i) work.submit(q);
      if (what == part::submission) records[me].end();
      q.wait_and_throw();
      records[me].end();
    }
    const int result = work.result(q);
    if (prism_test::name_of(where) != "null device") EXPECT_EQ(result, (warm + recorded) * burst);
  };
  std::vector<std::thread> threads;
  for (unsigned me = 0; me < users; ++me) threads.emplace_back(use, me);
  for (std::thread& each : threads) each.join();
  const locks first = by_lock(records[0]), second = by_lock(records[1]);
  // A queue has a lock of its own: a record without any missed PRISM's locks.
  for (const locks* const of : {&first, &second})
    EXPECT_TRUE(std::any_of(of->begin(), of->end(), [](const auto& each) { return each.second.ours; }));
  locks shared;
  for (const auto& [lock, of] : first) {
    const auto other = second.find(lock);
    if (other == second.end()) continue;
    places both = of;
    both.ours |= other->second.ours;
    both.over_driver |= other->second.over_driver;
    both.times += other->second.times;
    for (const auto& [where_taken, times] : other->second.callers) both.callers[where_taken] += times;
    shared.emplace(lock, std::move(both));
  }
  return shared;
}

/// The pools pass blocks of memory between threads, so the lock at one address can belong to commands of both
/// threads at different times. Such a lock is taken by functions of commands only, and for one command in
/// some hundred, three times if it ends meanwhile. A lock that both threads really share would be taken for
/// each command.
bool is_of_a_command(const places& of, int burst, part what) {
  const auto is_commands = [](const auto& caller) {
    return caller.first.find("scheduled_command") != std::string::npos;
  };
  const unsigned a_command = what == part::submission ? 1 : 3;
  return of.times * 10 < std::uint64_t(a_command) * users * recorded * unsigned(burst) &&
         std::all_of(of.callers.begin(), of.callers.end(), is_commands);
}

/// Vulkan requires its users to lock a shared VkQueue, and lavapipe has only one: this lock counts as the
/// driver's.
void expect_only_the_drivers(const locks& shared, int burst, part what = part::submission) {
  unsigned may_guard_a_driver = device().get_backend() == backend::ext_prism_vulkan ? 1 : 0;
  for (const auto& [lock, of] : shared) {
    if (!of.ours || is_of_a_command(of, burst, what)) continue;
    if (of.over_driver && may_guard_a_driver != 0) --may_guard_a_driver;
    else ADD_FAILURE() << "both threads took\n" << text_of(lock, of);
  }
}

/// Numbers of commands that are in flight at a time. PRISM_TEST_QUICK leaves out the largest, as on rusticl,
/// where each command takes ten times as long as on PoCL, with the same locks of PRISM.
std::vector<int> bursts() {
  return std::getenv("PRISM_TEST_QUICK") ? std::vector<int>{1, 10} : std::vector<int>{1, 10, 100};
}

/// A kernel on memory that only this thread uses. It adds atomically, because kernels of a queue without
/// order may overlap.
class usm_work {
public:
  explicit usm_work(queue& q) : m_data(malloc_device<int>(64, q)) { q.fill(m_data, 0, 64).wait(); }
  void submit(queue& q) {
    q.parallel_for(range<1>(64), [data = m_data](id<1> i) {
      atomic_ref<int, memory_order::relaxed, memory_scope::device>(data[i]) += 1;
    });
  }
  int result(queue& q) {
    int found[64];
    q.memcpy(found, m_data, sizeof found).wait();
    free(m_data, q);
    return found[63];
  }

private:
  int* m_data;
};

/// A command group with two accessors to buffers that only this thread uses.
class buffer_work {
public:
  explicit buffer_work(queue&) : m_from(range<1>(64)), m_to(range<1>(64)) {
    for (int& each : host_accessor(m_from, write_only)) each = 1;
    for (int& each : host_accessor(m_to, write_only)) each = 0;
  }
  void submit(queue& q) {
    q.submit([&](handler& h) {
      accessor x(m_from, h, read_only);
      accessor y(m_to, h, read_write);
      h.parallel_for(range<1>(64), [=](id<1> i) { y[i] += x[i]; });
    });
  }
  int result(queue&) { return host_accessor(m_to, read_only)[63]; }

private:
  buffer<int> m_from, m_to;
};

TEST(recorded_locks, are_the_locks_that_two_threads_take) {
  std::mutex common, own[users];
  lock_record records[users];
  std::vector<std::thread> threads;
  for (unsigned me = 0; me < users; ++me)
    threads.emplace_back([&, me] {
      records[me].begin();
      for (int i = 0; i < 3; ++i) {
        const std::lock_guard mine(own[me]);
        const std::lock_guard both(common);
      }
      records[me].end();
    });
  for (std::thread& each : threads) each.join();
  for (unsigned me = 0; me < users; ++me) {
    const locks found = by_lock(records[me]);
    ASSERT_EQ(found.size(), 2u);
    for (const void* const each : {static_cast<const void*>(&common), static_cast<const void*>(&own[me])}) {
      ASSERT_EQ(found.count(each), 1u);
      EXPECT_TRUE(found.at(each).ours);
      EXPECT_EQ(found.at(each).times, 3u);
    }
  }
}

TEST(two_queues, share_no_lock_of_prism_when_kernels_on_usm_are_submitted) {
  if (!device().has(aspect::usm_device_allocations))
    GTEST_SKIP() << prism_test::name_of(device()) << " has no device allocations";
  for (const int burst : bursts()) {
    SCOPED_TRACE(burst);
    expect_only_the_drivers(shared_in<usm_work>({property::queue::in_order{}}, burst), burst);
    expect_only_the_drivers(shared_in<usm_work>({}, burst), burst);
  }
}

TEST(two_queues, share_no_lock_of_prism_when_groups_with_accessors_are_submitted) {
  for (const int burst : bursts()) {
    SCOPED_TRACE(burst);
    expect_only_the_drivers(shared_in<buffer_work>({property::queue::in_order{}}, burst), burst);
    expect_only_the_drivers(shared_in<buffer_work>({}, burst), burst);
  }
}

TEST(two_queues, share_no_lock_of_prism_when_their_work_is_waited_for) {
#ifdef __GLIBCXX__ // RISC-V
  if (__gnu_cxx::__default_lock_policy != __gnu_cxx::_S_atomic)
    GTEST_SKIP() << "std::shared_ptr counts under a mutex on this processor";
#endif
  if (device().get_platform().get_info<info::platform::name>() == "Intel(R) OpenCL")
    GTEST_SKIP()
        << "a thread that waits runs commands of other queues of Intel's OpenCL driver for processors";
  if (!device().has(aspect::usm_device_allocations))
    GTEST_SKIP() << prism_test::name_of(device()) << " has no device allocations";
  for (const int burst : bursts()) {
    SCOPED_TRACE(burst);
    constexpr part what = part::submission_and_wait;
    expect_only_the_drivers(shared_in<usm_work>({property::queue::in_order{}}, burst, what), burst, what);
    expect_only_the_drivers(shared_in<buffer_work>({}, burst, what), burst, what);
  }
}

} // namespace
