// Complete small programs as users write them: linear algebra, grids, particles and finance, with USM in
// in-order queues. Each result is compared with plain C++ in the same order of operations, or with known
// properties.
#include "tests/sycl/common.hpp"

#include <cmath>
#include <complex>
#include <random>

namespace {

using namespace sycl;

std::vector<float> random_floats(std::size_t n, float low, float high, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(low, high);
  std::vector<float> v(n);
  for (float& x : v) x = value(random);
  return v;
}

/// A device allocation with a vector's contents, freed at the end.
template <typename T>
class on_device {
public:
  on_device(queue& q, const std::vector<T>& from) : on_device(q, from.size()) {
    q.memcpy(m_data, from.data(), m_size * sizeof(T)).wait();
  }
  on_device(queue& q, std::size_t size) : m_queue(q), m_size(size), m_data(malloc_device<T>(size, q)) {}
  ~on_device() { sycl::free(m_data, m_queue); }
  on_device(const on_device&) = delete;
  operator T*() const { return m_data; }
  std::vector<T> get() const {
    std::vector<T> v(m_size);
    m_queue.memcpy(v.data(), m_data, m_size * sizeof(T)).wait();
    return v;
  }

private:
  queue& m_queue;
  std::size_t m_size;
  T* m_data;
};

template <typename T>
void expect_near(const std::vector<T>& seen, const std::vector<T>& expected, double relative,
                 double absolute = 1e-6) {
  ASSERT_EQ(seen.size(), expected.size());
  for (std::size_t i = 0; i < seen.size(); ++i)
    ASSERT_NEAR(seen[i], expected[i], std::max(absolute, relative * std::abs(double(expected[i]))))
        << "at " << i;
}

#define QUEUE_WITH_USM(q)                                                                                    \
  queue q{property::queue::in_order{}};                                                                      \
  SKIP_WITHOUT(q, usm_device_allocations)

TEST(matrices, transposed_through_padded_tiles) {
  QUEUE_WITH_USM(q);
  constexpr int w = 48, h = 80, tile = 16;
  if (q.get_device().get_info<info::device::max_work_group_size>() < std::size_t(tile * tile))
    GTEST_SKIP() << prism_test::name_of(q.get_device()) << " has no work-groups of " << tile * tile
                 << " items";
  const std::vector<float> in = random_floats(w * h, -1, 1);
  on_device<float> from(q, in), to(q, w * h);
  float *a = from, *b = to;
  q.submit([&](handler& cgh) {
    local_accessor<float, 2> t(range<2>(tile, tile + 1), cgh);
    cgh.parallel_for<class transpose>(nd_range<2>(range<2>(h, w), range<2>(tile, tile)),
                                      [=](nd_item<2> item) {
      const int y = item.get_global_id(0), x = item.get_global_id(1), ly = item.get_local_id(0),
                lx = item.get_local_id(1);
      t[ly][lx] = a[y * w + x];
      group_barrier(item.get_group());
      b[(item.get_group(1) * tile + ly) * h + item.get_group(0) * tile + lx] = t[lx][ly];
    });
  });
  const std::vector<float> out = to.get();
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) ASSERT_EQ(out[x * h + y], in[y * w + x]);
}

TEST(matrices, decomposed_into_lower_and_upper_in_place) {
  QUEUE_WITH_USM(q);
  constexpr int n = 40;
  std::vector<float> m = random_floats(n * n, 0, 1, 4);
  for (int i = 0; i < n; ++i) m[i * n + i] += n;
  on_device<float> d(q, m);
  float* a = d;
  for (int k = 0; k < n - 1; ++k) {
    q.parallel_for(range<1>(n - k - 1), [=](id<1> i) { a[(k + 1 + i[0]) * n + k] /= a[k * n + k]; });
    q.parallel_for(range<2>(n - k - 1, n - k - 1), [=](item<2> i) {
      const std::size_t row = k + 1 + i[0], column = k + 1 + i.get_id(1);
      a[row * n + column] -= a[row * n + k] * a[k * n + column];
    });
  }
  const std::vector<float> lu = d.get();
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      double sum = 0;
      for (int k = 0; k <= std::min(r, c); ++k) sum += (k == r ? 1.0 : double(lu[r * n + k])) * lu[k * n + c];
      ASSERT_NEAR(sum, m[r * n + c], 1e-3) << r << " " << c;
    }
}

