// Describes the memory accesses of a graph's commands, as input for the decision which kernels to fuse.
#include "image_format/element_record.hpp"
#include "runtime/coherence/buffer_plan.hpp"
#include "runtime/memory/usm_registry.hpp"
#include "runtime/exec_graph/fuse_commands.hpp"
#include "runtime/images/image_choice.hpp"

#include <algorithm>
#include <cstring>

namespace prism::runtime {

namespace {

constexpr std::uint64_t host_memory = 1; // the space of addresses outside of USM allocations

const buffer_view& view_of_buffer(const buffer_ptr& buffer) {
  return static_cast<const buffer_view&>(*buffer);
}

fusion_access whole_of(const buffer_view& view) {
  fusion_access out;
  out.space = reinterpret_cast<std::uintptr_t>(view.root().get());
  out.begin = view.offset();
  out.end = view.offset() + view.bytes();
  out.promoted = view.root()->promoted;
  return out;
}

/// The allocation that a pointer points into; if it is not in one, any memory.
fusion_access whole_of(const memory::usm_registry& usm, std::uint64_t address) {
  fusion_access out;
  const memory::usm_block block = usm.find(address);
  if (block.base == 0) return out;
  out.space = block.base;
  out.begin = block.base;
  out.end = block.base + block.bytes;
  out.promoted = block.promoted;
  return out;
}

class node_maker {
public:
  node_maker(device_state& device, fusion_method method, const graph_command& command, std::size_t number)
      : m_device(device), m_method(method), m_command(command) {
    m_node.name = command.name.empty() ? "node " + std::to_string(number) : command.name;
    m_node.after = command.after;
  }

  fusion_node make() {
    if (const auto* kernel = std::get_if<kernel_command>(&m_command.group->what);
        kernel != nullptr && !m_command.make) {
      m_node.is_kernel = true;
      add_kernel(*kernel);
    } else {
      add_requirements();
    }
    if (const auto* copy = std::get_if<copy_request>(&m_command.group->what)) {
      add_side(copy->from, false);
      add_side(copy->to, true);
    }
    if (const auto* fill = std::get_if<fill_request>(&m_command.group->what)) add_side(fill->to, true);
    if (const auto* update = std::get_if<update_host_request>(&m_command.group->what))
      add(whole_of(view_of_buffer(update->buffer)), true, false);
    return std::move(m_node);
  }

private:
  void add(fusion_access access, bool reads, bool writes) {
    access.reads = reads;
    access.writes = writes;
    m_node.accesses.push_back(access);
  }
  void add_side(const copy_side& side, bool writes) {
    add(side.buffer ? whole_of(view_of_buffer(side.buffer))
                    : whole_of(m_device.usm(), reinterpret_cast<std::uintptr_t>(side.pointer)),
        !writes, writes);
  }
  void add_requirements() {
    for (const requirement& r : m_command.group->requirements)
      add(whole_of(view_of_buffer(r.buffer)), mode_reads(r.mode), mode_writes(r.mode));
  }

  void add_kernel(const kernel_command& kernel) {
    m_node.items = kernel.global;
    if (!kernel.is_range) m_node.local = kernel.local;
    m_node.argument_bytes = kernel.captured.size();
    const image::kernel_record* record = kernel.slot != nullptr ? kernel.slot->record : nullptr;
    const auto elements = record != nullptr ? image_format::find_element_record(*record) : std::nullopt;
    if (elements) m_node.arguments = record->slot_count;
    m_node.calls_elements = record != nullptr && (record->flags & image::calls_elements) != 0;
    m_node.obstacle = obstacle(kernel, record, elements ? &*elements : nullptr);
    if (m_node.calls_elements) return add_requirements(); // its own memory is its caller's matter
    if (!m_node.obstacle.empty()) {
      add_requirements();
      for (std::uint32_t i = 0; record != nullptr && i < record->slot_count; ++i)
        if (const std::uint64_t word = word_at(kernel, record->slots[i].offset); word != 0 && !is_token(word))
          add(whole_of(m_device.usm(), word), true, true);
      return;
    }
    const bool own_elements = image_format::holds(
        *elements, {{kernel.captured.data(), kernel.captured.size()}, kernel.global, kernel.is_range});
    for (std::uint32_t i = 0; i < record->slot_count; ++i)
      add_slot(kernel, record->slots[i], elements->slots[i], own_elements);
    if (m_method != fusion_method::host && !knows_all_places(*record, *elements))
      for (fusion_access& access : m_node.accesses) access.promoted = false;
  }

