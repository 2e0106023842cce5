#include "devices/host/parallel.hpp"

#include "devices/host/fiber_sanitizer.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <mutex>

namespace prism::devices::host {
namespace {

/// What happened before the call is seen by every part, what the parts did by the caller, also when one throws.
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

} // namespace

struct thread_share::arena {
  explicit arena(unsigned threads) : slots(int(threads)), is_one(threads == 1) {}
  tbb::task_arena slots;
  // oneTBB lends an arena of one a second thread when somebody finds no place in it.
  const bool is_one;
  std::mutex taken;
};
thread_share::thread_share(unsigned threads) : m_arena(std::make_unique<arena>(threads)) {}
thread_share::~thread_share() = default;

void thread_share::run(const std::function<void()>& work) {
  const auto alone = m_arena->is_one ? std::unique_lock(m_arena->taken) : std::unique_lock<std::mutex>();
  char begun = 0, done = 0; // another thread runs it where this one finds no place
  caller_scope caller(begun, done);
  m_arena->slots.execute([&] {
    part_scope scope(begun, done);
    work();
  });
}

void run_parallel(std::uint64_t begin, std::uint64_t end, range_part part, const void* owner) {
  char begun = 0, done = 0; // their addresses name the two events
  caller_scope caller(begun, done);
  tbb::parallel_for(tbb::blocked_range<std::uint64_t>(begin, end), [&](const tbb::blocked_range<std::uint64_t>& r) {
    part_scope scope(begun, done);
    part(owner, r.begin(), r.end());
  });
}

void prepare_parallel() {
  static const bool done = [] {
    run_parallel(0, 2, [](const void*, std::uint64_t, std::uint64_t) {}, nullptr);
    return true;
  }();
  static_cast<void>(done);
}

} // namespace prism::devices::host
