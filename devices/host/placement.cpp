#include "devices/host/placement.hpp"

#include "devices/api/thread_end.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <unistd.h>
#include <vector>

namespace prism::devices::host {
namespace {

struct helper {
  pid_t thread = gettid();
  std::atomic<int> processor{-1};
  std::atomic<bool> came{true}, moved{false};
  cpu_set_t usual{};    // while it is moved
  bool trusted = false; // by the last launch, to come without being moved
};

/// All threads that ever helped and have not ended. A system call for a thread is made under the lock,
/// because the number of a thread that has ended may be another thread's.
struct registry {
  std::mutex lock;
  std::vector<std::unique_ptr<helper>> helpers;
  std::vector<helper_record> records; // of a launch; here to save an allocation
  int distrusted = 0;                 // so many launches place all helpers
};

registry& all() {
  static registry& made = *new registry; // threads may end later than static objects
  return made;
}

[[gnu::tls_model("initial-exec")]] constinit thread_local helper* mine = nullptr;
[[gnu::tls_model("initial-exec")]] constinit thread_local int launches = 0; // of this thread, one in another

void remove_helper(void* ended) {
  const std::lock_guard lock(all().lock);
  std::erase_if(all().helpers, [&](const auto& each) { return each.get() == ended; });
}

/// Without memory for it the thread stays unknown, and launches leave it where Linux wakes it.
helper* made_helper() noexcept {
  try {
    auto made = std::make_unique<helper>();
    if (!at_thread_end<&remove_helper>(made.get())) return nullptr;
    const std::lock_guard lock(all().lock);
    all().records.reserve(all().helpers.size() + 1);
    all().helpers.push_back(std::move(made));
    return all().helpers.back().get();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

/// Call with the lock held.
void move_back(helper& who) {
  if (!who.moved.load(std::memory_order_relaxed)) return;
  sched_setaffinity(who.thread, sizeof who.usual, &who.usual);
  who.moved.store(false, std::memory_order_relaxed);
}

bool is_number(int processor) { return processor >= 0 && processor < CPU_SETSIZE; }

constexpr std::size_t most_moved = 16; // of a launch: three system calls for each, about a microsecond
constexpr int distrusted_for = 64;     // launches
constexpr auto long_enough = std::chrono::microseconds(100); // for a helper to come, twice what it takes

} // namespace

cpu_set_t taken_processors(std::span<helper_record> helpers, int launching, bool trusted) {
  cpu_set_t taken;
  CPU_ZERO(&taken);
  CPU_SET(launching, &taken);
  for (helper_record& each : helpers) {
    each.moves = !trusted || !each.came || !is_number(each.processor) || CPU_ISSET(each.processor, &taken);
    if (!each.moves) CPU_SET(each.processor, &taken);
  }
  return taken;
}

std::optional<cpu_set_t> processor_for(const helper_record& which, const cpu_set_t& usual, cpu_set_t& taken,
                                       int launching) {
  const auto is_free = [&](int i) { return CPU_ISSET(i, &usual) && !CPU_ISSET(i, &taken); };
  int chosen = is_number(which.processor) && is_free(which.processor) ? which.processor : 0;
  while (chosen < CPU_SETSIZE && !is_free(chosen)) ++chosen;
  cpu_set_t out;
  if (chosen < CPU_SETSIZE) {
    CPU_ZERO(&out);
    CPU_SET(chosen, &out);
    CPU_SET(chosen, &taken);
    return out;
  }
  out = usual;
  CPU_CLR(launching, &out);
  if (CPU_COUNT(&out) == 0) return std::nullopt;
  return out;
}

void helper_arrives() noexcept {
  if (launches != 0) return; // the launching thread itself
  if (mine == nullptr && (mine = made_helper()) == nullptr) return;
  if (mine->moved.load(std::memory_order_relaxed)) {
    const std::lock_guard lock(all().lock);
    move_back(*mine);
  }
  mine->processor.store(sched_getcpu(), std::memory_order_relaxed);
  if (!mine->came.load(std::memory_order_relaxed)) mine->came.store(true, std::memory_order_relaxed);
}

helpers_wanted::helpers_wanted(std::uint64_t parts) noexcept
    : m_parts(parts), m_begin(std::chrono::steady_clock::now()) {
  ++launches;
  const std::unique_lock lock(all().lock, std::try_to_lock);
  const int here = sched_getcpu();
  if (!lock || !is_number(here)) return; // another launch places the helpers now
  registry& of = all();
  of.records.clear(); // has room for all
  for (const auto& each : of.helpers)
    of.records.push_back({each->processor.load(std::memory_order_relaxed),
                          each->came.exchange(false, std::memory_order_relaxed)});
  const bool trusted = of.distrusted == 0;
  cpu_set_t taken = taken_processors(of.records, here, trusted);
  std::size_t moved = 0;
  for (std::size_t i = 0; i < of.records.size() && moved < most_moved; ++i) {
    helper& who = *of.helpers[i];
    who.trusted = !of.records[i].moves;
    if (who.trusted || who.moved.load(std::memory_order_relaxed) ||
        sched_getaffinity(who.thread, sizeof who.usual, &who.usual) != 0)
      continue;
    const std::optional<cpu_set_t> to = processor_for(of.records[i], who.usual, taken, here);
    if (!to || sched_setaffinity(who.thread, sizeof *to, &*to) != 0) continue;
    who.moved.store(true, std::memory_order_relaxed);
    ++moved;
  }
  if (!trusted) --of.distrusted;
  m_moved = moved != 0;
}

helpers_wanted::~helpers_wanted() {
  --launches;
  const bool is_short = std::chrono::steady_clock::now() - m_begin < long_enough;
  const std::lock_guard lock(all().lock);
  const bool had_no_need = is_short || m_parts <= all().helpers.size(); // of all helpers
  for (const auto& each : all().helpers) {
    if (m_moved) move_back(*each);
    if (had_no_need) each->came.store(true, std::memory_order_relaxed);
    else if (each->trusted && !each->came.load(std::memory_order_relaxed)) all().distrusted = distrusted_for;
  }
}

} // namespace prism::devices::host
