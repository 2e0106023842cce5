#include "devices/host/dispatch.hpp"

#include "devices/api/interop.hpp"
#include "devices/host/fault.hpp"
#include "devices/host/group_runner.hpp"
#include "devices/host/fused.hpp"
#include "devices/host/item_order.hpp"
#include "devices/host/parallel.hpp"
#include "devices/host/program.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

namespace prism::devices::host {
namespace {

/// Gives kernels the captured block at a 128-byte boundary, because the lambda may contain the widest vector.
class aligned_arguments {
public:
  explicit aligned_arguments(const pool::vector<std::byte>& bytes) {
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignment == 0 && !bytes.empty()) {
      m_data = const_cast<std::byte*>(bytes.data()); // only patch() writes to it, and only to slot words
      m_owned = false;
      m_copy_on_patch = &bytes;
      return;
    }
    copy(bytes);
  }
  ~aligned_arguments() {
    if (m_heap) std::free(m_heap);
  }
  aligned_arguments(const aligned_arguments&) = delete;
  aligned_arguments& operator=(const aligned_arguments&) = delete;

  const void* data() const noexcept { return m_data; }
  void patch(std::uint32_t offset, std::uint64_t word) {
    if (!m_owned) copy(*m_copy_on_patch);
    std::memcpy(m_data + offset, &word, sizeof word);
  }

private:
  static constexpr std::size_t alignment = 128;

  void copy(const pool::vector<std::byte>& bytes) {
    m_data = m_small;
    if (bytes.size() > sizeof m_small) {
      m_heap = std::aligned_alloc(alignment, (bytes.size() + alignment - 1) / alignment * alignment);
      if (!m_heap) throw std::bad_alloc();
      m_data = static_cast<std::byte*>(m_heap);
    }
    if (!bytes.empty()) std::memcpy(m_data, bytes.data(), bytes.size());
    m_owned = true;
  }

