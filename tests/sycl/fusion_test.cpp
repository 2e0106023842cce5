// Fusion of a graph's kernels into one launch: same bits as without fusion, which kernels are fused, and
// promoted memory that is removed.
#include "tests/sycl/graphs.hpp"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include <unistd.h>

using namespace prism_test;
using prism::command_graph;

namespace {

namespace property = prism::property;
using executable = command_graph<prism::graph_state::executable>;

constexpr std::size_t items = 3000; // no multiple of a work-group size

std::size_t lines_with(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// Whether kernels are fused on this device; tests then require it.
bool fuses([[maybe_unused]] const sycl::queue& q) {
#if defined(PRISM_TEST_COMPILED)
  if (splits_launches()) return false;
  const sycl::backend where = q.get_backend();
  return where == sycl::backend::ext_prism_host || where == sycl::backend::opencl ||
         where == sycl::backend::ext_prism_vulkan;
#else
  return false; // only prism++ records the memory that kernels access
#endif
}
#define SKIP_UNLESS_JOINED(queue)                                                                            \
  if (!fuses(queue))                                                                                         \
  GTEST_SKIP() << name_of((queue).get_device()) << " fuses no kernels of this build or with PRISM_SLICE"

// ---- random chains

template <typename T>
using buffers = std::vector<sycl::buffer<T>>;

template <typename T>
bool has_type(const sycl::device& device) {
  if constexpr (std::is_same_v<T, double>) return device.has(sycl::aspect::fp64);
  if constexpr (std::is_same_v<T, sycl::half>) return device.has(sycl::aspect::fp16);
  return true;
}

/// The type in which integers are multiplied, so that they can wrap.
template <typename T>
using wrapping = std::conditional_t<!std::is_integral_v<T>, T,
                                    std::conditional_t<(sizeof(T) < 8), std::uint32_t, std::uint64_t>>;

/// One of several kernels; most are element-wise, some are not.
template <typename T>
void submit_step(sycl::queue& q, buffers<T>& all, unsigned kind, unsigned from, unsigned other, unsigned to,
                 T factor) {
  using W = wrapping<T>;
  const sycl::range<1> range(items);
  q.submit([&](sycl::handler& h) {
    switch (kind) {
      case 0: {
        sycl::accessor x(all[from], h, sycl::read_only);
        sycl::accessor y(all[to], h, sycl::read_write);
        return h.parallel_for(range, [=](sycl::id<1> i) { y[i] = T(W(x[i]) * W(factor) + W(y[i])); });
      }
      case 1: {
        sycl::accessor x(all[from], h, sycl::read_only);
        sycl::accessor y(all[other], h, sycl::read_only);
        sycl::accessor z(all[to], h, sycl::write_only, sycl::no_init);
        return h.parallel_for(range, [=](sycl::id<1> i) { z[i] = T(W(x[i]) * W(y[i]) - W(factor)); });
      }
      case 2: {
        sycl::accessor x(all[to], h, sycl::read_write);
        return h.parallel_for(range, [=](sycl::item<1> item) {
          const int i = int(item.get_id(0)); // converted to 32 bits
          if (x[i] < T(0)) x[i] = T(-x[i]);
          else x[i] = T(x[i] + factor);
        });
      }
      case 3: {
        sycl::accessor x(all[from], h, sycl::read_only);
        sycl::accessor z(all[to], h, sycl::write_only, sycl::no_init);
        return h.parallel_for(range, [=](sycl::id<1> i) {
          T sum = T(1);
          for (int k = 0; k < 5; ++k) sum = T(W(sum) * W(x[i]) + W(k));
          z[i] = sum;
        });
      }
      case 4: { // reads its neighbour
        sycl::accessor x(all[from], h, sycl::read_only);
        sycl::accessor z(all[to], h, sycl::write_only, sycl::no_init);
        return h.parallel_for(range, [=](sycl::id<1> i) { z[i] = T(x[(i[0] + 1) % items] + factor); });
      }
      case 5: { // x is also read at one fixed index
        sycl::accessor x(all[from], h, sycl::read_only);
        sycl::accessor y(all[to], h, sycl::read_write);
        return h.parallel_for(range, [=](sycl::id<1> i) { y[i] = T(W(y[i]) - W(x[7]) * W(x[i])); });
      }
      default: {
        sycl::accessor x(all[from], h, sycl::read_only);
        sycl::accessor y(all[to], h, sycl::read_write);
        return h.parallel_for(range, [=](sycl::id<1> i) { y[i] = T(y[i] / T(W(x[i]) * W(x[i]) + W(1))); });
      }
    }
  });
}

template <typename T>
T start_of(float value) { // a negative one becomes a large unsigned number
  if constexpr (std::is_unsigned_v<T>) return T(std::int64_t(value));
  else return T(value);
}

template <typename T>
std::vector<std::vector<T>> run_chain(sycl::queue& q, unsigned seed, bool fused, std::string* explained) {
  std::mt19937 random(seed);
  buffers<T> all;
  std::vector<std::vector<T>> start(4);
  for (auto& values : start) {
    for (std::size_t i = 0; i < items; ++i)
      values.push_back(start_of<T>(float(int(random() % 2001) - 1000) / 256.0f));
    all.emplace_back(values.data(), sycl::range<1>(items));
  }
  executable graph = finalized(q, [&] {
    for (unsigned steps = 3 + random() % 7; steps != 0; --steps) {
      const unsigned from = random() % 4;
      unsigned other = random() % 4, to = random() % 4;
      if (to == from) to = (to + 1) % 4;
      if (other == to) other = from;
      submit_step<T>(q, all, random() % 7, from, other, to, T(float(random() % 64) / 16.0f));
    }
  }, fused);
  for (int run = 0; run < 2; ++run) prism::execute_graph(q, graph);
  q.wait_and_throw();
  if (explained) *explained = graph.explain();
  std::vector<std::vector<T>> out;
  for (auto& each : all) {
    const sycl::host_accessor values(each, sycl::read_only);
    out.emplace_back(values.begin(), values.end());
  }
  return out;
}

template <typename T>
class fused_chains : public testing::Test {};
using element_types = testing::Types<float, double, sycl::half, int, std::uint64_t, signed char>;
TYPED_TEST_SUITE(fused_chains, element_types);

TYPED_TEST(fused_chains, compute_the_same_bits_as_separate_kernels) {
  sycl::queue q;
  if (!has_type<TypeParam>(q.get_device()))
    GTEST_SKIP() << name_of(q.get_device()) << " does not compute with this type";
  std::size_t launches = 0;
  constexpr unsigned seeds = std::is_same_v<TypeParam, float> ? 6 : 2; // PoCL compiles each for a second
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    std::string explained;
    const auto apart = run_chain<TypeParam>(q, seed, false, nullptr),
               together = run_chain<TypeParam>(q, seed, true, &explained);
    launches += lines_with(explained, "run as one launch");
    for (std::size_t b = 0; b < apart.size(); ++b)
      ASSERT_EQ(std::memcmp(apart[b].data(), together[b].data(), items * sizeof(TypeParam)), 0)
          << "seed " << seed << ", buffer " << b << "\n"
          << explained;
  }
  // Kernels with halves run as work-group functions on PoCL, and graphs fuse plain OpenCL C only.
  const std::string platform = q.get_device().get_platform().template get_info<sycl::info::platform::name>();
  const bool runs_groups = std::is_same_v<TypeParam, sycl::half> && platform == "Portable Computing Language";
  if (fuses(q) && !runs_groups) EXPECT_GT(launches, seeds / 2);
  else EXPECT_EQ(launches, 0u);
}

// ---- removed memory

/// a -> middle -> last -> out, with the intermediate buffers promoted or not.
struct chain {
  std::vector<float> input = std::vector<float>(items), output = std::vector<float>(items);
  std::string text, description;
};

chain run_promoted(sycl::queue& q, bool fused, bool promoted) {
  chain c;
  for (std::size_t i = 0; i < items; ++i) c.input[i] = 0.37f * float(i) - 200.f;
  const sycl::property_list how =
      promoted ? sycl::property_list(property::promote_private()) : sycl::property_list();
  sycl::buffer<float> in(c.input.data(), items), middle(items, how), last(items, how), out(items);
  executable graph = finalized(q, [&] {
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(in, h, sycl::read_only);
      sycl::accessor y(middle, h, sycl::write_only, sycl::no_init);
      h.parallel_for(items, [=](sycl::id<1> i) { y[i] = x[i] * 1.1f; }); // rounds, although a sum follows
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(middle, h, sycl::read_only);
      sycl::accessor z(in, h, sycl::read_only);
      sycl::accessor y(last, h, sycl::write_only, sycl::no_init);
      h.parallel_for(items, [=](sycl::id<1> i) { y[i] = x[i] + z[i]; });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(last, h, sycl::read_only);
      sycl::accessor z(middle, h, sycl::read_only);
      sycl::accessor y(out, h, sycl::write_only, sycl::no_init);
      h.parallel_for(items, [=](sycl::id<1> i) { y[i] = x[i] * x[i] - z[i]; });
    });
  }, fused);
  prism::execute_graph(q, graph).wait_and_throw();
  c.text = graph.explain();
  c.description = graph.describe();
  const sycl::host_accessor result(out, sycl::read_only);
  std::copy(result.begin(), result.end(), c.output.begin());
  return c;
}

