// Sums of products of packed bytes (sycl_ext_oneapi_dot_accumulate) on each device and on the host.
#include "tests/sycl/graphs.hpp"

#include <vector>

namespace {

using namespace sycl;
using ext::oneapi::dot_acc;

/// What dot_acc computes.
template <typename A, typename B>
std::int32_t expected(std::uint32_t a, std::uint32_t b, std::int32_t c) {
  std::int64_t sum = c;
  for (int shift = 0; shift < 32; shift += 8) sum += static_cast<A>(a >> shift) * static_cast<B>(b >> shift);
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
}

/// Bytes of all kinds, among them the least and the largest ones.
std::vector<std::uint32_t> words(std::uint32_t seed, std::size_t count) {
  std::vector<std::uint32_t> out{0, 0xffffffff, 0x80808080, 0x7f7f7f7f, 0x80ff7f01, 0x01000000};
  while (out.size() < count) out.push_back(seed = seed * 1664525 + 1013904223);
  return out;
}

constexpr std::size_t count = 1000;

struct four_sums {
  std::int32_t ss, su, us, uu;
};

TEST(dot_product, of_signed_and_unsigned_bytes_are_exact_on_each_device) {
  queue q;
  const auto a = words(1, count), b = words(2, count);
  std::vector<four_sums> sums(count);
  {
    buffer x(a), y(b);
    buffer to(sums);
    q.submit([&](handler& h) {
      const accessor first(x, h, read_only), second(y, h, read_only);
      const accessor out(to, h, write_only, no_init);
      h.parallel_for(range<1>(count), [=](id<1> i) {
        const std::uint32_t u = first[i], v = second[count - 1 - i[0]];
        const auto s = std::int32_t(u), t = std::int32_t(v), c = std::int32_t(i[0] * 77777777);
        out[i] = {dot_acc(s, t, c), dot_acc(s, v, c), dot_acc(u, t, c), dot_acc(u, v, c)};
      });
    });
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t u = a[i], v = b[count - 1 - i];
    const auto c = std::int32_t(i * 77777777);
    ASSERT_EQ(sums[i].ss, (expected<std::int8_t, std::int8_t>(u, v, c))) << i;
    ASSERT_EQ(sums[i].su, (expected<std::int8_t, std::uint8_t>(u, v, c))) << i;
    ASSERT_EQ(sums[i].us, (expected<std::uint8_t, std::int8_t>(u, v, c))) << i;
    ASSERT_EQ(sums[i].uu, (expected<std::uint8_t, std::uint8_t>(u, v, c))) << i;
  }
}

TEST(dot_product, of_vectors_of_bytes_is_that_of_the_packed_words) {
  queue q;
  const auto a = words(3, count), b = words(4, count);
  std::vector<std::int32_t> sums(count);
  {
    buffer x(a), y(b);
    buffer to(sums);
    q.submit([&](handler& h) {
      const accessor first(x, h, read_only), second(y, h, read_only);
      const accessor out(to, h, write_only, no_init);
      h.parallel_for(nd_range<1>(count, 50), [=](nd_item<1> it) {
        const auto i = it.get_global_id(0);
        const auto u = bit_cast<vec<std::int8_t, 4>>(first[i]);
        const auto v = bit_cast<vec<std::uint8_t, 4>>(second[i]);
        group_barrier(it.get_group());
        out[i] = dot_acc(u, v, dot_acc(v, u, dot_acc(u, u, dot_acc(v, v, 1))));
      });
    });
  }
  using s = std::int8_t;
  using u = std::uint8_t;
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_EQ(sums[i],
              (expected<s, u>(
                  a[i], b[i],
                  expected<u, s>(b[i], a[i], expected<s, s>(a[i], a[i], expected<u, u>(b[i], b[i], 1))))))
        << i;
}

TEST(dot_product, is_computed_on_the_host_too) {
  EXPECT_EQ(dot_acc(std::int32_t(0x80808080), std::int32_t(0x80808080), 5), 4 * 128 * 128 + 5);
  EXPECT_EQ(dot_acc(0x80808080u, std::int32_t(0x80808080), 5), -4 * 128 * 128 + 5);
  EXPECT_EQ(dot_acc(0xffffffffu, 0xffffffffu, -1), 4 * 255 * 255 - 1);
}

TEST(dot_product, in_kernels_of_a_graph_may_run_as_one_launch) {
  queue q;
  const auto a = words(5, count);
  buffer x(a);
  buffer<std::int32_t> between{range<1>(count)}, sums{range<1>(count)};
  auto graph = prism_test::finalized(q, [&] {
    q.submit([&](handler& h) {
      const accessor first(x, h, read_only);
      const accessor out(between, h, write_only, no_init);
      h.parallel_for(range<1>(count), [=](id<1> i) { out[i] = dot_acc(first[i], first[i], 3); });
    });
    q.submit([&](handler& h) {
      const accessor first(x, h, read_only);
      const accessor in(between, h, read_only);
      const accessor out(sums, h, write_only, no_init);
      h.parallel_for(range<1>(count),
                     [=](id<1> i) { out[i] = dot_acc(std::int32_t(first[i]), in[i], in[i]); });
    });
  }, true);
  prism::execute_graph(q, graph);
  const host_accessor result(sums, read_only);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t between = expected<std::uint8_t, std::uint8_t>(a[i], a[i], 3);
    ASSERT_EQ(result[i], (expected<std::int8_t, std::int8_t>(a[i], std::uint32_t(between), between))) << i;
  }
}

} // namespace
