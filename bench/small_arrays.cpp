// What many small arrays cost: construction and recorded operations of 10^5 arrays of 8 numbers, which stay
// alive; one line for the device of PRISM_DEVICE_SELECTOR. `./prism bench --arrays` runs it.
#include <prism/array.hpp>
#include <sycl/sycl.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace {

constexpr int count = 100000, repeats = 7;

/// Microseconds of one of `count` calls.
template <typename Call>
double micros_of(const Call& call) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) call(i);
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() / count;
}

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

} // namespace

int main() {
  prism::empty({8}, prism::dtype::float32)
      .copy_from_host(std::vector<float>(8).data(), 32); // opens the device
  double first = 0;
  std::vector<double> construction, operation;
  for (int r = 0; r < repeats; ++r) {
    std::vector<prism::any_array> arrays, sums;
    arrays.reserve(count), sums.reserve(count);
    const double constructed =
        micros_of([&](int) { arrays.push_back(prism::empty({8}, prism::dtype::float32)); });
    if (r == 0) first = constructed;
    else construction.push_back(constructed);
    operation.push_back(
        micros_of([&](int i) { sums.push_back(arrays[std::size_t(i)] + arrays[std::size_t(i)]); }));
  }
  std::printf(
      "%s, %d arrays of 8 float32 in C++, us each: construction %.2f (the first time, with the device's "
      "memory, %.2f), a recorded operation %.2f\n",
      sycl::device().get_info<sycl::info::device::name>().c_str(), count, median(construction), first,
      median(operation));
}
