#include "devices/host/parallel.hpp"

#include "devices/host/fiber_sanitizer.hpp"
#include "devices/host/placement.hpp"
#include "devices/host/spin.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <optional>
#include <sched.h>
#include <thread>

namespace prism::devices::host {
namespace {

/// Memory order: every part sees what happened before the call, and the caller sees what the parts did, also
/// if one throws.
class part_scope {
public:
  part_scope(char& begun, char& done) : m_done(done) { sanitizer::see_published(&begun); }
  ~part_scope() { sanitizer::publish(&m_done); }
  part_scope(const part_scope&) = delete;
  part_scope& operator=(const part_scope&) = delete;

private:
  char& m_done;
};

class caller_scope {
public:
  caller_scope(char& begun, char& done) : m_done(done) { sanitizer::publish(&begun); }
  ~caller_scope() { sanitizer::see_published(&m_done); }
  caller_scope(const caller_scope&) = delete;
  caller_scope& operator=(const caller_scope&) = delete;

private:
  char& m_done;
};

thread_local bool in_share = false;

class share_scope {
public:
  share_scope() { in_share = true; }
  ~share_scope() { in_share = m_before; }
  share_scope(const share_scope&) = delete;
  share_scope& operator=(const share_scope&) = delete;

private:
  const bool m_before = in_share;
};

tbb::task_arena::constraints bound_to(const numa_node& node) {
  return tbb::task_arena::constraints{}.set_numa_id(node.id);
}

/// One arena for each node; its threads are bound to the node.
std::vector<tbb::task_arena>& node_arenas() {
  static std::vector<tbb::task_arena> arenas = [] {
    std::vector<tbb::task_arena> made;
    for (const numa_node& node : numa_nodes()) made.emplace_back(bound_to(node));
    return made;
  }();
  return arenas;
}

/// Starts one task for each thread of the node; each task takes parts until none is left on any node.
class node_work {
public:
  node_work(std::uint64_t begin, std::uint64_t end, range_part part, const void* owner, char& begun,
            char& done)
      : m_range(begin, end, numa_nodes()), m_part(part), m_owner(owner), m_begun(begun), m_done(done) {}

  void run(std::size_t node) {
    tbb::parallel_for(0u, numa_nodes()[node].threads, [&](unsigned) { run_ticket(node); },
                      tbb::simple_partitioner());
  }

private:
  void run_ticket(std::size_t node) {
    part_scope scope(m_begun, m_done);
    try {
      for (index_range next; m_range.take(node, next);) m_part(m_owner, next.begin, next.end);
    } catch (...) {
      m_range.stop();
      throw;
    }
  }