TEST(fusion, promoted_memory_is_removed_and_results_do_not_change) {
  sycl::queue q;
  const chain apart = run_promoted(q, false, true), not_promoted = run_promoted(q, true, false),
              with_promotion = run_promoted(q, true, true);
  EXPECT_EQ(std::memcmp(apart.output.data(), not_promoted.output.data(), items * sizeof(float)), 0);
  EXPECT_EQ(std::memcmp(apart.output.data(), with_promotion.output.data(), items * sizeof(float)), 0);
  EXPECT_EQ(apart.text, "");
  SKIP_UNLESS_JOINED(q);
  EXPECT_EQ(lines_with(not_promoted.text, "run as one launch"), 1u) << not_promoted.text;
  EXPECT_EQ(lines_with(not_promoted.text, "not kept"), 0u) << not_promoted.text;
  EXPECT_NE(not_promoted.description.find("3 kernels fused into 1 launch"), std::string::npos)
      << not_promoted.description;
  EXPECT_EQ(lines_with(with_promotion.text,
                       std::to_string(items * sizeof(float)) + " bytes between them are not stored"),
            2u)
      << with_promotion.text;
}

// A kernel with fma has up to three Vulkan images, each with its own list of accesses.
TEST(fusion, kernels_with_fma_compute_the_same_fused) {
  sycl::queue q;
  std::vector<float> input(items, 1.0f + 0x1p-23f);
  const auto results = [&](bool fuse) {
    sycl::buffer<float> in(input.data(), items), middle(items, property::promote_private()), out(items);
    executable graph = finalized(q, [&] {
      q.submit([&](sycl::handler& h) {
        sycl::accessor x(in, h, sycl::read_only);
        sycl::accessor y(middle, h, sycl::write_only, sycl::no_init);
        h.parallel_for(items, [=](sycl::id<1> i) { y[i] = sycl::fma(x[i], x[i], -1.0f); });
      });
      q.submit([&](sycl::handler& h) {
        sycl::accessor x(middle, h, sycl::read_only);
        sycl::accessor y(out, h, sycl::write_only, sycl::no_init);
        h.parallel_for(items, [=](sycl::id<1> i) { y[i] = sycl::fma(x[i], float(i[0]), x[i]); });
      });
    }, fuse);
    prism::execute_graph(q, graph).wait_and_throw();
    const sycl::host_accessor a(out, sycl::read_only);
    return std::vector<float>(a.begin(), a.end());
  };
  const std::vector<float> apart = results(false);
  EXPECT_EQ(apart[1], 2 * (0x1p-22f + 0x1p-46f)); // not rounded before the subtraction
  EXPECT_EQ(results(true), apart);
}

