// Decompositions that a provider reports as supported, judged by their residuals in long double: the factors'
// product is the matrix, vectors have norm 1 and are orthogonal where they must be, values are ordered, what
// is only read and what lies between elements keeps its bytes. Layouts and shapes are random.
#include "tests/providers/conformance/target.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace provider_test {
namespace {

using prism::provider::facts_of;
using prism::provider::name_of_operation;
using prism::provider::name_of_type;
using kind = prism::provider::operand_kind;

struct decomposition {
  std::int32_t operation, type;
};
void PrintTo(const decomposition& one, std::ostream* out) {
  *out << name_of_operation(one.operation) << " " << name_of_type(one.type);
}
std::string name_of_decomposition(const testing::TestParamInfo<decomposition>& info) {
  std::string out = name_of_operation(info.param.operation) + "_" + name_of_type(info.param.type);
  std::replace(out.begin(), out.end(), ' ', '_');
  return out;
}
std::vector<decomposition> all_decompositions() {
  std::vector<decomposition> out;
  for (const std::int32_t operation :
       {PRISM_GETRF, PRISM_POTRF, PRISM_GEQRF, PRISM_GEQP3, PRISM_HEEV, PRISM_GEEV, PRISM_GESVD})
    for (const std::int32_t type : {PRISM_F32, PRISM_F64, PRISM_C32, PRISM_C64})
      out.push_back({operation, type});
  return out;
}

std::int32_t type_of(kind what, std::int32_t type) {
  switch (what) {
    case kind::index:
    case kind::indices: return PRISM_S64;
    case kind::reals: return (type & ~0xff) | (PRISM_F32 & 0xff);
    case kind::complexes:
    case kind::complex_matrix: return (type & ~0xff) | (PRISM_C32 & 0xff);
    default: return type;
  }
}

/// Extents of operand i of a matrix of m x n.
std::pair<std::int64_t, std::int64_t> extents_of(std::int32_t operation, int i, std::int64_t m,
                                                 std::int64_t n) {
  const std::int64_t k = std::min(m, n);
  if (i == 0) return {m, n};
  switch (operation) {
    case PRISM_GETRF: return {i == 1 ? k : 1, 1};
    case PRISM_POTRF: return {1, 1};
    case PRISM_GEQRF: return {k, 1};
    case PRISM_GEQP3: return {i == 1 ? n : k, 1};
    case PRISM_GESVD:
      return i == 1   ? std::pair{k, std::int64_t(1)}
             : i == 2 ? std::pair{m, k}
             : i == 3 ? std::pair{k, n}
                      : std::pair{std::int64_t(1), std::int64_t(1)};
    default:
      return i == 1   ? std::pair{n, std::int64_t(1)}
             : i == 2 ? std::pair{n, n}
                      : std::pair{std::int64_t(1), std::int64_t(1)};
  }
}

job make(const decomposition& of, std::int64_t m, std::int64_t n, engine& random) {
  job out;
  const auto& facts = *facts_of(of.operation);
  out.what.struct_size = sizeof out.what, out.what.operand_size = sizeof(prism_provider_operand);
  out.what.operation = of.operation, out.what.operand_count = int(facts.operands.size());
  if (facts.operands[0] == kind::triangle) out.what.uplo = int(1 + random() % 2);
  for (int i = 0; i < out.what.operand_count; ++i) {
    operand_wish w;
    w.kind = facts.operands[std::size_t(i)], w.type = type_of(w.kind, of.type);
    std::tie(w.rows, w.columns) = extents_of(of.operation, i, m, n);
    w.how = layout(random() % 5);
    w.vector_stride = w.kind == kind::index ? 1 : std::int64_t(1 + random() % 2);
    operand made = make_operand(w, random);
    if (of.operation == PRISM_POTRF && i == 0) // far from singular
      for (std::int64_t j = 0; j < n; ++j) made.set(made.place(j, j, 0, out.what.uplo), 2.0L * n);
    out.what.operand[i] = made.description;
    out.operands.push_back(std::move(made));
  }
  return out;
}

dense product(const dense& a, const dense& b) {
  dense out(a.rows, b.columns);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t k = 0; k < a.columns; ++k)
      for (std::int64_t j = 0; j < b.columns; ++j) out(i, j) += a(i, k) * b(k, j);
  return out;
}
dense adjoint(const dense& a) {
  dense out(a.columns, a.rows);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.columns; ++j) out(j, i) = std::conj(a(i, j));
  return out;
}
dense with_columns_times(dense a, const dense& by) {
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.columns; ++j) a(i, j) *= by(j, 0);
  return a;
}
dense identity(std::int64_t n) {
  dense out(n, n);
  for (std::int64_t i = 0; i < n; ++i) out(i, i) = 1;
  return out;
}
long double norm(const dense& a) {
  long double sum = 0;
  for (const number& each : a.values) sum += std::norm(each);
  return std::sqrt(sum);
}
/// The part of a: below the diagonal with ones on it, or on and above it.
dense part(const dense& a, bool lower, std::int64_t rows, std::int64_t columns) {
  dense out(rows, columns);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      out(i, j) = lower ? (i > j ? a(i, j) : number(i == j)) : i <= j ? a(i, j) : number();
  return out;
}
/// Q times b by reflectors below a's diagonal.
dense times_q(const dense& a, const dense& tau, dense b) {
  for (std::int64_t k = tau.rows; k-- > 0;)
    for (std::int64_t j = 0; j < b.columns; ++j) {
      number sum = b(k, j);
      for (std::int64_t i = k + 1; i < a.rows; ++i) sum += std::conj(a(i, k)) * b(i, j);
      sum *= tau(k, 0);
      b(k, j) -= sum;
      for (std::int64_t i = k + 1; i < a.rows; ++i) b(i, j) -= a(i, k) * sum;
    }
  return b;
}

