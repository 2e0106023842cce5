#include "runtime/coherence/make_room.hpp"

#include "runtime/observe/trace.hpp"

#include <algorithm>
#include <optional>

namespace prism::runtime {

namespace {

/// A buffer that could be moved.
struct candidate {
  root_ref root;
  std::uint64_t last_needed, bytes;
};

/// The buffers with memory that can be released, the one needed longest ago first.
std::vector<candidate> candidates_of(device_state& device, std::span<buffer_state* const> own) {
  std::vector<candidate> out;
  auto all = device.pool().budget().residents();
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (auto& each : all) {
    auto root = std::static_pointer_cast<buffer_state>(std::move(each));
    if (std::find(own.begin(), own.end(), root.get()) != own.end()) continue;
    std::unique_lock lock(root->mutex);
    if (root->stays || !root->allocations.can_release(device.raw())) continue;
    const std::uint64_t needed = root->last_needed, bytes = root->allocations.bytes_on(device.raw());
    lock.unlock();
    out.push_back({std::move(root), needed, bytes});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const candidate& a, const candidate& b) { return a.last_needed < b.last_needed; });
  return out;
}

/// The unfinished commands that use any byte of the buffer.
std::vector<command_ref> users_of(buffer_state& root) {
  std::vector<completable_ref> found;
  root.users.users({0, root.allocations.bytes()}, found);
  std::vector<command_ref> out;
  for (completable_ref& each : found) out.push_back(std::static_pointer_cast<scheduled_command>(each));
  return out;
}

/// A buffer on its way to the host: a host access keeps others from writing to it meanwhile.
struct eviction {
  root_ref root;
  command_ref access;
  dependency_list copies;
};

/// Starts the copies of bytes that only the device has. Empty if a command uses the buffer by now.
std::optional<eviction> begin_eviction(device_state& device, const root_ref& root,
                                       const scheduled_command* user) {
  buffer_view all(root, 0, root->geometry(), 1, true);
  use_list uses(1);
  buffer_use& use = uses.front();
  use.buffer = &all;
  use.where = memory::whole(root->geometry());
  use.reads = use.on_host = true;
  use.accepts_failed = true; // the bytes are moved, not used
  use.why = memory::copy_reason::evicted;
  eviction made{root, make_command(nullptr, host_access_work{}), {}};
  if (user != nullptr && observe::wants(observe::labels))
    made.access->set_label(std::string(user->label()), std::string(user->line()));
  buffer_plan plan(nullptr, uses);
  const bool is_unused = root->allocations.can_release(device.raw()) && users_of(*root).empty();
  if (!is_unused) return std::nullopt;
  root->allocations.separate_host_view(device.raw());
  plan.make(false);
  plan.commit(made.access);
  made.copies = made.access->waits_for();
  return made;
}

/// Waits for the copies and releases the device's memory. Returns false if a command began to use the buffer
/// meanwhile. Throws the failure of a copy.
bool end_eviction(device_state& device, eviction& e) {
  for (const dependency& d : e.copies) d.on->wait_unreported();
  e.access->release();
  for (const dependency& d : e.copies)
    if (const std::exception_ptr failed = d.on->failure()) std::rethrow_exception(failed);
  small_vector<command_ref, 4> released; // destroyed after the lock is released
  const std::lock_guard lock(e.root->mutex);
  buffer_state& root = *e.root;
  root.resolve_copies(released);
  const auto there = root.allocations.existing_device_view(device.raw());
  if (root.stays || !root.allocations.can_release(device.raw()) || !users_of(root).empty()) return false;
  if (root.allocations.existing_host_view() == there) return false;
  memory::forget(root.contents, *there, memory::whole(root.geometry()));
  for (const memory::region& r : root.contents.regions)
    if (r.valid.has(*there)) return false; // written there in the meantime
  root.allocations.release(device.raw());
  root.evicted.add(*there);
  return true;
}

/// Returns whether any buffer was moved.
bool evict(device_state& device, const std::vector<candidate>& candidates, std::uint64_t bytes,
           const scheduled_command* user) {
  std::vector<eviction> started; // all copies are submitted before the first wait
  std::uint64_t freed = 0;
  std::exception_ptr failed;
  try {
    for (auto each = candidates.begin(); each != candidates.end() && freed < bytes; ++each)
      if (auto begun = begin_eviction(device, each->root, user)) {
        started.push_back(std::move(*begun));
        freed += each->bytes;
      }
  } catch (...) { // the host has no memory for it
    failed = std::current_exception();
  }
  bool moved = false;
  for (eviction& each : started) {
    try {
      moved = end_eviction(device, each) || moved;
    } catch (...) {
      each.access->release(); // commands of other threads may wait for it
      failed = std::current_exception();
    }
  }
  if (!moved && failed != nullptr) std::rethrow_exception(failed);
  return moved;
}

std::string bytes_text(std::uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

std::uint64_t bytes_of(const device_state& device, std::span<buffer_state* const> own) {
  std::uint64_t sum = 0;
  for (buffer_state* const each : own) {
    const std::lock_guard lock(each->mutex);
    sum += each->allocations.bytes_on(device.raw());
  }
  return sum;
}

/// The command cannot run, however many other commands complete.
[[noreturn]] void refuse(device_state& device, const room_request& wanted, std::uint64_t movable,
                         const std::string& why) {
  const memory::memory_budget& budget = device.pool().budget();
  const std::uint64_t own = bytes_of(device, {wanted.own.data(), wanted.own.size()});
  const std::uint64_t fixed = budget.in_use() - std::min(budget.in_use(), own + movable);
  const bool is_limited = budget.limit() != ~std::uint64_t{0};
  throw devices::device_error(
      devices::error_category::out_of_memory, wanted.failed.driver_code(),
      "the command's buffers need at least " + bytes_text(own + wanted.bytes) + " on " + device.label() +
          " (" + device.info().name + ") at the same time; " +
          (is_limited ? "its memory budget is " + bytes_text(budget.limit())
                      : std::string(wanted.failed.what())) +
          (fixed != 0 ? ", of which USM and buffers that cannot be moved use " + bytes_text(fixed) : "") +
          why + "; use smaller buffers or ranged accessors" +
          (is_limited ? ", or raise PRISM_MEMORY_LIMIT" : ""));
}

/// Whether the command waits, perhaps through others, for something that only this thread can do.
bool waits_for_this_thread(const scheduled_command& c) {
  const auto cause = c.held_up_by();
  return cause->is_host_access_of_this_thread() || cause->runs_on_this_thread();
}

/// Waits until the commands that use one of the candidates are complete.
void wait_for_users(device_state& device, const room_request& wanted,
                    const std::vector<candidate>& candidates, std::uint64_t movable) {
  std::string in_use;
  for (const candidate& each : candidates) {
    std::vector<command_ref> users;
    {
      const std::lock_guard lock(each.root->mutex);
      users = users_of(*each.root);
    }
    const auto stuck = std::find_if(users.begin(), users.end(),
                                    [](const command_ref& c) { return waits_for_this_thread(*c); });
    if (stuck != users.end()) {
      in_use = ", and the rest is in use by the " + (*stuck)->description() + ", which is " +
               (*stuck)->wait_state() + " on the thread that submits this command";
      continue;
    }
    for (const command_ref& c : users) c->wait_unreported();
    return; // also if it has no users any more: it can be moved now
  }
  refuse(device, wanted, movable, in_use);
}

/// Returns when an attempt to allocate may succeed.
void make_room(const room_request& wanted) {
  device_state& device = *wanted.device;
  memory::memory_budget& budget = device.pool().budget();
  const support::trace::scope traced("wait", "make room in the memory of ", device.label());
  budget.mark_tight();
  const std::vector<candidate> candidates = candidates_of(device, {wanted.own.data(), wanted.own.size()});
  std::uint64_t movable = 0;
  for (const candidate& each : candidates) movable += each.bytes;
  const std::uint64_t available = budget.available();
  // If the driver failed although the budget has room, it needs at least that much more.
  const std::uint64_t missing = wanted.bytes > available ? wanted.bytes - available : wanted.bytes;
  const bool never_fits =
      budget.limit() != ~std::uint64_t{0} && movable < missing && wanted.bytes > available;
  const std::uint64_t largest = device.info().max_allocation;
  if (candidates.empty() || never_fits || (largest != 0 && wanted.bytes > largest))
    refuse(device, wanted, movable, "");
  if (!evict(device, candidates, missing, wanted.user)) wait_for_users(device, wanted, candidates, movable);
}

} // namespace

void make_in_room(buffer_plan& plan, bool runs_copies) {
  while (true) {
    std::optional<room_request> wanted;
    try {
      return plan.make(runs_copies);
    } catch (const devices::device_error& failed) {
      if (failed.category() != devices::error_category::out_of_memory) throw;
      wanted.emplace(plan.unlock_for_room(failed));
    }
    make_room(*wanted);
    plan.lock_again();
  }
}

bool evict_unused(device_state& device, std::uint64_t bytes) {
  memory::memory_budget& budget = device.pool().budget();
  budget.mark_tight();
  const std::uint64_t available = budget.available();
  return evict(device, candidates_of(device, {}), bytes > available ? bytes - available : bytes, nullptr);
}

} // namespace prism::runtime