TEST(fusion, promoted_memory_that_the_graph_copies_is_retained) {
  sycl::queue q;
  std::vector<float> input(items, 2.f), copied(items);
  sycl::buffer<float> in(input.data(), items), middle(items, property::promote_private()), out(items),
      copy(items);
  executable graph = finalized(q, [&] {
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(in, h, sycl::read_only);
      sycl::accessor y(middle, h, sycl::write_only, sycl::no_init);
      h.parallel_for(items, [=](sycl::id<1> i) { y[i] = x[i] + float(i[0]); });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(middle, h, sycl::read_only);
      sycl::accessor y(out, h, sycl::write_only, sycl::no_init);
      h.parallel_for(items, [=](sycl::id<1> i) { y[i] = x[i] * 3.f; });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(middle, h, sycl::read_only);
      sycl::accessor y(copy, h, sycl::write_only, sycl::no_init);
      h.copy(x, y);
    });
  }, true);
  prism::execute_graph(q, graph).wait_and_throw();
  const sycl::host_accessor result(out, sycl::read_only), seen(copy, sycl::read_only);
  for (std::size_t i = 0; i < items; ++i) {
    ASSERT_EQ(seen[i], 2.f + float(i));
    ASSERT_EQ(result[i], (2.f + float(i)) * 3.f);
  }
  SKIP_UNLESS_JOINED(q);
  EXPECT_NE(graph.explain().find("cannot be removed"), std::string::npos) << graph.explain();
}