TEST(matrices, sparse_rows_times_a_vector_by_a_group_each) {
  QUEUE_WITH_USM(q);
  constexpr int rows = 70, group = 32;
  std::mt19937 random(5);
  std::vector<int> start{0}, column;
  std::vector<float> value;
  for (int r = 0; r < rows; ++r) {
    const int count = int(random() % 90);
    for (int k = 0; k < count; ++k) {
      column.push_back(int(random() % rows));
      value.push_back(float(random() % 100) / 16);
    }
    start.push_back(int(column.size()));
  }
  const std::vector<float> x = random_floats(rows, -1, 1, 6);
  on_device<int> d_start(q, start), d_column(q, column);
  on_device<float> d_value(q, value), d_x(q, x), d_y(q, rows);
  const int *ps = d_start, *pc = d_column;
  const float *pv = d_value, *px = d_x;
  float* py = d_y;
  q.parallel_for(nd_range<1>(rows * group, group), [=](nd_item<1> it) {
    const int row = int(it.get_group_linear_id());
    float sum = 0;
    for (int k = ps[row] + int(it.get_local_id(0)); k < ps[row + 1]; k += group) sum += pv[k] * px[pc[k]];
    sum = reduce_over_group(it.get_group(), sum, plus<>());
    if (it.get_group().leader()) py[row] = sum;
  });
  std::vector<float> expected(rows);
  for (int r = 0; r < rows; ++r)
    for (int k = start[r]; k < start[r + 1]; ++k) expected[r] += value[k] * x[column[k]];
  expect_near(d_y.get(), expected, 1e-4, 1e-3);
}

TEST(grids, heat_spreads_over_a_plate_with_halos_in_local_memory) {
  QUEUE_WITH_USM(q);
  constexpr int n = 64, tile = 16, steps = 10;
  if (q.get_device().get_info<info::device::max_work_group_size>() < std::size_t(tile * tile))
    GTEST_SKIP() << prism_test::name_of(q.get_device()) << " has no work-groups of " << tile * tile
                 << " items";
  std::vector<float> now = random_floats(n * n, 0, 100, 8), next = now;
  on_device<float> a(q, now), b(q, now);
  float *from = a, *to = b;
  for (int s = 0; s < steps; ++s, std::swap(from, to)) {
    q.submit([&](handler& h) {
      local_accessor<float, 2> t({tile + 2, tile + 2}, h);
      h.parallel_for(nd_range<2>({n, n}, {tile, tile}), [=](nd_item<2> it) {
        const int y = it.get_global_id(0), x = it.get_global_id(1), ly = it.get_local_id(0) + 1,
                  lx = it.get_local_id(1) + 1;
        const auto at = [=](int yy, int xx) {
          return from[sycl::clamp(yy, 0, n - 1) * n + sycl::clamp(xx, 0, n - 1)];
        };
        t[ly][lx] = at(y, x);
        if (ly == 1) t[0][lx] = at(y - 1, x);
        if (ly == tile) t[tile + 1][lx] = at(y + 1, x);
        if (lx == 1) t[ly][0] = at(y, x - 1);
        if (lx == tile) t[ly][tile + 1] = at(y, x + 1);
        group_barrier(it.get_group());
        to[y * n + x] = t[ly][lx] + 0.2f * (t[ly - 1][lx] + t[ly + 1][lx] + t[ly][lx - 1] + t[ly][lx + 1] -
                                            4 * t[ly][lx]);
      });
    });
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        const auto at = [&](int yy, int xx) {
          return now[std::clamp(yy, 0, n - 1) * n + std::clamp(xx, 0, n - 1)];
        };
        next[y * n + x] =
            at(y, x) + 0.2f * (at(y - 1, x) + at(y + 1, x) + at(y, x - 1) + at(y, x + 1) - 4 * at(y, x));
      }
    std::swap(now, next);
  }
  q.wait(); // tests/tools/trace_test.py checks that this wait is in the trace
  expect_near(steps % 2 ? b.get() : a.get(), now, 1e-4);
}

