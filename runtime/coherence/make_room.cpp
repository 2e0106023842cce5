#include "runtime/coherence/make_room.hpp"

#include "runtime/observe/trace.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

namespace prism::runtime {

namespace {

using own_uses = std::span<const room_request::used>;

/// Memory of a buffer that could be released.
struct candidate {
  root_ref root;
  memory::memory_id id;
  memory::interval room; // the bytes of the buffer that it holds
  std::uint64_t object_bytes;
  std::uint64_t last_needed;
  std::uint64_t bytes() const { return room.end - room.begin; }
};

/// The buffers that may have memory of the device.
std::vector<root_ref> buffers_on(device_state& device) {
  auto all = device.pool().budget().residents();
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::vector<root_ref> out;
  for (auto& each : all) out.push_back(std::static_pointer_cast<buffer_state>(std::move(each)));
  return out;
}

/// The memory that can be released, the one needed longest ago first.
std::vector<candidate> candidates_of(device_state& device, own_uses own) {
  std::vector<candidate> out;
  for (const root_ref& root : buffers_on(device)) {
    const auto used =
        std::find_if(own.begin(), own.end(), [&](const auto& u) { return u.root == root.get(); });
    const std::lock_guard lock(root->mutex);
    const memory::buffer_memory& allocations = root->allocations;
    if (root->stays) continue;
    for (const memory::memory_id id : allocations.memories_of(device.raw())) {
      const memory::interval room = allocations.room_of(id);
      if (allocations.can_release(id) && (used == own.end() || !room.overlaps(used->bytes)))
        out.push_back(
            {root, id, room, allocations.object(id, device.raw())->size(), allocations.last_needed(id)});
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const candidate& a, const candidate& b) { return a.last_needed < b.last_needed; });
  return out;
}

/// The unfinished commands that use any of the bytes. The buffer is locked.
std::vector<command_ref> users_of(const candidate& memory) {
  std::vector<completable_ref> found;
  memory.root->users.users(memory.room, found);
  std::vector<command_ref> out;
  for (completable_ref& each : found) out.push_back(std::static_pointer_cast<scheduled_command>(each));
  return out;
}

/// Whether the memory can still be released when its users are complete. The buffer is locked.
bool is_candidate(const candidate& memory) {
  const memory::interval now = memory.root->allocations.room_of(memory.id);
  return !memory.root->stays && memory.root->allocations.can_release(memory.id) &&
         now.begin == memory.room.begin && now.end == memory.room.end;
}

/// The same, and no command uses it.
bool is_unused(const candidate& memory) { return is_candidate(memory) && users_of(memory).empty(); }

/// Bytes on their way to the host: a host access keeps others from writing to them meanwhile.
struct eviction {
  candidate memory;
  command_ref access;
  dependency_list copies;
};

/// The bytes that the memory has room for.
buffer_view part_of(const candidate& memory) {
  const root_ref& root = memory.root;
  const bool is_all = memory.bytes() == root->allocations.bytes();
  return {root, memory.room.begin, is_all ? root->geometry() : memory::shape{1, 1, memory.bytes()}, 1,
          is_all};
}

/// Their use by the host, before which they are copied to it.
use_list use_by_host(buffer_view& part) {
  use_list uses(1);
  buffer_use& use = uses.front();
  use.buffer = &part;
  use.where = memory::whole(part.geometry());
  use.reads = use.on_host = true;
  use.why = memory::copy_reason::evicted;
  return uses;
}

command_ref access_for(const scheduled_command* user) {
  command_ref access = make_command(nullptr, host_access_work{});
  if (user != nullptr && observe::wants(observe::labels))
    access->set_label(std::string(user->label()), std::string(user->line()));
  return access;
}

/// Starts the copies of bytes that only the device has. Empty if a command uses the buffer by now.
std::optional<eviction> begin_eviction(const candidate& memory, const scheduled_command* user) {
  const root_ref& root = memory.root;
  buffer_view part = part_of(memory);
  use_list uses = use_by_host(part);
  uses.front().accepts_failed = true; // the bytes are moved, not used
  eviction made{memory, access_for(user), {}};
  buffer_plan plan(nullptr, uses);
  if (!is_unused(memory)) return std::nullopt;
  root->allocations.separate_host_view(memory.id);
  plan.make(false);
  plan.commit(made.access);
  made.copies = made.access->waits_for();
  return made;
}

/// Waits for the copies and releases the device's memory. Returns false if a command began to use it
/// meanwhile. Throws the failure of a copy.
bool end_eviction(eviction& e) {
  for (const dependency& d : e.copies) d.on->wait_unreported();
  e.access->release();
  for (const dependency& d : e.copies)
    if (const std::exception_ptr failed = d.on->failure()) std::rethrow_exception(failed);
  small_vector<command_ref, 4> released; // destroyed after the lock is released
  buffer_state& root = *e.memory.root;
  const std::lock_guard lock(root.mutex);
  root.resolve_copies(released);
  const memory::memory_id id = e.memory.id;
  if (!is_unused(e.memory) || root.allocations.existing_host_view() == id) return false;
  return root.give_up(id, released) != nullptr; // if null, some were written there in the meantime
}

/// Returns whether any buffer was moved.
bool evict(const std::vector<candidate>& candidates, std::uint64_t bytes, const scheduled_command* user) {
  std::vector<eviction> started; // all copies are submitted before the first wait
  std::uint64_t freed = 0;
  std::exception_ptr failed;
  try {
    for (auto each = candidates.begin(); each != candidates.end() && freed < bytes; ++each)
      if (auto begun = begin_eviction(*each, user)) {
        started.push_back(std::move(*begun));
        freed += each->bytes();
      }
  } catch (...) { // the host has no memory for it
    failed = std::current_exception();
  }
  bool moved = false;
  for (eviction& each : started) {
    try {
      moved = end_eviction(each) || moved;
    } catch (...) {
      each.access->release(); // commands of other threads may wait for it
      failed = std::current_exception();
    }
  }
  if (!moved && failed != nullptr) std::rethrow_exception(failed);
  return moved;
}

std::string bytes_text(std::uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

/// Bytes of the device's memory that the command's buffers have already.
std::uint64_t bytes_of(const device_state& device, own_uses own) {
  std::uint64_t sum = 0;
  for (const room_request::used& each : own) {
    const std::lock_guard lock(each.root->mutex);
    const memory::buffer_memory& allocations = each.root->allocations;
    for (const memory::memory_id id : allocations.memories_of(device.raw()))
      if (const memory::interval room = allocations.room_of(id); room.overlaps(each.bytes))
        sum += room.end - room.begin;
  }
  return sum;
}

/// The command cannot run, however many other commands complete.
[[noreturn]] void refuse(device_state& device, const room_request& wanted, std::uint64_t movable,
                         const std::string& why) {
  const memory::memory_budget& budget = device.pool().budget();
  if (wanted.bytes <= budget.available() && why.empty()) throw wanted.failed; // the driver's reason
  const std::uint64_t own = bytes_of(device, {wanted.own.data(), wanted.own.size()});
  const std::uint64_t fixed = budget.in_use() - std::min(budget.in_use(), own + movable);
  throw devices::device_error(
      devices::error_category::out_of_memory, wanted.failed.driver_code(),
      "the command's buffers need at least " + bytes_text(own + wanted.bytes) + " on " + device.label() +
          " (" + device.info().name + ") at the same time; its memory budget is " +
          bytes_text(budget.limit()) +
          (fixed != 0 ? ", of which USM and buffers that cannot be moved use " + bytes_text(fixed) : "") +
          why + "; use smaller buffers or ranged accessors, or raise PRISM_MEMORY_LIMIT");
}

/// Whether the command waits, perhaps through others, for something that only this thread can do.
bool waits_for_this_thread(const scheduled_command& c) {
  const auto cause = c.held_up_by();
  return cause->is_host_access_of_this_thread() || cause->runs_on_this_thread();
}

/// Whether the device itself can order other commands after these.
bool are_of(const device_state& device, const std::vector<command_ref>& users) {
  return std::all_of(users.begin(), users.end(), [&](const command_ref& c) {
    return c->is_device_work() && &c->where().device() == &device;
  });
}

/// Takes the memory from its buffer at once, while commands use it. What only it has is copied to the host
/// after them, and the device lets the next user wait for all of these, so that no thread waits. Empty if
/// that cannot be, or if the buffer has no memory on the host.
std::optional<handed_memory> take_while_used(const candidate& memory, const device_state& device,
                                             const scheduled_command* user) {
  buffer_state& root = *memory.root;
  std::vector<command_ref> users;
  {
    const std::lock_guard lock(root.mutex);
    users = users_of(memory);
  }
  if (!are_of(device, users) ||
      std::any_of(users.begin(), users.end(), [](const command_ref& c) { return waits_for_this_thread(*c); }))
    return std::nullopt;
  buffer_view part = part_of(memory);
  use_list uses = use_by_host(part);
  uses.front().leaves = memory.id;
  const command_ref access = access_for(user);
  small_vector<command_ref, 4> released; // destroyed after the lock is released
  buffer_plan plan(nullptr, uses);
  if (!are_of(device, users_of(memory)) || !is_candidate(memory) ||
      root.allocations.existing_host_view() == memory.id || plan.failure_of_bytes(uses.front()) != nullptr)
    return std::nullopt;
  const support::trace::scope traced("memory", "evict a buffer from the memory of ", device.label());
  root.allocations.separate_host_view(memory.id);
  plan.make(false);
  plan.commit(access);
  access->release();
  handed_memory out;
  out.users = users_of(memory);
  out.object = root.give_up(memory.id, released);
  if (out.object == nullptr) return std::nullopt;
  out.object.get_deleter().pool->budget().note_change();
  return out;
}

/// Memory of another buffer for the allocation, if that needed longest ago serves it.
std::optional<handed_memory> take_over(const room_request& wanted) {
  device_state& device = *wanted.device;
  device.pool().budget().mark_tight();
  try {
    for (const candidate& each : candidates_of(device, {wanted.own.data(), wanted.own.size()})) {
      if (!memory::memory_pool::serves(each.object_bytes, wanted.bytes)) return std::nullopt;
      if (auto taken = take_while_used(each, device, wanted.user)) return taken;
    }
  } catch (const devices::device_error&) { // make_room finds it again and reports it
  }
  return std::nullopt;
}

/// Waits until the commands that use one of the candidates are complete.
void wait_for_users(device_state& device, const room_request& wanted,
                    const std::vector<candidate>& candidates, std::uint64_t movable) {
  std::string in_use;
  for (const candidate& each : candidates) {
    std::vector<command_ref> users;
    {
      const std::lock_guard lock(each.root->mutex);
      users = users_of(each);
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

/// Whether memory that belonged to a buffer now belongs to no live buffer: a thread is passing it to another
/// buffer, or a destructor is returning it to the pool.
bool some_is_on_its_way(device_state& device) {
  std::uint64_t in_buffers = 0;
  for (const root_ref& root : buffers_on(device)) {
    const std::lock_guard lock(root->mutex);
    in_buffers += root->allocations.bytes_on(device.raw());
  }
  return in_buffers < device.pool().budget().of_buffers();
}

/// Whether other threads have charged, passed on or returned memory since `before`. If so, this thread may
/// have seen states that did not exist at the same time. Waits for memory that another thread is moving; that
/// thread waits at most for running commands. The limit is for the case that one of these commands waits for
/// this thread.
bool has_changed(device_state& device, std::uint64_t before) {
  constexpr int longest = 10'000;
  const memory::memory_budget& budget = device.pool().budget();
  for (int ms = 0; budget.changes() == before; ++ms) {
    if (ms == longest || !some_is_on_its_way(device)) return budget.changes() != before;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// Returns when an attempt to allocate may succeed. `tries_left`: attempts after which the budget has room
/// that it did not have, made by other threads.
void make_room(const room_request& wanted, int& tries_left) {
  device_state& device = *wanted.device;
  memory::memory_budget& budget = device.pool().budget();
  const std::uint64_t before = budget.changes();
  const support::trace::scope traced("wait", "make room in the memory of ", device.label());
  budget.mark_tight();
  const std::vector<candidate> candidates = candidates_of(device, {wanted.own.data(), wanted.own.size()});
  std::uint64_t movable = 0;
  for (const candidate& each : candidates) movable += each.bytes();
  const std::uint64_t available = budget.available();
  // If the driver failed although the budget has room, it needs at least that much more.
  const std::uint64_t missing = wanted.bytes > available ? wanted.bytes - available : wanted.bytes;
  const bool never_fits =
      budget.limit() != ~std::uint64_t{0} && movable < missing && wanted.bytes > available;
  const std::uint64_t largest = device.info().max_allocation;
  if (wanted.bytes > budget.limit() || (largest != 0 && wanted.bytes > largest))
    refuse(device, wanted, movable, "");
  if (candidates.empty() || never_fits) {
    const bool is_of_the_budget = wanted.failed.driver_code().empty();
    if (is_of_the_budget && wanted.bytes <= available && tries_left-- > 0) return;
    if (has_changed(device, before)) return;
    refuse(device, wanted, movable, "");
  }
  if (!evict(candidates, missing, wanted.user)) wait_for_users(device, wanted, candidates, movable);
}

} // namespace

void make_in_room(buffer_plan& plan, bool runs_copies) {
  int tries_left = 100;
  while (true) {
    std::optional<room_request> wanted;
    try {
      return plan.make(runs_copies);
    } catch (const devices::device_error& failed) {
      if (failed.category() != devices::error_category::out_of_memory) throw;
      wanted.emplace(plan.unlock_for_room(failed));
    }
    if (auto taken = take_over(*wanted)) plan.offer(std::move(*taken));
    else make_room(*wanted, tries_left);
    plan.lock_again();
  }
}

bool evict_unused(device_state& device, std::uint64_t bytes) {
  memory::memory_budget& budget = device.pool().budget();
  budget.mark_tight();
  const std::uint64_t available = budget.available();
  return evict(candidates_of(device, {}), bytes > available ? bytes - available : bytes, nullptr);
}

} // namespace prism::runtime
