// Programs of the host device: native work-group functions that the compiler wrote. Kernels without one need
// no program: their dispatch carries the ordinary C++ body (host_kernel::body).
#pragma once

#include "devices/api/device.hpp"
#include "devices/api/host_group.hpp"

namespace prism::devices::host {

using image::group_context;
using image::host_group_function;

class compiled_kernel final : public kernel {
public:
  compiled_kernel(host_group_function function, kernel_limits limits, const image::kernel_record* record);
  kernel_limits limits() const override { return m_limits; }
  host_group_function function() const noexcept { return m_function; }
  const image::kernel_record* record() const noexcept { return m_record; } // may be null
  std::uint32_t spill_bytes() const noexcept { return m_spill_bytes; }     // per work-item
  /// For ranges; null if the loop over the body's work-items is as fast.
  host_group_function whole_groups() const noexcept { return m_whole_groups; }
  std::uint32_t whole_groups_spill_bytes() const noexcept { return m_whole_groups_spill_bytes; }

private:
  host_group_function m_function;
  kernel_limits m_limits;
  const image::kernel_record* m_record;
  std::uint32_t m_spill_bytes = 0, m_whole_groups_spill_bytes = 0;
  host_group_function m_whole_groups = nullptr;
};

/// One work-group function under the record's entry name (any name if there is no record).
class host_program final : public program {
public:
  host_program(const program_source& source, const capabilities& info);
  kernel& get_kernel(std::string_view entry) override;
  const std::string& build_log() const noexcept override { return m_log; }
  std::vector<std::byte> binary() const override { return {}; } // native code is in the executable already

private:
  std::string m_entry, m_log;
  compiled_kernel m_kernel;
};

} // namespace prism::devices::host