TEST(grids, cheapest_path_by_dynamic_programming) {
  QUEUE_WITH_USM(q);
  constexpr int columns = 200, rows = 30;
  std::vector<int> wall(columns * rows);
  std::mt19937 random(2);
  for (int& w : wall) w = int(random() % 10);
  on_device<int> d_wall(q, wall), d_a(q, columns), d_b(q, columns);
  const int* w = d_wall;
  int *from = d_a, *to = d_b;
  q.memcpy(from, w, columns * sizeof(int));
  for (int r = 1; r < rows; ++r, std::swap(from, to))
    q.parallel_for<class path_step>(nd_range<1>(256, 64), [=](nd_item<1> it) {
      const int x = it.get_global_id(0);
      if (x >= columns) return;
      int best = from[x];
      if (x > 0) best = sycl::min(best, from[x - 1]);
      if (x < columns - 1) best = sycl::min(best, from[x + 1]);
      to[x] = best + w[r * columns + x];
    });
  std::vector<int> now(wall.begin(), wall.begin() + columns), next(columns);
  for (int r = 1; r < rows; ++r, std::swap(now, next))
    for (int x = 0; x < columns; ++x) {
      int best = now[x];
      if (x > 0) best = std::min(best, now[x - 1]);
      if (x < columns - 1) best = std::min(best, now[x + 1]);
      next[x] = best + wall[r * columns + x];
    }
  EXPECT_EQ((rows - 1) % 2 ? d_b.get() : d_a.get(), now);
}

TEST(grids, shortest_paths_by_floyd_and_warshall) {
  QUEUE_WITH_USM(q);
  constexpr int n = 50;
  std::mt19937 random(12);
  std::vector<unsigned> d(n * n);
  for (int i = 0; i < n * n; ++i)
    d[i] = i % (n + 1) == 0 ? 0 : random() % 5 == 0 ? 1 + random() % 100 : 10'000;
  on_device<unsigned> dev(q, d);
  unsigned* p = dev;
  for (int k = 0; k < n; ++k) {
    q.parallel_for(nd_range<2>({64, 64}, {8, 8}), [=](nd_item<2> it) {
      const auto y = it.get_global_id(0), x = it.get_global_id(1);
      if (y < n && x < n) {
        const unsigned way = p[y * n + k] + p[k * n + x];
        if (way < p[y * n + x]) p[y * n + x] = way;
      }
    });
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) d[y * n + x] = std::min(d[y * n + x], d[y * n + k] + d[k * n + x]);
  }
  EXPECT_EQ(dev.get(), d);
}

TEST(signals, a_fourier_transform_of_complex_numbers_by_stages) {
  QUEUE_WITH_USM(q);
  constexpr int n = 256;
  using cf = std::complex<float>;
  std::vector<cf> signal(n);
  const std::vector<float> r = random_floats(2 * n, -1, 1, 17);
  for (int i = 0; i < n; ++i) signal[i] = {r[2 * i], r[2 * i + 1]};
  std::vector<cf> shuffled(n);
  for (int i = 0; i < n; ++i) {
    int j = 0;
    for (int b = 0; b < 8; ++b) j |= ((i >> b) & 1) << (7 - b);
    shuffled[j] = signal[i];
  }
  on_device<cf> d(q, shuffled);
  cf* x = d;
  for (int half = 1; half < n; half *= 2)
    q.parallel_for(range<1>(n / 2), [=](id<1> i) {
      const int k = int(i[0]) % half, at = int(i[0]) / half * half * 2 + k;
      const float angle = -3.14159265358979f * float(k) / float(half);
      const cf w(sycl::cos(angle), sycl::sin(angle)), odd = w * x[at + half], even = x[at];
      x[at] = even + odd;
      x[at + half] = even - odd;
    });
  const std::vector<cf> seen = d.get();
  for (int k = 0; k < n; k += 5) {
    std::complex<double> sum = 0;
    for (int i = 0; i < n; ++i)
      sum += std::complex<double>(signal[i]) * std::polar(1.0, -2 * M_PI * k * i / n);
    ASSERT_NEAR(seen[k].real(), sum.real(), 2e-4) << k;
    ASSERT_NEAR(seen[k].imag(), sum.imag(), 2e-4) << k;
  }
}

