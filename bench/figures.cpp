// prism-figures: bandwidths, arithmetic rate and the cost of a launch on the first device that
// PRISM_DEVICE_SELECTOR allows, as one line of JSON: {"figures": [{"name": …, "value": …, "unit": …}]}. Exit
// status: 0, 1 if a result was wrong or a command failed, or 2 for an argument it does not know. The hardware
// report runs it; a figure is the best of several runs, because other work only makes a run slower. --small:
// sizes for a test, whose figures say nothing about the device.
#include "bench/checked_queue.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace {

double seconds_of(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double best_of(int runs, const auto& work) {
  double best = seconds_of(work);
  for (int i = 1; i < runs; ++i) best = std::min(best, seconds_of(work));
  return best;
}

class figures {
public:
  void add(const char* name, double value, const char* unit) {
    char text[160];
    std::snprintf(text, sizeof text, "{\"name\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"}", name, value,
                  unit);
    m_all += (m_all.empty() ? "" : ", ") + std::string(text);
  }
  void print() const { std::printf("{\"figures\": [%s]}\n", m_all.c_str()); }

private:
  std::string m_all;
};

/// McCalpin's triad, three arrays of `count` numbers. Throws if a result is wrong.
void measure_memory(bench::checked_queue& queue, std::size_t count, figures& out) {
  const std::size_t bytes = count * sizeof(float);
  float* a = sycl::malloc_device<float>(count, queue);
  float* b = sycl::malloc_device<float>(count, queue);
  float* c = sycl::malloc_device<float>(count, queue);
  if (!a || !b || !c)
    throw std::runtime_error("the device gives no memory of " + std::to_string(3 * bytes) + " bytes");
  queue.fill(b, 1.0f, count);
  queue.fill(c, 2.0f, count);
  queue.wait_and_throw();
  const double triad = best_of(10, [&] {
    queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { a[i] = b[i] + 3.0f * c[i]; }).wait();
  });
  queue.wait_and_throw();
  out.add("triad, floats", 3e-9 * double(bytes) / triad, "GB/s");
  const double copied = best_of(10, [&] { queue.memcpy(b, a, bytes).wait(); });
  out.add("copy on the device, bytes read and written", 2e-9 * double(bytes) / copied, "GB/s");

  const bool has_host =
      queue.get_device().has(sycl::aspect::usm_host_allocations); // NVIDIA's OpenCL has none
  float* host = has_host ? sycl::malloc_host<float>(count, queue) : nullptr;
  std::vector<float> ordinary(host ? 0 : count);
  float* other = host ? host : ordinary.data();
  const double down = best_of(5, [&] { queue.memcpy(other, b, bytes).wait(); });
  out.add(host ? "copy to host memory of the driver" : "copy to the host", 1e-9 * double(bytes) / down,
          "GB/s");
  const double up = best_of(5, [&] { queue.memcpy(c, other, bytes).wait(); });
  out.add(host ? "copy from host memory of the driver" : "copy from the host", 1e-9 * double(bytes) / up,
          "GB/s");
  queue.wait_and_throw();
  const bool is_right = std::all_of(other, other + count, [](float x) { return x == 7.0f; });
  for (float* memory : {a, b, c, host})
    if (memory) sycl::free(memory, queue);
  if (!is_right) throw std::runtime_error("the triad's result is wrong");
}

/// Eight independent chains of multiply-adds a work-item.
void measure_arithmetic(bench::checked_queue& queue, std::size_t items, int steps, figures& out) {
  float* sums = sycl::malloc_device<float>(items, queue);
  if (!sums) throw std::runtime_error("the device gives no memory");
  const auto work = [&] {
    queue
        .parallel_for(sycl::range<1>(items), [=](sycl::id<1> i) {
      float chain[8];
      for (int k = 0; k < 8; ++k) chain[k] = float(k) + float(i[0]) * 1e-9f;
      for (int step = 0; step < steps; ++step)
        for (int k = 0; k < 8; ++k) chain[k] = sycl::fma(chain[k], 0.999f, 0.001f);
      float sum = 0;
      for (int k = 0; k < 8; ++k) sum += chain[k];
      sums[i] = sum;
    }).wait();
  };
  const double time = best_of(5, work);
  queue.wait_and_throw();
  out.add("multiply-adds, floats", 2e-9 * 8 * double(items) * steps / time, "GFLOP/s");
  sycl::free(sums, queue);
}

void measure_launches(bench::checked_queue& queue, int launches, figures& out) {
  int* counter = sycl::malloc_device<int>(1, queue);
  if (!counter) throw std::runtime_error("the device gives no memory");
  queue.fill(counter, 0, 1);
  queue.wait_and_throw();
  const auto launch = [&] { return queue.single_task([=] { ++*counter; }); };
  launch().wait();
  std::vector<double> times;
  for (int i = 0; i < launches; ++i) times.push_back(seconds_of([&] { launch().wait(); }));
  std::nth_element(times.begin(), times.begin() + launches / 2, times.end());
  out.add("launch and wait, median", 1e6 * times[launches / 2], "us");
  const double many = seconds_of([&] {
    for (int i = 0; i < launches; ++i) launch();
    queue.wait();
  });
  out.add("launch among many", 1e6 * many / launches, "us");
  int found = 0;
  queue.memcpy(&found, counter, sizeof found);
  queue.wait_and_throw();
  sycl::free(counter, queue);
  if (found != 1 + 2 * launches) throw std::runtime_error("launches were lost or ran at the same time");
}

} // namespace

int main(int count, char** words) try {
  const bool is_small = count == 2 && words[1] == std::string("--small");
  if (count > 1 && !is_small) {
    std::fprintf(stderr, "usage: prism-figures [--small]\n");
    return 2;
  }
  const sycl::device device;
  bench::checked_queue queue(device);
  std::printf("device: %s, %s\n", device.get_platform().get_info<sycl::info::platform::name>().c_str(),
              device.get_info<sycl::info::device::name>().c_str());
  const bool is_gpu = device.is_gpu();
  const std::size_t most = device.get_info<sycl::info::device::global_mem_size>() / 32;
  const std::size_t bytes = is_small ? 1 << 16 : is_gpu ? 256 << 20 : 64 << 20;
  figures out;
  measure_memory(queue, std::min(bytes, most) / sizeof(float), out);
  measure_arithmetic(queue, is_small ? 1 << 8 : is_gpu ? 1 << 20 : 1 << 16, is_gpu ? 1024 : 512, out);
  measure_launches(queue, is_small ? 10 : 300, out);
  out.print();
  return 0;
} catch (const std::exception& error) {
  std::printf("prism-figures: %s\n", error.what());
  return 1;
}
