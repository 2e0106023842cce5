// Shared by program and dispatch tests: builds the kit's kernels once for each test and launches them.
#pragma once

#include "tests/devices/conformance/kernels.hpp"
#include "tests/devices/conformance/kit.hpp"

namespace prism::devices::conformance {

class launcher : public kit {
protected:
  void SetUp() override {
    if (!executes()) GTEST_SKIP() << "the device only records dispatches";
    std::string why;
    if (!source_for(test_kernel::scale_add, m_device, why)) GTEST_SKIP() << why;
  }
  kernel_source source(test_kernel which) {
    std::string why;
    return *source_for(which, m_device, why);
  }
  /// Built once for each test.
  kernel& built(test_kernel which) {
    const auto s = source(which);
    m_programs.push_back(m_device.create_program(s.source));
    return m_programs.back()->get_kernel(s.record->entry);
  }
  /// Memory that kernels can use on this device, by slot or by address.
  std::unique_ptr<memory> words(std::uint64_t count, std::uint32_t value) {
    std::vector<std::uint32_t> initial(count, value);
    return make(bytes_of(initial));
  }
  std::vector<std::uint32_t> values(memory& m) { return as<std::uint32_t>(read(m)); }

  std::vector<std::unique_ptr<program>> m_programs;
};

} // namespace prism::devices::conformance
