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
  const bool whole =
      bytes.take(out.slots, head.slot_count) && bytes.take(out.conditions, head.condition_count) &&
      bytes.take(out.places[0], head.places[0]) && bytes.take(out.places[1], head.places[1]) &&
      bytes.take(out.places[2], head.places[2]) && bytes.take(out.places[3], head.places[3]) &&
      bytes.take(out.accesses, head.access_count) && bytes.take(out.checks, head.check_count) &&
      bytes.take(out.terms, head.term_count) && bytes.take(out.refusal, head.refusal_bytes);
  const auto has_its_terms = [&](const auto& each) {
    return std::uint64_t(each.first_term) + each.term_count <= out.terms.size();
  };
  const bool has_terms = std::all_of(out.accesses.begin(), out.accesses.end(), has_its_terms) &&
                         std::all_of(out.checks.begin(), out.checks.end(), has_its_terms);
  if (!whole || !has_terms || (out.refusal.empty() && out.slots.size() != slot_count)) return std::nullopt;
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
  constexpr unsigned last = std::size(element_record().places) - 1;
  unsigned number = 1;
  for (const image::kernel_image* each = record.images; each != image && number < last; ++each)
    number += each->image_kind == image::kind::vulkan_spirv;
  return number;
}

namespace {

bool fits_narrow(const element_record& record, const element_launch& launch) {
  std::uint64_t all = 1;
  for (const std::uint64_t n : launch.items)
    if (!multiply(all, n)) return false;
  return !record.narrow_indices || all < (std::uint64_t(1) << 31);
}

} // namespace

bool holds(const element_record& record, const element_launch& launch) {
  return fits_narrow(record, launch) && std::all_of(record.conditions.begin(), record.conditions.end(),
                                                    [&](const auto& c) { return holds(c, launch); });
}

namespace {

constexpr std::int64_t farthest = std::int64_t(1) << 62; // addresses count modulo 2^64

/// The factor times the captured words; empty if it is out of bounds.
std::optional<std::int64_t> factor_of(const image::element_term& term, std::span<const std::byte> captured) {
  std::int64_t product = term.factor;
  for (int w = 0; w < 2; ++w) {
    if (term.bytes[w] == 0) continue;
    std::int64_t word = 0;
    if (term.bytes[w] > sizeof word || term.offset[w] + std::uint64_t(term.bytes[w]) > captured.size())
      return std::nullopt;
    std::memcpy(&word, captured.data() + term.offset[w], term.bytes[w]);
    const bool may_be_negative = term.bytes[w] < 8 && (word >> (8 * term.bytes[w] - 1)) != 0;
    if (may_be_negative || __builtin_mul_overflow(product, word, &product)) return std::nullopt;
  }
  return product;
}

/// The bytes of one access by the items [first, last).
std::optional<byte_reach> reach_of(std::span<const image::element_term> terms, std::uint32_t bytes,
                                   std::span<const std::byte> captured,
                                   const std::array<std::uint64_t, 3>& first,
                                   const std::array<std::uint64_t, 3>& last) {
  byte_reach out{0, bytes};
  for (const image::element_term& term : terms) {
    const auto factor = factor_of(term, captured);
    if (!factor || term.dimension > image::element_term::no_id) return std::nullopt;
    const bool has_id = term.dimension != image::element_term::no_id;
    std::int64_t low = *factor, high = *factor;
    if (has_id && (__builtin_mul_overflow(*factor, std::int64_t(first[term.dimension]), &low) ||
                   __builtin_mul_overflow(*factor, std::int64_t(last[term.dimension] - 1), &high)))
      return std::nullopt;
    if (__builtin_add_overflow(out.begin, std::min(low, high), &out.begin) ||
        __builtin_add_overflow(out.end, std::max(low, high), &out.end))
      return std::nullopt;
  }
  if (out.begin < -farthest || out.end > farthest) return std::nullopt;
  return out;
}

template <typename Listed>
std::span<const image::element_term> terms_of(const element_record& record, const Listed& of) {
  return std::span(record.terms).subspan(of.first_term, of.term_count);
}

/// Whether the indices are within their bounds for all work-items of the launch.
bool are_in_bounds(const element_record& record, const element_launch& launch) {
  constexpr std::int64_t limit = std::int64_t(1) << 31;
  return std::all_of(record.checks.begin(), record.checks.end(),
                     [&](const image::element_index_check& check) {
    const auto values = reach_of(terms_of(record, check), 0, launch.captured, {0, 0, 0}, launch.items);
    if (!values) return false;
    if (check.bound == image::index_bound::not_negative) return values->begin >= 0;
    return check.bound == image::index_bound::signed_32_bits && values->begin >= -limit &&
           values->end < limit;
  });
}

} // namespace

std::optional<byte_reach> reach_of(const element_record& record, std::uint32_t slot,
                                   const element_launch& launch, const std::array<std::uint64_t, 3>& first,
                                   const std::array<std::uint64_t, 3>& last) {
  const bool is_listed = record.refusal.empty() && slot < record.slots.size() &&
                         (record.slots[slot].flags & image::reaches_anywhere) == 0;
  const bool computes_right = std::all_of(record.conditions.begin(), record.conditions.end(),
                                          [&](const auto& c) { return c.narrows == 0 || holds(c, launch); });
  if (!is_listed || !computes_right || !fits_narrow(record, launch) || !are_in_bounds(record, launch))
    return std::nullopt;
  byte_reach all{farthest, -farthest};
  bool is_used = false;
  for (const image::element_access& access : record.accesses) {
    if (access.slot != slot) continue;
    const auto one = reach_of(terms_of(record, access), access.bytes, launch.captured, first, last);
    if (!one) return std::nullopt;
    is_used = true;
    if ((access.bounds & image::bounds_begin) != 0) all.begin = std::min(all.begin, one->begin);
    if ((access.bounds & image::bounds_end) != 0) all.end = std::max(all.end, one->end);
  }
  if (!is_used) return byte_reach{};
  return all.begin <= all.end ? std::optional(all) : std::nullopt;
}

} // namespace prism::image_format
