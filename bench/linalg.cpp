// <prism/linalg.hpp> compared with OpenBLAS's LAPACK: decompositions by its provider and by the library's own
// code, and batches of small systems compared with a loop of LAPACK's calls.
#include "bench/rows.hpp"

#include <prism/linalg.hpp>

#include <dlfcn.h>

#include <functional>
#include <random>

namespace bench {
namespace {

namespace la = prism::linalg;
using index_buffer = sycl::buffer<std::int64_t, 1>;

/// The LAPACK inside of OpenBLAS, with all threads that it takes.
struct lapack {
  void* library = ::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  template <typename... Arguments>
  void call(const char* name, Arguments... arguments) const {
    reinterpret_cast<void (*)(Arguments...)>(::dlsym(library, name))(arguments...);
  }
};

/// A decomposition of an n x n matrix of double, in memory of the host for LAPACK and in buffers for PRISM.
class decomposition {
public:
  decomposition(sycl::queue& queue, const lapack& theirs, std::string operation, int order)
      : m_queue(queue), m_theirs(theirs), m_operation(std::move(operation)), n(order),
        m_count(std::size_t(order) * order), m_from(sycl::range<1>(m_count)), m_a(m_from.get_range()),
        m_u(m_from.get_range()), m_v(m_from.get_range()), m_line(sycl::range<1>(order)),
        m_pivots(sycl::range<1>(order)), m_info(sycl::range<1>(1)), m_values(sycl::range<1>(order)),
        m_vectors(m_from.get_range()), h(m_count), hu(m_count), hv(m_count), w(order), wi(order),
        integers(16 * order) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> any(-1, 1);
    const sycl::host_accessor all(m_from, sycl::write_only);
    for (std::size_t i = 0; i < m_count; ++i) h[i] = all[i] = any(random);
    if (m_operation == "potrf")
      for (int i = 0; i < n; ++i) h[std::size_t(i) * (n + 1)] = all[std::size_t(i) * (n + 1)] += 2 * n;
    m_start = h;
    work.resize(1);
    const int ask = -1;
    if (m_operation != "getrf" && m_operation != "potrf") call_theirs(&ask);
    size = std::max(1, int(work[0]));
    work.resize(std::size_t(size));
  }
  void reset() {
    h = m_start;
    m_queue.submit([&](sycl::handler& g) {
      g.copy(sycl::accessor(m_from, g, sycl::read_only),
             sycl::accessor(m_a, g, sycl::write_only, sycl::no_init));
    });
    m_queue.wait();
  }
  void ours() {
    const auto a = prism::column_major(m_a, n, n);
    const auto info = prism::view_of(m_info);
    if (m_operation == "getrf") la::lu(m_queue, a, prism::view_of(m_pivots), info);
    else if (m_operation == "potrf") la::cholesky(m_queue, la::uplo::lower, a, info);
    else if (m_operation == "geqrf") la::qr(m_queue, a, prism::view_of(m_line));
    else if (m_operation == "heev")
      la::eigh(m_queue, la::uplo::lower, a, prism::view_of(m_line), prism::column_major(m_v, n, n), info);
    else if (m_operation == "geev")
      la::eig(m_queue, a, prism::view_of(m_values), prism::column_major(m_vectors, n, n), info);
    else
      la::svd(m_queue, a, prism::view_of(m_line), prism::column_major(m_u, n, n),
              prism::column_major(m_v, n, n), info);
    m_queue.wait();
  }
  void theirs() { call_theirs(&size); }

private:
  void call_theirs(const int* lwork) {
    int info = 0;
    const int whole = int(integers.size());
    const int* const order = &n;
    double *const a = h.data(), *const of_work = work.data();
    if (m_operation == "getrf") m_theirs.call("dgetrf_", order, order, a, order, integers.data(), &info);
    else if (m_operation == "potrf") m_theirs.call("dpotrf_", "L", order, a, order, &info, std::size_t(1));
    else if (m_operation == "geqrf")
      m_theirs.call("dgeqrf_", order, order, a, order, w.data(), of_work, lwork, &info);
    else if (m_operation == "heev")
      m_theirs.call("dsyevd_", "V", "L", order, a, order, w.data(), of_work, lwork, integers.data(), &whole,
                    &info, std::size_t(1), std::size_t(1));
    else if (m_operation == "geev")
      m_theirs.call("dgeev_", "N", "V", order, a, order, w.data(), wi.data(), hu.data(), order, hv.data(),
                    order, of_work, lwork, &info, std::size_t(1), std::size_t(1));
    else
      m_theirs.call("dgesdd_", "S", order, order, a, order, w.data(), hu.data(), order, hv.data(), order,
                    of_work, lwork, integers.data(), &info, std::size_t(1));
  }