  alignas(alignment) std::byte m_small[1024];
  std::byte* m_data = nullptr;
  void* m_heap = nullptr;
  const pool::vector<std::byte>* m_copy_on_patch = nullptr;
  bool m_owned = true;
};

constexpr std::uint64_t time_alone = 8000; // nanoseconds

/// The code of kernels that had few work-items or groups, each of which took longer than `time_alone`, when
/// they ran last. Codes with the same place replace each other: a kernel that is not found runs as others do.
class heavy_kernels {
public:
  bool has(const void* code) const {
    return code != nullptr && place_of(code).load(std::memory_order_relaxed) == code;
  }
  void set(const void* code, bool is_heavy) {
    std::atomic<const void*>& place = place_of(code);
    if (is_heavy) place.store(code, std::memory_order_relaxed);
    else if (has(code)) place.store(nullptr, std::memory_order_relaxed);
  }

private:
  std::atomic<const void*>& place_of(const void* code) const {
    return m_codes[reinterpret_cast<std::uintptr_t>(code) / 16 % m_codes.size()];
  }
  mutable std::array<std::atomic<const void*>, 64> m_codes{};
};
constinit heavy_kernels heavy;

/// Calls part(begin, end) over [0, units). This thread alone runs the first few microseconds, in growing
/// pieces; all threads run the rest. So small dispatches do not pay for waking threads, and large ones lose
/// little. Each piece reads the clock, which would cost a small kernel a seventh of its time if pieces only
/// doubled. So the next piece is as large as the measured rate allows in the time left, at most eight times
/// the previous one. Of few units that each took long in the last launch of this `code`, none runs alone.
template <typename Part>
void spread(std::uint64_t units, unsigned threads, const void* code, const Part& part) {
  if (threads == 1 || units == 1) {
    part(std::uint64_t(0), units);
    return;
  }
  const auto start = std::chrono::steady_clock::now();
  const auto spent_time = [&] {
    return std::uint64_t(std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count());
  };
  const bool are_few = units <= 8ull * threads;
  if (are_few && heavy.has(code)) {
    std::atomic<std::uint64_t> busy{0}; // nanoseconds of all threads
    parallel_for(std::uint64_t(0), units, [&](std::uint64_t b, std::uint64_t e) {
      const std::uint64_t before = spent_time();
      part(b, e);
      busy.fetch_add(spent_time() - before, std::memory_order_relaxed);
    });
    heavy.set(code, busy.load(std::memory_order_relaxed) >= units * time_alone);
    return;
  }
  std::uint64_t begin = 0;
  for (std::uint64_t step = 1;;) {
    const auto end = units - begin < step ? units : begin + step;
    part(begin, end);
    begin = end;
    const std::uint64_t spent = begin == units && begin > 1 ? 0 : spent_time();
    if (are_few && code != nullptr && begin == 1 && spent >= time_alone) heavy.set(code, true);
    if (begin == units) return;
    if (spent >= time_alone) break;
    step = std::clamp<std::uint64_t>((time_alone - spent) * begin / (spent + 1), 1, step * 8);
  }
  parallel_for(begin, units, part);
}

template <typename Function>
const void* code_of(Function* function) {
  return reinterpret_cast<const void*>(function);
}

/// The work-items [begin, end) of a range.
struct item_box {
  extent3 begin{0, 0, 0}, end;
};

extent3 items_of(const item_box& box) {
  return {box.end[0] - box.begin[0], box.end[1] - box.begin[1], box.end[2] - box.begin[2]};
}

/// The work-items of a launch, which may be a part of a range.
item_box box_of(const dispatch_command& d, const host_body& body) {
  item_box out{{0, 0, 0}, {body.items[0], body.items[1], body.items[2]}};
  if (!d.part.is_part) return out;
  const extent3 first = first_group_of(d);
  for (std::size_t i = 0; i < 3; ++i) {
    out.begin[i] = first[i] * d.local[i];
    out.end[i] = std::min(out.begin[i] + d.groups[i] * d.local[i], body.items[i]);
    out.begin[i] = std::min(out.begin[i], out.end[i]);
  }
  return out;
}

/// Splits along the outermost dimension that is long enough to feed all threads. Splits short boxes by items
/// or rows, so that a few expensive items also run in parallel.
void run_range(const host_kernel& kernel, const void* closure, unsigned threads, const item_box& box) {
  const host_body& body = kernel.body;
  work_item_context item; // items of a range can ask only for what the captured block holds
  item.closure = closure;
  item.hidden = kernel.hidden;
  const extent3& at = box.begin;
  const extent3 n = items_of(box);
  const auto total = n[0] * n[1] * n[2];
  if (total == 0) return;
  for (int split = 2; split >= 0; --split)
    if (n[split] >= 8ull * threads) {
      spread(n[split], threads, code_of(body.range), [&](std::uint64_t b, std::uint64_t e) {
        std::uint64_t begin[3] = {at[0], at[1], at[2]}, end[3] = {box.end[0], box.end[1], box.end[2]};
        begin[split] = at[std::size_t(split)] + b;
        end[split] = at[std::size_t(split)] + e;
        const context_scope scope(item);
        const running_kernel running(kernel);
        body.range(closure, begin, end);
      });
      return;
    }
  const auto row = total <= 1024 ? 1 : n[0]; // items of a unit
  spread(total / row, threads, code_of(body.range), [&](std::uint64_t b, std::uint64_t e) {
    const context_scope scope(item);
    const running_kernel running(kernel);
    for (auto unit = b; unit < e; ++unit) {
      const auto first = unit * row, x = at[0] + first % n[0], y = at[1] + first / n[0] % n[1],
                 z = at[2] + first / n[0] / n[1];
      const std::uint64_t begin[3] = {x, y, z}, end[3] = {x + row, y + 1, z + 1};
      body.range(closure, begin, end);
    }
  });
}

/// Runs the rows of a box, however few items each has.
void run_rows(const host_kernel& kernel, const void* closure, unsigned threads, const item_box& box) {
  work_item_context item;
  item.closure = closure;
  item.hidden = kernel.hidden;
  const auto rows = box.end[1] - box.begin[1];
  spread(rows * (box.end[2] - box.begin[2]), threads, code_of(kernel.body.range),
         [&](std::uint64_t b, std::uint64_t e) {
    const context_scope scope(item);
    const running_kernel running(kernel);
    for (auto row = b; row < e; ++row) {
      const auto y = box.begin[1] + row % rows, z = box.begin[2] + row / rows;
      const std::uint64_t begin[3] = {box.begin[0], y, z}, end[3] = {box.end[0], y + 1, z + 1};
      kernel.body.range(closure, begin, end);
    }
  });
}

template <typename Part>
void for_groups(const extent3& groups, unsigned threads, const void* code, const Part& part) {
  if (const auto total = groups[0] * groups[1] * groups[2]; total != 0) spread(total, threads, code, part);
}

[[noreturn]] void throw_divergence(const group_context& group) {
  throw device_error(
      error_category::invalid, "",
      "run work-group (" + std::to_string(group.group_id[0]) + ", " + std::to_string(group.group_id[1]) +
          ", " + std::to_string(group.group_id[2]) + ") on the host device: some work-items wait at a " +
          (group.diverged == 2
               ? "barrier or sub-group operation that others of their sub-group never reach; all work-items "
                 "of a sub-group must reach the same ones"
               : "barrier that the others never reach; all work-items of a group must reach the same "
                 "barriers"));
}

struct native_function {
  host_group_function call;
  std::uint32_t spill_bytes; // bytes for each work-item
};

/// Work-groups of one size, by linear index.
struct native_groups {
  native_function function;
  extent3 groups, local;
  std::uint64_t local_bytes;
  const host_kernel& what; // for messages
  extent3 counts;          // the group counts that the kernel sees
  extent3 first{0, 0, 0};  // the ids of the first group

