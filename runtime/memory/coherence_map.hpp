// The coherence map of a buffer: for each region, the memories that hold its current bytes. Planning is a
// pure function: its input is a coherence map and a command's accesses, its output the necessary copies, with
// reasons, and the new map. It knows nothing about devices. Random tests check it against a model that tracks
// each byte.
//
// Guarantees: a plan copies each byte at most once to each memory, and only bytes that the access reads, that
// are not current there and that were written before. Regions are disjoint and cover the buffer. Adjacent
// regions with the same memories are merged. If a map has more than `max_regions` regions, it is simplified
// by completing the accessed claim in one memory.
#pragma once

#include "runtime/memory/geometry.hpp"

#include <span>
#include <vector>

namespace prism::memory {

enum class memory_id : std::uint8_t {};
inline constexpr unsigned max_memories = 64;
inline constexpr std::size_t max_regions = 64;

class memory_set {
public:
  constexpr memory_set() = default;
  constexpr explicit memory_set(memory_id id) : m_bits(bit(id)) {}
  constexpr bool has(memory_id id) const { return (m_bits & bit(id)) != 0; }
  constexpr bool empty() const { return m_bits == 0; }
  constexpr void add(memory_id id) { m_bits |= bit(id); }
  constexpr void remove(memory_id id) { m_bits &= ~bit(id); }
  constexpr memory_set operator&(memory_set o) const { return memory_set(m_bits & o.m_bits); }
  constexpr memory_set operator|(memory_set o) const { return memory_set(m_bits | o.m_bits); }
  constexpr memory_id first() const { return memory_id(__builtin_ctzll(m_bits)); }
  friend constexpr bool operator==(memory_set, memory_set) = default;

private:
  constexpr explicit memory_set(std::uint64_t bits) : m_bits(bits) {}
  static constexpr std::uint64_t bit(memory_id id) { return 1ull << static_cast<unsigned>(id); }
  std::uint64_t m_bits = 0;
};

enum class copy_reason {
  first_use,
  written_elsewhere,
  host_read,
  write_back,
  prefetch,
  via_host,
  needs_address,
  simplify,
  evicted,
  after_eviction,
  window
};
const char* reason_text(copy_reason why); // "first use on device", ...

struct region {
  byte_box where;
  memory_set valid; // memories with the current bytes; empty: never written
  friend bool operator==(const region&, const region&) = default;
};

using region_list = small_vector<region, 1>;

struct coherence_map {
  shape geometry;
  region_list regions;
  memory_set seen; // memories that ever held any bytes
};

coherence_map make_coherence_map(const shape& geometry, memory_set initial);

struct access {
  memory_id at;
  byte_box where;
  bool reads = false, writes = false;
  copy_reason why = copy_reason::written_elsewhere; // reason of copies to a memory that has held bytes before
};

struct planned_copy {
  byte_box where;
  memory_id from, to;
  copy_reason why;
};

/// The memories that the host can access. A copy between two others goes through `stage`.
struct topology {
  memory_set host_reachable;
  memory_id stage{};
};

struct plan {
  std::vector<planned_copy> copies; // in order
  coherence_map after;
  memory_set touched; // memories used by the accesses and the copies
};

/// All accesses read before they write. `claim`: the bytes that hazards protect, in which the map may be
/// simplified.
plan plan_accesses(const coherence_map& now, std::span<const access> accesses, const topology& memories,
                   const byte_box& claim);

/// To be called when a copy of `where` to `at` failed: `at` no longer counts as current, except for bytes
/// written there since, and bytes that no other memory has.
void forget(coherence_map& now, memory_id at, const byte_box& where,
            std::span<const byte_box> written_since = {});
/// Whether all bytes in `where` that were ever written are current in `at`.
bool holds(const coherence_map& now, memory_id at, const byte_box& where);
/// Whether no byte of `where` was ever written.
bool unwritten(const coherence_map& now, const byte_box& where);
/// Whether every byte has been written.
bool defined(const coherence_map& now);

} // namespace prism::memory
