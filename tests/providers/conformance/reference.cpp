// The reference of job.hpp.
#include "tests/providers/conformance/job.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace provider_test {
namespace {

using namespace prism::provider;
using kind = operand_kind;

dense turned(const dense& a, bool conjugate) {
  dense out(a.columns, a.rows);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.columns; ++j) out(j, i) = conjugate ? std::conj(a(i, j)) : a(i, j);
  return out;
}

std::vector<double> magnitudes(const dense& a) {
  std::vector<double> out(a.values.size());
  std::transform(a.values.begin(), a.values.end(), out.begin(), [](number z) { return double(std::abs(z)); });
  return out;
}

/// A sum of products and, for the bound, of their absolute values.
struct result {
  dense value;
  std::vector<double> size; // of each element of `value`
  explicit result(const dense& like) : value(like.rows, like.columns), size(like.values.size()) {}
  double size_of(std::int64_t i, std::int64_t j) const { return size[std::size_t(i * value.columns + j)]; }
  void add(number factor, const dense& a, const dense& b) {
    // Absolute values of long double take most of the kit's time unless each is computed once.
    const std::vector<double> of_b = magnitudes(b);
    for (std::int64_t i = 0; i < a.rows; ++i)
      for (std::int64_t l = 0; l < a.columns; ++l) {
        const number left = factor * a(i, l);
        const double of_left = double(std::abs(left));
        for (std::int64_t j = 0; j < b.columns; ++j) {
          value(i, j) += left * b(l, j);
          size[std::size_t(i * b.columns + j)] += of_left * of_b[std::size_t(l * b.columns + j)];
        }
      }
    terms += a.columns;
  }
  void add_old(number beta, const dense& c) {
    if (beta == number(0)) return;
    for (std::size_t i = 0; i < c.values.size(); ++i)
      value.values[i] += beta * c.values[i], size[i] += double(std::abs(beta) * std::abs(c.values[i]));
  }
  std::int64_t terms = 0;
};

operand::completion completion_of(const job& j, kind what) {
  if (what != kind::triangle) return operand::completion::none;
  switch (j.what.operation) {
    case PRISM_TRMV:
    case PRISM_TRSV:
    case PRISM_TRMM:
    case PRISM_TRSM:
      return j.what.diag == PRISM_DIAG_UNIT ? operand::completion::unit_triangular
                                            : operand::completion::triangular;
    case PRISM_HEMV:
    case PRISM_HER:
    case PRISM_HER2:
    case PRISM_HEMM:
    case PRISM_HERK:
    case PRISM_HER2K: return operand::completion::hermitian;
    default: return operand::completion::symmetric;
  }
}

/// All operations except solvers, norms and those with two outputs. `o`: the operands as used.
result sum_of(const job& j, const std::vector<dense>& o) {
  const number alpha(j.alpha[0], j.alpha[1]), beta(j.beta[0], j.beta[1]);
  result out(o.back());
  dense one(1, 1);
  one(0, 0) = 1;
  const bool right = j.what.side == PRISM_SIDE_RIGHT;
  switch (j.what.operation) {
    case PRISM_COPY: out.add(1, o[0], one); break;
    case PRISM_SCAL: out.add(alpha, o[0], one); break;
    case PRISM_AXPY: out.add(alpha, o[0], one), out.add_old(1, o[1]); break;
    case PRISM_DOT: out.add(1, turned(o[0], false), o[1]); break;
    case PRISM_GEMV:
    case PRISM_SYMV:
    case PRISM_HEMV:
    case PRISM_GEMM: out.add(alpha, o[0], o[1]), out.add_old(beta, o[2]); break;
    case PRISM_GER: out.add(alpha, o[0], turned(o[1], false)), out.add_old(1, o[2]); break;
    case PRISM_SYR:
    case PRISM_HER:
      out.add(alpha, o[0], turned(o[0], j.what.operation == PRISM_HER)), out.add_old(1, o[1]);
      break;
    case PRISM_SYRK:
    case PRISM_HERK:
      out.add(alpha, o[0], turned(o[0], j.what.operation == PRISM_HERK)), out.add_old(beta, o[1]);
      break;
    case PRISM_SYR2:
    case PRISM_HER2:
    case PRISM_SYR2K:
    case PRISM_HER2K: {
      const bool hermitian = j.what.operation == PRISM_HER2 || j.what.operation == PRISM_HER2K;
      out.add(alpha, o[0], turned(o[1], hermitian)),
          out.add(hermitian ? std::conj(alpha) : alpha, o[1], turned(o[0], hermitian));
      out.add_old(j.what.operation >> 8 == 2 ? number(1) : beta, o[2]);
      break;
    }
    case PRISM_SYMM:
    case PRISM_HEMM:
      right ? out.add(alpha, o[1], o[0]) : out.add(alpha, o[0], o[1]), out.add_old(beta, o[2]);
      break;
    case PRISM_TRMV: out.add(1, o[0], o[1]); break;
    default: right ? out.add(alpha, o[1], o[0]) : out.add(alpha, o[0], o[1]); break; // trmm
  }
  return out;
}