TEST(signals, an_image_convolved_with_a_filter_in_constant_memory) {
  QUEUE_WITH_USM(q);
  constexpr int w = 37, h = 29, radius = 2;
  static constexpr float weights[5][5] = {
      {1, 4, 6, 4, 1}, {4, 16, 24, 16, 4}, {6, 24, 36, 24, 6}, {4, 16, 24, 16, 4}, {1, 4, 6, 4, 1}};
  std::vector<std::uint8_t> picture(w * h * 3), expected(w * h * 3);
  std::mt19937 random(21);
  for (auto& p : picture) p = std::uint8_t(random());
  on_device<std::uint8_t> d_in(q, picture), d_out(q, picture.size());
  const std::uint8_t* in = d_in;
  std::uint8_t* out = d_out;
  q.parallel_for(range<2>(h, w), [=](id<2> i) {
    const int y = int(i[0]), x = int(i[1]);
    float3 sum(0.0f);
    for (int dy = -radius; dy <= radius; ++dy)
      for (int dx = -radius; dx <= radius; ++dx) {
        const int at = (sycl::clamp(y + dy, 0, h - 1) * w + sycl::clamp(x + dx, 0, w - 1)) * 3;
        sum += weights[dy + radius][dx + radius] * float3(in[at], in[at + 1], in[at + 2]);
      }
    const auto rounded = (sum / 256.0f + 0.5f).convert<std::uint8_t, rounding_mode::rtz>();
    for (int c = 0; c < 3; ++c) out[(y * w + x) * 3 + c] = rounded[c];
  });
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      for (int c = 0; c < 3; ++c) {
        float sum = 0;
        for (int dy = -radius; dy <= radius; ++dy)
          for (int dx = -radius; dx <= radius; ++dx)
            sum += weights[dy + radius][dx + radius] *
                   picture[(std::clamp(y + dy, 0, h - 1) * w + std::clamp(x + dx, 0, w - 1)) * 3 + c];
        expected[(y * w + x) * 3 + c] = std::uint8_t(sum / 256.0f + 0.5f);
      }
  EXPECT_EQ(d_out.get(), expected);
}

struct particle {
  float3 place, speed;
  float mass;
};

TEST(particles, attract_each_other_and_keep_their_momentum) {
  QUEUE_WITH_USM(q);
  constexpr int n = 96, group = 32;
  const std::vector<float> r = random_floats(n * 4, 0.1f, 1, 31);
  std::vector<particle> all(n);
  for (int i = 0; i < n; ++i) all[i] = {{r[4 * i], r[4 * i + 1], r[4 * i + 2]}, {0, 0, 0}, r[4 * i + 3]};
  on_device<particle> d(q, all);
  particle* p = d;
  for (int step = 0; step < 3; ++step) {
    q.submit([&](handler& h) {
      struct body { // constant while the work-items run
        float3 place;
        float mass;
      };
      local_accessor<body> tile(group, h);
      h.parallel_for(nd_range<1>(n, group), [=](nd_item<1> it) {
        const auto i = it.get_global_id(0), l = it.get_local_id(0);
        const particle me = p[i];
        float3 force{0.0f, 0.0f, 0.0f};
        for (int t = 0; t < n; t += group) {
          tile[l] = {p[t + l].place, p[t + l].mass};
          group_barrier(it.get_group());
          for (int k = 0; k < group; ++k) {
            const float3 d = tile[k].place - me.place;
            const float r2 = dot(d, d) + 0.01f;
            force += d * (tile[k].mass * rsqrt(r2 * r2 * r2));
          }
          group_barrier(it.get_group());
        }
        p[i].speed = me.speed + force * 0.01f;
      });
    });
    q.parallel_for(n, [=](id<1> i) { p[i].place += p[i].speed * 0.01f; });
  }
  const std::vector<particle> after = d.get();
  double momentum[3] = {}, moved = 0;
  for (int i = 0; i < n; ++i) {
    for (int c = 0; c < 3; ++c) momentum[c] += double(after[i].mass) * after[i].speed[c];
    moved += length(after[i].place - all[i].place);
  }
  for (double m : momentum) EXPECT_NEAR(m, 0, 1e-3);
  EXPECT_GT(moved, 0.01);
}

