#include "runtime/exec_graph/fused_group.hpp"

#include "image_format/element_record.hpp"
#include "image_format/fuse_opencl.hpp"
#include "image_format/fuse_spirv.hpp"
#include "runtime/coherence/buffer_plan.hpp"
#include "runtime/support/hash.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

namespace prism::runtime {

namespace {

/// A kernel record for several kernels, with everything it points to. On the host device it lives as long as
/// its command. On other devices the program cache uses it as key, so there is one for each text, and it is
/// never destroyed.
struct fused_record {
  image::kernel_record record{};
  std::vector<image::pointer_slot> slots;
  std::string entry, display_name, image_bytes;
  image::kernel_image image{};
  image::kernel_slot slot{};
};

/// Alignment of each kernel's captured block within the fused one.
std::uint32_t block_alignment(fusion_method method) {
  return method == fusion_method::host ? 128 : method == fusion_method::vulkan_spirv ? 16 : 8;
}

/// Returns the process's one record with these image bytes.
std::shared_ptr<fused_record> shared_record(std::shared_ptr<fused_record> made) {
  static std::mutex mutex;
  // never destroyed, because programs refer to it
  static auto& known = *new std::map<std::string, std::shared_ptr<fused_record>>;
  std::string key = made->image_bytes;
  for (const image::pointer_slot& slot : made->slots)
    key += ' ' + std::to_string(slot.offset) + ':' + std::to_string(slot.flags);
  const std::lock_guard lock(mutex);
  return known.emplace(std::move(key), made).first->second;
}

class fuser {
public:
  fuser(fusion_method method, const std::vector<graph_command>& commands,
        const std::vector<fusion_node>& nodes, const fused_launch& launch)
      : m_method(method), m_commands(commands), m_nodes(nodes), m_launch(launch),
        m_record(std::make_shared<fused_record>()), m_fused(std::make_shared<fused_kernel_list>()) {}

  /// Returns null if the kernels' images cannot be fused; `refusal` is then the reason.
  std::shared_ptr<const command_group> make(const devices::capabilities& device, std::string& refusal) {
    auto group = std::make_shared<command_group>();
    kernel_command whole;
    // All have the work-items of the last one, but kernels whose elements it calls.
    const kernel_command& last = kernel_of(m_launch.nodes.back());
    whole.is_range = last.is_range;
    whole.global = last.global;
    whole.local = last.local;
    whole.body.items[0] = last.global[0];
    for (const std::size_t n : m_launch.nodes) {
      const command_group& from = *m_commands[n].group;
      add_kernel(n, whole);
      add_requirements(n, *group);
      group->keep_alive.insert(group->keep_alive.end(), from.keep_alive.begin(), from.keep_alive.end());
    }
    finish_record(whole);
    if (m_method == fusion_method::host) {
      m_fused->keep_alive = m_record;
      m_fused->item_bytes = item_bytes();
      whole.fused = m_fused;
    } else {
      refusal = fuse_images(device);
      if (!refusal.empty()) return nullptr;
    }
    whole.name = m_record->display_name.c_str();
    whole.slot = &m_record->slot;
    group->keep_alive.push_back(m_record);
    group->what = std::move(whole);
    return group;
  }

private:
  const kernel_command& kernel_of(std::size_t n) const {
    return std::get<kernel_command>(m_commands[n].group->what);
  }

  /// The index of the removed memory that an argument of node `n` points to; empty if that memory is not
  /// removed.
  std::optional<std::uint32_t> removed(std::size_t n, std::uint64_t key, std::uint32_t* stride) const {
    for (const fusion_access& access : m_nodes[n].accesses) {
      if (access.key != key || access.stride == 0) continue;
      for (std::uint32_t i = 0; i < m_launch.removed.size(); ++i)
        if (m_launch.removed[i].space == access.space && m_launch.removed[i].begin == access.begin) {
          *stride = static_cast<std::uint32_t>(access.stride);
          return i;
        }
    }
    return std::nullopt;
  }

