// A provider must compute every operation that it reports as supported: all types, shapes, layouts, flags,
// batches and scalars.
#include "tests/providers/conformance/target.hpp"

#include <gtest/gtest.h>

namespace provider_test {
namespace {

using prism::provider::facts_of;

struct subject_operation {
  std::int32_t operation, type;
};
void PrintTo(const subject_operation& one, std::ostream* out) {
  *out << prism::provider::name_of_operation(one.operation) << " " << prism::provider::name_of_type(one.type);
}
std::string name_of_subject(const testing::TestParamInfo<subject_operation>& info) {
  std::string out = prism::provider::name_of_operation(info.param.operation) + "_" +
                    prism::provider::name_of_type(info.param.type);
  for (char& c : out)
    if (c == ' ') c = '_';
  return out;
}
std::vector<subject_operation> all_subjects() {
  std::vector<subject_operation> out;
  for (const auto& facts : prism::provider::blas_operations())
    for (const std::int32_t type : {PRISM_F32, PRISM_F64, PRISM_C32, PRISM_C64})
      out.push_back({facts.id, type});
  return out;
}

class provider_results : public testing::TestWithParam<subject_operation> {
protected:
  /// Runs the supported jobs. `change` can modify a job before it runs.
  template <typename Change>
  void try_all(std::vector<job_wish> wishes, Change&& change) {
    engine random(0x9e3779b9u + std::uint64_t(GetParam().operation) * 64 + std::uint64_t(GetParam().type));
    int supported = 0;
    std::string refusal;
    for (const auto& on : all_targets())
      for (job_wish w : wishes) {
        w.operation = GetParam().operation, w.type = GetParam().type;
        if (!takes_storage(w.operation, w.storage)) continue;
        job made = make_job(w, random);
        ASSERT_EQ(prism::provider::contradiction_in(made.what), "")
            << "the test's own description is contradictory";
        const prism_provider_support answer = query(*on, made.what);
        if (!answer.supported) {
          EXPECT_NE(answer.reason[0], 0)
              << prism::provider::text_of(made.what) << " is refused without a reason";
          refusal = answer.reason;
          continue;
        }
        change(made);
        ++supported;
        const std::string wrong = wrong_result(*on, made);
        ASSERT_EQ(wrong, "") << on->name();
      }
    if (supported == 0) GTEST_SKIP() << "not supported: " << refusal;
  }
};

std::vector<job_wish> square_and_other(std::int64_t most) {
  std::vector<job_wish> out;
  for (const std::int64_t m : {std::int64_t(1), std::int64_t(2), std::int64_t(5), std::int64_t(17), most})
    for (const std::int64_t n : {std::int64_t(1), std::int64_t(3), std::int64_t(8), most})
      for (const bool plain : {true, false}) {
        job_wish w;
        w.m = m, w.n = n, w.k = (m * 3 + n) % 19 + 1, w.plain = plain;
        out.push_back(w);
        if (!plain) out.insert(out.end(), 3, w); // layouts and flags are random
      }
  return out;
}

TEST_P(provider_results, lie_within_rounding_of_the_reference) {
  try_all(square_and_other(33), [](job&) {});
}

TEST_P(provider_results, of_larger_operands_too) {
  job_wish w;
  w.m = 150, w.n = 131, w.k = 140;
  job_wish plain = w;
  plain.plain = true;
  try_all({w, w, plain}, [](job&) {});
}

TEST_P(provider_results, of_zero_elements_are_those_of_an_empty_sum) {
  std::vector<job_wish> wishes;
  for (const auto& [m, n, k] :
       {std::array<std::int64_t, 3>{0, 4, 3}, {4, 0, 3}, {4, 5, 0}, {0, 0, 0}, {1, 0, 0}}) {
    job_wish w;
    w.m = m, w.n = n, w.k = k;
    wishes.insert(wishes.end(), 4, w);
  }
  try_all(wishes, [](job&) {});
}

TEST_P(provider_results, with_beta_zero_never_read_the_old_output) {
  const auto& facts = *facts_of(GetParam().operation);
  if (facts.is_in_place) GTEST_SKIP() << "it always reads its last operand";
  std::vector<job_wish> wishes = square_and_other(20);
  wishes.emplace_back().k = 0;
  try_all(wishes, [](job& made) {
    made.beta[0] = made.beta[1] = 0;
    poison_written(made);
  });
}

TEST_P(provider_results, with_alpha_zero_are_beta_times_the_old_output) {
  if (GetParam().operation == PRISM_ROT) GTEST_SKIP() << "its scalars are a rotation";
  try_all(square_and_other(12), [](job& made) {
    made.alpha[0] = made.alpha[1] = 0;
    if (GetParam().operation != PRISM_HER && GetParam().operation != PRISM_HER2) return;
    operand& a = made.operands.back(); // imaginary parts of the diagonal may keep their values
    for (std::int64_t i = 0; i < a.description.extent[0]; ++i) {
      const std::int64_t at = a.place(i, i, 0, made.what.uplo);
      a.set(at, a.get(at).real());
    }
  });
}

TEST_P(provider_results, of_batches_equal_those_of_single_operations) {
  std::vector<job_wish> wishes;
  for (const std::int64_t batch : {0, 1, 2, 7}) {
    job_wish w;
    w.m = 5, w.n = 6, w.k = 4, w.batch = batch;
    wishes.insert(wishes.end(), 4, w);
  }
  try_all(wishes, [](job&) {});
}

TEST_P(provider_results, of_banded_and_packed_matrices_are_right) {
  std::vector<job_wish> wishes;
  for (const std::int32_t storage : {PRISM_STORED_BANDED, PRISM_STORED_PACKED})
    for (const std::int64_t n : {1, 2, 9, 16}) {
      job_wish w;
      w.m = n + 3, w.n = n, w.storage = storage;
      wishes.insert(wishes.end(), 6, w);
    }
  if (!takes_storage(GetParam().operation, PRISM_STORED_BANDED) &&
      !takes_storage(GetParam().operation, PRISM_STORED_PACKED))
    GTEST_SKIP() << "it takes full matrices only";
  try_all(wishes, [](job&) {});
}

INSTANTIATE_TEST_SUITE_P(of, provider_results, testing::ValuesIn(all_subjects()), name_of_subject);

TEST(provider_values, a_nan_in_a_factor_reaches_the_product) {
  engine random(7);
  for (const auto& on : all_targets()) {
    job_wish w;
    w.m = w.n = w.k = 9, w.plain = true;
    job made = make_job(w, random);
    made.beta[0] = 0;
    if (!query(*on, made.what).supported) continue;
    made.operands[0].set(made.operands[0].place(4, 4, 0, 0), std::numeric_limits<long double>::quiet_NaN());
    std::string why;
    const plan_ptr ready = plan(*on, made.what, &why);
    ASSERT_TRUE(ready) << why;
    std::vector<operand> after;
    ASSERT_EQ(on->run(ready.get(), made, 1, after, why), PRISM_OK) << why;
    for (std::int64_t j = 0; j < 9; ++j) {
      EXPECT_TRUE(std::isnan(after[2].get(after[2].place(4, j, 0, 0)).real())) << "row 4, column " << j;
      EXPECT_FALSE(std::isnan(after[2].get(after[2].place(3, j, 0, 0)).real())) << "row 3, column " << j;
    }
  }
}

} // namespace
} // namespace provider_test
