// The first kernel: square numbers on the best device there is. Build: prism++ 01_first_kernel.cpp -o first
// && ./first
#include <sycl/sycl.hpp>

#include <iostream>
#include <vector>

int main() {
  std::vector<int> numbers(10);
  sycl::queue queue; // the default device; PRISM_DEVICE_SELECTOR=vulkan ./first selects another
  {
    sycl::buffer<int> buffer(numbers);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(buffer, handler, sycl::write_only, sycl::no_init);
      handler.parallel_for(sycl::range<1>(numbers.size()), [=](sycl::id<1> i) { out[i] = int(i[0] * i[0]); });
    });
  } // the buffer's destructor copies the results back
  std::cout << queue.get_device().get_info<sycl::info::device::name>() << ':';
  for (int n : numbers) std::cout << ' ' << n;
  std::cout << '\n';
  return numbers[9] == 81 ? 0 : 1;
}