  void add_kernel(std::size_t n, kernel_command& whole) {
    const kernel_command& kernel = kernel_of(n);
    const image::kernel_record& record = *kernel.slot->record;
    const std::uint32_t alignment = block_alignment(m_method);
    const auto offset =
        static_cast<std::uint32_t>((whole.captured.size() + alignment - 1) / alignment * alignment);
    whole.captured.resize(offset);
    whole.captured.insert(whole.captured.end(), kernel.captured.begin(), kernel.captured.end());
    m_fused->kernels.push_back(
        {kernel.slot, kernel.name, kernel.body, offset, static_cast<std::uint32_t>(kernel.captured.size())});
    for (std::uint32_t i = 0; i < record.slot_count; ++i) {
      std::uint32_t stride = 0;
      if (const auto memory = removed(n, record.slots[i].offset, &stride))
        m_fused->pointers.push_back({offset + record.slots[i].offset, *memory, stride});
      else m_record->slots.push_back({offset + record.slots[i].offset, record.slots[i].flags});
    }
    const char* name = kernel.name != nullptr && *kernel.name != '\0' ? kernel.name : record.display_name;
    m_record->display_name += (m_record->display_name.empty() ? "" : " + ") + std::string(name);
  }

  /// Accessors of removed memory are no requirements of the fused command: nothing is allocated for them and
  /// no command waits for them.
  void add_requirements(std::size_t n, command_group& to) const {
    const kernel_command& kernel = kernel_of(n);
    for (const requirement& r : m_commands[n].group->requirements) {
      bool is_removed = false;
      for (const private_pointer& pointer : m_fused->pointers) {
        const fused_kernel& fused = m_fused->kernels.back();
        if (pointer.offset < fused.offset) continue;
        std::uint64_t word = 0;
        std::memcpy(&word, kernel.captured.data() + (pointer.offset - fused.offset), sizeof word);
        is_removed = is_removed || (r.token != 0 && word == r.token);
      }
      if (m_launch.element && n == m_launch.nodes.back())
        is_removed =
            reinterpret_cast<std::uintptr_t>(static_cast<const buffer_view&>(*r.buffer).root().get()) ==
            m_launch.removed[*m_launch.element].space;
      if (!is_removed) to.requirements.push_back(r);
    }
  }

  /// The launch is the caller's, whose elements are computed.
  void take_caller(image::kernel_record& record) const {
    const image::kernel_record& caller = *kernel_of(m_launch.nodes.back()).slot->record;
    record.flags = caller.flags & ~std::uint32_t(image::calls_elements | image::arguments_by_value |
                                                 image::reaches_by_slots);
    std::copy_n(caller.required_local_size, 3, record.required_local_size);
    record.required_aspects = caller.required_aspects;
  }

  /// What the launch's last kernel calls, if it does.
  std::optional<image_format::computed_element> computed_element() const {
    if (!m_launch.element) return std::nullopt;
    const auto memory = std::uint32_t(*m_launch.element);
    return image_format::computed_element{memory, std::uint32_t(m_launch.removed[memory].stride)};
  }

  void finish_record(kernel_command& whole) {
    image::kernel_record& record = m_record->record;
    whole.captured.resize((whole.captured.size() + 15) / 16 * 16);
    if (m_launch.element) take_caller(record);
    record.entry = "prism_fused";
    record.display_name = m_record->display_name.c_str();
    record.argument_bytes = record.closure_bytes = static_cast<std::uint32_t>(whole.captured.size());
    record.local_element_bytes = 1;
    record.slots = m_record->slots.data();
    record.slot_count = static_cast<std::uint32_t>(m_record->slots.size());
    m_record->slot.record = &record;
  }

  struct image_of_kernel {
    const image::kernel_image* image = nullptr;
    std::uint32_t offset = 0;
    image_format::element_record elements;
    std::vector<image_format::removed_slot> removed;
    unsigned number = 0; // index of the list of access locations
  };

  std::vector<image_of_kernel> images_of_kernels(const devices::capabilities& device) const {
    std::vector<image_of_kernel> out;
    for (std::size_t p = 0; p < m_launch.nodes.size(); ++p) {
      const image::kernel_record& record = *kernel_of(m_launch.nodes[p]).slot->record;
      const fused_kernel& fused = m_fused->kernels[p];
      image_of_kernel chosen{
          images::choose_image(record, device).image,
          fused.offset,
          image_format::find_element_record(record).value_or(image_format::element_record()),
          {},
          0};
      chosen.number = image_format::place_list_of(record, chosen.image);
      for (const private_pointer& pointer : m_fused->pointers)
        for (std::uint32_t s = 0; s < record.slot_count; ++s)
          if (pointer.offset == fused.offset + record.slots[s].offset)
            chosen.removed.push_back({s, pointer.memory, pointer.stride});
      out.push_back(std::move(chosen));
    }
    return out;
  }

