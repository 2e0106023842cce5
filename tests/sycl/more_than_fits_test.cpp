// Ten times more data in buffers than the device's memory may hold: random graphs of commands end with the
// model's bytes, a large buffer passes through in ranges, and a command that is too large alone is refused.
// The runtime reads the limit at its first use; without it host memory would be used in place.
#include "tests/sycl/common.hpp"

#include <prism/ledger.hpp>

#include <cstdlib>
#include <random>

using prism_test::error_of;

namespace {

constexpr std::size_t count = 4096, buffers = 60;
constexpr std::size_t limit = buffers / 10 * count * sizeof(unsigned);
const bool limited = setenv("PRISM_MEMORY_LIMIT", std::to_string(limit).c_str(), 1) == 0 &&
                     setenv("PRISM_ADOPT_HOST_MEMORY", "off", 1) == 0;

struct world {
  std::vector<std::vector<unsigned>> model;
  std::vector<sycl::buffer<unsigned>> data;
  world() {
    for (std::size_t i = 0; i < buffers; ++i) {
      model.emplace_back(count, unsigned(i));
      data.emplace_back(model.back().begin(), model.back().end());
    }
  }
  void mix(sycl::queue& q, std::size_t to, std::size_t a, std::size_t b) {
    q.submit([&](sycl::handler& h) {
      const sycl::accessor w(data[to], h);
      const sycl::accessor x(data[a], h, sycl::read_only), y(data[b], h, sycl::read_only);
      h.parallel_for(count, [=](sycl::id<1> i) { w[i] = w[i] * 3 + x[i] * 5 + y[count - 1 - i[0]]; });
    });
    for (std::size_t i = 0; i < count; ++i)
      model[to][i] = model[to][i] * 3 + model[a][i] * 5 + model[b][count - 1 - i];
  }
  void fill(sycl::queue& q, std::size_t to, unsigned value) {
    q.submit([&](sycl::handler& h) { h.fill(sycl::accessor(data[to], h, sycl::write_only), value); });
    model[to].assign(count, value);
  }
  void copy(sycl::queue& q, std::size_t to, std::size_t from) {
    q.submit([&](sycl::handler& h) {
      h.copy(sycl::accessor(data[from], h, sycl::read_only), sycl::accessor(data[to], h, sycl::write_only));
    });
    model[to] = model[from];
  }
  void on_the_host(sycl::queue& q, std::size_t to) {
    q.submit([&](sycl::handler& h) {
      const sycl::accessor w(data[to], h, sycl::read_write_host_task);
      h.host_task([=] {
        for (std::size_t i = 0; i < count; ++i) w[i] += 7;
      });
    });
    for (unsigned& v : model[to]) v += 7;
  }
  void expect(std::size_t which) {
    const sycl::host_accessor a(data[which], sycl::read_only);
    ASSERT_EQ(std::vector<unsigned>(a.begin(), a.end()), model[which]) << "buffer " << which;
  }
};

TEST(more_than_fits, a_random_graph_of_ten_times_the_memory_ends_as_the_model) {
  const prism::ledger copies;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    std::mt19937 random(seed);
    world w;
    sycl::queue queues[] = {sycl::queue(), sycl::queue(sycl::property::queue::in_order())};
    for (int step = 0; step < 250; ++step) {
      sycl::queue& q = queues[random() % 2];
      const std::size_t to = random() % buffers, a = (to + 1 + random() % 50) % buffers,
                        b = (to + 1 + random() % 50) % buffers;
      switch (random() % 16) {
        case 0: w.expect(to); break;
        case 1: w.on_the_host(q, to); break;
        case 2: w.fill(q, to, unsigned(step)); break;
        case 3: w.copy(q, to, a); break;
        default: w.mix(q, to, a, b);
      }
    }
    for (std::size_t i = 0; i < buffers; ++i) w.expect(i);
    for (sycl::queue& q : queues) q.wait_and_throw();
  }
  std::size_t evicted = 0, back = 0;
  for (const prism::transfer& t : copies.copies()) {
    evicted += t.reason == "evicted";
    back += t.reason == "needed again after it was evicted";
  }
  EXPECT_GT(evicted, 100u);
  EXPECT_GT(back, 100u);
  EXPECT_NE(copies.text().find("do not fit into the device's memory together"), std::string::npos);
}

