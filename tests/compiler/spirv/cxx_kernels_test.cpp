// Compares, for each kernel of cxx_kernels.hpp, the plugin's SPIR-V on the device with the same code on the
// host.
//
// Compiled by clang with PRISM's plugin, and linked without PRISM's libraries: this file replaces the
// runtime.
#include "cxx_kernels.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "devices/api/image.hpp"
#include "host_position.hpp"
#include "vulkan_runner.hpp"

namespace {

std::string reason;

prism::test::vulkan_runner* runner() {
  static prism::test::vulkan_runner* const one = prism::test::vulkan_runner::open(reason).release();
  return one;
}

} // namespace

namespace {

constexpr std::uint32_t groups = 4, local = 64, count = groups * local;

template <typename Kernel>
class cxx_kernel : public testing::Test {};

template <typename F>
std::vector<const prism::image::kernel_image*> vulkan_images(const prism::image::kernel_record*& record) {
  std::vector<const prism::image::kernel_image*> found;
  record = sycl::detail::kernel_slot_of<F, F>::value.record;
  for (std::uint32_t i = 0; record != nullptr && i < record->image_count; ++i)
    if (record->images[i].image_kind == prism::image::kind::vulkan_spirv) found.push_back(&record->images[i]);
  return found;
}

template <typename Kernel>
void compare_with_host(const prism::image::kernel_record& record, const prism::image::kernel_image& image) {
  ASSERT_EQ(image.refusal, nullptr) << image.refusal;
  std::vector<std::uint32_t> words(image.size / 4);
  std::memcpy(words.data(), image.data, image.size);
  ASSERT_EQ(prism::test::validate(words), "");

  static const auto in = runner()->allocate(count * 4), out = runner()->allocate(count * 4);
  auto* values = static_cast<std::uint32_t*>(in.host);
  std::uint32_t state = 1;
  for (std::uint32_t i = 0; i < count; ++i) values[i] = state = state * 1664525u + 1013904223u;
  std::memset(out.host, 0xee, count * 4);
  prism::test::launch_shape shape{{groups, 1, 1}, {local, 1, 1}, 1};
  ASSERT_EQ(runner()->run(words, record.entry, shape, {in.address, out.address}), "");

  std::vector<std::uint32_t> expected(count);
  const Kernel kernel{values, expected.data()};
  // Not inlined: ids are constant within a function, but change in this loop.
  void (*volatile entry)(const Kernel*) = &sycl::detail::kernel_entry<Kernel, Kernel>;
  host_position = {{0, 0, 0}, {0, 0, 0}, {local, 1, 1}, {groups, 1, 1}};
  for (std::uint32_t i = 0; i < count; ++i) {
    host_position.group[0] = i / local;
    host_position.local[0] = i % local;
    entry(&kernel);
  }
  const auto* found = static_cast<const std::uint32_t*>(out.host);
  for (std::uint32_t i = 0; i < count; ++i) ASSERT_EQ(found[i], expected[i]) << "work-item " << i;
}

using kernels = testing::Types<
    cxx_kernels::mandelbrot, cxx_kernels::inserts_into_an_array, cxx_kernels::switches,
    cxx_kernels::jumps_into_loops, cxx_kernels::leaves_nested_loops, cxx_kernels::bit_tricks,
    cxx_kernels::small_integers, cxx_kernels::wide_integers, cxx_kernels::overflow_and_saturation,
    cxx_kernels::doubles, cxx_kernels::floats, cxx_kernels::virtual_calls_of_local_objects,
    cxx_kernels::tables_of_constants, cxx_kernels::initialised_local_arrays, cxx_kernels::nested_structures,
    cxx_kernels::type_punning, cxx_kernels::optionals_and_variants, cxx_kernels::lambdas_by_reference,
    cxx_kernels::complex_numbers, cxx_kernels::pointers_into_arrays, cxx_kernels::reduces_by_algorithms,
    cxx_kernels::half_numbers, cxx_kernels::template_recursion, cxx_kernels::volatile_and_booleans>;
TYPED_TEST_SUITE(cxx_kernel, kernels);

TYPED_TEST(cxx_kernel, computes_what_the_host_does) {
  if (runner() == nullptr) GTEST_SKIP() << "Vulkan: " << reason;
  const prism::image::kernel_record* record = nullptr;
  const auto images = vulkan_images<TypeParam>(record);
  ASSERT_FALSE(images.empty()) << "the plugin has not seen the kernel";
  for (const auto* image : images) {
    SCOPED_TRACE(image == images.front() ? "the native image" : "the image without half arithmetic");
    compare_with_host<TypeParam>(*record, *image);
  }
}

TEST(half_kernels, have_an_image_for_devices_without_half) {
  const prism::image::kernel_record* record = nullptr;
  const auto images = vulkan_images<cxx_kernels::half_numbers>(record);
  ASSERT_EQ(images.size(), 2u);
  EXPECT_NE(images[0]->features & prism::image::fp16, 0u);
  EXPECT_EQ(images[1]->features & prism::image::fp16, 0u);
}

} // namespace
