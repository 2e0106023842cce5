#include "runtime/coherence/buffer_plan.hpp"

#include "runtime/device/device_list.hpp"
#include "runtime/execution/device_queue_set.hpp"
#include "runtime/memory/box_copy.hpp"
#include "runtime/observe/observer.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace prism::runtime {

namespace {

/// The name of a copy of a buffer's bytes in a trace. Of an eviction it names the command that needs the
/// room.
std::string label_of_copy(std::uint64_t bytes, memory::copy_reason why, std::string_view user) {
  std::string text = "copy " + std::to_string(bytes) + " B of a buffer: " + memory::reason_text(why);
  if (why == memory::copy_reason::evicted && !user.empty()) text.append(" for ").append(user);
  return text;
}

} // namespace

handed_memory::~handed_memory() {
  if (object == nullptr) return;
  for (const command_ref& each : users) each->wait_unreported();
}

buffer_use use_of(buffer_node& buffer, const box& region, bool reads, bool writes) {
  buffer_use use;
  use.buffer = &view_of(buffer);
  use.where = use.buffer->checked(region);
  use.reads = reads;
  use.writes = writes;
  return use;
}

buffer_plan::buffer_plan(device_state* device, use_list& uses, const scheduled_command* user)
    : m_device(device), m_user(user), m_uses(uses) {
  for (const buffer_use& u : uses) {
    const root_ref& root = u.buffer->root();
    if (std::none_of(m_roots.begin(), m_roots.end(), [&](const per_root& r) { return r.root == root; }))
      m_roots.emplace_back().root = root;
  }
  std::sort(m_roots.begin(), m_roots.end(),
            [](const per_root& a, const per_root& b) { return std::less<>()(a.root.get(), b.root.get()); });
  lock();
}

void buffer_plan::lock() {
  for (per_root& r : m_roots) r.lock = std::unique_lock(r.root->mutex);
  for (per_root& r : m_roots)
    if (!r.root->pending_copies.empty()) r.root->resolve_copies(m_released);
  for (buffer_use& u : m_uses) {
    if (u.stated && !u.on_host && !u.where.empty() && needs_window(*u.buffer->root())) u.where = *u.stated;
    u.claim = claim_of(u);
  }
}

memory::interval buffer_plan::claim_of(const buffer_use& use) const {
  // If a buffer's contents are split into too many regions, only a command that claims the whole buffer can
  // merge them.
  constexpr std::size_t most_regions = 4 * memory::max_regions;
  if (!use.on_host && !use.where.empty() && needs_window(*use.buffer->root()))
    return use.buffer->claim(use.where); // what is not in the window must stay out of the plan
  if (!use.claims_region || use.where.empty() || use.buffer->root()->contents.regions.size() > most_regions)
    return use.buffer->claim();
  return use.buffer->claim(use.where);
}

buffer_plan::per_root& buffer_plan::of(const buffer_view& view) {
  return *std::find_if(m_roots.begin(), m_roots.end(),
                       [&](const per_root& r) { return r.root == view.root(); });
}

std::exception_ptr buffer_plan::failure_of_bytes(const buffer_use& use) {
  const completable_ref failed = use.buffer->root()->users.failed_writer(use.buffer->claim(use.where));
  return failed != nullptr ? std::static_pointer_cast<scheduled_command>(failed)->failure() : nullptr;
}

bool buffer_plan::current_on_host_only(const buffer_use& use) {
  buffer_state& root = *use.buffer->root();
  const auto host = root.allocations.existing_host_view();
  const auto device = root.allocations.existing_device_view(m_device->raw());
  if (!host || host == device) return false;
  bool on_device = device.has_value(), on_host = true;
  for (const memory::byte_box& b : use.buffer->in_root(use.where).boxes) {
    if (memory::unwritten(root.contents, b)) return false;
    on_device = on_device && memory::holds(root.contents, *device, b);
    on_host = on_host && memory::holds(root.contents, *host, b);
  }
  return on_host && !on_device;
}

void buffer_plan::make(bool runs_copies) {
  m_runs_copies = runs_copies;
  for (per_root& r : m_roots) plan_root(r);
}

room_request buffer_plan::unlock_for_room(const devices::device_error& failed) {
  room_request out{m_device, {}, std::exchange(m_asked, 0), m_user, failed};
  if (out.bytes == 0) throw failed;
  for (per_root& r : m_roots) {
    r.lock.unlock();
    out.own.push_back({r.root.get(), bytes_used(*r.root)});
  }
  m_offered.clear(); // those that it had no use for
  return out;
}

