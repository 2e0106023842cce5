// Images of a program that calls Vulkan itself: copies between them and PRISM's memory, as commands.
#include "tests/sycl/vulkan_program.hpp"

#include <sycl/ext/oneapi/experimental/graph.hpp>

#include <numeric>

namespace {

namespace syclexp = sycl::ext::oneapi::experimental;
using prism::vulkan::copy_from_image;
using prism::vulkan::copy_to_image;
using prism::vulkan::image_part;
using prism_test::error_of;
using prism_test::message_of;
using prism_test::vulkan_program;

constexpr std::uint32_t width = 37, height = 11; // odd, so that a wrong pitch is seen
constexpr auto unknown = VK_IMAGE_LAYOUT_UNDEFINED, any = VK_IMAGE_LAYOUT_GENERAL,
               source = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, target = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;

VkImageCreateInfo info_of(VkFormat format, VkExtent3D extent) {
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.imageType = extent.depth > 1 ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = extent;
  info.mipLevels = info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  return info;
}
const VkImageCreateInfo plain = info_of(VK_FORMAT_R32_UINT, {width, height, 1});

VkBufferImageCopy region_of(VkExtent3D extent, VkOffset3D offset = {0, 0, 0}) {
  VkBufferImageCopy region{};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageOffset = offset;
  region.imageExtent = extent;
  return region;
}
const VkBufferImageCopy whole = region_of({width, height, 1});
constexpr std::size_t n = std::size_t(width) * height;

struct vulkan_images : prism_test::vulkan_program_test {
  using own_image = vulkan_program::own_image;
  static image_part part(const own_image& of, const VkBufferImageCopy& region, VkImageLayout before,
                         VkImageLayout after) {
    return {of.image, &of.created, &region, std::uint32_t(before), std::uint32_t(after)};
  }
  bool has(const VkImageCreateInfo& info) {
    VkImageFormatProperties found;
    return vkGetPhysicalDeviceImageFormatProperties(program->physical, info.format, info.imageType,
                                                    info.tiling, info.usage, info.flags,
                                                    &found) == VK_SUCCESS;
  }
  /// The image as the program's own copy sees it, when the event is complete.
  std::vector<std::uint32_t> seen_by_program(const own_image& image, VkImageLayout layout, sycl::queue& q,
                                             const sycl::event& after) {
    const auto memory = program->make_buffer(n * 4);
    const auto at = sycl::get_native<vk>(after);
    {
      const prism::vulkan::queue_guard guard(q);
      program->submit([&](VkCommandBuffer commands) {
        vkCmdCopyImageToBuffer(commands, image.image, layout, memory->buffer, 1, &whole);
        vulkan_program::show_to_host(commands);
      }, at.semaphore, at.value);
      program->wait_idle();
    }
    const auto* const first = static_cast<const std::uint32_t*>(memory->mapped);
    return {first, first + n};
  }
  /// Writes bytes 0, 1, 2, ... to the part, reads the same part, and returns whether they are there.
  void round_trip(const VkImageCreateInfo& info, const VkBufferImageCopy& region, std::size_t bytes) {
    const sycl::device d = adopted();
    {
      sycl::queue q(d, sycl::property::queue::in_order());
      const auto image = program->make_image(info);
      std::vector<unsigned char> expected(bytes), found(bytes);
      std::iota(expected.begin(), expected.end(), static_cast<unsigned char>(1));
      auto* const from = sycl::malloc_device<unsigned char>(2 * bytes, q);
      auto* const to = from + bytes;
      q.memcpy(from, expected.data(), bytes);
      q.memset(to, 0, bytes);
      copy_to_image(q, part(*image, region, unknown, any), from);
      copy_from_image(q, part(*image, region, any, any), to);
      q.memcpy(found.data(), to, bytes).wait();
      EXPECT_EQ(found, expected);
      sycl::free(from, q);
    }
    prism::vulkan::give_back(d);
  }
};

TEST_F(vulkan_images, get_what_kernels_compute) {
  const sycl::device d = adopted();
  {
    sycl::queue q(d); // out of order: only events order the commands
    const auto image = program->make_image(plain);
    auto* const data = sycl::malloc_device<std::uint32_t>(n, q);
    sycl::event before;
    for (std::uint32_t round = 0; round < 20; ++round) {
      const sycl::event filled = q.submit([&](sycl::handler& h) {
        h.depends_on(before);
        h.parallel_for(n, [=](sycl::id<1> i) { data[i] = std::uint32_t(i[0]) * 3 + round; });
      });
      const sycl::event copied =
          copy_to_image(q, part(*image, whole, round == 0 ? unknown : source, source), data, {filled});
      const auto seen = seen_by_program(*image, source, q, copied);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(seen[i], 3 * i + round) << i;
      before = copied;
    }
    q.wait(); // PRISM_CHECK=access does not see the program's waits
    sycl::free(data, q);
  }
  prism::vulkan::give_back(d);
}

TEST_F(vulkan_images, show_kernels_what_the_program_drew) {
  const sycl::device d = adopted();
  {
    sycl::queue q(d, sycl::property::queue::in_order());
    const auto image = program->make_image(plain);
    sycl::buffer<std::uint32_t, 2> b(sycl::range(height, width));
    for (std::uint32_t round = 1; round < 20; ++round) {
      {
        const prism::vulkan::queue_guard guard(q);
        program->submit([&](VkCommandBuffer commands) {
          VkImageMemoryBarrier to_clear{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
          to_clear.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
          to_clear.newLayout = target;
          to_clear.srcQueueFamilyIndex = to_clear.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
          to_clear.image = image->image;
          to_clear.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
          vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0,
                               nullptr, 0, nullptr, 1, &to_clear);
          VkClearColorValue colour{};
          colour.uint32[0] = round;
          vkCmdClearColorImage(commands, image->image, target, &colour, 1, &to_clear.subresourceRange);
        });
      }
      q.submit([&](sycl::handler& h) { // no wait: it follows on the same VkQueue
        sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
        copy_from_image(h, part(*image, whole, target, any), a);
      });
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(b, h, sycl::read_write);
        h.parallel_for(b.get_range(), [=](sycl::item<2> i) { a[i] += std::uint32_t(i.get_linear_id()); });
      });
      const sycl::host_accessor seen(b, sycl::read_only);
      ASSERT_EQ(seen[0][0], round);
      ASSERT_EQ(seen[height - 1][width - 1], round + n - 1);
    }
  }
  prism::vulkan::give_back(d);
}

