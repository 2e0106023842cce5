#include "runtime/observe/observer.hpp"

#include <mutex>
#include <utility>

namespace prism::observe {

namespace {

struct link {
  observer* what;
  link* next; // added earlier
};
constinit std::atomic<link*> newest{nullptr}; // links are never destroyed
constinit std::mutex changing;

thread_local bool is_part = false;

template <typename Visit>
void for_each(std::uint32_t any_of, Visit&& visit) {
  for (const link* each = newest.load(std::memory_order_acquire); each != nullptr; each = each->next)
    if ((each->what->interests() & any_of) != 0) visit(*each->what);
}

} // namespace

void add(observer& one) {
  {
    const std::lock_guard lock(changing);
    newest.store(new link{&one, newest.load(std::memory_order_relaxed)}, std::memory_order_release);
  }
  interests_changed();
}

void interests_changed() noexcept {
  const std::lock_guard lock(changing);
  std::uint32_t all = 0;
  for (const link* each = newest.load(std::memory_order_relaxed); each != nullptr; each = each->next)
    all |= each->what->interests();
  detail::wanted.store(all, std::memory_order_relaxed);
}

follower_list submitting(const submission_event& event) {
  follower_list out;
  for_each(spans | launch_times | submissions, [&](observer& each) {
    if (auto found = each.submitting(event)) out.push_back(std::move(found));
  });
  return out;
}

void waited(const wait_event& event) {
  for_each(waits, [&](observer& each) { each.waited(event); });
}

void copied(const transfer_event& event) noexcept {
  for_each(transfers, [&](observer& each) { each.copied(event); });
}

void allocation_changed(const allocation_event& event) {
  for_each(allocations, [&](observer& each) { each.allocation_changed(event); });
}

one_event::one_event() noexcept : m_before(std::exchange(is_part, true)) {}
one_event::~one_event() { is_part = m_before; }
bool one_event::here() noexcept { return is_part; }

} // namespace prism::observe