void buffer_plan::lock_again() {
  lock();
  m_own_copies.clear();
  for (per_root& r : m_roots) {
    r.own.clear();
    r.own_pending_copies = {};
    r.peer_copies.clear();
  }
}

bool is_too_large(device_state& device, std::uint64_t bytes) {
  const std::uint64_t largest = device.info().max_allocation;
  return bytes > device.pool().budget().limit() || (largest != 0 && bytes > largest);
}

bool holds_ranges_only(device_state& device, const buffer_state& root) {
  return is_too_large(device, root.allocations.bytes()) &&
         !root.allocations.existing_device_view(device.raw()); // a device may use host memory in place
}

/// From the first to the last byte of the buffer that the command uses on its device.
memory::interval buffer_plan::bytes_used(const buffer_state& root) const {
  memory::interval out;
  for (const buffer_use& u : m_uses) {
    if (u.buffer->root().get() != &root || u.on_host || u.where.empty()) continue;
    const memory::interval one = u.buffer->claim(u.where);
    if (out.begin == out.end) out = one;
    out = {std::min(out.begin, one.begin), std::max(out.end, one.end)};
  }
  return out;
}

memory::memory_pool::pooled* buffer_plan::offered_for(std::uint64_t bytes) {
  for (handed_memory& each : m_offered)
    if (each.object != nullptr && memory::memory_pool::serves(each.object->size(), bytes))
      return &each.object;
  return nullptr;
}

/// Records the commands that still use memory which the buffer has just been given: its own wait for them.
void buffer_plan::accept_offered(buffer_state& root, memory::memory_id at) {
  for (handed_memory& each : m_offered) {
    if (each.object != nullptr) continue;
    for (command_ref& user : each.users) root.users.add_former(at, std::move(user));
    each.users.clear();
    m_device->pool().budget().note_change();
  }
}

void buffer_plan::choose_memory(buffer_state& root, buffer_use& use) {
  if (use.on_host) {
    use.at = root.allocations.host_view();
    return;
  }
  if (needs_window(root) && root.allocations.can_adopt(m_device->raw())) {
    root.allocations.host_view(); // for the device to use in place
  } else if (needs_window(root)) {
    const memory::interval bytes = bytes_used(root);
    m_asked = std::max<std::uint64_t>(bytes.end - bytes.begin, 1);
    m_device->pool().budget().add(root.weak_from_this());
    use.at = root.allocations.device_window(m_device->pool(), bytes, offered_for(m_asked));
    accept_offered(root, use.at);
    m_asked = 0;
    if (use.why == memory::copy_reason::written_elsewhere) use.why = memory::copy_reason::window;
    return;
  }
  const auto before = root.allocations.existing_device_view(m_device->raw());
  m_asked = root.allocations.bytes();
  if (root.allocations.may_allocate(m_device->raw(), use.needs_address))
    m_device->pool().budget().add(root.weak_from_this());
  use.at = root.allocations.device_view(m_device->pool(), use.needs_address, offered_for(m_asked));
  accept_offered(root, use.at);
  m_asked = 0;
  if (before && *before != use.at) use.why = memory::copy_reason::needs_address;
  else if (root.evicted.has(use.at) && use.why == memory::copy_reason::written_elsewhere)
    use.why = memory::copy_reason::after_eviction;
}

void buffer_plan::plan_root(per_root& r) {
  buffer_state& root = *r.root;
  const bool some_are_lost = device_state::any_is_lost.load(std::memory_order_acquire);
  if (some_are_lost) root.avoid_lost_devices();
  // A use that needs an address may move the device's allocation: the second iteration gives the new one to
  // all other uses.
  for (int iteration = 0; iteration < 2; ++iteration)
    for (buffer_use& u : m_uses)
      if (u.buffer->root() == r.root) choose_memory(root, u);
  small_vector<memory::access, 2> accesses;
  memory::byte_box claim{};
  for (const buffer_use& u : m_uses) {
    if (u.buffer->root() != r.root) continue;
    const buffer_view::parts parts = u.buffer->in_root(u.where);
    // If a write is rounded up to a larger box, the additional bytes must be current there, so it counts as a
    // read too.
    const bool reads = u.reads || (u.writes && !parts.exact);
    for (const memory::byte_box& b : parts.boxes) accesses.push_back({u.at, b, reads, u.writes, u.why});
    const auto all = memory::boxes_of(root.geometry(), u.claim);
    if (all.size() == 1) claim = all.front();
  }
  r.planned = memory::plan_accesses(root.contents, {accesses.data(), accesses.size()},
                                    root.allocations.reach(), claim);
  if (some_are_lost) root.refuse_lost_bytes(r.planned.copies);
  assign_copies(r);
}