/// Gathers residuals.
struct judge {
  std::string text;
  long double unit; // of a residual
  std::string wrong;
  void small(const char* what, const dense& a, const dense& b, long double scale) {
    dense difference = a;
    for (std::size_t i = 0; i < difference.values.size(); ++i) difference.values[i] -= b.values[i];
    const long double residual = norm(difference), bound = 40 * unit * (scale + 1);
    if (wrong.empty() && !(residual <= bound))
      wrong = text + ": " + what + " by " + std::to_string(double(residual / (unit * (scale + 1)))) +
              ", at most 40";
  }
  void holds(const char* what, bool condition) {
    if (wrong.empty() && !condition) wrong = text + ": " + what;
  }
};

void judge_factors(judge& of, const job& j, const std::vector<operand>& after,
                   const std::vector<dense>& now) {
  dense a = j.operands[0].stored(0, j.what.uplo);
  const std::int64_t m = a.rows, n = a.columns, k = std::min(m, n);
  const long double size = norm(a);
  switch (j.what.operation) {
    case PRISM_GETRF:
      for (std::int64_t i = 0; i < k; ++i) {
        const auto with = std::int64_t(now[1](i, 0).real());
        of.holds("a pivot is outside", with >= i && with < m);
        if (!of.wrong.empty()) return;
        for (std::int64_t c = 0; c < n; ++c) std::swap(a(i, c), a(with, c));
      }
      of.small("P A differs from L U", product(part(now[0], true, m, k), part(now[0], false, k, n)), a, size);
      return of.holds("info is not 0", now[2](0, 0) == number(0));
    case PRISM_POTRF: {
      const bool lower = j.what.uplo == PRISM_UPLO_LOWER;
      const dense whole = j.operands[0].used(0, j.what.uplo, operand::completion::hermitian);
      const dense factor = after[0].used(0, j.what.uplo, operand::completion::triangular);
      of.small("A differs from the factor's square",
               lower ? product(factor, adjoint(factor)) : product(adjoint(factor), factor), whole,
               norm(whole));
      return of.holds("info is not 0", now[1](0, 0) == number(0));
    }
    default: { // geqrf, geqp3
      const bool pivots = j.what.operation == PRISM_GEQP3;
      dense from = a;
      if (pivots)
        for (std::int64_t c = 0; c < n; ++c) {
          const auto which = std::int64_t(now[1](c, 0).real());
          of.holds("a column's number is outside", which >= 0 && which < n);
          if (!of.wrong.empty()) return;
          for (std::int64_t i = 0; i < m; ++i) from(i, c) = a(i, which);
        }
      of.small("A P differs from Q R", times_q(now[0], now[pivots ? 2 : 1], part(now[0], false, m, n)), from,
               size);
    }
  }
}

