#include "kernels/provider/operation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace prism::provider {
namespace {

using k = operand_kind;
constexpr k v[] = {k::vector}, vv[] = {k::vector, k::vector}, vvr[] = {k::vector, k::vector, k::scalar},
            vr[] = {k::vector, k::scalar}, vi[] = {k::vector, k::index},
            mvv[] = {k::matrix, k::vector, k::vector}, vvm[] = {k::vector, k::vector, k::matrix},
            tvv[] = {k::triangle, k::vector, k::vector}, vt[] = {k::vector, k::triangle},
            vvt[] = {k::vector, k::vector, k::triangle}, tv[] = {k::triangle, k::vector},
            mmm[] = {k::matrix, k::matrix, k::matrix}, tmm[] = {k::triangle, k::matrix, k::matrix},
            mt[] = {k::matrix, k::triangle}, mmt[] = {k::matrix, k::matrix, k::triangle},
            tm[] = {k::triangle, k::matrix}, mpi[] = {k::matrix, k::indices, k::index},
            ti[] = {k::triangle, k::index}, mv[] = {k::matrix, k::vector},
            mpv[] = {k::matrix, k::indices, k::vector}, trmi[] = {k::triangle, k::reals, k::matrix, k::index},
            mcci[] = {k::matrix, k::complexes, k::complex_matrix, k::index},
            mrmmi[] = {k::matrix, k::reals, k::matrix, k::matrix, k::index}, gg[] = {k::grid, k::grid},
            iii[] = {k::image, k::image, k::image};

constexpr operation_facts table[] = {
    {PRISM_COPY, "copy", vv, 2},
    {PRISM_SWAP, "swap", vv, 3, false, false, true},
    {PRISM_SCAL, "scal", v, 1, false, false, true},
    {PRISM_AXPY, "axpy", vv, 2, false, false, true},
    {PRISM_DOT, "dot", vvr, 4},
    {PRISM_NRM2, "nrm2", vr, 2},
    {PRISM_ASUM, "asum", vr, 2},
    {PRISM_IAMAX, "iamax", vi, 2},
    {PRISM_ROT, "rot", vv, 3, false, false, true},
    {PRISM_GEMV, "gemv", mvv, 4},
    {PRISM_GER, "ger", vvm, 4, false, false, true},
    {PRISM_SYMV, "symv", tvv, 4},
    {PRISM_HEMV, "hemv", tvv, 4},
    {PRISM_SYR, "syr", vt, 2, false, false, true},
    {PRISM_HER, "her", vt, 2, false, false, true},
    {PRISM_SYR2, "syr2", vvt, 4, false, false, true},
    {PRISM_HER2, "her2", vvt, 4, false, false, true},
    {PRISM_TRMV, "trmv", tv, 2, false, true, true},
    {PRISM_TRSV, "trsv", tv, 2, false, true, true},
    {PRISM_GEMM, "gemm", mmm, 4},
    {PRISM_SYMM, "symm", tmm, 4, true},
    {PRISM_HEMM, "hemm", tmm, 4, true},
    {PRISM_SYRK, "syrk", mt, 2},
    {PRISM_HERK, "herk", mt, 2},
    {PRISM_SYR2K, "syr2k", mmt, 4},
    {PRISM_HER2K, "her2k", mmt, 4},
    {PRISM_TRMM, "trmm", tm, 2, true, true, true},
    {PRISM_TRSM, "trsm", tm, 2, true, true, true},
    {PRISM_GETRF, "getrf", mpi, 7, false, false, true},
    {PRISM_POTRF, "potrf", ti, 3, false, false, true},
    {PRISM_GEQRF, "geqrf", mv, 3, false, false, true},
    {PRISM_GEQP3, "geqp3", mpv, 7, false, false, true},
    {PRISM_HEEV, "heev", trmi, 14},
    {PRISM_GEEV, "geev", mcci, 14},
    {PRISM_GESVD, "gesvd", mrmmi, 30},
    {PRISM_FFT, "fft", gg, 2},
    {PRISM_IFFT, "ifft", gg, 2},
    {PRISM_CONV2D, "conv2d", iii, 4},
};

constexpr std::pair<std::int32_t, const char*> type_names[] = {
    {PRISM_F16, "half"},      {PRISM_F32, "float"},         {PRISM_F64, "double"},
    {PRISM_BF16, "bfloat16"}, {PRISM_C32, "complex float"}, {PRISM_C64, "complex double"},
    {PRISM_S8, "int8"},       {PRISM_S16, "int16"},         {PRISM_S32, "int32"},
    {PRISM_S64, "int64"},     {PRISM_U8, "uint8"},          {PRISM_U16, "uint16"},
    {PRISM_U32, "uint32"},    {PRISM_U64, "uint64"}};

std::string hexadecimal(std::int32_t number) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%04x", static_cast<unsigned>(number));
  return text;
}

