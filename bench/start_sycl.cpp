// Start-up probe: makes a queue ("queue") or runs one kernel ("kernel") on the device that the selector
// chooses.
#include <sycl/sycl.hpp>

#include <cstring>

int main(int count, char** words) {
  sycl::queue queue;
  if (count < 2 || std::strcmp(words[1], "kernel") != 0) return 0;
  int result = 0;
  {
    sycl::buffer<int> buffer(&result, 1);
    queue.submit([&](sycl::handler& h) {
      sycl::accessor out(buffer, h, sycl::write_only);
      h.single_task([=] { out[0] = 42; });
    });
  }
  return result == 42 ? 0 : 1;
}