void judge_spectrum(judge& of, const job& j, const std::vector<dense>& now) {
  const bool hermitian = j.what.operation == PRISM_HEEV;
  const dense a = j.operands[0].used(0, j.what.uplo,
                                     hermitian ? operand::completion::hermitian : operand::completion::none);
  const std::int64_t n = a.columns;
  const long double size = norm(a);
  if (j.what.operation == PRISM_GESVD) {
    of.small("A differs from U S W", product(with_columns_times(now[2], now[1]), now[3]), a, size);
    of.small("U's columns are not orthogonal", product(adjoint(now[2]), now[2]), identity(now[2].columns), 1);
    of.small("W's rows are not orthogonal", product(now[3], adjoint(now[3])), identity(now[3].rows), 1);
    for (std::int64_t i = 1; i < now[1].rows; ++i)
      of.holds("singular values ascend", now[1](i, 0).real() <= now[1](i - 1, 0).real());
    return of.holds("info is not 0", now[4](0, 0) == number(0));
  }
  of.small("A V differs from V w", product(a, now[2]), with_columns_times(now[2], now[1]), size);
  if (hermitian) of.small("V's columns are not orthogonal", product(adjoint(now[2]), now[2]), identity(n), 1);
  for (std::int64_t c = 0; c < n; ++c) {
    long double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += std::norm(now[2](i, c));
    of.holds("a vector's norm is not 1", std::abs(std::sqrt(sum) - 1) < 1000 * of.unit);
    if (hermitian && c != 0) of.holds("eigenvalues descend", now[1](c, 0).real() >= now[1](c - 1, 0).real());
  }
  of.holds("info is not 0", now[3](0, 0) == number(0));
}

std::string wrong_decomposition(const job& j, const std::vector<operand>& after) {
  std::vector<dense> now;
  for (const operand& each : after) now.push_back(each.stored(0, j.what.uplo));
  const std::int64_t most = std::max(j.what.operand[0].extent[0], j.what.operand[0].extent[1]);
  judge of{
      prism::provider::text_of(j.what), unit_roundoff(j.what.operand[0].type) * (long double)(most + 1), {}};
  if (j.what.operation <= PRISM_GEQP3) judge_factors(of, j, after, now);
  else judge_spectrum(of, j, now);
  return of.wrong.empty() ? changed_elsewhere(j, after) : of.wrong;
}

class provider_decompositions : public testing::TestWithParam<decomposition> {};

TEST_P(provider_decompositions, have_small_residuals_in_every_layout) {
  engine random(99 + std::uint64_t(GetParam().operation));
  const bool square =
      facts_of(GetParam().operation)->operands[0] == kind::triangle || GetParam().operation == PRISM_GEEV;
  int supported = 0;
  std::string refusal;
  for (const auto& on : all_targets())
    for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{1, 1},
                               {2, 2},
                               {7, 7},
                               {9, 5},
                               {5, 9},
                               {40, 40},
                               {0, 0},
                               {3, 0}}) {
      if (square && m != n) continue;
      const job made = make(GetParam(), m, n, random);
      ASSERT_EQ(prism::provider::contradiction_in(made.what), "") << "the test contradicts itself";
      const prism_provider_support answer = query(*on, made.what);
      if (!answer.supported) {
        EXPECT_NE(answer.reason[0], 0) << "it is refused without a reason";
        refusal = answer.reason;
        continue;
      }
      ++supported;
      std::string why;
      const plan_ptr ready = plan(*on, made.what, &why);
      ASSERT_TRUE(ready) << why;
      std::vector<operand> after;
      ASSERT_EQ(on->run(ready.get(), made, 2, after, why), PRISM_OK) << why;
      ASSERT_EQ(wrong_decomposition(made, after), "") << on->name();
    }
  if (supported == 0) GTEST_SKIP() << "not supported: " << refusal;
}
INSTANTIATE_TEST_SUITE_P(of, provider_decompositions, testing::ValuesIn(all_decompositions()),
                         name_of_decomposition);

} // namespace
} // namespace provider_test
