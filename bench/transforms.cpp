// <prism/fft.hpp>, own kernels, against FFTW with plans that it measures, as many threads on both sides. FFTW
// is under the GPL: it is loaded where it is installed, and nothing links it.
#include "bench/fftw.hpp"
#include "bench/operands.hpp"
#include "bench/rows.hpp"

#include <prism/fft.hpp>

#include <cmath>

namespace bench {
namespace {

template <typename T, typename Element>
prism::fft::grid_view<Element> grid_of(const transform& of, Element* data, bool halved) {
  prism::fft::grid_view<Element> out(data);
  out.rank = int(of.extents.size());
  std::ptrdiff_t apart = 1;
  for (std::size_t d = of.extents.size(); d-- > 0;) {
    const auto n = std::size_t(of.extents[d]);
    out.extent[d] = halved && d + 1 == of.extents.size() ? n / 2 + 1 : n;
    out.stride[d] = apart, apart *= std::ptrdiff_t(out.extent[d]);
  }
  return out.batched(std::size_t(of.count), apart);
}

template <typename T>
void add_transform(report& out, const options& how, sycl::queue& queue, const fftw<T>& theirs,
                   const transform& of) {
  using value = std::complex<T>;
  const std::string text = of.text(sizeof(T) == 4 ? "float" : "double");
  const std::size_t reals = of.points() * std::size_t(of.count) * (of.is_real ? 1 : 2),
                    results = of.results() * std::size_t(of.count);
  std::vector<T> in(reals);
  std::vector<value> found(results), expected(results);
  std::vector<T> other(reals);
  const auto library = theirs.prepared(of, other.data(), expected.data()); // FFTW's measurements write both
  if (!library) return out.skip("operations", label(queue.get_device()), text + ": FFTW has no plan");
  for (std::size_t i = 0; i < reals; ++i) in[i] = other[i] = T(int(i * 7919 % 1013) - 506) / T(506);
  const device_array<T> x(queue, in);
  const device_array<value> y(queue, results);
  const auto to = grid_of<T>(of, y.data(), of.is_real);
  const std::size_t calls = calls_of(double(reals) * 2e-9);
  const auto run = [&](const auto& from) {
    const prism::fft::plan plan(queue, prism::fft::direction::forward, from, to);
    const auto ours = [&] {
      for (std::size_t i = 0; i < calls; ++i) plan(queue, from, to).wait();
    };
    const auto reference = [&] {
      for (std::size_t i = 0; i < calls; ++i) library();
    };
    ours(), reference();
    queue.copy(y.data(), found.data(), results).wait();
    double apart = 0, size = 0;
    for (std::size_t i = 0; i < results; ++i)
      apart += std::norm(found[i] - expected[i]), size += std::norm(expected[i]);
    if (!(apart <= 1e-10 * size))
      return out.skip("operations", label(queue.get_device()), text + " is wrong", true);
    const bool is_host = queue.get_device().get_backend() == sycl::backend::ext_prism_host;
    out.add({"operations", text, label(queue.get_device()), "own kernels", "FFTW",
             alternate(how.rounds, [&] { return timed_each(calls, ours); },
                       [&] { return timed_each(calls, reference); }),
             is_host ? goal{goal::kind::ratio, of.is_prime ? 1 / 0.4 : 1 / 0.7} : goal{}});
  };
  if (of.is_real) run(grid_of<T>(of, x.data(), false));
  else run(grid_of<T>(of, reinterpret_cast<value*>(x.data()), false));
}

template <typename T>
void add_transforms(report& out, const options& how, sycl::queue& queue, const std::vector<transform>& all) {
  const unsigned threads = queue.get_device().get_info<sycl::info::device::max_compute_units>();
  const fftw<T> theirs(threads);
  if (!theirs.is_there)
    return out.skip("operations", label(queue.get_device()),
                    "libfftw3 and its threads are not installed: no transforms");
  for (const transform& each : all) add_transform<T>(out, how, queue, theirs, each);
}

} // namespace

void measure_transforms(report& out, const options& how, const sycl::device& device) try {
  sycl::queue queue{device, sycl::property::queue::in_order()};
  const pinned own("fft", "prism");
  add_transforms<float>(out, how, queue,
                        {{{1024}, 1},
                         {{1024}, 128},
                         {{1000}, 128},
                         {{1 << 16}, 1},
                         {{1 << 20}, 1},
                         {{10'007}, 1, false, true},
                         {{512, 512}, 1},
                         {{64, 64, 64}, 1},
                         {{1024}, 128, true},
                         {{1 << 16}, 1, true},
                         {{512, 512}, 1, true}});
  if (device.has(sycl::aspect::fp64))
    add_transforms<double>(out, how, queue, {{{1024}, 128}, {{1 << 16}, 1}, {{512, 512}, 1}});
} catch (const std::exception& error) {
  out.skip("operations", label(device), error.what(), true);
}

} // namespace bench
