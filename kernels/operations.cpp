// The operations of operations.hpp: variant names, requirements and models; the kernels are in other files.
#include <prism/kernels/blas.hpp>
#include <prism/kernels/operations.hpp>
#include <prism/kernels/scan.hpp>
#include <prism/kernels/tunable.hpp>

#include <cmath>

namespace prism::kernels {

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

configuration found(const std::shared_ptr<tuning_database>& database, const char* operation,
                    const sycl::device& device, double items, const parameter_space& space,
                    const configuration& initial) {
  return database ? tuned(*database, tuned_key(operation, device, items), space, initial) : initial;
}

void add_gemm(operations& all, const std::shared_ptr<tuning_database>& database) {
  all.gemm.add("clblast", gemm_clblast, {"opencl"}, in_blocks_of(32), 0.5)
      .add("opencl-c", gemm_opencl, {"opencl"}, in_blocks_of(4), 0.2);
  if (has_glsl()) all.gemm.add("glsl", gemm_glsl, {"vulkan"}, in_blocks_of(4), 0.2);
  all.gemm.add("tiled", [](sycl::queue& q, float alpha, matrix& a, matrix& b, float beta, matrix& c) {
    return gemm(q, alpha, a, b, beta, c);
  }, {}, in_blocks_of(16), 0.1);
  all.gemm.add("tuned", [database](sycl::queue& q, float alpha, matrix& a, matrix& b, float beta, matrix& c) {
    const double items = double(a.size()) * double(c.get_range()[1]);
    return gemm_with(q,
                     found(database, "gemm", q.get_device(), items, gemm_space(q.get_device()),
                           gemm_initial(q.get_device())),
                     alpha, a, b, beta, c);
  }, {}, in_blocks_of(16), 0.1);
  all.gemm.fallback("plain", [](sycl::queue& q, float alpha, matrix& a, matrix& b, float beta, matrix& c) {
    return gemm_with(q,
                     {{"style", std::string("blocked")},
                      {"rows", std::int64_t(1)},
                      {"columns", std::int64_t(1)},
                      {"group_y", std::int64_t(1)},
                      {"group_x", std::int64_t(8)}},
                     alpha, a, b, beta, c);
  });
}

void add_reduce(operations& all, const std::shared_ptr<tuning_database>& database) {
  all.reduce.add("library", [](sycl::queue& q, floats& x, floats& result) { return reduce(q, x, result); });
  all.reduce.add("tuned", [database](sycl::queue& q, floats& x, floats& result) {
    const auto space = reduce_space(q.get_device(), x.size());
    return reduce_with(
        q, found(database, "reduce", q.get_device(), double(x.size()), space, reduce_initial(q.get_device())),
        x, result);
  }, {}, {}, 0.9);
  all.reduce.fallback("one group", [](sycl::queue& q, floats& x, floats& result) {
    const std::size_t items = std::max<std::size_t>(
        64, (x.size() + 32767) / 32768); // software drivers limit the iterations of a work-item
    return reduce_with(q,
                       {{"style", std::string("strided")},
                        {"groups", std::int64_t((items + 63) / 64)},
                        {"group", std::int64_t(64)}},
                       x, result);
  });
}

void add_rest(operations& all) {
  all.scan.add("in groups", [](sycl::queue& q, floats& in, floats& out) {
    return inclusive_scan(q, in, out);
  }, {}, doing(8, 2.1), 0.2);
  all.scan.fallback("in parts", [](sycl::queue& q, floats& in, floats& out) {
    return inclusive_scan_in_parts(q, in, out);
  });
  all.fft.add("clfft", fft, {"opencl"}, {}, 0.3).add("stockham", fft_stockham, {}, doing(4, 1), 0.1);
  all.fft.fallback("direct", fft_direct, [](const workload& w) {
    workload all_pairs = w;
    all_pairs.flops = 40 * w.items * w.items; // a sine and a cosine for each pair
    return all_pairs;
  });
  const auto pieces = [](align_pieces p) {
    return [p](sycl::queue& q, const packed_reads& reads, sycl::buffer<std::uint8_t>& genome) {
      return align(q, p, reads, genome);
    };
  };
  all.smith_waterman.add("pieces of 256", pieces(align_pieces::of_256), {}, in_pieces_of(256), 0.1);
  all.smith_waterman.add("pieces of 1024", pieces(align_pieces::of_1024), {}, in_pieces_of(1024), 0.1);
  all.smith_waterman.fallback("pieces of 2048", pieces(align_pieces::of_2048));
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
  add_gemm(all, database);
  add_reduce(all, database);
  add_rest(all);
  if (!database) return all;
  all.gemm.use(database), all.reduce.use(database), all.scan.use(database), all.fft.use(database),
      all.smith_waterman.use(database);
  return all;
}

workload gemm_work(std::size_t m, std::size_t n, std::size_t k) {
  const double products = double(m) * double(n) * double(k);
  return elements("gemm", products, 2 * products,
                  4 * (double(m) * double(k) + double(k) * double(n) + double(m) * double(n)));
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

tuning_key tuned_key(const std::string& operation, const sycl::device& device, double items) {
  return key_for(operation + " parameters", device, kernels_version, items);
}

} // namespace prism::kernels
