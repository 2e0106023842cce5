#include "runtime/images/image_choice.hpp"
#include "runtime/images/modules.hpp"
#include "runtime/include/sycl/detail/kernel_abi.hpp"

#include <gtest/gtest.h>

#include <vector>

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

TEST_F(choices, selects_the_format_that_the_device_accepts) {
  EXPECT_EQ(choose_image(record, device).image, &images[0]);
}

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

TEST_F(choices, reports_a_target_that_was_not_compiled) {
  device.image_kinds = {image::kind::host_group};
  EXPECT_NE(choose_image(record, device).refusal.find("without the target host work-group function"),
            std::string::npos);
}

TEST_F(choices, names_the_option_that_compiles_the_missing_target) {
  device.image_kinds = {image::kind::vulkan_spirv};
  images[1].refusal = image::left_out;
  EXPECT_EQ(
      choose_image(record, device).refusal,
      "its file was compiled with --targets that leave out vulkan; add vulkan to --targets, or select a "
      "device that is among them");
}

TEST_F(choices, tries_the_next_format) {
  device.image_kinds = {image::kind::vulkan_spirv, image::kind::opencl_c};
  EXPECT_EQ(choose_image(record, device).image, &images[0]);
}

/// A module that multiplies 16 x 8 and 8 x 16 halves and adds floats.
struct matrix_choices : testing::Test {
  static constexpr std::uint32_t op(std::uint32_t code, std::uint32_t words) { return words << 16 | code; }
  const std::vector<std::uint32_t> with_units{
      0x07230203,  0x10500, 0,  99, 0,         // header
      op(22, 3),   1,       16,                // half
      op(22, 3),   2,       32,                // float
      op(21, 4),   3,       32, 0,             // unsigned int
      op(43, 4),   3,       4,  3,             // the scope
      op(43, 4),   3,       5,  16,            // 16
      op(43, 4),   3,       6,  8,             // 8
      op(43, 4),   3,       7,  0,             // the uses
      op(43, 4),   3,       8,  1,             //
      op(43, 4),   3,       9,  2,             //
      op(4456, 7), 10,      1,  4,  5,  6,  7, // A
      op(4456, 7), 11,      1,  4,  6,  5,  8, // B
      op(4456, 7), 12,      2,  4,  5,  5,  9, // C
      op(80, 4),   10,      20, 90,            // values of A, B and C
      op(80, 4),   11,      21, 90,            //
      op(80, 4),   12,      22, 91,            //
      op(4459, 6), 12,      23, 20, 21, 22,    // the product
  };
  image::kernel_image images[2] = {{image::kind::vulkan_spirv, 0, image::cooperative_matrix,
                                    with_units.data(), with_units.size() * sizeof(std::uint32_t), nullptr, 0,
                                    0},
                                   {image::kind::vulkan_spirv, 0, 0, "plain", 5, nullptr, 0, 0}};
  image::kernel_record record{};
  devices::capabilities device;
  void SetUp() override {
    record.entry = "k";
    record.images = images;
    record.image_count = 2;
    device.image_kinds = {image::kind::vulkan_spirv};
  }
};

TEST_F(matrix_choices, a_device_without_matrix_units_gets_the_other_image) {
  const auto c = choose_image(record, device);
  EXPECT_EQ(c.image, &images[1]);
  EXPECT_EQ(c.reason, "it needs cooperative_matrix, which the device lacks");
}

TEST_F(matrix_choices, units_must_have_the_products_of_the_kernel) {
  using enum devices::matrix_component;
  device.features = image::cooperative_matrix;
  device.matrix_products = {{16, 16, 8, float16, float16, float16, float16},
                            {16, 16, 16, float16, float16, float32, float32}};
  const auto without = choose_image(record, device);
  EXPECT_EQ(without.image, &images[1]);
  EXPECT_EQ(without.reason,
            "the device's matrix units do not have the product of 16 x 8 elements of half and "
            "8 x 16 of half, added to float, as float");
  device.matrix_products.push_back({16, 16, 8, float16, float16, float32, float32});
  EXPECT_EQ(choose_image(record, device).image, &images[0]);
}

struct group_choices : testing::Test {
  image::kernel_image images[2] = {{image::kind::opencl_c, 0, 0, "plain", 6, nullptr, 0, 0},
                                   {image::kind::opencl_c_group, 32, 0, "group", 6, nullptr, 24, 0}};
  image::kernel_record record{};
  devices::capabilities device;
  void SetUp() override {
    record.entry = "k";
    record.flags = image::uses_barrier;
    record.images = images;
    record.image_count = 2;
    device.image_kinds = {image::kind::opencl_c_group, image::kind::opencl_c};
    device.sub_group_sizes = {4, 8, 16, 32, 64};
  }
};

