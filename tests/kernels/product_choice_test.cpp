// The choice between the implementations of square products on one thread of the host, as a table: processor
// time of each as it was measured on a Xeon with AVX-512 (docs/operations-blas.md), 0 where it has no product
// of this size.
#include "kernels/blas/estimate.hpp"
#include "kernels/provider/operation.hpp"
#include "kernels/provider/ranking.hpp"
#include "providers/cblas/estimate.hpp"
#include "providers/libxsmm/estimate.hpp"
#include "providers/onednn/estimate.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using prism::provider::candidate;

enum { own, openblas, libxsmm, onednn, implementations };
constexpr const char* names[implementations] = {"prism", "openblas", "libxsmm", "onednn"};

struct product {
  std::int32_t type;
  std::int64_t n;
  double microseconds[implementations];
};

template <typename Estimate>
candidate with(const char* name, const Estimate& expected) {
  candidate out{name, {}};
  out.support.supported = 1;
  out.support.efficiency = expected.efficiency, out.support.overhead_ns = expected.overhead_ns;
  return out;
}

std::string chosen(const product& p, std::uint32_t threads = 1) {
  const prism_provider_operation what = prism::provider::plain_operation(PRISM_GEMM, p.type, p.n);
  const double work = prism::provider::work_of(what);
  std::vector<candidate> all{
      with(names[own], prism::blas::estimated(what, {true, true, true})),
      with(names[openblas], prism_cblas::estimated(what, work, 1, {0.85, 200, false, true}))};
  if (p.microseconds[libxsmm] > 0)
    all.push_back(with(names[libxsmm], prism_libxsmm::estimated(what, int(p.n), int(p.n), true)));
  if (p.microseconds[onednn] > 0) all.push_back(with(names[onednn], prism_onednn::estimated(what, threads)));
  constexpr double peak = 32; // as for one processor, see ranking_on
  return prism::provider::rank(all, 2 * work, peak, {}).front().name;
}

constexpr product all_products[] = {
    {PRISM_F32, 4, {1.5, 1.5, 1.3, 3.6}},
    {PRISM_F32, 8, {1.6, 1.5, 2.1, 3.8}},
    {PRISM_F32, 12, {1.8, 1.6, 2.1, 3.8}},
    {PRISM_F32, 16, {1.9, 1.6, 2.1, 3.6}},
    {PRISM_F32, 24, {2.4, 1.9, 2.4, 4}},
    {PRISM_F32, 32, {2.2, 2.1, 2.6, 4.4}},
    {PRISM_F32, 48, {4.4, 3, 3.3, 4.8}},
    {PRISM_F32, 64, {5.2, 4.5, 5, 7.6}},
    {PRISM_F32, 96, {11.4, 10, 10.3, 12.1}},
    {PRISM_F32, 128, {26.6, 30.4, 22.1, 24.3}},
    {PRISM_F32, 160, {45.1, 53.2, 0, 43.2}},
    {PRISM_F32, 192, {78.5, 90.3, 0, 72.4}},
    {PRISM_F32, 256, {178.9, 203.8, 0, 171.6}},
    {PRISM_F32, 320, {352.4, 389.8, 0, 328.1}},
    {PRISM_F32, 384, {602.8, 664.8, 0, 570.7}},
    {PRISM_F32, 512, {1559.7, 1576.8, 0, 1430.2}},
    {PRISM_F32, 768, {5542.8, 5287.2, 0, 5169.7}},
    {PRISM_F32, 1024, {11974.9, 11889.3, 0, 12167.8}},
    {PRISM_F64, 4, {1.6, 1.6, 1.9, 0}},
    {PRISM_F64, 8, {1.8, 1.6, 2.2, 0}},
    {PRISM_F64, 16, {2.6, 1.8, 2.3, 0}},
    {PRISM_F64, 24, {2.6, 2, 2.5, 0}},
    {PRISM_F64, 32, {2.8, 2.5, 3.1, 0}},
    {PRISM_F64, 48, {4.6, 4.3, 4.5, 0}},
    {PRISM_F64, 64, {9.5, 7.4, 7.7, 0}},
    {PRISM_F64, 96, {22, 18.5, 19.5, 0}},
    {PRISM_F64, 128, {52.2, 65.5, 40.6, 0}},
    {PRISM_F64, 160, {85.5, 115.9, 0, 0}},
    {PRISM_F64, 192, {157.2, 207.7, 0, 0}},
    {PRISM_F64, 256, {367.4, 433.8, 0, 0}},
    {PRISM_F64, 384, {1422.3, 1446.4, 0, 0}},
    {PRISM_F64, 512, {3172.8, 3134.3, 0, 0}},
    {PRISM_F64, 768, {11062, 10763.9, 0, 0}},
    {PRISM_F64, 1024, {27061.1, 25506.8, 0, 0}},
};

/// The time of the chosen implementation over that of the fastest.
double loss(const product& p) {
  const auto at = std::find(std::begin(names), std::end(names), chosen(p)) - std::begin(names);
  double best = p.microseconds[own];
  for (const double time : p.microseconds)
    if (time > 0) best = std::min(best, time);
  return p.microseconds[at] / best;
}

TEST(product_choice, is_within_a_twentieth_of_the_fastest_in_nine_of_ten_sizes) {
  int near = 0, all = 0;
  std::string others;
  for (const product& p : all_products) {
    ++all;
    if (loss(p) <= 1.05) ++near;
    else others += " " + prism::provider::name_of_type(p.type) + " " + std::to_string(p.n) + ": " + chosen(p);
  }
  EXPECT_GE(near, 0.9 * all) << others;
}

TEST(product_choice, never_takes_a_quarter_more_than_the_fastest) {
  for (const product& p : all_products)
    EXPECT_LE(loss(p), 1.25) << prism::provider::name_of_type(p.type) << " " << p.n << ": " << chosen(p);
}

TEST(product_choice, on_several_threads_is_not_onednn_whose_threads_wait_for_each_other) {
  for (const product& p : all_products)
    EXPECT_NE(chosen(p, 2), "onednn") << prism::provider::name_of_type(p.type) << " " << p.n;
}

} // namespace
