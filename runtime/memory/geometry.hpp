// Boxes of bytes. A buffer has slices x rows x row_bytes bytes. A byte_box is a half-open box in these
// coordinates: dimension 0 is the slowest, dimension 2 counts bytes. Pure.
#pragma once

#include "runtime/support/small_vector.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace prism::memory {

struct shape {
  std::uint64_t slices = 1, rows = 1, row_bytes = 0;
  std::uint64_t bytes() const { return slices * rows * row_bytes; }
  friend bool operator==(const shape&, const shape&) = default;
};

struct byte_box {
  std::array<std::uint64_t, 3> lo{}, hi{};
  bool empty() const { return lo[0] >= hi[0] || lo[1] >= hi[1] || lo[2] >= hi[2]; }
  std::uint64_t bytes() const { return empty() ? 0 : (hi[0] - lo[0]) * (hi[1] - lo[1]) * (hi[2] - lo[2]); }
  friend bool operator==(const byte_box&, const byte_box&) = default;
};

using box_list = small_vector<byte_box, 2>; // almost always one

/// Bytes [begin, end) of the linear buffer.
struct interval {
  std::uint64_t begin = 0, end = 0;
  bool overlaps(const interval& o) const { return begin < o.end && o.begin < end; }
  bool covers(const interval& o) const { return begin <= o.begin && o.end <= end; }
};

inline byte_box whole(const shape& s) { return {{0, 0, 0}, {s.slices, s.rows, s.row_bytes}}; }

inline std::uint64_t offset_of(const shape& s, const std::array<std::uint64_t, 3>& at) {
  return (at[0] * s.rows + at[1]) * s.row_bytes + at[2];
}

inline std::optional<byte_box> intersect(const byte_box& a, const byte_box& b) {
  byte_box out;
  for (int d = 0; d < 3; ++d) {
    out.lo[d] = std::max(a.lo[d], b.lo[d]);
    out.hi[d] = std::min(a.hi[d], b.hi[d]);
    if (out.lo[d] >= out.hi[d]) return std::nullopt;
  }
  return out;
}

/// Appends a minus b: at most six boxes.
inline void subtract(byte_box a, const byte_box& b, box_list& out) {
  const auto common = intersect(a, b);
  if (!common) {
    out.push_back(a);
    return;
  }
  for (int d = 0; d < 3; ++d) {
    if (a.lo[d] < common->lo[d]) {
      byte_box part = a;
      part.hi[d] = common->lo[d];
      out.push_back(part);
    }
    if (common->hi[d] < a.hi[d]) {
      byte_box part = a;
      part.lo[d] = common->hi[d];
      out.push_back(part);
    }
    a.lo[d] = common->lo[d];
    a.hi[d] = common->hi[d];
  }
}

/// Partitions a box into boxes of at most `bytes` bytes, in order: whole slices if they fit, otherwise whole
/// rows, otherwise ranges of a row.
inline std::vector<byte_box> pieces_of(const byte_box& b, std::uint64_t bytes) {
  std::vector<byte_box> out;
  if (b.empty()) return out;
  const std::uint64_t row = b.hi[2] - b.lo[2], slice = (b.hi[1] - b.lo[1]) * row;
  const std::array<std::uint64_t, 3> step{
      std::max<std::uint64_t>(bytes / slice, 1),
      slice <= bytes ? slice / row : std::max<std::uint64_t>(bytes / row, 1), std::min(row, bytes)};
  byte_box piece;
  for (piece.lo[0] = b.lo[0]; piece.lo[0] < b.hi[0]; piece.lo[0] += step[0])
    for (piece.lo[1] = b.lo[1]; piece.lo[1] < b.hi[1]; piece.lo[1] += step[1])
      for (piece.lo[2] = b.lo[2]; piece.lo[2] < b.hi[2]; piece.lo[2] += step[2]) {
        for (int d = 0; d < 3; ++d) piece.hi[d] = std::min(piece.lo[d] + step[d], b.hi[d]);
        out.push_back(piece);
      }
  return out;
}

/// The union, if it is a box: equal in two dimensions and adjacent in the third.
inline std::optional<byte_box> join(const byte_box& a, const byte_box& b) {
  int different = -1;
  for (int d = 0; d < 3; ++d) {
    if (a.lo[d] == b.lo[d] && a.hi[d] == b.hi[d]) continue;
    if (different >= 0) return std::nullopt;
    different = d;
  }
  if (different < 0) return a;
  byte_box out = a;
  if (a.hi[different] == b.lo[different]) out.hi[different] = b.hi[different];
  else if (b.hi[different] == a.lo[different]) out.lo[different] = b.lo[different];
  else return std::nullopt;
  return out;
}

/// The interval from the first to the last byte of the box.
inline interval bounds(const shape& s, const byte_box& box) {
  if (box.empty()) return {};
  return {offset_of(s, box.lo), offset_of(s, {box.hi[0] - 1, box.hi[1] - 1, box.hi[2] - 1}) + 1};
}

inline bool contiguous(const shape& s, const byte_box& box) {
  const interval i = bounds(s, box);
  return i.end - i.begin == box.bytes();
}

/// The bytes [begin, end) as at most five disjoint boxes.
inline box_list boxes_of(const shape& s, interval bytes) {
  box_list out;
  const auto rows = [&](std::uint64_t first, std::uint64_t last) { // whole rows, numbered across slices
    while (first < last) {
      const std::uint64_t slice = first / s.rows, row = first % s.rows;
      if (row == 0 && last - first >= s.rows) {
        const std::uint64_t slices = (last - first) / s.rows;
        out.push_back({{slice, 0, 0}, {slice + slices, s.rows, s.row_bytes}});
        first += slices * s.rows;
      } else {
        const std::uint64_t n = std::min(last - first, s.rows - row);
        out.push_back({{slice, row, 0}, {slice + 1, row + n, s.row_bytes}});
        first += n;
      }
    }
  };
  const auto part = [&](std::uint64_t row, std::uint64_t lo, std::uint64_t hi) {
    out.push_back({{row / s.rows, row % s.rows, lo}, {row / s.rows + 1, row % s.rows + 1, hi}});
  };
  if (bytes.begin >= bytes.end) return out;
  const std::uint64_t first = bytes.begin / s.row_bytes, last = (bytes.end - 1) / s.row_bytes;
  const std::uint64_t lo = bytes.begin % s.row_bytes, hi = (bytes.end - 1) % s.row_bytes + 1;
  if (first == last) {
    if (lo == 0 && hi == s.row_bytes) rows(first, first + 1);
    else part(first, lo, hi);
    return out;
  }
  const bool cut_first = lo != 0, cut_last = hi != s.row_bytes;
  if (cut_first) part(first, lo, s.row_bytes);
  rows(cut_first ? first + 1 : first, cut_last ? last : last + 1);
  if (cut_last) part(last, 0, hi);
  return out;
}

inline std::array<std::uint64_t, 3> extent_of(const byte_box& b) {
  return {b.hi[0] - b.lo[0], b.hi[1] - b.lo[1], b.hi[2] - b.lo[2]};
}

} // namespace prism::memory
