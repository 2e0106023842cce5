#include "devices/host/copy.hpp"

#include "devices/api/device.hpp"
#include "devices/host/parallel.hpp"

#include <algorithm>
#include <cstring>

namespace prism::devices::host {
namespace {

constexpr std::uint64_t parallel_bytes = 8u << 20,
                        part_bytes = 1u << 20; // smaller copies use one thread, which saturates the memory

std::byte* first_byte(const location& where) {
  auto* base = static_cast<std::byte*>(where.object ? where.object->host_pointer() : where.host);
  return base + where.offset;
}

bool overlap(const std::byte* to, const std::byte* from, std::uint64_t bytes) {
  return to < from + bytes && from < to + bytes;
}

/// Copies in short blocks, which glibc does with vectors. For long ones it uses `rep movsb`, which moved only
/// 3 GB/s on an AMD EPYC (2 cores, in a virtual machine) where another core's cache had the bytes.
void copy_bytes(std::byte* to, const std::byte* from, std::uint64_t bytes) {
  constexpr std::uint64_t block = 2048;
  if (overlap(to, from, bytes)) {
    std::memmove(to, from, bytes);
    return;
  }
  std::uint64_t at = 0;
  for (; at + block <= bytes; at += block) std::memcpy(to + at, from + at, block);
  std::memcpy(to + at, from + at, bytes - at);
}

void copy_row(std::byte* to, const std::byte* from, std::uint64_t bytes) {
  if (to == from) return;
  if (bytes < parallel_bytes || overlap(to, from, bytes)) return copy_bytes(to, from, bytes);
  parallel_for(0, (bytes + part_bytes - 1) / part_bytes, [=](std::uint64_t begin, std::uint64_t end) {
    const auto start = begin * part_bytes;
    copy_bytes(to + start, from + start, std::min(end * part_bytes, bytes) - start);
  });
}

} // namespace

void execute_copy(const copy_command& copy) {
  auto* to = first_byte(copy.to);
  const auto* from = first_byte(copy.from);
  if (copy.row_bytes == 0) return;
  const auto some_rows = [&](std::uint64_t begin, std::uint64_t end) {
    for (auto index = begin; index < end; ++index) {
      const auto slice = index / copy.rows, line = index % copy.rows;
      copy_bytes(to + slice * copy.to.slice_pitch + line * copy.to.row_pitch,
                 from + slice * copy.from.slice_pitch + line * copy.from.row_pitch, copy.row_bytes);
    }
  };
  const auto rows = copy.rows * copy.slices;
  if (rows == 1) copy_row(to, from, copy.row_bytes);
  else if (copy.row_bytes * rows < parallel_bytes) some_rows(0, rows);
  else parallel_for(0, rows, some_rows);
}

void execute_fill(const fill_command& fill) {
  auto* to = static_cast<std::byte*>(fill.object->host_pointer()) + fill.offset;
  const auto size = std::uint64_t(fill.pattern.size());
  if (fill.bytes == 0) return;
  const auto part = [&](std::uint64_t begin, std::uint64_t bytes) { // begin: a multiple of the pattern's size
    if (size == 1) {
      std::memset(to + begin, std::to_integer<int>(fill.pattern[0]), bytes);
      return;
    }
    std::memcpy(to + begin, fill.pattern.data(), std::min(size, bytes));
    for (std::uint64_t filled = size; filled < bytes;
         filled *= 2) // doubling: each copy reads what was already filled
      std::memcpy(to + begin + filled, to + begin, std::min(filled, bytes - filled));
  };
  if (fill.bytes < parallel_bytes) {
    part(0, fill.bytes);
    return;
  }
  const auto step = part_bytes / size * size;
  parallel_for(0, (fill.bytes + step - 1) / step, [&](std::uint64_t begin, std::uint64_t end) {
    for (auto index = begin; index < end;
         ++index) // one part at a time: a part fits a core's cache, several might not
      part(index * step, std::min(step, fill.bytes - index * step));
  });
}

} // namespace prism::devices::host
