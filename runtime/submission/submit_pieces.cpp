// submit_group, which knows kernels with a buffer that is larger than the device's memory. Where the compiler
// proved which bytes each work-item uses, such a kernel runs as several launches over pieces of its range,
// each with only its own bytes in the memory. The copies are those of ranged accessors, so pieces use the
// same ranges, evictions and waits.
//
// Cost for other command groups: a comparison of sizes for each buffer.
#include "runtime/submission/submission.hpp"

#include "runtime/launch/prepare_kernel.hpp"
#include "runtime/observe/trace.hpp"
#include "runtime/submission/range_pieces.hpp"

#include <algorithm>
#include <cstring>

namespace prism::runtime {

namespace {

/// Whether the device holds only ranges of the requirement's buffer.
bool is_large(device_state& device, const requirement& r) {
  const root_ref& root = view_of(*r.buffer).root();
  if (r.on_host || !is_too_large(device, root->allocations.bytes())) return false;
  const std::lock_guard lock(root->mutex);
  return holds_ranges_only(device, *root) && !root->allocations.can_adopt(device.raw());
}

/// The kernel's buffers, and the bytes that one launch needs of them.
struct kernel_buffers {
  struct root_use {
    const buffer_state* root;
    bool is_large;
    memory::interval bytes;
  };
  std::vector<root_use> roots;
  std::vector<std::size_t> root_of; // of each requirement; not of those on the host
};

kernel_buffers kernel_buffers_of(device_state& device, const command_group& group) {
  kernel_buffers out;
  for (const requirement& r : group.requirements) {
    out.root_of.push_back(out.roots.size());
    if (r.on_host) continue;
    const buffer_view& view = view_of(*r.buffer);
    const bool large = is_large(device, r);
    const memory::interval used = large ? view.claim(view.checked(r.stated ? *r.stated : r.region))
                                        : memory::interval{0, view.root()->allocations.bytes()};
    const auto known = std::find_if(out.roots.begin(), out.roots.end(),
                                    [&](const auto& each) { return each.root == view.root().get(); });
    if (known == out.roots.end()) {
      out.roots.push_back({view.root().get(), large, used});
      continue;
    }
    out.root_of.back() = std::size_t(known - out.roots.begin());
    known->bytes = {std::min(known->bytes.begin, used.begin), std::max(known->bytes.end, used.end)};
  }
  return out;
}

/// Bytes of buffers that are in the memory whole. Host memory that the device uses in place does not count.
std::uint64_t fixed_bytes_of(device_state& device, const kernel_buffers& buffers,
                             const command_group& group) {
  std::uint64_t sum = 0;
  std::vector<bool> counted(buffers.roots.size());
  for (std::size_t i = 0; i < group.requirements.size(); ++i) {
    const requirement& r = group.requirements[i];
    if (r.on_host || buffers.roots[buffers.root_of[i]].is_large || counted[buffers.root_of[i]]) continue;
    counted[buffers.root_of[i]] = true;
    const root_ref& root = view_of(*r.buffer).root();
    const std::lock_guard lock(root->mutex);
    if (!root->allocations.can_adopt(device.raw())) sum += root->allocations.bytes();
  }
  return sum;
}

/// What one launch would have in the memory exceeds it.
bool exceed_memory(device_state& device, const kernel_buffers& buffers, std::uint64_t fixed) {
  std::uint64_t sum = fixed;
  bool one_is_too_large = false;
  for (const auto& each : buffers.roots) {
    if (!each.is_large) continue;
    sum += each.bytes.end - each.bytes.begin;
    one_is_too_large = one_is_too_large || is_too_large(device, each.bytes.end - each.bytes.begin);
  }
  return one_is_too_large || sum > device.pool().budget().limit();
}

/// The slots of the record with the requirement's token.
std::vector<std::uint32_t> slots_with(const image::kernel_record& record, const kernel_command& kernel,
                                      std::uint64_t token) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < record.slot_count; ++i) {
    std::uint64_t word = 0;
    if (record.slots[i].offset + sizeof word > kernel.captured.size()) continue;
    std::memcpy(&word, kernel.captured.data() + record.slots[i].offset, sizeof word);
    if (word == token && token != 0) out.push_back(i);
  }
  return out;
}

