// Ten times more data in buffers than the device's memory may hold: random graphs of commands end with the
// model's bytes, a large buffer passes through in ranges, a kernel over all of one runs in pieces where the
// compiler proved what each work-item uses, and a command that is too large alone is refused.
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
  for (std::size_t i = 0; i < whole; ++i) ASSERT_EQ(data[i], want[i]) << i << " of " << whole;
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

/// The buffers of kernels that run in pieces: each is four times the memory.
constexpr std::size_t large = 4 * limit / sizeof(unsigned);

std::vector<unsigned> numbers(std::size_t n) {
  std::vector<unsigned> out(n);
  std::mt19937 random(7);
  for (unsigned& v : out) v = unsigned(random());
  return out;
}

TEST(more_than_fits, a_kernel_over_a_buffer_of_four_times_the_memory_runs_in_pieces) {
  const std::vector<unsigned> in = numbers(large);
  std::vector<unsigned> out(large, 1);
  const prism::ledger copies;
  {
    sycl::buffer from(in.data(), sycl::range<1>(large)), to(out.data(), sycl::range<1>(large));
    sycl::queue q{sycl::property::queue::enable_profiling()};
    const sycl::event done = q.submit([&](sycl::handler& h) {
      const sycl::accessor b(from, h, sycl::read_only);
      const sycl::accessor a(to, h, sycl::write_only, sycl::no_init);
      h.parallel_for<class doubled>(large, [=](sycl::id<1> i) { a[i] = b[i] * 2 + unsigned(i[0]); });
    });
    EXPECT_LE(done.get_profiling_info<sycl::info::event_profiling::command_start>(),
              done.get_profiling_info<sycl::info::event_profiling::command_end>());
  }
  for (std::size_t i = 0; i < large; ++i) ASSERT_EQ(out[i], in[i] * 2 + unsigned(i)) << i;
  std::size_t ranges = 0, to_device = 0;
  for (const prism::transfer& t : copies.copies()) {
    ranges += t.reason == "range of a buffer larger than the memory";
    to_device += t.command.find("doubled, work-items ") != std::string::npos && t.reason != "evicted";
  }
  EXPECT_GE(to_device, 16u) << copies.text();
  EXPECT_GE(ranges, 16u) << copies.text();
}

TEST(more_than_fits, a_stencil_on_a_larger_line_has_the_bytes_of_neighbouring_pieces) {
  std::vector<unsigned> model = numbers(large), next(large);
  std::vector<unsigned> one = model, two(large);
  {
    sycl::buffer a(one.data(), sycl::range<1>(large)), b(two.data(), sycl::range<1>(large));
    sycl::queue q;
    for (int step = 0; step < 4; ++step) {
      q.submit([&](sycl::handler& h) {
        const sycl::accessor x(step % 2 ? b : a, h, sycl::read_only);
        const sycl::accessor y(step % 2 ? a : b, h, sycl::write_only);
        h.parallel_for(large, [=](sycl::item<1> item) {
          const std::size_t i = item[0];
          if (i == 0 || i + 1 == item.get_range(0)) y[i] = x[i];
          else y[i] = x[i - 1] + 3 * x[i] + 5 * x[i + 1];
        });
      });
      for (std::size_t i = 0; i < large; ++i)
        next[i] = i == 0 || i + 1 == large ? model[i] : model[i - 1] + 3 * model[i] + 5 * model[i + 1];
      model.swap(next);
    }
  }
  EXPECT_EQ(one, model);
}