TEST(more_than_fits, a_buffer_larger_than_the_memory_passes_in_ranges) {
  constexpr std::size_t whole = 10 * limit / sizeof(unsigned), piece = count;
  std::vector<unsigned> data(whole);
  std::iota(data.begin(), data.end(), 0u);
  {
    sycl::buffer<unsigned> large(data.data(), sycl::range<1>(whole));
    sycl::queue q;
    for (int round = 0; round < 2; ++round)
      for (std::size_t at = 1; at + piece < whole; at += piece)
        q.submit([&](sycl::handler& h) {
          const sycl::accessor a(large, h, sycl::range<1>(piece), sycl::id<1>(at));
          const sycl::accessor before(large, h, sycl::range<1>(1), sycl::id<1>(at - 1), sycl::read_only);
          h.parallel_for(piece, [=](sycl::id<1> i) { a[i] += i[0] == 0 ? before[0] : 1; });
        });
    q.submit([&](sycl::handler& h) {
      h.fill(sycl::accessor(large, h, sycl::range<1>(piece), sycl::id<1>(5 * piece), sycl::write_only), 9u);
    });
    EXPECT_EQ(error_of([&] {
      q.submit([&](sycl::handler& h) {
        const sycl::accessor a(large, h);
        h.parallel_for(whole, [=](sycl::id<1> i) { a[i] = 0; });
      });
    }),
              sycl::errc::memory_allocation);
    q.wait_and_throw();
  }
  std::vector<unsigned> want(whole);
  std::iota(want.begin(), want.end(), 0u);
  for (int round = 0; round < 2; ++round)
    for (std::size_t at = 1; at + piece < whole; at += piece) {
      want[at] += want[at - 1];
      for (std::size_t i = 1; i < piece; ++i) want[at + i] += 1;
    }
  std::fill_n(want.begin() + 5 * piece, piece, 9u);
  EXPECT_EQ(data, want);
}

TEST(more_than_fits, rows_of_a_large_image_pass_through_the_memory) {
  constexpr std::size_t width = 512, height = 10 * limit / sizeof(unsigned) / width, band = 16;
  std::vector<unsigned> data(width * height, 1);
  {
    sycl::buffer<unsigned, 2> image(data.data(), sycl::range<2>(height, width));
    sycl::queue q;
    for (std::size_t y = 0; y + band <= height; y += band)
      q.submit([&](sycl::handler& h) {
        const sycl::accessor a(image, h, sycl::range<2>(band, width / 2), sycl::id<2>(y, 8));
        h.parallel_for(sycl::range<2>(band, width / 2), [=](sycl::id<2> i) { a[i] += unsigned(y + i[0]); });
      });
  }
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x) {
      const bool inside = x >= 8 && x < 8 + width / 2 && y < height / band * band;
      ASSERT_EQ(data[y * width + x], inside ? 1 + y : 1) << y << ' ' << x;
    }
}

TEST(more_than_fits, a_command_that_is_too_large_alone_is_refused_with_sizes) {
  sycl::queue q;
  std::vector<sycl::buffer<int>> all(9, sycl::buffer<int>(sycl::range<1>(count)));
  for (auto& each : all) each = sycl::buffer<int>(sycl::range<1>(count));
  std::string text;
  const auto code = error_of([&] {
    q.submit([&](sycl::handler& h) {
      const sycl::accessor a(all[0], h), b(all[1], h), c(all[2], h), d(all[3], h), e(all[4], h), f(all[5], h),
          g(all[6], h);
      h.single_task([=] { a[0] = b[0] = c[0] = d[0] = e[0] = f[0] = g[0] = 1; });
    });
  }, &text);
  EXPECT_EQ(code, sycl::errc::memory_allocation);
  EXPECT_NE(text.find("need at least " + std::to_string(7 * count * sizeof(int)) + " bytes"), text.npos)
      << text;
  EXPECT_NE(text.find("budget is " + std::to_string(limit) + " bytes"), text.npos) << text;
}

} // namespace