template <typename T>
T normal_below(T x) { // Abramowitz and Stegun 26.2.17
  const T k = T(1) / (T(1) + T(0.2316419) * sycl::fabs(x));
  const T tail =
      T(0.39894228040143267794) * sycl::exp(T(-0.5) * x * x) *
      (k * (T(0.31938153) +
            k * (T(-0.356563782) + k * (T(1.781477937) + k * (T(-1.821255978) + k * T(1.330274429))))));
  return x > 0 ? T(1) - tail : tail;
}

TEST(finance, options_priced_by_black_and_scholes_keep_parity) {
  QUEUE_WITH_USM(q);
  constexpr int n = 300;
  const std::vector<float> s = random_floats(n, 5, 30, 41), x = random_floats(n, 1, 100, 42),
                           t = random_floats(n, 0.25f, 10, 43);
  on_device<float> ds(q, s), dx(q, x), dt(q, t), d_call(q, n), d_put(q, n);
  const float *ps = ds, *px = dx, *pt = dt;
  float *call = d_call, *put = d_put;
  q.parallel_for(n, [=](auto i) {
    const float rate = 0.02f, volatility = 0.3f, root = sycl::sqrt(pt[i]);
    const float d1 =
        (sycl::log(ps[i] / px[i]) + (rate + 0.5f * volatility * volatility) * pt[i]) / (volatility * root);
    const float d2 = d1 - volatility * root, discount = sycl::exp(-rate * pt[i]);
    call[i] = ps[i] * normal_below(d1) - px[i] * discount * normal_below(d2);
    put[i] = px[i] * discount * (1.0f - normal_below(d2)) - ps[i] * (1.0f - normal_below(d1));
  });
  const std::vector<float> c = d_call.get(), p = d_put.get();
  for (int i = 0; i < n; ++i) {
    const double discount = std::exp(-0.02 * t[i]),
                 d1 = (std::log(double(s[i]) / x[i]) + (0.02 + 0.045) * t[i]) /
                      (0.3 * std::sqrt(double(t[i])));
    const double exact = s[i] * 0.5 * std::erfc(-d1 / M_SQRT2) -
                         x[i] * discount * 0.5 * std::erfc(-(d1 - 0.3 * std::sqrt(double(t[i]))) / M_SQRT2);
    ASSERT_NEAR(c[i], exact, 2e-4) << i;
    ASSERT_NEAR(c[i] - p[i], s[i] - x[i] * discount, 2e-4) << i;
  }
}

TEST(statistics, pi_from_a_generator_of_each_work_item_and_a_reduction) {
  QUEUE_WITH_USM(q);
  SKIP_WITHOUT(q, usm_shared_allocations);
  constexpr int n = 2000, throws = 100;
  unsigned* inside = malloc_shared<unsigned>(1, q);
  *inside = 0;
  const auto thrown = [](int seed) {
    std::uint64_t state = std::uint64_t(seed) * 0x9e3779b97f4a7c15ull + 1;
    unsigned hits = 0;
    for (int k = 0; k < throws; ++k) {
      const auto next = [&] {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return std::uint32_t(state >> 33);
      };
      const std::uint64_t x = next(), y = next();
      hits += x * x + y * y < (1ull << 62);
    }
    return hits;
  };
  q.parallel_for(range<1>(n), reduction(inside, plus<unsigned>()), [=](id<1> i, auto& sum) {
    sum += thrown(int(i[0]));
  }).wait();
  unsigned expected = 0;
  for (int i = 0; i < n; ++i) expected += thrown(i);
  EXPECT_EQ(*inside, expected);
  EXPECT_NEAR(4.0 * *inside / (n * throws), M_PI, 0.02);
  free(inside, q);
}