TEST(more_than_fits, a_stencil_on_a_larger_image_runs_in_rows) {
  constexpr std::size_t width = 320, height = large / width;
  std::vector<unsigned> in = numbers(width * height), out(width * height, 9);
  {
    sycl::buffer<unsigned, 2> from(in.data(), {height, width}), to(out.data(), {height, width});
    sycl::queue q;
    q.submit([&](sycl::handler& h) { // the inner points only
      const sycl::accessor x(from, h, sycl::read_only);
      const sycl::accessor y(to, h);
      h.parallel_for(sycl::range<2>(height - 2, width - 2), [=](sycl::id<2> i) {
        const std::size_t r = i[0] + 1, c = i[1] + 1;
        y[r][c] = x[r][c] * 4 + x[r - 1][c] * 2 + x[r + 1][c] * 3 + x[r][c - 1] * 5 + x[r][c + 1] * 7;
      });
    });
    q.submit([&](sycl::handler& h) {
      const sycl::accessor y(to, h);
      h.parallel_for(sycl::range<2>(height, width),
                     [=](sycl::item<2> i) { y[i] += unsigned(i.get_linear_id()); });
    });
  }
  for (std::size_t r = 0; r < height; ++r)
    for (std::size_t c = 0; c < width; ++c) {
      const std::size_t at = r * width + c;
      const bool inner = r > 0 && c > 0 && r + 1 < height && c + 1 < width;
      const unsigned want =
          inner ? in[at] * 4 + in[at - width] * 2 + in[at + width] * 3 + in[at - 1] * 5 + in[at + 1] * 7 : 9;
      ASSERT_EQ(out[at], want + unsigned(at)) << r << ' ' << c;
    }
}

/// Runs `make(handler, in, out)` over a buffer of `n` numbers that does not fit, and returns its results.
template <typename Make>
std::vector<unsigned> in_pieces(const std::vector<unsigned>& in, Make make) {
  std::vector<unsigned> out(in.size());
  sycl::buffer from(in.data(), sycl::range<1>(in.size())), to(out.data(), sycl::range<1>(in.size()));
  sycl::queue q;
  q.submit([&](sycl::handler& h) {
    const sycl::accessor x(from, h, sycl::read_only);
    make(h, x, sycl::accessor(to, h, sycl::write_only, sycl::no_init));
  });
  q.wait_and_throw();
  const sycl::host_accessor seen(to, sycl::read_only);
  return {seen.begin(), seen.end()};
}

TEST(more_than_fits, reversed_indices_run_in_pieces) {
  const std::vector<unsigned> in = numbers(large), want(in.rbegin(), in.rend());
  EXPECT_EQ(in_pieces(in,
                      [&](sycl::handler& h, auto x, auto y) {
    h.parallel_for(in.size(), [=](sycl::id<1> i) { y[i] = x[x.size() - 1 - i]; });
  }),
            want);
  EXPECT_EQ(in_pieces(in,
                      [n = int(in.size())](sycl::handler& h, auto x, auto y) {
    h.parallel_for(n, [=](sycl::id<1> id) {
      const int i = int(id[0]);
      y[i] = x[n - 1 - i];
    });
  }),
            want);
}

TEST(more_than_fits, clamped_indices_run_in_pieces) {
  const std::vector<unsigned> in = numbers(large);
  std::vector<unsigned> want(large);
  for (std::size_t i = 0; i < large; ++i)
    want[i] = 3 * in[i == 0 ? 0 : i - 1] + 5 * in[std::min(i + 1, large - 1)];
  EXPECT_EQ(in_pieces(in,
                      [](sycl::handler& h, auto x, auto y) {
    h.parallel_for(large, [=, n = x.size()](sycl::id<1> id) {
      const std::size_t i = id[0], left = i > 0 ? i - 1 : 0, right = i + 1 < n ? i + 1 : n - 1;
      y[i] = 3 * x[left] + 5 * x[right];
    });
  }),
            want);
  EXPECT_EQ(in_pieces(in,
                      [n = int(large)](sycl::handler& h, auto x, auto y) {
    h.parallel_for(large, [=](sycl::id<1> id) {
      const int i = int(id[0]);
      y[i] = 3 * x[std::max(i - 1, 0)] + 5 * x[sycl::clamp(i + 1, 0, n - 1)];
    });
  }),
            want);
}

TEST(more_than_fits, a_clamped_stencil_on_a_larger_image_runs_in_rows) {
  constexpr int width = 320, height = large / width;
  const std::vector<unsigned> in = numbers(width * height);
  std::vector<unsigned> out(in.size());
  {
    sycl::buffer<unsigned, 2> from(in.data(), {height, width}), to(out.data(), {height, width});
    sycl::queue().submit([&](sycl::handler& h) {
      const sycl::accessor x(from, h, sycl::read_only);
      const sycl::accessor y(to, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::range<2>(height, width), [=](sycl::id<2> i) {
        const int r = int(i[0]), c = int(i[1]), up = std::max(r - 1, 0), down = std::min(r + 1, height - 1);
        y[r][c] = x[up][c] + 3 * x[down][c] + 5 * x[r][std::max(c - 1, 0)] +
                  7 * x[down][std::min(c + 1, width - 1)];
      });
    });
  }
  for (int r = 0; r < height; ++r)
    for (int c = 0; c < width; ++c) {
      const int up = std::max(r - 1, 0), down = std::min(r + 1, height - 1);
      const auto at = [&](int row, int column) { return in[std::size_t(row * width + column)]; };
      ASSERT_EQ(out[std::size_t(r * width + c)], at(up, c) + 3 * at(down, c) + 5 * at(r, std::max(c - 1, 0)) +
                                                     7 * at(down, std::min(c + 1, width - 1)))
          << r << ' ' << c;
    }
}