bool is_transform(std::int32_t operation) { return operation >> 8 == 5; }
bool is_complex(std::int32_t type) { return (type & 0xff) == (PRISM_C32 & 0xff); }

std::string shape_text(const prism_provider_operand& a, operand_kind kind) {
  std::string rows = std::to_string(a.extent[0]);
  for (int d = 1; kind == k::grid && d + 1 < a.rank && d < PRISM_PROVIDER_MAX_RANK; ++d)
    rows.append(1, 'x').append(std::to_string(a.extent[d]));
  for (int d = 1; kind == k::image && d < 4; ++d) rows.append(1, 'x').append(std::to_string(a.extent[d]));
  if (own_rank(kind) != 2) return rows;
  return rows + "x" + std::to_string(a.extent[1]) +
         (a.storage == PRISM_STORED_BANDED   ? " banded"
          : a.storage == PRISM_STORED_PACKED ? " packed"
                                             : "");
}

/// The type of an operand of this kind where the first one has `type`.
std::int32_t type_for(operand_kind kind, std::int32_t type) {
  const std::int32_t real = (type & ~0xff) | (PRISM_F32 & 0xff),
                     complex = (type & ~0xff) | (PRISM_C32 & 0xff);
  switch (kind) {
    case k::index:
    case k::indices: return PRISM_S64;
    case k::reals: return real;
    case k::complexes:
    case k::complex_matrix: return complex;
    default: return type;
  }
}

/// The extents by which operands must agree: of the matrix as it is used, not as it is stored.
struct size {
  std::int64_t rows, columns;
};
size used(const prism_provider_operand& a) {
  const bool turned = a.storage != PRISM_STORED_FULL && (a.flags & PRISM_TRANSPOSED) != 0;
  return turned ? size{a.extent[1], a.extent[0]} : size{a.extent[0], a.extent[1]};
}

/// An operand in a message. No text is made of a correct one.
struct operand_name {
  std::string_view operation;
  int number;
  friend std::string operator+(const operand_name& which, const char* text) {
    return std::string(which.operation) + ": operand " + std::to_string(which.number) + text;
  }
};