  /// How many words of the range, with which the p-th kernel's block begins, are those of the first kernel's.
  /// More than one dimension is compared only if the range has it, because the text depends on the result.
  std::uint32_t range_words(std::size_t p) const {
    const kernel_command &first = kernel_of(m_launch.nodes.front()), &kernel = kernel_of(m_launch.nodes[p]);
    const auto used = std::uint32_t(std::count_if(std::begin(kernel.global), std::end(kernel.global),
                                                  [](std::uint64_t extent) { return extent > 1; }));
    const std::size_t bytes = used * sizeof(std::uint64_t);
    const bool is_equal = first.is_range && kernel.is_range && first.global == kernel.global &&
                          bytes <= std::min(first.captured.size(), kernel.captured.size()) &&
                          std::memcmp(first.captured.data(), kernel.captured.data(), bytes) == 0;
    return is_equal ? used : 0;
  }

  /// Creates the image of the fused kernel and adds it to the record. Returns the reason if that is not
  /// possible, otherwise an empty string.
  std::string fuse_images(const devices::capabilities& device) {
    const std::vector<image_of_kernel> images = images_of_kernels(device);
    image::kernel_record& record = m_record->record;
    std::string refusal;
    if (m_method == fusion_method::opencl_c) {
      std::vector<image_format::opencl_part> texts;
      for (std::size_t p = 0; p < images.size(); ++p)
        texts.push_back({{static_cast<const char*>(images[p].image->data), images[p].image->size},
                         kernel_of(m_launch.nodes[p]).slot->record,
                         images[p].elements.places[images[p].number],
                         images[p].removed,
                         images[p].offset,
                         range_words(p)});
      image_format::fused_text made =
          image_format::fuse_opencl(texts, record.entry, record.argument_bytes, computed_element());
      refusal = made.refusal;
      if (made.by_value) record.flags |= image::arguments_by_value;
      m_record->image_bytes = std::move(made.text);
    } else {
      std::vector<image_format::spirv_part> modules;
      for (const image_of_kernel& each : images)
        modules.push_back(
            {{static_cast<const std::uint32_t*>(each.image->data), each.image->size / sizeof(std::uint32_t)},
             each.elements.places[each.number],
             each.removed,
             each.offset});
      const image_format::fused_module made =
          image_format::fuse_spirv(modules, record.entry, computed_element());
      refusal = made.refusal;
      m_record->image_bytes.assign(reinterpret_cast<const char*>(made.words.data()),
                                   made.words.size() * sizeof(std::uint32_t));
    }
    if (!refusal.empty()) return refusal;
    for (const image_of_kernel& each : images) m_record->image.features |= each.image->features;
    record.content_hash = support::hash64(std::as_bytes(std::span(m_record->image_bytes))) | 1;
    m_record->image.image_kind =
        m_method == fusion_method::opencl_c ? image::kind::opencl_c : image::kind::vulkan_spirv;
    m_record->image.data = m_record->image_bytes.data();
    m_record->image.size = m_record->image_bytes.size();
    record.images = &m_record->image;
    record.image_count = 1;
    m_record = shared_record(std::move(m_record));
    return {};
  }

  std::uint64_t item_bytes() const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> seen;
    std::uint64_t out = 0;
    for (const std::size_t n : m_launch.nodes)
      for (const fusion_access& access : m_nodes[n].accesses) {
        const std::pair<std::uint64_t, std::uint64_t> element(access.space, access.begin);
        if (access.stride == 0 || std::find(seen.begin(), seen.end(), element) != seen.end()) continue;
        seen.push_back(element);
        out += access.stride;
      }
    return out;
  }

  const fusion_method m_method;
  const std::vector<graph_command>& m_commands;
  const std::vector<fusion_node>& m_nodes;
  const fused_launch& m_launch;
  std::shared_ptr<fused_record> m_record;
  std::shared_ptr<fused_kernel_list> m_fused;
};

} // namespace

std::shared_ptr<const command_group> fused_group(const devices::capabilities& device, fusion_method method,
                                                 const std::vector<graph_command>& commands,
                                                 const std::vector<fusion_node>& nodes,
                                                 const fused_launch& launch, std::string& refusal) {
  return fuser(method, commands, nodes, launch).make(device, refusal);
}

} // namespace prism::runtime
