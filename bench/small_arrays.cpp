// What many small arrays cost: construction and recorded operations of 10^5 arrays of 8 numbers, which stay
// alive; one line for the device of PRISM_DEVICE_SELECTOR, and one each for arrays of 8 and 32 dimensions.
// `./prism bench --arrays` runs it.
#include <prism/array.hpp>
#include <sycl/sycl.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

namespace {

constexpr int count = 100000, repeats = 7;

/// The thread's processor time: other programs do not count.
double processor_micros() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) * 1e6 + double(now.tv_nsec) * 1e-3;
}

/// Microseconds of one of `count` calls.
template <typename Call>
double micros_of(const Call& call) {
  const double begin = processor_micros();
  for (int i = 0; i < count; ++i) call(i);
  return (processor_micros() - begin) / count;
}

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

/// Of arrays of `rank` dimensions: one of 8 numbers, the others of 1.
void measure(int rank) {
  std::vector<std::int64_t> extents(std::size_t(rank), 1);
  extents.back() = 8;
  const prism::extents shape(extents);
  double first = 0;
  std::vector<double> construction, operation;
  for (int r = 0; r < repeats; ++r) {
    std::vector<prism::any_array> arrays, sums;
    arrays.reserve(count), sums.reserve(count);
    const double constructed =
        micros_of([&](int) { arrays.push_back(prism::empty(shape, prism::dtype::float32)); });
    if (r == 0) first = constructed;
    else construction.push_back(constructed);
    operation.push_back(
        micros_of([&](int i) { sums.push_back(arrays[std::size_t(i)] + arrays[std::size_t(i)]); }));
  }
  std::printf(
      "%s, %d arrays of 8 float32 in C++, dimensions: %d, us of processor time each: construction %.2f (the "
      "first time, with the device's memory, %.2f), a recorded operation %.2f\n",
      sycl::device().get_info<sycl::info::device::name>().c_str(), count, rank, median(construction), first,
      median(operation));
}

} // namespace

int main() {
  prism::empty({8}, prism::dtype::float32)
      .copy_from_host(std::vector<float>(8).data(), 32); // opens the device
  for (const int rank : {1, 8, 32}) measure(rank);
}
