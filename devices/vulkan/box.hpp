// A copy as a box of rows, with offsets and pitches on both sides, and its division into pieces. Pure.
#pragma once

#include "devices/api/types.hpp"

#include <cstring>

namespace prism::devices::vulkan {

struct box {
  std::uint64_t from = 0, to = 0; // bytes
  std::uint64_t row_bytes = 0, rows = 1, slices = 1;
  std::uint64_t from_row = 0, from_slice = 0, to_row = 0, to_slice = 0; // pitches

  std::uint64_t bytes() const noexcept { return row_bytes * rows * slices; }
  /// One past the last byte of each side.
  std::uint64_t from_end() const noexcept {
    return from + (slices - 1) * from_slice + (rows - 1) * from_row + row_bytes;
  }
  std::uint64_t to_end() const noexcept {
    return to + (slices - 1) * to_slice + (rows - 1) * to_row + row_bytes;
  }
};

/// The same copy with the fewest possible rows.
inline box simplify(box b) {
  const auto join_rows = [&] {
    if (b.rows > 1 && b.from_row == b.row_bytes && b.to_row == b.row_bytes) {
      b.row_bytes *= b.rows;
      b.rows = 1;
    }
  };
  join_rows();
  if (b.rows == 1 && b.slices > 1) {
    b.rows = b.slices;
    b.from_row = b.from_slice;
    b.to_row = b.to_slice;
    b.slices = 1;
    join_rows();
  }
  return b;
}

inline box box_of(const copy_command& copy) {
  return simplify({copy.from.offset, copy.to.offset, copy.row_bytes, copy.rows, copy.slices,
                   copy.from.row_pitch, copy.from.slice_pitch, copy.to.row_pitch, copy.to.slice_pitch});
}

/// Calls each(from, to) for the start of every row.
template <class Each>
void for_each_row(const box& b, Each each) {
  for (std::uint64_t slice = 0; slice < b.slices; ++slice)
    for (std::uint64_t row = 0; row < b.rows; ++row)
      each(b.from + slice * b.from_slice + row * b.from_row, b.to + slice * b.to_slice + row * b.to_row);
}

/// Calls each(piece) for boxes of at most `limit` bytes that together are `b`, in order.
template <class Each>
void for_each_piece(const box& b, std::uint64_t limit, Each each) {
  if (b.bytes() <= limit) return each(b);
  if (b.row_bytes > limit) {
    for_each_row(b, [&](std::uint64_t from, std::uint64_t to) {
      for (std::uint64_t done = 0; done < b.row_bytes; done += limit)
        each(box{from + done, to + done, b.row_bytes - done < limit ? b.row_bytes - done : limit});
    });
    return;
  }
  const std::uint64_t step = limit / b.row_bytes;
  for (std::uint64_t slice = 0; slice < b.slices; ++slice)
    for (std::uint64_t row = 0; row < b.rows; row += step) {
      box piece = b;
      piece.from += slice * b.from_slice + row * b.from_row;
      piece.to += slice * b.to_slice + row * b.to_row;
      piece.rows = b.rows - row < step ? b.rows - row : step;
      piece.slices = 1;
      each(piece);
    }
}

inline void copy_on_host(const box& b, const std::byte* from, std::byte* to) {
  for_each_row(b, [&](std::uint64_t source, std::uint64_t target) {
    std::memmove(to + target, from + source, b.row_bytes);
  });
}

} // namespace prism::devices::vulkan
