#include "runtime/submission/transfer.hpp"

#include "runtime/device/device_list.hpp"
#include "runtime/execution/device_queue_set.hpp"
#include "runtime/memory/box_copy.hpp"
#include "runtime/memory/usm_registry.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace prism::runtime {

pointer_side resolve_pointer(device_state& device, void* pointer, std::uint64_t bytes) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const memory::usm_block block = device.usm().find(address);
  pointer_side side;
  if (block.base == 0) {
    if (device.all().was_freed(address))
      throw error(error_code::invalid, "a copy or fill uses a USM pointer that was freed before");
    side.where.host = pointer;
    return side;
  }
  const std::uint64_t offset = address - block.base;
  auto* owner = static_cast<device_state*>(block.owner);
  if (bytes > block.bytes - offset)
    throw error(error_code::invalid, "a copy or fill of " + std::to_string(bytes) +
                                         " bytes exceeds its USM allocation on " + owner->label() + ": " +
                                         std::to_string(block.bytes - offset) +
                                         " bytes remain at that address");
  const bool is_peer = !owner->shares_memory_with(device);
  if (is_peer && block.kind != devices::memory_kind::device && block.object->host_pointer() != nullptr) {
    side.where.host = pointer;
    return side;
  }
  side.where.object = block.object;
  side.where.offset = offset;
  if (is_peer) side.peer = owner;
  return side;
}

namespace {

void set_base(devices::location& side, const devices::location& base) {
  side.object = base.object;
  side.host = base.host;
  side.offset += base.offset;
}

/// The rows of a box as intervals of the linear memory.
std::vector<memory::interval> rows_of(const shaped_side& s) {
  std::vector<memory::interval> out;
  for (std::uint64_t z = s.box.lo[0]; z < s.box.hi[0]; ++z)
    for (std::uint64_t y = s.box.lo[1]; y < s.box.hi[1]; ++y) {
      const std::uint64_t begin = memory::offset_of(s.shape, {z, y, s.box.lo[2]});
      const std::uint64_t end = begin + s.box.hi[2] - s.box.lo[2];
      if (!out.empty() && out.back().end == begin) out.back().end = end;
      else out.push_back({begin, end});
    }
  return out;
}

} // namespace

shaped_side dense_side(const devices::location& where, const memory::byte_box& like) {
  const std::array<std::uint64_t, 3> e = memory::extent_of(like);
  return {where, {e[0], e[1], e[2]}, {{0, 0, 0}, e}};
}

shaped_side pitched_side(const devices::location& where, std::uint64_t rows, std::uint64_t pitch,
                         std::uint64_t bytes) {
  return {where, {1, rows, rows > 1 ? pitch : bytes}, {{0, 0, 0}, {1, rows, bytes}}};
}

std::vector<devices::copy_command> copies_between(const shaped_side& from, const shaped_side& to) {
  std::vector<devices::copy_command> out;
  if (from.box.empty()) return out;
  if (memory::extent_of(from.box) == memory::extent_of(to.box)) {
    devices::copy_command c = memory::box_copy(from.shape, from.box, to.shape, to.box);
    set_base(c.from, from.where);
    set_base(c.to, to.where);
    out.push_back(c);
    return out;
  }
  std::vector<memory::interval> source = rows_of(from), target = rows_of(to);
  for (std::size_t i = 0, j = 0; i < source.size() && j < target.size();) {
    const std::uint64_t n = std::min(source[i].end - source[i].begin, target[j].end - target[j].begin);
    devices::copy_command c;
    c.row_bytes = n;
    c.from.offset = source[i].begin;
    c.to.offset = target[j].begin;
    set_base(c.from, from.where);
    set_base(c.to, to.where);
    out.push_back(c);
    if ((source[i].begin += n) == source[i].end) ++i;
    if ((target[j].begin += n) == target[j].end) ++j;
  }
  return out;
}

devices::command_list fills_of(const shaped_side& to, const std::vector<std::byte>& pattern,
                               std::shared_ptr<void>& staging) {
  constexpr std::size_t longest_pattern = 128; // devices/api/types.hpp
  devices::command_list out;
  if (to.box.empty()) return out;
  if (pattern.size() <= longest_pattern) {
    for (const memory::interval& row : rows_of(to))
      out.push_back(
          devices::fill_command{to.where.object, to.where.offset + row.begin, row.end - row.begin, pattern});
    return out;
  }
  auto bytes = std::make_shared<std::vector<std::byte>>(to.box.bytes());
  fill_on_host(bytes->data(), bytes->size(), pattern);
  const std::array<std::uint64_t, 3> e = memory::extent_of(to.box);
  shaped_side from{{}, {e[0], e[1], e[2]}, {{0, 0, 0}, e}};
  from.where.host = bytes->data();
  for (const devices::copy_command& c : copies_between(from, to)) out.push_back(c);
  staging = std::move(bytes);
  return out;
}

namespace {

command_ref start(device_state& device, devices::command what) {
  const device_queue_ref device_queue = device.device_queues().transfer();
  const auto c = make_command(device_queue, device_work{{std::move(what)}});
  device_queue->enqueue(c, {});
  return c;
}

/// Waits for the command and throws its failure.
void end(const command_ref& c) {
  c->wait();
  if (const std::exception_ptr failed = c->failure()) {
    c->pass_on_failure();
    std::rethrow_exception(failed);
  }
}

/// Host memory for one piece of a copy.
struct half_way {
  std::vector<std::byte> bytes;
  command_ref leaves; // the command that reads `bytes`
  ~half_way() {
    if (leaves != nullptr) leaves->wait();
  }
};

/// The location of the piece within a side.
devices::location part_of(devices::location side, const memory::byte_box& piece) {
  side.offset += piece.lo[0] * side.slice_pitch + piece.lo[1] * side.row_pitch + piece.lo[2];
  return side;
}

} // namespace

void run_now(device_state& device, devices::command what) { end(start(device, std::move(what))); }

void run_through_host(device_state& from_device, device_state& to_device, const devices::copy_command& c) {
  constexpr std::uint64_t most_bytes = 4 << 20; // of one piece
  half_way memory[2]; // double buffering: one is filled while the other is written to the target
  std::size_t turn = 0;
  for (const memory::byte_box& piece :
       memory::pieces_of({{0, 0, 0}, {c.slices, c.rows, c.row_bytes}}, most_bytes)) {
    half_way& here = memory[turn++ % 2];
    if (here.leaves != nullptr) end(std::exchange(here.leaves, nullptr));
    const auto extent = memory::extent_of(piece);
    here.bytes.resize(std::max<std::size_t>(here.bytes.size(), piece.bytes()));
    devices::location dense;
    dense.host = here.bytes.data();
    dense.row_pitch = extent[2];
    dense.slice_pitch = extent[2] * extent[1];
    run_now(from_device,
            devices::copy_command{part_of(c.from, piece), dense, extent[2], extent[1], extent[0]});
    here.leaves =
        start(to_device, devices::copy_command{dense, part_of(c.to, piece), extent[2], extent[1], extent[0]});
    here.leaves->where().flush();
  }
  for (std::size_t last = 0; last < 2; ++last)
    if (half_way& here = memory[turn++ % 2]; here.leaves != nullptr) end(std::exchange(here.leaves, nullptr));
}

void fill_on_host(void* to, std::uint64_t bytes, const std::vector<std::byte>& pattern) {
  auto* p = static_cast<std::byte*>(to);
  for (std::uint64_t done = 0; done < bytes; done += pattern.size())
    std::memcpy(p + done, pattern.data(), std::min<std::uint64_t>(pattern.size(), bytes - done));
}

} // namespace prism::runtime