// ---- fused kernels

TEST(fusion, usm_chains_of_two_and_three_dimensions) {
  sycl::queue q{sycl::property::queue::in_order()};
  SKIP_WITHOUT(q, usm_device_allocations);
  constexpr std::size_t n = 7 * 30 * 20;
  std::vector<int> results[2];
  std::string explained;
  for (const bool fused : {false, true}) {
    int* const x = sycl::malloc_device<int>(n, q);
    int* const y = sycl::malloc_device<int>(n, q, property::promote_private());
    executable graph = finalized(q, [&] {
      q.parallel_for(sycl::range<3>(7, 30, 20),
                     [=](sycl::item<3> i) { x[i.get_linear_id()] = int(i.get_linear_id()) * 5; });
      q.parallel_for(sycl::range<3>(7, 30, 20), [=](sycl::id<3> i) {
        y[(i[0] * 30 + i[1]) * 20 + i[2]] = x[(i[0] * 30 + i[1]) * 20 + i[2]] + 1;
      });
      q.parallel_for(sycl::range<3>(7, 30, 20),
                     [=](sycl::item<3> i) { x[i.get_linear_id()] += 7 * y[i.get_linear_id()]; });
    }, fused);
    prism::execute_graph(q, graph).wait_and_throw();
    results[fused].resize(n);
    q.copy(x, results[fused].data(), n).wait();
    if (fused) explained = graph.explain();
    sycl::free(x, q);
    sycl::free(y, q);
  }
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(results[0][i], int(i) * 5 + 7 * (int(i) * 5 + 1)) << i;
  EXPECT_EQ(results[0], results[1]) << explained;
  EXPECT_EQ(lines_with(explained, "run as one launch"), fuses(q) ? 1u : 0u) << explained;
}

TEST(fusion, accessors_of_two_dimensions_and_structures) {
  struct point {
    float a, b, c;
  };
  sycl::queue q;
  const sycl::range<2> shape(50, 61);
  std::vector<point> results[2];
  std::string explained;
  for (const bool fused : {false, true}) {
    sycl::buffer<point, 2> x(shape), y(shape);
    executable graph = finalized(q, [&] {
      q.submit([&](sycl::handler& h) {
        sycl::accessor p(x, h, sycl::write_only, sycl::no_init);
        h.parallel_for(shape, [=](sycl::id<2> i) { p[i] = {float(i[0]), float(i[1]), 1.f}; });
      });
      q.submit([&](sycl::handler& h) {
        sycl::accessor p(x, h, sycl::read_write);
        sycl::accessor r(y, h, sycl::write_only, sycl::no_init);
        h.parallel_for(shape, [=](sycl::item<2> i) {
          r[i] = {p[i].b, p[i].a * 2.f, 3.f};
          p[i].c += p[i].a;
        });
      });
    }, fused);
    prism::execute_graph(q, graph).wait_and_throw();
    if (fused) explained = graph.explain();
    const sycl::host_accessor first(x, sycl::read_only), second(y, sycl::read_only);
    results[fused].assign(first.begin(), first.end());
    results[fused].insert(results[fused].end(), second.begin(), second.end());
  }
  EXPECT_EQ(std::memcmp(results[0].data(), results[1].data(), results[0].size() * sizeof(point)), 0)
      << explained;
  EXPECT_EQ(results[0][61 * 3 + 4].c, 1.f + 3.f);
  // PoCL might reorder what the second kernel writes and reads, so that it runs as a work-group function
  // there.
  const bool is_pocl =
      q.get_device().get_platform().get_info<sycl::info::platform::name>() == "Portable Computing Language";
  EXPECT_EQ(lines_with(explained, "run as one launch"), fuses(q) && !is_pocl ? 1u : 0u) << explained;
  EXPECT_EQ(lines_with(explained, "runs as OpenCL C work-group function"), fuses(q) && is_pocl ? 1u : 0u)
      << explained;
}