TEST_F(group_choices, a_device_that_prefers_them_gets_work_group_functions) {
  const auto c = choose_image(record, device);
  EXPECT_EQ(c.image, &images[1]);
  EXPECT_NE(c.reason.find("the kernel has barriers"), std::string::npos) << c.reason;
}

TEST_F(group_choices, other_devices_get_the_plain_text) {
  device.image_kinds = {image::kind::opencl_c};
  device.sub_group_sizes = {1};
  record.flags |= image::uses_sub_group;
  EXPECT_EQ(choose_image(record, device).image, &images[0]);
}

TEST_F(group_choices, what_both_lack_is_named_once) {
  images[0].features = images[1].features = image::fp64;
  EXPECT_EQ(choose_image(record, device).refusal, "it needs fp64, which the device lacks");
}

TEST_F(group_choices, kernels_without_one_get_the_plain_text) {
  record.image_count = 1;
  const auto c = choose_image(record, device);
  EXPECT_EQ(c.image, &images[0]);
  EXPECT_EQ(c.reason, "");
}

TEST_F(group_choices, an_unsuitable_launch_gets_the_plain_text_with_a_reason) {
  const images::excluded_kind without{image::kind::opencl_c_group, "too little local memory"};
  const auto c = choose_image(record, device, &without);
  EXPECT_EQ(c.image, &images[0]);
  EXPECT_EQ(c.reason, "too little local memory");
}

TEST_F(group_choices, sub_groups_of_one_do_not_replace_larger_ones) {
  record.flags |= image::uses_sub_group;
  images[1] = {image::kind::opencl_c_group, 32, 0, nullptr, 0, "recursion in f()", 0, 0};
  const auto c = choose_image(record, device);
  EXPECT_EQ(c.image, nullptr);
  EXPECT_NE(c.refusal.find("recursion in f()"), std::string::npos) << c.refusal;
  EXPECT_NE(c.refusal.find("sub-groups of one work-item only"), std::string::npos) << c.refusal;
}

struct sub_group_choices : testing::Test {
  image::kernel_image images[2] = {
      {image::kind::opencl_c, 0, 0, "plain", 6, nullptr, 0, 0},
      {image::kind::opencl_c_sub_groups, 0, image::sub_groups, "vectors", 8, nullptr, 0, 0}};
  image::kernel_record record{};
  devices::capabilities device;
  void SetUp() override {
    record.entry = "k";
    record.flags = image::uses_sub_group;
    record.images = images;
    record.image_count = 2;
    device.image_kinds = {image::kind::opencl_c_sub_groups, image::kind::opencl_c};
    device.features = image::sub_groups;
    device.sub_group_sizes = {1, 8, 16};
  }
};

TEST_F(sub_group_choices, a_device_with_sub_groups_gets_the_text_with_them) {
  const auto c = choose_image(record, device);
  EXPECT_EQ(c.image, &images[1]);
  EXPECT_NE(c.reason.find("has sub-groups"), std::string::npos) << c.reason;
}

TEST_F(sub_group_choices, kernels_without_sub_groups_get_the_plain_text) {
  record.flags = 0;
  record.image_count = 1;
  const auto c = choose_image(record, device);
  EXPECT_EQ(c.image, &images[0]);
  EXPECT_EQ(c.reason, "");
}

TEST_F(sub_group_choices, what_the_device_computes_wrong_gets_sub_groups_of_one) {
  images[1].features |= image::sub_group_arrays;
  const auto c = choose_image(record, device);
  EXPECT_EQ(c.image, &images[0]);
  EXPECT_NE(c.reason.find("sub_group_arrays"), std::string::npos) << c.reason;
}

TEST_F(sub_group_choices, but_not_if_the_kernel_requires_a_size) {
  images[1].features |= image::sub_group_arrays;
  record.required_sub_group_size = 16;
  const auto c = choose_image(record, device);
  EXPECT_EQ(c.image, nullptr);
  EXPECT_NE(c.refusal.find("it requires another size"), std::string::npos) << c.refusal;
}

TEST_F(sub_group_choices, a_device_whose_sub_groups_are_masked_gets_the_plain_text) {
  device.features = 0;
  device.sub_group_sizes = {1};
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