std::string wrong_operand(const prism_provider_operand& a, operand_kind kind, int batches,
                          const operand_name& which) {
  if (kind == k::grid && (a.rank < 2 || a.rank > 4))
    return which + " has rank " + std::to_string(a.rank) + " instead of 2 to 4";
  if (kind != k::grid && a.rank != own_rank(kind) + batches)
    return which + " has rank " + std::to_string(a.rank) + " instead of " +
           std::to_string(own_rank(kind) + batches);
  if (bytes_of_type(a.type) == 0) return which + " has the unknown type " + hexadecimal(a.type);
  for (int d = 0; d < a.rank; ++d)
    if (a.extent[d] < 0) return which + " has an extent of " + std::to_string(a.extent[d]);
  if ((a.flags & ~std::uint32_t(PRISM_CONJUGATED | PRISM_TRANSPOSED)) != 0)
    return which + " has unknown flags " + hexadecimal(std::int32_t(a.flags));
  const bool matrix = own_rank(kind) == 2;
  if (a.storage != PRISM_STORED_FULL &&
      (!matrix || batches != 0 || (a.storage != PRISM_STORED_BANDED && a.storage != PRISM_STORED_PACKED)))
    return which + " cannot have storage " + std::to_string(a.storage);
  if (a.storage == PRISM_STORED_FULL && (a.flags & PRISM_TRANSPOSED) != 0)
    return which + " is stored in full: its strides show whether it is transposed";
  if (kind == k::triangle && a.extent[0] != a.extent[1])
    return which + " is not square: " + shape_text(a, kind);
  if (a.storage == PRISM_STORED_PACKED && kind != k::triangle)
    return which + " is packed and has no triangle";
  if (a.storage != PRISM_STORED_FULL && a.stride[0] != 1)
    return which + " is banded or packed and has a stride of " + std::to_string(a.stride[0]);
  if (a.storage != PRISM_STORED_BANDED) return {};
  if (a.lower < 0 || a.upper < 0) return which + " has a negative count of diagonals";
  if (kind == k::triangle && a.lower != 0 && a.upper != 0)
    return which + " is a triangle with diagonals on both sides";
  if (a.stride[1] < a.lower + a.upper + 1)
    return which + " has a stride of " + std::to_string(a.stride[1]) + " between columns of " +
           std::to_string(a.lower + a.upper + 1) + " diagonals";
  return {};
}

/// Extents of the results of decompositions.
std::string wrong_results(const prism_provider_operation& what) {
  const auto* o = what.operand;
  const std::int64_t m = o[0].extent[0], n = o[0].extent[1], least = std::min(m, n);
  std::string wrong;
  const auto expect = [&](int i, std::int64_t rows, std::int64_t columns = -1) {
    if (wrong.empty() && (o[i].extent[0] != rows || (columns >= 0 && o[i].extent[1] != columns)))
      wrong = "operand " + std::to_string(i) + " of " + text_of(what) + " needs " + std::to_string(rows) +
              (columns < 0 ? " elements" : std::string("x") + std::to_string(columns));
  };
  const auto is_empty = [&](int i) { return o[i].extent[0] == 0 || o[i].extent[1] == 0; };
  switch (what.operation) {
    case PRISM_GETRF:
    case PRISM_GEQRF: expect(1, least); break;
    case PRISM_GEQP3: expect(1, n), expect(2, least); break;
    case PRISM_GEEV:
      if (m != n) return text_of(what) + ": the matrix is not square";
      [[fallthrough]];
    case PRISM_HEEV:
      expect(1, n);
      if (!is_empty(2)) expect(2, n, n);
      break;
    case PRISM_GESVD:
      expect(1, least);
      if (is_empty(2) && is_empty(3)) break;
      expect(2, m, o[2].extent[1] == m ? m : least), expect(3, o[3].extent[0] == n ? n : least, n);
      break;
    default: break;
  }
  return wrong;
}