// On Vulkan a kernel may write a vector at once that the next one reads element by element.
TEST(fusion, memory_that_is_removed_may_hold_vectors) {
  sycl::queue q;
  std::vector<sycl::float4> input(items), results[2];
  for (std::size_t i = 0; i < items; ++i) input[i] = {float(i), float(i) * 0.5f, -1.f, float(i % 7)};
  std::string explained;
  for (const bool fused : {false, true}) {
    sycl::buffer<sycl::float4> in(input.data(), items), out(items);
    sycl::buffer<sycl::float4> middle(items, {property::promote_private()});
    executable graph = finalized(q, [&] {
      q.submit([&](sycl::handler& h) {
        sycl::accessor x(in, h, sycl::read_only);
        sycl::accessor y(middle, h, sycl::write_only, sycl::no_init);
        h.parallel_for(items, [=](sycl::id<1> i) { y[i] = x[i] * 3.f; });
      });
      q.submit([&](sycl::handler& h) {
        sycl::accessor x(middle, h, sycl::read_write);
        h.parallel_for(items, [=](sycl::id<1> i) { x[i].y() = x[i].w() + 1.f; });
      });
      q.submit([&](sycl::handler& h) {
        sycl::accessor x(middle, h, sycl::read_only);
        sycl::accessor y(out, h, sycl::write_only, sycl::no_init);
        h.parallel_for(items, [=](sycl::id<1> i) { y[i] = x[i] + x[i].z(); });
      });
    }, fused);
    prism::execute_graph(q, graph).wait_and_throw();
    if (fused) explained = graph.explain();
    const sycl::host_accessor values(out, sycl::read_only);
    results[fused].assign(values.begin(), values.end());
  }
  EXPECT_EQ(std::memcmp(results[0].data(), results[1].data(), items * sizeof(sycl::float4)), 0) << explained;
  EXPECT_EQ(results[1][10].y(), 3.f * 3.f + 1.f - 3.f);
  EXPECT_EQ(lines_with(explained, "run as one launch"), fuses(q) ? 1u : 0u) << explained;
  EXPECT_EQ(lines_with(explained, "between them are not stored"), fuses(q) ? 1u : 0u) << explained;
}

TEST(fusion, rows_longer_than_the_range_are_not_element_wise) {
  sycl::queue q;
  sycl::buffer<int, 2> wide(sycl::range<2>(50, 61));
  sycl::buffer<int> out(50 * 60);
  auto flat = wide.reinterpret<int, 1>(sycl::range<1>(50 * 61));
  executable graph = finalized(q, [&] {
    q.submit([&](sycl::handler& h) {
      sycl::accessor to(wide, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::range<2>(50, 60), [=](sycl::id<2> i) { to[i] = int(i[0] * 1000 + i[1]); });
    });
    q.submit([&](sycl::handler& h) { // reads another work-item's element
      sycl::accessor from(flat, h, sycl::read_only);
      sycl::accessor to(out, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::range<2>(50, 60), [=](sycl::item<2> i) {
        to[i.get_linear_id()] = from[i.get_linear_id() + i.get_id(0) + (i.get_id(1) != 0 ? 0 : 59)];
      });
    });
  }, true);
  prism::execute_graph(q, graph).wait_and_throw();
  const sycl::host_accessor result(out, sycl::read_only);
  for (int y = 0; y < 50; ++y)
    for (int x = 0; x < 60; ++x)
      ASSERT_EQ(result[std::size_t(y * 60 + x)], y * 1000 + (x != 0 ? x : 59)) << graph.explain();
}