TEST_F(vulkan_images, are_copied_by_regions) {
  const sycl::device d = adopted();
  {
    sycl::queue q(d, sycl::property::queue::in_order());
    const auto image = program->make_image(plain);
    std::vector<std::uint32_t> data(n);
    std::iota(data.begin(), data.end(), 1000u);
    {
      sycl::buffer<std::uint32_t> b(data.data(), sycl::range<1>(n));
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(b, h, sycl::read_only);
        copy_to_image(h, part(*image, whole, unknown, any), a);
      });
      VkBufferImageCopy some = region_of({5, 3, 1}, {7, 4, 0}); // into rows of 9 from the third number on
      some.bufferOffset = 8;
      some.bufferRowLength = 9;
      auto* const to = sycl::malloc_host<std::uint32_t>(40, q);
      std::fill(to, to + 40, 7u);
      copy_from_image(q, part(*image, some, any, any), to + 4).wait();
      for (std::uint32_t row = 0; row < 3; ++row)
        for (std::uint32_t column = 0; column < 5; ++column)
          EXPECT_EQ(to[6 + row * 9 + column], 1000 + (row + 4) * width + column + 7);
      EXPECT_EQ(std::count(to, to + 40, 7u), 40 - 15) << "it writes to no other number";
      sycl::free(to, q);
    }
    EXPECT_EQ(data[0], 1000u);
  }
  prism::vulkan::give_back(d);
}