  /// Runs groups [begin, end) on this thread.
  void run(const void* closure, std::uint64_t begin, std::uint64_t end) const {
    group_runner& mine = group_runner::of_this_thread();
    group_context context{{},
                          {counts[0], counts[1], counts[2]},
                          {local[0], local[1], local[2]},
                          mine.arena(local_bytes),
                          mine.spill_memory(local[0] * local[1] * local[2] * function.spill_bytes),
                          0,
                          what.fixes_order};
    const running_kernel running(what);
    for (auto i = begin; i < end; ++i) {
      context.group_id[0] = first[0] + i % groups[0];
      context.group_id[1] = first[1] + i / groups[0] % groups[1];
      context.group_id[2] = first[2] + i / groups[0] / groups[1];
      function.call(closure, &context);
      if (context.diverged) throw_divergence(context);
    }
  }
};

void run_native(const native_groups& all, const void* closure, unsigned threads) {
  for_groups(all.groups, threads, code_of(all.function.call),
             [&](std::uint64_t begin, std::uint64_t end) { all.run(closure, begin, end); });
}

std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

constexpr std::uint64_t narrow_width = 8, middle_width = 32; // of work-groups along x

/// Size of the work-groups that tile a box along x: small enough that all threads get some; narrow if
/// values live across barriers, whose memory should stay small; else wide, so that the cost of a call does
/// not matter. 0: the box has too few items.
std::uint64_t wide_width(const item_box& box, unsigned threads, std::uint32_t spill_bytes) {
  constexpr std::uint64_t most_with_spill = 256, most = 4096;
  const extent3 n = items_of(box);
  const std::uint64_t share = n[0] * n[1] * n[2] / (8ull * threads);
  // A few items may each be much work.
  if (threads > 1 && share < middle_width && n[0] >= middle_width) return narrow_width;
  return std::min(std::clamp(share, middle_width, spill_bytes != 0 ? most_with_spill : most), n[0]) /
         middle_width * middle_width;
}

/// Runs whole groups by the native function, which does not check the end of the range. A group begins at a
/// multiple of its width, so narrower groups cover the start and the end, and the body runs the columns that
/// are left. `wide`: a multiple of narrow_width.
void run_box_native(native_function function, std::uint64_t local_bytes, const host_kernel& kernel,
                    const void* closure, unsigned threads, std::uint64_t wide, const item_box& box) {
  const extent3 n = items_of(box);
  const std::uint64_t end = box.end[0];
  const std::uint64_t widths[] = {wide, middle_width, narrow_width};
  for (std::uint64_t x = box.begin[0]; x < end;) {
    std::uint64_t wider = 0, next = 0; // the width that was refused before; the end of these groups
    for (const std::uint64_t width : widths) {
      const std::uint64_t until = wider != 0 && x % wider != 0 ? std::min(end, round_up(x, wider)) : end;
      const std::uint64_t count = x % width == 0 ? (until - x) / width : 0;
      wider = width;
      if (count == 0) continue;
      run_native({function,
                  {count, n[1], n[2]},
                  {width, 1, 1},
                  local_bytes,
                  kernel,
                  {count, n[1], n[2]},
                  {x / width, box.begin[1], box.begin[2]}},
                 closure, threads);
      next = x + count * width;
      break;
    }
    if (next == 0) {
      next = std::min(end, round_up(x + 1, narrow_width));
      run_rows(kernel, closure, threads, {{x, box.begin[1], box.begin[2]}, {next, box.end[1], box.end[2]}});
    }
    x = next;
  }
}

bool is_for_debugger(const compiled_kernel* kernel) {
  const image::kernel_record* const record = kernel ? kernel->record() : nullptr;
  return record && (record->flags & image::for_debugger) != 0;
}

/// Runs work-groups [begin, end) on this thread, item by item.
void run_items(const dispatch_command& d, const void* closure, std::uint64_t begin, std::uint64_t end) {
  const auto& kernel = std::get<host_kernel>(d.target);
  const group_job job{kernel.body.work_item,
                      closure,
                      d.local,
                      group_counts_of(d),
                      {kernel.body.items[0], kernel.body.items[1], kernel.body.items[2]},
                      d.local_bytes,
                      kernel.sub_group_size != 0 ? kernel.sub_group_size
                                                 : image::default_group_sub_group_size,
                      kernel.hidden,
                      kernel.order,
                      kernel.fixes_order,
                      is_for_debugger(static_cast<const compiled_kernel*>(d.object))};
  const std::uint64_t count = d.groups[0] * d.groups[1] * d.groups[2];
  const extent3 first = first_group_of(d);
  const running_kernel running(kernel);
  for (auto step = begin; step < end; ++step) {
    const std::uint64_t i = item_at(kernel.order, step, count);
    group_runner::of_this_thread().run(job,
                                       {first[0] + i % d.groups[0], first[1] + i / d.groups[0] % d.groups[1],
                                        first[2] + i / d.groups[0] / d.groups[1]});
  }
}

enum class form { by_kernel, compiled, body };

/// PRISM_HOST_KERNELS.
form forced_form() {
  static const form forced = [] {
    const char* value = std::getenv("PRISM_HOST_KERNELS");
    const std::string_view text = value ? value : "";
    return text == "fibers" ? form::body : text == "compiled" ? form::compiled : form::by_kernel;
  }();
  return forced;
}

/// The body of a range needs no group and is a loop already. Tests can force the bodies of all kernels.
bool forces_bodies() { return forced_form() == form::body; }

/// Programs compiled for a debugger run the bodies of kernels with groups too, as fibers.
bool prefers_body(const compiled_kernel& kernel) {
  const form forced = forced_form();
  return forced == form::body || (forced == form::by_kernel && is_for_debugger(&kernel));
}

bool has_whole_groups(const compiled_kernel* kernel) {
  return kernel != nullptr && kernel->whole_groups() != nullptr && !forces_bodies();
}

/// The body of a range is a loop, so it is preferred. The body of an nd_range runs only if there is no
/// compiled function.
bool runs_native(const compiled_kernel* kernel, const host_kernel& what) {
  const host_body& body = what.body;
  return kernel != nullptr && kernel->function() && !body.range &&
         !(body.work_item && (what.order != item_order::any || prefers_body(*kernel)));
}

} // namespace