TEST(fusion, captured_strides_are_checked_at_each_launch) {
  sycl::queue q{sycl::property::queue::in_order()};
  SKIP_WITHOUT(q, usm_device_allocations);
  int* const x = sycl::malloc_device<int>(2 * items, q);
  int* const y = sycl::malloc_device<int>(items, q);
  std::string explained;
  for (const std::size_t step : {1, 2}) {
    q.fill(x, 1, 2 * items).wait();
    executable graph = finalized(q, [&] {
      q.parallel_for(sycl::range<1>(items), [=](sycl::id<1> i) { x[i * step] = int(i[0]); });
      q.parallel_for(sycl::range<1>(items),
                     [=](sycl::id<1> i) { y[i] = x[i] * 2; }); // with step 2: what later work-items wrote
    }, true);
    prism::execute_graph(q, graph).wait_and_throw();
    std::vector<int> result(items);
    q.copy(y, result.data(), items).wait();
    for (std::size_t i = 0; i < items; ++i)
      ASSERT_EQ(result[i], int(i % step == 0 ? i / step * 2 : 2)) << i << "\n" << graph.explain();
    explained += graph.explain();
  }
  sycl::free(x, q);
  sycl::free(y, q);
  SKIP_UNLESS_JOINED(q);
  EXPECT_EQ(lines_with(explained, "run as one launch"), 1u) << explained;
  EXPECT_EQ(lines_with(explained, "is not fused"), 1u) << explained;
}

TEST(fusion, nd_ranges_with_the_same_groups) {
  sycl::queue q{sycl::property::queue::in_order()};
  sycl::buffer<int> x(1024), y(1024, property::promote_private()), z(1024);
  executable graph = finalized(q, [&] {
    q.submit([&](sycl::handler& h) {
      sycl::accessor to(y, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::nd_range<1>(1024, 16), [=](sycl::nd_item<1> i) {
        to[i.get_global_id()] = int(i.get_local_id(0)) * 3 + int(i.get_group(0));
      });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor from(y, h, sycl::read_only);
      sycl::accessor to(x, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::nd_range<1>(1024, 16), [=](sycl::nd_item<1> i) {
        to[i.get_global_linear_id()] = from[i.get_global_id(0)] + 1;
      });
    });
    q.submit([&](sycl::handler& h) { // with other groups
      sycl::accessor from(x, h, sycl::read_only);
      sycl::accessor to(z, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::nd_range<1>(1024, 32),
                     [=](sycl::nd_item<1> i) { to[i.get_global_id()] = from[i.get_global_id()] * 2; });
    });
  }, true);
  for (int run = 0; run < 2; ++run) prism::execute_graph(q, graph).wait_and_throw();
  const sycl::host_accessor result(z, sycl::read_only);
  for (int i = 0; i < 1024; ++i) ASSERT_EQ(result[i], (i % 16 * 3 + i / 16 + 1) * 2) << graph.explain();
  SKIP_UNLESS_JOINED(q);
  EXPECT_EQ(lines_with(graph.explain(), "run as one launch"), 1u) << graph.explain();
  EXPECT_NE(graph.explain().find("groups of"), std::string::npos) << graph.explain();
}

TEST(fusion, kernels_that_cannot_be_fused_are_reported_with_the_reason) {
  sycl::queue q{sycl::property::queue::in_order()};
  sycl::buffer<int> x(256), y(256);
  executable graph = finalized(q, [&] {
    q.submit([&](sycl::handler& h) {
      sycl::accessor to(x, h, sycl::write_only, sycl::no_init);
      h.parallel_for<class before_the_barrier>(sycl::nd_range<1>(256, 16), [=](sycl::nd_item<1> i) {
        to[i.get_global_id()] = int(i.get_global_id(0));
      });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor to(x, h, sycl::read_write);
      h.parallel_for<class with_a_barrier>(sycl::nd_range<1>(256, 16), [=](sycl::nd_item<1> i) {
        to[i.get_global_id()] += 1;
        sycl::group_barrier(i.get_group());
      });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor from(x, h, sycl::read_only);
      sycl::accessor to(y, h, sycl::read_write);
      h.parallel_for<class with_atomics>(sycl::nd_range<1>(256, 16), [=](sycl::nd_item<1> i) {
        sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device> sum(to[0]);
        sum += from[i.get_global_id()];
      });
    });
  }, true);
  prism::execute_graph(q, graph).wait_and_throw();
  SKIP_UNLESS_JOINED(q);
  const std::string text = graph.explain();
  EXPECT_EQ(lines_with(text, "run as one launch"), 0u) << text;
  EXPECT_NE(text.find("with_a_barrier) is not element-wise: it has a barrier"), std::string::npos) << text;
  EXPECT_NE(text.find("with_atomics) is not element-wise: it has atomic or volatile accesses"),
            std::string::npos)
      << text;
}

