// Small kernels of known cost. Each figure is the best of several runs, since other programs can only make a
// run slower.
#include "kernels/trials/measure.hpp"

#include <prism/tuner.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

namespace prism::trials {

namespace {

constexpr int repetitions = 7;
constexpr std::size_t chains = 8,
                      rounds = 256; // independent multiply-adds of a work-item, and their repetitions

double launch_seconds(sycl::queue& queue) {
  sycl::buffer<float> cell{sycl::range<1>(1)};
  const auto one = [&](sycl::queue& q) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor out(cell, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::range<1>(1), [=](sycl::id<1> i) { out[i] = 1; });
    });
  };
  return time_of(queue, one, 40).count();
}

/// Seconds that the first run of a kernel takes more than later runs, which is the time to build it. Empty if
/// a cache contained the kernel.
std::optional<double> build_seconds(sycl::queue& queue) {
  sycl::buffer<float> cells{sycl::range<1>(64)};
  double first = 0, least = 0;
  for (int i = 0; i < repetitions; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    queue
        .submit([&](sycl::handler& h) {
      sycl::accessor all(cells, h, sycl::read_write);
      h.parallel_for(sycl::range<1>(64), [=](sycl::id<1> at) {
        float sum = all[at];
        for (std::size_t k = 0; k < at[0]; ++k) sum = sycl::sqrt(sum * sum + all[k]);
        all[at] = sum;
      });
    }).wait_and_throw();
    const double took = seconds(std::chrono::steady_clock::now() - begin).count();
    i == 0 ? first = least = took : least = std::min(least, took);
  }
  constexpr double shortest = 1e-3; // a compiler takes longer
  return first - least < shortest ? std::nullopt : std::optional(first - least);
}

/// Seconds for a byte of "a = s a + b" over `bytes` in total, without the launch.
double memory_seconds(sycl::queue& queue, std::size_t bytes, double launch) {
  const std::size_t n = bytes / 2 / sizeof(float);
  sycl::buffer<float> first{sycl::range<1>(n)}, second{sycl::range<1>(n)};
  for (sycl::buffer<float>* b : {&first, &second})
    queue.submit(
        [&](sycl::handler& h) { h.fill(sycl::accessor(*b, h, sycl::write_only, sycl::no_init), 0.5f); });
  const auto once = [&](sycl::queue& q) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(first, h, sycl::read_write);
      sycl::accessor b(second, h, sycl::read_only);
      h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { a[i] = 0.5f * a[i] + b[i]; });
    });
  };
  const double took = time_of(queue, once, repetitions).count();
  return std::max(took - launch, took / 10) / (3.0 * double(n) * sizeof(float));
}

template <typename T>
double operations_a_second(sycl::queue& queue, double launch) {
  constexpr std::size_t items = 1 << 14;
  sycl::buffer<T> result{sycl::range<1>(items)};
  const auto once = [&](sycl::queue& q) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor out(result, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::range<1>(items), [=](sycl::id<1> i) {
        T values[chains];
        for (std::size_t c = 0; c < chains; ++c) values[c] = T(i[0] % 7 + c);
        const T by = T(i[0] % 3 + 1);
        for (std::size_t r = 0; r < rounds; ++r) {
#pragma unroll
          for (std::size_t c = 0; c < chains; ++c) values[c] = values[c] * by + T(1);
        }
        T sum = 0;
        for (std::size_t c = 0; c < chains; ++c) sum += values[c];
        out[i] = sum;
      });
    });
  };
  const double took = time_of(queue, once, repetitions).count();
  return 2.0 * chains * rounds * items / std::max(took - launch, took / 10);
}

/// Gigabytes per second from host memory into a buffer.
double transfer_gbps(sycl::queue& queue) {
  const std::vector<float> from(1 << 22, 1.0f);
  sycl::buffer<float> to{sycl::range<1>(from.size())};
  const auto once = [&](sycl::queue& q) {
    q.submit([&](sycl::handler& h) {
      h.copy(from.data(), sycl::accessor(to, h, sycl::write_only, sycl::no_init));
    });
  };
  return double(from.size() * sizeof(float)) / time_of(queue, once, repetitions).count() / 1e9;
}

/// Rounds to two digits; more are not reproducible.
double rounded(double value) {
  double scale = 1;
  while (value * scale < 100) scale *= 10;
  while (value * scale >= 1000) scale /= 10;
  return std::round(value * scale) / scale;
}

} // namespace

device_description measure_rates(const sycl::device& device) {
  sycl::queue queue(device);
  device_description d = describe(device);
  const double launch = launch_seconds(queue);
  d.launch_latency_us = rounded(launch * 1e6);
  const std::optional<double> build = d.build_ms > 0 ? build_seconds(queue) : std::nullopt;
  if (build) d.build_ms = rounded(*build * 1e3);
  const std::uint64_t whole = device.get_info<sycl::info::device::global_mem_size>();
  d.memory_hierarchy.clear();
  for (const std::uint64_t bytes : {std::uint64_t(1) << 18, std::uint64_t(1) << 20, std::uint64_t(1) << 23})
    if (bytes < whole / 4)
      d.memory_hierarchy.push_back({std::to_string(bytes >> 10) + " KiB", bytes,
                                    rounded(1e-9 / memory_seconds(queue, bytes, launch))});
  const std::uint64_t far = std::min<std::uint64_t>(std::uint64_t(1) << 27, whole / 4);
  d.memory_hierarchy.push_back({"global", whole, rounded(1e-9 / memory_seconds(queue, far, launch))});
  const double int32_before = d.peak_gflops["int32"];
  d.peak_gflops["fp32"] = rounded(operations_a_second<float>(queue, launch) / 1e9);
  d.peak_gflops["int32"] = rounded(operations_a_second<std::uint32_t>(queue, launch) / 1e9);
  if (device.has(sycl::aspect::fp64))
    d.peak_gflops["fp64"] = rounded(operations_a_second<double>(queue, launch) / 1e9);
  const bool guessed_build = d.build_ms > 0 && !build;
  d.estimated.clear();
  if (guessed_build) d.estimated.push_back("build_ms");
  for (auto& [type, rate] : d.peak_gflops)
    if (type != "fp32" && type != "fp64" && type != "int32") {
      if (int32_before > 0) rate = rounded(rate * d.peak_gflops["int32"] / int32_before);
      d.estimated.push_back("peak_gflops." + type);
    }
  if (d.transfer_gbps > 0) d.transfer_gbps = rounded(transfer_gbps(queue));
  if (build) d.sources["build_ms"] = "measured on this device";
  for (const char* figure : {"peak_gflops", "memory_hierarchy", "launch_latency_us", "transfer_gbps"})
    d.sources[figure] = "measured on this device";
  return d;
}

} // namespace prism::trials
