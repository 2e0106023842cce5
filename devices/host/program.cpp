#include "devices/host/program.hpp"

namespace prism::devices::host {
namespace {

kernel_limits limits_of(const image::kernel_record* record, const capabilities& info) {
  kernel_limits limits;
  limits.max_group_size = info.max_group_size;
  limits.preferred_multiple = 1;
  limits.local_bytes = record ? record->static_local_bytes : 0;
  return limits;
}

} // namespace

compiled_kernel::compiled_kernel(host_group_function function, kernel_limits limits,
                                 const image::kernel_record* record)
    : m_function(function), m_limits(limits), m_record(record) {
  for (std::uint32_t i = 0; record && i < record->image_count; ++i)
    if (const image::kernel_image& found = record->images[i]; found.image_kind == image::kind::host_group) {
      m_spill_bytes = found.spill_bytes;
    } else if (found.image_kind == image::kind::host_whole_groups) {
      m_whole_groups = reinterpret_cast<host_group_function>(reinterpret_cast<std::uintptr_t>(found.data));
      m_whole_groups_spill_bytes = found.spill_bytes;
    }
}

host_program::host_program(const program_source& source, const capabilities& info)
    : m_entry(source.record && source.record->entry ? source.record->entry : ""),
      m_kernel(reinterpret_cast<host_group_function>(reinterpret_cast<std::uintptr_t>(source.data)),
               limits_of(source.record, info), source.record) {}

kernel& host_program::get_kernel(std::string_view entry) {
  if (!m_entry.empty() && entry != m_entry)
    throw device_error(error_category::invalid, "",
                       "kernel \"" + std::string(entry) + "\" of a host program: it holds only \"" + m_entry +
                           "\"");
  return m_kernel;
}

} // namespace prism::devices::host