TEST(fusion, loops_of_fitting_launches_work_fused_and_separately) {
  sycl::queue q{sycl::property::queue::in_order()};
  sycl::buffer<unsigned> x(64);
  executable graph = finalized(q, [&] {
    q.submit([&](sycl::handler& h) {
      sycl::accessor to(x, h, sycl::write_only, sycl::no_init);
      h.parallel_for(64, [=](sycl::id<1> i) { to[i] = 1u; });
    });
    for (unsigned kernel = 0; kernel < 2;
         ++kernel) // together more iterations than a launch on llvmpipe may have
      q.submit([&](sycl::handler& h) {
        sycl::accessor to(x, h, sycl::read_write);
        const unsigned rounds = 50'000 + kernel;
        h.parallel_for(64, [=](sycl::id<1> i) {
          unsigned value = to[i];
          for (unsigned k = 0; k < rounds; ++k) value = value * 1664525u + unsigned(i[0]) + k;
          to[i] = value;
        });
      });
  }, true);
  prism::execute_graph(q, graph).wait_and_throw();
  const sycl::host_accessor result(x, sycl::read_only);
  for (unsigned i = 0; i < 64; ++i) {
    unsigned value = 1;
    for (unsigned kernel = 0; kernel < 2; ++kernel)
      for (unsigned k = 0; k < 50'000 + kernel; ++k) value = value * 1664525u + i + k;
    ASSERT_EQ(result[i], value) << graph.explain();
  }
}

/// Runs in a child: whether the driver need not build the fused launch is FUSION_TEST_IS_BUILT before it is
/// built.
TEST(child, DISABLED_asks_whether_it_is_built) {
  sycl::queue q;
  sycl::buffer<int> data(items);
  command_graph graph(q);
  for (const int factor : {3, 5})
    graph.add([&](sycl::handler& h) {
      sycl::accessor a(data, h);
      h.parallel_for<class asked>(items, [=](sycl::id<1> i) { a[i] = a[i] * factor + 1; });
    });
  const property::graph::perform_fusion fusion;
  EXPECT_EQ(graph.is_built(fusion), std::getenv("FUSION_TEST_IS_BUILT") == std::string("yes"));
  const executable ready = graph.finalize(fusion);
  EXPECT_TRUE(graph.is_built(fusion));
}

TEST(fusion, a_graph_knows_whether_an_earlier_process_has_built_its_kernels) {
  sycl::queue q;
  SKIP_UNLESS_JOINED(q);
  char folder[] = "/tmp/prism-fusion-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const bool is_host = q.get_backend() == sycl::backend::ext_prism_host; // its code is in the program
  const auto child_expects = [&](const std::string& expected, const std::string& cache) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    const std::string command = "FUSION_TEST_IS_BUILT=" + expected + " PRISM_CACHE=" + cache +
                                " PRISM_CACHE_DIR=" + folder + " '" + self +
                                "' --gtest_also_run_disabled_tests --gtest_filter=child.* >/dev/null 2>&1";
    return std::system(command.c_str()) == 0;
  };
  EXPECT_TRUE(child_expects(is_host ? "yes" : "no", "on"));
  EXPECT_TRUE(child_expects("yes", "on"));
  EXPECT_TRUE(child_expects(is_host ? "yes" : "no", "off"));
  std::filesystem::remove_all(folder);
}

TEST(fusion, updated_graphs_are_fused_again) {
  SKIP_UNLESS_COMPILED("how to change the range of a kernel");
  sycl::queue q;
  std::vector<int> start(items, 1);
  sycl::buffer<int> x(start.data(), items);
  command_graph graph(q);
  const auto add = [&](int what) {
    return [&x, what](sycl::handler& h) {
      sycl::accessor to(x, h, sycl::read_write);
      h.parallel_for(sycl::range<1>(items), [=](sycl::id<1> i) { to[i] = to[i] * 3 + what; });
    };
  };
  prism::node first = graph.add(add(1)), second = graph.add(add(2));
  auto ready = graph.finalize({property::graph::perform_fusion(), property::graph::updatable()});
  prism::execute_graph(q, ready).wait_and_throw(); // 1 -> 4 -> 14
  first.update(add(10));
  ready.update(first);
  prism::execute_graph(q, ready).wait_and_throw(); // 14 -> 52 -> 158
  second.update_range(sycl::range<1>(items / 2));  // the ranges differ now
  ready.update(second);
  prism::execute_graph(q, ready).wait_and_throw(); // 158 -> 484 -> 1454
  const sycl::host_accessor result(x, sycl::read_only);
  EXPECT_EQ(result[0], 1454);
  EXPECT_EQ(result[items - 1], 484);
  SKIP_UNLESS_JOINED(q);
  EXPECT_NE(ready.explain().find("their ranges differ"), std::string::npos) << ready.explain();
}

