// Programs of the record device: a copy of the image. A text image that begins with "#error" fails to build,
// so that tests cover that path.
#pragma once

#include "devices/api/device.hpp"

#include <map>

namespace prism::devices::record {

class record_kernel final : public kernel {
public:
  record_kernel(std::string entry, kernel_limits limits) : m_entry(std::move(entry)), m_limits(limits) {}
  kernel_limits limits() const override { return m_limits; }
  const std::string& entry() const noexcept { return m_entry; }

private:
  std::string m_entry;
  kernel_limits m_limits;
};

class record_program final : public program {
public:
  record_program(image::kind kind, std::vector<std::byte> image, const image::kernel_record* record,
                 const capabilities& info);
  /// Without a record every name is accepted.
  kernel& get_kernel(std::string_view entry) override;
  const std::string& build_log() const noexcept override { return m_log; }
  std::vector<std::byte> binary() const override;
  image::kind image_kind() const noexcept { return m_kind; }

private:
  image::kind m_kind;
  std::vector<std::byte> m_image;
  std::string m_entry, m_log;
  kernel_limits m_limits;
  std::map<std::string, record_kernel, std::less<>> m_kernels;
};

/// The program of record_program::binary; null for other bytes.
std::unique_ptr<record_program> read_binary(std::span<const std::byte> binary,
                                            const image::kernel_record* record, const capabilities& info);

} // namespace prism::devices::record