  sycl::queue& m_queue;
  const lapack& m_theirs;
  std::string m_operation;
  int n, size = 1;
  std::size_t m_count;
  sycl::buffer<double, 1> m_from, m_a, m_u, m_v, m_line;
  index_buffer m_pivots, m_info;
  sycl::buffer<std::complex<double>, 1> m_values, m_vectors;
  std::vector<double> m_start, h, hu, hv, w, wi, work;
  std::vector<int> integers;
};

void add_decomposition(report& out, const options& how, sycl::queue& queue, const lapack& theirs,
                       const std::string& operation, int n, const std::string& provider, goal wanted) {
  prism::blas::pin(operation, provider);
  decomposition one(queue, theirs, operation, n);
  one.reset(), one.ours(), one.theirs();
  const auto ours = [&] {
    one.reset();
    return timed([&] { one.ours(); });
  };
  const auto library = [&] {
    one.reset();
    return timed([&] { one.theirs(); });
  };
  out.add({"linalg", operation + " double " + std::to_string(n), label(queue.get_device()),
           provider == "prism" ? "own code" : "provider " + provider, "OpenBLAS's LAPACK",
           alternate(how.rounds, ours, library), wanted});
  prism::blas::pin(operation, "");
}

/// Systems of n equations with one right side each.
void add_batch(report& out, const options& how, sycl::queue& queue, const lapack& theirs, int n,
               goal wanted) {
  constexpr std::size_t count = 10'000;
  const auto order = std::size_t(n);
  sycl::buffer<double, 1> a{sycl::range<1>(count * order * order)}, b{sycl::range<1>(count * order)};
  index_buffer info{sycl::range<1>(count)};
  std::vector<double> start(count * order * order), factors, right(count * order, 1);
  for (std::size_t i = 0; i < start.size(); ++i)
    start[i] = double(i * 7919 % 101) / 50 - 1 + (i % (order * order) % (order + 1) == 0 ? 2.0 * n : 0.0);
  {
    const sycl::host_accessor of_a(a, sycl::write_only), of_b(b, sycl::write_only);
    std::copy(start.begin(), start.end(), of_a.begin());
    std::fill(of_b.begin(), of_b.end(), 1.0);
  }
  const auto stride = std::ptrdiff_t(order * order);
  const auto ours = [&] {
    la::solve(queue, prism::buffer_batch_view<double>(prism::column_major(a, order, order), count, stride),
              prism::buffer_batch_view<double>(prism::column_major(b, order, 1), count, n),
              prism::view_of(info));
    queue.wait();
  };
  const auto library = [&] {
    std::vector<int> pivots(order);
    const int one = 1;
    int state = 0;
    for (std::size_t i = 0; i < count; ++i)
      theirs.call("dgesv_", static_cast<const int*>(&n), &one, factors.data() + i * order * order,
                  static_cast<const int*>(&n), pivots.data(), right.data() + i * order,
                  static_cast<const int*>(&n), &state);
  };
  factors = start;
  ours(), library();
  out.add({"linalg", "10,000 systems of " + std::to_string(n) + ", double", label(queue.get_device()),
           "own code", "a loop of OpenBLAS's gesv",
           alternate(how.rounds, [&] { return timed(ours); },
                     [&] {
    factors = start;
    return timed(library);
  }),
           wanted});
}

} // namespace

void measure_linalg(report& out, const options& how, const sycl::device& device) try {
  sycl::queue queue{device, sycl::property::queue::in_order()};
  if (!device.has(sycl::aspect::fp64))
    return out.skip("linalg", label(device), "the device has no double precision");
  const lapack theirs;
  if (!theirs.library || !::dlsym(theirs.library, "dgesdd_"))
    return out.skip("linalg", label(device), "libopenblas.so.0 is not installed, or has no LAPACK");
  const bool is_host = device.get_backend() == sycl::backend::ext_prism_host;
  const goal by_provider{goal::kind::ratio, 1 / 0.9}, own{goal::kind::ratio, 1 / 0.6};
  std::vector<int> sizes{512, 1024};
  if (!how.quick) sizes.push_back(2048);
  for (const char* const operation : {"getrf", "potrf", "geqrf"})
    for (const int n : sizes) {
      if (is_host) add_decomposition(out, how, queue, theirs, operation, n, "openblas", by_provider);
      add_decomposition(out, how, queue, theirs, operation, n, "prism",
                        is_host && std::string(operation) != "geqrf" ? own : goal{});
    }
  for (const char* const operation : {"heev", "geev", "gesvd"}) {
    if (is_host) add_decomposition(out, how, queue, theirs, operation, 512, "openblas", by_provider);
    if (is_host) add_decomposition(out, how, queue, theirs, operation, 256, "prism", {});
  }
  for (const int n : {4, 8, 16, 32})
    add_batch(out, how, queue, theirs, n, is_host ? goal{goal::kind::ratio, 0.5} : goal{});
} catch (const std::exception& error) {
  out.skip("linalg", label(device), error.what(), true);
}

} // namespace bench