TEST(fusion, overlapping_ranges_of_one_allocation_are_not_fused) {
  sycl::queue q{sycl::property::queue::in_order()};
  SKIP_WITHOUT(q, usm_device_allocations);
  int* const x = sycl::malloc_device<int>(items + 1, q);
  q.fill(x, 5, items + 1).wait();
  const auto shift = [&](int* from, int* to) {
    q.parallel_for(sycl::range<1>(items), [=](sycl::id<1> i) { to[i] = from[i] + 1; });
  };
  int* const y = sycl::malloc_device<int>(items, q);
  executable graph = finalized(q, [&] {
    shift(x, y);
    shift(y, x + 1); // fused with neither of its neighbours
    shift(x, y);
  }, true);
  prism::execute_graph(q, graph).wait_and_throw();
  std::vector<int> result(items);
  q.copy(y, result.data(), items).wait();
  EXPECT_EQ(result[0], 6);
  for (std::size_t i = 1; i < items; ++i) ASSERT_EQ(result[i], 8) << graph.explain();
  sycl::free(x, q);
  sycl::free(y, q);
  SKIP_UNLESS_JOINED(q);
  EXPECT_NE(graph.explain().find("overlapping memory by different elements"), std::string::npos)
      << graph.explain();
}

TEST(fusion, a_printed_graph_shows_fused_kernels_in_one_frame) {
  sycl::queue q{sycl::property::queue::in_order()};
  SKIP_WITHOUT(q, usm_device_allocations);
  int* const x = sycl::malloc_device<int>(items, q);
  const auto double_all = [=](sycl::id<1> i) { x[i] *= 2; };
  executable inner = finalized(q, [&] {
    q.parallel_for<class framed_a>(sycl::range<1>(items), double_all);
    q.parallel_for<class framed_b>(sycl::range<1>(items), [=](sycl::id<1> i) { x[i] += 1; });
    q.parallel_for<class apart>(sycl::range<1>(items / 2), [=](sycl::id<1> i) { x[i] += 3; });
  }, true);
  executable outer = finalized(q, [&] {
    q.fill(x, 1, items);
    prism::execute_graph(q, inner);
  }, true);
  const auto picture_of = [](const executable& graph, bool verbose) {
    const std::string file = testing::TempDir() + "prism_launches_" + std::to_string(::getpid()) + ".dot";
    graph.print_graph(file, verbose);
    std::ifstream in(file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::remove(file.c_str());
    return text;
  };
  const std::string alone = picture_of(inner, true), nested = picture_of(outer, false);
  sycl::free(x, q);
  for (const char* part :
       {"n0 [label=\"node 0 (kernel ", "framed_a", "\\nrange 1 x 1 x 3000", "n0 -> n1;", "n1 -> n2;"})
    EXPECT_NE(alone.find(part), std::string::npos) << part << " is not in " << alone;
  EXPECT_NE(nested.find("n2 [label=\"node 1, node 0 (kernel "), std::string::npos)
      << nested; // after the copy and the start of the sub-graph
  EXPECT_EQ(nested.find("range"), std::string::npos) << nested;
  EXPECT_EQ(error_of([&] { inner.print_graph("picture.png"); }), sycl::errc::invalid);
  SKIP_UNLESS_JOINED(q);
  const std::string frame = "  subgraph cluster_0 {\n    label=\"one launch\";\n";
  EXPECT_NE(alone.find(frame + "    n0;\n    n1;\n  }"), std::string::npos) << alone;
  EXPECT_NE(nested.find(frame + "    n2;\n    n3;\n  }"), std::string::npos) << nested;
  EXPECT_EQ(lines_with(alone + nested, "cluster"), 2u);
}

} // namespace
