// <prism/einsum.hpp> next to NumPy, and <prism/sparse.hpp> next to SciPy, which run in a process of their
// own.
#include "bench/operands.hpp"
#include "bench/reference.hpp"
#include "bench/rows.hpp"
#include "bench/sparse_matrix.hpp"

#include <prism/einsum.hpp>
#include <prism/sparse.hpp>

#include <memory>

namespace bench {
namespace {

namespace sparse = prism::sparse;

/// One row: our call, next to the reference's case.
void add_row(report& out, const options& how, const sycl::device& device, python_reference& python,
             const std::string& name, const char* ours_name, const char* theirs, const std::string& words,
             const std::function<void()>& ours) {
  if (const std::string why = python.obstacle(words); !why.empty())
    return out.skip("operations", label(device), name + ": " + why);
  ours();
  out.add({"operations",
           name,
           label(device),
           ours_name,
           theirs,
           alternate(how.rounds, [&] { return timed(ours); }, [&] { return python.run(words); }),
           {}});
}

struct einsum_case {
  const char* expression;
  std::vector<std::vector<std::size_t>> extents; // of the operands, then of the result
  bool has_product = false;                      // of matrices, which a provider can compute
};

std::size_t count_of(const std::vector<std::size_t>& extents) {
  std::size_t out = 1;
  for (const std::size_t n : extents) out *= n;
  return out;
}

/// Contiguous elements.
prism::tensor_view<float> tensor_of(float* data, const std::vector<std::size_t>& extents) {
  prism::tensor_view<float> out(data);
  out.rank = extents.size();
  std::ptrdiff_t apart = 1;
  for (std::size_t d = out.rank; d-- > 0; apart *= std::ptrdiff_t(extents[d]))
    out.extent[d] = extents[d], out.stride[d] = apart;
  return out;
}

void add_einsum(report& out, const options& how, sycl::queue& queue, python_reference& python,
                const einsum_case& of) {
  std::vector<std::unique_ptr<device_array<float>>> memory;
  std::vector<prism::detail::tensor_in<float, float*>> operands;
  std::string words = std::string("einsum ") + of.expression;
  for (const std::vector<std::size_t>& each : of.extents) {
    memory.push_back(std::make_unique<device_array<float>>(queue, count_of(each)));
    if (memory.size() == of.extents.size()) break;
    operands.push_back(tensor_of(memory.back()->data(), each));
    words += ' ';
    for (std::size_t d = 0; d < each.size(); ++d) words += (d ? "," : "") + std::to_string(each[d]);
  }
  const auto result = tensor_of(memory.back()->data(), of.extents.back());
  const bool is_host = queue.get_device().get_backend() == sycl::backend::ext_prism_host;
  for (const char* provider : {"prism", "openblas"}) {
    const bool is_own = std::string(provider) == "prism";
    if (!is_own && (!is_host || !of.has_product)) continue;
    const pinned choice("gemm", provider);
    add_row(out, how, queue.get_device(), python,
            std::string("einsum ") + of.expression + (is_own ? "" : ", OpenBLAS"),
            is_own ? "own kernels" : "provider openblas", "NumPy", words,
            [&] { prism::einsum::einsum<float, float*>(queue, of.expression, operands, result).wait(); });
  }
}

void add_sparse(report& out, const options& how, sycl::queue& queue, python_reference& python,
                std::size_t rows, std::size_t band) {
  const std::string size = ' ' + std::to_string(rows) + ' ' + std::to_string(band),
                    text = " of " + std::to_string(rows) + " rows of " + std::to_string(band);
  const auto row = [&](const std::string& name, const std::string& words, const std::function<void()>& ours) {
    add_row(out, how, queue.get_device(), python, "sparse " + name + text, "own kernels", "SciPy", words,
            ours);
  };
  const device_matrix a(queue, rows, band), lower(queue, rows, band, true);
  const std::size_t columns = 16;
  const device_array<float> x(queue, rows * columns), y(queue, rows * columns);
  const sparse::prepared plan(queue, a.csr());
  row("times vector", "sparse vector" + size, [&] {
    plan.multiply<float, float*>(queue, 1, a.values(), prism::vector_view(x.data(), rows), 0,
                                 prism::vector_view(y.data(), rows))
        .wait();
  });
  row("times 16 columns", "sparse matrix" + size + " 16", [&] {
    plan.multiply<float, float*>(queue, 1, a.values(), prism::row_major(x.data(), rows, columns), 0,
                                 prism::row_major(y.data(), rows, columns))
        .wait();
  });
  row("triangular solve", "sparse solve" + size, [&] {
    const sparse::triangular_solver solver(queue, lower.csr(), prism::blas::uplo::lower);
    solver
        .solve<float, float*>(queue, 1, lower.values(), prism::vector_view(x.data(), rows),
                              prism::vector_view(y.data(), rows))
        .wait();
  });
  row("product of two", "sparse product" + size, [&] { // with its structure, as SciPy finds it
    const sparse::sparse_product product(queue, plan, plan);
    const device_array<std::int32_t> offsets(queue, rows + 1), indices(queue, product.nonzeros());
    const device_array<float> values(queue, product.nonzeros());
    product
        .multiply<float, float*>(queue, a.values(), a.values(),
                                 sparse::csr(rows, rows, prism::vector_view(offsets.data(), rows + 1),
                                             prism::vector_view(indices.data(), product.nonzeros()),
                                             prism::vector_view(values.data(), product.nonzeros())))
        .wait();
  });
}

} // namespace

void measure_tensors(report& out, const options& how, const sycl::device& device) try {
  sycl::queue queue{device, sycl::property::queue::in_order()};
  python_reference python(how.sources + "/bench/reference.py");
  const einsum_case cases[] = {
      {"ik,kj->ij", {{512, 512}, {512, 512}, {512, 512}}, true},
      {"bij,bjk->bik", {{256, 32, 32}, {256, 32, 32}, {256, 32, 32}}, true},
      {"bhqd,bhkd->bhqk", {{4, 8, 128, 64}, {4, 8, 128, 64}, {4, 8, 128, 128}}, true},
      {"abcd,dcbe->ae", {{64, 16, 16, 16}, {16, 16, 16, 64}, {64, 64}}, true},
      {"ijk->kij", {{128, 128, 128}, {128, 128, 128}}},
      {"i,j->ij", {{2048}, {2048}, {2048, 2048}}},
      {"ij,ij->i", {{2048, 2048}, {2048, 2048}, {2048}}}};
  for (const einsum_case& each : cases) add_einsum(out, how, queue, python, each);
  add_sparse(out, how, queue, python, 100000, 10);
} catch (const std::exception& error) {
  out.skip("operations", label(device), error.what(), true);
}

} // namespace bench
