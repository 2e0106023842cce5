// The host device for prism-info: its capabilities without the code that runs kernels, so that
// the tool needs no library. Every function that creates an object throws.
#include "devices/api/backend.hpp"
#include "devices/host/capabilities.hpp"

namespace prism::devices {
namespace {

class described_host final : public device {
public:
  const capabilities& info() const noexcept override { return m_info; }
  std::unique_ptr<memory> create_memory(std::uint64_t, memory_kind, std::uint64_t) override { refuse(); }
  std::unique_ptr<memory> adopt(void*, std::uint64_t) override { refuse(); }
  std::unique_ptr<program> create_program(const program_source&) override { refuse(); }
  std::unique_ptr<program> create_program_from_binary(std::span<const std::byte>,
                                                      const program_source&) override {
    refuse();
  }
  std::unique_ptr<queue> create_queue(const queue_options&) override { refuse(); }
  bool can_wait_for(const timeline&) const noexcept override { return false; }
  std::string fingerprint() const override { return "described host"; }
  void* native(std::string_view) const noexcept override { return nullptr; }

private:
  [[noreturn]] static void refuse() {
    throw device_error(error_category::unsupported, "",
                       "prism-info describes the host device, it does not run kernels");
  }
  capabilities m_info = host::gather_capabilities();
};

std::vector<std::unique_ptr<device>> open() {
  std::vector<std::unique_ptr<device>> all;
  all.push_back(std::make_unique<described_host>());
  return all;
}

} // namespace

const backend& host_backend(); // declared again by registry.cpp

const backend& host_backend() {
  static const backend record = [] {
    backend b;
    b.name = "host";
    b.display_name = "Host processor";
    b.type = "native";
    b.priority = 100;
    b.open = open;
    return b;
  }();
  return record;
}

} // namespace prism::devices
