// A fixture for kernels in LLVM text: allocates memory, emits, validates and runs.
#pragma once

#include <algorithm>

#include <gtest/gtest.h>

#include "kernel_check.hpp"

namespace prism::test {

class spirv_kernel : public testing::Test {
protected:
  void SetUp() override {
    if (shared_runner() == nullptr) GTEST_SKIP() << "Vulkan: " << why_no_runner();
  }

  template <typename T>
  struct array {
    T* host;
    std::uint64_t address;
  };
  template <typename T>
  array<T> make(std::size_t count) {
    const auto memory = shared_runner()->allocate(count * sizeof(T) + 64);
    return {static_cast<T*>(memory.host), memory.address};
  }

  void run(const std::string& text, const std::vector<std::uint64_t>& captured, launch_shape shape,
           std::uint32_t local_bytes = 0) {
    m_emitted = emit_text(text);
    ASSERT_EQ(m_emitted.refusal, "");
    ASSERT_EQ(validate(m_emitted.words), "");
    shape.local_elements = std::max(1u, local_bytes / m_emitted.local_element_bytes);
    ASSERT_EQ(shared_runner()->run(m_emitted.words, "k", shape, captured), "");
  }

  compiler::spirv_result m_emitted;
};

/// Computes %id, the work-item's global id in dimension 0.
inline constexpr const char* global_id = R"(
  %l = call i64 @__prism_local_id(i32 0)
  %g = call i64 @__prism_group_id(i32 0)
  %lsize = call i64 @__prism_local_size(i32 0)
  %lbase = mul i64 %g, %lsize
  %id = add i64 %lbase, %l
)";

} // namespace prism::test