piece_function::piece_function(const dispatch_command& d)
    : m_dispatch(d), m_host(std::get<host_kernel>(d.target)),
      m_kernel(static_cast<const compiled_kernel*>(d.object)), m_native(runs_native(m_kernel, m_host)),
      m_whole_groups(!m_native && m_host.body.range && m_host.body.items[0] >= middle_width &&
                     has_whole_groups(m_kernel)) {}

void piece_function::run_box(const void* closure, const std::uint64_t (&begin)[3],
                             const std::uint64_t (&end)[3]) const {
  const item_box box{{begin[0], begin[1], begin[2]}, {end[0], end[1], end[2]}};
  if (m_whole_groups) { // the same work-items as in a separate launch
    const std::uint32_t spill = m_kernel->whole_groups_spill_bytes();
    run_box_native({m_kernel->whole_groups(), spill}, m_dispatch.local_bytes, m_host, closure, 1, piece_width,
                   box);
  } else {
    work_item_context item;
    item.closure = closure;
    item.hidden = m_host.hidden;
    const context_scope scope(item);
    const running_kernel running(m_host);
    m_host.body.range(closure, begin, end);
  }
}

void piece_function::run_groups(const void* closure, std::uint64_t begin, std::uint64_t end) const {
  const dispatch_command& d = m_dispatch;
  if (!m_native) return run_items(d, closure, begin, end);
  native_groups{
      {m_kernel->function(), m_kernel->spill_bytes()}, d.groups, d.local, d.local_bytes, m_host, d.groups}
      .run(closure, begin, end);
}

