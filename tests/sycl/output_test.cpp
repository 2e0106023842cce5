// Text from kernels: sycl::stream and printf. After a wait for a command its output is complete.
#include "tests/sycl/common.hpp"

#include <cstdio>
#include <sstream>

#undef NDEBUG // assertions in kernels are tested in every build
#include <cassert>

using prism_test::printed_text;

namespace {

/// The text that a single work-item writes by `write(stream)`.
template <typename Write>
std::string streamed(Write write) {
  sycl::queue q;
  printed_text text;
  q.submit([&](sycl::handler& h) {
    sycl::stream out(4096, 256, h);
    h.single_task([=] { write(out); });
  }).wait();
  return text.take();
}

std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST(stream, prints_words_and_numbers) {
  EXPECT_EQ(streamed([](const sycl::stream& out) {
    out << "int " << -42 << ", unsigned " << 42u << ", long " << 123456789012345ll << ", char " << 'c'
        << ", bool " << true << sycl::endl;
  }),
            "int -42, unsigned 42, long 123456789012345, char c, bool true\n");
}
TEST(stream, prints_floats) {
  EXPECT_EQ(streamed([](const sycl::stream& out) {
    out << 1.5f << " " << sycl::setprecision(3) << sycl::fixed << 3.14159f << " " << sycl::scientific
        << 1000.0f << sycl::endl;
    out << 0.25f << sycl::endl;
  }),
            "1.5 3.142 1.000e+03\n0.25\n");
}
TEST(stream, formats_integers) {
  EXPECT_EQ(streamed([](const sycl::stream& out) {
    out << sycl::hex << 255 << " " << sycl::showbase << 255 << " " << sycl::oct << 8 << " "
        << sycl::noshowbase << 8 << " " << sycl::dec << sycl::showpos << 8 << sycl::noshowpos << sycl::setw(5)
        << 7 << sycl::endl;
    out << sycl::hex << -1 << sycl::flush << " " << 16 << sycl::endl;
  }),
            "ff 0xff 010 10 +8    7\nffffffff 16\n");
}
TEST(stream, prints_indices_and_vectors) {
  EXPECT_EQ(streamed([](const sycl::stream& out) {
    out << sycl::id<2>(1, 2) << sycl::range<3>(4, 5, 6) << " " << sycl::int3(7, 8, 9) << sycl::endl;
  }),
            "{1, 2}{4, 5, 6} 7, 8, 9\n");
}
TEST(stream, does_not_interleave_the_text_of_work_items) {
  sycl::queue q;
  printed_text text;
  q.submit([&](sycl::handler& h) {
    sycl::stream out(1 << 16, 256, h);
    h.parallel_for(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> it) {
      out << "item " << it.get_global_linear_id() << " of group " << it.get_group(0) << sycl::endl;
    });
  }).wait();
  std::vector<std::string> expected;
  for (int i = 0; i < 64; ++i)
    expected.push_back("item " + std::to_string(i) + " of group " + std::to_string(i / 16));
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(sorted_lines(text.take()), expected);
}
TEST(stream, a_range_kernel_without_flush_prints_at_its_end) {
  sycl::queue q;
  printed_text text;
  q.submit([&](sycl::handler& h) {
    sycl::stream out(1 << 16, 256, h);
    h.parallel_for(sycl::range<2>(4, 8),
                   [=](sycl::item<2> it) { out << "[" << it.get_id(0) << it.get_id(1) << "]\n"; });
  }).wait();
  std::vector<std::string> expected;
  for (int i = 0; i < 32; ++i) expected.push_back("[" + std::to_string(i / 8) + std::to_string(i % 8) + "]");
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(sorted_lines(text.take()), expected);
}
TEST(stream, several_streams_print_one_after_the_other) {
  sycl::queue q;
  printed_text text;
  q.submit([&](sycl::handler& h) {
    sycl::stream first(1024, 64, h), second(1024, 64, h);
    EXPECT_EQ(first.size(), 1024u);
    EXPECT_EQ(first.get_work_item_buffer_size(), 64u);
    EXPECT_NE(first, second);
    EXPECT_EQ(first, sycl::stream(first));
    h.single_task([=] {
      second << "second" << sycl::endl;
      first << "first" << sycl::endl;
    });
  }).wait();
  EXPECT_EQ(text.take(), "first\nsecond\n");
}
TEST(stream, overflow_loses_text_and_nothing_else) {
  sycl::queue q;
  std::vector<int> data(100000);
  {
    printed_text text;
    testing::internal::CaptureStderr();
    sycl::buffer<int> b(data);
    q.submit([&](sycl::handler& h) {
      sycl::stream out(64, 64, h);
      sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
      h.parallel_for(data.size(), [=](sycl::id<1> i) {
        out << "line " << i[0] << sycl::endl;
        a[i] = 1;
      });
    });
    q.wait();
    EXPECT_NE(testing::internal::GetCapturedStderr().find("the rest is lost"), std::string::npos);
    EXPECT_FALSE(text.take().empty());
  }
  EXPECT_EQ(std::accumulate(data.begin(), data.end(), 0), 100000);
}

