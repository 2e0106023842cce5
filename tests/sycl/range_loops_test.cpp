// Range kernels whose loops the host device interchanges, in ranges of every shape: whole groups, narrower
// ones and single columns must compute the same as plain loops.
#include "tests/sycl/common.hpp"

#include <cmath>
#include <cstdlib>
#include <dlfcn.h>
#include <map>

namespace {

using namespace sycl;

int at(int x, int y, int z) { return (x * 31 + y * 17 + z * 7) % 101; }

template <int D>
void fill_and_sum(const range<D>& size, int rounds) {
  const int nx = int(size[D - 1]), ny = D > 1 ? int(size[D > 1 ? D - 2 : 0]) : 1,
            nz = D > 2 ? int(size[0]) : 1;
  std::vector<int> a(std::size_t(nx) * std::max(rounds, 1)), out(size.size(), -1);
  for (int k = 0; k < rounds; ++k)
    for (int x = 0; x < nx; ++x) a[std::size_t(k) * nx + x] = at(x, k, 1);
  std::vector<float> weights(rounds + 1);
  for (int k = 0; k <= rounds; ++k) weights[k] = float(k % 5) + 0.5f;
  {
    queue q;
    buffer<int> in(a);
    buffer<float> w(weights);
    buffer<int, D> o(out.data(), size);
    q.submit([&](handler& h) {
      accessor i(in, h, read_only);
      accessor ws(w, h, read_only);
      accessor r(o, h, write_only, no_init);
      h.parallel_for(size, [=](item<D> p) {
        const int x = int(p[D - 1]), y = D > 1 ? int(p[D > 1 ? D - 2 : 0]) : 0, z = D > 2 ? int(p[0]) : 0;
        int sum = y;
        float product = 1;
        for (int k = 0; k < rounds; ++k) {
          sum = sum * 3 + i[k * nx + x];
          product = product * 0.5f + sqrt(ws[k] + float(z));
        }
        r[p] = sum + int(product * 16) + z;
      });
    });
  }
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        int sum = y;
        float product = 1;
        for (int k = 0; k < rounds; ++k) {
          sum = int(unsigned(sum) * 3u + unsigned(a[std::size_t(k) * nx + x]));
          product = product * 0.5f + std::sqrt(weights[k] + float(z));
        }
        ASSERT_NEAR(out[(std::size_t(z) * ny + y) * nx + x], sum + int(product * 16) + z, 1)
            << "at " << x << ", " << y << ", " << z << " of " << nx << ", " << ny << ", " << nz << " in "
            << rounds << " iterations";
      }
}

/// Only inner items access their neighbours, and rows are wider than any group.
TEST(loops_in_ranges, leave_the_border_unchanged) {
  for (const auto& [height, width] : {std::pair{1, 5000}, {3, 4097}, {4, 33}, {5, 700}, {40, 1}, {9, 8}}) {
    std::vector<int> field(std::size_t(height) * width), out(field.size(), -1);
    for (std::size_t i = 0; i < field.size(); ++i) field[i] = int(i * 37 % 1009);
    {
      queue q;
      buffer<int, 2> from(field.data(), range(height, width)), to(out.data(), range(height, width));
      q.submit([&, height = height, width = width](handler& h) {
        accessor f(from, h, read_only);
        accessor t(to, h, write_only, no_init);
        const unsigned rows = unsigned(height), columns = unsigned(width);
        h.parallel_for(range(height, width), [=](id<2> p) {
          const unsigned i = unsigned(p[0]), j = unsigned(p[1]);
          const bool border = i == 0 || j == 0 || i == rows - 1 || j == columns - 1 || j == 300 || j == 31;
          t[p] = border ? f[p] : f[i - 1][j] + 2 * f[i + 1][j] + 3 * f[i][j - 1] + 5 * f[i][j + 1];
        });
      });
    }
    for (int i = 0; i < height; ++i)
      for (int j = 0; j < width; ++j) {
        const int* here = &field[std::size_t(i) * width + j];
        const bool border = i == 0 || j == 0 || i == height - 1 || j == width - 1 || j == 300 || j == 31;
        ASSERT_EQ(out[std::size_t(i) * width + j],
                  border ? *here : here[-width] + 2 * here[width] + 3 * here[-1] + 5 * here[1])
            << "at " << i << ", " << j << " of " << height << ", " << width;
      }
  }
}

