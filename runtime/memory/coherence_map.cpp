#include "runtime/memory/coherence_map.hpp"

#include <algorithm>
#include <cassert>

namespace prism::memory {

namespace {

/// Splits regions so that each lies either inside or outside of `box`.
void split_at(region_list& regions, const byte_box& box) {
  const std::size_t count = regions.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto inside = intersect(regions[i].where, box);
    if (!inside || *inside == regions[i].where) continue;
    box_list rest;
    subtract(regions[i].where, *inside, rest);
    const memory_set valid = regions[i].valid;
    regions[i].where = *inside;
    for (const byte_box& r : rest) regions.push_back({r, valid});
  }
}

bool inside(const byte_box& a, const byte_box& b) {
  for (int d = 0; d < 3; ++d)
    if (a.lo[d] < b.lo[d] || a.hi[d] > b.hi[d]) return false;
  return true;
}

void merge_neighbours(region_list& regions) {
  for (std::size_t i = 0; i < regions.size(); ++i)
    for (std::size_t j = i + 1; j < regions.size(); ++j) {
      if (regions[i].valid != regions[j].valid) continue;
      const auto both = join(regions[i].where, regions[j].where);
      if (!both) continue;
      regions[i].where = *both;
      regions[j] = regions.back();
      regions.pop_back();
      i = static_cast<std::size_t>(-1); // restart, because the merged box may be adjacent to any other
      break;
    }
}

memory_id choose_source(memory_set valid, memory_id to, const topology& memories) {
  if (valid.has(memories.stage)) return memories.stage;
  const memory_set reachable = valid & memories.host_reachable;
  if (!reachable.empty() && !memories.host_reachable.has(to)) return reachable.first();
  return valid.first();
}

/// Makes the bytes of region `part` current in `to`.
void bring(plan& p, region& part, memory_id to, copy_reason why, const topology& memories) {
  memory_id from = choose_source(part.valid, to, memories);
  if (!memories.host_reachable.has(from) && !memories.host_reachable.has(to)) {
    p.copies.push_back({part.where, from, memories.stage, copy_reason::via_host});
    part.valid.add(memories.stage);
    p.after.seen.add(memories.stage);
    p.touched = p.touched | memory_set(from) | memory_set(memories.stage);
    from = memories.stage;
  }
  p.copies.push_back({part.where, from, to, why});
  part.valid.add(to);
  p.touched = p.touched | memory_set(from) | memory_set(to);
}

/// Merges adjacent copies of the same kind. Preserves the order: a copy to the host precedes the copy from
/// there.
void merge_copies(std::vector<planned_copy>& copies) {
  for (std::size_t i = 0; i < copies.size(); ++i)
    for (std::size_t j = i + 1; j < copies.size();) {
      planned_copy &a = copies[i], &b = copies[j];
      const auto both =
          a.from == b.from && a.to == b.to && a.why == b.why ? join(a.where, b.where) : std::nullopt;
      if (!both || a.why == copy_reason::via_host) {
        ++j;
        continue;
      }
      // The later copy may be moved forward only past copies that do not write its source.
      bool fed = false;
      for (std::size_t k = i + 1; k < j; ++k)
        fed |= copies[k].to == b.from && intersect(copies[k].where, b.where);
      if (fed) {
        ++j;
        continue;
      }
      a.where = *both;
      copies.erase(copies.begin() + static_cast<std::ptrdiff_t>(j));
      j = i + 1;
    }
}

} // namespace

const char* reason_text(copy_reason why) {
  switch (why) {
    case copy_reason::first_use: return "first use on device";
    case copy_reason::written_elsewhere: return "written elsewhere";
    case copy_reason::host_read: return "host read";
    case copy_reason::write_back: return "host write-back";
    case copy_reason::prefetch: return "prefetch";
    case copy_reason::via_host: return "via host";
    case copy_reason::needs_address: return "needs address";
    case copy_reason::simplify: return "simplify";
    case copy_reason::evicted: return "evicted";
    case copy_reason::after_eviction: return "needed again after it was evicted";
    case copy_reason::window: return "range of a buffer larger than the memory";
  }
  return "";
}

coherence_map make_coherence_map(const shape& geometry, memory_set initial) {
  return {geometry, {{whole(geometry), initial}}, initial};
}

plan plan_accesses(const coherence_map& now, std::span<const access> accesses, const topology& memories,
                   const byte_box& claim) {
  plan p{{}, now, {}};
  region_list& regions = p.after.regions;
  const auto why = [&](const access& a) {
    const bool to_device = a.why == copy_reason::written_elsewhere;
    return to_device && !now.seen.has(a.at) ? copy_reason::first_use : a.why;
  };
  for (const access& a : accesses) {
    p.touched.add(a.at);
    if (!a.reads || a.where.empty()) continue;
    split_at(regions, a.where);
    for (region& r : regions)
      if (!r.valid.empty() && !r.valid.has(a.at) && inside(r.where, a.where))
        bring(p, r, a.at, why(a), memories);
    p.after.seen.add(a.at);
  }
  for (const access& a : accesses) {
    if (!a.writes || a.where.empty()) continue;
    split_at(regions, a.where);
    for (region& r : regions)
      if (inside(r.where, a.where)) r.valid = memory_set(a.at);
    p.after.seen.add(a.at);
  }
  merge_neighbours(regions);
  const bool one_place = std::all_of(accesses.begin(), accesses.end(),
                                     [&](const access& a) { return a.at == accesses.front().at; });
  if (regions.size() > max_regions && !accesses.empty() && one_place) {
    // These copies run before the command's writes, so they must exclude what it writes. They do: those
    // regions are already valid in the target, because there is only one.
    const memory_id at = accesses.front().at;
    split_at(regions, claim);
    for (region& r : regions) {
      if (!inside(r.where, claim)) continue;
      if (!r.valid.empty() && !r.valid.has(at)) bring(p, r, at, copy_reason::simplify, memories);
      if (!r.valid.empty()) r.valid = memory_set(at);
    }
    merge_neighbours(regions);
  }
  merge_copies(p.copies);
  return p;
}

void forget(coherence_map& now, memory_id at, const byte_box& where,
            std::span<const byte_box> written_since) {
  split_at(now.regions, where);
  for (const byte_box& b : written_since) split_at(now.regions, b);
  const auto was_written = [&](const region& r) {
    return std::any_of(written_since.begin(), written_since.end(),
                       [&](const byte_box& b) { return inside(r.where, b); });
  };
  for (region& r : now.regions)
    if (inside(r.where, where) && !was_written(r) && r.valid.has(at) && r.valid != memory_set(at))
      r.valid.remove(at);
  merge_neighbours(now.regions);
}

bool holds(const coherence_map& now, memory_id at, const byte_box& where) {
  return std::all_of(now.regions.begin(), now.regions.end(), [&](const region& r) {
    return r.valid.empty() || r.valid.has(at) || !intersect(r.where, where);
  });
}

bool unwritten(const coherence_map& now, const byte_box& where) {
  return std::all_of(now.regions.begin(), now.regions.end(),
                     [&](const region& r) { return r.valid.empty() || !intersect(r.where, where); });
}

bool defined(const coherence_map& now) {
  return std::none_of(now.regions.begin(), now.regions.end(),
                      [](const region& r) { return r.valid.empty() && !r.where.empty(); });
}

} // namespace prism::memory