  std::string obstacle(const kernel_command& kernel, const image::kernel_record* record,
                       const image_format::element_record* elements) const {
    if (m_command.submit) return "is compared with the host device (PRISM_VERIFY)";
    if (record == nullptr) return "was compiled without prism++";
    if (!m_node.calls_elements) {
      if (elements == nullptr) return "was compiled by a prism++ without analysis of its elements";
      if (!elements->refusal.empty()) return "is not element-wise: " + elements->refusal;
    } else if (record->static_local_bytes != 0) return "uses local memory";
    if (kernel.fixes_order) return "has the fixed order of sums (docs/reproducible.md)";
    if (kernel.captured.size() < record->argument_bytes) return "captures fewer bytes than its image expects";
    if (std::count(kernel.global.begin(), kernel.global.end(), 0u) != 0) return "has an empty range";
    if (!kernel.locals.empty()) return "has local accessors";
    if (m_method == fusion_method::host && kernel.is_range && kernel.body.range == nullptr)
      return "has no range body for the host";
    if (m_method != fusion_method::host) {
      const images::image_choice choice = images::choose_image(*record, m_device.info());
      if (choice.image == nullptr) return "has no image for the device: " + choice.refusal;
      const image::kind wanted =
          m_method == fusion_method::opencl_c ? image::kind::opencl_c : image::kind::vulkan_spirv;
      if (choice.image->image_kind != wanted)
        return std::string("runs as ") + images::kind_name(choice.image->image_kind);
      if (!m_node.calls_elements && image_format::watches_loops(*choice.image))
        return "has long loops, and some drivers limit the loop iterations of a launch";
      if (wanted == image::kind::opencl_c && (record->flags & image::arguments_by_value) == 0)
        return "captures too much to pass by value";
    }
    for (std::uint32_t i = 0; i < record->slot_count; ++i) {
      const std::uint64_t word = word_at(kernel, record->slots[i].offset);
      if (is_token(word) && find(word) == nullptr)
        return "captures an accessor that its command group does not have";
    }
    return {};
  }

  /// Whether the argument of each memory access in the image is known.
  bool knows_all_places(const image::kernel_record& record,
                        const image_format::element_record& elements) const {
    const auto& places =
        elements
            .places[image_format::place_list_of(record, images::choose_image(record, m_device.info()).image)];
    return !places.empty() && std::all_of(places.begin(), places.end(), [](const image::element_place& p) {
      return p.slot != image::element_place::elsewhere;
    });
  }

  const requirement* find(std::uint64_t token) const {
    for (const requirement& r : m_command.group->requirements)
      if (r.token == token) return &r;
    return nullptr;
  }

  static std::uint64_t word_at(const kernel_command& kernel, std::uint32_t offset) {
    std::uint64_t word = 0;
    if (offset + sizeof word <= kernel.captured.size())
      std::memcpy(&word, kernel.captured.data() + offset, sizeof word);
    return word;
  }

  void add_slot(const kernel_command& kernel, const image::pointer_slot& slot,
                const image::element_slot& done, bool own_elements) {
    using namespace image;
    const std::uint64_t word = word_at(kernel, slot.offset);
    if (word == 0 || done.flags == 0) return;
    const requirement* accessor = is_token(word) ? find(word) : nullptr;
    fusion_access whole =
        accessor != nullptr ? whole_of(view_of_buffer(accessor->buffer)) : whole_of(m_device.usm(), word);
    whole.key = slot.offset;
    const std::uint32_t own = element_is_read | element_is_written;
    if ((done.flags & ~(own | element_is_written_always)) != 0 || !own_elements) {
      const bool reads = (done.flags & (element_is_read | others_are_read)) != 0,
                 writes = (done.flags & (element_is_written | others_are_written)) != 0;
      return add(whole, reads, writes);
    }
    const std::uint64_t items = kernel.global[0] * kernel.global[1] * kernel.global[2];
    if (whole.space == fusion_access::anywhere) whole.space = host_memory;
    whole.begin = accessor != nullptr ? whole.begin + accessor->byte_offset : word;
    whole.end = whole.begin + items * done.stride;
    whole.stride = done.stride;
    whole.writes_always =
        (done.flags & element_is_written_always) != 0 && (done.flags & element_is_read) == 0;
    // Groups of more than one dimension do not contain consecutive linear ids.
    whole.promoted = whole.promoted && (kernel.is_range || (kernel.global[1] == 1 && kernel.global[2] == 1));
    add(whole, (done.flags & element_is_read) != 0, (done.flags & element_is_written) != 0);
  }

  device_state& m_device;
  const fusion_method m_method;
  const graph_command& m_command;
  fusion_node m_node;
};

} // namespace

std::vector<fusion_node> fusion_nodes(device_state& device, fusion_method method,
                                      const std::vector<graph_command>& commands) {
  std::vector<fusion_node> out;
  for (std::size_t n = 0; n < commands.size(); ++n)
    out.push_back(node_maker(device, method, commands[n], n).make());
  return out;
}

} // namespace prism::runtime
