// Convolutions that a provider reports as supported: their error against sums in long double, windows,
// groups, strides, images with the channels last; NaN in what is overwritten; nothing else changes.
#include "tests/providers/conformance/target.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <thread>

namespace provider_test {
namespace {

using four = std::array<std::int64_t, 4>;

enum class order { contiguous, channels_last, padded };
struct wish {
  four x, filters; // n, c, h, w; o, c / groups, r, s
  std::int64_t groups = 1;
  std::array<std::int64_t, 2> stride{1, 1}, padding{0, 0}, dilation{1, 1};
  order how = order::contiguous;
};
const wish wishes[] = {{{1, 1, 1, 1}, {1, 1, 1, 1}},
                       {{2, 3, 9, 11}, {10, 3, 3, 3}, 1, {1, 1}, {1, 1}},
                       {{1, 8, 7, 40}, {16, 8, 1, 1}, 1, {1, 1}, {0, 0}, {1, 1}, order::channels_last},
                       {{2, 6, 12, 10}, {9, 2, 3, 2}, 3, {2, 3}, {2, 0}, {2, 1}},
                       {{1, 4, 8, 37}, {4, 1, 3, 3}, 4, {1, 1}, {1, 1}, {1, 1}, order::padded},
                       {{1, 2, 2, 5}, {3, 2, 2, 2}, 1, {1, 1}, {6, 4}},
                       {{1, 2, 5, 6}, {8, 2, 5, 5}, 1, {1, 2}, {4, 3}, {1, 2}, order::channels_last},
                       {{2, 16, 14, 14}, {32, 16, 3, 3}, 1, {2, 2}, {1, 1}, {1, 1}, order::padded},
                       {{1, 100, 3, 5}, {17, 100, 3, 3}, 1, {1, 1}, {1, 1}}};

std::int64_t place(const operand& a, const four& at) {
  std::int64_t out = a.first;
  for (int d = 0; d < 4; ++d) out += at[std::size_t(d)] * a.description.stride[d];
  return out;
}
void for_each(const four& extent, const std::function<void(const four&)>& each) {
  four at{};
  for (at[0] = 0; at[0] < extent[0]; ++at[0])
    for (at[1] = 0; at[1] < extent[1]; ++at[1])
      for (at[2] = 0; at[2] < extent[2]; ++at[2])
        for (at[3] = 0; at[3] < extent[3]; ++at[3]) each(at);
}
four extents_of(const operand& a) {
  return {a.description.extent[0], a.description.extent[1], a.description.extent[2], a.description.extent[3]};
}

operand image_of(const four& extent, std::int32_t type, order how, engine& random) {
  operand out;
  out.kind = prism::provider::operand_kind::image;
  auto& d = out.description;
  d.type = type, d.rank = 4;
  const int inner_first[2][4] = {{3, 2, 1, 0}, {1, 3, 2, 0}};
  std::int64_t apart = how == order::padded ? 2 : 1;
  for (const int i : inner_first[how == order::channels_last]) {
    d.extent[i] = extent[std::size_t(i)], d.stride[i] = apart;
    apart = apart * extent[std::size_t(i)] + (how == order::padded ? 3 : 0);
  }
  out.first = 3;
  out.bytes.resize(std::size_t(apart + 8) * prism::provider::bytes_of_type(type));
  for (std::byte& each : out.bytes) each = std::byte(random() % 120);
  std::uniform_real_distribution<double> value(-1, 1);
  for_each(extent, [&](const four& at) { out.set(place(out, at), value(random)); });
  return out;
}

job make(const wish& w, std::int32_t type, engine& random) {
  job out;
  auto& what = out.what;
  what.struct_size = sizeof what, what.operand_size = sizeof(prism_provider_operand);
  what.operation = PRISM_CONV2D, what.operand_count = 3, what.groups = w.groups;
  four y{w.x[0], w.filters[0]};
  for (std::size_t d = 0; d < 2; ++d) {
    what.window_stride[d] = w.stride[d], what.window_padding[d] = w.padding[d],
    what.window_dilation[d] = w.dilation[d];
    y[d + 2] = (w.x[d + 2] + 2 * w.padding[d] - w.dilation[d] * (w.filters[d + 2] - 1) - 1) / w.stride[d] + 1;
  }
  out.operands = {image_of(w.x, type, w.how, random), image_of(w.filters, type, w.how, random),
                  image_of(y, type, w.how, random)};
  for (std::size_t i = 0; i < 3; ++i) what.operand[i] = out.operands[i].description;
  for_each(y, [&](const four& at) {
    out.operands[2].set(place(out.operands[2], at), std::numeric_limits<double>::quiet_NaN());
  });
  return out;
}

std::string wrong_convolution(const job& j, const std::vector<operand>& after) {
  const std::string text = prism::provider::text_of(j.what);
  const operand &x = j.operands[0], &w = j.operands[1];
  const four image = extents_of(x), filters = extents_of(w), result = extents_of(j.operands[2]);
  const std::int64_t outputs = filters[0] / j.what.groups;
  const std::size_t width = prism::provider::bytes_of_type(x.description.type);
  std::vector<bool> written(after[2].bytes.size());
  std::string wrong;
  for_each(result, [&](const four& at) {
    long double sum = 0, size = 0, terms = 0;
    for_each({1, filters[1], filters[2], filters[3]}, [&](const four& k) {
      const std::int64_t i = at[2] * j.what.window_stride[0] - j.what.window_padding[0] +
                             k[2] * j.what.window_dilation[0],
                         q = at[3] * j.what.window_stride[1] - j.what.window_padding[1] +
                             k[3] * j.what.window_dilation[1];
      if (i < 0 || q < 0 || i >= image[2] || q >= image[3]) return;
      const long double product = w.get(place(w, {at[1], k[1], k[2], k[3]})).real() *
                                  x.get(place(x, {at[0], at[1] / outputs * filters[1] + k[1], i, q})).real();
      sum += product, size += std::fabs(product), terms += 1;
    });
    const std::int64_t to = place(after[2], at);
    std::fill_n(written.begin() + to * std::int64_t(width), width, true);
    const long double bound = (terms + 2) * unit_roundoff(x.description.type) * size;
    if (const long double found = after[2].get(to).real();
        wrong.empty() && !(std::fabs(found - sum) <= bound))
      wrong = text + ": element " + std::to_string(at[0]) + ", " + std::to_string(at[1]) + ", " +
              std::to_string(at[2]) + ", " + std::to_string(at[3]) + " is " + std::to_string(double(found)) +
              " instead of " + std::to_string(double(sum));
  });
  if (!wrong.empty()) return wrong;
  for (std::size_t i = 0; i < 2; ++i)
    if (after[i].bytes != j.operands[i].bytes) return text + ": an operand that is read was changed";
  for (std::size_t i = 0; i < written.size(); ++i)
    if (!written[i] && after[2].bytes[i] != j.operands[2].bytes[i])
      return text + ": byte " + std::to_string(i) + " of the result is no element and was changed";
  return {};
}

class provider_convolutions : public testing::TestWithParam<std::int32_t> {};

TEST_P(provider_convolutions, lie_within_rounding_of_the_reference) {
  int supported = 0;
  std::string refusal;
  for (const auto& on : all_targets()) {
    engine random(78);
    for (const wish& w : wishes) {
      const job made = make(w, GetParam(), random);
      ASSERT_EQ(prism::provider::contradiction_in(made.what), "") << "the test contradicts itself";
      const prism_provider_support answer = query(*on, made.what);
      if (!answer.supported) {
        EXPECT_NE(answer.reason[0], 0) << prism::provider::text_of(made.what) << ": no reason";
        refusal = answer.reason;
        continue;
      }
      ++supported;
      std::string why;
      const plan_ptr ready = plan(*on, made.what, &why);
      ASSERT_TRUE(ready) << prism::provider::text_of(made.what) << ": plan refuses: " << why;
      std::vector<operand> after;
      for (const std::uint32_t threads : {1u, 2u}) {
        ASSERT_EQ(on->run(ready.get(), made, threads, after, why), PRISM_OK) << why;
        ASSERT_EQ(wrong_convolution(made, after), "") << on->name() << ", " << threads << " threads";
      }
    }
  }
  if (supported == 0) GTEST_SKIP() << "not supported: " << refusal;
}
INSTANTIATE_TEST_SUITE_P(of, provider_convolutions, testing::Values(int(PRISM_F32), int(PRISM_F64)),
                         [](const auto& info) { return info.param == PRISM_F32 ? "float" : "double"; });

TEST(provider_convolution_rules, contradictory_requests_are_rejected_with_a_reason) {
  engine random(3);
  for (const auto& on : all_targets()) {
    const job good = make(wishes[3], PRISM_F32, random);
    if (!query(*on, good.what).supported) GTEST_SKIP() << "it has no convolutions";
    const std::pair<const char*, std::function<void(prism_provider_operation&)>> faults[] = {
        {"a stride of 0", [](auto& o) { o.window_stride[0] = 0; }},
        {"a negative padding", [](auto& o) { o.window_padding[1] = -1; }},
        {"groups that do not divide the channels", [](auto& o) { o.groups = 4; }},
        {"no groups", [](auto& o) { o.groups = 0; }},
        {"another number of images", [](auto& o) { o.operand[2].extent[0] = 3; }},
        {"another number of rows", [](auto& o) { o.operand[2].extent[2] += 1; }},
        {"filters of other channels", [](auto& o) { o.operand[1].extent[1] = 3; }},
        {"types of different sizes", [](auto& o) { o.operand[1].type = PRISM_F64; }},
        {"an image of three dimensions", [](auto& o) { o.operand[0].rank = 3; }},
        {"a result whose elements overlap", [](auto& o) { o.operand[2].stride[3] = 0; }},
        {"a description without a window",
         [](auto& o) { o.struct_size = offsetof(prism_provider_operation, window_stride); }}};
    for (const auto& [what, change] : faults) {
      prism_provider_operation wrong = good.what;
      change(wrong);
      const prism_provider_support answer = query(*on, wrong);
      EXPECT_FALSE(answer.supported) << what;
      EXPECT_NE(answer.reason[0], 0) << what << ": no reason";
      EXPECT_FALSE(plan(*on, wrong)) << what << ": plan accepted it";
    }
  }
}

TEST(provider_convolution_rules, one_plan_is_run_by_many_threads_at_once) {
  engine random(4);
  for (const auto& on : all_targets()) {
    if (on->device().native != PRISM_NATIVE_HOST) continue;
    const job good = make(wishes[1], PRISM_F32, random);
    if (!query(*on, good.what).supported) GTEST_SKIP() << "it has no convolutions";
    const plan_ptr ready = plan(*on, good.what);
    ASSERT_TRUE(ready);
    std::vector<std::string> wrong(4);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < wrong.size(); ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 20 && wrong[t].empty(); ++i) {
          std::vector<operand> after;
          std::string why;
          const auto granted = std::uint32_t(1 + t % 2);
          wrong[t] = on->run(ready.get(), good, granted, after, why) == PRISM_OK
                         ? wrong_convolution(good, after)
                         : why;
        }
      });
    for (std::thread& each : threads) each.join();
    for (const std::string& each : wrong) EXPECT_EQ(each, "");
  }
}

} // namespace
} // namespace provider_test
