#include "providers/cblas/call.hpp"

#include "kernels/provider/operation.hpp"
#include "providers/cblas/level.hpp"

namespace prism_cblas {
namespace {

using namespace prism::provider;

/// Whether the written operands, except iamax's index and real norms, have the type of the first.
bool check_types(const prism_provider_operation& what, const operation_facts& facts, const char*& why) {
  const std::int32_t type = what.operand[0].type;
  if (what.compute != 0 && what.compute != type)
    return refuse(why, "products are added in the operands' own type only");
  for (int i = 1; i < what.operand_count; ++i) {
    const bool own = facts.operands[std::size_t(i)] == operand_kind::index || what.operation == PRISM_NRM2 ||
                     what.operation == PRISM_ASUM || what.operation >> 8 == 4;
    if (!own && what.operand[i].type != type) return refuse(why, "operands of different types");
  }
  return true;
}

bool check_sizes(const prism_provider_operation& what, const operation_facts& facts, call& out,
                 const char*& why) {
  for (int i = 0; i < what.operand_count; ++i) {
    const operand& a = what.operand[i];
    const int rank = own_rank(facts.operands[std::size_t(i)]);
    for (int d = 0; d < rank; ++d)
      if (a.extent[d] > INT_MAX) return refuse(why, "an extent of more than 31 bits");
    if (a.lower > INT_MAX || a.upper > INT_MAX) return refuse(why, "more than 2^31 diagonals");
    out.step[i] = a.rank > rank ? a.stride[rank] * std::int64_t(bytes_of_type(a.type)) : 0;
  }
  out.batch = batch_of(what);
  return true;
}

template <typename T>
bool make_level(const library& from, const prism_provider_operation& what, call& out, const char*& why) {
  switch (what.operation >> 8) {
    case 1: return make_level1<T>(from, what, out, why);
    case 2: return make_level2<T>(from, what, out, why);
    case 3: return make_level3<T>(from, what, out, why);
    case 4: return make_lapack<T>(from, what, out, why);
    default: return refuse(why, "the CBLAS has no such operation");
  }
}

} // namespace

bool make_call(const library& from, const prism_provider_operation& what, call& out, const char*& why) {
  const operation_facts* const facts = facts_of(what.operation);
  if (!facts) return refuse(why, "the CBLAS has no such operation");
  if (!check_types(what, *facts, why) || !check_sizes(what, *facts, out, why)) return false;
  out.uplo = what.uplo == PRISM_UPLO_UPPER ? upper : lower;
  out.side = what.side == PRISM_SIDE_RIGHT ? right : left;
  out.diag = what.diag == PRISM_DIAG_UNIT ? unit : non_unit;
  switch (what.operand[0].type) {
    case PRISM_F32: return make_level<float>(from, what, out, why);
    case PRISM_F64: return make_level<double>(from, what, out, why);
    case PRISM_C32: return make_level<std::complex<float>>(from, what, out, why);
    case PRISM_C64: return make_level<std::complex<double>>(from, what, out, why);
    default: return refuse(why, "the CBLAS has float, double and complex of both");
  }
}

} // namespace prism_cblas
