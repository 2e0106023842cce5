#include "runtime/schedule/access_check.hpp"

#include "runtime/schedule/buffer.hpp"
#include "runtime/schedule/kernel_launch.hpp"
#include "runtime/support/environment.hpp"
#include "runtime/support/log.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace prism::schedule {

namespace {

constexpr std::size_t most_nodes = 2048; // of a program that never waits

thread_local bool is_quiet = false;

void add_usm(access_check::uses& out, const void* pointer, std::uint64_t bytes, bool writes, bool open) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const memory::usm_block block = context::get().usm().find(address);
  if (block.base == 0) return;
  out.usm.push_back({block.base, address, open ? block.base + block.bytes : address + bytes, writes, open});
}

void add_buffer(access_check::uses& out, const buffer_ptr& buffer, bool writes) {
  if (buffer == nullptr) return;
  const buffer_span span = span_of(*buffer);
  out.buffers.push_back({span.root, span.begin, span.end, writes});
}

void add_kernel(access_check::uses& out, const kernel_command& kernel) {
  const image::kernel_record* const record = kernel.slot != nullptr ? kernel.slot->record : nullptr;
  for (std::uint32_t i = 0; record != nullptr && i < record->slot_count; ++i) {
    const image::pointer_slot& slot = record->slots[i];
    if ((slot.flags & image::slot_is_address) == 0 || slot.offset + sizeof(std::uint64_t) > kernel.captured.size()) continue;
    std::uint64_t word;
    std::memcpy(&word, kernel.captured.data() + slot.offset, sizeof word);
    if (!is_token(word)) add_usm(out, reinterpret_cast<const void*>(word), 0, (slot.flags & image::slot_is_written) != 0, true);
  }
}

bool overlap(const access_check::usm_use& a, const access_check::usm_use& b) {
  if (a.base != b.base) return false;
  if (a.open && b.open) return a.begin == b.begin;
  if (a.open) return b.begin <= a.begin && a.begin < b.end; // at least its first byte is used
  if (b.open) return a.begin <= b.begin && b.begin < a.end;
  return a.begin < b.end && b.begin < a.end;
}

} // namespace

access_check* access_check::active() {
  static access_check* const instance = [] () -> access_check* {
    const std::string asked = support::value_of(support::variables::check);
    if (asked.empty()) return nullptr;
    if (asked == "access") return new access_check;
    support::log(support::level::error, "PRISM_CHECK=" + asked + ": there is no such check; expected access");
    return nullptr;
  }();
  return instance;
}

access_check::quiet::quiet() : m_before(std::exchange(is_quiet, true)) {}
access_check::quiet::~quiet() { is_quiet = m_before; }
bool access_check::quiet::here() { return is_quiet; }

void access_check::look(const command_group& group, uses& out) {
  for (const requirement& r : group.requirements) add_buffer(out, r.buffer, r.mode != access_mode::read);
  if (const auto* kernel = std::get_if<kernel_command>(&group.what)) add_kernel(out, *kernel);
  const auto bytes_of = [](std::uint64_t rows, std::uint64_t pitch, std::uint64_t bytes) { return rows == 0 ? 0 : (rows - 1) * pitch + bytes; };
  if (const auto* copy = std::get_if<copy_request>(&group.what)) {
    add_buffer(out, copy->from.buffer, false);
    add_buffer(out, copy->to.buffer, true);
    if (copy->from.buffer == nullptr) add_usm(out, copy->from.pointer, bytes_of(copy->rows, copy->from_pitch, copy->bytes), false, false);
    if (copy->to.buffer == nullptr) add_usm(out, copy->to.pointer, bytes_of(copy->rows, copy->to_pitch, copy->bytes), true, false);
  }
  if (const auto* fill = std::get_if<fill_request>(&group.what)) {
    add_buffer(out, fill->to.buffer, true);
    if (fill->to.buffer == nullptr) add_usm(out, fill->to.pointer, bytes_of(fill->rows, fill->pitch, fill->bytes), true, false);
  }
  if (const auto* update = std::get_if<update_host_request>(&group.what)) add_buffer(out, update->buffer, false);
}

void access_check::add_order(node& fresh, const node& earlier) const {
  fresh.before.insert(fresh.before.end(), earlier.before.begin(), earlier.before.end());
  fresh.before.push_back(earlier.number);
}

