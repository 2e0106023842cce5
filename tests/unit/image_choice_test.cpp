#include "runtime/images/image_choice.hpp"
#include "runtime/images/modules.hpp"
#include "runtime/include/sycl/detail/kernel_abi.hpp"

#include <gtest/gtest.h>

using namespace prism;
using images::choose_image;

namespace {

struct choices : testing::Test {
  image::kernel_image images[2] = {{image::kind::opencl_c, 0, image::fp64, "text", 4, nullptr, 0, 0},
                                   {image::kind::vulkan_spirv, 0, 0, nullptr, 0, "recursion in f()", 0, 0}};
  image::kernel_record record{};
  devices::capabilities device;
  void SetUp() override {
    record.entry = "k";
    record.images = images;
    record.image_count = 2;
    device.image_kinds = {image::kind::opencl_c};
    device.features = image::fp64 | image::int64;
  }
};

TEST_F(choices, takes_the_kind_the_device_accepts) { EXPECT_EQ(choose_image(record, device).image, &images[0]); }

TEST_F(choices, names_the_missing_features) {
  device.features = 0;
  images[0].features = image::fp64 | image::int64_atomics;
  const auto c = choose_image(record, device);
  EXPECT_EQ(c.image, nullptr);
  EXPECT_NE(c.refusal.find("fp64, int64_atomics"), std::string::npos) << c.refusal;
}

TEST_F(choices, repeats_the_compilers_reason) {
  device.image_kinds = {image::kind::vulkan_spirv};
  EXPECT_NE(choose_image(record, device).refusal.find("recursion in f()"), std::string::npos);
}

TEST_F(choices, says_when_the_target_was_left_out) {
  device.image_kinds = {image::kind::host_group};
  EXPECT_NE(choose_image(record, device).refusal.find("without the target host work-group function"), std::string::npos);
}

TEST_F(choices, goes_on_to_the_next_kind) {
  device.image_kinds = {image::kind::vulkan_spirv, image::kind::opencl_c};
  EXPECT_EQ(choose_image(record, device).image, &images[0]);
}

struct modules : testing::Test {
  image::kernel_slot slot{nullptr};
  image::kernel_slot* slots[1] = {&slot};
  image::kernel_record first_record{}, second_record{};
  image::module_node first{image::magic, image::format_version, 1, slots, &first_record, nullptr};
  image::module_node second{image::magic, image::format_version, 1, slots, &second_record, nullptr};
};

TEST_F(modules, fill_their_slots_and_empty_them) {
  __prism_register_module(&first);
  EXPECT_EQ(slot.record, &first_record);
  __prism_unregister_module(&first);
  EXPECT_EQ(slot.record, nullptr);
}

TEST_F(modules, a_kernel_in_two_files_outlives_the_first) {
  __prism_register_module(&first);
  __prism_register_module(&second);
  EXPECT_EQ(slot.record, &first_record);
  __prism_unregister_module(&first);
  EXPECT_EQ(slot.record, &second_record);
  __prism_unregister_module(&second);
  EXPECT_EQ(slot.record, nullptr);
}

TEST_F(modules, of_another_format_are_refused) {
  first.version = image::format_version + 1;
  const unsigned before = images::refused_modules();
  __prism_register_module(&first);
  EXPECT_EQ(slot.record, nullptr);
  EXPECT_EQ(images::refused_modules(), before + 1);
}

} // namespace
