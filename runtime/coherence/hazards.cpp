#include "runtime/coherence/hazards.hpp"

#include <algorithm>

namespace prism::runtime {

namespace {

/// Removes the matching uses and preserves the order of the others. Allocates only if something is removed.
template <typename Uses, typename Finished>
void release_if(Uses& list, Finished&& finished, released_list& released) {
  auto remaining = list.begin();
  for (auto& u : list) {
    if (finished(u)) released.push_back(std::move(u.user));
    else if (auto& slot = *remaining++; &slot != &u) slot = std::move(u);
  }
  list.erase(remaining, list.end());
}

bool known_failed(const completable& of) {
  return of.known_finished() && of.result() != completable::outcome::valid;
}

} // namespace

void hazards::collect(memory::interval bytes, bool reads, bool writes, memory::memory_set touched,
                      hazard_list& out) {
  for (former_use& u : m_former)
    if (touched.has(u.memory) && !u.user->finished()) {
      out.push_back({u.user, false});
      u.is_awaited = true;
    }
  for (const use& u : m_ordering) {
    if (!u.bytes.overlaps(bytes)) continue;
    const bool arrives = !(u.pending_copies & touched).empty();
    if (!writes && !u.writes && !arrives) continue;
    const bool uses_data = reads && (u.writes || arrives);
    if (u.user->finished() && !(uses_data && u.writes && u.user->result() == completable::outcome::failed))
      continue;
    out.push_back({u.user, uses_data});
  }
  if (!writes) return;
  for (const use& u : m_readers)
    if (u.bytes.overlaps(bytes) && !u.user->finished()) out.push_back({u.user, false});
}

void hazards::add(memory::interval bytes, bool writes, memory::memory_set pending_copies,
                  completable_ref user) {
  released_list released; // destroyed last
  if (writes) { // the new writer waits for all of these, so later commands only need to wait for the writer
    forget_covered(m_ordering, bytes, user, released);
    forget_covered(m_readers, bytes, user, released);
    shrink_failed(bytes);
  }
  if (size() >= m_prune_at) {
    forget_known_finished(m_ordering, released);
    forget_known_finished(m_readers, released);
    m_prune_at = std::max<std::size_t>(16, size() * 2);
  }
  uses& list = writes || !pending_copies.empty() ? m_ordering : m_readers;
  list.push_back({bytes, writes, pending_copies, std::move(user)});
}

void hazards::add_former(memory::memory_id memory, completable_ref user) {
  m_former.push_back({memory, std::move(user)});
}

void hazards::forget_former(memory::memory_id memory) {
  std::erase_if(m_former, [&](const former_use& u) { return u.memory == memory; });
}

void hazards::former_users(std::vector<completable_ref>& out) const {
  for (const former_use& u : m_former)
    if (!u.is_awaited && !u.user->finished()) out.push_back(u.user);
}

/// A failed writer's bytes are valid again where a later command writes them. Bytes in the middle of them
/// stay with it.
void hazards::shrink_failed(memory::interval written) {
  for (use& u : m_ordering) {
    if (!u.writes || !u.bytes.overlaps(written) || !known_failed(*u.user)) continue;
    if (written.begin <= u.bytes.begin) u.bytes.begin = std::min(written.end, u.bytes.end);
    else if (written.end >= u.bytes.end) u.bytes.end = written.begin;
  }
}

completable_ref hazards::failed_writer(memory::interval bytes) const {
  for (const use& u : m_ordering)
    if (u.writes && u.bytes.overlaps(bytes) && u.user->finished() &&
        u.user->result() != completable::outcome::valid)
      return u.user;
  return nullptr;
}

void hazards::users(memory::interval bytes, std::vector<completable_ref>& out) const {
  for (const uses* list : {&m_ordering, &m_readers})
    for (const use& u : *list)
      if (u.bytes.overlaps(bytes) && !u.user->finished()) out.push_back(u.user);
  former_users(out);
}

void hazards::forget_covered(uses& list, memory::interval bytes, const completable_ref& but,
                             released_list& released) {
  release_if(list, [&](const use& u) { return bytes.covers(u.bytes) && u.user != but; }, released);
}

void hazards::forget_known_finished(uses& list, released_list& released) {
  release_if(list, [](const use& u) {
    return u.user->known_finished() && !(u.writes && known_failed(*u.user));
  }, released);
}

} // namespace prism::runtime