bool is_narrow(std::int32_t type) { return type == PRISM_F16 || type == PRISM_BF16 || type == PRISM_S8; }

/// Of products of a narrow type: sums of float, of integers exact ones, rounded once to the result's type.
long double narrow_tolerance(const job& j, std::int64_t terms, long double size) {
  const std::int32_t out = j.what.operand[2].type;
  const long double in_float = (static_cast<long double>(terms) + 6) * 0x1p-24L * size;
  return out == PRISM_S32 ? 0 : out == PRISM_F32 ? in_float : in_float + unit_roundoff(out) * size;
}

long double tolerance(const job& j, std::int64_t terms, long double size) {
  if (is_narrow(j.what.operand[0].type)) return narrow_tolerance(j, terms, size) + 1e-300L;
  const bool complex = (j.what.operand[0].type & 0xff) == 3;
  return (static_cast<long double>(terms) + 6) * (complex ? 4 : 1) * unit_roundoff(j.what.operand[0].type) *
             size +
         1e-300L;
}

std::string element(const job& j, int i, std::int64_t b, std::int64_t r, std::int64_t c, number found,
                    number expected, long double bound) {
  std::ostringstream out;
  out << text_of(j.what) << ": operand " << i << ", batch " << b << ", element (" << r << ", " << c << ") is "
      << found << " instead of " << expected << ", further than " << bound;
  return out.str();
}

/// Compares the written elements of operand `i` with a result of the operand's used shape.
std::string compare(const job& j, const std::vector<operand>& after, int i, std::int64_t b,
                    const result& right) {
  const operand& a = after[std::size_t(i)];
  const bool flipped = (a.description.flags & PRISM_TRANSPOSED) != 0, matrix = own_rank(a.kind) == 2;
  for (std::int64_t r = 0; r < a.description.extent[0]; ++r)
    for (std::int64_t c = 0; c < (matrix ? a.description.extent[1] : 1); ++c) {
      const std::int64_t at = a.place(r, c, b, j.what.uplo);
      if (at < 0) continue;
      number expected = flipped ? right.value(c, r) : right.value(r, c);
      const number found = a.get(at);
      const double size = flipped ? right.size_of(c, r) : right.size_of(r, c);
      if (!a.is_complex()) expected = expected.real();
      if (a.description.type == PRISM_S32)
        expected = static_cast<std::int32_t>(static_cast<std::uint32_t>(std::int64_t(expected.real())));
      const long double bound = tolerance(j, right.terms, size);
      if (!(std::abs(found - expected) <= bound)) return element(j, i, b, r, c, found, expected, bound);
    }
  return {};
}

/// Checks A X = alpha B, or X A = alpha B, by the residual.
std::string compare_solution(const job& j, const std::vector<operand>& after, std::int64_t b,
                             const std::vector<dense>& o) {
  const dense x = after[1].used(b, j.what.uplo, operand::completion::none);
  const number alpha = j.what.operation == PRISM_TRSV ? number(1) : number(j.alpha[0], j.alpha[1]);
  result left(o[1]);
  j.what.side == PRISM_SIDE_RIGHT ? left.add(1, x, o[0]) : left.add(1, o[0], x);
  for (std::int64_t r = 0; r < x.rows; ++r)
    for (std::int64_t c = 0; c < x.columns; ++c) {
      number expected = alpha * o[1](r, c);
      if (!after[1].is_complex()) expected = expected.real();
      const long double bound = 4 * tolerance(j, left.terms, left.size_of(r, c) + std::abs(expected));
      if (!(std::abs(left.value(r, c) - expected) <= bound))
        return "product with the solution: " + element(j, 1, b, r, c, left.value(r, c), expected, bound);
    }
  return {};
}