TEST(loops_in_ranges, of_one_dimension_of_any_size) {
  for (int nx : {1, 7, 8, 9, 31, 32, 33, 40, 255, 256, 257, 300, 1001})
    for (int rounds : {0, 1, 3, 4, 11}) fill_and_sum(range<1>(nx), rounds);
}

TEST(loops_in_ranges, of_two_dimensions) {
  for (int nx : {1, 13, 44, 270})
    for (int ny : {1, 3, 20}) fill_and_sum(range<2>(ny, nx), 6);
}

TEST(loops_in_ranges, of_three_dimensions) {
  for (int nx : {5, 37, 65}) fill_and_sum(range<3>(3, 4, nx), 5);
}

TEST(loops_in_ranges, end_at_a_bound_of_the_work_item) {
  constexpr int n = 333;
  std::vector<int> out(n), expected(n);
  {
    queue q;
    buffer<int> o(out);
    q.submit([&](handler& h) {
      accessor r(o, h, write_only);
      h.parallel_for(range<1>(n), [=](id<1> i) {
        int sum = 0;
        for (int k = 0; k < int(i[0] % 37); ++k) sum += k * int(i[0]);
        int collatz = int(i[0]) + 1, steps = 0;
        while (collatz != 1 && steps < 60) {
          collatz = collatz % 2 ? 3 * collatz + 1 : collatz / 2;
          ++steps;
        }
        r[i] = sum * 64 + steps;
      });
    });
  }
  for (int i = 0; i < n; ++i) {
    int sum = 0;
    for (int k = 0; k < i % 37; ++k) sum += k * i;
    int collatz = i + 1, steps = 0;
    while (collatz != 1 && steps < 60) {
      collatz = collatz % 2 ? 3 * collatz + 1 : collatz / 2;
      ++steps;
    }
    expected[i] = sum * 64 + steps;
  }
  EXPECT_EQ(out, expected);
}

/// What a work-item computes of its row: a sum, the largest number and its place, a hash, the nearest of four
/// points, and shares of a sum that it stores on the way.
template <class In, class Out>
void row_results(std::size_t row, int columns, const In& in, const Out& out) {
  const std::size_t first = row * columns;
  float sum = 0;
  for (int k = 0; k < columns; ++k) sum += float(in[first + k] % 50) * float(in[k] % 7);
  int largest = -1, place = -1;
  for (int k = 0; k < columns; ++k)
    if (in[first + k] > largest) {
      largest = in[first + k];
      place = k;
    }
  unsigned hash = 5;
  for (int k = 0; k < columns; ++k) hash = (hash ^ unsigned(in[first + k])) * 16777619u;
  float least = 1e9f;
  int nearest = -1;
  for (int point = 0; point < 4; ++point) {
    float distance = 0;
    for (int k = 0; k < columns; ++k) {
      const float difference = float(in[first + k] - in[point * columns + k]);
      distance += difference * difference;
    }
    if (distance < least) {
      least = distance;
      nearest = point;
    }
  }
  const auto results = row * (5 + columns);
  double total = 0;
  for (int k = 0; k < columns; ++k) {
    out[results + 5 + k] = in[first + k] * 3;
    total += double(in[first + k] * 3);
  }
  for (int k = 0; k < columns; ++k) out[results + 5 + k] += int(total);
  out[results] = int(sum);
  if (place >= 0) out[results + 1] = largest * 100 + place;
  out[results + 2] = int(hash % 100000u);
  out[results + 3] = nearest;
  out[results + 4] = int(total);
}