  shared_range m_range;
  range_part m_part;
  const void* m_owner;
  char &m_begun, &m_done;
};

void run_on_nodes(node_work& work) {
  std::vector<tbb::task_arena>& arenas = node_arenas();
  std::vector<tbb::task_group> others(arenas.size() - 1);
  for (std::size_t node = 1; node < arenas.size(); ++node)
    arenas[node].enqueue(others[node - 1].defer([&work, node] { work.run(node); }));
  std::exception_ptr failure;
  const auto store_failure_of = [&](const auto& step) {
    try {
      step();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  };
  store_failure_of([&] { arenas.front().execute([&] { work.run(0); }); });
  for (std::size_t node = 1; node < arenas.size(); ++node)
    store_failure_of([&] { arenas[node].execute([&] { others[node - 1].wait(); }); });
  if (failure) std::rethrow_exception(failure);
}

/// After parallel work oneTBB's threads wait awake for a moment, each in a task that does nothing. Programs
/// launch one kernel after the other; to wake a sleeping thread takes the caller 20 to 40 microseconds on a
/// virtual machine, and the thread begins 60 microseconds later. The tasks yield the core to any other
/// thread.
class awake_threads {
public:
  /// Ends all waits. For the begin of work. False: no thread waits, so all sleep.
  bool release() noexcept {
    m_turn.fetch_add(1, std::memory_order_relaxed);
    return m_waiting.load(std::memory_order_relaxed) > 0;
  }

  /// Lets the other threads of this thread's arena wait. In a task of oneTBB it does nothing, because the
  /// program's own tasks may need the threads.
  void hold() {
    if (tbb::task::current_context() != nullptr) return;
    const int others = std::min(tbb::this_task_arena::max_concurrency() - 1, most);
    if (m_waiting.load(std::memory_order_relaxed) >= others) return;
    tbb::task_arena arena{tbb::attach()};
    const unsigned turn = m_turn.load(std::memory_order_relaxed);
    const int here = sched_getcpu();
    for (int i = m_waiting.load(std::memory_order_relaxed); i < others; ++i) {
      m_waiting.fetch_add(1, std::memory_order_relaxed);
      try {
        arena.enqueue([this, turn, here] {
          if (!wait(turn)) prepare_sleep(here);
          m_waiting.fetch_sub(1, std::memory_order_relaxed);
        });
      } catch (const std::bad_alloc&) { // the work is done; its threads sleep
        m_waiting.fetch_sub(1, std::memory_order_relaxed);
        return;
      }
    }
  }

private:
  static constexpr int most = 15; // a task takes the caller half a microsecond
  static constexpr std::chrono::microseconds longest{200};

  /// False after the longest wait.
  bool wait(unsigned turn) const noexcept {
    const auto end = std::chrono::steady_clock::now() + longest;
    do {
      sched_yield();
      for (int i = 0; i < 64; ++i) {
        if (m_turn.load(std::memory_order_relaxed) != turn) return true;
        relax();
      }
    } while (std::chrono::steady_clock::now() < end);
    return false;
  }

  std::atomic<unsigned> m_turn{0};
  std::atomic<int> m_waiting{0};
};
constinit awake_threads awake;

/// Observes when the first helper of a launch begins, and lets each use all its processors.
class helper_watch {
public:
  explicit helper_watch(bool slept) : m_slept(slept) {}

  /// For the thread that runs a part.
  void arrive() noexcept {
    if (std::this_thread::get_id() == m_launching) return;
    finish_sleep();
    if (m_came.load(std::memory_order_relaxed) == 0)
      m_came.store((clock::now() - m_begin).count(), std::memory_order_relaxed);
  }

  /// After all parts.
  void finish() const noexcept {
    if (!m_slept) return;
    const clock::rep came = m_came.load(std::memory_order_relaxed);
    record_wake({true, clock::now() - m_begin,
                 came != 0 ? std::optional(std::chrono::nanoseconds(came)) : std::nullopt});
  }

private:
  using clock = std::chrono::steady_clock;
  const std::thread::id m_launching = std::this_thread::get_id();
  const clock::time_point m_begin = clock::now();
  const bool m_slept;
  std::atomic<clock::rep> m_came{0}; // nanoseconds after the begin; 0: not yet
};

} // namespace

struct thread_share::arena {
  explicit arena(unsigned threads) : slots(int(threads)), is_one(threads == 1) {}
  explicit arena(const numa_node& node) : slots(bound_to(node)), is_one(node.threads == 1) {}
  tbb::task_arena slots;
  // If a thread finds an arena of one thread full, oneTBB may lend the arena a second thread.
  const bool is_one;
  std::mutex taken;
};
thread_share::thread_share(unsigned threads) : m_arena(std::make_unique<arena>(threads)) {}
thread_share::thread_share(const numa_node& node) : m_arena(std::make_unique<arena>(node)) {}
thread_share::~thread_share() = default;

void thread_share::run(const std::function<void()>& work) {
  const auto alone = m_arena->is_one ? std::unique_lock(m_arena->taken) : std::unique_lock<std::mutex>();
  char begun = 0, done = 0; // if the arena is full, another thread runs the work
  caller_scope caller(begun, done);
  m_arena->slots.execute([&] {
    part_scope scope(begun, done);
    const share_scope inside;
    work();
  });
}

void run_parallel(std::uint64_t begin, std::uint64_t end, range_part part, const void* owner) {
  char begun = 0, done = 0; // their addresses name the two events
  caller_scope caller(begun, done);
  if (numa_nodes().size() > 1 && !in_share) {
    node_work work(begin, end, part, owner, begun, done);
    return run_on_nodes(work);
  }
  helper_watch watch(!awake.release());
  tbb::parallel_for(tbb::blocked_range<std::uint64_t>(begin, end),
                    [&](const tbb::blocked_range<std::uint64_t>& r) {
    part_scope scope(begun, done);
    watch.arrive();
    part(owner, r.begin(), r.end());
  });
  watch.finish();
  awake.hold();
}

void release_threads() noexcept { awake.release(); }

void prepare_parallel() {
  static const bool done = [] {
    run_parallel(0, 2, [](const void*, std::uint64_t, std::uint64_t) {}, nullptr);
    return true;
  }();
  static_cast<void>(done);
}

} // namespace prism::devices::host
