// The operations library and the best library for the same operation, by size and by number of threads: on
// sub-devices of the host device, each pair by the same number. One turn measures every number of threads,
// ours and theirs, so that a drift of the machine affects speed-ups and ratios alike.
#include "bench/fftw.hpp"
#include "bench/openblas.hpp"
#include "bench/operands.hpp"
#include "bench/primitives.hpp"
#include "bench/rows.hpp"
#include "bench/sparse_matrix.hpp"

#include <prism/fft.hpp>
#include <prism/linalg.hpp>
#include <prism/primitives.hpp>

#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>

#include <cmath>
#include <memory>
#include <random>

namespace bench {
namespace {

/// One operation of one size by some threads, ours and a library's, each on memory of its own.
class contest {
public:
  virtual ~contest() = default;
  virtual void ours() = 0;
  virtual void theirs() = 0;
  /// Before each run, not measured.
  virtual void reset() {}
  /// Whether both have the same result, within rounding.
  virtual bool agrees() = 0;
};

struct operation {
  std::string name, size;
  const char *side, *reference; // who computes
  double seconds;               // of one call, roughly
  goal wanted;
};
using maker = std::function<std::unique_ptr<contest>(sycl::queue& queue, unsigned threads)>;

/// 1, 2, 4, ... and all of the device's processors.
std::vector<unsigned> thread_counts(const sycl::device& device) {
  const unsigned all = device.get_info<sycl::info::device::max_compute_units>();
  std::vector<unsigned> out;
  for (unsigned n = 1; n < all; n *= 2) out.push_back(n);
  out.push_back(all);
  return out;
}

/// The host device, or a part of it with so many threads.
sycl::queue queue_of(const sycl::device& device, unsigned threads) {
  using sycl::info::partition_property;
  const sycl::device used =
      threads == device.get_info<sycl::info::device::max_compute_units>()
          ? device
          : device.create_sub_devices<partition_property::partition_by_counts>({threads}).front();
  return sycl::queue(used, sycl::property::queue::in_order());
}

/// A row for each number of threads.
void add(report& out, const options& how, const sycl::device& device, const operation& of,
         const maker& make) try {
  struct side {
    unsigned threads;
    sycl::queue queue;
    std::unique_ptr<contest> sides;
    series measured;
  };
  std::vector<std::unique_ptr<side>> all;
  for (const unsigned threads : thread_counts(device)) {
    all.push_back(std::make_unique<side>(side{threads, queue_of(device, threads), {}, {}}));
    all.back()->sides = make(all.back()->queue, threads);
  }
  const std::size_t calls = calls_of(of.seconds);
  for (int turn = -1; turn < how.rounds; ++turn) // the first one is not measured
    for (const auto& each : all) {
      contest& sides = *each->sides;
      const auto run = [&](void (contest::*call)()) {
        sides.reset();
        until_idle();
        return timed_each(calls, [&] {
          for (std::size_t i = 0; i < calls; ++i) (sides.*call)();
        });
      };
      const times ours = run(&contest::ours), theirs = run(&contest::theirs);
      if (turn < 0) continue;
      each->measured.ours.push_back(ours), each->measured.theirs.push_back(theirs);
    }
  for (const auto& each : all) {
    const std::string name = of.name + " " + of.size + ", " + std::to_string(each->threads) +
                             (each->threads == 1 ? " thread" : " threads");
    if (!each->sides->agrees()) {
      out.skip("scaling", label(device), name + ": the results differ", true);
      continue;
    }
    out.add({"scaling", name, label(device), of.side, of.reference, each->measured, of.wanted,
             scaled_by{of.name, of.size, each->threads}});
  }
} catch (const std::exception& error) {
  out.skip("scaling", label(device), of.name + " " + of.size + ": " + error.what(), true);
}

template <typename T>
std::vector<T> read(sycl::queue& queue, const T* from, std::size_t count) {
  std::vector<T> out(count);
  queue.copy(from, out.data(), count).wait();
  return out;
}

template <typename T>
bool is_near(const std::vector<T>& a, const std::vector<T>& b, double bound) {
  double apart = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    apart += std::norm(a[i] - b[i]);
    size += std::norm(b[i]);
  }
  return apart <= bound * bound * size;
}

template <typename T>
std::vector<T> random_numbers(std::size_t count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<T> any(-1, 1);
  std::vector<T> out(count);
  for (T& each : out) each = any(random);
  return out;
}

template <typename T>
class product : public contest {
public:
  product(sycl::queue& queue, unsigned threads, const openblas& library, int n)
      : m_queue(queue), m_threads(threads), m_library(library), m_n(n), m_ha(random_numbers<T>(size())),
        m_hc(size()), m_a(queue, m_ha), m_c(queue, size()) {}
  void ours() override {
    const auto n = std::size_t(m_n);
    const auto a = prism::row_major(m_a.data(), n, n);
    prism::blas::gemm(m_queue, 1, a, a, 0, prism::row_major(m_c.data(), n, n)).wait();
  }
  void theirs() override {
    m_library.take(m_threads);
    m_library.gemm(m_n, m_n, m_n, m_ha.data(), m_ha.data(), m_hc.data());
  }
  bool agrees() override { return is_near(read(m_queue, m_c.data(), size()), m_hc, 1e-4); }

private:
  std::size_t size() const { return std::size_t(m_n) * std::size_t(m_n); }
  sycl::queue& m_queue;
  unsigned m_threads;
  const openblas& m_library;
  int m_n;
  std::vector<T> m_ha, m_hc;
  device_array<T> m_a, m_c;
};

class transform_by_threads : public contest {
public:
  using number = std::complex<float>;
  transform_by_threads(sycl::queue& queue, unsigned threads, std::size_t n, std::size_t count)
      : m_queue(queue), m_size(n * count), m_hx(m_size), m_hy(m_size), m_library(threads),
        m_theirs(m_library.is_there ? m_library.prepared({{int(n)}, int(count)},
                                                         reinterpret_cast<float*>(m_hx.data()), m_hy.data())
                                    : nullptr),
        m_x(queue, filled(m_hx)), m_y(queue, m_size), m_from(over(m_x, n, count)), m_to(over(m_y, n, count)),
        m_plan(queue, prism::fft::direction::forward, m_from, m_to) {
    if (!m_theirs) throw std::runtime_error("libfftw3f or its threads are not installed");
  }
  void ours() override { m_plan(m_queue, m_from, m_to).wait(); }
  void theirs() override { m_theirs(); }
  bool agrees() override { return is_near(read(m_queue, m_y.data(), m_size), m_hy, 1e-5); }

private:
  static const std::vector<number>& filled(std::vector<number>& x) { // FFTW's measurements overwrote it
    const std::vector<float> numbers = random_numbers<float>(2 * x.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = {numbers[2 * i], numbers[2 * i + 1]};
    return x;
  }
  static prism::fft::grid_view<number> over(const device_array<number>& memory, std::size_t n,
                                            std::size_t count) {
    return prism::fft::grid(memory.data(), {n}).batched(count, std::ptrdiff_t(n));
  }
  sycl::queue& m_queue;
  std::size_t m_size;
  std::vector<number> m_hx, m_hy;
  fftw<float> m_library;
  std::function<void()> m_theirs;
  device_array<number> m_x, m_y;
  prism::fft::grid_view<number> m_from, m_to;
  prism::fft::plan m_plan;
};

/// Own LU or Cholesky factors of a matrix of double, column by column. Both factor the same matrix again.
class factors : public contest {
public:
  factors(sycl::queue& queue, unsigned threads, const openblas& library, bool is_lu, int n)
      : m_queue(queue), m_threads(threads), m_library(library), m_is_lu(is_lu), m_n(n),
        m_from(random_numbers<double>(size())), m_pivots(std::size_t(n)), m_start(queue, diagonal(m_from, n)),
        m_a(queue, size()), m_own_pivots(queue, std::size_t(n)), m_info(queue, 1) {}
  void reset() override {
    m_found = m_from;
    m_queue.copy(m_start.data(), m_a.data(), size()).wait();
  }
  void ours() override {
    namespace la = prism::linalg;
    const auto n = std::size_t(m_n);
    const auto a = prism::column_major(m_a.data(), n, n);
    const prism::vector_view info(m_info.data(), 1);
    if (m_is_lu) la::lu(m_queue, a, prism::vector_view(m_own_pivots.data(), n), info).wait();
    else la::cholesky(m_queue, la::uplo::lower, a, info).wait();
  }
  void theirs() override {
    m_library.take(m_threads);
    int info = 0;
    const int* const n = &m_n;
    if (m_is_lu)
      m_library.find<void(const int*, const int*, double*, const int*, int*, int*)>("dgetrf_")(
          n, n, m_found.data(), n, m_pivots.data(), &info);
    else
      m_library.find<void(const char*, const int*, double*, const int*, int*, std::size_t)>("dpotrf_")(
          "L", n, m_found.data(), n, &info, 1);
  }
  bool agrees() override {
    reset(), ours(), theirs();
    return is_near(read(m_queue, m_a.data(), size()), m_found, 1e-9);
  }

private:
  /// Large enough that the matrix is positive definite and that rows need no exchange.
  static const std::vector<double>& diagonal(std::vector<double>& a, int n) {
    for (std::size_t i = 0; i < std::size_t(n); ++i) a[i * std::size_t(n + 1)] += 2.0 * n;
    return a;
  }
  std::size_t size() const { return std::size_t(m_n) * std::size_t(m_n); }
  sycl::queue& m_queue;
  unsigned m_threads;
  const openblas& m_library;
  bool m_is_lu;
  int m_n;
  std::vector<double> m_from, m_found;
  std::vector<int> m_pivots;
  device_array<double> m_start, m_a;
  device_array<std::int64_t> m_own_pivots, m_info;
};

class sum : public contest {
public:
  sum(sycl::queue& queue, unsigned threads, std::size_t n)
      : m_queue(queue), m_threads(threads), m_hx(n, 1), m_x(queue, n), m_sum(queue, 1) {}
  void ours() override {
    prism::primitives::reduce({m_queue, m_workspace}, prism::vector_view<float>(m_x.data(), m_hx.size()),
                              prism::vector_view<float>(m_sum.data(), 1))
        .wait();
  }
  void theirs() override {
    openmp_threads(m_threads);
    m_theirs = openmp_sum(m_hx.data(), m_hx.size());
  }
  bool agrees() override { return read(m_queue, m_sum.data(), 1)[0] == m_theirs; }

private:
  sycl::queue& m_queue;
  prism::primitives::workspace m_workspace;
  unsigned m_threads;
  std::vector<float> m_hx;
  float m_theirs = 0;
  device_array<float> m_x, m_sum;
};

class scan : public contest {
public:
  scan(sycl::queue& queue, unsigned threads, std::size_t n)
      : m_queue(queue), m_threads(threads), m_hx(n, 1), m_hy(n), m_x(queue, n), m_y(queue, n) {}
  void ours() override {
    const std::size_t n = m_hx.size();
    prism::primitives::inclusive_scan({m_queue, m_workspace}, prism::vector_view<float>(m_x.data(), n),
                                      prism::vector_view<float>(m_y.data(), n))
        .wait();
  }
  void theirs() override {
    openmp_threads(m_threads);
    openmp_inclusive_scan(m_hx.data(), m_hy.data(), m_hx.size());
  }
  bool agrees() override { return read(m_queue, m_y.data(), m_hy.size()) == m_hy; }

private:
  sycl::queue& m_queue;
  prism::primitives::workspace m_workspace;
  unsigned m_threads;
  std::vector<float> m_hx, m_hy;
  device_array<float> m_x, m_y;
};

/// Of unsigned integers, by their value.
class sort : public contest {
public:
  sort(sycl::queue& queue, unsigned threads, std::size_t n)
      : m_queue(queue), m_arena(int(threads)), m_start(n), m_x(queue, n) {
    std::mt19937 random(1);
    for (std::uint32_t& each : m_start) each = random();
  }
  void reset() override {
    m_found = m_start;
    m_queue.copy(m_start.data(), m_x.data(), m_start.size()).wait();
  }
  void ours() override {
    prism::primitives::sort({m_queue, m_workspace},
                            prism::vector_view<std::uint32_t>(m_x.data(), m_start.size()))
        .wait();
  }
  void theirs() override {
    m_arena.execute([&] { tbb::parallel_sort(m_found.begin(), m_found.end()); });
  }
  bool agrees() override {
    reset(), ours(), theirs();
    return read(m_queue, m_x.data(), m_start.size()) == m_found;
  }

private:
  sycl::queue& m_queue;
  prism::primitives::workspace m_workspace;
  tbb::task_arena m_arena;
  std::vector<std::uint32_t> m_start, m_found;
  device_array<std::uint32_t> m_x;
};

class sparse_product : public contest {
public:
  sparse_product(sycl::queue& queue, unsigned threads, std::size_t rows, std::size_t band)
      : m_queue(queue), m_threads(threads), m_ha(rows, band, false), m_hx(random_numbers<float>(rows)),
        m_hy(rows), m_a(queue, rows, band), m_x(queue, m_hx), m_y(queue, rows), m_plan(queue, m_a.csr()) {}
  void ours() override {
    const std::size_t rows = m_hy.size();
    m_plan
        .multiply<float, float*>(m_queue, 1, m_a.values(), prism::vector_view(m_x.data(), rows), 0,
                                 prism::vector_view(m_y.data(), rows))
        .wait();
  }
  void theirs() override {
    openmp_threads(m_threads);
    openmp_sparse_product(m_hy.size(), m_ha.offsets.data(), m_ha.columns.data(), m_ha.values.data(),
                          m_hx.data(), m_hy.data());
  }
  bool agrees() override { return is_near(read(m_queue, m_y.data(), m_hy.size()), m_hy, 1e-5); }

private:
  sycl::queue& m_queue;
  unsigned m_threads;
  host_matrix m_ha;
  std::vector<float> m_hx, m_hy;
  device_matrix m_a;
  device_array<float> m_x, m_y;
  prism::sparse::prepared m_plan;
};

template <typename T>
void add_products(report& out, const options& how, const sycl::device& device, const openblas& library,
                  const char* provider) {
  const pinned choice("gemm", provider);
  const bool is_own = std::string(provider) == "prism";
  std::vector<int> sizes = is_own ? std::vector{64, 128, 256, 512, 1024} : std::vector{128, 512};
  if (is_own && !how.quick) sizes.push_back(2048);
  for (const int n : sizes) {
    const goal wanted{goal::kind::ratio, is_own ? 1 / 0.8 : n < 512 ? 1 / 0.9 : 1 / 0.97};
    add(out, how, device,
        {std::string("gemm ") + (sizeof(T) == 4 ? "float" : "double") + (is_own ? "" : ", by OpenBLAS"),
         std::to_string(n), is_own ? "own kernels" : "provider openblas", "OpenBLAS", 2.0 * n * n * n / 1e11,
         wanted},
        [&, n](sycl::queue& queue, unsigned threads) {
      return std::make_unique<product<T>>(queue, threads, library, n);
    });
  }
}

void add_factors(report& out, const options& how, const sycl::device& device, const openblas& library) {
  for (const bool is_lu : {true, false}) {
    const pinned choice(is_lu ? "getrf" : "potrf", "prism");
    std::vector<int> sizes{256, 512, 1024};
    if (!how.quick) sizes.push_back(2048);
    for (const int n : sizes)
      add(out, how, device,
          {is_lu ? "LU double" : "Cholesky double",
           std::to_string(n),
           "own code",
           "OpenBLAS's LAPACK",
           1, // a run is one call: the next one would factor factors
           {goal::kind::ratio, 1 / 0.6}},
          [&, n](sycl::queue& queue, unsigned threads) {
        return std::make_unique<factors>(queue, threads, library, is_lu, n);
      });
  }
}

void add_transforms_by_threads(report& out, const options& how, const sycl::device& device) {
  const pinned own("fft", "prism");
  const auto one = [&](std::size_t n, std::size_t count) {
    const std::string size = std::to_string(n) + (count == 1 ? "" : ", " + std::to_string(count) + " times");
    add(out, how, device,
        {"fft complex float",
         size,
         "own kernels",
         "FFTW",
         4e-9 * double(n * count),
         {goal::kind::ratio, 1 / 0.7}},
        [=](sycl::queue& queue, unsigned threads) {
      return std::make_unique<transform_by_threads>(queue, threads, n, count);
    });
  };
  one(1024, 128);
  for (const std::size_t n : {std::size_t(1) << 12, std::size_t(1) << 16, std::size_t(1) << 20}) one(n, 1);
}

void add_lines(report& out, const options& how, const sycl::device& device) {
  const goal bandwidth{goal::kind::ratio, 1 / 0.95};
  std::vector<std::size_t> sizes{100'000, 1'000'000};
  if (!how.quick) sizes.push_back(10'000'000);
  for (const std::size_t n : sizes) {
    const std::string size = std::to_string(n);
    add(out, how, device, {"sum float", size, "prism::primitives", "OpenMP", 1e-9 * double(n), bandwidth},
        [n](sycl::queue& queue, unsigned threads) { return std::make_unique<sum>(queue, threads, n); });
    add(out, how, device, {"scan float", size, "prism::primitives", "OpenMP", 2e-9 * double(n), bandwidth},
        [n](sycl::queue& queue, unsigned threads) { return std::make_unique<scan>(queue, threads, n); });
    add(out, how, device,
        {"sort uint32", size, "prism::primitives", "tbb::parallel_sort", 1, {goal::kind::ratio, 1 / 1.5}},
        [n](sycl::queue& queue, unsigned threads) { return std::make_unique<sort>(queue, threads, n); });
  }
  for (const std::size_t rows : {std::size_t(10'000), std::size_t(100'000), std::size_t(1'000'000)}) {
    if (how.quick && rows > 100'000) continue;
    add(out, how, device,
        {"CSR times vector, float",
         std::to_string(rows) + " rows of 10",
         "own kernels",
         "OpenMP",
         1e-8 * double(rows),
         {}},
        [rows](sycl::queue& queue, unsigned threads) {
      return std::make_unique<sparse_product>(queue, threads, rows, 10);
    });
  }
}

} // namespace

void measure_scaling(report& out, const options& how, const sycl::device& device) {
  if (device.get_backend() != sycl::backend::ext_prism_host)
    return out.skip("scaling", label(device), "only the host device can be limited to some threads");
  const openblas library;
  if (library.sgemm && library.dgemm && library.take_threads) {
    add_products<float>(out, how, device, library, "prism");
    add_products<double>(out, how, device, library, "prism");
    for (const prism::blas::implementation& each : prism::blas::implementations())
      if (each.name == "openblas") add_products<float>(out, how, device, library, "openblas");
    add_factors(out, how, device, library);
    library.take(device.get_info<sycl::info::device::max_compute_units>());
  } else out.skip("scaling", label(device), "libopenblas.so.0 is not installed");
  add_transforms_by_threads(out, how, device);
  add_lines(out, how, device);
}

} // namespace bench
