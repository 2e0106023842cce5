// Products of half, bfloat16 and int8: sums of float, of int8 exact ones of int32, rounded once.
#include "tests/providers/conformance/target.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace provider_test {
namespace {

struct narrow_types {
  std::int32_t in, out;
};
void PrintTo(const narrow_types& one, std::ostream* out) {
  *out << prism::provider::name_of_type(one.in) << " to " << prism::provider::name_of_type(one.out);
}
const narrow_types all_types[] = {{PRISM_F16, PRISM_F32},   {PRISM_F16, PRISM_F16}, {PRISM_BF16, PRISM_F32},
                                  {PRISM_BF16, PRISM_BF16}, {PRISM_S8, PRISM_S32},  {PRISM_S8, PRISM_F32}};

class provider_narrow : public testing::TestWithParam<narrow_types> {
protected:
  job make(job_wish w, engine& random) const {
    w.operation = PRISM_GEMM, w.type = GetParam().in, w.out_type = GetParam().out;
    job out = make_job(w, random);
    if (GetParam().out == PRISM_S32)
      out.alpha[0] = double(random() % 7) - 3, out.beta[0] = double(random() % 3) - 1;
    return out;
  }
  /// Runs the supported ones of the jobs, after `change`.
  template <typename Change>
  void try_all(const std::vector<job_wish>& wishes, const Change& change) {
    engine random(0x51u + std::uint64_t(GetParam().in) * 7 + std::uint64_t(GetParam().out));
    int supported = 0;
    std::string refusal = "no device";
    for (const auto& on : all_targets())
      for (const job_wish& w : wishes) {
        job made = make(w, random);
        ASSERT_EQ(prism::provider::contradiction_in(made.what), "");
        const prism_provider_support answer = query(*on, made.what);
        if (!answer.supported) {
          EXPECT_NE(answer.reason[0], 0) << "refused without a reason";
          refusal = answer.reason;
          continue;
        }
        change(made);
        ++supported;
        ASSERT_EQ(wrong_result(*on, made), "") << on->name();
      }
    if (supported == 0) GTEST_SKIP() << "not supported: " << refusal;
  }
};

std::vector<job_wish> shapes() {
  std::vector<job_wish> out;
  for (const std::int64_t m : {1, 5, 16, 67})
    for (const std::int64_t n : {1, 8, 33})
      for (const std::int64_t k : {1, 4, 19, 300})
        for (const bool plain : {true, false}) {
          job_wish& w = out.emplace_back();
          w.m = m, w.n = n, w.k = k, w.plain = plain;
        }
  for (const std::int64_t batch : {1, 3}) {
    job_wish& w = out.emplace_back();
    w.m = 9, w.n = 7, w.k = 20, w.batch = batch;
  }
  return out;
}

TEST_P(provider_narrow, products_are_sums_of_float_rounded_once) {
  try_all(shapes(), [](job&) {});
}

TEST_P(provider_narrow, products_with_beta_zero_never_read_the_old_output) {
  try_all(shapes(), [](job& made) {
    made.beta[0] = 0;
    if (made.what.operand[2].type != PRISM_S32) poison_written(made);
  });
}

TEST_P(provider_narrow, products_with_alpha_zero_are_beta_times_the_old_output) {
  try_all(shapes(), [](job& made) { made.alpha[0] = 0; });
}

/// Pairs of products of int8 exceed 16 bits, in which some instructions add them.
TEST_P(provider_narrow, the_largest_integers_are_added_exactly) {
  if (GetParam().in != PRISM_S8) GTEST_SKIP() << "integers only";
  try_all(shapes(), [](job& made) {
    for (int i = 0; i < 2; ++i) {
      operand& a = made.operands[std::size_t(i)];
      for (std::int64_t b = 0; b < prism::provider::batch_of(made.what); ++b)
        for (std::int64_t r = 0; r < a.description.extent[0]; ++r)
          for (std::int64_t c = 0; c < a.description.extent[1]; ++c)
            a.set(a.place(r, c, b, 0), (r + c) % 5 == 0 ? 127 : -128);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(of, provider_narrow, testing::ValuesIn(all_types),
                         [](const testing::TestParamInfo<narrow_types>& info) {
                           return prism::provider::name_of_type(info.param.in) + "_to_" +
                                  prism::provider::name_of_type(info.param.out);
                         });

} // namespace
} // namespace provider_test