namespace {

/// The copy as a queue of the device executes it; nothing if that device cannot access both memories.
std::optional<devices::copy_command> copy_on(const devices::device& device, const buffer_state& root,
                                             const memory::planned_copy& p) {
  const memory::buffer_memory& allocations = root.allocations;
  const memory::shape& shape = root.geometry();
  devices::copy_command c = memory::box_copy(shape, p.where, shape, p.where);
  const auto resolve = [&](memory::memory_id id, devices::location& l) {
    l.offset -= allocations.room_of(id).begin; // of a window
    l.object = allocations.object(id, device);
    if (l.object == nullptr) l.host = allocations.host_pointer(id);
    return l.object != nullptr || l.host != nullptr;
  };
  const bool both = resolve(p.from, c.from) && resolve(p.to, c.to);
  if (!both || (c.from.object == nullptr && c.to.object == nullptr)) return std::nullopt;
  return c;
}

/// The parts in which bytes pass through the host, so that one part is written while the next is read.
std::vector<memory::byte_box> parts_through_host(const memory::byte_box& where) {
  constexpr std::uint64_t least_bytes = 4 << 20, most_parts = 16;
  return memory::pieces_of(where, std::max(least_bytes, where.bytes() / most_parts));
}

} // namespace

void buffer_plan::assign_copies(per_root& r) {
  const std::vector<memory::planned_copy>& all = r.planned.copies;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const memory::planned_copy& p = all[i];
    if (p.why == memory::copy_reason::via_host && i + 1 < all.size() && all[i + 1].from == p.to &&
        all[i + 1].where == p.where) {
      assign_in_pieces(r, p, all[++i]);
      continue;
    }
    assign_copy(r, p);
  }
}

/// Gives the copy to the command itself, or to a device that has one of the memories.
void buffer_plan::assign_copy(per_root& r, const memory::planned_copy& p) {
  const std::optional<devices::copy_command> own =
      m_runs_copies ? copy_on(m_device->raw(), *r.root, p) : std::nullopt;
  if (!own) return assign_peer_copy(r, p);
  m_own_copies.push_back(*own);
  r.own_pending_copies.add(p.to);
  r.own.push_back({p.where, p.to});
}

void buffer_plan::assign_peer_copy(per_root& r, const memory::planned_copy& p) {
  memory::buffer_memory& allocations = r.root->allocations;
  device_state* executor = nullptr;
  std::optional<devices::copy_command> c;
  r.root->devices.for_each([&](device_state& d) {
    if (&d.raw() != allocations.owner(p.to) && &d.raw() != allocations.owner(p.from)) return;
    if (auto possible = copy_on(d.raw(), *r.root, p)) executor = &d, c = possible;
  });
  assert(executor != nullptr); // the coherence map plans only copies that one device can execute
  try {
    executor->device_queues().transfer(); // created now, while a failure changes nothing
  } catch (const devices::device_error& failed) {
    executor->record_error(failed);
    if (executor->is_lost()) r.root->refuse_lost_bytes(r.planned.copies);
    throw;
  }
  const std::size_t number = r.peer_copies.size(), before = number == 0 ? 0 : number - 1;
  r.peer_copies.push_back({executor, *c, p.to, p.where, p.why, before, number});
}

/// Two copies that bring bytes from a device to another through the host. Large ones overlap: while a part is
/// written to the second device, the next one is read from the first.
void buffer_plan::assign_in_pieces(per_root& r, const memory::planned_copy& read,
                                   const memory::planned_copy& write) {
  const std::vector<memory::byte_box> parts = parts_through_host(read.where);
  if (parts.size() < 2) {
    assign_copy(r, read);
    assign_copy(r, write);
    return;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    assign_peer_copy(r, {parts[i], read.from, read.to, read.why});
    assign_peer_copy(r, {parts[i], write.from, write.to, write.why});
    if (i == 0) continue; // the first one is written after it was read, and read after earlier copies
    peer_copy &reading = r.peer_copies[r.peer_copies.size() - 2], &writing = r.peer_copies.back();
    reading.after = r.peer_copies.size() - 4;
    writing.also_after = r.peer_copies.size() - 3;
  }
}