TEST(printf_output, prints_what_c_prints) {
  sycl::queue q;
  printed_text text;
  q.single_task([] {
    sycl::ext::oneapi::experimental::printf("%d %5u|%-6d|%x %c %s %.2f %%\n", -1, 7u, 42, 255, 'z', "text",
                                            2.5f);
  }).wait();
  EXPECT_EQ(text.take(), "-1     7|42    |ff z text 2.50 %\n");
}
TEST(printf_output, does_not_interleave_calls) {
  sycl::queue q;
  printed_text text;
  q.parallel_for(sycl::range<1>(100), [](sycl::id<1> i) {
    sycl::ext::oneapi::experimental::printf("item %zu has %lld\n", i[0],
                                            static_cast<long long>(i[0]) * 1000000007ll);
  }).wait();
  std::vector<std::string> expected;
  for (long long i = 0; i < 100; ++i) {
    expected.push_back("item " + std::to_string(i) + " has " + std::to_string(i * 1000000007ll));
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(sorted_lines(text.take()), expected);
}
TEST(printf_output, prints_commands_in_order) {
  sycl::queue q{sycl::property::queue::in_order()};
  printed_text text;
  for (int i = 0; i < 5; ++i) q.single_task([=] { sycl::ext::oneapi::experimental::printf("%d\n", i); });
  q.wait();
  EXPECT_EQ(text.take(), "0\n1\n2\n3\n4\n");
}

TEST(printf_output, the_c_function_prints_from_kernels) {
  sycl::queue q;
  printed_text text;
  q.single_task([] {
    printf("%d %5u|%-6d|%x %c %s %.2f %%\n", -1, 7u, 42, 255, 'z', "text", 2.5f);
    std::printf("%lld %zu %hhd %5.1f %*d\n", -123456789012345ll, std::size_t(7), 300, 0.25, 4, 5);
    std::printf("no argument\n");
  }).wait();
  EXPECT_EQ(text.take(), "-1     7|42    |ff z text 2.50 %\n-123456789012345 7 44   0.2    5\nno argument\n");
}
TEST(printf_output, the_c_function_prints_each_work_items_text) {
  sycl::queue q;
  sycl::buffer<char, 2> words{sycl::range<2>(4, 8)};
  {
    sycl::host_accessor a(words);
    for (std::size_t i = 0; i < 4; ++i) std::snprintf(&a[i][0], 8, "word%zu", i);
  }
  printed_text text;
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(words, h, sycl::read_only);
    h.parallel_for(sycl::nd_range<1>(32, 8), [=](sycl::nd_item<1> item) {
      if (item.get_local_id(0) == 3)
        std::printf("%s of group %d: %g\n", &a[item.get_group(0)][0], int(item.get_group(0)),
                    float(item.get_global_id(0)) / 2);
    });
  });
  q.wait();
  EXPECT_EQ(sorted_lines(text.take()),
            (std::vector<std::string>{"word0 of group 0: 1.5", "word1 of group 1: 5.5",
                                      "word2 of group 2: 9.5", "word3 of group 3: 13.5"}));
}
TEST(printf_output, a_double_is_printed_in_full) {
  sycl::queue q;
  SKIP_WITHOUT(q, fp64);
  sycl::buffer<double> numbers{sycl::range<1>(1)};
  const double third = 1.0 / 3;
  {
    const sycl::host_accessor a(numbers);
    a[0] = third;
  }
  printed_text text;
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(numbers, h, sycl::read_only);
    h.single_task([=] { std::printf("%.16f %.16f\n", a[0], 0.1); });
  });
  q.wait();
  EXPECT_EQ(text.take(), "0.3333333333333333 0.1000000000000000\n");
}

TEST(assertionDeathTest, a_failed_assertion_ends_the_process_with_its_text) {
  GTEST_FLAG_SET(death_test_style, "threadsafe"); // drivers do not survive a fork
  EXPECT_DEATH(
      {
        sycl::queue q;
        q.parallel_for(sycl::range<1>(8), [](sycl::id<1> i) { assert(i[0] != 5); }).wait();
      },
      "output_test.cpp:[0-9]+: .*Assertion `i\\[0\\] != 5' failed");
}
TEST(assertion, lets_right_kernels_run) {
  sycl::queue q;
  for (int round = 0; round < 100; ++round) {
    q.parallel_for(sycl::range<1>(64), [](sycl::id<1> i) { assert(i[0] < 64); });
  }
  q.wait();
}

} // namespace
