// <prism/blas.hpp> compared with the library or the shader that is the best known on the same processors:
// products, own and by a provider, and what memory bounds.
#include "bench/openblas.hpp"
#include "bench/operands.hpp"
#include "bench/rows.hpp"

#include <prism/blas.hpp>
#if PRISM_BENCH_HAS_TRIALS
#include "kernels/trials/glsl_gemm.hpp"
#endif

#include <cmath>

namespace bench {
namespace {

struct shape {
  int m, n, k;
  double work() const { return 2.0 * m * n * k; }
  std::string text() const {
    return m == n && n == k ? std::to_string(m)
                            : std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k);
  }
};

template <typename T>
void add_gemm(report& out, const options& how, sycl::queue& queue, const openblas& theirs, const shape& s,
              const char* provider, goal wanted) {
  const pinned choice("gemm", provider);
  const std::size_t of_a = std::size_t(s.m) * s.k, of_b = std::size_t(s.k) * s.n,
                    of_c = std::size_t(s.m) * s.n;
  const device_array<T> a(queue, of_a), b(queue, of_b), c(queue, of_c);
  const std::vector<T> ha(of_a, 1), hb(of_b, 1);
  std::vector<T> hc(of_c);
  const std::size_t calls = calls_of(s.work() / 1e11);
  const auto ours = [&] {
    for (std::size_t i = 0; i < calls; ++i)
      prism::blas::gemm(queue, 1, prism::row_major(a.data(), s.m, s.k), prism::row_major(b.data(), s.k, s.n),
                        0, prism::row_major(c.data(), s.m, s.n))
          .wait();
  };
  const auto library = [&] {
    for (std::size_t i = 0; i < calls; ++i) theirs.gemm(s.m, s.n, s.k, ha.data(), hb.data(), hc.data());
  };
  ours(), library();
  std::vector<T> found(of_c);
  queue.copy(c.data(), found.data(), of_c).wait();
  if (std::abs(double(found.back()) - s.k) > 1e-3 * s.k)
    return out.skip("operations", label(queue.get_device()), "gemm " + s.text() + " is wrong", true);
  out.add({"operations", std::string(sizeof(T) == 4 ? "gemm float " : "gemm double ") + s.text(),
           label(queue.get_device()),
           std::string(provider) == "prism" ? "own kernels" : std::string("provider ") + provider, "OpenBLAS",
           alternate(how.rounds, [&] { return timed_each(calls, ours); },
                     [&] { return timed_each(calls, library); }),
           wanted});
}

#if PRISM_BENCH_HAS_TRIALS
void add_gemm_beside_glsl(report& out, const options& how, sycl::queue& queue, int n) {
  const pinned own("gemm", "prism");
  sycl::buffer<float, 2> a(sycl::range<2>(n, n)), b(sycl::range<2>(n, n)), c(sycl::range<2>(n, n));
  for (auto* one : {&a, &b}) {
    const sycl::host_accessor all(*one, sycl::write_only);
    std::fill(all.begin(), all.end(), 1.0f);
  }
  const auto ours = [&] {
    prism::blas::gemm(queue, 1, prism::view_of(a), prism::view_of(b), 0, prism::view_of(c)).wait();
  };
  const auto theirs = [&] { prism::trials::gemm_glsl(queue, 1, a, b, 0, c).wait(); };
  out.add({"operations",
           "gemm float " + std::to_string(n),
           label(queue.get_device()),
           "own kernels",
           "hand-written GLSL",
           alternate(how.rounds, [&] { return timed(ours); }, [&] { return timed(theirs); }),
           {goal::kind::ratio, 1 / 0.95}});
}
#endif

/// What memory bounds, on vectors of n elements and a matrix of as many.
void add_bandwidth(report& out, const options& how, sycl::queue& queue, const openblas& theirs, int n) {
  using axpy_call = void(int, float, const float*, int, float*, int);
  using dot_call = float(int, const float*, int, const float*, int);
  using gemv_call = void(int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
  const int side = int(std::sqrt(double(n)));
  const device_array<float> x(queue, std::size_t(n)), y(queue, std::size_t(n)), one(queue, 1);
  std::vector<float> hx(std::size_t(n), 1), hy(std::size_t(n), 1);
  const auto row = [&](const char* name, const auto& ours, const auto& library) {
    const pinned own(name, "prism");
    out.add({"operations",
             std::string(name) + " float " + std::to_string(n) + " elements",
             label(queue.get_device()),
             "own kernels",
             "OpenBLAS",
             alternate(how.rounds, [&] { return timed(ours); }, [&] { return timed(library); }),
             {}});
  };
  const prism::vector_view from(x.data(), std::size_t(n)), to(y.data(), std::size_t(n));
  row("axpy", [&] { prism::blas::axpy(queue, 0.5f, from, to).wait(); },
      [&, call = theirs.find<axpy_call>("cblas_saxpy")] { call(n, 0.5f, hx.data(), 1, hy.data(), 1); });
  row("dot", [&] { prism::blas::dot(queue, from, to, prism::vector_view(one.data(), 1)).wait(); },
      [&, call = theirs.find<dot_call>("cblas_sdot")] { hy[0] = call(n, hx.data(), 1, hy.data(), 1); });
  const prism::vector_view short_x(y.data(), std::size_t(side)), short_y(y.data() + side, std::size_t(side));
  for (const bool turned : {false, true})
    row("gemv", [&] {
      const auto a = prism::row_major(x.data(), std::size_t(side), std::size_t(side));
      prism::blas::gemv(queue, 1, turned ? a.transposed() : a, short_x, 0, short_y).wait();
    }, [&, call = theirs.find<gemv_call>("cblas_sgemv")] {
      call(101, turned ? 112 : 111, side, side, 1, hx.data(), side, hy.data(), 1, 0, hy.data() + side, 1);
    });
}

} // namespace

void measure_operations(report& out, const options& how, const sycl::device& device) try {
  sycl::queue queue{device, sycl::property::queue::in_order()};
  const bool is_host = device.get_backend() == sycl::backend::ext_prism_host;
  if (device.get_backend() == sycl::backend::ext_prism_vulkan) {
#if PRISM_BENCH_HAS_TRIALS
    if (prism::trials::has_glsl())
      for (const int n : {128, 256, 512}) add_gemm_beside_glsl(out, how, queue, n);
#else
    out.skip("operations", label(device), "the shader is in prism_trials, which was not built");
#endif
    return;
  }
  const openblas theirs;
  if (!theirs.sgemm || !theirs.dgemm)
    return out.skip("operations", label(device), "libopenblas.so.0 is not installed");
  if (is_host) {
    add_gemm<float>(out, how, queue, theirs, {64, 64, 64}, "openblas", {goal::kind::excess, 3e-6});
    for (const int n : {128, 256})
      add_gemm<float>(out, how, queue, theirs, {n, n, n}, "openblas", {goal::kind::ratio, 1 / 0.9});
    for (const int n : {512, 1024})
      add_gemm<float>(out, how, queue, theirs, {n, n, n}, "openblas", {goal::kind::ratio, 1 / 0.97});
  }
  const goal own{goal::kind::ratio, is_host ? 1 / 0.8 : 2.0},
      skinny{goal::kind::ratio, is_host ? 1 / 0.7 : 2.0};
  for (const int n : {64, 128, 256, 512, 1024}) {
    add_gemm<float>(out, how, queue, theirs, {n, n, n}, "prism", own);
    if (device.has(sycl::aspect::fp64)) add_gemm<double>(out, how, queue, theirs, {n, n, n}, "prism", own);
  }
  for (const shape s : {shape{2048, 16, 2048}, shape{16, 2048, 2048}, shape{2048, 2048, 16}})
    add_gemm<float>(out, how, queue, theirs, s, "prism", skinny);
  add_bandwidth(out, how, queue, theirs, 1 << 22);
} catch (const std::exception& error) {
  out.skip("operations", label(device), error.what(), true);
}

} // namespace bench
