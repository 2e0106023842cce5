#include "tests/providers/conformance/job.hpp"

#include <cmath>
#include <limits>

namespace provider_test {
namespace {

using namespace prism::provider;
using kind = operand_kind;

bool chance(engine& random, int in) { return random() % std::uint64_t(in) == 0; }
std::int32_t real_of(std::int32_t type) {
  return type == PRISM_C32 ? PRISM_F32 : type == PRISM_C64 ? PRISM_F64 : type;
}

/// Rows and columns of operand i, after transposition.
std::pair<std::int64_t, std::int64_t> shape_of(const job_wish& w, int side, int i) {
  const std::int64_t m = w.m, n = w.n, k = w.k, order = side == PRISM_SIDE_RIGHT ? n : m;
  switch (w.operation) {
    case PRISM_GEMV: return i == 0 ? std::pair{m, n} : std::pair{i == 1 ? n : m, std::int64_t(1)};
    case PRISM_GER: return i == 2 ? std::pair{m, n} : std::pair{i == 0 ? m : n, std::int64_t(1)};
    case PRISM_GEMM: return i == 0 ? std::pair{m, k} : i == 1 ? std::pair{k, n} : std::pair{m, n};
    case PRISM_SYMM:
    case PRISM_HEMM: return i == 0 ? std::pair{order, order} : std::pair{m, n};
    case PRISM_SYRK:
    case PRISM_HERK: return i == 0 ? std::pair{n, k} : std::pair{n, n};
    case PRISM_SYR2K:
    case PRISM_HER2K: return i < 2 ? std::pair{n, k} : std::pair{n, n};
    case PRISM_TRMM:
    case PRISM_TRSM: return i == 0 ? std::pair{order, order} : std::pair{m, n};
    default: return {n, n}; // vectors use the first
  }
}

/// Makes the elements small compared with the diagonal, so that the systems are far from singular.
void condition(operand& a, std::int64_t batches) {
  for (std::int64_t b = 0; b < batches; ++b)
    for (std::int64_t i = 0; i < a.description.extent[0]; ++i)
      for (std::int64_t j = 0; j < a.description.extent[1]; ++j)
        for (const int uplo : {PRISM_UPLO_UPPER, PRISM_UPLO_LOWER}) {
          const std::int64_t at = a.place(i, j, b, uplo);
          if (at < 0 || (a.description.storage == PRISM_STORED_PACKED && uplo == PRISM_UPLO_LOWER)) continue;
          const long double part = 1.0L / (4 * (a.description.extent[0] + 1));
          a.set(at, a.description.storage == PRISM_STORED_PACKED || i == j
                        ? number(1.5L + part * a.get(at).real(), 0.25L)
                        : a.get(at) * part);
        }
}

layout random_layout(engine& random, bool plain) {
  return plain ? layout::columns : layout(random() % 4 + (chance(random, 24) ? 1 : 0));
}

bool takes_conjugate(std::int32_t operation, int i) {
  switch (operation) {
    case PRISM_DOT: return i == 0;
    case PRISM_GER: return i == 1;
    case PRISM_GEMV:
    case PRISM_HEMV:
    case PRISM_TRMV:
    case PRISM_TRSV:
    case PRISM_TRMM:
    case PRISM_TRSM: return i == 0;
    case PRISM_GEMM: return i < 2;
    case PRISM_HERK: return i == 0;
    default: return false;
  }
}

operand_wish wish_for(const job_wish& w, const job& made, kind what, int i, engine& random) {
  operand_wish out;
  const auto [rows, columns] = shape_of(w, made.what.side, i);
  out.kind = what, out.type = made.written(i) && w.out_type != 0 ? w.out_type : w.type, out.batch = w.batch;
  out.rows = rows, out.columns = own_rank(what) == 2 ? columns : 1;
  if (what == kind::scalar || what == kind::index) {
    out.rows = 1;
    out.type = what == kind::index        ? std::int32_t(PRISM_S64)
               : w.operation == PRISM_DOT ? w.type
                                          : real_of(w.type);
    return out;
  }
  constexpr std::int64_t strides[] = {1, 1, 2, 3, -1, -2};
  out.vector_stride = w.plain ? 1 : strides[random() % 6];
  out.how = random_layout(random, w.plain);
  if (!w.plain && takes_conjugate(w.operation, i) && chance(random, 3)) out.flags |= PRISM_CONJUGATED;
  const bool structured = w.operation >> 8 == 2 && own_rank(what) == 2;
  if (structured && w.storage != PRISM_STORED_FULL) {
    out.storage = w.storage;
    if (chance(random, 2)) out.flags |= PRISM_TRANSPOSED;
    if (w.storage == PRISM_STORED_BANDED && what == kind::triangle)
      (made.what.uplo == PRISM_UPLO_UPPER ? out.upper : out.lower) = std::int64_t(random() % 4);
    if (w.storage == PRISM_STORED_BANDED && what == kind::matrix)
      out.lower = std::int64_t(random() % 4), out.upper = std::int64_t(random() % 4);
    if ((out.flags & PRISM_TRANSPOSED) != 0) std::swap(out.rows, out.columns);
  }
  return out;
}

} // namespace

bool takes_storage(std::int32_t operation, std::int32_t storage) {
  if (storage == PRISM_STORED_FULL) return true;
  if (storage == PRISM_STORED_BANDED)
    return operation == PRISM_GEMV || operation == PRISM_SYMV || operation == PRISM_HEMV ||
           operation == PRISM_TRMV || operation == PRISM_TRSV;
  return operation >> 8 == 2 && operation != PRISM_GEMV && operation != PRISM_GER;
}

job make_job(const job_wish& w, engine& random) {
  job out;
  const operation_facts& facts = *facts_of(w.operation);
  out.what.struct_size = sizeof out.what;
  out.what.operand_size = sizeof(prism_provider_operand);
  out.what.operation = w.operation;
  out.what.operand_count = int(facts.operands.size());
  const auto pick = [&] { return w.plain ? 1 : int(1 + random() % 2); };
  for (const kind k : facts.operands)
    if (k == kind::triangle) out.what.uplo = pick();
  if (facts.has_side) out.what.side = pick();
  if (facts.has_diag) out.what.diag = pick();
  std::uniform_real_distribution<double> value(-1.5, 1.5);
  for (double* each : {out.alpha, out.beta})
    each[0] = value(random), each[1] = is_complex_type(w.type) ? value(random) : 0;
  const bool real_alpha = w.operation == PRISM_HER || w.operation == PRISM_HERK || w.operation == PRISM_ROT;
  if (real_alpha) out.alpha[1] = 0;
  if (real_alpha || w.operation == PRISM_HER2K) out.beta[1] = 0;
  if (chance(random, 4)) out.beta[0] = out.beta[1] = 0;
  for (int i = 0; i < out.what.operand_count; ++i) {
    out.operands.push_back(make_operand(wish_for(w, out, facts.operands[std::size_t(i)], i, random), random));
    if (i == 0 && (w.operation == PRISM_TRSV || w.operation == PRISM_TRSM))
      condition(out.operands[0], w.batch < 0 ? 1 : w.batch);
    out.what.operand[i] = out.operands.back().description;
  }
  return out;
}

void poison_written(job& what) {
  const long double nan = std::numeric_limits<long double>::quiet_NaN();
  for (int i = 0; i < what.what.operand_count; ++i) {
    if (!what.written(i)) continue;
    operand& c = what.operands[std::size_t(i)];
    const bool matrix = own_rank(c.kind) == 2;
    for (std::int64_t b = 0; b < batch_of(what.what); ++b)
      for (std::int64_t r = 0; r < c.description.extent[0]; ++r)
        for (std::int64_t j = 0; j < (matrix ? c.description.extent[1] : 1); ++j)
          if (const std::int64_t at = c.place(r, j, b, what.what.uplo); at >= 0) c.set(at, number(nan, nan));
  }
}

} // namespace provider_test