TEST(more_than_fits, pieces_keep_what_no_work_item_writes) {
  std::vector<unsigned> data(large, 4), table = numbers(16);
  {
    sycl::buffer a(data.data(), sycl::range<1>(large)), small(table.data(), sycl::range<1>(16));
    sycl::queue q;
    q.submit([&](sycl::handler& h) { // pairs that begin at odd elements, across the ends of pieces
      const sycl::accessor x(a, h, sycl::range<1>(large - 1), sycl::id<1>(1), sycl::write_only,
                             sycl::no_init);
      const sycl::accessor t(small, h, sycl::read_only);
      h.parallel_for((large - 2) / 2, [=](sycl::id<1> i) {
        x[2 * i[0]] = t[i[0] % 16];
        x[2 * i[0] + 1] = unsigned(i[0]);
      });
    });
    q.submit([&](sycl::handler& h) {
      const sycl::accessor x(a, h);
      h.parallel_for(large, [=](sycl::id<1> id) {
        const int i = int(id[0]);
        if (i % 3 == 0) x[i] += 2;
      });
    });
  }
  for (std::size_t i = 0; i < large; ++i) {
    const std::size_t pair = (i - 1) / 2;
    const bool is_written = i != 0 && pair < (large - 2) / 2;
    const unsigned base = !is_written ? 4 : i % 2 == 1 ? table[pair % 16] : unsigned(pair);
    ASSERT_EQ(data[i], base + (i % 3 == 0 ? 2 : 0)) << i;
  }
}

TEST(more_than_fits, pieces_whose_bytes_overlap_keep_what_the_one_before_wrote) {
  std::vector<unsigned> data(large);
  {
    sycl::buffer a(data.data(), sycl::range<1>(large));
    sycl::queue q;
    q.submit([&](sycl::handler& h) {
      const sycl::accessor x(a, h, sycl::write_only, sycl::no_init);
      h.parallel_for(large - 1, [=](sycl::id<1> i) {
        if (i[0] % 2 == 0) return;
        x[i] = unsigned(i[0]);
        x[i[0] + 1] = 7;
      });
    });
  }
  for (std::size_t i = 1; i + 1 < large; ++i) ASSERT_EQ(data[i], i % 2 ? i : 7) << i;
}

TEST(more_than_fits, a_kernel_whose_elements_are_not_known_is_refused_with_the_reason) {
  std::vector<unsigned> data(large, 1), index(16, 3);
  sycl::buffer a(data.data(), sycl::range<1>(large)), small(index.data(), sycl::range<1>(16));
  sycl::queue q;
  std::string text;
  EXPECT_EQ(error_of(
                [&] {
    q.submit([&](sycl::handler& h) {
      const sycl::accessor x(a, h);
      const sycl::accessor t(small, h, sycl::read_only);
      h.parallel_for(large, [=](sycl::id<1> i) { x[t[i[0] % 16]] = 1; });
    });
  }, &text),
            sycl::errc::memory_allocation);
  EXPECT_NE(text.find("PRISM does not run the kernel in pieces, because the compiler did not prove"),
            text.npos)
      << text;
  EXPECT_NE(text.find("budget is " + std::to_string(limit) + " bytes"), text.npos) << text;
  EXPECT_EQ(error_of(
                [&] {
    q.submit([&](sycl::handler& h) {
      const sycl::accessor x(a, h);
      h.parallel_for(sycl::nd_range<1>(large, 64), [=](sycl::nd_item<1> i) { x[i.get_global_id()] = 1; });
    });
  }, &text),
            sycl::errc::memory_allocation);
  EXPECT_NE(text.find("because it is launched with an nd_range"), text.npos) << text;
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