/// A division of a kernel, with the large requirements in the order of the problem's uses.
struct division {
  piece_problem problem;
  std::vector<std::size_t> requirements;
  piece_plan plan;
};

void set_refusal(division& to, const char* why) { to.plan.refusal = why; }

division divide_kernel(device_state& device, const command_group& group) {
  const auto& kernel = std::get<kernel_command>(group.what);
  division out;
  if (!kernel.is_range) set_refusal(out, "it is launched with an nd_range");
  else if (kernel.slot == nullptr || kernel.slot->record == nullptr || kernel.fused != nullptr)
    set_refusal(out, "prism++ did not compile it");
  if (!out.plan.refusal.empty()) return out;
  const image::kernel_record& record = *kernel.slot->record;
  auto facts = image_format::find_element_record(record);
  if (!facts) {
    set_refusal(out, "its file was compiled with a prism++ of another version");
    return out;
  }
  piece_problem& p = out.problem;
  p.facts = std::move(*facts);
  p.launch.captured = {kernel.captured.data(), kernel.captured.size()};
  for (std::size_t d = 0; d < 3; ++d) p.launch.items[d] = kernel.global[d];
  const local_size_limits limits = limits_of_parts(device, kernel);
  if (const devices::extent3 local = choose_local_size(kernel.global, limits); true)
    std::copy(local.begin(), local.end(), p.local.begin());
  const kernel_buffers buffers = kernel_buffers_of(device, group);
  p.fixed_bytes = fixed_bytes_of(device, buffers, group);
  p.limit = device.pool().budget().limit();
  p.largest = device.info().max_allocation;
  for (std::size_t i = 0; i < group.requirements.size(); ++i) {
    const requirement& r = group.requirements[i];
    if (r.on_host || !buffers.roots[buffers.root_of[i]].is_large) continue;
    const buffer_view& view = view_of(*r.buffer);
    p.uses.push_back({slots_with(record, kernel, r.token), r.byte_offset, view.geometry(),
                      view.element_bytes(), view.offset(), buffers.root_of[i]});
    out.requirements.push_back(i);
  }
  out.plan = plan_pieces(p);
  return out;
}

/// The bytes as a box of elements. `bytes` is not empty.
box elements_of(const piece_use& use, const memory::interval& bytes) {
  box out;
  const std::uint64_t row = use.view.row_bytes, slice = row * use.view.rows;
  out.extent[2] = row / use.element_bytes;
  if (use.view.slices == 1 && use.view.rows == 1) {
    out.offset[2] = bytes.begin / use.element_bytes;
    out.extent[2] = (bytes.end - bytes.begin) / use.element_bytes;
  } else if (bytes.begin / slice == (bytes.end - 1) / slice) {
    out.offset[0] = bytes.begin / slice;
    out.offset[1] = bytes.begin % slice / row;
    out.extent[1] = (bytes.end - bytes.begin) / row;
  } else {
    out.offset[0] = bytes.begin / slice;
    out.extent[0] = (bytes.end - bytes.begin) / slice;
    out.extent[1] = use.view.rows;
  }
  return out;
}

bool covers_box(const box& outer, const box& inner) {
  for (int d = 0; d < 3; ++d)
    if (inner.offset[d] < outer.offset[d] ||
        inner.offset[d] + inner.extent[d] > outer.offset[d] + outer.extent[d])
      return false;
  return true;
}

/// Submits the pieces of one kernel.
class piece_submitter {
public:
  piece_submitter(queue_state& queue, command_group& group, division& how)
      : m_queue(queue), m_group(group), m_how(how), m_before(how.requirements.size()) {}

