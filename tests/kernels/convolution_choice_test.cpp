// The choice between the own kernels and oneDNN for convolutions of one image on the host, as a table: the
// estimates of both, and the one that took less processor time when it was measured (two cores of an EPYC
// with AVX2; depthwise of 64 channels and more: a Xeon with AVX2's instructions). Shapes whose times differ
// by less than a fifth are left out.
#include "kernels/blas/estimate.hpp"
#include "kernels/provider/operation.hpp"
#include "kernels/provider/ranking.hpp"
#include "providers/onednn/estimate.hpp"

#include <gtest/gtest.h>

namespace {

using prism::provider::candidate;

struct convolution {
  std::int64_t channels, filters, side, window, groups, stride;
  const char* fastest;
  int own_microseconds, onednn_microseconds; // on one thread
};

prism_provider_operation described(const convolution& c) {
  prism_provider_operation what{};
  what.struct_size = sizeof what, what.operand_size = sizeof(prism_provider_operand);
  what.operation = PRISM_CONV2D, what.operand_count = 3, what.groups = c.groups;
  const std::int64_t results = (c.side + 2 * (c.window / 2) - c.window) / c.stride + 1;
  const std::int64_t extents[3][4] = {{1, c.channels, c.side, c.side},
                                      {c.filters, c.channels / c.groups, c.window, c.window},
                                      {1, c.filters, results, results}};
  for (int i = 0; i < 3; ++i) {
    prism_provider_operand& a = what.operand[i];
    a.type = PRISM_F32, a.rank = 4;
    std::int64_t apart = 1;
    for (int d = 4; d-- > 0; apart *= a.extent[d]) a.extent[d] = extents[i][d], a.stride[d] = apart;
  }
  for (int d = 0; d < 2; ++d)
    what.window_stride[d] = c.stride, what.window_padding[d] = c.window / 2, what.window_dilation[d] = 1;
  return what;
}

std::string chosen(const prism_provider_operation& what) {
  const auto with = [](const char* name, double efficiency, double overhead_ns) {
    candidate out{name, {}};
    out.support.supported = 1, out.support.efficiency = efficiency, out.support.overhead_ns = overhead_ns;
    return out;
  };
  const prism::blas::own_estimate own = prism::blas::estimated(what, {});
  const prism_onednn::estimate theirs = prism_onednn::estimated(what, 1);
  constexpr double peak = 32; // as for one processor, see ranking_on
  return prism::provider::rank({with("prism", own.efficiency, own.overhead_ns),
                                with("onednn", theirs.efficiency, theirs.overhead_ns)},
                               2 * prism::provider::work_of(what), peak, {})
      .front()
      .name;
}

TEST(convolution_choice, is_the_one_that_was_faster) {
  const convolution all[] = {
      {1, 1, 28, 3, 1, 1, "prism", 11, 29},        {4, 4, 8, 3, 1, 1, "prism", 10, 20},
      {4, 4, 16, 3, 1, 1, "prism", 12, 24},        {4, 4, 56, 3, 1, 1, "prism", 38, 101},
      {4, 4, 128, 3, 1, 1, "prism", 165, 307},     {4, 4, 224, 3, 1, 1, "prism", 547, 1084},
      {8, 8, 16, 3, 1, 1, "prism", 19, 33},        {8, 8, 56, 3, 1, 1, "prism", 107, 137},
      {8, 8, 128, 3, 1, 1, "prism", 520, 644},     {12, 12, 56, 3, 1, 1, "prism", 234, 320},
      {5, 7, 40, 3, 1, 1, "prism", 23, 45},        {16, 4, 56, 3, 1, 1, "prism", 78, 204},
      {1, 16, 56, 3, 1, 1, "prism", 25, 35},       {3, 8, 64, 3, 1, 1, "prism", 63, 81},
      {4, 4, 56, 1, 1, 1, "prism", 21, 57},        {4, 4, 56, 3, 4, 1, "prism", 24, 53},
      {32, 32, 14, 3, 32, 1, "prism", 23, 28},     {32, 32, 28, 3, 1, 1, "onednn", 446, 263},
      {32, 32, 56, 3, 1, 1, "onednn", 1618, 1051}, {64, 64, 14, 3, 1, 1, "onednn", 384, 280},
      {64, 64, 56, 3, 1, 1, "onednn", 4860, 3675}, {64, 64, 7, 3, 1, 1, "onednn", 113, 91},
      {3, 64, 112, 7, 1, 2, "onednn", 1540, 936},  {64, 256, 56, 1, 1, 1, "onednn", 2507, 2098},
      {256, 64, 28, 1, 1, 1, "onednn", 774, 585},  {128, 128, 28, 3, 128, 1, "prism", 37, 65},
      {64, 64, 56, 3, 64, 1, "prism", 65, 412},    {64, 64, 56, 3, 1, 2, "onednn", 1030, 779},
  };
  for (const convolution& c : all) {
    const prism_provider_operation what = described(c);
    ASSERT_EQ(prism::provider::contradiction_in(what), "");
    ASSERT_EQ(c.fastest, std::string(c.own_microseconds < c.onednn_microseconds ? "prism" : "onednn"));
    EXPECT_EQ(chosen(what), c.fastest)
        << c.channels << " to " << c.filters << " channels of " << c.side << " x " << c.side
        << ", windows of " << c.window << ", " << c.groups << " groups, stride " << c.stride;
  }
}

} // namespace