TEST(statistics, k_means_until_convergence) {
  QUEUE_WITH_USM(q);
  constexpr int n = 400, clusters = 4;
  std::vector<float> points = random_floats(n * 2, -1, 1, 51);
  for (int i = 0; i < n; ++i) {
    points[2 * i] += i % 2 ? 5.0f : -5.0f;
    points[2 * i + 1] += i % 4 < 2 ? 5.0f : -5.0f;
  }
  on_device<float> d(q, points), d_sum(q, clusters * 2);
  on_device<int> d_count(q, clusters), d_of(q, n);
  on_device<float> centres(q, std::vector<float>{-1, -1, 1, -1, -1, 1, 1, 1});
  const float* p = d;
  float *c = centres, *sum = d_sum;
  int *count = d_count, *of = d_of;
  for (int round = 0; round < 5; ++round) {
    q.fill(sum, 0.0f, clusters * 2);
    q.memset(count, 0, clusters * sizeof(int));
    q.parallel_for(range<1>(n), [=](id<1> i) {
      int best = 0;
      float nearest = INFINITY;
      for (int k = 0; k < clusters; ++k) {
        const float x = p[2 * i] - c[2 * k], y = p[2 * i + 1] - c[2 * k + 1], far = x * x + y * y;
        if (far < nearest) {
          nearest = far;
          best = k;
        }
      }
      of[i] = best;
      using add = atomic_ref<float, memory_order::relaxed, memory_scope::device>;
      add(sum[2 * best]).fetch_add(p[2 * i]);
      add(sum[2 * best + 1]) += p[2 * i + 1];
      atomic_ref<int, memory_order::relaxed, memory_scope::device> { count[best] }
      ++;
    });
    q.parallel_for(clusters * 2, [=](id<1> i) { c[i] = sum[i] / float(count[i / 2]); });
  }
  const std::vector<int> group = d_of.get(), counts = d_count.get();
  for (int i = 0; i < n; ++i) EXPECT_EQ(group[i], (i % 2) + 2 * (i % 4 < 2)) << i;
  EXPECT_EQ(counts, std::vector<int>(clusters, n / clusters));
}

struct box_of_numbers {
  double sum = 0;
  float least = INFINITY, greatest = -INFINITY;
  int count = 0;
  box_of_numbers operator+(const box_of_numbers& o) const {
    return {sum + o.sum, sycl::fmin(least, o.least), sycl::fmax(greatest, o.greatest), count + o.count};
  }
};

TEST(statistics, one_reduction_of_a_class_gives_several_values) {
  QUEUE_WITH_USM(q);
  SKIP_WITHOUT(q, fp64);
  const std::vector<float> v = random_floats(777, -3, 9, 61);
  on_device<float> d(q, v);
  const float* p = d;
  box_of_numbers result;
  {
    buffer<box_of_numbers> b(&result, 1);
    q.submit([&](handler& h) {
      auto r = reduction(b, h, box_of_numbers{},
                         [](const box_of_numbers& x, const box_of_numbers& y) { return x + y; });
      h.parallel_for(range<1>(v.size()), r,
                     [=](id<1> i, auto& into) { into.combine(box_of_numbers{p[i], p[i], p[i], 1}); });
    });
  }
  double sum = 0;
  for (float x : v) sum += x;
  EXPECT_NEAR(result.sum, sum, 1e-9);
  EXPECT_EQ(result.least, *std::min_element(v.begin(), v.end()));
  EXPECT_EQ(result.greatest, *std::max_element(v.begin(), v.end()));
  EXPECT_EQ(result.count, 777);
}

} // namespace
