// Sparse matrices of arrays (prism/sparse.hpp): prism_sparse_create, and their functions of
// prism_array_call, which make their results.
#include "bindings/c/array_operands.hpp"

#include <prism/sparse.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace prism::c_interface {
namespace {

using arguments = const given_arguments&;
using results = std::vector<any_array>;
namespace detail = sparse::detail;

const char* const formats[] = {"csr", "csc", "coo", "bsr"};
const char* const ops[] = {"none", "transposed", "adjoint"};
const char* const symmetries[] = {"general", "symmetric_lower", "symmetric_upper", "hermitian_lower",
                                  "hermitian_upper"};

template <typename Enum, std::size_t N>
Enum named(const std::string& text, const char* what, const char* const (&words)[N]) {
  const auto* found = std::find(std::begin(words), std::end(words), text);
  if (found != std::end(words)) return static_cast<Enum>(found - words);
  std::string all;
  for (const char* each : words) all += (all.empty() ? "" : ", ") + std::string(each);
  throw failure(PRISM_INVALID, std::string(what) + " is \"" + text + "\"; it may be " + all);
}
sparse::op op_of(arguments a, std::size_t i) {
  return a.has(i) ? named<sparse::op>(a.text(i), "the operation", ops) : sparse::op::none;
}

/// Adds an operand, whose array must live until the commands are submitted.
void add(detail::request& r, const any_array& a) {
  prism_provider_operand& o = r.what.operand[r.what.operand_count];
  o.type = type_of_dtype(a.type()), o.rank = a.ndim();
  const extents& strides = a.strides();
  for (int d = 0; d < a.ndim(); ++d) o.extent[d] = a.shape()[d], o.stride[d] = strides[d];
  r.operands[r.what.operand_count++].pointer = a.data();
}
detail::request request_of(std::initializer_list<any_array> operands) {
  detail::request r(0);
  for (const any_array& each : operands) add(r, each);
  return r;
}
any_array contiguous(const any_array& a) { return a.is_contiguous() ? a : a.copy(); }
any_array empty_vector(std::size_t n, dtype type, const any_array& like) {
  return empty({std::int64_t(n)}, type, like.device());
}

struct sparse_object : object {
  static constexpr handle_kind kind = handle_kind::sparse;
  detail::shape shape;
  any_array offsets, indices, values;

