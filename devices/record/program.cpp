#include "devices/record/program.hpp"

#include <algorithm>
#include <cstring>

namespace prism::devices::record {
namespace {

struct header {
  char magic[8] = {'P', 'R', 'I', 'S', 'M', 'R', 'E', 'C'};
  std::uint64_t kind = 0, bytes = 0;
};

} // namespace

record_program::record_program(image::kind kind, std::vector<std::byte> image,
                               const image::kernel_record* record, const capabilities& info)
    : m_kind(kind), m_image(std::move(image)), m_entry(record && record->entry ? record->entry : "") {
  constexpr std::string_view broken = "#error";
  if (kind == image::kind::opencl_c && m_image.size() >= broken.size() &&
      std::memcmp(m_image.data(), broken.data(), broken.size()) == 0)
    throw device_error(error_category::build, "",
                       "build a program on the record device: the source says #error");
  m_limits.max_group_size = info.max_group_size;
  m_limits.preferred_multiple = info.sub_group_sizes.front();
  m_limits.local_bytes = record ? record->static_local_bytes : 0;
}

kernel& record_program::get_kernel(std::string_view entry) {
  if (!m_entry.empty() && entry != m_entry)
    throw device_error(error_category::invalid, "",
                       "kernel \"" + std::string(entry) + "\" of a program that holds only \"" + m_entry +
                           "\"");
  auto found = m_kernels.find(entry);
  if (found == m_kernels.end())
    found = m_kernels.emplace(std::string(entry), record_kernel(std::string(entry), m_limits)).first;
  return found->second;
}

std::vector<std::byte> record_program::binary() const {
  header start;
  start.kind = std::uint64_t(m_kind);
  start.bytes = m_image.size();
  std::vector<std::byte> bytes(sizeof start + m_image.size());
  std::memcpy(bytes.data(), &start, sizeof start);
  std::copy(m_image.begin(), m_image.end(), bytes.begin() + sizeof start);
  return bytes;
}

std::unique_ptr<record_program> read_binary(std::span<const std::byte> binary,
                                            const image::kernel_record* record, const capabilities& info) {
  const header wanted;
  header start;
  if (binary.size() < sizeof start) return nullptr;
  std::memcpy(&start, binary.data(), sizeof start);
  if (std::memcmp(start.magic, wanted.magic, sizeof start.magic) != 0 ||
      start.bytes != binary.size() - sizeof start)
    return nullptr;
  return std::make_unique<record_program>(image::kind(start.kind),
                                          std::vector<std::byte>(binary.begin() + sizeof start, binary.end()),
                                          record, info);
}

} // namespace prism::devices::record
