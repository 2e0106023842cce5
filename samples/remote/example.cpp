// Programs for the remote device. check: compares buffers, USM, local memory with barriers, sub-groups,
// specialisation constants and errors with the expected results. endless: runs kernels until an error occurs,
// and prints it. slow: runs kernels, each twice as long, until one took a second.
#include <sycl/sycl.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

constexpr sycl::specialization_id<int> factor{3};

namespace {

int wrong = 0;
void expect(bool right, const char* what) {
  if (right) return;
  std::printf("WRONG: %s\n", what);
  ++wrong;
}

void buffers(sycl::queue& q) {
  std::vector<int> data(1 << 16);
  std::iota(data.begin(), data.end(), 0);
  {
    sycl::buffer<int, 2> b(data.data(), {256, 256});
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_write);
      h.parallel_for(b.get_range(), [=](sycl::id<2> i) { a[i] = a[i] * 2 + static_cast<int>(i[1]); });
    });
    q.submit([&](sycl::handler& h) { // copies back only a box in the middle
      sycl::accessor a(b, h, sycl::range<2>(10, 20), sycl::id<2>(100, 50), sycl::read_write);
      h.fill(a, -1);
    });
  }
  bool right = true;
  for (int i = 0; i < 1 << 16; ++i) {
    const int row = i / 256, column = i % 256;
    const bool inside = row >= 100 && row < 110 && column >= 50 && column < 70;
    right &= data[static_cast<std::size_t>(i)] == (inside ? -1 : 2 * i + column);
  }
  expect(right, "buffers");
}

void groups(sycl::queue& q) {
  constexpr std::size_t n = 1 << 14;
  int* in = sycl::malloc_device<int>(n, q);
  int* out = sycl::malloc_device<int>(n / 64, q);
  int* lanes = sycl::malloc_device<int>(n / 64, q);
  std::vector<int> host(n, 1), sums(n / 64), widths(n / 64);
  q.copy(host.data(), in, n).wait();
  q.submit([&](sycl::handler& h) {
    sycl::local_accessor<int> local(64, h);
    h.parallel_for(sycl::nd_range<1>(n, 64), [=](sycl::nd_item<1> it) {
      const auto l = it.get_local_id(0);
      local[l] = in[it.get_global_id(0)] * static_cast<int>(l);
      for (std::size_t half = 32; half != 0; half /= 2) {
        sycl::group_barrier(it.get_group());
        if (l < half) local[l] += local[l + half];
      }
      const int together = sycl::reduce_over_group(it.get_sub_group(), 1, sycl::plus<>());
      if (l == 0) out[it.get_group(0)] = local[0], lanes[it.get_group(0)] = together;
    });
  }).wait();
  q.copy(out, sums.data(), sums.size()).wait();
  q.copy(lanes, widths.data(), widths.size()).wait();
  bool right = true;
  for (std::size_t g = 0; g < sums.size(); ++g) right &= sums[g] == 63 * 32 && widths[g] == 32;
  expect(right, "work-groups with local memory and sub-groups");
  sycl::free(in, q), sycl::free(out, q), sycl::free(lanes, q);
}

void constants(sycl::queue& q) {
  int result = 0;
  {
    sycl::buffer<int> b(&result, 1);
    q.submit([&](sycl::handler& h) {
      h.set_specialization_constant<factor>(14);
      sycl::accessor a(b, h, sycl::write_only);
      h.single_task([=](sycl::kernel_handler k) { a[0] = 3 * k.get_specialization_constant<factor>(); });
    });
  }
  expect(result == 42, "specialisation constants");
}

/// Writes what was just read: tests the order within one queue.
void back_and_forth(sycl::queue& q) {
  std::vector<int> host(100000, 5);
  int* a = sycl::malloc_device<int>(host.size(), q);
  for (int i = 0; i < 20; ++i) {
    q.copy(host.data(), a, host.size());
    q.parallel_for(host.size(), [=](sycl::id<1> at) { a[at] += static_cast<int>(at[0] & 1) + 1; });
    q.copy(a, host.data(), host.size());
  }
  q.wait();
  expect(host[0] == 25 && host[1] == 45 && host[99999] == 45, "alternating reads and writes");
  sycl::free(a, q);
}

int check(sycl::queue& q) {
  buffers(q);
  groups(q);
  constants(q);
  back_and_forth(q);
  std::printf("%s\n", wrong == 0 ? "ALL RIGHT" : "FAILED");
  return wrong;
}

int endless(sycl::queue& q) {
  int* a = sycl::malloc_device<int>(1 << 20, q);
  std::printf("running\n");
  std::fflush(stdout);
  for (;;) q.parallel_for(1 << 20, [=](sycl::id<1> i) { a[i] += 1; }).wait_and_throw();
}

int slow(sycl::queue& q) {
  unsigned* a = sycl::malloc_device<unsigned>(64, q);
  std::chrono::duration<double, std::milli> time{};
  for (long count = 1 << 22; time.count() < 1000; count *= 2) {
    const auto begin = std::chrono::steady_clock::now();
    q.parallel_for(64, [=](sycl::id<1> i) {
      unsigned x = static_cast<unsigned>(i[0]) + 1;
      for (long n = 0; n < count; ++n) x = x * 1664525u + 1013904223u;
      a[i] = x;
    }).wait_and_throw();
    time = std::chrono::steady_clock::now() - begin;
  }
  std::printf("done after %.0f ms\n", time.count());
  return 0;
}

} // namespace

[[noreturn]] void give_up(const std::exception& e) {
  std::printf("error: %s\n", e.what());
  std::fflush(stdout);
  std::_Exit(3);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "check";
  try {
    sycl::queue q{[](const sycl::exception_list& all) {
      for (const std::exception_ptr& each : all) try {
          std::rethrow_exception(each);
        } catch (const std::exception& e) {
          give_up(e);
        }
    }, sycl::property::queue::in_order()};
    if (q.get_device().get_platform().get_info<sycl::info::platform::name>() != "PRISM remote") {
      std::fprintf(stderr,
                   "set PRISM_BACKEND_PATH to the folder of remote.so, PRISM_DEVICE_SELECTOR=remote and "
                   "PRISM_REMOTE=spawn\n");
      return 1;
    }
    return std::strcmp(what, "endless") == 0 ? endless(q)
           : std::strcmp(what, "slow") == 0  ? slow(q)
                                             : check(q);
  } catch (const sycl::exception& e) {
    give_up(e);
  }
}
