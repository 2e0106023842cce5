// <prism/blas.hpp>: batches of small products against a loop of OpenBLAS's calls and against LIBXSMM, and the
// choice between implementations against the fastest of them.
#include "bench/operands.hpp"
#include "bench/rows.hpp"

#include <prism/blas.hpp>

#include <dlfcn.h>

namespace bench {
namespace {

using sgemm_call = void(int, int, int, int, int, int, float, const float*, int, const float*, int, float,
                        float*, int);

bool has_provider(const std::string& name) {
  const auto all = prism::blas::implementations();
  return std::any_of(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
}

/// Ten thousand products of n x n matrices.
void add_batch(report& out, const options& how, sycl::queue& queue, sgemm_call* theirs, int n) {
  constexpr std::size_t count = 10'000;
  const std::size_t size = std::size_t(n) * std::size_t(n);
  const device_array<float> a(queue, count * size), b(queue, count * size), c(queue, count * size);
  const std::vector<float> ha(count * size, 1), hb(count * size, 1);
  std::vector<float> hc(count * size);
  const auto batch = [&](const device_array<float>& of) {
    return prism::batch_view<float>(prism::row_major(of.data(), std::size_t(n), std::size_t(n)), count,
                                    std::ptrdiff_t(size));
  };
  const auto by = [&](const char* provider) {
    return [&, provider] {
      const prism::blas::scoped_provider pinned(provider);
      prism::blas::gemm(queue, 1, batch(a), batch(b), 0, batch(c)).wait();
    };
  };
  const auto loop = [&] {
    for (std::size_t i = 0; i < count; ++i)
      theirs(101, 111, 111, n, n, n, 1, ha.data() + i * size, n, hb.data() + i * size, n, 0,
             hc.data() + i * size, n);
  };
  const std::string text = "10,000 products of float " + std::to_string(n),
                    device = label(queue.get_device());
  const auto add = [&](const std::string& name, const char* ours, const auto& run, const char* other,
                       const auto& reference, double goal_of_speed) {
    run(), reference();
    std::vector<float> found(count * size);
    queue.copy(c.data(), found.data(), found.size()).wait();
    if (std::any_of(found.begin(), found.end(), [&](float each) { return each != float(n); }))
      return out.skip("operations", device, name + " is wrong", true);
    out.add({"operations",
             name,
             device,
             ours,
             other,
             alternate(how.rounds, [&] { return timed(run); }, [&] { return timed(reference); }),
             {goal::kind::ratio, 1 / goal_of_speed}});
  };
  add(text, "own kernels", by("prism"), "a loop of OpenBLAS", loop, 2);
  if (queue.get_device().get_backend() != sycl::backend::ext_prism_host || !has_provider("libxsmm")) return;
  add(text + ", LIBXSMM", "provider libxsmm", by("libxsmm"), "a loop of OpenBLAS", loop, 2);
  add(text + ", own", "own kernels", by("prism"), "provider libxsmm", by("libxsmm"), 0.7);
}

/// A product by the chosen implementation against the one that is fastest in the same run.
void add_choice(report& out, const options& how, sycl::queue& queue, int n) {
  const auto size = std::size_t(n);
  const device_array<float> a(queue, size * size), b(queue, size * size), c(queue, size * size);
  const std::size_t calls = calls_of(2.0 * n * n * n / 1e11);
  const auto run = [&] {
    for (std::size_t i = 0; i < calls; ++i)
      prism::blas::gemm(queue, 1, prism::row_major(a.data(), size, size),
                        prism::row_major(b.data(), size, size), 0, prism::row_major(c.data(), size, size))
          .wait();
  };
  const auto by = [&](const std::string& provider) {
    const prism::blas::scoped_provider pinned(provider);
    run();
  };
  std::string fastest;
  double least = 0;
  for (const auto& each : prism::blas::implementations()) try {
      by(each.name);
      std::vector<double> spent;
      for (int i = 0; i < how.rounds; ++i) spent.push_back(timed([&] { by(each.name); }).wall);
      const double median = spread_of(spent).median;
      if (fastest.empty() || median < least) fastest = each.name, least = median;
    } catch (const sycl::exception&) { // it does not do products of this size here
    }
  run();
  const std::string chosen = prism::blas::last_choice(), name = chosen.substr(chosen.rfind(' ') + 1);
  out.add({"operations",
           "choice of gemm float " + std::to_string(n),
           label(queue.get_device()),
           "chosen: " + name,
           "fastest: " + fastest,
           alternate(how.rounds, [&] { return timed_each(calls, run); },
                     [&] { return timed_each(calls, [&] { by(fastest); }); }),
           {goal::kind::ratio, 1.05}});
}

} // namespace

void measure_batches(report& out, const options& how, const sycl::device& device) try {
  if (device.get_backend() == sycl::backend::ext_prism_vulkan) return; // its processor has no such reference
  sycl::queue queue{device, sycl::property::queue::in_order()};
  void* const library = ::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  const auto theirs = library ? reinterpret_cast<sgemm_call*>(::dlsym(library, "cblas_sgemm")) : nullptr;
  if (!theirs) return out.skip("operations", label(device), "libopenblas.so.0 is not installed: no batches");
  for (const int n : {4, 8, 16, 32}) add_batch(out, how, queue, theirs, n);
  if (device.get_backend() != sycl::backend::ext_prism_host) return;
  for (const int n : {4, 8, 16, 32, 64, 100, 128, 256, 512, 1024}) add_choice(out, how, queue, n);
} catch (const std::exception& error) {
  out.skip("operations", label(device), error.what(), true);
}

} // namespace bench
