// Standard algorithms with std::execution::par_unseq on one device, compiled by prism++ --stdpar, against the
// same calls with std::execution::par, which libstdc++ runs on the host's threads by oneTBB. Alternating
// runs; prints, for each size, the median of the ratios and their quartiles. Below 1 the device is faster.
// `./prism bench --stdpar` runs it on each device.
#include "bench/measure.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <execution>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace {

constexpr int rounds = 15;

void row(const char* name, const std::function<void()>& prepare, const std::function<void()>& ours,
         const std::function<void()>& theirs) {
  const auto measured = [&](const std::function<void()>& work) {
    return [&] {
      prepare();
      return bench::timed(work);
    };
  };
  const bench::series all = bench::alternate(rounds, measured(ours), measured(theirs));
  std::vector<double> ratios, own;
  for (std::size_t i = 0; i < all.ours.size(); ++i) {
    ratios.push_back(all.ours[i].wall / all.theirs[i].wall);
    own.push_back(all.ours[i].wall * 1e3);
  }
  const bench::spread ratio = bench::spread_of(ratios);
  std::printf("  %-34s %6.2f [%.2f-%.2f]  %10.3f ms\n", name, ratio.median, ratio.low, ratio.high,
              bench::spread_of(own).median);
}

void rows(std::size_t n) {
  using std::execution::par;
  using std::execution::par_unseq;
  std::vector<float> x(n, 1.f), y(n, 2.f), z(n), mixed(n);
  for (std::size_t i = 0; i < n; ++i) mixed[i] = float(i * 2654435761u % 1'000'003);
  volatile double kept = 0;
  const auto nothing = [] {};
  const auto restore = [&] { z = mixed; };
  const auto axpy = [](float a, float b) { return 3 * a + b; };
  const auto is_large = [](float v) { return v > 500'000; };
  const auto descending = [](float a, float b) { return a > b; };
  const auto each = [&](const char* name, const std::function<void()>& prepare, auto call) {
    row(name, prepare, [&] { call(par_unseq); }, [&] { call(par); });
  };
  std::printf("%zu floats\n", n);
  each("transform, two inputs", nothing,
       [&](const auto& on) { std::transform(on, x.begin(), x.end(), y.begin(), z.begin(), axpy); });
  each("transform_reduce", nothing,
       [&](const auto& on) { kept = kept + std::transform_reduce(on, x.begin(), x.end(), y.begin(), 0.f); });
  each("inclusive_scan", nothing,
       [&](const auto& on) { std::inclusive_scan(on, x.begin(), x.end(), z.begin()); });
  each("sort", restore, [&](const auto& on) { std::sort(on, z.begin(), z.end()); });
  each("sort by a comparison of one's own", restore,
       [&](const auto& on) { std::sort(on, z.begin(), z.end(), descending); });
  each("count_if", nothing, [&](const auto& on) {
    kept = kept + double(std::count_if(on, mixed.begin(), mixed.end(), is_large));
  });
  each("min_element", nothing,
       [&](const auto& on) { kept = kept + *std::min_element(on, mixed.begin(), mixed.end()); });
  each("copy_if", nothing,
       [&](const auto& on) { std::copy_if(on, mixed.begin(), mixed.end(), z.begin(), is_large); });
}

} // namespace

int main() {
  try {
    const sycl::device device = prism::stdpar::queue().get_device();
    std::printf("%s: par_unseq / par\n", device.get_info<sycl::info::device::name>().c_str());
    for (const std::size_t n : {1'000u, 100'000u, 10'000'000u}) rows(n);
  } catch (const std::exception& problem) {
    std::printf("not measured: %s\n", problem.what());
    return 1;
  }
}
