// Kernels that end the process, for fault_test.py; the argument names the one that runs.
#include <sycl/sycl.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

class in_a_range;
class in_groups;

int main(int, char** argv) {
  const std::string what = argv[1];
  if (what == "handled") std::signal(SIGSEGV, [](int) { std::_Exit(42); }); // before PRISM's
  sycl::queue q;
  int* const nowhere =
      reinterpret_cast<int*>(std::strtoull("0", nullptr, 10)); // the compiler does not know it
  const int zero = std::atoi("0");
  int* const memory = sycl::malloc_shared<int>(64, q);
  if (what == "range" || what == "handled")
    q.parallel_for<in_a_range>(sycl::range<1>(1 << 20), [=](sycl::id<1> i) { memory[i % 64] = nowhere[i]; });
  else if (what == "groups")
    q.parallel_for<in_groups>(sycl::nd_range<1>(64, 8), [=](sycl::nd_item<1> it) {
      memory[it.get_global_id(0)] = 1;
      sycl::group_barrier(it.get_group());
      nowhere[it.get_global_id(0) + 1000] = memory[63 - it.get_global_id(0)];
    });
  else if (what == "unnamed") q.single_task([=] { nowhere[7] = 1; });
  else if (what == "division") q.single_task([=] { memory[0] = 7 / (zero + memory[1] - memory[1]); });
  q.wait();
  if (what == "outside") *const_cast<volatile int*>(nowhere) = 1; // not in a kernel
  std::puts("survived");
}