/// Norms, the index of the largest element, and the two operations that write two vectors.
std::string compare_special(const job& j, const std::vector<operand>& after, std::int64_t b,
                            const std::vector<dense>& o) {
  result r(o.back());
  r.terms = o[0].rows;
  const auto taxi = [](number z) { return std::abs(z.real()) + std::abs(z.imag()); };
  number value = 0;
  switch (j.what.operation) {
    case PRISM_SWAP:
    case PRISM_ROT: {
      result x(o[0]), y(o[1]);
      dense one(1, 1);
      one(0, 0) = 1;
      const number c = j.what.operation == PRISM_SWAP ? 0 : j.alpha[0],
                   s = j.what.operation == PRISM_SWAP ? 1 : j.beta[0];
      x.add(c, o[0], one), x.add(s, o[1], one);
      y.add(c, o[1], one), y.add(j.what.operation == PRISM_SWAP ? s : -s, o[0], one);
      const std::string first = compare(j, after, 0, b, x);
      return first.empty() ? compare(j, after, 1, b, y) : first;
    }
    case PRISM_NRM2: {
      long double sum = 0;
      for (const number z : o[0].values) sum += std::norm(z);
      value = std::sqrt(sum);
      break;
    }
    case PRISM_ASUM:
      for (const number z : o[0].values) value += taxi(z);
      break;
    default: { // iamax: any index whose element is the largest within rounding
      const std::int64_t found = std::int64_t(after[1].get(after[1].place(0, 0, b, 0)).real());
      if (o[0].values.empty())
        return found == -1 ? ""
                           : text_of(j.what) + ": the index is " + std::to_string(found) + " instead of -1";
      long double most = 0;
      for (const number z : o[0].values) most = std::max(most, taxi(z));
      if (found < 0 || found >= o[0].rows)
        return text_of(j.what) + ": the index " + std::to_string(found) + " is outside";
      return taxi(o[0](found, 0)) >= most * (1 - 4 * unit_roundoff(j.what.operand[0].type))
                 ? ""
                 : text_of(j.what) + ": element " + std::to_string(found) + " is not the largest";
    }
  }
  r.value.values[0] = value;
  r.size[0] = double(std::abs(value));
  return compare(j, after, 1, b, r);
}

} // namespace

std::string changed_elsewhere(const job& j, const std::vector<operand>& after) {
  for (int i = 0; i < j.what.operand_count; ++i) {
    const operand &old = j.operands[std::size_t(i)], &now = after[std::size_t(i)];
    const std::size_t width = bytes_of_type(old.description.type);
    std::vector<bool> written(old.bytes.size() / width);
    const bool matrix = own_rank(old.kind) == 2;
    for (std::int64_t b = 0; j.written(i) && b < batch_of(j.what); ++b)
      for (std::int64_t r = 0; r < old.description.extent[0]; ++r)
        for (std::int64_t c = 0; c < (matrix ? old.description.extent[1] : 1); ++c)
          if (const std::int64_t at = old.place(r, c, b, j.what.uplo); at >= 0)
            written[std::size_t(at)] = true;
    for (std::size_t at = 0; at < written.size(); ++at)
      for (std::size_t byte = at * width; !written[at] && byte < (at + 1) * width; ++byte)
        if (old.bytes[byte] != now.bytes[byte])
          return text_of(j.what) + ": operand " + std::to_string(i) + ", place " + std::to_string(at) +
                 " was changed, which is no element that the operation writes";
  }
  return {};
}

std::string difference(const job& before, const std::vector<operand>& after) {
  const operation_facts& facts = *facts_of(before.what.operation);
  for (std::int64_t b = 0; b < batch_of(before.what); ++b) {
    std::vector<dense> o;
    for (std::size_t i = 0; i < before.operands.size(); ++i)
      o.push_back(before.operands[i].used(b, before.what.uplo, completion_of(before, facts.operands[i])));
    std::string wrong;
    switch (before.what.operation) {
      case PRISM_TRSV:
      case PRISM_TRSM: wrong = compare_solution(before, after, b, o); break;
      case PRISM_SWAP:
      case PRISM_ROT:
      case PRISM_NRM2:
      case PRISM_ASUM:
      case PRISM_IAMAX: wrong = compare_special(before, after, b, o); break;
      default: wrong = compare(before, after, before.what.operand_count - 1, b, sum_of(before, o));
    }
    if (!wrong.empty()) return wrong;
  }
  return changed_elsewhere(before, after);
}

} // namespace provider_test
