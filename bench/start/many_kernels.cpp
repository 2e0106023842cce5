// A program with PRISM_KERNEL_COUNT kernels. Runs kernels FIRST to LAST - 1, each of which adds its number to
// a buffer, and prints the sum. prism-start-N [FIRST [LAST]]; without arguments runs all.
#include <sycl/sycl.hpp>

#include <cstdio>
#include <cstdlib>
#include <utility>

template <int Number>
class adds;

template <int Number>
void add(sycl::queue& queue, sycl::buffer<int>& sum) {
  queue.submit([&](sycl::handler& h) {
    sycl::accessor a(sum, h);
    h.parallel_for<adds<Number>>(sycl::range<1>(1), [=](sycl::id<1> i) { a[i] = a[i] + Number; });
  });
}

template <int... Numbers>
void add_one(sycl::queue& queue, sycl::buffer<int>& sum, int which, std::integer_sequence<int, Numbers...>) {
  static constexpr void (*all[])(sycl::queue&, sycl::buffer<int>&) = {&add<Numbers>...};
  all[which](queue, sum);
}

int main(int count, char** words) {
  const int first = count > 1 ? std::atoi(words[1]) : 0;
  const int last = count > 2 ? std::atoi(words[2]) : count > 1 ? first + 1 : PRISM_KERNEL_COUNT;
  int result = 0;
  {
    sycl::queue queue;
    sycl::buffer<int> sum(&result, 1);
    for (int i = first; i < last; ++i)
      add_one(queue, sum, i, std::make_integer_sequence<int, PRISM_KERNEL_COUNT>());
  }
  std::printf("sum %d\n", result);
  return 2 * result == (last - first) * (first + last - 1) ? 0 : 1;
}