std::string wrong_shapes(const prism_provider_operation& what) {
  if (what.operation >> 8 == 4) return wrong_results(what);
  const auto* o = what.operand;
  const auto differ = [&](std::int64_t a, std::int64_t b) {
    return a == b ? std::string()
                  : "extents disagree in " + text_of(what) + ": " + std::to_string(a) + " and " +
                        std::to_string(b);
  };
  const auto first = [](std::string a, const std::string& b) { return a.empty() ? b : a; };
  const size a = used(o[0]), b = what.operand_count > 1 ? used(o[1]) : size{},
             c = what.operand_count > 2 ? used(o[2]) : size{};
  const bool right = what.side == PRISM_SIDE_RIGHT;
  switch (what.operation) {
    case PRISM_COPY:
    case PRISM_SWAP:
    case PRISM_AXPY:
    case PRISM_DOT:
    case PRISM_ROT: return differ(a.rows, b.rows);
    case PRISM_GEMV:
    case PRISM_SYMV:
    case PRISM_HEMV: return first(differ(a.columns, b.rows), differ(a.rows, c.rows));
    case PRISM_GER: return first(differ(a.rows, c.rows), differ(b.rows, c.columns));
    case PRISM_SYR:
    case PRISM_HER: return differ(a.rows, b.rows);
    case PRISM_SYR2:
    case PRISM_HER2: return first(differ(a.rows, c.rows), differ(b.rows, c.rows));
    case PRISM_TRMV:
    case PRISM_TRSV: return differ(a.columns, b.rows);
    case PRISM_GEMM:
      return first(first(differ(a.columns, b.rows), differ(a.rows, c.rows)), differ(b.columns, c.columns));
    case PRISM_SYMM:
    case PRISM_HEMM:
      return first(first(differ(b.rows, c.rows), differ(b.columns, c.columns)),
                   differ(a.rows, right ? c.columns : c.rows));
    case PRISM_SYRK:
    case PRISM_HERK: return differ(a.rows, b.rows);
    case PRISM_SYR2K:
    case PRISM_HER2K:
      return first(first(differ(a.rows, c.rows), differ(b.rows, c.rows)), differ(a.columns, b.columns));
    case PRISM_TRMM:
    case PRISM_TRSM: return differ(a.rows, right ? b.columns : b.rows);
    default: return {};
  }
}

/// Of decompositions, whose operands have types of several kinds; those of the BLAS are the provider's to
/// judge.
std::string wrong_types(const prism_provider_operation& what, const operation_facts& facts) {
  if (what.operation >> 8 != 4) return {};
  const std::int32_t type = what.operand[0].type;
  if (type != PRISM_F32 && type != PRISM_F64 && type != PRISM_C32 && type != PRISM_C64)
    return std::string(facts.name) + " is not for " + name_of_type(type);
  for (int i = 0; i < what.operand_count; ++i) {
    const prism_provider_operand& a = what.operand[i];
    const operand_name which{facts.name, i};
    if (const std::int32_t needed = type_for(facts.operands[std::size_t(i)], type); a.type != needed)
      return which + " has the type " + name_of_type(a.type) + " instead of " + name_of_type(needed);
    if (a.storage != PRISM_STORED_FULL) return which + " is banded or packed";
    if ((a.flags & PRISM_CONJUGATED) != 0) return which + " is conjugated";
  }
  return {};
}

/// Of transforms: ranks, extents and types of both sides.
std::string wrong_grids(const prism_provider_operation& what) {
  const prism_provider_operand &in = what.operand[0], &out = what.operand[1];
  if (in.rank < 2 || in.rank > 4 || in.rank != out.rank)
    return name_of_operation(what.operation) + " has operands of ranks " + std::to_string(in.rank) + " and " +
           std::to_string(out.rank) + "; both have 1 to 3 dimensions and a batch";
  const bool complex_in = is_complex(in.type), complex_out = is_complex(out.type),
             halves = complex_in != complex_out;
  const std::string types = name_of_type(in.type) + " to " + name_of_type(out.type);
  if ((in.type & 0xff00) != (out.type & 0xff00) || !(complex_in || complex_out) ||
      (!complex_in && (in.type & 0xff) != (PRISM_F32 & 0xff)) ||
      (!complex_out && (out.type & 0xff) != (PRISM_F32 & 0xff)) ||
      (halves && complex_in == (what.operation == PRISM_FFT)))
    return name_of_operation(what.operation) + " is not for " + types;
  for (int d = 0; d < in.rank; ++d) {
    const std::int64_t a = in.extent[d], b = out.extent[d];
    const bool half = halves && d == in.rank - 2;
    const std::int64_t real = complex_in ? b : a, complex = complex_in ? a : b;
    if (half ? complex != real / 2 + 1 && !(complex == 0 && real == 0) : a != b)
      return "extents disagree in " + text_of(what) + ": " + std::to_string(a) + " and " + std::to_string(b);
  }
  return {};
}