  /// Of op(A); made once.
  std::shared_ptr<const detail::prepared_state>
  prepared(sparse::op how, sparse::symmetry stored = sparse::symmetry::general) {
    const std::lock_guard lock(m_mutex);
    auto& plan = m_plans[{how, stored}];
    if (plan == nullptr) {
      sycl::queue queue = values.queue();
      plan = detail::prepare(queue, shape, std::size_t(values.size()), request_of({offsets, indices}), how,
                             stored, {});
    }
    return plan;
  }
  std::shared_ptr<const detail::solver_state> solver(bool lower, bool unit, sparse::op how) {
    const std::lock_guard lock(m_mutex);
    auto& plan = m_solvers[{lower, unit, how}];
    if (plan == nullptr) {
      sycl::queue queue = values.queue();
      plan = detail::analyse(queue, shape, std::size_t(values.size()), request_of({offsets, indices}), lower,
                             unit, how, {});
    }
    return plan;
  }

private:
  std::mutex m_mutex;
  std::map<std::pair<sparse::op, sparse::symmetry>, std::shared_ptr<const detail::prepared_state>> m_plans;
  std::map<std::tuple<bool, bool, sparse::op>, std::shared_ptr<const detail::solver_state>> m_solvers;
};

std::shared_ptr<sparse_object> matrix(arguments a, std::size_t i) {
  return find<sparse_object>(a.sparse(i), ("argument " + std::to_string(i)).c_str());
}

/// A vector, or a matrix with one for each column, of the matrix's type and device.
void require_columns(const sparse_object& of, const any_array& x, const char* name) {
  require_alike({{"the values", of.values}, {name, x}},
                {dtype::float32, dtype::float64, dtype::complex64, dtype::complex128});
  if (x.ndim() != 1 && x.ndim() != 2)
    throw failure(PRISM_INVALID,
                  std::string(name) + " has the shape " + text_of(x.shape()) + "; it has 1 or 2 dimensions");
}
any_array like_columns(const any_array& x, std::size_t rows) {
  extents shape = x.shape();
  shape[0] = std::int64_t(rows);
  return empty(shape, x.type(), x.device());
}

results call_multiply(arguments a, int) {
  const auto m = matrix(a, 0);
  const any_array x = a.array(1);
  require_columns(*m, x, "x");
  const auto stored =
      a.has(3) ? named<sparse::symmetry>(a.text(3), "the symmetry", symmetries) : sparse::symmetry::general;
  const auto plan = m->prepared(op_of(a, 2), stored);
  const any_array y = like_columns(x, detail::rows_of(*plan));
  const detail::request r = request_of({m->values, x, y});
  return {written(y, [&](sycl::queue& queue) { detail::multiply(queue, *plan, r, {}); })};
}

results call_solve(arguments a, int) {
  const auto m = matrix(a, 0);
  const any_array b = a.array(1);
  require_columns(*m, b, "b");
  const auto plan = m->solver(a.flag(2, true), a.flag(3, false), op_of(a, 4));
  const any_array x = like_columns(b, std::size_t(b.shape()[0]));
  const detail::request r = request_of({m->values, b, x});
  return {written(x, [&](sycl::queue& queue) { detail::solve(queue, *plan, r, {}); })};
}

results call_to_dense(arguments a, int) {
  const auto m = matrix(a, 0);
  const auto plan = m->prepared(op_of(a, 1));
  const any_array dense =
      empty({std::int64_t(detail::rows_of(*plan)), std::int64_t(detail::columns_of(*plan))}, m->values.type(),
            m->values.device());
  const detail::request r = request_of({m->values, dense});
  return {written(dense, [&](sycl::queue& queue) { detail::to_dense(queue, *plan, r, {}); })};
}

/// C = op(A) op(B), as offsets, indices and values of CSR.
results call_product(arguments a, int) {
  const auto m = matrix(a, 0), other = matrix(a, 1);
  require_alike({{"the values of a", m->values}, {"those of b", other->values}},
                {dtype::float32, dtype::float64, dtype::complex64, dtype::complex128});
  const auto left = m->prepared(op_of(a, 2)), right = other->prepared(op_of(a, 3));
  sycl::queue first = m->values.queue();
  const auto plan = detail::product_of(first, left, right);
  const any_array offsets = empty_vector(detail::rows_of(*left) + 1, dtype::int32, m->values),
                  indices = empty_vector(detail::nonzeros_of(*plan), dtype::int32, m->values),
                  values = empty_vector(detail::nonzeros_of(*plan), m->values.type(), m->values);
  const detail::request r = request_of({values, m->values, other->values, offsets, indices});
  written(values, [&](sycl::queue& queue) { detail::multiply(queue, *plan, r, {}); });
  return {offsets, indices, values};
}

std::size_t block_of(arguments a, std::size_t i) {
  const std::int64_t block = a.integer(i, 1);
  if (block < 1) throw failure(PRISM_INVALID, "a block of " + std::to_string(block) + " rows");
  return std::size_t(block);
}
results converted(const detail::conversion_state& plan, const detail::shape& to, const any_array& source) {
  const any_array offsets = empty_vector(detail::offsets_of(plan), dtype::int32, source),
                  indices = empty_vector(detail::indices_of(plan), dtype::int32, source),
                  values = empty_vector(detail::values_of(plan), source.type(), source);
  const detail::request r = request_of({values, source, offsets, indices});
  written(values, [&](sycl::queue& queue) { detail::run(queue, plan, to, r, {}); });
  return {offsets, indices, values};
}
results call_convert(arguments a, int) {
  const auto m = matrix(a, 0);
  const auto to = named<sparse::format>(a.text(1), "the format", formats);
  const std::size_t block = block_of(a, 2);
  const auto from = m->prepared(op_of(a, 3));
  const auto plan = detail::convert(from, to, block);
  return converted(*plan, {to, detail::rows_of(*from), detail::columns_of(*from), block}, m->values);
}
results call_from_dense(arguments a, int) {
  const any_array dense = a.array(0);
  require_alike({{"the matrix", dense}},
                {dtype::float32, dtype::float64, dtype::complex64, dtype::complex128});
  if (dense.ndim() != 2) throw failure(PRISM_INVALID, "the matrix has the shape " + text_of(dense.shape()));
  const auto to = named<sparse::format>(a.text(1), "the format", formats);
  const std::size_t block = block_of(a, 2);
  const detail::request r = request_of({dense});
  sycl::queue queue = dense.queue();
  const auto plan = detail::convert_dense(queue, r, to, block, {});
  return converted(*plan, {to, std::size_t(dense.shape()[0]), std::size_t(dense.shape()[1]), block}, dense);
}

/// The count of rows, columns or rows of a block.
std::size_t count_of(std::int64_t value, const char* name, std::int64_t least) {
  if (value < least) throw failure(PRISM_INVALID, std::string(name) + " is " + std::to_string(value));
  return std::size_t(value);
}
any_array vector_of(const prism_array* array, const char* name) {
  const any_array out = find<array_object>(array, name)->array;
  if (out.ndim() != 1)
    throw failure(PRISM_INVALID,
                  std::string(name) + " has the shape " + text_of(out.shape()) + "; it is a vector");
  return contiguous(out);
}

} // namespace