void buffer_plan::record(per_root& r, const scheduled_command& user) const {
  for (const memory::planned_copy& p : r.planned.copies) {
    if (r.root->history.size() < buffer_state::most_history)
      r.root->history.push_back({p.where.bytes(), p.from, p.to, p.why});
    if (observe::wants(observe::transfers))
      observe::copied({p.where.bytes(), r.root->memory_name(p.from), r.root->memory_name(p.to),
                       memory::reason_text(p.why), user.label(), user.line(), user.queue_identity()});
  }
}

void buffer_plan::commit(const command_ref& c) {
  std::vector<command_ref> submitted;
  small_vector<device_queue_ref, 4> device_queues; // of the submitted copies
  for (per_root& r : m_roots) {
    buffer_state& root = *r.root;
    hazard_list found;
    for (const buffer_use& u : m_uses)
      if (u.buffer->root() == r.root)
        root.users.collect(u.claim, u.reads && !u.accepts_failed, u.writes || u.leaves, r.planned.touched,
                           found);
    const auto command_of = [](const hazard& h) { return std::static_pointer_cast<scheduled_command>(h.on); };
    const std::size_t begin = submitted.size();
    for (const peer_copy& f : r.peer_copies) {
      device_queue_ref where = f.on->device_queues().transfer();
      auto copy = make_command(where, device_work{{f.what}});
      for (const hazard& h : found)
        if (!command_of(h)->is_host_access() || !c->is_host_access()) copy->depend_on(command_of(h), h.data);
      for (const std::size_t earlier : {f.after, f.also_after})
        if (begin + earlier < submitted.size()) copy->depend_on(submitted[begin + earlier], true);
      command_origin from = c->origin();
      from.what = command_origin::kind::copy;
      from.count = f.what.row_bytes * f.what.rows * f.what.slices;
      copy->set_origin(from);
      if (observe::wants(observe::spans)) {
        copy->set_label(label_of_copy(from.count, f.why, c->label()), std::string(c->line()));
        copy->follow_with(observe::submitting({.device = *f.on}));
      }
      copy->retain(r.root);
      for (const buffer_use& u : m_uses)
        if (u.buffer->root() == r.root)
          root.users.add(u.claim, u.leaves && &f == &r.peer_copies.back(), memory::memory_set(f.to), copy);
      c->depend_on(copy, true);
      root.pending_copies.push_back({copy, f.where, f.to});
      submitted.push_back(std::move(copy));
      device_queues.push_back(std::move(where));
    }
    for (const hazard& h : found)
      // The host program orders its own accesses. Two accessors on one thread must not wait for each other.
      if (!command_of(h)->is_host_access() || !c->is_host_access()) c->depend_on(command_of(h), h.data);
    for (const buffer_use& u : m_uses) {
      if (u.buffer->root() != r.root) continue;
      root.users.add(u.claim, u.writes, r.own_pending_copies, c);
      root.written |= u.writes;
      root.evicted.remove(u.at);
    }
    for (const own_copy& own : r.own) root.pending_copies.push_back({c, own.where, own.to});
    for (const buffer_use& u : m_uses)
      if (u.buffer->root() == r.root && u.writes && !root.pending_copies.empty())
        for (const memory::byte_box& b : u.buffer->in_root(u.where).boxes) root.record_write(u.at, b);
    c->retain(r.root);
    record(r, *c);
    root.contents = std::move(r.planned.after);
    if (m_device != nullptr && m_device->pool().budget().is_tight())
      for (const buffer_use& u : m_uses)
        if (u.buffer->root() == r.root) root.allocations.mark_needed(u.at, m_device->pool().budget().tick());
  }
  for (std::size_t i = 0; i < submitted.size(); ++i)
    device_queues[i]->enqueue(submitted[i], {.is_copy = true});
}

devices::memory* buffer_plan::object(const buffer_use& use) const {
  return use.buffer->root()->allocations.object(use.at, m_device->raw());
}

std::uint64_t buffer_plan::offset_of(const buffer_use& use) const {
  return use.buffer->offset() - use.buffer->root()->allocations.room_of(use.at).begin;
}

void* buffer_plan::host_pointer(const buffer_use& use) const {
  return use.buffer->root()->allocations.host_pointer(use.at);
}

} // namespace prism::runtime