/// Of convolutions: the window, extents and types.
std::string wrong_images(const prism_provider_operation& what) {
  constexpr std::int64_t most = std::int64_t(1) << 31;
  const auto *x = what.operand[0].extent, *w = what.operand[1].extent, *y = what.operand[2].extent;
  for (int d = 0; d < 2; ++d)
    if (what.window_stride[d] < 1 || what.window_padding[d] < 0 || what.window_dilation[d] < 1 ||
        std::max({what.window_stride[d], what.window_padding[d], what.window_dilation[d]}) > most)
      return "conv2d has a window with the stride " + std::to_string(what.window_stride[d]) +
             ", the padding " + std::to_string(what.window_padding[d]) + " and the dilation " +
             std::to_string(what.window_dilation[d]);
  if (what.groups < 1 || x[1] % what.groups != 0 || w[0] % what.groups != 0)
    return "conv2d has " + std::to_string(what.groups) + " groups of " + std::to_string(x[1]) + " and " +
           std::to_string(w[0]) + " channels";
  for (int i = 1; i < 3; ++i)
    if (what.operand[i].type != what.operand[0].type)
      return "conv2d: operand " + std::to_string(i) + " has the type " + name_of_type(what.operand[i].type) +
             " instead of " + name_of_type(what.operand[0].type);
  std::int64_t expected[2];
  for (int d = 0; d < 2; ++d) {
    const std::int64_t free =
        x[2 + d] + 2 * what.window_padding[d] - what.window_dilation[d] * (w[2 + d] - 1) - 1;
    expected[d] = free < 0 || w[2 + d] == 0 ? 0 : free / what.window_stride[d] + 1;
  }
  if (w[1] != x[1] / what.groups || y[0] != x[0] || y[1] != w[0] || y[2] != expected[0] ||
      y[3] != expected[1])
    return "extents disagree in " + text_of(what) + ": y has " + std::to_string(x[0]) + "x" +
           std::to_string(w[0]) + "x" + std::to_string(expected[0]) + "x" + std::to_string(expected[1]);
  return {};
}

std::string wrong_choices(const prism_provider_operation& what, const operation_facts& facts) {
  const bool triangle =
      std::find(facts.operands.begin(), facts.operands.end(), k::triangle) != facts.operands.end();
  const auto wrong = [&](const char* name, std::int32_t value, bool needed) {
    return needed == (value == 1 || value == 2) && (needed || value == 0)
               ? std::string()
               : std::string(facts.name) + " has " + name + " " + std::to_string(value);
  };
  std::string out = wrong("uplo", what.uplo, triangle);
  if (out.empty()) out = wrong("side", what.side, facts.has_side);
  if (out.empty()) out = wrong("diag", what.diag, facts.has_diag);
  return out;
}

} // namespace

bool is_stored_in_full(const prism_provider_operation& what) {
  return std::all_of(what.operand, what.operand + what.operand_count,
                     [](const prism_provider_operand& a) { return a.storage == PRISM_STORED_FULL; });
}

bool overlaps(const prism_provider_operand& a) {
  if (a.storage != PRISM_STORED_FULL) return false;
  // Dimensions from the smallest stride up; `reach`: elements up to the last of those so far.
  std::int64_t reach = 1;
  std::uint32_t taken = 0;
  for (int round = 0; round < a.rank; ++round) {
    int next = -1;
    for (int d = 0; d < a.rank; ++d) {
      if (a.extent[d] == 0) return false;
      if ((taken >> d & 1u) == 0 && a.extent[d] > 1 &&
          (next < 0 || std::abs(a.stride[d]) < std::abs(a.stride[next])))
        next = d;
    }
    if (next < 0) return false;
    if (std::abs(a.stride[next]) < reach) return true;
    reach += std::abs(a.stride[next]) * (a.extent[next] - 1);
    taken |= 1u << next;
  }
  return false;
}

std::span<const operation_facts> all_operations() { return table; }

