// Building programs: from source, from a binary, from damaged data.
#include "tests/devices/conformance/launcher.hpp"

#include <cstring>

namespace prism::devices::conformance {
namespace {

class program_test : public launcher {
protected:
  void check_runs(program& p) {
    const auto s = source(test_kernel::scale_add);
    const auto m = words(100, 2);
    run(make_dispatch(s, p.get_kernel("scale_add"), *m, 0, 5, 100, {2, 1, 1}, {64, 1, 1}));
    const auto result = values(*m);
    for (std::uint32_t i = 0; i < 100; ++i) ASSERT_EQ(result[i], 10 + i);
  }
};

TEST_F(program_test, has_the_kernel_of_its_record_and_no_other) {
  const auto p = m_device.create_program(source(test_kernel::scale_add).source);
  auto& k = p->get_kernel("scale_add");
  EXPECT_EQ(&k, &p->get_kernel("scale_add"));
  try {
    p->get_kernel("no_such_kernel");
    FAIL() << "found a kernel that does not exist";
  } catch (const device_error& error) {
    EXPECT_EQ(error.category(), error_category::invalid);
    EXPECT_NE(std::string(error.what()).find("no_such_kernel"), std::string::npos) << error.what();
  }
}

TEST_F(program_test, kernel_limits_are_those_of_the_device_or_less) {
  const auto limits = built(test_kernel::scale_add).limits();
  EXPECT_GE(limits.max_group_size, 1u);
  EXPECT_LE(limits.max_group_size, m_device.info().max_group_size);
  EXPECT_GE(limits.preferred_multiple, 1u);
  EXPECT_LE(limits.local_bytes, m_device.info().local_memory);
}

TEST_F(program_test, a_binary_round_trip_keeps_the_kernel) {
  const auto s = source(test_kernel::scale_add).source;
  std::vector<std::byte> binary;
  {
    const auto p = m_device.create_program(s);
    check_runs(*p);
    binary = p->binary();
  }
  if (binary.empty()) GTEST_SKIP() << "the device has no binaries";
  const auto again = m_device.create_program_from_binary(binary, s);
  ASSERT_NE(again, nullptr);
  check_runs(*again);
}

TEST_F(program_test, loading_a_damaged_binary_returns_null) {
  const auto s = source(test_kernel::scale_add).source;
  const auto binary = m_device.create_program(s)->binary();
  std::vector<std::vector<std::byte>> damaged{{}, {std::byte(1)}, pattern(1000, 3)};
  if (!binary.empty()) {
    damaged.emplace_back(binary.begin(), binary.begin() + std::ptrdiff_t(binary.size() / 2));
    auto flipped = binary;
    for (std::size_t i = 0; i < std::min<std::size_t>(64, flipped.size()); ++i) flipped[i] ^= std::byte(0xff);
    damaged.push_back(flipped);
  }
  for (const auto& bytes : damaged) {
    std::unique_ptr<program> p;
    EXPECT_NO_THROW(p = m_device.create_program_from_binary(bytes, s));
    EXPECT_EQ(p, nullptr) << "accepted " << bytes.size() << " damaged bytes";
  }
}

TEST_F(program_test, a_flipped_bit_in_a_binary_is_detected) {
  const auto s = source(test_kernel::scale_add).source;
  auto binary = m_device.create_program(s)->binary();
  if (binary.empty()) GTEST_SKIP() << "the device has no binaries";
  binary[binary.size() / 2] ^= std::byte(0x10);
  std::unique_ptr<program> p;
  EXPECT_NO_THROW(p = m_device.create_program_from_binary(binary, s));
  EXPECT_EQ(p, nullptr);
}

TEST_F(program_test, wrong_source_is_a_build_error_with_the_reason) {
  auto s = source(test_kernel::scale_add).source;
  if (s.kind == image::kind::host_group) GTEST_SKIP() << "native functions are not built";
  const std::string text = "__kernel void scale_add(__global uint* p) { p[0] = there_is_no_such_variable; }";
  const std::vector<std::uint32_t> rubbish(100, 0x12345678);
  if (s.kind == image::kind::opencl_c) {
    s.data = text.c_str();
    s.size = text.size();
  } else {
    s.data = rubbish.data();
    s.size = rubbish.size() * 4;
  }
  try {
    m_device.create_program(s)->get_kernel("scale_add");
    FAIL() << "built a wrong source";
  } catch (const device_error& error) {
    EXPECT_EQ(error.category(), error_category::build) << error.what();
    if (s.kind == image::kind::opencl_c) {
      EXPECT_NE(std::string(error.what()).find("there_is_no_such_variable"), std::string::npos)
          << "the message must contain the compiler's log: " << error.what();
    }
  }
}

TEST_F(program_test, an_image_of_an_unsupported_format_is_rejected) {
  for (const auto kind : {image::kind::opencl_c, image::kind::vulkan_spirv, image::kind::host_group}) {
    const auto& kinds = m_device.info().image_kinds;
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) continue;
    try {
      m_device.create_program({kind, "text", 4, nullptr, ""});
      FAIL() << "accepted an unsupported image";
    } catch (const device_error& error) {
      EXPECT_EQ(error.category(), error_category::unsupported) << error.what();
    }
  }
}

} // namespace
} // namespace prism::devices::conformance
