// Kernels with known results for verify_test.py: each changes its memory from a known element on.
#include <prism/graph.hpp>
#include <sycl/sycl.hpp>

#include <iostream>
#include <numeric>
#include <string>
#include <vector>

class tail_of_a_buffer;
class fresh_buffer;
class floats_in_usm;
class chases;
class from_the_end;
class outside;
class grows_a_little;
class counts_globally;
class first_of_a_graph;
class second_of_a_graph;

static sycl::ext::oneapi::experimental::device_global<int> counter;

namespace {

constexpr std::size_t n = 100;

void buffers(sycl::queue& q) {
  std::vector<int> data(n, 5);
  sycl::buffer<int> b(data.data(), n);
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_write);
    h.parallel_for<tail_of_a_buffer>(n, [=](sycl::id<1> i) {
      if (i >= 37) a[i] += int(i[0]);
    });
  });
  sycl::buffer<float> made{sycl::range<1>(n)}; // half of it stays undefined
  q.submit([&](sycl::handler& h) {
    sycl::accessor from(b, h, sycl::read_only);
    sycl::accessor to(made, h, sycl::write_only, sycl::no_init);
    h.parallel_for<fresh_buffer>(n / 2, [=](sycl::id<1> i) { to[i * 2] = sycl::sin(float(from[i])); });
  });
  q.wait();
}

// Two accessors of disjoint halves, one of which the host holds meanwhile; and a kernel that writes beyond
// its buffer.
void parts(sycl::queue& q) {
  constexpr std::size_t half = 1024; // drivers require aligned sub-buffers
  std::vector<int> data(2 * half, 1);
  sycl::buffer<int> b(data.data(), 2 * half), left(b, 0, half), right(b, half, half);
  const sycl::host_accessor held(left, sycl::read_write);
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(right, h, sycl::read_write);
    h.parallel_for<from_the_end>(half, [=](sycl::id<1> i) { a[half - 1 - i] += int(i[0]); });
  }).wait();
}

void beyond(sycl::queue& q) {
  int* const p = sycl::malloc_device<int>(64, q);
  q.fill(p, 1, 64).wait();
  int* const end = p + 64;
  q.parallel_for<outside>(65, [=](sycl::id<1> i) { *(end - 1 - i) = 2; }).wait(); // one too many
  sycl::free(p, q);
}

/// Wrong by half a thousandth.
void slightly(sycl::queue& q) {
  std::vector<float> data(n, 8.f);
  sycl::buffer<float> b(data.data(), n);
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_write);
    h.parallel_for<grows_a_little>(n, [=](sycl::id<1> i) { a[i] *= 1.0005f; });
  });
}

void allocations(sycl::queue& q) {
  float* x = sycl::malloc_device<float>(n, q);
  float** stored = sycl::malloc_device<float*>(1, q);
  std::vector<float> start(n);
  std::iota(start.begin(), start.end(), 0.f);
  q.memcpy(x, start.data(), n * sizeof(float)).wait();
  q.parallel_for<floats_in_usm>(n - 12, [=](sycl::id<1> i) { x[i + 12] *= 2; }).wait();
  q.memcpy(stored, &x, sizeof x).wait();
  q.single_task<chases>([=] { stored[0][3] = 1; }).wait();
  q.memcpy(start.data(), x, n * sizeof(float)).wait();
  if (start[3] != 1 || start[99] != 198) std::cout << "other results than expected\n";
  sycl::free(x, q);
  sycl::free(stored, q);
}

// Kernels that could be fused, but are compared separately; two executions.
void graph(sycl::queue& q) {
  std::vector<int> data(n, 5);
  sycl::buffer<int> b(data.data(), n), c{sycl::range<1>(n)};
  prism::command_graph made(q);
  made.begin_recording(q);
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_write);
    h.parallel_for<first_of_a_graph>(n, [=](sycl::id<1> i) { a[i] += 2; });
  });
  q.submit([&](sycl::handler& h) {
    sycl::accessor from(b, h, sycl::read_only);
    sycl::accessor to(c, h, sycl::write_only, sycl::no_init);
    h.parallel_for<second_of_a_graph>(n, [=](sycl::id<1> i) { to[i] = from[i] * 3; });
  });
  made.end_recording();
  auto ready = made.finalize(prism::property::graph::perform_fusion());
  for (int run = 0; run < 2; ++run) prism::execute_graph(q, ready);
  const sycl::host_accessor result(c, sycl::read_only);
  std::cout << "the graph's last element: " << result[n - 1] << '\n';
}

} // namespace

int main(int argc, char** argv) try {
  sycl::queue q;
  if (argc > 1) {
    const std::string asked = argv[1];
    asked == "graph" ? graph(q) : asked == "slightly" ? slightly(q) : beyond(q);
    return 0;
  }
  buffers(q);
  parts(q);
  q.single_task<counts_globally>([=] { counter += 1; }).wait();
  if (q.get_device().has(sycl::aspect::usm_device_allocations)) allocations(q);
  sycl::queue prints;
  prints.submit([](sycl::handler& h) {
    sycl::stream out(64, 64, h);
    h.single_task([=] { out << "printed once\n"; });
  });
  prints.wait();
} catch (const sycl::exception& e) {
  std::cout << e.what() << '\n';
  return e.code() == sycl::errc::runtime ? 77 : 1;
}