std::span<const operation_facts> blas_operations() {
  std::size_t count = 0;
  while (count < std::size(table) && table[count].id >> 8 <= 3) ++count;
  return std::span(table).first(count);
}

const operation_facts* facts_of(std::int32_t operation) {
  const auto found = std::find_if(std::begin(table), std::end(table),
                                  [&](const operation_facts& f) { return f.id == operation; });
  return found == std::end(table) ? nullptr : &*found;
}

std::string name_of_operation(std::int32_t operation) {
  const auto* const facts = facts_of(operation);
  return facts ? facts->name : "operation " + hexadecimal(operation);
}

std::string name_of_type(std::int32_t type) {
  for (const auto& [id, name] : type_names)
    if (id == type) return name;
  return "type " + hexadecimal(type);
}

std::size_t bytes_of_type(std::int32_t type) {
  for (const auto& [id, name] : type_names)
    if (id == type) return std::size_t(type >> 8) / 8 * ((type & 0xff) == 3 ? 2 : 1);
  return 0;
}

int own_rank(operand_kind kind) {
  if (kind == k::image) return 4;
  return kind == k::matrix || kind == k::triangle || kind == k::complex_matrix ? 2 : 1;
}

std::int64_t batch_of(const prism_provider_operation& what) {
  const auto* const facts = facts_of(what.operation);
  if (!facts || what.operand_count < 1) return 1;
  const bool is_grid = facts->operands[0] == k::grid && what.operand[0].rank > 1 &&
                       what.operand[0].rank <= PRISM_PROVIDER_MAX_RANK;
  const int rank = is_grid ? what.operand[0].rank - 1 : own_rank(facts->operands[0]);
  return what.operand[0].rank > rank ? what.operand[0].extent[rank] : 1;
}

std::string contradiction_in(const prism_provider_operation& what) {
  if (what.struct_size < offsetof(prism_provider_operation, window_stride) ||
      (what.operation == PRISM_CONV2D && what.struct_size < sizeof(prism_provider_operation)))
    return "the description has " + std::to_string(what.struct_size) + " bytes";
  if (what.operand_size != sizeof(prism_provider_operand))
    return "the description's operands have " + std::to_string(what.operand_size) + " bytes";
  const auto* const facts = facts_of(what.operation);
  if (!facts) return name_of_operation(what.operation) + " is unknown";
  if (what.operand_count != std::int32_t(facts->operands.size()))
    return std::string(facts->name) + " has " + std::to_string(what.operand_count) + " operands instead of " +
           std::to_string(facts->operands.size());
  if (what.compute != 0 && bytes_of_type(what.compute) == 0)
    return "it computes in the unknown type " + hexadecimal(what.compute);
  if (what.reproducible < PRISM_REPRODUCIBLE_NO || what.reproducible > PRISM_REPRODUCIBLE_ALWAYS)
    return "it asks for reproducibility " + std::to_string(what.reproducible);
  const int batches = what.operand[0].rank - own_rank(facts->operands[0]) == 1 ? 1 : 0;
  const std::int64_t batch = batch_of(what);
  for (int i = 0; i < what.operand_count; ++i) {
    const operand_kind kind = facts->operands[std::size_t(i)];
    const prism_provider_operand& a = what.operand[i];
    const operand_name which{facts->name, i};
    if (std::string wrong = wrong_operand(a, kind, batches, which); !wrong.empty()) return wrong;
    if (kind == k::triangle && a.storage == PRISM_STORED_BANDED &&
        (what.uplo == PRISM_UPLO_UPPER ? a.lower : a.upper) != 0)
      return which + " has diagonals outside of its triangle";
    if (batches && kind != k::grid && a.extent[own_rank(kind)] != batch)
      return which + " has a batch of " + std::to_string(a.extent[own_rank(kind)]) + " instead of " +
             std::to_string(batch);
    if ((kind == k::grid || kind == k::image) && (a.storage != PRISM_STORED_FULL || a.flags != 0))
      return which + " is not stored in full, or is conjugated";
    if ((kind == k::scalar || kind == k::index) && a.extent[0] != 1)
      return which + " is a result and has " + std::to_string(a.extent[0]) + " elements";
    if ((facts->written >> i & 1u) != 0 && overlaps(a)) return which + " is written and its elements overlap";
  }
  if (std::string wrong = wrong_choices(what, *facts); !wrong.empty()) return wrong;
  if (is_transform(what.operation)) return wrong_grids(what);
  if (what.operation == PRISM_CONV2D) return wrong_images(what);
  if (std::string wrong = wrong_types(what, *facts); !wrong.empty()) return wrong;
  return wrong_shapes(what);
}

