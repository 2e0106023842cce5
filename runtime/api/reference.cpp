#include "runtime/api/reference.hpp"

#include "devices/api/image.hpp"
#include "runtime/api/reference_tally.hpp"
#include "runtime/memory/difference.hpp"
#include "runtime/support/log.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <new>
#include <span>

namespace sycl {
inline namespace _V1 {
namespace detail {

namespace {

using prism::support::level;

/// Memory that the kernel uses: a root buffer or a USM allocation.
struct area {
  prism::buffer_ptr buffer; // null: USM
  prism::box region;        // the whole buffer
  void* usm = nullptr;
  prism::device_node* owner = nullptr;
  bool is_compared = true;
  prism::memory::comparison how;
  std::string name;
  std::uint64_t bytes = 0;
  void* sources[2] = {};         // the address of a buffer in the task before and in the task after
  std::vector<std::byte> before; // contents before the kernel
  std::uint64_t skew =
      0; // offset of the first byte in its page, so that the reference has the same alignment
};

/// The memory of an area for the reference: with the alignment of the device's memory, and a guard page on
/// each side.
class guarded_memory {
public:
  guarded_memory(const std::vector<std::byte>& contents, std::uint64_t skew)
      : m_bytes(contents.size()), m_skew(skew),
        m_block(
            static_cast<std::byte*>(::operator new(m_bytes + m_skew + 2 * page, std::align_val_t(page)))) {
    std::memset(m_block.get(), mark, m_bytes + m_skew + 2 * page);
    if (m_bytes != 0) std::memcpy(data(), contents.data(), m_bytes);
  }
  std::byte* data() const { return m_block.get() + page + m_skew; }
  std::span<const std::byte> bytes() const { return {data(), m_bytes}; }
  /// Returns the position of the first byte that was written outside of the area, relative to its start;
  /// empty: none.
  std::optional<std::int64_t> written_outside() const {
    const std::byte* const all = m_block.get();
    for (std::uint64_t at = 0; at < m_bytes + m_skew + 2 * page; ++at) {
      if (at == page + m_skew) at += m_bytes;
      if (at < m_bytes + m_skew + 2 * page && all[at] != std::byte{mark})
        return std::int64_t(at) - std::int64_t(page + m_skew);
    }
    return std::nullopt;
  }

private:
  static constexpr std::uint64_t page = 4096;
  static constexpr unsigned char mark = 0xc3;
  struct release {
    void operator()(std::byte* block) const { ::operator delete(block, std::align_val_t(page)); }
  };
  std::uint64_t m_bytes, m_skew;
  std::unique_ptr<std::byte, release> m_block;
};

/// A word of the captured block that points into an area.
struct pointer {
  std::uint64_t at;
  std::size_t area;
  std::uint64_t offset;
};

/// One launch: the memory that it uses, and the tasks before and after it.
struct verified_launch {
  prism::kernel_command kernel;
  std::string name, where; // names of the kernel and of the device
  std::string line;        // of the program, "app.cpp:12"; may be empty
  verification_checks what;
  std::vector<area> areas;
  std::vector<pointer> pointers;
  std::shared_ptr<void> module; // keeps the kernel's code loaded; owned by the last command, not by its body
  std::string obstacle;         // why it cannot be compared
  bool sub_groups_differ =
      false; // the device's sub-group size differs, so results that depend on it may differ

  void save_inputs();
  void compare();
  void compare_all();
  void compare_orders();
  std::vector<guarded_memory> run_reference(prism::devices::item_order order) const;
  prism::command_ptr submit_task(prism::queue_node& queue, std::vector<prism::command_ptr> after, int which,
                                 std::function<void()> body);
};

/// Reads the current bytes of an area. For a buffer, a host task that uses it must be running; for an
/// allocation, no command may use it.
void read(const area& from, int task, std::byte* to) {
  if (from.bytes == 0) return;
  if (from.buffer) {
    if (from.sources[task] != nullptr) std::memcpy(to, from.sources[task], from.bytes);
    return;
  }
  prism::command_group group;
  prism::copy_request copy;
  copy.from.pointer = from.usm;
  copy.to.pointer = to;
  copy.bytes = copy.from_pitch = copy.to_pitch = from.bytes;
  group.what = std::move(copy);
  const prism::queue_ptr queue = prism::create_queue(*from.owner, {});
  const prism::command_ptr command = prism::submit(*queue, std::move(group));
  command->wait();
  queue->take_failures();
  if (const std::exception_ptr failed = command->failure()) std::rethrow_exception(failed);
}

/// Returns why the kernel cannot run on a copy of its memory, or not on the host; empty if it can.
std::string obstacle(const prism::image::kernel_record& record) {
  if (record.flags & prism::image::leaves_out_host) return "it is not for the host device (--targets)";
  if (std::any_of(record.hidden, record.hidden + record.hidden_count,
                  [](const auto& h) { return h.what == prism::image::hidden_kind::device_global; }))
    return "it uses a device_global, which each device has separately";
  const auto* end = record.images + record.image_count;
  const auto* slots = std::find_if(record.images, end, [](const auto& i) {
    return i.image_kind == prism::image::kind::opencl_c && i.data != nullptr;
  });
  if (slots == end) return "it has no OpenCL image, whose table lists the pointers among its values";
  if (slots->features & prism::image::addresses)
    return "it finds pointers in memory, which are only valid for the device";
  return {};
}

prism::command_ptr verified_launch::submit_task(prism::queue_node& queue,
                                                std::vector<prism::command_ptr> after, int which,
                                                std::function<void()> body) {
  prism::command_group group;
  if (which == 1 && module) group.keep_alive.push_back(module);
  group.dependencies = std::move(after);
  for (area& each : areas) {
    if (!each.buffer) continue;
    prism::requirement r;
    r.buffer = each.buffer;
    r.mode = prism::access_mode::read;
    r.region = each.region;
    r.on_host = true;
    r.host_pointer = &each.sources[which];
    group.requirements.push_back(std::move(r));
  }
  group.what = prism::host_task_request{std::move(body)};
  return prism::submit(queue, std::move(group));
}

void verified_launch::save_inputs() try {
  for (area& each : areas) {
    each.before.assign(each.bytes, std::byte{0});
    read(each, 0, each.before.data());
  }
} catch (const std::exception& failed) {
  obstacle = std::string("its inputs could not be copied: ") + failed.what();
  for (area& each : areas) each.before = {};
}

/// Runs the kernel on the host device with the saved inputs. Returns the memory of all areas afterwards.
std::vector<guarded_memory> verified_launch::run_reference(prism::devices::item_order order) const {
  std::vector<guarded_memory> memory;
  memory.reserve(areas.size());
  for (const area& each : areas) memory.emplace_back(each.before, each.skew);
  prism::command_group group;
  prism::kernel_command own = kernel;
  own.order = order;
  for (const pointer& p : pointers) {
    const auto address = reinterpret_cast<std::uint64_t>(memory[p.area].data()) + p.offset;
    std::memcpy(own.captured.data() + p.at, &address, sizeof address);
  }
  group.what = std::move(own);
  const prism::queue_ptr queue = prism::create_queue(prism::reference_device(), {});
  const prism::command_ptr command = prism::submit(*queue, std::move(group));
  command->wait();
  queue->take_failures();
  if (const std::exception_ptr failed = command->failure()) std::rethrow_exception(failed);
  return memory;
}

void verified_launch::compare_all() {
  const std::vector<guarded_memory> memory = run_reference(prism::devices::item_order::any);
  bool differs = false;
  const auto report = [&](const std::string& what) {
    differs = true;
    prism::support::log(level::error, "PRISM_VERIFY: kernel \"" + name + "\" on " + where + " " + what);
  };
  for (std::size_t i = 0; i < areas.size(); ++i) {
    if (const auto at = memory[i].written_outside(); at && areas[i].is_compared)
      report("writes outside of " + areas[i].name + ": " +
             (*at < 0 ? std::to_string(-*at) + " bytes before it"
                      : std::to_string(*at - std::int64_t(areas[i].bytes)) + " bytes after it"));
    if (!areas[i].is_compared) continue;
    std::vector<std::byte> found(areas[i].bytes);
    read(areas[i], 1, found.data());
    const auto wrong =
        prism::memory::first_difference(found, memory[i].bytes(), areas[i].before, areas[i].how);
    if (!wrong) continue;
    report(
        "differs from the reference in " + areas[i].name + ": element " + std::to_string(wrong->element) +
        (wrong->byte != 0 ? ", byte " + std::to_string(wrong->byte) + " of it," : "") + " is " +
        wrong->found + ", the reference has " + wrong->expected + " (" + std::to_string(wrong->count) +
        " numbers differ)" +
        (sub_groups_differ ? "; its sub-groups have another size on the host device, which may be why" : ""));
  }
  verification_tally::get().compared(differs);
}

/// Compares the results of every order with those of the ascending one, and reports the first difference.
void verified_launch::compare_orders() {
  using prism::devices::item_order;
  constexpr std::pair<item_order, const char*> others[] = {
      {item_order::descending, "descending"},
      {item_order::odd_first, "odd ones before even ones"},
      {item_order::scattered, "scattered"}};
  const std::vector<guarded_memory> ascending = run_reference(item_order::ascending);
  for (const auto& [order, order_name] : others) {
    const std::vector<guarded_memory> memory = run_reference(order);
    for (std::size_t i = 0; i < areas.size(); ++i) {
      if (!areas[i].is_compared) continue;
      prism::memory::comparison how = areas[i].how;
      how.only_changed = false; // both runs began with the same bytes
      const auto wrong =
          prism::memory::first_difference(memory[i].bytes(), ascending[i].bytes(), areas[i].before, how);
      if (!wrong) continue;
      prism::support::log(
          level::error,
          "PRISM_CHECK=order: kernel \"" + name + "\"" + (line.empty() ? "" : " (" + line + ")") +
              " depends on the order of its work-items: in " + areas[i].name + ", element " +
              std::to_string(wrong->element) +
              (wrong->byte != 0 ? ", byte " + std::to_string(wrong->byte) + " of it," : "") + " is " +
              wrong->expected + " in ascending order and " + wrong->found + " in another (" + order_name +
              "; " + std::to_string(wrong->count) +
              " numbers differ). A barrier is missing, or work-items write or read the same element without "
              "an order");
      return verification_tally::get().compared_orders(true);
    }
  }
  verification_tally::get().compared_orders(false);
}

void verified_launch::compare() {
  try {
    if (obstacle.empty()) {
      if (what.reference) compare_all();
      if (what.orders) compare_orders();
      return;
    }
  } catch (const std::exception& failed) {
    obstacle = std::string("the reference could not be run: ") + failed.what();
  }
  verification_tally::get().left_out(name, obstacle);
}

/// Collects the areas that the captured block points into.
class launch_reader {
public:
  launch_reader(verified_launch& into, const prism::image::kernel_record& record,
                const prism::command_group& group, const std::vector<verified_use>& uses)
      : m_into(into), m_record(record), m_group(group), m_uses(uses) {}

  void read() {
    for (std::uint64_t at = 0; at + 8 <= m_into.kernel.captured.size(); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, m_into.kernel.captured.data() + at, sizeof word);
      if (!add_accessor(at, word) && !add_output(at, word)) add_allocation(at, word);
    }
    for (area& each : m_into.areas) each.how.tolerance = verification_tolerance();
  }

private:
  const prism::image::pointer_slot* slot_at(std::uint64_t at) const {
    const auto* end = m_record.slots + m_record.slot_count;
    const auto* found = std::find_if(m_record.slots, end, [&](const auto& s) { return s.offset == at; });
    return found == end ? nullptr : found;
  }
  /// Records that the word at `at` points `offset` bytes into an area: the one for which `is_it` is true,
  /// else a new one from `make`.
  template <typename IsIt, typename Make>
  area& point(std::uint64_t at, std::uint64_t offset, IsIt&& is_it, Make&& make) {
    auto known = std::find_if(m_into.areas.begin(), m_into.areas.end(), is_it);
    if (known == m_into.areas.end()) {
      known = m_into.areas.insert(known, make());
      known->name += ", the kernel's pointer " + std::to_string(m_into.pointers.size() + 1);
    }
    m_into.pointers.push_back({at, std::size_t(known - m_into.areas.begin()), offset});
    if (const auto* slot = slot_at(at)) known->how.contents |= slot->flags;
    return *known;
  }
  /// Whether the bytes of another view of the same buffer overlap; then the whole buffer is one area.
  bool overlaps(const verified_use& one) const {
    const std::uint64_t begin = one.buffer->byte_offset(), end = begin + one.buffer->node()->bytes();
    return std::any_of(m_uses.begin(), m_uses.end(), [&](const verified_use& other) {
      return &other.buffer->root() == &one.buffer->root() && other.buffer->node() != one.buffer->node() &&
             other.buffer->byte_offset() < end &&
             begin < other.buffer->byte_offset() + other.buffer->node()->bytes();
    });
  }
  bool add_accessor(std::uint64_t at, std::uint64_t word) {
    const auto use =
        std::find_if(m_uses.begin(), m_uses.end(), [&](const verified_use& u) { return u.token == word; });
    if (use == m_uses.end()) return false;
    buffer_impl& whole = overlaps(*use) ? use->buffer->root() : *use->buffer;
    area& used = point(at, use->byte_offset - whole.byte_offset(),
                       [&](const area& a) { return a.buffer == whole.node(); }, [&] {
      area a;
      a.buffer = whole.node();
      a.region = engine_box(whole.shape());
      a.bytes = whole.node()->bytes();
      a.how.element_bytes = use->buffer->element_bytes();
      a.how.only_changed = !prism::is_defined(*a.buffer);
      a.name = "a buffer of " + std::to_string(a.bytes / a.how.element_bytes) + " elements of " +
               std::to_string(a.how.element_bytes) + " bytes";
      return a;
    });
    used.how.only_changed |= use->discards;
    return true;
  }
  bool add_output(std::uint64_t at, std::uint64_t word) {
    const auto& all = m_group.requirements;
    const auto output = std::find_if(
        all.begin(), all.end(), [&](const prism::requirement& r) { return r.is_output && r.token == word; });
    if (output == all.end()) return false;
    point(at, 0, [&](const area& a) { return a.buffer == output->buffer; }, [&] {
      area a;
      a.buffer = output->buffer;
      a.region = output->region;
      a.bytes = output->buffer->bytes();
      a.is_compared = false;
      return a;
    });
    return true;
  }
  void add_allocation(std::uint64_t at, std::uint64_t word) {
    constexpr std::uint64_t no_address = 4096; // small numbers are not addresses
    if (slot_at(at) == nullptr || word < no_address || word >> 47 != 0) return;
    auto block = prism::usm_find(reinterpret_cast<void*>(word));
    if (!block)
      block = prism::usm_find(reinterpret_cast<void*>(word - 1)); // it may point to the end of an allocation
    if (!block) {
      m_into.obstacle = "it captures a pointer to memory that is not a USM allocation";
      return;
    }
    point(at, word - reinterpret_cast<std::uint64_t>(block->base),
          [&](const area& a) { return a.usm == block->base; }, [&] {
      area a;
      a.usm = block->base;
      a.owner = block->device;
      a.bytes = block->bytes;
      a.skew = reinterpret_cast<std::uint64_t>(block->base) % 4096;
      a.how.only_changed =
          block->kind != prism::devices::memory_kind::device; // the host may write it at the same time
      a.name = "a USM allocation of " + std::to_string(a.bytes) + " bytes";
      return a;
    });
  }

  verified_launch& m_into;
  const prism::image::kernel_record& m_record;
  const prism::command_group& m_group;
  const std::vector<verified_use>& m_uses;
};

/// Returns a handle of the shared library that contains the object; null if it is never unloaded.
std::shared_ptr<void> module_of(const void* object) {
  Dl_info found;
  if (::dladdr(object, &found) == 0) return nullptr;
  void* const handle = ::dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  return {handle, [](void* h) { ::dlclose(h); }};
}

/// Returns the launch to verify; null if the command is not a kernel on a device, or cannot be compared.
std::shared_ptr<verified_launch> launch_of(const prism::device_node& device,
                                           const prism::command_group& group,
                                           const std::vector<verified_use>& uses) {
  const auto* kernel = std::get_if<prism::kernel_command>(&group.what);
  const prism::image::kernel_record* record =
      kernel != nullptr && kernel->slot != nullptr ? kernel->slot->record : nullptr;
  if (record == nullptr) return nullptr;
  const verification_checks what{wanted_checks().reference && device.backend_name() != "host",
                                 wanted_checks().orders && !kernel->is_range &&
                                     kernel->body.work_item != nullptr};
  if (!what.reference && !what.orders) return nullptr;
  auto made = std::make_shared<verified_launch>();
  made->what = what;
  made->name = kernel->name != nullptr && *kernel->name != '\0' ? kernel->name : record->display_name;
  made->line = prism::line_of(group);
  made->where = device.backend_name() + ":" + std::to_string(device.index_in_backend()) + " (" +
                device.info().name + ")";
  if (const std::string why = obstacle(*record); !why.empty()) {
    verification_tally::get().left_out(made->name, why);
    return nullptr;
  }
  made->kernel = *kernel;
  made->module = module_of(record);
  made->sub_groups_differ = (record->flags & prism::image::uses_sub_group) != 0 &&
                            record->required_sub_group_size == 0 &&
                            device.info().sub_group_sizes != prism::reference_device().info().sub_group_sizes;
  launch_reader(*made, *record, group, uses).read();
  if (!made->obstacle.empty()) {
    verification_tally::get().left_out(made->name, made->obstacle);
    return nullptr;
  }
  return made;
}

/// Returns the USM allocations that a command uses.
std::vector<const void*> allocations_of(const verified_launch* launch, const prism::request& what) {
  std::vector<const void*> out;
  const auto add = [&](const prism::copy_side& side) {
    if (side.pointer == nullptr) return;
    if (const auto block = prism::usm_find(side.pointer)) out.push_back(block->base);
  };
  if (launch != nullptr) {
    for (const area& each : launch->areas)
      if (each.usm != nullptr) out.push_back(each.usm);
  } else if (const auto* copy = std::get_if<prism::copy_request>(&what)) {
    add(copy->from);
    add(copy->to);
  } else if (const auto* fill = std::get_if<prism::fill_request>(&what)) {
    add(fill->to);
  }
  return out;
}

} // namespace

bool verifies() noexcept {
  static const bool is_on = [] {
    if (!wanted_checks().reference && !wanted_checks().orders) return false;
    verification_tally::get();
    return true;
  }();
  return is_on;
}

prism::command_ptr submit_verified(prism::queue_node& queue, prism::command_group&& group,
                                   const std::vector<verified_use>& uses, prism::command_ptr& end) {
  verification_tally& all = verification_tally::get();
  const auto launch = launch_of(queue.device(), group, uses);
  const std::vector<const void*> allocations = allocations_of(launch.get(), group.what);
  const std::lock_guard alone(all.order); // no other command may be submitted between these
  for (const void* base : allocations) all.follow_last_of(base, group.dependencies);
  if (launch)
    group.dependencies.push_back(
        launch->submit_task(queue, group.dependencies, 0, [launch] { launch->save_inputs(); }));
  prism::command_ptr command = prism::submit(queue, std::move(group));
  if (launch) end = launch->submit_task(queue, {command}, 1, [launch] { launch->compare(); });
  for (const void* base : allocations) all.set_last_of(base, launch ? end : command);
  return command;
}

void wait_for_verification(const void* allocation) {
  prism::command_ptr last;
  {
    const std::lock_guard alone(verification_tally::get().order);
    last = verification_tally::get().take_last_of(allocation);
  }
  if (last) last->wait();
}

}
}
} // namespace sycl::_V1::detail
