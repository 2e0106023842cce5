// The calls of <prism/sparse.hpp>: reads structures for plans, checks operands, submits the kernels.
#include "kernels/blas/own.hpp"
#include "kernels/sparse/pattern.hpp"
#include "kernels/sparse/steps.hpp"

#include <prism/sparse.hpp>

#include <algorithm>
#include <limits>

namespace prism::sparse {

namespace {

[[noreturn]] void refuse(const std::string& what) { prism::detail::refuse_view("sparse: " + what); }

/// Integers in memory of the device's choice; one at least, because a buffer has elements.
index_place kept(integers of) {
  if (of.empty()) of.push_back(0);
  sycl::buffer<index, 1> memory{sycl::range<1>(of.size())};
  const sycl::host_accessor to(memory, sycl::write_only);
  std::copy(of.begin(), of.end(), to.begin());
  return index_place(memory);
}

rows_in_memory in_memory(const rows_pattern& of, bool with_source) {
  return {of.rows,    1, kept(of.offsets), kept(of.column), kept(with_source ? of.source : integers()),
          with_source};
}

/// Whether the value of each element is the one with its number, so that kernels need no list of them.
bool is_in_order(const integers& source) {
  for (std::size_t e = 0; e < source.size(); ++e)
    if (source[e] != static_cast<index>(e)) return false;
  return true;
}

} // namespace

namespace detail {

struct prepared_state {
  rows_pattern pattern;
  rows_in_memory memory;
  std::size_t values;
};
struct solver_state {
  schedule plan;
  rows_in_memory below;
  index_place order, diagonal;
  std::size_t rows, values;
  bool unit;
};
struct product_state {
  std::shared_ptr<const prepared_state> a, b;
  rows_in_memory c;
  std::size_t columns, nonzeros;
};
struct conversion_state {
  format to;
  std::size_t rows, columns, block, from_rows, from_columns; // of a vector of values: its size, 1
  std::size_t offsets, indices, values;
  index_place of_offsets, of_indices, first, source;
};

} // namespace detail

namespace {

const prism_provider_operand& operand(const detail::request& r, int i) { return r.what.operand[i]; }
std::size_t extent(const detail::request& r, int i, int d = 0) {
  return static_cast<std::size_t>(operand(r, i).extent[d]);
}

void require_adjacent(const detail::request& r, int i, const std::string& name) {
  if (extent(r, i) > 1 && operand(r, i).stride[0] != 1)
    refuse(name + " are " + std::to_string(operand(r, i).stride[0]) + " apart; they must be adjacent");
}
void require_count(const detail::request& r, int i, const std::string& name, std::size_t count) {
  if (extent(r, i) != count)
    refuse(std::to_string(extent(r, i)) + " " + name + " instead of " + std::to_string(count));
  require_adjacent(r, i, name);
}
/// A vector or a matrix.
void require_lines(const detail::request& r, int i, const std::string& name, std::size_t rows) {
  if (extent(r, i) != rows)
    refuse(name + " has " + std::to_string(extent(r, i)) + " rows instead of " + std::to_string(rows));
}
void require_written(const detail::request& r, int i, const std::string& name) {
  if (provider::overlaps(operand(r, i))) refuse("elements of " + name + " overlap");
}
void require_apart(const detail::request& r, int written, const std::string& name) {
  for (int i = 0; i < r.what.operand_count; ++i)
    if (i != written && extent(r, i) != 0 && extent(r, written) != 0 &&
        blas::coincide(r.operands[i], r.operands[written]))
      refuse(name + " begins where operand " + std::to_string(i) + " of the call does");
}

template <typename T>
blas::matrix<T> lines_of(const detail::request& r, int i) {
  return operand(r, i).rank == 1 ? blas::matrix<T>(blas::vector<T>(r, i)) : blas::matrix<T>(r, i);
}
template <typename T>
blas::factor<blas::real_of<T>> factor_of(const double (&value)[2]) {
  using R = blas::real_of<T>;
  return blas::factor<R>(std::complex<R>(R(value[0]), R(value[1])));
}
template <typename T>
blas::place<blas::real_of<T>> numbers_of(const detail::request& r, int i) {
  return blas::place<blas::real_of<T>>(r.operands[i], blas::parts_of<T>);
}

/// Calls `work(T())` for the type of the first operand.
template <typename Work>
sycl::event typed(sycl::queue& queue, const detail::request& r, Work&& work) {
  blas::require_type(queue.get_device(), r.what, "sparse");
  switch (operand(r, 0).type) {
    case PRISM_F32: return work(float());
    case PRISM_F64: return work(double());
    case PRISM_C32: return work(std::complex<float>());
    case PRISM_C64: return work(std::complex<double>());
    default: refuse("values are float, double or std::complex of them");
  }
}

/// An operand in the host's memory, when it is there.
template <typename T>
std::vector<T> read_back(sycl::queue& queue, const detail::request& r, int i, const events& depends) {
  std::size_t count = 1;
  for (int d = 0; d < operand(r, i).rank; ++d) count *= extent(r, i, d);
  if (count == 0) return {};
  const blas::matrix<T> from = lines_of<T>(r, i);
  const auto parts = std::ptrdiff_t(blas::parts_of<T>);
  sycl::buffer<blas::real_of<T>, 1> memory{sycl::range<1>(count * std::size_t(parts))};
  const blas::matrix<T> to(blas::place<blas::real_of<T>>(memory), from.rows, from.columns,
                           std::ptrdiff_t(from.columns) * parts, parts);
  scaled<T>(queue, blas::factor<blas::real_of<T>>(blas::real_of<T>(1)), from, to, depends);
  std::vector<T> out(count);
  const sycl::host_accessor all(memory, sycl::read_only);
  std::copy(all.begin(), all.end(), reinterpret_cast<blas::real_of<T>*>(out.data()));
  return out;
}
integers indices_in(sycl::queue& queue, const detail::request& r, int i, const std::string& name,
                    const events& depends) {
  require_adjacent(r, i, name);
  const std::size_t count = extent(r, i);
  if (count == 0) return {};
  sycl::buffer<index, 1> memory{sycl::range<1>(count)};
  copy_indices(queue, count, index_place(r.operands[i]), index_place(memory), depends);
  const sycl::host_accessor all(memory, sycl::read_only);
  return {all.begin(), all.end()};
}

rows_pattern read_rows(sycl::queue& queue, const detail::shape& of, std::size_t values,
                       const detail::request& r, op how, symmetry stored, const events& depends) {
  const integers first = indices_in(queue, r, 0, "offsets", depends),
                 second = indices_in(queue, r, 1, "indices", depends);
  rows_pattern plain = with_mirror(read(of, first, second, values), stored);
  return how == op::none ? plain : transposed(plain, how == op::adjoint);
}

} // namespace

// ---- products with dense operands

std::shared_ptr<const detail::prepared_state> detail::prepare(sycl::queue& queue, const shape& of,
                                                              std::size_t values, const request& what, op how,
                                                              symmetry stored, const events& depends) {
  rows_pattern pattern = read_rows(queue, of, values, what, how, stored, depends);
  const rows_in_memory memory = in_memory(pattern, !is_in_order(pattern.source));
  return std::make_shared<prepared_state>(prepared_state{std::move(pattern), memory, values});
}
std::size_t detail::rows_of(const prepared_state& of) { return of.pattern.rows; }
std::size_t detail::columns_of(const prepared_state& of) { return of.pattern.columns; }

namespace {

void check_product(const detail::request& r, std::size_t rows, std::size_t columns) {
  require_lines(r, 1, "x", columns), require_lines(r, 2, "y", rows);
  if (operand(r, 2).rank == 2 && extent(r, 1, 1) != extent(r, 2, 1))
    refuse("x has " + std::to_string(extent(r, 1, 1)) + " columns and y " + std::to_string(extent(r, 2, 1)));
  require_written(r, 2, "y"), require_apart(r, 2, "y");
}
sycl::event submit_product(sycl::queue& queue, const rows_in_memory& a, const detail::request& r,
                           const events& depends) {
  return typed(queue, r, [&](auto type) {
    using T = decltype(type);
    return times<T>(queue, factor_of<T>(r.alpha), a, numbers_of<T>(r, 0), lines_of<T>(r, 1),
                    factor_of<T>(r.beta), lines_of<T>(r, 2), depends);
  });
}

} // namespace

sycl::event detail::multiply(sycl::queue& queue, const prepared_state& plan, const request& what,
                             const events& depends) {
  require_count(what, 0, "values", plan.values);
  check_product(what, plan.pattern.rows, plan.pattern.columns);
  return submit_product(queue, plan.memory, what, depends);
}

sycl::event detail::multiply(sycl::queue& queue, const shape& of, const request& what,
                             const events& depends) {
  if (of.layout != format::csr && of.layout != format::bsr)
    refuse("a product without a plan is of CSR or BSR; others need sparse::prepared");
  if (of.block == 0 || of.rows % of.block != 0 || of.columns % of.block != 0)
    refuse(prism::detail::extents_text(of.rows, of.columns) + " elements are not whole blocks of " +
           std::to_string(of.block));
  require_count(what, 3, "offsets", of.rows / of.block + 1);
  require_adjacent(what, 4, "indices");
  require_count(what, 0, "values", extent(what, 4) * of.block * of.block);
  check_product(what, of.rows, of.columns);
  return submit_product(
      queue, {of.rows, of.block, index_place(what.operands[3]), index_place(what.operands[4]), {}, false},
      what, depends);
}

sycl::event detail::to_dense(sycl::queue& queue, const prepared_state& plan, const request& what,
                             const events& depends) {
  require_count(what, 0, "values", plan.values);
  require_lines(what, 1, "the dense matrix", plan.pattern.rows);
  if (extent(what, 1, 1) != plan.pattern.columns)
    refuse("the dense matrix has " + std::to_string(extent(what, 1, 1)) + " columns instead of " +
           std::to_string(plan.pattern.columns));
  require_written(what, 1, "the dense matrix"), require_apart(what, 1, "the dense matrix");
  return typed(queue, what, [&](auto type) {
    using T = decltype(type);
    return sparse::to_dense<T>(queue, plan.memory, numbers_of<T>(what, 0), lines_of<T>(what, 1), depends);
  });
}

// ---- triangular systems

std::shared_ptr<const detail::solver_state> detail::analyse(sycl::queue& queue, const shape& of,
                                                            std::size_t values, const request& what,
                                                            bool lower, bool unit, op how,
                                                            const events& depends) {
  // Where a launch costs as much as it saves: about 3 us on the host against 3 ns a row.
  const sycl::device device = queue.get_device();
  const bool is_host = device.get_backend() == sycl::backend::ext_prism_host;
  const cost costs{device.is_cpu() ? std::size_t(1024) : 16,
                   is_host ? std::numeric_limits<std::size_t>::max() : std::size_t(1) << 13};
  const rows_pattern a = read_rows(queue, of, values, what, how, symmetry::general, depends);
  schedule plan = scheduled(a, how == op::none ? lower : !lower, unit, costs);
  solver_state out;
  out.below = in_memory(plan.below, true), out.order = kept(plan.order), out.diagonal = kept(plan.diagonal);
  out.rows = a.rows, out.values = values, out.unit = unit;
  out.plan = std::move(plan);
  return std::make_shared<solver_state>(std::move(out));
}
std::size_t detail::levels_of(const solver_state& of) { return of.plan.levels; }

sycl::event detail::solve(sycl::queue& queue, const solver_state& plan, const request& what,
                          const events& depends) {
  require_count(what, 0, "values", plan.values);
  require_lines(what, 1, "b", plan.rows), require_lines(what, 2, "x", plan.rows);
  if (operand(what, 2).rank == 2 && extent(what, 1, 1) != extent(what, 2, 1))
    refuse("b has " + std::to_string(extent(what, 1, 1)) + " columns and x " +
           std::to_string(extent(what, 2, 1)));
  require_written(what, 2, "x");
  if (extent(what, 2) != 0 && blas::coincide(what.operands[0], what.operands[2]))
    refuse("x begins where the values do");
  return typed(queue, what, [&](auto type) {
    using T = decltype(type);
    const blas::matrix<T> x = lines_of<T>(what, 2);
    if (x.size() == 0) return queue.ext_oneapi_submit_barrier(depends);
    sycl::event done = scaled<T>(queue, factor_of<T>(what.alpha), lines_of<T>(what, 1), x, depends);
    for (const schedule::segment& s : plan.plan.segments)
      done = solve_rows<T>(queue, plan.below, plan.order, s.first, s.last, s.serial, plan.diagonal, plan.unit,
                           numbers_of<T>(what, 0), x, {done});
    return done;
  });
}

// ---- products of sparse matrices

std::shared_ptr<const detail::product_state>
detail::product_of(sycl::queue&, const std::shared_ptr<const prepared_state>& a,
                   const std::shared_ptr<const prepared_state>& b) {
  const rows_pattern c = product_pattern(a->pattern, b->pattern);
  return std::make_shared<product_state>(
      product_state{a, b, in_memory(c, false), c.columns, c.column.size()});
}
std::size_t detail::nonzeros_of(const product_state& of) { return of.nonzeros; }

sycl::event detail::multiply(sycl::queue& queue, const product_state& plan, const request& what,
                             const events& depends) {
  require_count(what, 0, "values of the result", plan.nonzeros);
  require_count(what, 1, "values of a", plan.a->values),
      require_count(what, 2, "values of b", plan.b->values);
  require_count(what, 3, "offsets", plan.c.rows + 1), require_count(what, 4, "indices", plan.nonzeros);
  for (const int i : {0, 3, 4}) require_apart(what, i, "the result");
  const sycl::event first =
      copy_indices(queue, plan.c.rows + 1, plan.c.offsets, index_place(what.operands[3]), depends);
  const sycl::event second =
      copy_indices(queue, plan.nonzeros, plan.c.columns, index_place(what.operands[4]), depends);
  const sycl::event third = typed(queue, what, [&](auto type) {
    using T = decltype(type);
    return product_values<T>(queue, plan.a->memory, numbers_of<T>(what, 1), plan.b->memory,
                             numbers_of<T>(what, 2), plan.c, numbers_of<T>(what, 0), plan.columns, depends);
  });
  return queue.ext_oneapi_submit_barrier({first, second, third});
}

// ---- conversions

namespace {

std::shared_ptr<const detail::conversion_state> converted(const rows_pattern& a, format to, std::size_t block,
                                                          std::size_t from_rows, std::size_t from_columns) {
  const target_pattern made = target_of(a, to, block);
  return std::make_shared<detail::conversion_state>(detail::conversion_state{
      to, a.rows, a.columns, block, from_rows, from_columns, made.offsets.size(), made.indices.size(),
      made.first.size() - 1, kept(made.offsets), kept(made.indices), kept(made.first), kept(made.source)});
}

template <typename T>
rows_pattern nonzeros_in(sycl::queue& queue, const detail::request& r, const events& depends) {
  const std::vector<T> all = read_back<T>(queue, r, 0, depends);
  rows_pattern out{extent(r, 0, 0), extent(r, 0, 1), integers(1, 0), {}, {}};
  if (all.size() > std::size_t(std::numeric_limits<index>::max()))
    refuse("a dense matrix of " + prism::detail::extents_text(out.rows, out.columns) +
           " elements; indices have 32 bits");
  for (std::size_t i = 0; i < out.rows; ++i) {
    for (std::size_t j = 0; j < out.columns; ++j)
      if (const std::size_t e = i * out.columns + j; !(all[e] == T(0)))
        out.column.push_back(index(j)), out.source.push_back(index(e));
    out.offsets.push_back(index(out.column.size()));
  }
  return out;
}

} // namespace

std::shared_ptr<const detail::conversion_state>
detail::convert(const std::shared_ptr<const prepared_state>& from, format to, std::size_t block) {
  return converted(sorted(from->pattern), to, block, from->values, 1);
}
std::shared_ptr<const detail::conversion_state> detail::convert_dense(sycl::queue& queue, const request& what,
                                                                      format to, std::size_t block,
                                                                      const events& depends) {
  rows_pattern found;
  typed(queue, what, [&](auto type) {
    found = nonzeros_in<decltype(type)>(queue, what, depends);
    return sycl::event();
  });
  return converted(found, to, block, extent(what, 0, 0), extent(what, 0, 1));
}
std::size_t detail::indices_of(const conversion_state& of) { return of.indices; }
std::size_t detail::values_of(const conversion_state& of) { return of.values; }
std::size_t detail::offsets_of(const conversion_state& of) { return of.offsets; }

sycl::event detail::run(sycl::queue& queue, const conversion_state& plan, const shape& to,
                        const request& what, const events& depends) {
  if (to.layout != plan.to || to.rows != plan.rows || to.columns != plan.columns || to.block != plan.block)
    refuse("the result is not of the plan's format and extents, " +
           prism::detail::extents_text(plan.rows, plan.columns));
  require_count(what, 0, "values of the result", plan.values);
  require_lines(what, 1, "the source", plan.from_rows);
  if (operand(what, 1).rank == 1) require_adjacent(what, 1, "values");
  if ((operand(what, 1).rank == 1 ? 1 : extent(what, 1, 1)) != plan.from_columns)
    refuse("the source is not what the plan was made of");
  require_count(what, 2, "offsets", plan.offsets), require_count(what, 3, "indices", plan.indices);
  for (const int i : {0, 2, 3}) require_apart(what, i, "the result");
  const sycl::event first =
      copy_indices(queue, plan.offsets, plan.of_offsets, index_place(what.operands[2]), depends);
  const sycl::event second =
      copy_indices(queue, plan.indices, plan.of_indices, index_place(what.operands[3]), depends);
  const sycl::event third = typed(queue, what, [&](auto type) {
    using T = decltype(type);
    return gather<T>(queue, plan.values, plan.first, plan.source, lines_of<T>(what, 1),
                     numbers_of<T>(what, 0), depends);
  });
  return queue.ext_oneapi_submit_barrier({first, second, third});
}

} // namespace prism::sparse