  command_ref run() {
    group_range piece = m_how.plan.piece;
    while (piece.first < m_how.plan.groups) {
      piece.count = std::min(piece.count, m_how.plan.groups - piece.first);
      try {
        submit(piece);
      } catch (const error& failed) {
        // Memory that no buffer has, such as USM, may leave less than the budget.
        if (failed.code() != error_code::memory_allocation || piece.count == 1) throw;
        piece.count /= 2;
        continue;
      }
      piece.first += piece.count;
    }
    return m_submitted.back();
  }

private:
  void submit(const group_range& piece) {
    command_group part;
    part.line = m_group.line;
    part.requirements = m_group.requirements;
    part.dependencies = m_group.dependencies;
    part.barrier = m_group.barrier;
    part.holds_later = m_group.holds_later;
    part.claims_regions = m_group.claims_regions;
    part.keep_alive = m_group.keep_alive;
    auto& kernel = part.what.emplace<kernel_command>(std::get<kernel_command>(m_group.what));
    kernel.part.emplace(kernel_part{
        {piece.local[0], piece.local[1], piece.local[2]}, piece.dimension, piece.first, piece.count});
    std::vector<memory::interval> now = m_before;
    for (std::size_t i = 0; i < m_how.requirements.size(); ++i) {
      const piece_use& use = m_how.problem.uses[i];
      restrict_to(part.requirements[m_how.requirements[i]], use, bytes_of_piece(m_how.problem, use, piece),
                  now[i]);
    }
    const bool is_last = piece.first + piece.count == m_how.plan.groups;
    if (is_last) part.dependencies.insert(part.dependencies.end(), m_submitted.begin(), m_submitted.end());
    submission made(m_queue, part);
    if (is_last && !m_submitted.empty()) made.begin_with(m_submitted.front());
    m_submitted.push_back(made.run());
    m_before = std::move(now);
  }

  /// The piece's bytes instead of the accessor's range. `used`: those of the piece before it.
  static void restrict_to(requirement& r, const piece_use& use, memory::interval bytes,
                          memory::interval& used) {
    if (bytes.begin >= bytes.end)
      bytes = {0, use.view.rows == 1 && use.view.slices == 1
                      ? use.element_bytes
                      : use.view.row_bytes}; // of an accessor that is not used
    const box where = elements_of(use, bytes);
    // Bytes that the program lets be discarded still need their values where an earlier piece wrote some of
    // them, or where the box has more than the accessor's range.
    const bool is_shared = used.begin < used.end && used.overlaps(bytes);
    if (!mode_reads(r.mode) && (is_shared || !covers_box(r.region, where))) r.mode = access_mode::read_write;
    (r.stated ? *r.stated : r.region) = where;
    used = bytes;
  }

  queue_state& m_queue;
  command_group& m_group;
  division& m_how;
  std::vector<memory::interval> m_before; // the bytes of each use in the piece before
  std::vector<command_ref> m_submitted;
};

/// Whether the group is a kernel that cannot run as one launch, because its buffers exceed the memory.
bool needs_pieces(device_state& device, const command_group& group) {
  if (!std::holds_alternative<kernel_command>(group.what)) return false;
  const auto too_large = [&](const requirement& r) {
    return !r.on_host && is_too_large(device, view_of(*r.buffer).root()->allocations.bytes());
  };
  if (std::none_of(group.requirements.begin(), group.requirements.end(), too_large)) return false;
  const kernel_buffers buffers = kernel_buffers_of(device, group);
  const bool some_are_large =
      std::any_of(buffers.roots.begin(), buffers.roots.end(), [](const auto& each) { return each.is_large; });
  return some_are_large && exceed_memory(device, buffers, fixed_bytes_of(device, buffers, group));
}

/// Returns the last piece, which waits for the others and fails if one of them fails. A kernel that cannot be
/// divided is submitted as one launch; if that runs out of memory, its exception also has the reason why the
/// kernel is not divided.
command_ref submit_in_pieces(queue_state& queue, command_group& group) {
  division how = divide_kernel(queue.entry(), group);
  if (how.plan.refusal.empty()) {
    const support::trace::named_scope traced("submit", "run in pieces: " + label_of(group.what));
    return piece_submitter(queue, group, how).run();
  }
  try {
    return submission(queue, group).run();
  } catch (const error& failed) {
    if (failed.code() != error_code::memory_allocation) throw;
    throw error(failed.code(), failed.what() +
                                   std::string("; PRISM does not run the kernel in pieces, because ") +
                                   how.plan.refusal);
  }
}

} // namespace

command_ref submit_group(queue_state& queue, command_group&& group) {
  return needs_pieces(queue.entry(), group) ? submit_in_pieces(queue, group) : submission(queue, group).run();
}

} // namespace prism::runtime
