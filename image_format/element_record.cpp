#include "image_format/element_record.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace prism::image_format {

namespace {

/// Reads arrays from a sequence of bytes, from front to back.
class reader {
public:
  reader(const void* data, std::uint64_t bytes) : m_data(static_cast<const char*>(data)), m_left(bytes) {}
  template <typename T>
  bool take(T* to, std::uint64_t count) {
    if (count > m_left / sizeof(T)) return false;
    if (count != 0) std::memcpy(to, m_data, count * sizeof(T));
    m_data += count * sizeof(T);
    m_left -= count * sizeof(T);
    return true;
  }
  template <typename T>
  bool take(std::vector<T>& to, std::uint64_t count) {
    if (count > m_left / sizeof(T)) return false;
    to.resize(count);
    return take(to.data(), count);
  }
  bool take(std::string& to, std::uint64_t count) {
    if (count > m_left) return false;
    to.resize(count);
    return take(to.data(), count);
  }

private:
  const char* m_data;
  std::uint64_t m_left;
};

std::optional<element_record> read(const image::kernel_image& from, std::uint32_t slot_count) {
  reader bytes(from.data, from.size);
  image::element_wise head;
  element_record out;
  if (!bytes.take(&head, 1) || head.version != image::element_wise_version) return std::nullopt;
  const bool whole = bytes.take(out.slots, head.slot_count) &&
                     bytes.take(out.conditions, head.condition_count) &&
                     bytes.take(out.places[0], head.places[0]) && bytes.take(out.places[1], head.places[1]) &&
                     bytes.take(out.places[2], head.places[2]) && bytes.take(out.refusal, head.refusal_bytes);
  if (!whole || (out.refusal.empty() && out.slots.size() != slot_count)) return std::nullopt;
  out.narrow_indices = head.narrow_indices != 0;
  return out;
}

bool multiply(std::uint64_t& product, std::uint64_t by) {
  return !__builtin_mul_overflow(product, by, &product);
}

bool holds(const image::element_condition& c, const element_launch& launch) {
  std::uint64_t product = c.factor;
  for (int w = 0; w < 2; ++w) {
    if (c.bytes[w] == 0) continue;
    std::uint64_t word = 0;
    if (c.bytes[w] > sizeof word || c.offset[w] + std::uint64_t(c.bytes[w]) > launch.captured.size())
      return false;
    std::memcpy(&word, launch.captured.data() + c.offset[w], c.bytes[w]);
    if (!multiply(product, word)) return false;
  }
  if (c.extents != 0 && launch.is_range) return false;
  for (int d = 0; d < 3; ++d)
    if ((c.extents >> d & 1) != 0 && !multiply(product, launch.items[std::size_t(d)])) return false;
  std::uint64_t wanted = c.what == image::element_condition::zero ? 0 : 1;
  for (std::uint32_t d = 0; d < c.what && c.what <= image::element_condition::step_z; ++d)
    if (!multiply(wanted, launch.items[d])) return false;
  return product == wanted;
}

} // namespace

std::optional<element_record> find_element_record(const image::kernel_record& record) {
  for (std::uint32_t i = 0; i < record.image_count; ++i)
    if (record.images[i].image_kind == image::element_wise_kind && record.images[i].data != nullptr)
      return read(record.images[i], record.slot_count);
  return std::nullopt;
}

bool watches_loops(const image::kernel_image& image) {
  if (image.image_kind == image::kind::opencl_c)
    return std::string_view(static_cast<const char*>(image.data), image.size)
               .find("prism_fault_parameters") != std::string_view::npos;
  if (image.image_kind != image::kind::vulkan_spirv) return false;
  constexpr std::uint32_t header_words = 5, op_decorate = 71, spec_id = 1, loop_constant = 4;
  const std::span words(static_cast<const std::uint32_t*>(image.data), image.size / sizeof(std::uint32_t));
  for (std::size_t at = header_words; at < words.size(); at += std::max<std::size_t>(words[at] >> 16, 1))
    if (words[at] == (4u << 16 | op_decorate) && words.size() - at >= 4 && words[at + 2] == spec_id &&
        words[at + 3] == loop_constant)
      return true;
  return false;
}

unsigned place_list_of(const image::kernel_record& record, const image::kernel_image* image) {
  if (image == nullptr || image->image_kind != image::kind::vulkan_spirv) return 0;
  for (std::uint32_t i = 0; i < record.image_count; ++i)
    if (record.images[i].image_kind == image::kind::vulkan_spirv) return &record.images[i] == image ? 1 : 2;
  return 1;
}

bool holds(const element_record& record, const element_launch& launch) {
  std::uint64_t all = 1;
  for (const std::uint64_t n : launch.items)
    if (!multiply(all, n)) return false;
  if (record.narrow_indices && all >= (std::uint64_t(1) << 31)) return false;
  return std::all_of(record.conditions.begin(), record.conditions.end(),
                     [&](const auto& c) { return holds(c, launch); });
}

} // namespace prism::image_format
