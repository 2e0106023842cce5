#include "runtime/access_check/access_uses.hpp"

#include "runtime/memory/usm_registry.hpp"
#include "runtime/support/hash.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace prism::runtime {

namespace {

using uses = access_uses;

/// Rows of bytes whose starts are a pitch apart.
struct rows_of_bytes {
  const void* first;
  std::uint64_t bytes, rows, pitch;
  std::uint64_t extent() const { return rows == 0 ? 0 : (rows - 1) * pitch + bytes; }
};

void add_watch(uses& out, const rows_of_bytes& what) {
  access_uses::watch w{reinterpret_cast<std::uint64_t>(what.first), what.bytes, what.rows, what.pitch, 0};
  if (what.extent() == 0) return;
  const std::optional<std::uint64_t> content = content_of(w);
  if (!content) return; // inaccessible: the copy itself reports that
  w.content = *content;
  out.watched.push_back(w);
}

/// Whether the host can access the allocation.
bool is_watchable(const memory::usm_block& block) {
  return block.base == 0 || block.kind != devices::memory_kind::device;
}

/// `is_hosts`: the host may use the memory before the command is complete. False for memory that the command
/// owns, which is freed on completion.
void add_copied(const memory::usm_registry& usm, uses& out, const rows_of_bytes& what, bool writes,
                bool is_hosts = true) {
  const auto begin = reinterpret_cast<std::uint64_t>(what.first);
  const memory::usm_block block = usm.find(begin);
  out.memory.push_back({block.base, begin, begin + what.extent(), writes, false});
  if (!writes && is_hosts && is_watchable(block)) add_watch(out, what);
}

void add_buffer(uses& out, const buffer_ptr& buffer, bool writes) {
  if (buffer == nullptr) return;
  const buffer_span span = span_of(*buffer);
  out.buffers.push_back({span.root, span.begin, span.end, writes});
}

/// Watches only the first number that a kernel reads from a pointer, because it is not known how far it
/// reads.
std::uint64_t first_bytes(std::uint32_t flags) {
  return flags & image::slot_has_double ? 8 : flags & image::slot_has_float ? 4 : 1;
}

void add_snapshot(uses& out, std::uint64_t begin, std::uint64_t bytes) {
  // accesses beyond this limit are only checked by order
  constexpr std::uint64_t most = std::uint64_t{16} << 20;
  access_uses::snapshot made{begin, std::vector<std::byte>(std::min(bytes, most))};
  if (read_memory(begin, made.bytes)) out.snapshots.push_back(std::move(made));
}

void add_captured(const memory::usm_registry& usm, uses& out, std::uint64_t address, std::uint32_t flags) {
  const memory::usm_block block = usm.find(address);
  if (block.base == 0) return;
  const bool writes = (flags & image::slot_is_written) != 0;
  out.memory.push_back({block.base, address, block.base + block.bytes, writes, true});
  const std::uint64_t bytes = std::min(first_bytes(flags), block.base + block.bytes - address);
  if (!writes && (flags & image::slot_is_read) != 0 && is_watchable(block))
    add_watch(out, {reinterpret_cast<const void*>(address), bytes, 1, 0});
  if (writes && is_watchable(block) && host_code::speaks.load(std::memory_order_relaxed))
    add_snapshot(out, address, block.base + block.bytes - address);
}

void add_kernel(const memory::usm_registry& usm, uses& out, const kernel_command& kernel) {
  const image::kernel_record* const record = kernel.slot != nullptr ? kernel.slot->record : nullptr;
  out.unknown = record == nullptr || std::any_of(record->images, record->images + record->image_count,
                                                 [](const image::kernel_image& i) {
    return i.data != nullptr && (i.features & image::addresses) != 0;
  });
  for (std::uint32_t i = 0; record != nullptr && i < record->slot_count; ++i) {
    const image::pointer_slot& slot = record->slots[i];
    if ((slot.flags & image::slot_is_address) == 0 ||
        slot.offset + sizeof(std::uint64_t) > kernel.captured.size())
      continue;
    std::uint64_t word;
    std::memcpy(&word, kernel.captured.data() + slot.offset, sizeof word);
    if (!is_token(word)) add_captured(usm, out, word, slot.flags);
  }
}

} // namespace

namespace {

/// Where the system forbids process_vm_readv (containers) or has none (qemu-user): writing memory that is not
/// there to a pipe fails, too, and does not fault.
bool read_by_pipe(std::uint64_t begin, std::span<std::byte> to) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  constexpr std::size_t piece = 4096; // which a pipe takes whole
  bool good = true;
  for (std::size_t at = 0; good && at < to.size(); at += piece) {
    const std::size_t bytes = std::min(piece, to.size() - at);
    const auto all = static_cast<ssize_t>(bytes);
    good = ::write(ends[1], reinterpret_cast<const void*>(begin + at), bytes) == all &&
           ::read(ends[0], to.data() + at, bytes) == all;
  }
  ::close(ends[0]);
  ::close(ends[1]);
  return good;
}

} // namespace

bool read_memory(std::uint64_t begin, std::span<std::byte> to) { // an ordinary read could fault
  const iovec mine{to.data(), to.size()}, there{reinterpret_cast<void*>(begin), to.size()};
  const ssize_t done = ::process_vm_readv(::getpid(), &mine, 1, &there, 1, 0);
  if (done < 0 && (errno == ENOSYS || errno == EPERM)) return read_by_pipe(begin, to);
  return done == static_cast<ssize_t>(to.size());
}

std::optional<std::uint64_t> content_of(const access_uses::watch& what) {
  std::byte piece[4096];
  std::uint64_t content = 0;
  for (std::uint64_t row = 0; row < what.rows; ++row)
    for (std::uint64_t at = 0; at < what.bytes; at += sizeof piece) {
      const std::size_t bytes = std::min<std::uint64_t>(sizeof piece, what.bytes - at);
      if (!read_memory(what.begin + row * what.pitch + at, {piece, bytes})) return std::nullopt;
      content = support::hash64({piece, bytes}, content);
    }
  return content;
}

void add_uses(const memory::usm_registry& usm, const command_group& group, access_uses& out) {
  for (const requirement& r : group.requirements) add_buffer(out, r.buffer, r.mode != access_mode::read);
  if (const auto* kernel = std::get_if<kernel_command>(&group.what)) add_kernel(usm, out, *kernel);
  out.unknown |= std::holds_alternative<host_task_request>(group.what) ||
                 std::holds_alternative<native_kernel_request>(group.what);
  if (const auto* copy = std::get_if<copy_request>(&group.what)) {
    add_buffer(out, copy->from.buffer, false);
    add_buffer(out, copy->to.buffer, true);
    if (copy->from.buffer == nullptr)
      add_copied(usm, out, {copy->from.pointer, copy->bytes, copy->rows, copy->from_pitch}, false,
                 copy->from.keep_alive == nullptr);
    if (copy->to.buffer == nullptr)
      add_copied(usm, out, {copy->to.pointer, copy->bytes, copy->rows, copy->to_pitch}, true);
  }
  if (const auto* fill = std::get_if<fill_request>(&group.what)) {
    add_buffer(out, fill->to.buffer, true);
    if (fill->to.buffer == nullptr)
      add_copied(usm, out, {fill->to.pointer, fill->bytes, fill->rows, fill->pitch}, true);
  }
  if (const auto* update = std::get_if<update_host_request>(&group.what))
    add_buffer(out, update->buffer, false);
}

} // namespace prism::runtime
