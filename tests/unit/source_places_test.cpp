// The program's line behind a line of a kernel's text, read from the record that carries both.
#include "image_format/source_places.hpp"

#include <gtest/gtest.h>

namespace prism::image_format {
namespace {

struct carried {
  std::string text = "run.cpp:7\n" + lines_of(image::kind::opencl_c, {{12, "run.cpp:8"}, {15, "sum.hpp:3"}}) +
                     lines_of(image::kind::opencl_c_group, {{20, "run.cpp:9"}});
  image::kernel_image image{image::source_places_kind, 0, 0, text.data(), text.size(), nullptr, 0, 0};
  image::kernel_record record{};
  carried() {
    record.images = &image;
    record.image_count = 1;
  }
  carried(const carried&) = delete;
};

TEST(source_places, name_the_line_that_a_line_of_the_text_comes_from) {
  const carried with;
  EXPECT_EQ(place_of_kernel(with.record), "run.cpp:7");
  EXPECT_EQ(place_of_line(with.record, image::kind::opencl_c, 11), "");
  EXPECT_EQ(place_of_line(with.record, image::kind::opencl_c, 12), "run.cpp:8");
  EXPECT_EQ(place_of_line(with.record, image::kind::opencl_c, 14), "run.cpp:8");
  EXPECT_EQ(place_of_line(with.record, image::kind::opencl_c, 400), "sum.hpp:3");
  EXPECT_EQ(place_of_line(with.record, image::kind::opencl_c_group, 25), "run.cpp:9");
  EXPECT_EQ(place_of_line(with.record, image::kind::vulkan_spirv, 25), "");
}

TEST(source_places, find_the_first_error_of_a_log) {
  EXPECT_EQ(first_error_line("/tmp/a.cl:3:2: warning: x\n/tmp/a.cl:14:7: error: y\na.cl:20:1: error: z"),
            14u);
  EXPECT_EQ(first_error_line("input.cl:9:1: note: x\n<source>:31:5: fatal error: y"), 31u);
  EXPECT_EQ(first_error_line("2 warnings\nerror: /tmp/a.cl:74:32: expected expression\nbuild failed"), 74u);
  EXPECT_EQ(first_error_line("linking failed: error 7"), 0u);
  EXPECT_EQ(first_error_line("a:b: error: no numbers"), 0u);
  EXPECT_EQ(first_error_line(": error"), 0u);
  EXPECT_EQ(first_error_line(""), 0u);
}

TEST(source_places, are_cited_with_the_kernel_as_far_as_known) {
  const carried with;
  EXPECT_EQ(cited_places(with.record, image::kind::opencl_c, "a.cl:16:1: error: y"),
            "\nThe kernel is at run.cpp:7; line 16 of what it was compiled to comes from sum.hpp:3");
  EXPECT_EQ(cited_places(with.record, image::kind::vulkan_spirv, "a.cl:16:1: error: y"),
            "\nThe kernel is at run.cpp:7");
  EXPECT_EQ(cited_places(image::kernel_record{}, image::kind::opencl_c, "a.cl:16:1: error: y"), "");
}

} // namespace
} // namespace prism::image_format