prism_provider_operation plain_operation(std::int32_t operation, std::int32_t type, std::int64_t n) {
  prism_provider_operation out{};
  const operation_facts* const facts = facts_of(operation);
  out.struct_size = sizeof out, out.operand_size = sizeof(prism_provider_operand), out.operation = operation;
  if (!facts) return out;
  const bool complex = (type & 0xff) == 3, norm = operation == PRISM_NRM2 || operation == PRISM_ASUM;
  out.operand_count = std::int32_t(facts->operands.size());
  if (is_transform(operation)) {
    // Of a real type: real numbers on the side where they are possible.
    const bool is_real = !is_complex(type);
    for (int i = 0; i < 2; ++i) {
      prism_provider_operand& a = out.operand[i];
      const bool halved = is_real && (i == 1) == (operation == PRISM_FFT);
      a.type = halved ? type_for(k::complexes, type) : type;
      a.rank = 2, a.extent[0] = halved ? n / 2 + 1 : n, a.extent[1] = 1;
      a.stride[0] = 1, a.stride[1] = a.extent[0];
    }
    return out;
  }
  if (operation == PRISM_CONV2D) {
    // 16 channels of n x n points, 3 x 3 filters.
    const std::int64_t extents[3][4] = {{1, 16, n, n}, {16, 16, 3, 3}, {1, 16, n, n}};
    for (int i = 0; i < 3; ++i) {
      prism_provider_operand& a = out.operand[i];
      a.type = type, a.rank = 4;
      std::int64_t apart = 1;
      for (int d = 4; d-- > 0; apart *= a.extent[d]) a.extent[d] = extents[i][d], a.stride[d] = apart;
    }
    for (int d = 0; d < 2; ++d) out.window_stride[d] = out.window_padding[d] = out.window_dilation[d] = 1;
    out.groups = 1;
    return out;
  }
  if (facts->has_side) out.side = PRISM_SIDE_LEFT;
  if (facts->has_diag) out.diag = PRISM_DIAG_NON_UNIT;
  for (int i = 0; i < out.operand_count; ++i) {
    const operand_kind kind = facts->operands[std::size_t(i)];
    prism_provider_operand& a = out.operand[i];
    const bool result = kind == k::scalar || kind == k::index;
    if (kind == k::triangle) out.uplo = PRISM_UPLO_UPPER;
    a.type = kind == k::scalar && norm && complex ? type - 2 : type_for(kind, type);
    if (operation == PRISM_GEMM && type == PRISM_S8 && i == 2) a.type = PRISM_S32;
    a.rank = own_rank(kind), a.extent[0] = result ? 1 : n, a.stride[0] = 1;
    if (a.rank == 2) a.extent[1] = n, a.stride[1] = n;
  }
  return out;
}

namespace {

/// Golub & Van Loan 2013, for square matrices; m n min(m, n) takes their place for others.
double work_of_decomposition(const prism_provider_operation& what) {
  const double m = double(what.operand[0].extent[0]), n = double(what.operand[0].extent[1]),
               cube = m * n * std::min(m, n);
  switch (what.operation) {
    case PRISM_GETRF: return cube / 3;
    case PRISM_POTRF: return cube / 6;
    case PRISM_GEQRF:
    case PRISM_GEQP3: return cube * 2 / 3;
    case PRISM_HEEV: return cube * (what.operand[2].extent[0] > 0 ? 4.5 : 2.0 / 3);
    case PRISM_GEEV: return cube * (what.operand[2].extent[0] > 0 ? 13 : 5);
    default: return cube * (what.operand[2].extent[0] > 0 ? 11 : 4.0 / 3);
  }
}

} // namespace

