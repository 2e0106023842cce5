// The operations of operations.hpp: variant names, requirements and models; the kernels are those of the
// library.
#include "kernels/trials/operations.hpp"

#include "kernels/trials/glsl_gemm.hpp"

#include <prism/blas.hpp>
#include <prism/primitives.hpp>

#include <cmath>
#include <stdexcept>

namespace prism::trials {

namespace {

/// The same workload with the computation multiplied by `times` and the memory traffic by `traffic`.
std::function<workload(const workload&)> doing(double times, double traffic) {
  return [=](const workload& w) {
    workload more = w;
    more.flops *= times;
    more.bytes *= traffic;
    return more;
  };
}

/// Each element of c reads a row and a column; blocks of side `side` divide that traffic by `side`.
std::function<workload(const workload&)> in_blocks_of(double side) {
  return [=](const workload& w) {
    workload more = w;
    more.bytes = std::max(w.bytes, 8.0 * w.items / side);
    more.footprint_bytes = w.bytes;
    return more;
  };
}

/// Each work-item repeats the overlap with the neighbouring piece.
std::function<workload(const workload&)> in_pieces_of(double piece) {
  return [=](const workload& w) {
    workload more = w;
    more.flops *= (piece + 3 * 100) / piece; // for reads of a hundred bases
    return more;
  };
}

/// The backend of a provider for one kind of device; a provider for several refuses where it must.
std::vector<std::string> needs_of(std::uint32_t natives) {
  if (natives == 1u << PRISM_NATIVE_HOST) return {"host"};
  if (natives == 1u << PRISM_NATIVE_OPENCL) return {"opencl"};
  if (natives == 1u << PRISM_NATIVE_VULKAN) return {"vulkan"};
  return {};
}

template <typename T>
void add_gemm(gemm_algorithm<T>& all) {
  using matrix = matrix_of<T>;
  for (const blas::implementation& one : blas::implementations()) {
    const std::string name = one.name;
    if (name == "prism") continue;
    all.add(name, [name](sycl::queue& q, T alpha, matrix& a, matrix& b, T beta, matrix& c) {
      const blas::scoped_provider by(name);
      try {
        return blas::gemm(q, alpha, view_of(a), view_of(b), beta, view_of(c));
      } catch (const sycl::exception& error) {
        if (error.code() != sycl::errc::kernel_not_supported) throw;
        throw std::runtime_error(std::string(refused) + error.what());
      }
    }, needs_of(one.natives), in_blocks_of(32), 0.5);
  }
  if constexpr (std::is_same_v<T, float>)
    if (has_glsl()) all.add("glsl", gemm_glsl, {"vulkan"}, in_blocks_of(4), 0.2);
  all.fallback("prism", [](sycl::queue& q, T alpha, matrix& a, matrix& b, T beta, matrix& c) {
    const blas::scoped_provider own("prism");
    return blas::gemm(q, alpha, view_of(a), view_of(b), beta, view_of(c));
  }, in_blocks_of(16));
}

void add_primitives(operations& all) {
  using primitives::execution;
  using primitives::method;
  const auto reduce = [](method how) {
    return [how](sycl::queue& q, floats& x, floats& result) {
      return primitives::reduce(execution(q).with(how), view_of(x), view_of(result));
    };
  };
  all.reduce.add("work groups", reduce(method::work_groups)).fallback("chunks", reduce(method::chunks));
  const auto scan = [](method how) {
    return [how](sycl::queue& q, floats& in, floats& out) {
      return primitives::inclusive_scan(execution(q).with(how), view_of(in), view_of(out));
    };
  };
  all.scan.add("chained", scan(method::chained), {"host"}, {}, 0.9)
      .add("work groups", scan(method::work_groups), {}, doing(8, 2.1), 0.2)
      .fallback("chunks", scan(method::chunks));
}

void add_rest(operations& all) {
  all.fft.fallback("prism", [](sycl::queue& q, const fft::plan& plan, points& data) {
    const fft::grid_view whole(view_of(data));
    return plan(q, whole, whole);
  });
  const auto in_pieces = [](align::pieces length) {
    return [length](sycl::queue& q, const align::packed_reads& reads, sycl::buffer<std::uint8_t>& genome) {
      const std::size_t count = reads.starts.size();
      sycl::buffer<std::int32_t> best{sycl::range<1>(count)};
      align::local(q, reads, view_of(genome), view_of(best), length);
      const sycl::host_accessor found(best, sycl::read_only);
      std::vector<align::alignment> out;
      for (std::size_t r = 0; r < count; ++r)
        out.push_back(align::decoded(found[r], reads, r, genome.size(), length));
      return out;
    };
  };
  all.smith_waterman.add("pieces of 256", in_pieces(align::pieces::of_256), {}, in_pieces_of(256), 0.1);
  all.smith_waterman.add("pieces of 1024", in_pieces(align::pieces::of_1024), {}, in_pieces_of(1024), 0.1);
  all.smith_waterman.fallback("pieces of 2048", in_pieces(align::pieces::of_2048));
}

workload elements(const char* operation, double n, double flops, double bytes) {
  workload w;
  w.operation = operation;
  w.items = n;
  w.flops = flops;
  w.bytes = bytes;
  return w;
}

} // namespace

operations make_operations(std::shared_ptr<tuning_database> database) {
  operations all;
  add_gemm(all.gemm), add_gemm(all.gemm_double);
  add_primitives(all);
  add_rest(all);
  if (!database) return all;
  all.gemm.use(database), all.gemm_double.use(database), all.reduce.use(database), all.scan.use(database),
      all.fft.use(database), all.smith_waterman.use(database);
  return all;
}

workload gemm_work(std::size_t m, std::size_t n, std::size_t k) {
  const double products = double(m) * double(n) * double(k);
  return elements("gemm", products, 2 * products,
                  4 * (double(m) * double(k) + double(k) * double(n) + double(m) * double(n)));
}
workload gemm_double_work(std::size_t m, std::size_t n, std::size_t k) {
  workload w = gemm_work(m, n, k);
  w.operation = "gemm double", w.data_type = "fp64", w.bytes *= 2;
  return w;
}
workload reduce_work(std::size_t n) { return elements("reduce", double(n), double(n), 4.0 * double(n)); }
workload scan_work(std::size_t n) { return elements("scan", double(n), 2.0 * double(n), 12.0 * double(n)); }
workload fft_work(std::size_t n) {
  const double levels = std::max(1.0, std::log2(double(n)));
  return elements("fft", double(n), 5 * levels * double(n), 8 * levels * double(n));
}
workload align_work(std::size_t bases, std::size_t genome) {
  workload w = elements("smith-waterman", double(bases) * double(genome),
                        12.0 * double(bases) * double(genome), double(bases) + double(genome));
  w.data_type = "int32";
  return w;
}

} // namespace prism::trials
