#include "devices/host/fused.hpp"

#include "devices/host/group_runner.hpp"

#include <algorithm>
#include <cstring>

namespace prism::devices::host {
namespace {

constexpr std::size_t alignment = 128; // of captured blocks: a lambda may contain the widest vector
constexpr std::uint64_t near_bytes =
    24 * 1024; // memory accessed by the work-items of a piece: half of a processor's first cache

/// The captured blocks and private memory of one thread's pieces. The thread retains the memory, because new
/// memory for every few pieces would have to be cleared by the system, and would not be in a cache.
class workspace {
public:
  workspace(const dispatch_command& d, const fused_dispatches& kernels, std::uint64_t items)
      : m_kernels(kernels) {
    // Adds two cache lines, so that blocks of 4 KiB do not all begin at the same offset in their pages.
    const auto room = [](std::uint64_t bytes) {
      return (bytes + alignment - 1) / alignment * alignment + alignment;
    };
    std::uint64_t all = room(d.arguments.size());
    for (const auto& word : m_kernels.words) {
      if (m_offsets.size() <= word.memory) m_offsets.resize(word.memory + 1);
      if (m_offsets[word.memory] != 0) continue;
      m_offsets[word.memory] = all;
      all += room(items * word.stride);
    }
    m_memory = static_cast<std::byte*>(group_runner::of_this_thread().workspace(all));
    if (!d.arguments.empty()) std::memcpy(m_memory, d.arguments.data(), d.arguments.size());
  }
  /// Prepares a piece whose first work-item has this linear id.
  void begin_at(std::uint64_t first) {
    for (const auto& word : m_kernels.words) {
      const std::uint64_t base =
          reinterpret_cast<std::uintptr_t>(m_memory + m_offsets[word.memory]) - first * word.stride;
      std::memcpy(m_memory + word.offset, &base, sizeof base);
    }
  }
  const void* closure(const fused_dispatches::part& part) const { return m_memory + part.offset; }

private:
  const fused_dispatches& m_kernels;
  pool::vector<std::uint64_t> m_offsets; // in m_memory
  std::byte* m_memory;
};

/// How a range is divided: into pieces of whole rows, or of sections of one row.
struct division {
  std::uint64_t items = 0, rows = 1, in_row = 1, count = 0; // rows of a piece; pieces in a row
};

division divide_range(const extent3& n, std::uint64_t item_bytes, unsigned threads) {
  division c;
  const std::uint64_t rows = n[1] * n[2], all = rows * n[0];
  const std::uint64_t near = near_bytes / std::max<std::uint64_t>(item_bytes, 1),
                      fair = all / (4ull * threads);
  c.items = std::max(std::min(near, fair) / piece_width, std::uint64_t(1)) * piece_width;
  if (n[0] > c.items) {
    c.in_row = (n[0] + c.items - 1) / c.items;
    c.count = c.in_row * rows;
  } else {
    c.rows = std::max<std::uint64_t>(c.items / n[0], 1);
    c.items = c.rows * n[0];
    c.count = (rows + c.rows - 1) / c.rows;
  }
  return c;
}

using functions = std::vector<piece_function>;

void run_range_piece(const fused_kernels& kernels, const functions& parts, workspace& mine, const division& c,
                     std::uint64_t piece) {
  const extent3& n = kernels.items;
  const std::uint64_t row = c.in_row != 1 ? piece / c.in_row : piece * c.rows,
                      last = std::min(row + c.rows, n[1] * n[2]);
  const std::uint64_t x = c.in_row != 1 ? piece % c.in_row * c.items : 0,
                      end_x = c.in_row != 1 ? std::min(x + c.items, n[0]) : n[0];
  mine.begin_at(row * n[0] + x);
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (std::uint64_t y = row; y < last;) { // boxes of rows with one z
      const std::uint64_t z = y / n[1], next = std::min(last, (z + 1) * n[1]);
      const std::uint64_t begin[3] = {x, y - z * n[1], z}, end[3] = {end_x, next - z * n[1], z + 1};
      parts[p].run_box(mine.closure(kernels.parts->parts[p]), begin, end);
      y = next;
    }
}

} // namespace

void execute_fused(const dispatch_command& d, const fused_kernels& kernels, unsigned threads) {
  const fused_dispatches& whole = *kernels.parts;
  functions parts;
  for (const auto& part : whole.parts) parts.emplace_back(part.what);
  if (std::get<host_kernel>(whole.parts.front().what.target).body.range) {
    const division c = divide_range(kernels.items, whole.item_bytes, threads);
    spread_pieces(c.count, threads, [&](std::uint64_t begin, std::uint64_t end) {
      workspace mine(d, whole, c.items);
      for (auto piece = begin; piece < end; ++piece) run_range_piece(kernels, parts, mine, c, piece);
    });
    return;
  }
  const std::uint64_t groups = d.groups[0] * d.groups[1] * d.groups[2],
                      items = d.local[0] * d.local[1] * d.local[2];
  const std::uint64_t near = near_bytes / std::max<std::uint64_t>(whole.item_bytes * items, 1),
                      fair = groups / (4ull * threads);
  const std::uint64_t each = std::max<std::uint64_t>(std::min(near, fair), 1);
  spread_pieces((groups + each - 1) / each, threads, [&](std::uint64_t begin, std::uint64_t end) {
    workspace mine(d, whole, each * items);
    for (auto piece = begin; piece < end; ++piece) {
      mine.begin_at(piece * each * items);
      for (std::size_t p = 0; p < parts.size(); ++p)
        parts[p].run_groups(mine.closure(whole.parts[p]), piece * each, std::min((piece + 1) * each, groups));
    }
  });
}

} // namespace prism::devices::host