namespace {

/// Of the points of the larger side: 2.5 log2 n, as the usual count of 5 n log2 n has additions too.
double work_of_transform(const prism_provider_operation& what) {
  double points = 1;
  for (int d = 0; d + 1 < what.operand[0].rank; ++d)
    points *= double(std::max(what.operand[0].extent[d], what.operand[1].extent[d]));
  const double parts = is_complex(what.operand[0].type) && is_complex(what.operand[1].type) ? 1 : 0.5;
  return double(batch_of(what)) * parts * 2.5 * points * std::log2(std::max(2.0, points));
}

} // namespace

bool is_large_real_product(const prism_provider_operation& what) {
  const prism_provider_operand &a = what.operand[0], &b = what.operand[1];
  const bool is_real = a.type == PRISM_F32 || a.type == PRISM_F64;
  return what.operation == PRISM_GEMM && is_real && batch_of(what) == 1 &&
         std::min({a.extent[0], a.extent[1], b.extent[1]}) >= 64 && work_of(what) >= 1e6;
}

double work_of(const prism_provider_operation& what) {
  const auto* const facts = facts_of(what.operation);
  if (!facts) return 0;
  const auto elements = [&](int i) {
    return double(what.operand[i].extent[0]) *
           (own_rank(facts->operands[std::size_t(i)]) == 2 ? double(what.operand[i].extent[1]) : 1.0);
  };
  const double batch = double(batch_of(what));
  if (what.operation >> 8 == 4) return batch * work_of_decomposition(what);
  if (is_transform(what.operation)) return work_of_transform(what);
  if (what.operation == PRISM_CONV2D) {
    double work = 1;
    for (int d = 0; d < 4; ++d)
      work *= double(what.operand[2].extent[d]) * (d == 0 ? 1 : double(what.operand[1].extent[d]));
    return work;
  }
  switch (what.operation >> 8) {
    case 1: return batch * elements(0);
    case 2: {
      double most = 0;
      for (int i = 0; i < what.operand_count; ++i) most = std::max(most, elements(i));
      return batch * most;
    }
    default: break;
  }
  switch (what.operation) {
    case PRISM_GEMM: return batch * elements(2) * double(what.operand[0].extent[1]);
    case PRISM_SYMM:
    case PRISM_HEMM: return batch * elements(2) * double(what.operand[0].extent[0]);
    case PRISM_SYRK:
    case PRISM_HERK: return batch * elements(1) * double(what.operand[0].extent[1]) / 2;
    case PRISM_SYR2K:
    case PRISM_HER2K: return batch * elements(2) * double(what.operand[0].extent[1]);
    default: return batch * elements(1) * double(what.operand[0].extent[0]) / 2;
  }
}

double bytes_of(const prism_provider_operation& what) {
  double sum = 0;
  for (int i = 0; i < what.operand_count; ++i) {
    double elements = 1;
    for (int d = 0; d < what.operand[i].rank; ++d) elements *= double(what.operand[i].extent[d]);
    sum += elements * double(bytes_of_type(what.operand[i].type));
  }
  return sum;
}

std::string text_of(const prism_provider_operation& what) {
  const auto* const facts = facts_of(what.operation);
  if (!facts || what.operand_count < 1) return name_of_operation(what.operation);
  std::string out = std::string(facts->name) + " " + name_of_type(what.operand[0].type);
  for (int i = 0; i < what.operand_count && i < int(facts->operands.size()); ++i)
    out += (i == 0 ? " " : ", ") + shape_text(what.operand[i], facts->operands[std::size_t(i)]);
  if (const std::int64_t batch = batch_of(what); batch != 1) out += ", batch " + std::to_string(batch);
  return out;
}

} // namespace prism::provider