std::vector<array_function> sparse_functions() {
  return {{"sparse_multiply", "sparse x op=none symmetry=general", call_multiply},
          {"sparse_solve", "sparse b lower=true unit=false op=none", call_solve},
          {"sparse_to_dense", "sparse op=none", call_to_dense},
          {"sparse_product", "a b op_of_a=none op_of_b=none", call_product},
          {"sparse_convert", "sparse format block=1 op=none", call_convert},
          {"sparse_from_dense", "array format block=1", call_from_dense}};
}

} // namespace prism::c_interface

using namespace prism::c_interface;

extern "C" {

prism_status prism_sparse_create(const char* format, int64_t rows, int64_t columns, int64_t block,
                                 const prism_array* offsets, const prism_array* indices,
                                 const prism_array* values, prism_sparse** sparse, prism_error** error) {
  return guarded("prism_sparse_create", error, [&] {
    auto made = std::make_shared<sparse_object>();
    made->shape.layout = named<prism::sparse::format>(required(format, "format"), "format", formats);
    made->shape.rows = count_of(rows, "rows", 0), made->shape.columns = count_of(columns, "columns", 0);
    made->shape.block = count_of(block, "block", 1);
    if (block != 1 && made->shape.layout != prism::sparse::format::bsr)
      throw failure(PRISM_INVALID, std::string(format) + " has no blocks; block is " + std::to_string(block));
    made->offsets = vector_of(offsets, "offsets"), made->indices = vector_of(indices, "indices");
    made->values = vector_of(values, "values");
    require_alike({{"offsets", made->offsets}, {"indices", made->indices}}, {prism::dtype::int32});
    require_alike({{"values", made->values}}, {prism::dtype::float32, prism::dtype::float64,
                                               prism::dtype::complex64, prism::dtype::complex128});
    if (made->offsets.device() != made->values.device())
      throw failure(PRISM_INVALID, "offsets and values are on different devices; use to_device");
    required(sparse, "sparse");
    made->prepared(prism::sparse::op::none);
    store(sparse, std::move(made));
  });
}
}
