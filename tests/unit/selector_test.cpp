// PRISM_DEVICE_SELECTOR by tables.
#include "runtime/select/selector.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace prism::select;
using prism::devices::device_type;

namespace {

const std::vector<std::string> backends{"vulkan", "opencl", "host"};

const std::vector<device_fact> machine{
    {"opencl", 0, "Portable Computing Language", "pthread-Intel Xeon", device_type::cpu, true,
     "OpenCL 3.0 PoCL 3.1+debian"},
    {"opencl", 1, "rusticl", "llvmpipe (LLVM 15)", device_type::gpu, true, ""},
    {"vulkan", 0, "Vulkan", "llvmpipe (LLVM 15.0.6, 256 bits)", device_type::cpu, true, ""},
    {"vulkan", 1, "Vulkan", "NVIDIA H100", device_type::gpu, false, ""},
    {"host", 0, "PRISM host", "Intel Xeon", device_type::cpu, false, ""},
};

std::vector<std::size_t> selected(std::string_view expression) {
  return apply_selector(parse_selector(expression, backends), machine);
}

using order = std::vector<std::size_t>;

/// The expression as a part of a test's name, which CMake must not parse as a list.
std::string as_name(std::string text) {
  std::replace(text.begin(), text.end(), ';', '|');
  return '"' + text + '"';
}

struct row {
  const char* expression;
  order expected;
  friend std::ostream& operator<<(std::ostream& out, const row& r) {
    return out << as_name(r.expression);
  } // the test's name
};
class selector_table : public testing::TestWithParam<row> {};

TEST_P(selector_table, selects_in_order_of_preference) {
  EXPECT_EQ(selected(GetParam().expression), GetParam().expected) << GetParam().expression;
}

INSTANTIATE_TEST_SUITE_P(
    , selector_table,
    testing::Values(row{"", {0, 1, 2, 3, 4}}, row{"*", {0, 1, 2, 3, 4}}, row{"host", {4}}, row{"HOST", {4}},
                    row{"opencl", {0, 1}}, row{"opencl:1", {1}}, row{"opencl:cpu", {0}},
                    row{"opencl:*", {0, 1}}, row{"vulkan:gpu", {3}}, row{"gpu", {1, 3}},
                    row{"cpu", {0, 2, 4}}, row{"accelerator", {}}, row{"opencl:name=rusticl", {1}},
                    row{"opencl:name=pocl", {0}}, row{"opencl:name=LLVMpipe", {1}},
                    row{"*:name=llvmpipe", {1, 2}}, row{"vulkan:name=h100", {3}},
                    row{"host;opencl:0", {4, 0}}, row{"vulkan:0 ; host", {2, 4}},
                    row{"host;*", {4, 0, 1, 2, 3}}, row{"!opencl", {2, 3, 4}}, row{"!cpu", {1, 3}},
                    row{"*;!host", {0, 1, 2, 3}}, row{"!vulkan:0;vulkan", {3}}, row{"opencl:0;opencl:0", {0}},
                    row{"opencl:7", {}}, row{"host;", {4}}, row{"opencl:gpu:1", {1}},
                    row{"opencl:cpu:1", {}}));

struct wrong {
  const char* expression;
  std::size_t position;
  const char* says;
  friend std::ostream& operator<<(std::ostream& out, const wrong& w) {
    return out << as_name(w.expression);
  } // the test's name
};
class selector_errors : public testing::TestWithParam<wrong> {};

TEST_P(selector_errors, show_the_position_and_what_to_write) {
  try {
    parse_selector(GetParam().expression, backends);
    FAIL() << "accepted " << GetParam().expression;
  } catch (const selector_error& e) {
    EXPECT_EQ(e.position(), GetParam().position) << e.what();
    EXPECT_NE(std::string(e.what()).find(GetParam().says), std::string::npos) << e.what();
  }
}

INSTANTIATE_TEST_SUITE_P(, selector_errors,
                         testing::Values(wrong{"opencll", 0, "Did you mean \"opencl\"?"},
                                         wrong{"host; vulcan:0", 6, "Did you mean \"vulkan\"?"},
                                         wrong{"cuda", 0, "Known: vulkan, opencl, host"},
                                         wrong{"opencl:", 7, "is missing after ':'"},
                                         wrong{"opencl:gpus", 7, "Did you mean \"gpu\"?"},
                                         wrong{"opencl:name=", 12, "name= needs"},
                                         wrong{"!", 1, "is missing"}, wrong{"host;;opencl", 5, "is missing"},
                                         wrong{"opencl:99999999", 7, "too large"}));

TEST(selector, a_backend_that_cannot_match_is_not_opened) {
  EXPECT_TRUE(may_use(parse_selector("", backends), "opencl"));
  EXPECT_TRUE(may_use(parse_selector("gpu", backends), "opencl"));
  EXPECT_FALSE(may_use(parse_selector("host", backends), "opencl"));
  EXPECT_FALSE(may_use(parse_selector("!opencl", backends), "opencl"));
  EXPECT_TRUE(may_use(parse_selector("!opencl:0", backends), "opencl"));
  EXPECT_FALSE(may_use(parse_selector("*;!opencl", backends), "opencl"));
}

TEST(selector, an_error_lists_the_present_devices) {
  const std::string text = nothing_matches("opencl:7", machine, {});
  EXPECT_NE(text.find("opencl:7"), std::string::npos);
  EXPECT_NE(text.find("vulkan:1  gpu  NVIDIA H100 (Vulkan)"), std::string::npos) << text;
}

TEST(selector, an_error_gives_the_reason_of_each_backend_without_devices) {
  const missing_backend missing[]{{"vulkan", "its driver did not answer within 1 ms when probed"}};
  const std::string text = nothing_matches("vulkan", {}, missing);
  EXPECT_NE(text.find("vulkan has no devices: its driver did not answer within 1 ms"), std::string::npos)
      << text;
  EXPECT_NE(nothing_matches("", {}, missing).find("did not answer"), std::string::npos);
}

TEST(selector, an_error_gives_the_reason_of_a_driver_without_devices_next_to_others) {
  const missing_backend remark[]{{"opencl", "platform PoCL has no devices"}};
  const std::string text = nothing_matches("opencl:name=pocl", machine, remark);
  EXPECT_NE(text.find("\n  opencl: platform PoCL has no devices"), std::string::npos) << text;
}

TEST(default_device, is_a_real_gpu_then_host_then_opencl_and_never_software_vulkan) {
  std::vector<double> scores;
  for (const device_fact& f : machine) scores.push_back(default_score(f, 10));
  EXPECT_GT(scores[3], scores[4]);
  EXPECT_GT(scores[4], scores[0]);
  EXPECT_GT(scores[0], scores[1]);
  EXPECT_GT(scores[1], 0);
  EXPECT_LT(scores[2], 0);
  EXPECT_LT(default_score({"record", 0, "", "", device_type::gpu, false, ""}, 99), 0);
}

} // namespace