void access_check::report(const std::string& text) {
  if (std::find(m_reported.begin(), m_reported.end(), text) != m_reported.end()) return;
  m_reported.push_back(text);
  support::log(support::level::error, "PRISM_CHECK=access: " + text);
}

void access_check::compare(const node& fresh, const node& earlier) {
  for (const usm_use& now : fresh.used.usm)
    for (const usm_use& then : earlier.used.usm) {
      if ((!now.writes && !then.writes) || !overlap(now, then)) continue;
      report(fresh.used.name + (now.writes ? " writes" : " reads") + " USM that " + earlier.used.name + (then.writes ? " writes" : " reads") +
             ", and nothing says which comes first: let it depend on the event, use an in-order queue, or wait in between");
      return;
    }
}

void access_check::submitted(const command_ref& c, const place& where, const std::vector<command_ptr>& after, uses what) {
  node fresh{c, 0, where, std::move(what), {}};
  const std::lock_guard lock(m_mutex);
  fresh.number = ++m_next;
  const node* last = nullptr;
  for (const node& n : m_nodes) {
    const bool named = std::any_of(after.begin(), after.end(), [&](const command_ptr& a) { return a == n.what; });
    const bool by_queue = n.where.queue == where.queue && (where.barrier || n.where.holds_later);
    const bool by_data = std::any_of(fresh.used.buffers.begin(), fresh.used.buffers.end(), [&](const buffer_use& now) {
      return std::any_of(n.used.buffers.begin(), n.used.buffers.end(), [&](const buffer_use& then) {
        return now.root == then.root && now.begin < then.end && then.begin < now.end && (now.writes || then.writes);
      });
    });
    if (named || by_queue || by_data) add_order(fresh, n);
    if (where.in_order && n.where.queue == where.queue) last = &n;
  }
  if (last != nullptr) add_order(fresh, *last);
  std::sort(fresh.before.begin(), fresh.before.end());
  fresh.before.erase(std::unique(fresh.before.begin(), fresh.before.end()), fresh.before.end());
  for (const node& n : m_nodes)
    if (!std::binary_search(fresh.before.begin(), fresh.before.end(), n.number)) compare(fresh, n);
  if (m_nodes.size() >= most_nodes) m_nodes.erase(m_nodes.begin(), m_nodes.begin() + most_nodes / 4);
  m_nodes.push_back(std::move(fresh));
}

/// Those nodes and all before them are over.
template <typename Which>
void access_check::forget(Which which) {
  std::vector<node> gone; // destroyed without the lock
  const std::lock_guard lock(m_mutex);
  std::vector<std::uint64_t> over;
  for (const node& n : m_nodes)
    if (which(n)) {
      over.push_back(n.number);
      over.insert(over.end(), n.before.begin(), n.before.end());
    }
  std::sort(over.begin(), over.end());
  const auto rest = std::stable_partition(m_nodes.begin(), m_nodes.end(), [&](const node& n) {
    return !std::binary_search(over.begin(), over.end(), n.number);
  });
  gone.assign(std::make_move_iterator(rest), std::make_move_iterator(m_nodes.end()));
  m_nodes.erase(rest, m_nodes.end());
}

void access_check::waited(const command& c) {
  forget([&](const node& n) { return n.what.get() == &c; });
}
void access_check::waited(const lane& all) {
  forget([&](const node& n) { return n.where.queue == &all; });
}
void access_check::waited_for_buffer(const void* root, std::uint64_t begin, std::uint64_t end) {
  forget([&](const node& n) {
    return std::any_of(n.used.buffers.begin(), n.used.buffers.end(),
                       [&](const buffer_use& u) { return u.root == root && u.begin < end && begin < u.end; });
  });
}

void access_check::freed(std::uint64_t base, std::uint64_t bytes) {
  const std::lock_guard lock(m_mutex);
  for (const node& n : m_nodes)
    if (std::any_of(n.used.usm.begin(), n.used.usm.end(), [&](const usm_use& u) { return u.base == base; })) {
      report("a USM allocation of " + std::to_string(bytes) + " bytes is freed while " + n.used.name +
             " may still use it: wait for the command first");
      return;
    }
}

std::size_t access_check::reports() const {
  const std::lock_guard lock(m_mutex);
  return m_reported.size();
}

} // namespace prism::schedule