void spread_pieces(std::uint64_t count, unsigned threads,
                   const std::function<void(std::uint64_t, std::uint64_t)>& run) {
  if (count != 0) spread(count, threads, nullptr, run);
}

namespace {

/// Writes the objects' addresses into the slot words, where the kernel reads them.
void patch_slots(const dispatch_command& d, const compiled_kernel& kernel, aligned_arguments& arguments) {
  const auto* record = kernel.record();
  if (record == nullptr) return;
  for (std::size_t i = 0; i < d.slots.size() && i < record->slot_count; ++i)
    arguments.patch(record->slots[i].offset, d.slots[i].object
                                                 ? d.slots[i].object->address() + d.slots[i].offset
                                                 : d.slots[i].address);
}

void execute_kernel(const dispatch_command& d, const host_kernel& what, unsigned threads) {
  aligned_arguments arguments(d.arguments);
  const auto* kernel = static_cast<const compiled_kernel*>(d.object);
  const host_body& body = what.body;
  if (runs_native(kernel, what)) {
    patch_slots(d, *kernel, arguments);
    run_native({{kernel->function(), kernel->spill_bytes()},
                d.groups,
                d.local,
                d.local_bytes,
                what,
                group_counts_of(d),
                first_group_of(d)},
               arguments.data(), threads);
  } else if (body.range) {
    const item_box box = box_of(d, body);
    const std::uint32_t spill = has_whole_groups(kernel) ? kernel->whole_groups_spill_bytes() : 0;
    const std::uint64_t wide = has_whole_groups(kernel) ? wide_width(box, threads, spill) : 0;
    if (wide == 0) return run_range(what, arguments.data(), threads, box);
    run_box_native({kernel->whole_groups(), spill}, d.local_bytes, what, arguments.data(), threads, wide,
                   box);
  } else if (body.work_item) {
    for_groups(d.groups, what.order == item_order::any ? threads : 1, code_of(body.work_item),
               [&](std::uint64_t begin, std::uint64_t end) { run_items(d, arguments.data(), begin, end); });
  } else {
    throw device_error(
        error_category::invalid, "",
        "dispatch on the host device: the command has neither a native work-group function nor a body");
  }
}

} // namespace

void execute_dispatch(const dispatch_command& d, unsigned threads) {
  if (const auto* native = std::get_if<native_kernel>(&d.target)) {
    release_threads();
    (*native->launch->function)({nullptr, true, native->launch->arguments, nullptr, 0});
  } else if (const auto* fused = std::get_if<fused_kernels>(&d.target)) {
    execute_fused(d, *fused, threads);
  } else if (const auto* kernel = std::get_if<host_kernel>(&d.target)) {
    execute_kernel(d, *kernel, threads);
  } else {
    execute_kernel(d, {}, threads);
  }
}

} // namespace prism::devices::host
