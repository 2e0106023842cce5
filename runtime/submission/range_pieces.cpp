#include "runtime/submission/range_pieces.hpp"

#include "devices/api/types.hpp"

#include <algorithm>
#include <optional>

namespace prism::runtime {

namespace {

/// Enlarges the interval to whole elements, rows or slices, so that it is a box of the view.
memory::interval boxed(const piece_use& use, memory::interval bytes) {
  const auto rounded = [&](std::uint64_t step) {
    return memory::interval{bytes.begin / step * step, (bytes.end + step - 1) / step * step};
  };
  const std::uint64_t row = use.view.row_bytes, slice = row * use.view.rows;
  if (use.view.slices == 1 && use.view.rows == 1) return rounded(use.element_bytes);
  return bytes.begin / slice == (bytes.end - 1) / slice ? rounded(row) : rounded(slice);
}

/// Without a value: the compiler proved nothing about some access.
std::optional<memory::interval> proved_bytes(const piece_problem& p, const piece_use& use,
                                             const group_range& piece) {
  std::array<std::uint64_t, 3> first{0, 0, 0}, last = p.launch.items;
  first[piece.dimension] = piece.first * piece.local[piece.dimension];
  last[piece.dimension] =
      std::min(last[piece.dimension], first[piece.dimension] + piece.count * piece.local[piece.dimension]);
  std::optional<memory::interval> all;
  for (const std::uint32_t slot : use.slots) {
    const auto reach = image_format::reach_of(p.facts, slot, p.launch, first, last);
    if (!reach) return std::nullopt;
    // Accesses outside of the buffer are not valid, and those behind guards do not happen.
    const auto within = [&](std::int64_t byte) {
      const std::int64_t at = std::int64_t(use.offset) + byte, end = std::int64_t(use.view.bytes());
      return std::uint64_t(std::clamp<std::int64_t>(at, 0, end));
    };
    const memory::interval one{within(reach->begin), within(reach->end)};
    if (one.begin >= one.end) continue;
    if (!all) all = one;
    *all = {std::min(all->begin, one.begin), std::max(all->end, one.end)};
  }
  return all ? boxed(use, *all) : memory::interval{};
}

/// What a piece has in the device's memory.
struct occupied {
  std::uint64_t bytes = 0, largest = 0; // in all, of the largest allocation
};

occupied occupied_by(const piece_problem& p, const group_range& piece) {
  std::vector<memory::interval> roots;
  for (const piece_use& use : p.uses) {
    const memory::interval view = *proved_bytes(p, use, piece);
    if (view.begin == view.end) continue;
    const memory::interval own{view.begin + use.view_offset, view.end + use.view_offset};
    if (roots.size() <= use.root) roots.resize(use.root + 1);
    memory::interval& root = roots[use.root];
    root = root.begin == root.end
               ? own
               : memory::interval{std::min(root.begin, own.begin), std::max(root.end, own.end)};
  }
  occupied out{p.fixed_bytes, 0};
  for (const memory::interval& each : roots) {
    out.bytes += each.end - each.begin;
    out.largest = std::max(out.largest, each.end - each.begin);
  }
  return out;
}

/// The first, a middle and the last piece: the range's ends may need fewer bytes than its middle.
occupied most_occupied(const piece_problem& p, group_range piece, std::uint64_t groups) {
  occupied most;
  for (const std::uint64_t first : {std::uint64_t(0), (groups - piece.count) / 2, groups - piece.count}) {
    piece.first = first;
    const occupied here = occupied_by(p, piece);
    most = {std::max(most.bytes, here.bytes), std::max(most.largest, here.largest)};
  }
  return most;
}

/// The most groups of a piece that fits into `limit` bytes; 0: none does.
std::uint64_t most_groups(const piece_problem& p, group_range piece, std::uint64_t groups,
                          std::uint64_t limit) {
  std::uint64_t fits = 0, too_many = groups + 1;
  while (too_many - fits > 1) {
    piece.count = fits + (too_many - fits) / 2;
    const occupied here = most_occupied(p, piece, groups);
    const bool is_small = here.bytes <= limit && (p.largest == 0 || here.largest <= p.largest);
    (is_small ? fits : too_many) = piece.count;
  }
  return fits;
}

std::string why_unproven(const piece_problem& p) {
  if (!p.facts.refusal.empty()) return p.facts.refusal;
  return "the compiler did not prove which elements each work-item uses: PRISM needs indices that are sums "
         "of its ids times captured values, and constants, or the smaller or larger of two such sums";
}

} // namespace

memory::interval bytes_of_piece(const piece_problem& problem, const piece_use& use,
                                const group_range& piece) {
  return proved_bytes(problem, use, piece).value_or(memory::interval{});
}

piece_plan plan_pieces(const piece_problem& p) {
  constexpr std::uint64_t pieces_in_memory = 4;
  piece_plan out;
  const group_range one{p.local, 0, 0, 1};
  for (const piece_use& use : p.uses)
    if (!proved_bytes(p, use, one)) {
      out.refusal = why_unproven(p);
      return out;
    }
  if (p.launch.items == std::array<std::uint64_t, 3>{1, 1, 1}) {
    out.refusal = "it has one work-item";
    return out;
  }
  std::uint64_t least = ~std::uint64_t{0};
  for (unsigned d = 3; d-- > 0;) {
    if (p.launch.items[d] == 1) continue;
    group_range piece{p.local, d, 0, 1};
    for (;; piece.local[d] /= 2) {
      const std::uint64_t groups = (p.launch.items[d] + piece.local[d] - 1) / piece.local[d];
      std::uint64_t count = most_groups(p, piece, groups, p.limit / pieces_in_memory);
      if (count == 0) count = most_groups(p, piece, groups, p.limit);
      if (count != 0 && groups <= devices::group_part::most_groups) {
        piece.count = count;
        out.piece = piece;
        out.groups = groups;
        return out;
      }
      if (piece.local[d] == 1) break;
    }
    piece.count = 1;
    least = std::min(least, most_occupied(p, piece, p.launch.items[d]).bytes);
  }
  out.refusal = "its smallest piece needs " + std::to_string(least) + " bytes of the memory";
  return out;
}

} // namespace prism::runtime