TEST_F(vulkan_images, are_copied_by_levels_layers_slices_and_aspects) {
  VkImageCreateInfo layered = info_of(VK_FORMAT_R8G8B8A8_UNORM, {40, 20, 1});
  layered.mipLevels = 3;
  layered.arrayLayers = 4;
  VkBufferImageCopy part = region_of({10, 5, 1});
  part.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 2, 1, 3};
  round_trip(layered, part, std::size_t(10) * 5 * 3 * 4);
  round_trip(info_of(VK_FORMAT_R16G16_SFLOAT, {6, 5, 4}), region_of({4, 3, 2}, {2, 2, 2}), 4 * 3 * 2 * 4);
  round_trip(info_of(VK_FORMAT_R8_UINT, {7, 3, 1}), region_of({7, 3, 1}), 7 * 3);
  round_trip(info_of(VK_FORMAT_R32G32B32A32_UINT, {7, 3, 1}), region_of({7, 3, 1}), 7 * 3 * 16);
  std::size_t depths = 0;
  for (const VkFormat format : {VK_FORMAT_D32_SFLOAT_S8_UINT, VK_FORMAT_D24_UNORM_S8_UINT}) {
    const VkImageCreateInfo info = info_of(format, {8, 4, 1});
    if (!has(info)) continue;
    VkBufferImageCopy stencil = region_of({8, 4, 1});
    stencil.imageSubresource.aspectMask = VK_IMAGE_ASPECT_STENCIL_BIT;
    round_trip(info, stencil, 8 * 4);
    ++depths;
  }
  EXPECT_GT(depths, 0u) << "Vulkan requires one of the two formats";
}

TEST_F(vulkan_images, are_copied_by_graphs) {
  const sycl::device d = adopted();
  {
    sycl::queue q(d, sycl::property::queue::in_order());
    const auto image = program->make_image(plain);
    auto* const data = sycl::malloc_device<std::uint32_t>(2 * n, q);
    q.fill(data, 1u, n).wait();
    copy_to_image(q, part(*image, whole, unknown, any), data).wait();
    syclexp::command_graph graph(q);
    graph.begin_recording(q);
    q.parallel_for(n, [=](sycl::id<1> i) { data[i] += 2; });
    copy_to_image(q, part(*image, whole, any, any), data);
    copy_from_image(q, part(*image, whole, any, any), data + n);
    graph.end_recording();
    auto executable = graph.finalize();
    for (std::uint32_t round = 1; round < 4; ++round) {
      q.ext_oneapi_graph(executable).wait();
      std::uint32_t last = 0;
      q.memcpy(&last, data + 2 * n - 1, sizeof last).wait();
      EXPECT_EQ(last, 1 + 2 * round);
    }
    sycl::free(data, q);
  }
  prism::vulkan::give_back(d);
}