void compute_rows(int rows, int columns) {
  std::vector<int> in(std::size_t(std::max(rows, 4)) * columns + 1);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = int(i * i * 31 % 101);
  const std::size_t results = std::size_t(rows) * (5 + columns);
  std::vector<int> expected(results, -1);
  for (int row = 0; row < rows; ++row) row_results(row, columns, in.data(), expected.data());
  for (const char* form : {"range", "nd_range", "nd_range with a guard", "range of two dimensions"}) {
    SCOPED_TRACE(std::string(form) + ": " + std::to_string(rows) + " rows of " + std::to_string(columns));
    std::vector<int> out(results, -1);
    {
      queue q;
      buffer<int> from(in), to(out);
      q.submit([&](handler& h) {
        accessor i(from, h, read_only);
        accessor o(to, h, read_write);
        const std::string which = form;
        const int every = rows % 8 == 0 ? 8 : 1;
        if (which == "range")
          h.parallel_for(range<1>(rows), [=](id<1> r) { row_results(r[0], columns, i, o); });
        else if (which == "nd_range")
          h.parallel_for(nd_range<1>(rows, every),
                         [=](nd_item<1> r) { row_results(r.get_global_id(0), columns, i, o); });
        else if (which == "nd_range with a guard")
          h.parallel_for(nd_range<1>((rows + 31) / 32 * 32, 32), [=](nd_item<1> r) {
            if (int(r.get_global_id(0)) < rows) row_results(r.get_global_id(0), columns, i, o);
          });
        else
          h.parallel_for(range<2>(2, rows), [=](item<2> r) {
            if (r[0] == 1) row_results(r[1], columns, i, o);
          });
      });
    }
    ASSERT_EQ(out, expected);
  }
}

// The host device does so for several rows at once; what remains of a group or a range is fewer.
TEST(loops_in_ranges, over_a_row_of_each_work_item) {
  SKIP_WITHOUT(queue(), fp64); // row_results sums doubles
  for (int rows : {1, 7, 8, 9, 16, 23, 100})
    for (int columns : {0, 1, 2, 3, 17}) compute_rows(rows, columns);
}

TEST(loops_in_ranges, that_write_what_later_iterations_read) {
  constexpr int n = 100, rounds = 9;
  std::vector<int> data(n * rounds, 0);
  {
    queue q;
    buffer<int> b(data);
    q.submit([&](handler& h) {
      accessor a(b, h, read_write);
      h.parallel_for(range<1>(n), [=](id<1> i) {
        const int x = int(i[0]);
        a[x] = x;
        for (int k = 1; k < rounds; ++k) a[k * n + x] = a[(k - 1) * n + x] * 2 + k; // of its own column only
      });
    });
  }
  for (int x = 0; x < n; ++x) {
    int value = x;
    for (int k = 1; k < rounds; ++k) {
      value = value * 2 + k;
      ASSERT_EQ(data[k * n + x], value) << x << " " << k;
    }
  }
}

// A word that the runtime exports selects the version of the kernels. Test entries of their own request a
// level; where the processor is known, as under qemu, PRISM_TEST_HOST_ISA is the level that it must have.
TEST(host_isa, the_requested_one_is_used) {
  const char* asked = std::getenv("PRISM_HOST_ISA");
  if (asked == nullptr || *asked == '\0') asked = std::getenv("PRISM_TEST_HOST_ISA");
  if (asked == nullptr || *asked == '\0') GTEST_SKIP() << "PRISM_HOST_ISA and PRISM_TEST_HOST_ISA are unset";
  const queue q; // throws for a level that the processor lacks
  const auto* const used = static_cast<const int*>(::dlsym(RTLD_DEFAULT, "__prism_host_isa"));
  ASSERT_NE(used, nullptr);
  const std::map<std::string, int> levels{{"baseline", 0}, {"sve", 1}, {"v3", 3}, {"v4", 4}};
  ASSERT_EQ(levels.count(asked), 1u);
  EXPECT_EQ(*used, levels.at(asked));
}

} // namespace
