// Finds the memory that a launch uses, from the words of its captured block that point into buffers and USM
// allocations.
#include "runtime/api/verified_launch.hpp"

#include "devices/api/image.hpp"
#include "runtime/api/reference.hpp"
#include "runtime/api/verification_results.hpp"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>

namespace sycl {
inline namespace _V1 {
namespace detail {
namespace verification {

namespace {

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
    for (area& each : m_into.areas) each.how.tolerance = tolerance();
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

} // namespace

std::shared_ptr<verified_launch> launch_of(const prism::device_node& device,
                                           const prism::command_group& group,
                                           const std::vector<verified_use>& uses) {
  const auto* kernel = std::get_if<prism::kernel_command>(&group.what);
  const prism::image::kernel_record* record =
      kernel != nullptr && kernel->slot != nullptr ? kernel->slot->record : nullptr;
  if (record == nullptr || device.backend_name() == "host") return nullptr;
  auto made = std::make_shared<verified_launch>();
  made->name = kernel->name != nullptr && *kernel->name != '\0' ? kernel->name : record->display_name;
  made->where = device.backend_name() + ":" + std::to_string(device.index_in_backend()) + " (" +
                device.info().name + ")";
  if (const std::string why = obstacle(*record); !why.empty()) {
    tally::get().left_out(made->name, why);
    return nullptr;
  }
  made->kernel = *kernel;
  made->module = module_of(record);
  made->sub_groups_differ = (record->flags & prism::image::uses_sub_group) != 0 &&
                            record->required_sub_group_size == 0 &&
                            device.info().sub_group_sizes != prism::reference_device().info().sub_group_sizes;
  launch_reader(*made, *record, group, uses).read();
  if (!made->obstacle.empty()) {
    tally::get().left_out(made->name, made->obstacle);
    return nullptr;
  }
  return made;
}

}
}
}
} // namespace sycl::_V1::detail::verification