TEST_F(vulkan_images, that_do_not_fit_are_refused_by_name) {
  const sycl::device d = adopted();
  {
    sycl::queue q(d);
    const auto image = program->make_image(plain);
    auto* const data = sycl::malloc_device<std::uint32_t>(n, q);
    sycl::buffer<std::uint32_t> b{sycl::range<1>(n)};
    const auto refused = [&](bool into, auto change, const void* memory) {
      VkImageCreateInfo created = plain;
      VkBufferImageCopy region = whole;
      image_part what = {image->image, &created, &region, any, any};
      change(created, region, what);
      return message_of([&] {
        if (into) copy_to_image(q, what, memory);
        else copy_from_image(q, what, const_cast<void*>(memory));
      });
    };
    const auto expect = [&](const char* text, auto change) {
      for (const bool into : {true, false}) {
        const std::string found = refused(into, change, data);
        EXPECT_NE(found.find(text), found.npos) << found << " for " << text;
      }
    };
    expect("copying a VkImage: it is null", [](auto&, auto&, auto& w) { w.image = nullptr; });
    expect("the VkImageCreateInfo is null", [](auto&, auto&, auto& w) { w.created = nullptr; });
    expect("the VkBufferImageCopy is null", [](auto&, auto&, auto& w) { w.region = nullptr; });
    expect("its usage lacks VK_IMAGE_USAGE_TRANSFER_",
           [](auto& i, auto&, auto&) { i.usage = VK_IMAGE_USAGE_SAMPLED_BIT; });
    expect("4 samples a texel", [](auto& i, auto&, auto&) { i.samples = VK_SAMPLE_COUNT_4_BIT; });
    expect("VkFormat 131 is compressed",
           [](auto& i, auto&, auto&) { i.format = VK_FORMAT_BC1_RGB_UNORM_BLOCK; });
    expect("aspect 2 of VkFormat 98",
           [](auto&, auto& r, auto&) { r.imageSubresource.aspectMask = VK_IMAGE_ASPECT_DEPTH_BIT; });
    expect("37 columns from 1 are not in the image's 37", [](auto&, auto& r, auto&) { r.imageOffset.x = 1; });
    expect("11 rows from -1", [](auto&, auto& r, auto&) { r.imageOffset.y = -1; });
    expect("2 slices from 0", [](auto&, auto& r, auto&) { r.imageExtent.depth = 2; });
    expect("0 columns", [](auto&, auto& r, auto&) { r.imageExtent.width = 0; });
    expect("1 mip levels from 1", [](auto&, auto& r, auto&) { r.imageSubresource.mipLevel = 1; });
    expect("array layers from 0",
           [](auto&, auto& r, auto&) { r.imageSubresource.layerCount = VK_REMAINING_ARRAY_LAYERS; });
    expect("bufferRowLength is 36", [](auto&, auto& r, auto&) { r.bufferRowLength = 36; });
    expect("bufferImageHeight is 3", [](auto&, auto& r, auto&) { r.bufferImageHeight = 3; });
    expect("ends at byte 1632 of memory of 1628", [](auto&, auto& r, auto&) { r.bufferOffset = 4; });
    expect("of memory of 1628", [](auto& i, auto& r, auto&) { // 2^76 texels
      i.arrayLayers = r.imageSubresource.layerCount = 1u << 12;
      r.bufferRowLength = r.bufferImageHeight = UINT32_MAX;
    });
    expect("wants a multiple of 4", [](auto&, auto& r, auto&) {
      r.bufferOffset = 2;
      r.imageExtent.height = 1;
    });
    expect("no image can be brought to", [](auto&, auto&, auto& w) { w.after = unknown; });
    const auto same = [](auto&, auto&, auto&) {};
    EXPECT_NE(refused(false, [](auto&, auto&, auto& w) { w.before = unknown; }, data).find("loses"),
              std::string::npos);
    std::vector<std::uint32_t> host(n);
    EXPECT_NE(refused(true, same, host.data()).find("no USM allocation"), std::string::npos);
    EXPECT_NE(refused(true, same, nullptr).find("no USM allocation"), std::string::npos);
    EXPECT_NE(refused(true, same, data + 1).find("of memory of 1624"), std::string::npos);
    EXPECT_NE(message_of([&] {
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(b, h, sycl::range<1>(n - 1), sycl::read_only);
        copy_to_image(h, part(*image, whole, unknown, any), a);
      });
    }).find("whole buffer"),
              std::string::npos);
    q.wait();
    sycl::free(data, q);
  }
  prism::vulkan::give_back(d);
}

TEST_F(vulkan_images, are_not_copied_to_a_part_of_a_texel) {
  if (!has_addresses())
    GTEST_SKIP() << prism_test::name_of(sycl::device()) << " has no buffer device addresses";
  const sycl::device d = adopted();
  {
    std::string found;
    sycl::queue q(d, [&](const sycl::exception_list& all) {
      for (const std::exception_ptr& each : all) found += message_of([&] { std::rethrow_exception(each); });
    });
    const auto image = program->make_image(plain);
    const auto memory = program->make_buffer(4 * n + 4);
    void* const odd = prism::vulkan::map_buffer(memory->range(2, 4 * n), q); // the driver knows where it lies
    found += message_of([&] {
      copy_from_image(q, part(*image, whole, any, any), odd);
      q.wait_and_throw();
    });
    EXPECT_NE(found.find("lies at byte 2 of a VkBuffer, and Vulkan wants a multiple of 4"), found.npos)
        << found;
    sycl::free(odd, q);
  }
  prism::vulkan::give_back(d);
}

TEST(vulkan_images_elsewhere, other_backends_are_refused) {
  sycl::queue q;
  if (q.get_backend() == sycl::backend::ext_prism_vulkan)
    GTEST_SKIP() << prism_test::name_of(q.get_device()) << " is a Vulkan device";
  int data = 0;
  EXPECT_EQ(error_of([&] { copy_to_image(q, {}, &data); }), sycl::errc::backend_mismatch);
  EXPECT_EQ(error_of([&] { copy_from_image(q, {}, &data); }), sycl::errc::backend_mismatch);
}

} // namespace
